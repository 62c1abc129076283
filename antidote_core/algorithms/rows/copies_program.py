"""How many copies of which rows: a linear program with one column per row, solved by sifting.

minimise  copy_cost * sum_i m_i + relief_cost * t + price * (slack)
subject to  lower <= A m - relief t <= upper,  sum_i m_i <= size,  0 <= m_i <= cap,  t >= 0.

A has a handful of dense rows and as many columns as U has people; an optimum has at most as many
fractional copies as there are rows. So the program is solved with the columns that look best, the
others are priced at its dual values, and those with a negative reduced cost join until there are
none. All rows are elastic at a price per copy of the most useful row, so every program has an
answer, and the slack that is left says what cannot be had.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from antidote_core.baselines.assignment.highs import Deadline, Program, solve
from antidote_core.types import Floats, Ints

PRICE = 1e3  # of one unit of slack, in copies
BEST_PER_ROW = 120  # columns to begin with, for every row of the program and each direction
FEW_PER_ROW = 1
MOST_JOINING = 600
MOST_SOLVES = 30
TOLERANCE = 1e-6
KEPT = 400  # columns a program hands on to the next
NEAR_CANDIDATES = 40  # whole numbers may need a few rows that the fractions did not


@dataclass(frozen=True, eq=False)
class Limits:
    """lower <= matrix @ m - relief * t <= upper; matrix (rows, columns), the rest (rows,).

    `strict` rows must hold for whole copies too, the others may give way a little.
    """

    matrix: Floats
    lower: Floats
    upper: Floats
    relief: Floats
    strict: Floats

    def scaled(self) -> Limits:
        """Every row divided by its largest coefficient: a unit is one copy of the best row."""
        scale = np.abs(self.matrix).max(axis=1)
        scale = np.where(scale > 0, scale, 1.0)
        return Limits(
            self.matrix / scale[:, None],
            self.lower / scale,
            self.upper / scale,
            self.relief / scale,
            self.strict,
        )


@dataclass(frozen=True, eq=False)
class Plan:
    """Fractional copies (columns,), prices (rows,) of the limits, and what they prove.

    `short` (rows,) is how far each limit is missed, in copies of its best row; `bound` a proven
    lower bound on the objective; `reduced` (columns,) the reduced costs; `relief` is t.
    """

    copies: Floats
    prices: Floats
    short: Floats
    bound: float
    reduced: Floats
    relief: float

    @property
    def useful(self) -> Ints:
        """The columns that a later, similar program should begin with."""
        return _lowest(self.reduced, KEPT)


def plan_copies(
    limits: Limits,
    cap: float,
    *,
    size: float = np.inf,
    copy_cost: float = 1.0,
    relief_cost: float | None = None,
    begin: Ints | None = None,
) -> Plan:
    """Solve the program for scaled limits; `begin` are columns worth beginning with.

    Without a `relief_cost` there is no t.
    """
    matrix = limits.matrix
    columns = matrix.shape[1]
    working = _first_columns(limits, begin)
    bounded = np.isfinite(size)
    for _ in range(MOST_SOLVES):
        chosen = np.flatnonzero(working)
        program = _restricted(limits, chosen, cap, size, copy_cost, relief_cost)
        optimum = solve(program, Deadline.after(None))
        prices = optimum.row_prices[: len(matrix)]
        of_size = float(optimum.row_prices[-1]) if bounded else 0.0
        reduced = copy_cost - prices @ matrix - of_size
        joining = np.flatnonzero((reduced < -TOLERANCE * max(copy_cost, 1.0)) & ~working)
        if not len(joining):
            break
        most = joining[np.argsort(reduced[joining], kind="stable")[:MOST_JOINING]]
        working[most] = True
    copies = np.zeros(columns)
    copies[chosen] = np.clip(optimum.values[: len(chosen)], 0.0, cap)
    relief = 0.0 if relief_cost is None else float(optimum.values[len(chosen)])
    ends = np.where(prices > 0, limits.lower, limits.upper)
    priced = np.where(np.isfinite(ends), prices, 0.0)  # a limit that is not there has no price
    ends = np.where(priced != 0, ends, 0.0)
    left = copy_cost - priced @ matrix - of_size
    bound = float(priced @ ends) + cap * float(np.minimum(left, 0.0).sum())
    if bounded:
        bound += of_size * size
    short = _short(limits, matrix @ copies - limits.relief * relief)
    return Plan(copies, prices, short, bound, reduced, relief)


def between(limits: Limits, plan: Plan, copies: Floats, part: float) -> Plan:
    """The plan that goes this part of the way from `copies` (columns,) to another plan."""
    mixed = copies + part * (plan.copies - copies)
    relief = part * plan.relief
    short = _short(limits, limits.matrix @ mixed - limits.relief * relief)
    return replace(plan, copies=mixed, short=short, relief=relief)


def _short(limits: Limits, values: Floats) -> Floats:
    """How far values (rows, ...) miss their limits."""
    shape = (-1, *[1] * (values.ndim - 1))
    below = limits.lower.reshape(shape) - values
    above = values - limits.upper.reshape(shape)
    return np.maximum(np.maximum(below, above), 0.0)


def _lowest(values: Floats, count: int) -> Ints:
    """Where the `count` lowest values (n,) stand, in no order."""
    return np.argpartition(values, count)[:count] if count < len(values) else np.arange(len(values))


def _first_columns(limits: Limits, begin: Ints | None) -> np.ndarray:
    """The columns with the largest coefficients of every row, either sign; more for strict rows."""
    columns = limits.matrix.shape[1]
    working = np.zeros(columns, dtype=bool)
    if begin is not None:
        working[begin] = True
    for row, strict in zip(limits.matrix, limits.strict, strict=True):
        wanted = BEST_PER_ROW if strict and begin is None else FEW_PER_ROW
        count = min(columns, wanted)
        working[np.argpartition(row, columns - count)[columns - count :]] = True
        working[np.argpartition(row, count - 1)[:count]] = True
    return working


def _restricted(
    limits: Limits,
    chosen: Ints,
    cap: float,
    size: float,
    copy_cost: float,
    relief_cost: float | None,
) -> Program:
    """Columns: the chosen rows of U, t where there is one, slack below and above every limit."""
    rows = len(limits.lower)
    blocks = [limits.matrix[:, chosen]]
    cost = [np.full(len(chosen), copy_cost)]
    upper = [np.full(len(chosen), cap)]
    if relief_cost is not None:
        blocks.append(-limits.relief[:, None])
        cost.append(np.array([relief_cost]))
        upper.append(np.array([np.inf]))
    below = np.flatnonzero(np.isfinite(limits.lower))
    above = np.flatnonzero(np.isfinite(limits.upper))
    slack = np.zeros((rows, len(below) + len(above)))
    slack[below, np.arange(len(below))] = 1.0
    slack[above, len(below) + np.arange(len(above))] = -1.0
    blocks.append(slack)
    cost.append(np.full(slack.shape[1], PRICE))
    upper.append(np.full(slack.shape[1], np.inf))
    matrix = np.hstack(blocks)
    row_lower, row_upper = limits.lower, limits.upper
    if np.isfinite(size):
        counted = np.zeros(matrix.shape[1])
        counted[: len(chosen)] = 1.0
        matrix = np.vstack([matrix, counted])
        row_lower, row_upper = np.append(row_lower, -np.inf), np.append(row_upper, size)
    columns = matrix.shape[1]
    return Program(
        np.concatenate(cost),
        np.zeros(columns),
        np.concatenate(upper),
        sparse.csc_array(matrix),
        row_lower,
        row_upper,
    )


def whole_copies(limits: Limits, plan: Plan, cap: int, size: float = np.inf) -> Ints:
    """Whole copies (columns,) near the plan that meet the strict limits as well as it does.

    From the whole parts upwards, each time by the row that mends most; then whatever turns out not
    to be needed goes.
    """
    copies = np.floor(plan.copies + TOLERANCE).astype(np.int64)
    broken = np.flatnonzero(plan.copies - copies > TOLERANCE)
    near = _lowest(np.abs(plan.reduced), NEAR_CANDIDATES)
    candidates = np.union1d(broken, near)
    strict = limits.strict > 0
    part = Limits(
        limits.matrix[strict], limits.lower[strict], limits.upper[strict], limits.relief[strict],
        limits.strict[strict],
    )  # fmt: skip
    offset = part.relief * plan.relief
    values = part.matrix @ copies - offset
    allowed = plan.short[strict] + TOLERANCE
    effect = part.matrix[:, candidates]
    for _ in range(4 * len(candidates)):
        missing = np.maximum(_short(part, values) - allowed, 0.0).sum()
        room = copies[candidates] < cap
        if missing <= 0 or not room.any() or copies.sum() + 1 > size:
            break
        after = np.maximum(_short(part, values[:, None] + effect) - allowed[:, None], 0.0)
        totals = np.where(room, after.sum(axis=0), np.inf)
        best = int(totals.argmin())
        if totals[best] >= missing:
            break
        copies[candidates[best]] += 1
        values = values + effect[:, best]
    for column in candidates[copies[candidates] > 0]:
        without = values - part.matrix[:, column]
        if (_short(part, without) <= np.maximum(_short(part, values), allowed)).all():
            copies[column] -= 1
            values = without
    return copies
