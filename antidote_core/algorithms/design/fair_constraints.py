"""What a fair clustering asks of the centres, as convex constraints of the design program.

Social cost is convex in the centres at fixed labels: group j pays
within_j + sum_c A_cj |M_c - mu_cj|^2, with mu_cj and A_cj the mean and the share of group j in
cluster c. Balance counts heads and is not; the log ratios l_cj = log(share of group j in cluster c
/ share of group j in U) are replaced by their tangents, with the flow of points over a boundary
estimated from the points next to it, and the step is kept inside a trust region. The balance cost
is -exp(-max |l_cj|).

How few points could do it? A lower bound on |V| for a social target, by a relaxation.

With everybody's cluster kept, V acts by the shares p_c = m_c / (n_c + m_c) and the shifts u_c only,
however its points are scattered: their mean lies in the box too. Without the rivals, and whether V
stays in its cells, what remains is convex:

    minimise    sum_c m_c
    subject to  F(x + u) <= target,
                p_c (lower - x_c) <= u_c <= p_c (upper - x_c),
                (n_c + m_c) (1 - p_c) >= n_c.

The bound is the value of its dual, so the solver's rounding cannot raise it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.conic import ConeProgram
from antidote_core.geometry import nearest_center, separation
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Cells:
    """U with every point at its nearest centre.

    `centers` (k, d); `labels` (n,); `counts` (k, g) and `sums` (k, g, d) per cluster and group;
    `sizes` (k,) and `means` (k, d) per cluster; `inertia` of U around those means.
    """

    centers: Floats
    labels: Ints
    counts: Floats
    sums: Floats
    sizes: Floats
    means: Floats
    inertia: float

    @property
    def shifts(self) -> Floats:
        """How far V holds each centre away from the mean of its points of U, (k, d)."""
        return self.centers - self.means

    @property
    def scale(self) -> float:
        """Smallest distance between two centres."""
        return separation(self.centers)


def cells_at(
    centers: Floats, points: Floats, groups: Ints, weights: Floats | None = None
) -> Cells | None:
    """The cells of centres (k, d); None when one of them holds no point of U.

    Where the points have weights (n,), sizes, sums and inertia go by weight.
    """
    k, d = centers.shape
    g = int(groups.max()) + 1
    labels, _ = nearest_center(points, centers)
    cell = labels * g + groups
    counts = np.bincount(cell, weights, minlength=k * g).reshape(k, g).astype(np.float64)
    sizes = counts.sum(axis=1)
    if not sizes.all():
        return None
    sums = np.empty((k * g, d))
    for a in range(d):
        column = points[:, a] if weights is None else points[:, a] * weights
        sums[:, a] = np.bincount(cell, weights=column, minlength=k * g)
    sums = sums.reshape(k, g, d)
    means = sums.sum(axis=1) / sizes[:, None]
    if weights is None:
        squares = np.einsum("ij,ij->", points, points)
    else:
        squares = np.einsum("ij,ij,i->", points, points, weights)
    inertia = float(squares - (sizes * (means**2).sum(axis=1)).sum())
    return Cells(centers, labels, counts, sums, sizes, means, inertia)


NEAR_SHARE = 0.02  # share of a group that counts as next to the boundary
NEAR_POINTS = 40  # and the least number of its points
HALF_A_POINT = 0.5  # stands for an empty cell, whose logarithm is infinite


class SocialModel:
    """F_social <= t * unit, exact at the labels of the pass: the first step may be of any length.

    Costs within `close` of each other are one cost as far as independent runs can tell.
    """

    convex = True

    def __init__(self, points: Floats, groups: Ints, vanilla_cost: float) -> None:
        self._members = np.bincount(groups).astype(np.float64)
        self._squares = np.bincount(groups, weights=np.einsum("ij,ij->i", points, points))
        self.unit = vanilla_cost if vanilla_cost > 0 else 1.0
        self.close = 1e-3 * self.unit

    def cost(self, t: float) -> float:
        """The cost that the program's t stands for."""
        return t * self.unit

    def constrain(
        self, program: ConeProgram, cells: Cells, shift: Callable[[int], slice], t: int
    ) -> None:
        """One cone per group; `shift(c)` are the variables M_c - (mean of cluster c)."""
        k, d = cells.means.shape
        counts = cells.counts
        group_means = cells.sums / np.maximum(counts, 1.0)[:, :, None]
        spread = (counts * (group_means**2).sum(axis=2)).sum(axis=0)
        present = np.flatnonzero(self._members > 0)
        bound = np.zeros(program.variables)
        bound[t] = 1.0
        for j in present:
            rows = np.zeros((k * d, program.variables))
            offsets = np.zeros(k * d)
            for c in range(k):
                weight = math.sqrt(counts[c, j] / self._members[j] / self.unit)
                block = slice(c * d, (c + 1) * d)
                rows[block, shift(c)] = weight * np.eye(d)
                offsets[block] = weight * (cells.means[c] - group_means[c, j])
            within = (self._squares[j] - spread[j]) / self._members[j]
            program.square_at_most(rows, offsets, bound, -within / self.unit)


