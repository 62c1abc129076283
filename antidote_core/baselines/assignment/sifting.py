"""Fair assignment as a linear program over n * k columns, solved with a few thousand of them.

A point's type is its combination of protected attributes; with one attribute, types are groups.
m[c, t] is the mass of type t in cluster c: how many of its points are there. All constraints of
fair assignment are linear in the masses, and there are only k times types of them, however many
points there are:

minimise sum_ic d_ic x_ic  subject to  sum_c x_ic = 1,  x >= 0,  and rows on the masses
m_ct = sum of x_ic over the points i of type t.

Let p_ct be the price of mass (c, t): the rows' dual values carried back to the masses. Point i then
chooses the cluster with the smallest d_ic + p_ct, so only points that are nearly undecided matter.
The restricted program holds, for every cluster and type, the columns that are cheapest at the
current prices; every other point sits with its best choice and enters as a constant. Its dual
prices are tested on all n * k columns, the violated ones join, and it ends when none is violated.
First prices come from the same program on stratified samples.

The mass rows are elastic at a price per unit, so that every restricted program has a solution; the
price rises until no slack is left, which makes the optimum that of the program without slack.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from antidote_core.baselines.assignment.highs import Deadline, InfeasibleProgram, Program, solve
from antidote_core.errors import SolverError
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class MassRows:
    """lower <= matrix @ m.ravel() <= upper, with `matrix` (rows, k * types)."""

    matrix: sparse.csr_array
    lower: Floats
    upper: Floats


@dataclass(frozen=True, eq=False)
class FairBounds:
    """The share of group j in every cluster must lie in [lower[j], upper[j]].

    `members` (types, groups) says which types belong to which groups; the groups of several
    attributes stand side by side.
    """

    members: NDArray[np.bool_]
    lower: Floats
    upper: Floats

    @classmethod
    def around_shares(cls, members: NDArray[np.bool_], sizes: Ints, delta: float) -> FairBounds:
        """[(1 - delta) r, r / (1 - delta)] around the share r of each group in the whole data."""
        shares = (sizes @ members) / sizes.sum()
        return cls(members, (1 - delta) * shares, np.minimum(shares / (1 - delta), 1.0))

    def rows(self, k: int, allow_empty: bool) -> MassRows:
        """For every cluster and group: m_cj - upper_j n_c <= 0 <= m_cj - lower_j n_c."""
        members = self.members.T.astype(np.float64)
        above = members - self.upper[:, None]
        below = members - self.lower[:, None]
        zeros, free = np.zeros(len(above)), np.full(len(above), np.inf)
        block, lower, upper = [above, below], [-free, zeros], [zeros, free]
        if not allow_empty:
            block.append(np.ones((1, members.shape[1])))
            lower.append(np.ones(1))
            upper.append(np.full(1, np.inf))
        matrix = sparse.kron(sparse.eye_array(k), np.vstack(block), format="csr")
        return MassRows(
            matrix, np.tile(np.concatenate(lower), k), np.tile(np.concatenate(upper), k)
        )

    def violation(self, masses: Floats) -> float:
        """Largest number of points by which masses (k, types) miss a bound; 0 when none is missed.

        Below a billionth of a point it is rounding of the shares and counts as 0.
        """
        counts = masses @ self.members
        totals = masses.sum(axis=1, keepdims=True)
        missed = np.maximum(self.lower * totals - counts, counts - self.upper * totals)
        worst = float(missed.max())
        return worst if worst > 1e-9 else 0.0


def exactly(masses: Floats) -> MassRows:
    """The rows that fix every mass."""
    flat = masses.ravel().astype(np.float64)
    return MassRows(sparse.eye_array(len(flat), format="csr"), flat, flat)


def count_masses(labels: Ints, types: Ints, k: int, kinds: int) -> Floats:
    """Masses (k, kinds) of a whole assignment."""
    flat = np.bincount(labels * kinds + types, minlength=k * kinds)
    return flat.reshape(k, kinds).astype(np.float64)


SAMPLE_SIZES = (2000, 10000)
SAMPLE_PER_TYPE = 50
COLUMNS_PER_CELL = 100
TOLERANCE = 1e-9
LARGEST_SLACK_PRICE = 1e12

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Sifted:
    """An optimal fractional assignment and its proof.

    `value` is its cost, `bound` the dual value, which none can beat, `prices` (k, types) its proof;
    `labels` (n,) holds the cluster of every undivided point and -1 for a divided one, whose parts
    are listed in `rows`, `clusters` and `parts`.
    """

    value: float
    bound: float
    prices: Floats
    labels: Ints
    rows: Ints
    clusters: Ints
    parts: Floats


def sift(
    costs: Floats,
    types: Ints,
    constraints: MassRows,
    deadline: Deadline,
    prices: Floats | None = None,
    seed: int = 0,
) -> Sifted:
    """Optimal assignment for costs (n, k), types (n,) and rows on the masses; see above."""
    n, k = costs.shape
    kinds = constraints.matrix.shape[1] // k
    scale = cost_scale(costs)
    scaled = costs / scale
    start = np.zeros((k, kinds)) if prices is None else prices / scale
    slack_price = 4.0 * max(1.0, float(np.abs(start).max()))
    sizes = np.bincount(types, minlength=kinds)
    rank = _rank_within_type(types, np.random.default_rng(seed))
    for size in SAMPLE_SIZES:
        if 2 * size >= n:
            break
        quota = np.minimum(sizes, np.maximum(SAMPLE_PER_TYPE, np.ceil(size * sizes / n)))
        chosen = np.flatnonzero(rank < quota[types])
        weights = (sizes / quota)[types[chosen]]
        sample = _Restricted(scaled[chosen], types[chosen], weights, constraints, deadline)
        start = sample.run(start, slack_price).prices
        slack_price = 2.0 * max(1.0, float(np.abs(start).max()))
    whole = _Restricted(scaled, types, np.ones(n), constraints, deadline)
    result = whole.run(start, slack_price)
    return replace(
        result,
        value=result.value * scale,
        bound=result.bound * scale,
        prices=result.prices * scale,
    )


def cost_scale(costs: Floats) -> float:
    """What to divide costs by so that the solver's absolute tolerances suit them.

    The average nearest cost, but not when the points all but coincide with their centres.
    """
    return float(max(costs.min(axis=1).mean(), 1e-3 * costs.mean())) or 1.0


class _Restricted:
    """The program over a growing set of columns, for points (n,) that count `weights` times."""

    def __init__(
        self,
        costs: Floats,
        types: Ints,
        weights: Floats,
        constraints: MassRows,
        deadline: Deadline,
    ) -> None:
        self.costs = costs
        self.types = types
        self.weights = weights
        self.constraints = constraints
        self.deadline = deadline
        self.kinds = constraints.matrix.shape[1] // costs.shape[1]
        self.of_type = [np.flatnonzero(types == t) for t in range(self.kinds)]

    def run(self, prices: Floats, slack_price: float) -> Sifted:
        """Solve, price all columns, add the violated ones, until none is violated."""
        values = self.costs + prices[:, self.types].T
        reduced = values - values.min(axis=1, keepdims=True)
        columns = np.zeros(self.costs.shape, dtype=bool)
        columns[np.arange(len(columns)), values.argmin(axis=1)] = True
        columns |= self._cheapest(reduced, ~columns)
        while True:
            result, slack = self._solve(columns, slack_price)
            values = self.costs + result.prices[:, self.types].T
            best = np.where(columns, values, np.inf).min(axis=1)
            reduced = values - best[:, None]
            violated = reduced < -TOLERANCE
            if violated.any():
                columns |= self._cheapest(reduced, violated)
            elif slack > 1e-7 * max(1.0, float(self.weights.sum()) * 1e-3):
                slack_price *= 4
                if slack_price > LARGEST_SLACK_PRICE:
                    raise InfeasibleProgram(
                        "No assignment, not even one that divides points, meets the bounds."
                    )
            else:
                break
        if result.value - result.bound > 1e-7 * max(abs(result.value), TOLERANCE):
            raise SolverError(
                "The assignment program ended with a gap between its cost and the proven bound "
                f"({result.value - result.bound:.2g} in scaled units). Check the scale of the data."
            )
        return result

    def _cheapest(self, reduced: Floats, candidates: Mask) -> Mask:
        """For every cluster and type, the candidates with the smallest reduced costs."""
        chosen = np.zeros_like(candidates)
        for rows in self.of_type:
            for cluster in range(candidates.shape[1]):
                cell = rows[candidates[rows, cluster]]
                if len(cell) > COLUMNS_PER_CELL:
                    nearest = np.argpartition(reduced[cell, cluster], COLUMNS_PER_CELL)
                    cell = cell[nearest[:COLUMNS_PER_CELL]]
                chosen[cell, cluster] = True
        return chosen

    def _solve(self, columns: Mask, slack_price: float) -> tuple[Sifted, float]:
        """Columns: x of free points, masses, slack up and down; rows: points, masses, bounds."""
        k, kinds = self.costs.shape[1], self.kinds
        cells = k * kinds
        limits = self.constraints.matrix.tocoo()
        bounds = limits.shape[0]

        free = columns.sum(axis=1) > 1
        labels = np.where(free, -1, columns.argmax(axis=1))
        settled = np.flatnonzero(~free)
        at = labels[settled]
        settled_cost = float(self.weights[settled] @ self.costs[settled, at])
        settled_mass = np.bincount(
            at * kinds + self.types[settled], weights=self.weights[settled], minlength=cells
        )
        undecided = np.flatnonzero(free)
        point, cluster = np.nonzero(columns[undecided])
        row = undecided[point]
        weight = self.weights[row]
        shares, points = len(row), len(undecided)

        share, cell, bound = np.arange(shares), np.arange(cells), np.arange(bounds)
        cell_row, bound_row = points + cell, points + cells + bound
        entries = [
            (point, share, np.ones(shares)),  # sum_c x_ic = 1
            (cell_row[cluster * kinds + self.types[row]], share, -weight),  # m = settled + sum w x
            (cell_row, shares + cell, np.ones(cells)),
            (bound_row[limits.coords[0]], shares + limits.coords[1], limits.data),
            (bound_row, shares + cells + bound, np.ones(bounds)),
            (bound_row, shares + cells + bounds + bound, -np.ones(bounds)),
        ]
        rows, cols, data = (np.concatenate(part) for part in zip(*entries, strict=True))
        width = shares + cells + 2 * bounds
        lower = np.zeros(width)
        lower[shares : shares + cells] = -np.inf
        ones = np.ones(points)
        optimum = solve(
            Program(
                cost=np.concatenate(
                    [
                        weight * self.costs[row, cluster],
                        np.zeros(cells),
                        np.full(2 * bounds, slack_price),
                    ]
                ),
                lower=lower,
                upper=np.full(width, np.inf),
                matrix=sparse.csc_array((data, (rows, cols)), (points + cells + bounds, width)),
                row_lower=np.concatenate([ones, settled_mass, self.constraints.lower]),
                row_upper=np.concatenate([ones, settled_mass, self.constraints.upper]),
            ),
            self.deadline,
        )
        duals = optimum.row_prices[points + cells :]
        # A dual signed for a side that has no bound is rounding; without it the bound is proven.
        side = np.where(duals > 0, self.constraints.lower, self.constraints.upper)
        duals = np.where(np.isfinite(side), duals, 0.0)
        prices = -(duals @ self.constraints.matrix).reshape(k, kinds)
        cheapest = (self.costs + prices[:, self.types].T).min(axis=1)
        lower_bound = float(
            self.weights @ cheapest + duals @ np.where(np.isfinite(side), side, 0.0)
        )

        parts = np.clip(optimum.values[:shares], 0.0, 1.0)
        undivided = parts > 1 - 1e-7
        labels[row[undivided]] = cluster[undivided]
        divided = (parts > 1e-7) & (labels[row] < 0)
        result = Sifted(
            settled_cost + optimum.objective,
            lower_bound,
            prices,
            labels,
            row[divided],
            cluster[divided],
            parts[divided],
        )
        return result, float(optimum.values[shares + cells :].sum())


def _rank_within_type(types: Ints, rng: np.random.Generator) -> Ints:
    """Random rank of each point among the points of its type."""
    order = rng.permutation(len(types))
    rank = np.empty(len(types), dtype=np.int64)
    rank[order] = pd.Series(order).groupby(types[order]).cumcount()
    return rank
