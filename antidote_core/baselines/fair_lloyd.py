"""Socially fair k-means: the largest average cost of a group, made as small as Lloyd steps can.

After Ghadiri, Samadi and Vempala (2021), for any number of groups: points go to their nearest
centre, centres to where the worst-served group pays least. Neither step can raise the cost, and the
first start is plain k-means, so the result is never less fair than plain k-means.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_centers,
    check_instance,
    check_labels,
    four_scores,
    plain_kmeans,
)
from antidote_core.checks import check_weights, check_whole
from antidote_core.fairness import group_means
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints

MAX_STEPS = 500
RELATIVE_GAP = 1e-12
SHRINK = 0.03
MAX_CENTRE_STEPS = 300


@dataclass(frozen=True, eq=False, kw_only=True)
class FairLloydResult(BaselineResult):
    """`cost` is the social cost; `gap` bounds what better centres could save at these labels."""

    gap: float


def fair_lloyd(
    points: Floats,
    groups: Ints,
    k: int,
    init: Floats | None = None,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> FairLloydResult:
    """Fair-Lloyd on points (n, d) with groups (n,), the best of `restarts` starts.

    The first start is `init` (k, d), or plain k-means without it: the result is never worse than
    that. The other starts are k-means++ draws in which every group weighs the same. With
    `sample_weight` (n,) the average of each group is weighted.

    >>> points = np.array([[0.0], [1.0], [10.0], [13.0]])
    >>> fair = fair_lloyd(points, np.array([0, 0, 1, 1]), k=1)
    >>> fair.centers.round(6).tolist(), round(fair.cost, 6), fair.gap < 1e-9
    ([[6.090909]], 31.508264, True)
    """
    started = time.perf_counter()
    points, groups, g = check_instance(points, groups, k)
    check_whole("restarts", restarts, 1)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, len(points))
    if init is None:
        first = plain_kmeans(points, k, seed, sample_weight)[1]
    else:
        first = check_centers(init, k, points.shape[1], "init")
    best = _descend(points, groups, g, first, sample_weight)
    for start in _spread_starts(points, groups, k, int(restarts) - 1, seed, sample_weight):
        trial = _descend(points, groups, g, start, sample_weight)
        if trial.cost < best.cost:
            best = trial
    empty = k - len(np.unique(best.labels))
    return FairLloydResult(
        name="fair_lloyd",
        labels=best.labels,
        centers=best.centers,
        cost=best.cost,
        certificate_name="duality gap of the centre step",
        certificate=best.gap,
        seconds=time.perf_counter() - started,
        notes=(f"{empty} of {k} clusters hold no point.",) if empty else (),
        points=points,
        sample_weight=sample_weight,
        gap=best.gap,
        **four_scores(best.labels, best.centers, points, [groups], sample_weight),
    )


def fair_lloyd_centers(points: Floats, groups: Ints, labels: Ints, k: int) -> Floats:
    """The centre step alone: centres (k, d) with the least max over groups of the average cost.

    Each point pays the squared distance to the centre its label names. A cluster without points
    gets the mean of all points, since no cost depends on it.

    >>> points = np.array([[0.0], [1.0], [2.0]])
    >>> fair_lloyd_centers(points, np.array([0, 0, 1]), np.array([0, 0, 0]), k=1).round(6).tolist()
    [[1.166667]]
    """
    points, groups, g = check_instance(points, groups, k)
    labels = check_labels(labels, k, len(points))
    centers = fair_centre_step(LabelledGroups.of(points, groups, labels, k, g)).centers
    return np.where(np.isnan(centers), points.mean(axis=0), centers)


@dataclass(frozen=True, eq=False)
class _Descent:
    centers: Floats
    labels: Ints
    cost: float
    gap: float


def _descend(
    points: Floats, groups: Ints, g: int, centers: Floats, weights: Floats | None
) -> _Descent:
    """Alternate both steps until the cost no longer falls; an empty cluster keeps its centre."""
    labels, squared = nearest_center(points, centers)
    cost = float(group_means(squared, groups, g, weights).max())
    gap = np.inf
    for _ in range(MAX_STEPS):
        step = fair_centre_step(LabelledGroups.of(points, groups, labels, len(centers), g, weights))
        moved = np.where(np.isnan(step.centers), centers, step.centers)
        new_labels, squared = nearest_center(points, moved)
        new_cost = float(group_means(squared, groups, g, weights).max())
        if new_cost > cost:  # by rounding only: the centres are as good as the step's
            gap = max(0.0, cost - (step.cost - step.gap))
            break
        settled = np.array_equal(new_labels, labels)
        centers, labels, cost, gap = moved, new_labels, new_cost, step.gap
        if settled:
            break
    return _Descent(centers, labels, cost, gap)


def _spread_starts(
    points: Floats, groups: Ints, k: int, count: int, seed: int, weights: Floats | None
) -> list[Floats]:
    """Seeded k-means++ draws (k, d) from points weighted by 1 / (size of their group)."""
    from sklearn.cluster import kmeans_plusplus

    own = 1.0 if weights is None else weights
    weights = own / np.bincount(groups, weights=weights)[groups]
    seeds = np.random.SeedSequence(seed).generate_state(count)
    return [
        kmeans_plusplus(points, k, sample_weight=weights, random_state=int(state))[0]
        for state in seeds
    ]


@dataclass(frozen=True, eq=False)
class LabelledGroups:
    """What the centre step needs of the points: shares a (k, g), means (k, g, d), within (g,)."""

    shares: Floats
    means: Floats
    within: Floats

    @classmethod
    def of(
        cls,
        points: Floats,
        groups: Ints,
        labels: Ints,
        k: int,
        g: int,
        weights: Floats | None = None,
    ) -> LabelledGroups:
        """Statistics of points (n, d) with groups, labels and, maybe, weights (n,)."""
        n = len(points)
        cells = labels * g + groups
        own = np.ones(n) if weights is None else weights
        counts = np.bincount(cells, weights=weights, minlength=k * g).astype(np.float64)
        member = sparse.csr_array((own, (cells, np.arange(n))), shape=(k * g, n))
        means = (member @ points) / np.where(counts > 0, counts, 1.0)[:, None]
        offset = points - means[cells]
        sizes = np.bincount(groups, weights=weights, minlength=g)
        squares = own * np.einsum("ij,ij->i", offset, offset)
        scatter = np.bincount(groups, weights=squares, minlength=g)
        return cls(counts.reshape(k, g) / sizes, means.reshape(k, g, -1), scatter / sizes)

    def centers(self, weights: Floats) -> Floats:
        """C(w), (k, d); NaN for a cluster without points."""
        pull = self.shares * weights
        total = pull.sum(axis=1)
        moved = np.einsum("cj,cjd->cd", pull, self.means)
        return np.divide(
            moved, total[:, None], out=np.full_like(moved, np.nan), where=total[:, None] > 0
        )

    def group_costs(self, centers: Floats) -> Floats:
        """f_j, (g,)."""
        offset = np.nan_to_num(centers[:, None, :] - self.means)
        return self.within + np.einsum("cj,cjd,cjd->j", self.shares, offset, offset)

    def curvature(self, weights: Floats, centers: Floats) -> Floats:
        """Second derivative of D, (g, g): -2 sum_c a_cj a_cl (mu_cj - C_c)(mu_cl - C_c) / s_c."""
        pull = (self.shares * weights).sum(axis=1)
        offset = np.nan_to_num(self.means - centers[:, None, :]) * self.shares[:, :, None]
        inverse = np.divide(1.0, pull, out=np.zeros_like(pull), where=pull > 0)
        return np.asarray(-2.0 * np.einsum("c,cjd,cld->jl", inverse, offset, offset))


def fair_centre_step(statistics: LabelledGroups) -> CentreStep:
    """Centres that minimise the largest group cost at these labels."""
    g = len(statistics.within)
    state = best = CentreStep.at(statistics, np.full(g, 1.0 / g))
    barrier = best.gap / g
    for _ in range(MAX_CENTRE_STEPS):
        if best.gap <= RELATIVE_GAP * best.cost or barrier * g <= 0.01 * RELATIVE_GAP * best.cost:
            break
        state, promised = _newton(statistics, state, barrier)
        if state.gap < best.gap:
            best = state
        if promised < barrier:
            barrier *= SHRINK
    return best


@dataclass(frozen=True, eq=False)
class CentreStep:
    """Weights (g,), their centres (k, d) and what each group pays there (g,)."""

    weights: Floats
    centers: Floats
    costs: Floats

    @classmethod
    def at(cls, statistics: LabelledGroups, weights: Floats) -> CentreStep:
        """The best centres for these weights."""
        centers = statistics.centers(weights)
        return cls(weights, centers, statistics.group_costs(centers))

    @property
    def cost(self) -> float:
        """What the worst-served group pays."""
        return float(self.costs.max())

    @property
    def gap(self) -> float:
        """By how much any other centres could at most be better."""
        return max(0.0, self.cost - float(self.weights @ self.costs))

    def value(self, barrier: float) -> float:
        """The dual with its barrier."""
        return float(self.weights @ self.costs + barrier * np.log(self.weights).sum())


def _newton(
    statistics: LabelledGroups, state: CentreStep, barrier: float
) -> tuple[CentreStep, float]:
    """One damped Newton step on D(w) + barrier * sum log w, and how much it promised to gain."""
    weights = state.weights
    g = len(weights)
    slope = state.costs + barrier / weights
    system = np.zeros((g + 1, g + 1))
    curvature = statistics.curvature(weights, state.centers)
    system[:g, :g] = curvature - np.diag(barrier / weights**2)
    system[:g, g] = system[g, :g] = 1.0
    step = np.linalg.solve(system, np.append(-slope, 0.0))[:g]
    promised = float(slope @ step)
    shrinking = step < 0
    length = 1.0
    if shrinking.any():
        length = min(1.0, 0.99 * float((-weights[shrinking] / step[shrinking]).min()))
    value = state.value(barrier)
    while length > 1e-10:
        moved = weights + length * step
        trial = CentreStep.at(statistics, moved / moved.sum())
        if trial.value(barrier) >= value + 0.1 * length * promised:
            return trial, promised
        length *= 0.5
    return state, 0.0


FAIR_LLOYD = FairAlgorithm(
    "fair_lloyd",
    "Fair-Lloyd",
    "Places the centres so that the worst-served group pays as little as Lloyd's steps can reach.",
    Paper("Ghadiri, Samadi and Vempala", 2021),
    fair_lloyd,
    needs_groups=False,
    changes="algorithm",
    serves=("social",),
    weighted=True,
    options=(Option("restarts", 10, "Starts, of which the best result counts."),),
)