class BalanceModel:
    """max |l_cj| <= t, linear in the centres around those of the last pass."""

    convex = False
    unit = 1.0
    close = 1e-2

    def __init__(self, points: Floats, groups: Ints, weights: Floats | None = None) -> None:
        self._points, self._groups, self._weights = points, groups, weights
        self._members = np.bincount(groups, weights).astype(np.float64)
        self._squares = np.einsum("ij,ij->i", points, points)

    def cost(self, t: float) -> float:
        """The cost that the program's t stands for."""
        return -math.exp(-max(t, 0.0))

    def constrain(
        self, program: ConeProgram, cells: Cells, shift: Callable[[int], slice], t: int
    ) -> None:
        """Two rows per cluster and group."""
        present = np.flatnonzero(self._members > 0)
        counts = np.maximum(cells.counts[:, present], HALF_A_POINT)
        totals = counts.sum(axis=1)
        shares = self._members[present] / self._members.sum()
        logs = np.log(counts) - np.log(totals)[:, None] - np.log(shares)
        flow = self._flow(cells.centers)[:, present]
        slopes = flow / counts[:, :, None, None]
        slopes -= (flow.sum(axis=1) / totals[:, None, None])[:, None]
        k, g = counts.shape
        rows = np.zeros((k * g, program.variables))
        for e in range(k):
            rows[:, shift(e)] = slopes[:, :, e].reshape(k * g, -1)
        base = (logs - np.einsum("cjea,ea->cj", slopes, cells.shifts)).ravel()
        up, down = rows.copy(), -rows
        up[:, t] = down[:, t] = -1.0
        program.at_most(np.vstack([up, down]), np.concatenate([-base, base]))

    def _flow(self, centers: Floats) -> Floats:
        """d (number of points of group j in cluster c) / d M_e, as (k, g, k, d).

        A point x of cluster c next to cluster e has the margin s = |x - M_e|^2 - |x - M_c|^2 >= 0,
        with ds/dM_c = 2 (x - M_c) and ds/dM_e = -2 (x - M_e); it crosses when s passes 0. The
        density of s at 0 is that of the group's nearest margins.
        """
        points, groups = self._points, self._groups
        k, d = centers.shape
        squared = (
            self._squares[:, None] - 2.0 * points @ centers.T + (centers**2).sum(axis=1)[None, :]
        )
        nearest = np.argpartition(squared, 1, axis=1)[:, :2]
        rows = np.arange(len(points))[:, None]
        order = np.argsort(squared[rows, nearest], axis=1)
        nearest = nearest[rows, order]
        margins = squared[rows[:, 0], nearest[:, 1]] - squared[rows[:, 0], nearest[:, 0]]
        flow = np.zeros((k, len(self._members), k, d))
        for j in range(len(self._members)):
            members = np.flatnonzero(groups == j)
            if not len(members):
                continue
            own = None if self._weights is None else self._weights[members]
            width = nearest_margin(margins[members], NEAR_SHARE, NEAR_POINTS, own)
            if width <= 0.0:
                continue  # a clump of equal points on the boundary has no density
            near = members[margins[members] <= width]
            for c in range(k):
                for e in range(k):
                    crossing = near[(nearest[near, 0] == c) & (nearest[near, 1] == e)]
                    if e == c or not len(crossing):
                        continue
                    weight = None if self._weights is None else self._weights[crossing]
                    inward = _total(points[crossing] - centers[c], weight) / width
                    outward = _total(points[crossing] - centers[e], weight) / width
                    flow[c, j, c] += inward
                    flow[c, j, e] -= outward
                    flow[e, j, c] -= inward
                    flow[e, j, e] += outward
        return flow


