"""Fair assignment of whole points: rounded from a fractional one, or the best without violation.

Iterative rounding: at a vertex of the program that keeps all cluster sizes and all (cluster, group)
counts between their floors and ceilings, settle the points that are undivided and, when none is
left to settle, drop a row that few divided points still touch. With one attribute the program is a
flow, its vertices are whole, and nothing is dropped: sizes and counts move by less than one each,
so a bound is missed by less than 2 points. With several attributes a bound is missed by at most
4 * attributes + 3 points (Bera et al. 2019). The cost never exceeds the fractional one.

Without violation: a mixed-integer program with only the masses as integers. Once the masses
m (k, types) are whole numbers, sending the points there at least cost T(m) is a transport problem
with whole solutions. T is convex and splits by type; at any prices p

    T_t(m) >= sum over points i of type t of min_c (d_ic + p_ct)  -  sum_c p_ct m_ct,

with equality for the prices of the transport problem at m. The master program minimises the sum of
these cuts over the whole masses within the bounds; each of its answers is solved as a transport
problem, which gives an assignment and new cuts, until the best assignment meets the master's bound.
With few points the transport problem stands in the master program itself instead of its cuts, which
HiGHS then solves faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from antidote_core.baselines.assignment.highs import Deadline, Program, TimeUp, solve
from antidote_core.baselines.assignment.sifting import MassRows, Sifted, cost_scale, exactly, sift
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


FIRST_CUTS = 60
FEW_COLUMNS = 6000


@dataclass(frozen=True, eq=False)
class WholeAssignment:
    """Labels (n,) within the bounds; no such assignment saves more than `gap` of their cost.

    `finished` says that the gap is within the tolerance: a millionth, or n billionths on fewer than
    1000 points. Otherwise the time allowed was over first.
    """

    labels: Ints
    gap: float
    finished: bool


def assign_exactly(
    costs: Floats,
    types: Ints,
    constraints: MassRows,
    prices: Floats,
    deadline: Deadline,
    seed: int,
) -> WholeAssignment:
    """The cheapest whole assignment within the bounds.

    `prices` (k, types) are those of the fractional optimum. When time is over, the best assignment
    so far is returned; without any, the solver's error is raised.
    """
    n = len(costs)
    tolerance = min(1e-6, 1e-9 * n)
    scale = cost_scale(costs)
    costs, prices = costs / scale, prices / scale
    if costs.size <= FEW_COLUMNS:
        masses = _whole_program(costs, types, constraints, deadline, tolerance)
        answer = _transport(costs, types, masses, prices, deadline, seed)
        return WholeAssignment(answer.labels, tolerance, finished=True)
    master = _Master(costs, types, constraints, deadline)
    rng = np.random.default_rng(seed)
    master.cut(np.zeros_like(prices))
    master.cut(prices)
    # Random prices around the optimum's, near and far, keep the first answers from running wild.
    for _ in range(FIRST_CUTS):
        reach = 10.0 ** rng.uniform(-2.0, 1.5)
        master.cut(prices + reach * rng.standard_normal(prices.shape))
    best, bound = np.inf, -np.inf
    labels = np.zeros(n, dtype=np.int64)
    # Early answers need not be optimal: cuts are still missing, and the bound is proven anyway.
    master_gap = 1e-2
    while True:
        try:
            masses, master_bound = master.solve(master_gap)
            answer = _transport(costs, types, masses, prices, deadline, seed)
        except TimeUp:
            if np.isinf(best):
                raise
            return WholeAssignment(labels, (best - bound) / abs(best), finished=False)
        bound = max(bound, master_bound)
        if answer.value < best:
            best, labels = answer.value, answer.labels
        if best - bound <= tolerance * abs(best):
            return WholeAssignment(labels, tolerance, finished=True)
        master_gap = min(max(0.1 * (best - bound) / abs(best), tolerance / 4), master_gap)
        prices = answer.prices
        master.cut(prices)


def _transport(
    costs: Floats, types: Ints, masses: Floats, prices: Floats, deadline: Deadline, seed: int
) -> Sifted:
    """Cheapest assignment with exactly these whole masses."""
    answer = sift(costs, types, exactly(masses), deadline, prices, seed)
    if len(answer.rows):
        raise SolverError("The transport problem at whole masses ended with divided points.")
    return answer


def _whole_program(
    costs: Floats, types: Ints, constraints: MassRows, deadline: Deadline, gap: float
) -> Floats:
    """Optimal whole masses (k, types) by one program over all n * k columns and the masses."""
    n, k = costs.shape
    sizes = np.bincount(types, minlength=constraints.matrix.shape[1] // k)
    cells, columns = k * len(sizes), n * k
    point, cluster = np.divmod(np.arange(columns), k)
    cell = cluster * len(sizes) + types[point]
    ones = np.ones(columns)
    assigned = sparse.csr_array((ones, (point, np.arange(columns))), shape=(n, columns))
    counted = sparse.csr_array((ones, (cell, np.arange(columns))), shape=(cells, columns))
    matrix = sparse.block_array(
        [[assigned, None], [counted, -sparse.eye_array(cells)], [None, constraints.matrix]],
        format="csc",
    )
    optimum = solve(
        Program(
            cost=np.concatenate([costs.ravel(), np.zeros(cells)]),
            lower=np.zeros(columns + cells),
            upper=np.concatenate([ones, np.tile(sizes.astype(np.float64), k)]),
            matrix=matrix,
            row_lower=np.concatenate([np.ones(n), np.zeros(cells), constraints.lower]),
            row_upper=np.concatenate([np.ones(n), np.zeros(cells), constraints.upper]),
            integer=np.arange(columns + cells) >= columns,
        ),
        deadline,
        gap,
    )
    return np.rint(optimum.values[columns:]).reshape(k, len(sizes))


class _Master:
    """minimise sum_t T_t over whole masses within the bounds, with the cuts known so far."""

    def __init__(
        self, costs: Floats, types: Ints, constraints: MassRows, deadline: Deadline
    ) -> None:
        self.costs = costs
        self.types = types
        self.deadline = deadline
        self.k = costs.shape[1]
        self.sizes = np.bincount(types, minlength=constraints.matrix.shape[1] // self.k)
        kinds = len(self.sizes)
        everyone = sparse.hstack([sparse.eye_array(kinds)] * self.k)  # sum_c m_ct = size_t
        self.matrix = sparse.vstack([everyone, constraints.matrix])
        self.lower = np.concatenate([self.sizes, constraints.lower])
        self.upper = np.concatenate([self.sizes, constraints.upper])
        self.cut_prices: list[Floats] = []
        self.cut_values: list[Floats] = []

    def cut(self, prices: Floats) -> None:
        """Add T_t + prices[:, t] @ m[:, t] >= value_t for every type t."""
        cheapest = (self.costs + prices[:, self.types].T).min(axis=1)
        self.cut_prices.append(prices)
        values = np.bincount(self.types, weights=cheapest, minlength=len(self.sizes))
        self.cut_values.append(values.astype(np.float64))

    def solve(self, gap: float) -> tuple[Floats, float]:
        """Whole masses (k, types) within `gap` of the best for these cuts, and a lower bound."""
        kinds, cells = len(self.sizes), self.k * len(self.sizes)
        by_cut = [
            sparse.hstack([sparse.diags_array(row) for row in prices]) for prices in self.cut_prices
        ]
        cuts = sparse.hstack(
            [sparse.vstack(by_cut), sparse.vstack([sparse.eye_array(kinds)] * len(by_cut))]
        )
        masses = sparse.hstack([self.matrix, sparse.csr_array((self.matrix.shape[0], kinds))])
        values = np.concatenate(self.cut_values)
        optimum = solve(
            Program(
                cost=np.concatenate([np.zeros(cells), np.ones(kinds)]),
                lower=np.zeros(cells + kinds),
                upper=np.concatenate(
                    [np.tile(self.sizes.astype(np.float64), self.k), np.full(kinds, np.inf)]
                ),
                matrix=sparse.vstack([masses, cuts], format="csc"),
                row_lower=np.concatenate([self.lower, values]),
                row_upper=np.concatenate([self.upper, np.full(len(values), np.inf)]),
                integer=np.arange(cells + kinds) < cells,
            ),
            self.deadline,
            gap,
        )
        return np.rint(optimum.values[:cells]).reshape(self.k, kinds), optimum.bound
