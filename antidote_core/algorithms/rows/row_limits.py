"""The limits of one pass, linear in the copies m_i of the rows.

With B the centres aimed at and u the shift of the centres that `response` foretells:

    rival C:    sum_i m_i (d_C(x_i)^2 - d_B(x_i)^2) >= I(U; B) - I(U; C) + margin
    trust:      |u| <= radius, for every centre and feature
    fairness:   the rows of `fair_shifts` in u
    guard:      the tangent of I(U; B + u) <= most

B stands in for the centres that k-means will find, whose inertia is lower still, so a cut that
holds for B holds for them.

How far the centres move when rows are copied, with the people who change sides counted in.

k-means rests where N_c (M_c - B_c) = sum of w_i (x_i - B_c) over the cell of c at M. Copies change
the sums directly; a centre that moves takes over people at the boundary, which moves it further.
With q the vector that holds x - B_c at c and -(x - B_e) at e for a person x at the boundary of c
and e, and rho the density of such people, the second derivative of the inertia is H = N - J,
J = sum rho q qᵀ, and the shift is u = H⁻¹ y, y_c = sum over the cell at B of w_i (x_i - B_c).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.contest import RowContest
from antidote_core.algorithms.design.fair_constraints import Cells, cells_at, nearest_margin
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.copies_program import Limits
from antidote_core.algorithms.rows.fair_shifts import FairShifts
from antidote_core.types import Floats, Ints

NEAR_SHARE = 0.02  # of all people, taken for those at a boundary
NEAR_PEOPLE = 40
STIFFEST = 0.1  # of N, kept of H: beyond that a tenfold response would be trusted


@dataclass(frozen=True, eq=False)
class Response:
    """H⁻¹ (k * d, k * d) at the centres of the cells."""

    cells: Cells
    inverse: Floats

    @classmethod
    def at(
        cls, cells: Cells, points: Floats, held: Floats, weights: Floats | None = None
    ) -> Response:
        """The response at these cells with `held` (k,) copies in them already.

        `weights` (n,) are those of the points, where they have some.
        """
        k, d = cells.centers.shape
        scale = np.repeat(np.sqrt(cells.sizes + held), d)
        taken = _crossing(cells, points, weights) / np.outer(scale, scale)
        values, vectors = np.linalg.eigh(np.eye(k * d) - taken)
        inverse = (vectors / np.maximum(values, STIFFEST)) @ vectors.T
        return cls(cells, inverse / np.outer(scale, scale))

    def of_copies(self, columns: Floats, labels: Ints) -> Floats:
        """Shift (k * d, m) that one copy of each of the rows (m, d) brings."""
        d = columns.shape[1]
        effect = np.empty((len(self.inverse), len(columns)))
        for c, center in enumerate(self.cells.centers):
            mine = labels == c
            effect[:, mine] = self.inverse[:, c * d : (c + 1) * d] @ (columns[mine] - center).T
        return effect

    def of_none(self) -> Floats:
        """Shift (k * d,) without any copies."""
        return -self.inverse @ (self.cells.sizes[:, None] * self.cells.shifts).ravel()


def _crossing(cells: Cells, points: Floats, weights: Floats | None) -> Floats:
    """J (k * d, k * d) from the people nearest to a boundary."""
    centers = cells.centers
    k, d = centers.shape
    norms = (centers**2).sum(axis=1)
    powers = norms - 2.0 * points @ centers.T  # squared distances but for |x|^2
    rows = np.arange(len(points))
    own = powers[rows, cells.labels]
    powers[rows, cells.labels] = np.inf
    other = powers.argmin(axis=1)
    margins = powers[rows, other] - own
    width = nearest_margin(margins, NEAR_SHARE, NEAR_PEOPLE, weights)
    crossing = np.zeros((k * d, k * d))
    if width <= 0.0:
        return crossing
    near = np.flatnonzero(margins <= width)
    for c in range(k):
        for e in range(k):
            between = near[(cells.labels[near] == c) & (other[near] == e)]
            if e == c or not len(between):
                continue
            reach = np.zeros((len(between), k * d))
            reach[:, c * d : (c + 1) * d] = points[between] - centers[c]
            reach[:, e * d : (e + 1) * d] = centers[e] - points[between]
            many = reach if weights is None else reach * weights[between, None]
            crossing += reach.T @ many / width
    return crossing


def _inertia_of(cells: Cells, centers: Floats) -> float:
    """Inertia of U at centres (k, d) if everybody stays in their cell."""
    return cells.inertia + float((cells.sizes[:, None] * (centers - cells.means) ** 2).sum())


OVERLOOKED = 1e-4  # of a limit, by which a tangent may be off
KEPT_ROOM = 0.5  # of the way from a perfect mix to the target, left by the margin on the shares


@dataclass(frozen=True, eq=False)
class _Block:
    """Some rows of the limits: lower <= rows @ m <= upper."""

    rows: Floats
    lower: Floats
    upper: Floats
    relief: float = 0.0
    strict: float = 1.0


@dataclass(frozen=True, eq=False)
class RowLimits:
    """Builds the limits for one contest and the rows (m,) of U that may be copied.

    With the `shares` (g,) of the groups in U, every group gives its share, give or take a copy.
    """

    contest: RowContest
    shifts: FairShifts
    rows: Ints
    shares: Floats | None = None

    def at(
        self,
        cells: Cells,
        cuts: Sequence[Cut],
        wanted: float | None,
        radius: float,
        held: Floats,
        margin: float,
        errors: float = 0.0,
        draws: Floats | None = None,
        visited: Sequence[Cells] = (),
        part: float = 1.0,
    ) -> Limits:
        """The limits at these cells; `wanted` is the t of the target, if there is one.

        `held` (k,) copies per cell in the last pass, `margin` a factor for what rivals lose by,
        `errors` standard errors of the shares to be kept from the target, `draws` (k,) how much
        likelier than on U alone a random start should be drawn from each cell; what is convex has a
        tangent at every place `visited` as well; `part` of the inertia allowed is used.
        """
        points = self.contest.problem.points
        squares = self.contest.squares(cells.centers)
        response = Response.at(cells, points, held, self.contest.problem.weights)
        effect = response.of_copies(points[self.rows], cells.labels[self.rows])
        begun = response.of_none()
        blocks = [
            self._rivals(cells, cuts, squares, margin),
            _Block(effect, -radius - begun, radius - begun, strict=0.0),
        ]
        if draws is not None and (draws > 1.0).any():
            blocks.append(self._draws(cells, draws))
        if self.shares is not None:
            groups = self.contest.problem.groups[self.rows]
            given = groups == np.arange(len(self.shares))[:, None]
            ones = np.ones(len(self.shares))
            blocks.append(_Block(given - self.shares[:, None], -ones, ones))
        for place in (cells, *visited):
            beyond = begun - (place.centers - cells.centers).ravel()
            if place is cells or self.shifts.convex:
                blocks.append(self._fairness(place, wanted, effect, beyond, errors))
            if math.isfinite(self.contest.problem.guard.most):
                blocks.append(self._guard(place, effect, beyond, part))
        return Limits(
            np.vstack([block.rows for block in blocks]),
            np.concatenate([block.lower for block in blocks]),
            np.concatenate([block.upper for block in blocks]),
            np.concatenate([np.full(len(block.rows), block.relief) for block in blocks]),
            np.concatenate([np.full(len(block.rows), block.strict) for block in blocks]),
        )

    def foretold(self, limits: Limits, cuts: int, copies: Ints | Floats, radius: float) -> Floats:
        """The shift (k * d,) that these copies should bring, read off the trust rows."""
        trust = slice(cuts, cuts + self.contest.evaluator.k * self.contest.problem.points.shape[1])
        begun = radius - limits.upper[trust]
        shift: Floats = limits.matrix[trust] @ copies + begun
        return shift

    def too_loose(self, cells: Cells, shift: Floats, part: float) -> Cells | None:
        """Where this shift (k * d,) leads, if U has more than its `part` of the inertia allowed.

        Inertia is convex and lies above its tangents, so that one at the cells may hide it.
        """
        problem = self.contest.problem
        centers = cells.centers + shift.reshape(cells.centers.shape)
        most = problem.guard.most * (part + OVERLOOKED)
        if _inertia_of(cells, centers) <= most:  # and less still where people may change cells
            return None
        place = cells_at(centers, problem.points, problem.groups, problem.weights)
        return place if place is not None and _inertia_of(place, centers) > most else None

    def _rivals(self, cells: Cells, cuts: Sequence[Cut], squares: Floats, margin: float) -> _Block:
        rows, ends = np.empty((len(cuts), len(self.rows))), np.empty(len(cuts))
        for r, cut in enumerate(cuts):
            theirs = self.contest.cut_squares(cut)
            need = self.contest.need(cut.centers, theirs, cells.centers, squares)
            rows[r] = theirs[self.rows] - squares[self.rows]
            ends[r] = self.contest.total(squares) - cut.inertia + margin * need
        return _Block(rows, ends, np.full(len(cuts), np.inf))

    def _fairness(
        self, cells: Cells, wanted: float | None, effect: Floats, begun: Floats, errors: float
    ) -> _Block:
        fair = self.shifts.at(cells)
        ends = fair.ends - fair.rows @ begun
        if wanted is not None:
            kept = np.minimum(errors * fair.margins, (1.0 - KEPT_ROOM) * wanted)
            ends += wanted - kept
        return _Block(fair.rows @ effect, np.full(len(ends), -np.inf), ends, relief=1.0)

    def _draws(self, cells: Cells, draws: Floats) -> _Block:
        """k-means++ draws a start from a cell by its squared distances to the other centres."""
        rows, ends = [], []
        labels = cells.labels[self.rows]
        for c in np.flatnonzero(draws > 1.0):
            mass = np.where(
                cells.labels == c, self.contest.squares(np.delete(cells.centers, c, axis=0)), 0.0
            )
            rows.append(np.where(labels == c, mass[self.rows], 0.0))
            ends.append((draws[c] - 1.0) * self.contest.total(mass))
        return _Block(np.array(rows), np.array(ends), np.full(len(ends), np.inf))

    def _guard(self, cells: Cells, effect: Floats, begun: Floats, part: float) -> _Block:
        inertia = _inertia_of(cells, cells.centers)
        slope = (2.0 * cells.sizes[:, None] * cells.shifts).ravel()
        end = np.array([part * self.contest.problem.guard.most - inertia - slope @ begun])
        return _Block((slope @ effect)[None, :], np.array([-np.inf]), end)