def _total(rows: Floats, weights: Floats | None) -> Floats:
    """The sum (d,) of rows (m, d), each as often as it weighs."""
    return np.asarray(rows.sum(axis=0) if weights is None else weights @ rows)


def nearest_margin(margins: Floats, share: float, least: int, weights: Floats | None) -> float:
    """The margin that a share of the people are below, and not fewer than `least` of them.

    >>> nearest_margin(np.array([3.0, 1.0, 2.0]), 0.1, 2, None)
    2.0
    >>> nearest_margin(np.array([3.0, 1.0, 2.0]), 0.1, 2, np.array([1.0, 2.0, 1.0]))
    1.0
    """
    if weights is None:
        wanted = min(len(margins), max(int(share * len(margins)), least))
        return float(np.partition(margins, wanted - 1)[wanted - 1])
    order = np.argsort(margins, kind="stable")
    below = np.cumsum(weights[order])
    wanted = min(below[-1], max(int(share * below[-1]), least))
    return float(margins[order[np.searchsorted(below, wanted * (1.0 - 1e-12))]])


FairnessModel = SocialModel | BalanceModel


ROUNDING = 1e-6  # relative; a bound that close below a whole number does not count as above it


def fewest_points(
    cells: Cells, model: SocialModel, box: tuple[Floats, Floats], target: float
) -> int | None:
    """No V of fewer points, anywhere in the box, gives these cells the target; None: not known.

    0 where the cells meet the target as they are.
    """
    lower, upper = box
    k, d = cells.means.shape
    shares, points = k * d, k * d + k
    t = points + k
    program = ConeProgram(t + 1)
    unit = float(cells.sizes.sum())

    def shift(c: int) -> slice:
        return slice(c * d, (c + 1) * d)

    for c in range(k):
        inside = np.zeros((2 * d, program.variables))
        inside[:d, shift(c)], inside[:d, shares + c] = np.eye(d), cells.means[c] - upper
        inside[d:, shift(c)], inside[d:, shares + c] = -np.eye(d), lower - cells.means[c]
        program.at_most(inside, np.zeros(2 * d))
        # With n and m as parts of U: |(2 sqrt(n), (n + m) - (1 - p))| <= (n + m) + (1 - p).
        part = float(cells.sizes[c]) / unit
        cone = np.zeros((3, program.variables))
        cone[0, points + c], cone[0, shares + c] = 1.0, -1.0
        cone[2, points + c], cone[2, shares + c] = 1.0, 1.0
        offsets = [part + 1.0, 2.0 * math.sqrt(part), part - 1.0]
        program.norm_at_most(cone, offsets)
    limits = np.zeros((k + 1, program.variables))
    limits[:k, shares : shares + k] = -np.eye(k)
    limits[k, t] = 1.0
    program.at_most(limits, np.append(np.zeros(k), target / model.unit))
    model.constrain(program, cells, shift, t)
    cost = np.zeros(program.variables)
    cost[points : points + k] = 1.0
    answer = program.minimise(cost)
    if answer is None:
        return None
    return max(0, math.ceil(answer.bound * unit * (1.0 - ROUNDING) - ROUNDING))
