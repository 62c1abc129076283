"""Algorithm 1: antidote data for convex (sum-of-norms) clustering and the social cost.

The paper replaces the clustering by its optimality conditions and the one of them that is not
convex by the affine eta - gamma (eta + zeta) = 0. With c = (1 - gamma) / gamma that leaves
theta = c L mu, L = m I - 1 1ᵀ, so that

    mu_i = (1 - s) x_i + s x̄,    s = c m / (1 + c m) = (1 - gamma) m / (gamma + (1 - gamma) m),

with x̄ the mean of U ∪ V: lambda drops out, and V acts through its mean alone. The best x̄ is the
point that makes the largest average squared distance of a group smallest, so the whole program has
a closed form. `docs/algorithm-1.md` derives it; `programs` holds the programs as the paper
states them. Since it is a stand-in (the *surrogate*), every result is clustered again exactly.

`method="direct"` does without the stand-in: it searches places for V by clustering U ∪ V exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidote_core.baselines import fair_lloyd_centers
from antidote_core.baselines.record import check_groups_present
from antidote_core.checks import check_whole
from antidote_core.clustering.son import SonClustering, check_lambda, son_clustering
from antidote_core.errors import SolverError, SpecError, optional_packages
from antidote_core.fairness import SocialTable, group_means, social_from_costs
from antidote_core.geometry import check_points, nearest_center
from antidote_core.types import Floats, Ints

METHODS = ("surrogate", "direct")
SEARCH_GAP = 1e-7  # while searching; the final clustering is exact to the usual gap
FIRST_PLACES = 4
STRETCHES = 8  # every point is tried as a place, and farther out in as many steps
Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class ConvexResult:
    """What Algorithm 1 found, and what exact clustering makes of it.

    `promised` is the cost the surrogate gives for its own centres (None for the direct search);
    `vanilla_cost` and `cost` are social costs on U after exact sum-of-norms clustering of U and of
    U ∪ V; `difference` is the first minus the second, positive when V helped.
    """

    method: str
    lam: float
    gamma: float
    antidote: Floats
    promised: float | None
    vanilla: SonClustering
    after: SonClustering
    vanilla_table: SocialTable
    table: SocialTable
    evaluations: int
    seconds: float
    notes: tuple[str, ...]

    @property
    def vanilla_cost(self) -> float:
        """Social cost of U under exact clustering of U."""
        return self.vanilla_table.cost

    @property
    def cost(self) -> float:
        """Social cost of U under exact clustering of U ∪ V."""
        return self.table.cost

    @property
    def difference(self) -> float:
        """What V gained: the vanilla cost minus the cost after; negative when V did harm."""
        return self.vanilla_cost - self.cost


@dataclass(frozen=True, eq=False)
class ConvexGrowth:
    """The rounds of Algorithm 1, one per size of V; the last one met the target if any did."""

    rounds: tuple[ConvexResult, ...]
    target: float
    reached: bool

    @property
    def best(self) -> ConvexResult:
        """The round with the lowest cost."""
        return min(self.rounds, key=lambda result: result.cost)


def solve_convex(
    points: Floats,
    groups: Ints,
    lam: float = 0.01,
    gamma: float = 0.99,
    size: int = 10,
    method: str = "surrogate",
    seed: int = 0,
    *,
    atoms: int = 2,
    widen: float = 5.0,
    budget: int = 200,
    cancel: Cancel | None = None,
    vanilla: SonClustering | None = None,
) -> ConvexResult:
    """One round of Algorithm 1: `size` antidote points for points (n, d) with groups (n,).

    `method="surrogate"` is the paper's program in closed form, `gamma` (γ, from 0 to 1) its affine
    constraint. `method="direct"` tries places for `atoms` clumps of points by `budget` exact
    clusterings of U ∪ V, in a box `widen` times as wide as the data; `cancel()` ends it early.
    `vanilla` may hand over the clustering of U where it is known already.

    >>> points = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> found = solve_convex(points, np.array([0, 0, 0, 1]), lam=2.5, size=1)
    >>> found.antidote.round(3).tolist(), round(found.vanilla_cost, 3), round(found.cost, 3)
    ([[12.792]], 36.0, 16.335)
    >>> found.after.clusters, found.difference > 0  # all centres fuse: the surrogate is right
    (1, True)
    """
    begun = time.perf_counter()
    points, groups = _check_instance(points, groups)
    check_lambda(lam)
    check_gamma(gamma)
    check_size(size)
    if method not in METHODS:
        known = " or ".join(repr(name) for name in METHODS)
        raise SpecError(f"method must be {known}; got {method!r}.")
    if vanilla is None:
        vanilla = son_clustering(points, lam)
    promised, evaluations = None, 0
    if method == "surrogate":
        antidote, promised = surrogate(points, groups, gamma, size)
    else:
        antidote, evaluations = _search(
            points, groups, lam, size, vanilla, seed, atoms, widen, budget, cancel
        )
    after = son_clustering(np.vstack([points, antidote]), lam)
    return ConvexResult(
        method=method,
        lam=float(lam),
        gamma=float(gamma),
        antidote=antidote,
        promised=promised,
        vanilla=vanilla,
        after=after,
        vanilla_table=social_of_u(vanilla, points, groups),
        table=social_of_u(after, points, groups),
        evaluations=evaluations,
        seconds=time.perf_counter() - begun,
        notes=_notes(points, antidote, gamma, promised, vanilla, after, widen),
    )


def grow_convex(
    points: Floats,
    groups: Ints,
    lam: float = 0.01,
    gamma: float = 0.99,
    start_size: int = 1,
    step: int = 1,
    target: float | str = "vanilla",
    max_size: int = 10,
    method: str = "surrogate",
    seed: int = 0,
    on_round: Callable[[ConvexResult], None] | None = None,
    **search: float,
) -> ConvexGrowth:
    """Algorithm 1 whole: V_s = `start_size`, ξ = `step`, until F <= α = `target`.

    `target="vanilla"` asks for less than the cost of plain clustering. F is that of the exact
    clustering of U ∪ V, not the surrogate's promise. `search` goes to `solve_convex`.

    >>> points = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> groups = np.array([0, 0, 0, 1])
    >>> growth = grow_convex(points, groups, lam=2.5, target=20.0, max_size=4)
    >>> growth.reached, [len(result.antidote) for result in growth.rounds]
    (True, [1])
    """
    points, groups = _check_instance(points, groups)
    check_size(start_size, "start_size (V_s)")
    check_size(step, "step (ξ)")
    if max_size < start_size:
        raise SpecError(
            f"max_size must be at least start_size (V_s = {start_size}); got {max_size!r}."
        )
    if isinstance(target, str) and target != "vanilla":
        raise SpecError(f"target (α) must be 'vanilla' or a number; got {target!r}.")
    check_lambda(lam)
    vanilla = son_clustering(points, lam)
    cost = social_of_u(vanilla, points, groups).cost
    alpha = cost if isinstance(target, str) else float(target)
    rounds = []
    for size in range(start_size, max_size + 1, step):
        found = solve_convex(
            points, groups, lam, gamma, size, method, seed, vanilla=vanilla,
            **search,  # type: ignore[arg-type]
        )  # fmt: skip
        rounds.append(found)
        if on_round is not None:
            on_round(found)
        if found.cost < alpha or (found.cost == alpha and not isinstance(target, str)):
            return ConvexGrowth(tuple(rounds), alpha, True)
    return ConvexGrowth(tuple(rounds), alpha, False)


def surrogate(points: Floats, groups: Ints, gamma: float, size: int) -> tuple[Floats, float]:
    """The paper's program in closed form: V (size, d), all in one place, and the promised cost.

    >>> antidote, promised = surrogate(np.array([[0.0], [4.0]]), np.array([0, 1]), 0.5, 2)
    >>> antidote.tolist(), round(promised, 4)
    ([[2.0], [2.0]], 2.56)
    """
    points, groups = _check_instance(points, groups)
    check_gamma(gamma)
    check_size(size)
    n, m = len(points), len(points) + size
    means, within = _group_statistics(points, groups)
    center = _fair_center(points, groups, means, within)
    place = (m * center - points.sum(axis=0)) / size
    away = within + ((center - means) ** 2).sum(axis=1)
    promised = pull(gamma, m) ** 2 * float(away.max())
    return np.repeat(place[None, :], m - n, axis=0), promised


def pull(gamma: float, m: int) -> float:
    """s: how far the surrogate moves every centre towards the mean of all m points, 0 to 1.

    >>> round(pull(0.99, 110), 4), pull(0.0, 110), pull(1.0, 110)
    (0.5263, 1.0, 0.0)
    """
    return (1.0 - gamma) * m / (gamma + (1.0 - gamma) * m)


def social_of_u(clustering: SonClustering, points: Floats, groups: Ints) -> SocialTable:
    """What each group of U pays: every point of U with the nearest of all centres.

    The centres of antidote points count, as the paper's definition has it.
    """
    _, squared = nearest_center(points, clustering.centers)
    return social_from_costs(group_means(squared, groups, int(groups.max()) + 1))


def check_gamma(gamma: object) -> None:
    """γ must lie in [0, 1]."""
    number = isinstance(gamma, int | float | np.number) and not isinstance(gamma, bool)
    if not number or not 0 <= gamma <= 1:  # type: ignore[operator]
        raise SpecError(
            f"γ (gamma) must be a number from 0 to 1; got {gamma!r}. 0 puts all centres in one "
            "place, 1 leaves every centre at its point, the paper takes 0.99."
        )


def check_size(size: object, name: str = "size (|V|)") -> None:
    """A number of points must be whole and positive."""
    check_whole(name, size, 1)


def _check_instance(points: object, groups: object) -> tuple[Floats, Ints]:
    table, codes, _ = check_points(points, groups)
    check_groups_present(codes)
    return table, codes


def _group_statistics(points: Floats, groups: Ints) -> tuple[Floats, Floats]:
    """Mean (g, d) of every group and average squared distance (g,) to it."""
    sizes = np.bincount(groups).astype(np.float64)
    member = (groups == np.arange(len(sizes))[:, None]) / sizes[:, None]
    means = member @ points
    return means, member @ ((points - means[groups]) ** 2).sum(axis=1)


def _fair_center(points: Floats, groups: Ints, means: Floats, within: Floats) -> Floats:
    """The point (d,) where the group that pays most pays least: min max_j within_j + |c - mu_j|^2.

    For two groups it lies on the segment between their means, where both pay the same, or at the
    end of it when one group pays more wherever the centre is.
    """
    if len(means) == 1:
        return np.asarray(means[0])
    if len(means) > 2:
        labels = np.zeros(len(points), dtype=np.int64)
        return np.asarray(fair_lloyd_centers(points, groups, labels, 1)[0])
    apart = means[1] - means[0]
    squared = float(apart @ apart)
    if squared == 0.0:
        return np.asarray(means[0])
    t = (within[1] - within[0] + squared) / (2.0 * squared)
    return np.asarray(means[0] + min(1.0, max(0.0, t)) * apart)


def _search(
    points: Floats,
    groups: Ints,
    lam: float,
    size: int,
    vanilla: SonClustering,
    seed: int,
    atoms: int,
    widen: float,
    budget: int,
    cancel: Cancel | None,
) -> tuple[Floats, int]:
    """CMA-ES over the places of a few clumps; each trial is an exact clustering of U ∪ V."""
    from antidote_core.optimizers.cma import cmaes
    from antidote_core.optimizers.protocol import Box

    check_size(atoms, "atoms")
    if not widen > 0 or not math.isfinite(widen):
        raise SpecError(f"widen must be a number above 0; got {widen!r}.")
    atoms = min(atoms, size)
    d = points.shape[1]
    lower, upper = points.min(axis=0), points.max(axis=0)
    middle, half = (lower + upper) / 2, widen * (upper - lower) / 2
    box = Box(np.tile(middle - half, atoms), np.tile(middle + half, atoms))
    turn = np.arange(size) % atoms
    multipliers: Floats | None = None

    def cost(x: Floats) -> float:
        nonlocal multipliers
        union = np.vstack([points, x.reshape(atoms, d)[turn]])
        found = son_clustering(union, lam, relative_gap=SEARCH_GAP, start=multipliers)
        multipliers = found.multipliers
        return social_of_u(found, points, groups).cost

    starts = np.tile(_first_places(points, groups, lam, size, vanilla, half), (1, atoms))
    rng = np.random.default_rng([seed, size])
    found = cmaes(cost, box, budget, rng, cancel=cancel, start=starts)
    return found.x.reshape(atoms, d)[turn], found.evaluations


def _first_places(
    points: Floats, groups: Ints, lam: float, size: int, vanilla: SonClustering, box_half: Floats
) -> Floats:
    """Where to begin, (FIRST_PLACES, d): the best by a first-order estimate of many places.

    Points at v add to theta_i = x_i - mu_i the pull size lambda (x_i - v) / |x_i - v|, if nothing
    else moves; the cost of a group is then the average of |theta_i + pull|^2.
    """
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    offsets = points - middle
    reach = np.max(np.abs(offsets) / np.where(box_half > 0, box_half, np.inf), axis=1)
    stretches = np.geomspace(1.0, np.maximum(1.0 / np.maximum(reach, 1e-9), 1.0), STRETCHES)
    places = (middle + stretches[:, :, None] * offsets).reshape(-1, points.shape[1])
    theta = points - vanilla.centers
    g = int(groups.max()) + 1
    estimates = np.empty(len(places))
    for index, place in enumerate(places):
        away = points - place
        norms = np.sqrt(np.einsum("ia,ia->i", away, away))
        pulled = theta + away * (size * lam / np.maximum(norms, 1e-12))[:, None]
        estimates[index] = group_means(np.einsum("ia,ia->i", pulled, pulled), groups, g).max()
    best = np.argsort(estimates, kind="stable")[:FIRST_PLACES]
    return np.asarray(places[best])


def _notes(
    points: Floats,
    antidote: Floats,
    gamma: float,
    promised: float | None,
    vanilla: SonClustering,
    after: SonClustering,
    widen: float,
) -> tuple[str, ...]:
    notes = []
    n, size = len(points), len(antidote)
    if promised is not None:
        part = round(100 * pull(gamma, n + size))
        notes.append(
            f"The surrogate moves every centre {part}\N{NO-BREAK SPACE}% of the way to the common "
            "mean, whatever λ is, and promises a cost for those centres. Exact clustering moves "
            "them by λ times the directions to all other centres."
        )
        if gamma == 1:
            notes.append(
                "At γ = 1 the surrogate leaves every centre at its point, so to it every V is as "
                "good as any other; the one shown is the limit for γ just below 1."
            )
    else:
        notes.append(
            f"Places were searched in a box {widen:g} times as wide as the data in every feature."
        )
    notes.append(_fusing(n, vanilla.clusters, len(np.unique(after.labels[:n]))))
    outside = (antidote < points.min(axis=0)) | (antidote > points.max(axis=0))
    count = int(outside.any(axis=0).sum())
    if count:
        notes.append(
            f"The antidote points lie outside the range of the data in {count} of "
            f"{points.shape[1]} features."
        )
    return tuple(notes)


def _fusing(n: int, before: int, after: int) -> str:
    """Into how many clusters the n points of U fall without and with antidote points."""
    if before == n:
        return f"At this λ no two centres fuse: {n} points, {n} clusters."
    if before == 1:
        return "At this λ all centres fuse into one, the mean of all points."
    return f"At this λ {n} points fall into {before} clusters; with the antidote points, {after}."


# Numbers in eta, one vector per pair of points; the paper's largest case (LFW) has about 480,000.
MAX_NUMBERS = 500_000


@dataclass(frozen=True, eq=False)
class ProgramAnswer:
    """V (size, d), of which only the mean is determined, and the smallest promised cost."""

    antidote: Floats
    promised: float


def literal_program(points: Floats, groups: Ints, gamma: float, size: int) -> ProgramAnswer:
    """All variables of the paper: V, mu, eta, theta, zeta, and the optimality conditions.

    minimise F_social(mu, U) subject to theta + mu = U ∪ V, eta = gamma (eta + zeta), muᵀ I = eta,
    I zetaᵀ = theta, with I the node-arc incidence of all pairs.
    """
    points, groups, g = check_points(points, groups)
    check_gamma(gamma)
    check_size(size)
    n, d = points.shape
    m = n + size
    pairs = m * (m - 1) // 2
    if pairs * d > MAX_NUMBERS:
        most = int(np.sqrt(2 * MAX_NUMBERS / d)) - size
        raise SpecError(
            f"The literal program has one variable per pair of points and feature, and {n:,} "
            f"points with {d} features are too many for it; wanted at most about {max(most, 1):,}. "
            "Take a sample, or the closed form, which gives the same."
        )
    with optional_packages():
        import cvxpy as cp
    from scipy.sparse import coo_array

    first, second = np.triu_indices(m, 1)
    arcs = np.arange(pairs)
    incidence = coo_array(
        (np.repeat([1.0, -1.0], pairs), (np.concatenate([first, second]), np.tile(arcs, 2))),
        shape=(m, pairs),
    ).tocsr()
    antidote = cp.Variable((size, d))
    mu, theta = cp.Variable((m, d)), cp.Variable((m, d))
    eta, zeta = cp.Variable((d, pairs)), cp.Variable((d, pairs))
    constraints = [
        theta + mu == cp.vstack([points, antidote]),
        eta == gamma * (eta + zeta),
        eta == (incidence.T @ mu).T,
        incidence @ zeta.T == theta,
    ]
    costs = []
    for j in range(g):
        rows = np.flatnonzero(groups == j)
        costs.append(cp.sum_squares(points[rows] - mu[rows]) / len(rows))
    cost = cp.maximum(*costs) if len(costs) > 1 else costs[0]
    problem = cp.Problem(cp.Minimize(cost), constraints)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise SolverError(
            f"The program could not be solved: {error} Use the closed form."
        ) from None
    if problem.status != cp.OPTIMAL:
        raise SolverError(
            f"The program could not be solved ({problem.status}); use the closed form."
        )
    return ProgramAnswer(np.asarray(antidote.value), float(problem.value))


def literal_clustering(points: Floats, lam: float) -> float:
    """The smallest value of the sum-of-norms objective, with one cone per pair of points."""
    with optional_packages():
        import cvxpy as cp

    first, second = np.triu_indices(len(points), 1)
    mu = cp.Variable(points.shape)
    norms = cp.norm(mu[first] - mu[second], 2, axis=1)
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(points - mu) + lam * cp.sum(norms)))
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)
