"""A given clustering made fair by moving as few people as possible, after Davidson and Ravi (2020).

The share of every group in every cluster must lie between (1 - delta) r and r / (1 - delta), r
being its share in the data. How many people must move depends on the counts alone: going from N_cj
people of group j in cluster c to M_cj takes sum_cj max(0, M_cj - N_cj) moves. A mixed-integer
program over the k * groups counts finds the smallest number. Among all assignments within the
bounds that move no more, the one with the least squared distance to the given centres is then
found as in the exact mode of Bera et al.: a person's type is group and old cluster, so that the
number of moves is linear in the masses of the types.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from antidote_core.baselines.assignment.highs import Deadline, InfeasibleProgram, Program, solve
from antidote_core.baselines.assignment.sifting import FairBounds, MassRows, count_masses, sift
from antidote_core.baselines.assignment.whole_assignment import assign_exactly
from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_delta,
    check_instance,
    check_labels,
    cluster_means,
    four_scores,
    plain_kmeans,
    squared_distances,
)
from antidote_core.errors import SpecError
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class FewestMovesResult(BaselineResult):
    """`moved` people left their cluster, which is `cost` too; no fewer could have."""

    moved: int


def fewest_moves(
    points: Floats,
    groups: Ints,
    k: int,
    delta: float = 0.2,
    labels: Ints | None = None,
    seed: int = 0,
    *,
    time_limit: float | None = 120.0,
) -> FewestMovesResult:
    """Move as few of the points (n, d) as the bounds allow, and among those the nearest.

    `labels` (n,) is the clustering to mend; without it, that of plain k-means. Every cluster keeps
    at least one person, and the centres stay where they were. `time_limit` is in seconds, for the
    solver; if it is over before the nearest choice is proven, the best so far is returned.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = fewest_moves(points, np.array([0, 0, 0, 1, 1, 1]), k=2, delta=0.5)
    >>> fair.moved, points[fair.labels == fair.labels[0], 0].tolist()
    (2, [0.0, 1.0, 7.0])
    """
    started = time.perf_counter()
    deadline = Deadline.after(time_limit)
    points, groups, g = check_instance(points, groups, k)
    delta = check_delta(delta)
    if labels is None:
        before, centers = plain_kmeans(points, k, seed)
    else:
        before = check_labels(labels, k, len(points))
        centers = cluster_means(points, before, k, np.tile(points.mean(axis=0), (k, 1)))
    try:
        fewest = _fewest(count_masses(before, groups, k, g), delta, deadline)
    except InfeasibleProgram:
        raise SpecError(
            f"The bounds are infeasible: no assignment of {len(points)} points to {k} non-empty "
            f"clusters keeps every group within delta={delta:g} of its share. Raise delta or "
            "lower k."
        ) from None
    after, note = before, ""
    if fewest:
        after, note = _nearest_moves(points, groups, centers, before, delta, fewest, deadline, seed)
    moved = int((after != before).sum())
    notes = [
        f"{moved:,} of {len(points):,} people moved; no fewer suffice for shares between "
        f"(1 - delta) and 1 / (1 - delta) times those in the whole data, delta = {delta:g}."
    ]
    return FewestMovesResult(
        name="fewest_moves",
        labels=after,
        centers=centers,
        cost=float(moved),
        certificate_name="people moved beyond the fewest",
        certificate=float(moved - fewest),
        seconds=time.perf_counter() - started,
        notes=(*notes, note) if note else tuple(notes),
        points=points,
        sample_weight=None,
        moved=moved,
        **four_scores(after, centers, points, [groups]),
    )


def _fewest(counts: Floats, delta: float, deadline: Deadline) -> int:
    """The smallest number of moves from counts (k, g) to counts within the bounds."""
    k, g = counts.shape
    sizes = counts.sum(axis=0)
    bounds = FairBounds.around_shares(np.eye(g, dtype=bool), sizes, delta)
    rows = bounds.rows(k, allow_empty=False)
    cells = k * g
    everyone = sparse.hstack([sparse.eye_array(g)] * k)
    # Columns: the counts M, and how many come in: M - arrivals <= N.
    matrix = sparse.block_array(
        [
            [everyone, None],
            [sparse.eye_array(cells), -sparse.eye_array(cells)],
            [rows.matrix, sparse.csr_array((rows.matrix.shape[0], cells))],
        ],
        format="csc",
    )
    optimum = solve(
        Program(
            cost=np.repeat([0.0, 1.0], cells),
            lower=np.zeros(2 * cells),
            upper=np.tile(sizes, 2 * k),
            matrix=matrix,
            row_lower=np.concatenate([sizes, np.full(cells, -np.inf), rows.lower]),
            row_upper=np.concatenate([sizes, counts.ravel(), rows.upper]),
            integer=np.arange(2 * cells) < cells,
        ),
        deadline,
    )
    return round(optimum.objective)


def _nearest_moves(
    points: Floats,
    groups: Ints,
    centers: Floats,
    before: Ints,
    delta: float,
    fewest: int,
    deadline: Deadline,
    seed: int,
) -> tuple[Ints, str]:
    """Labels (n,) with `fewest` moves and the least squared distance, and a note if unproven."""
    k, g = len(centers), int(groups.max()) + 1
    present, types = np.unique(groups * k + before, return_inverse=True)
    group, cluster = np.divmod(present, k)
    members = group[:, None] == np.arange(g)
    bounds = FairBounds.around_shares(members, np.bincount(types), delta)
    rows = bounds.rows(k, allow_empty=False)
    elsewhere = (cluster != np.arange(k)[:, None]).astype(np.float64).reshape(1, -1)
    constraints = MassRows(
        sparse.vstack([rows.matrix, sparse.csr_array(elsewhere)], format="csr"),
        np.append(rows.lower, -np.inf),
        np.append(rows.upper, float(fewest)),
    )
    costs = squared_distances(points, centers)
    fractional = sift(costs, types, constraints, deadline, seed=seed)
    whole = assign_exactly(costs, types, constraints, fractional.prices, deadline, seed)
    if whole.finished:
        return whole.labels, ""
    return whole.labels, (
        f"The search for the nearest choice stopped after {deadline.limit:g} seconds: the squared "
        f"distance may be up to {100 * whole.gap:.2g} % above the least."
    )


FEWEST_MOVES = FairAlgorithm(
    "fewest_moves",
    "Fewest reassignments",
    "Moves as few people of plain k-means as possible until every cluster is near the mix.",
    Paper("Davidson and Ravi", 2020),
    fewest_moves,
    needs_groups=True,
    changes="labels",
    serves=("balance", "mean-balance", "pairwise-balance", "bounded", "kl", "variation"),
    options=(
        Option("delta", 0.2, "Shares may lie between 1 - delta and 1 / (1 - delta) of the mix."),
    ),
)
