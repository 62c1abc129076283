"""From a fractional fair assignment to a whole one, with every mass kept to the next whole numbers.

Iterative rounding: at a vertex of the program that keeps all cluster sizes and all (cluster, group)
counts between their floors and ceilings, settle the points that are undivided and, when none is
left to settle, drop a row that few divided points still touch. With one attribute the program is a
flow, its vertices are whole, and nothing is dropped: sizes and counts move by less than one each,
so a bound is missed by less than 2 points. With several attributes a bound is missed by at most
4 * attributes + 3 points (Bera et al. 2019). The cost never exceeds the fractional one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from antidote_core.baselines.highs import Deadline, Program, solve
from antidote_core.baselines.sifting import Sifted
from antidote_core.errors import SolverError
from antidote_core.types import Floats, Ints

WHOLE = 1e-6


def round_assignment(
    fractional: Sifted,
    costs: Floats,
    types: Ints,
    members: NDArray[np.bool_],
    attributes: int,
    deadline: Deadline,
) -> Ints:
    """Labels (n,); `members` (types, groups) says which groups a type belongs to."""
    labels = fractional.labels.copy()
    rows, clusters = fractional.rows, fractional.clusters
    k = costs.shape[1]
    # Row c * (groups + 1) counts cluster c; the rows after it count its groups.
    touched = np.hstack([np.ones((len(members), 1), dtype=bool), members])
    width = touched.shape[1]
    totals = np.zeros(k * width)
    for cluster in range(k):
        part = fractional.parts[clusters == cluster]
        kept = touched[types[rows[clusters == cluster]]]
        totals[cluster * width : (cluster + 1) * width] = part @ kept
    nearest = np.rint(totals)
    whole = np.abs(totals - nearest) < WHOLE
    lower = np.where(whole, nearest, np.floor(totals))
    upper = np.where(whole, nearest, np.ceil(totals))
    active = np.ones(len(totals), dtype=bool)

    while len(rows):
        point, index = np.unique(rows, return_inverse=True)
        counts = _counting_matrix(touched[types[rows]], clusters, k)
        keep = np.flatnonzero(active)
        matrix = sparse.vstack(
            [
                sparse.csc_array((np.ones(len(rows)), (index, np.arange(len(rows))))),
                counts[keep],
            ],
            format="csc",
        )
        ones = np.ones(len(point))
        optimum = solve(
            Program(
                cost=costs[rows, clusters],
                lower=np.zeros(len(rows)),
                upper=np.ones(len(rows)),
                matrix=matrix,
                row_lower=np.concatenate([ones, lower[keep]]),
                row_upper=np.concatenate([ones, upper[keep]]),
            ),
            deadline,
        )
        settled = optimum.values > 1 - WHOLE
        labels[rows[settled]] = clusters[settled]
        used = counts @ settled.astype(np.float64)
        lower, upper = lower - used, upper - used
        left = (optimum.values > WHOLE) & (labels[rows] < 0)
        support = counts[:, left].sum(axis=1) if left.any() else np.zeros(len(totals))
        rows, clusters = rows[left], clusters[left]
        if len(rows) and not settled.any():
            droppable = np.flatnonzero(active & (support <= 2 * (attributes + 1)))
            if not len(droppable):
                raise SolverError(
                    "The rounding of the fair assignment found no row to drop: "
                    "the solver did not return a vertex."
                )
            active[droppable[np.argmin(support[droppable])]] = False
    return labels


def _counting_matrix(kept: NDArray[np.bool_], clusters: Ints, k: int) -> sparse.csr_array:
    """Which (cluster, group) counts each column takes part in, (k * width, columns)."""
    width = kept.shape[1]
    column, offset = np.nonzero(kept)
    return sparse.csr_array(
        (np.ones(len(column)), (clusters[column] * width + offset, column)),
        shape=(k * width, len(kept)),
    )
