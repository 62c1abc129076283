"""One clustering of U as a screen shows it: the plain one, and that of a step of a run.

A moving picture of a run needs less of every step, and something about all of them: which points
differ from plain clustering, which of V are new, and how a contest stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.clustering import get_clustering
from antidote_core.fairness import (
    BalanceTable,
    SocialTable,
    balance_from_counts,
    balance_table,
    cluster_counts,
    social_from_costs,
    social_table,
)
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.quality import Quality, quality
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, Step
from antidote_core.types import Dataset, Floats, Ints, Solution


@dataclass(frozen=True, eq=False)
class VanillaReport:
    """A plain clustering, the tables behind both costs, and its quality apart from fairness."""

    solution: Solution
    balance: BalanceTable
    social: SocialTable
    quality: Quality


def vanilla_report(
    data: Dataset, clustering: str, k: int, restarts: int, seed: int
) -> VanillaReport:
    """Cluster the data without antidote points and take both costs from its labels.

    Nothing compiled is needed, so that a page can ask for it on a machine that is new to it.

    >>> from antidote_core.datasets import load_dataset
    >>> report = vanilla_report(load_dataset("two-optima"), "kmeans", k=2, restarts=10, seed=0)
    >>> round(report.balance.cost, 6)
    -0.3
    """
    solution = Problem(data, clustering, "balance", k, restarts, seed, compiled=False).vanilla
    found = quality(data.points, solution.labels, seed, data.weights, compiled=False)
    return report_of(data, solution, found)


def report_of(data: Dataset, solution: Solution, found: Quality) -> VanillaReport:
    """A plain clustering and its quality, with the tables behind both costs."""
    k = len(solution.centers)
    return VanillaReport(
        solution,
        balance_table(solution.labels, data.groups, k, len(data.group_names), data.weights),
        social_table(solution.labels, solution.centers, data.points, data.groups, data.weights),
        found,
    )


@dataclass(frozen=True, eq=False)
class Snapshot:
    """C(U ∪ V) at one step; clusters are numbered as in plain clustering.

    `before` are the plain centres (k, d), `old_labels` (n,) the clusters under plain clustering,
    `changed` (n,) the points that are in another one now.
    """

    step: Step
    before: Floats
    centers: Floats
    labels: Ints
    old_labels: Ints
    changed: Ints
    balance: BalanceTable
    social: SocialTable


def snapshot(
    data: Dataset, spec: RunSpec, view: RunView, index: int, problem: Problem | None = None
) -> Snapshot:
    """The clustering of U at step `index` of the run.

    `problem` spares those who ask for many steps a plain clustering each, where labels are not
    those of the nearest centre.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=1)
    >>> shot = snapshot(load_dataset("blobs"), spec, run(spec), 1)
    >>> shot.balance.cost == shot.step.cost, len(shot.step.antidote)
    (True, 3)
    """
    vanilla, step = view.steps[0], view.steps[index]
    if get_clustering(spec.clustering).by_nearest_center:
        old, _ = nearest_center(data.points, vanilla.centers)
        new, _ = nearest_center(data.points, step.centers)
        centers = step.centers
    else:
        problem = problem or Problem.of(spec, data)
        solution = problem.cluster(step.antidote)
        old, new, centers = problem.vanilla.labels, solution.labels, solution.centers
    labels, centers = numbered_as(old, new, centers)
    return Snapshot(
        step,
        vanilla.centers,
        centers,
        labels,
        old,
        np.asarray(labels != old, dtype=np.int64),
        balance_table(labels, data.groups, spec.k, len(data.group_names), data.weights),
        social_table(labels, centers, data.points, data.groups, data.weights),
    )


def vanilla_tables(view: RunView) -> tuple[BalanceTable, SocialTable]:
    """Both tables of plain clustering, as the run recorded them."""
    assert view.vanilla is not None
    return balance_from_counts(view.vanilla.counts), social_from_costs(view.vanilla.group_costs)


def numbered_as(before: Ints, labels: Ints, centers: Floats) -> tuple[Ints, Floats]:
    """Labels (n,) and centers (k, d) with every cluster under the number it had `before`.

    That is the number of the old cluster it shares most points with, over all pairs together.
    """
    from scipy.optimize import linear_sum_assignment

    k = len(centers)
    _, order = linear_sum_assignment(-cluster_counts(before, labels, k, k))
    return np.argsort(order)[labels], centers[order]


# -- how sure the numbers of a group are ------------------------------------------------------

DRAWS = 2000
TAIL = 0.025  # on either side: intervals of 95 %
NORMAL = 1.959964  # standard errors that leave TAIL on either side
FEW = 10  # people in a cell: fewer tell little, whatever the interval says
RESAMPLED = 2000  # rows of a group; the average of more is normal to all digits shown


@dataclass(frozen=True, eq=False)
class GroupIntervals:
    """Between which numbers 95 % of the resampled populations lie, the centres held fixed.

    `people` (k, g) are the rows per cluster and group; `shares` (k, g, 2) the group's share of the
    cluster, `ratios` (k, g, 2) the part of its fair share, `costs` (g, 2) what the group pays.
    """

    people: Ints
    shares: Floats
    ratios: Floats
    costs: Floats


def group_intervals(data: Dataset, labels: Ints, centers: Floats, seed: int) -> GroupIntervals:
    """Bootstrap intervals for every group: people are drawn anew, as many, with replacement.

    Rows per cell are drawn at once (multinomial). Of an empty cell, which stays empty in every
    draw, the share is bounded by the exact binomial limit. Where rows have weights, the weight of
    a cell with m rows is drawn from the normal law that m of its rows would have.

    >>> from antidote_core.datasets import load_dataset
    >>> data = load_dataset("blobs")
    >>> shot = vanilla_report(data, "kmeans", 2, 10, 0).solution
    >>> found = group_intervals(data, shot.labels, shot.centers, seed=0)
    >>> bool((found.shares[..., 0] <= found.shares[..., 1]).all()), found.costs.shape
    (True, (2, 2))
    """
    rng = np.random.default_rng(seed)
    k, g = len(centers), len(data.group_names)
    people = cluster_counts(labels, data.groups, k, g).astype(np.int64)
    drawn = rng.multinomial(data.n, people.ravel() / data.n, size=DRAWS).astype(np.float64)
    if data.weights is not None:
        drawn = _weighed(drawn, labels * g + data.groups, data.weights, rng)
    mass = drawn.reshape(DRAWS, k, g)
    totals, whole = mass.sum(axis=2, keepdims=True), mass.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = mass / totals
        relative = shares / (whole / mass.sum(axis=(1, 2), keepdims=True))
        ratios = np.fmin(relative, 1.0 / relative)
    shares, ratios = (_ends(np.nan_to_num(each)) for each in (shares, ratios))
    sizes, overall = people.sum(axis=1), people.sum(axis=0) / data.n
    for cluster, group in np.argwhere((people == 0) & (sizes[:, None] > 0)):
        most = 1.0 - TAIL ** (1.0 / sizes[cluster])
        shares[cluster, group, 1] = most
        ratios[cluster, group, 1] = min(most / overall[group], 1.0) if overall[group] else 1.0
    offsets = data.points - centers[labels]
    distances = np.einsum("ij,ij->i", offsets, offsets)
    costs = [_mean_interval(distances, data.weights, data.groups == j, rng) for j in range(g)]
    return GroupIntervals(people, shares, ratios, np.array(costs))


def _ends(drawn: Floats) -> Floats:
    """The two ends of what lies between the tails, along a new last axis."""
    ends: Floats = np.moveaxis(np.quantile(drawn, [TAIL, 1.0 - TAIL], axis=0), 0, -1)
    return ends.copy()


def _weighed(rows: Floats, cells: Ints, weights: Floats, rng: np.random.Generator) -> Floats:
    """Weights of cells for drawn numbers of rows (draws, cells)."""
    counts = np.maximum(np.bincount(cells, minlength=rows.shape[1]), 1)
    means = np.bincount(cells, weights, minlength=rows.shape[1]) / counts
    spread = np.bincount(cells, weights**2, minlength=rows.shape[1]) / counts - means**2
    noise = rng.standard_normal(rows.shape) * np.sqrt(rows * np.maximum(spread, 0.0))
    return np.maximum(rows * means + noise, 0.0)


def _mean_interval(
    values: Floats, weights: Floats | None, mine: np.ndarray, rng: np.random.Generator
) -> tuple[float, float]:
    """The interval of the average of those values (n,) that are `mine`."""
    values = values[mine]
    weights = np.ones(len(values)) if weights is None else weights[mine]
    if not len(values):
        return math.nan, math.nan
    if len(values) <= RESAMPLED:
        rows = rng.integers(len(values), size=(DRAWS, len(values)))
        means = (values * weights)[rows].sum(axis=1) / weights[rows].sum(axis=1)
        low, high = np.quantile(means, [TAIL, 1.0 - TAIL])
        return float(low), float(high)
    mean = float(np.average(values, weights=weights))
    error = float(np.std(weights * (values - mean)) / weights.mean() / math.sqrt(len(values)))
    return mean - NORMAL * error, mean + NORMAL * error


# -- all steps of a run -------------------------------------------------------------------------

NEIGHBOURS = 3
CHUNK = 64
MOST_STEPS = 240


@dataclass(frozen=True, eq=False)
class Moves:
    """What one step of a run changes on a picture of plain clustering.

    `centers` (k, d) are numbered as in plain clustering. V has the distinct points `atoms` (a, d),
    each `copies` (a,) times; `rows` (a,) says which row of U each is, -1 where it is none. The
    points of U in `moved` (c,), ascending, are in another cluster than before: in `clusters` (c,).
    """

    centers: Floats
    atoms: Floats
    copies: Ints | Floats
    rows: Ints
    moved: Ints
    clusters: Ints


def moves(shot: Snapshot) -> Moves:
    """A snapshot as the changes it stands for.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=1)
    >>> shot = snapshot(load_dataset("blobs"), spec, run(spec), 1)
    >>> found = moves(shot)
    >>> int(found.copies.sum()), bool((found.clusters == shot.labels[found.moved]).all())
    (3, True)
    """
    step = shot.step
    if step.rows is not None:
        rows, first = np.unique(step.rows, return_index=True)
        atoms = step.antidote[first]
        copies = np.bincount(np.searchsorted(rows, step.rows), weights=step.weights)
        copies = copies if step.weights is None else copies.round(2)
    else:
        atoms, copies = np.unique(step.antidote, axis=0, return_counts=True)
        rows = np.full(len(atoms), -1)
    moved = np.flatnonzero(shot.changed)
    width = step.antidote.shape[1]
    return Moves(shot.centers, atoms.reshape(-1, width), copies, rows, moved, shot.labels[moved])


def number_atoms(steps: Sequence[Moves]) -> list[list[int]]:
    """For every step the numbers of its atoms, counted over all steps as they first appear.

    >>> none = np.empty(0, dtype=np.int64)
    >>> def step(*places):
    ...     atoms = np.array(places)[:, None]
    ...     return Moves(atoms, atoms, none, np.full(len(atoms), -1), none, none)
    >>> number_atoms([step(2.0), step(1.0, 2.0), step(1.0)])
    [[0], [1, 0], [1]]
    """
    known: dict[tuple[int, bytes], int] = {}
    return [
        [
            known.setdefault((row, atom.tobytes()), len(known))
            for row, atom in zip(step.rows.tolist(), step.atoms, strict=True)
        ]
        for step in steps
    ]


def shown_steps(count: int, answer: int, most: int = MOST_STEPS) -> list[int]:
    """Which of `count` steps a picture goes through: all, or every second, fourth, ... of them.

    The first, the last and the answer are always among them. While a run grows, what was chosen
    stays chosen until the steps between two are doubled.

    >>> shown_steps(5, 2), shown_steps(9, 5, most=5)
    ([0, 1, 2, 3, 4], [0, 2, 4, 5, 6, 8])
    """
    apart = 1
    while (count - 1) // apart + 1 > most:
        apart *= 2
    return sorted({*range(0, count, apart), *((answer, count - 1) if count else ())})


def nearest_rows(
    points: Floats, places: Floats, own: Ints, count: int = NEIGHBOURS
) -> tuple[Ints, Floats]:
    """The nearest of points (n, d) to each of places (q, d), and their distances; (q, count) both.

    `own` (q,) is the row that a place is itself, which does not count; -1 where it is none. Fewer
    than `count` where there are not so many.

    >>> rows, distances = nearest_rows(np.array([[0.0], [1.0], [5.0]]), np.array([[1.0]]), [1], 2)
    >>> rows.tolist(), distances.tolist()
    ([[0, 2]], [[1.0, 4.0]])
    """
    own = np.asarray(own, dtype=np.int64)
    count = min(count, len(points) - 1)
    found = np.empty((len(places), count), dtype=np.int64)
    distances = np.empty((len(places), count))
    squares = np.einsum("ij,ij->i", points, points)
    for begin in range(0, len(places), CHUNK):
        part = slice(begin, begin + CHUNK)
        # Short of |place|^2, which does not change the order.
        relative = squares - 2.0 * places[part] @ points.T
        at = np.flatnonzero(own[part] >= 0)
        relative[at, own[part][at]] = np.inf
        near = np.argpartition(relative, max(count - 1, 0), axis=1)[:, :count]
        offsets = points[near] - places[part][:, None, :]
        far = np.sqrt(np.einsum("ijk,ijk->ij", offsets, offsets))
        order = np.lexsort((near, far), axis=1)
        found[part] = np.take_along_axis(near, order, axis=1)
        distances[part] = np.take_along_axis(far, order, axis=1)
    return found, distances


@dataclass(frozen=True)
class Lead:
    """How far the strongest rival leads the clustering that V works for, in inertia on U ∪ V.

    `now` is negative when that clustering wins; `before` is the lead of plain clustering without V.
    """

    now: float
    before: float


def tug_of_war(view: RunView) -> list[Lead | None]:
    """The contest at every step, where a run is a switch between two clusterings and says so.

    Copies of rows that do not tip the contest yet say how far they are from it. A round that works
    for another clustering meanwhile has no lead to set beside these, and gets None.
    """
    contests = [step.contest or step.design for step in view.steps]
    known = [contest.get("lead_before") for contest in contests]
    before = max((value for value in known if value is not None), default=math.nan)
    if not before > 0:
        return [None] * len(view.steps)
    found: list[Lead | None] = []
    for step, contest, own in zip(view.steps, contests, known, strict=True):
        lead = contest.get("lead")
        if step.kind == "vanilla":
            found.append(Lead(before, before))
        elif lead is not None and (own is not None or (step.reached and lead < 0)):
            found.append(Lead(lead, before))
        else:
            found.append(None)
    return found
