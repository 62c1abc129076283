"""Fair k-means by flows, for many points: the framework of Mantuano, Kammermann and Baumann (2026).

Lloyd's two steps, with a fair assignment in place of the nearest centre: points go to centres at
the least squared distance such that the share of every group in every cluster lies between
(1 - delta) r and r / (1 - delta), centres go to the means of what was assigned, and so on. Both
steps are exact for assignments that may divide points, so the cost never rises. At the end divided
points are made whole by a flow, which misses a bound by less than 2 points, or exactly.

The program of the assignment is solved with the few thousand columns that matter (`sifting`), which
takes the place of the published method's batches.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from antidote_core.baselines.assignment.highs import Deadline, InfeasibleProgram
from antidote_core.baselines.assignment.sifting import FairBounds, Sifted, count_masses, sift
from antidote_core.baselines.assignment.whole_assignment import assign_exactly, round_assignment
from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_delta,
    check_instance,
    cluster_means,
    four_scores,
    plain_kmeans,
    squared_distances,
)
from antidote_core.errors import SpecError
from antidote_core.types import Floats, Ints

MAX_ROUNDS = 100
SETTLED = 1e-5


@dataclass(frozen=True, eq=False, kw_only=True)
class FairKMeansResult(BaselineResult):
    """`cost`: sum of squared distances to the centres; `objectives`: the divided cost by round.

    `violation` is the largest number of points by which a cluster misses a bound.
    """

    violation: float
    objectives: tuple[float, ...]


def fair_kmeans(
    points: Floats,
    groups: Ints,
    k: int,
    delta: float = 0.2,
    exact: bool = False,
    seed: int = 0,
    *,
    time_limit: float | None = 120.0,
) -> FairKMeansResult:
    """Fair assignment and means in turn, on points (n, d) from the centres of plain k-means.

    Every cluster holds somebody. `exact` leaves no violation. `time_limit` is in seconds.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = fair_kmeans(points, np.array([0, 0, 1, 1, 1, 0]), k=2, delta=0.0)
    >>> fair.balance_own, sorted(fair.centers.ravel().round(3).tolist()), round(fair.cost, 3)
    (-1.0, [2.5, 8.5], 29.5)
    """
    started = time.perf_counter()
    deadline = Deadline.after(time_limit)
    points, groups, g = check_instance(points, groups, k)
    delta = check_delta(delta)
    members = np.eye(g, dtype=bool)
    bounds = FairBounds.around_shares(members, np.bincount(groups), delta)
    constraints = bounds.rows(k, allow_empty=False)
    centers = plain_kmeans(points, k, seed)[1]
    objectives: list[float] = []
    prices = None
    while True:
        costs = squared_distances(points, centers)
        divided = sift(costs, groups, constraints, deadline, prices, seed)
        objectives.append(divided.value)
        if len(objectives) > 1:
            saved = objectives[-2] - divided.value
            if saved <= SETTLED * objectives[-2] or len(objectives) == MAX_ROUNDS:
                break
        prices, centers = divided.prices, _means(points, divided, k)
    notes = []
    if exact:
        try:
            whole = assign_exactly(costs, groups, constraints, divided.prices, deadline, seed)
        except InfeasibleProgram:
            raise SpecError(
                f"The bounds are infeasible: no assignment of {len(points)} points to {k} "
                f"non-empty clusters keeps every group within delta={delta:g} of its share. Raise "
                "delta or lower k."
            ) from None
        labels = whole.labels
        if not whole.finished:
            notes.append(
                f"The exact mode stopped after {deadline.limit:g} seconds: the cost of the last "
                f"assignment may be up to {100 * whole.gap:.2g} % above the least."
            )
    else:
        labels = round_assignment(divided, costs, groups, members, 1, deadline)
    violation = bounds.violation(count_masses(labels, groups, k, g))
    centers = cluster_means(points, labels, k, centers)
    if violation:
        notes.append(f"Rounding misses a bound by {violation:.2f} points; exact=True leaves none.")
    return FairKMeansResult(
        name="fair_kmeans",
        labels=labels,
        centers=centers,
        cost=float(((points - centers[labels]) ** 2).sum()),
        certificate_name="largest violation (points)",
        certificate=violation,
        seconds=time.perf_counter() - started,
        notes=(f"{len(objectives)} rounds of assignment and means.", *notes),
        points=points,
        sample_weight=None,
        violation=violation,
        objectives=tuple(objectives),
        **four_scores(labels, centers, points, [groups]),
    )


def _means(points: Floats, divided: Sifted, k: int) -> Floats:
    """Means (k, d) of an assignment that may divide points; no cluster is empty."""
    sums = np.zeros((k, points.shape[1]))
    totals = np.zeros(k)
    for cluster in range(k):
        inside = divided.labels == cluster
        some = divided.clusters == cluster
        parts = divided.parts[some]
        sums[cluster] = points[inside].sum(axis=0) + parts @ points[divided.rows[some]]
        totals[cluster] = inside.sum() + parts.sum()
    return sums / totals[:, None]


FAIR_KMEANS = FairAlgorithm(
    "fair_kmeans",
    "Fair k-means by flow",
    "Lloyd's steps with a fair assignment in place of the nearest centre.",
    Paper("Mantuano, Kammermann and Baumann", 2026),
    fair_kmeans,
    needs_groups=True,
    changes="algorithm",
    serves=("balance", "mean-balance", "pairwise-balance", "bounded", "kl", "variation"),
    options=(
        Option("delta", 0.2, "Shares may lie between 1 - delta and 1 / (1 - delta) of the mix."),
        Option("exact", False, "Whole people without violation in the last assignment."),
    ),
)
