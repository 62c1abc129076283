"""The limits of one pass, linear in the copies m_i of the rows.

With B the centres aimed at and u the shift of the centres that `response` foretells:

    rival C:    sum_i m_i (d_C(x_i)^2 - d_B(x_i)^2) >= I(U; B) - I(U; C) + margin
    trust:      |u| <= radius, for every centre and feature
    fairness:   the rows of `fair_shifts` in u
    guard:      the tangent of I(U; B + u) <= most

B stands in for the centres that k-means will find, whose inertia is lower still, so a cut that
holds for B holds for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.cluster_sums import Cells
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.copies_program import Limits
from antidote_core.algorithms.rows.fair_shifts import FairShifts
from antidote_core.algorithms.rows.guarded_contest import GuardedContest
from antidote_core.algorithms.rows.response import Response
from antidote_core.types import Floats, Ints

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
    """Builds the limits for one contest and the rows (m,) of U that may be copied."""

    contest: GuardedContest
    shifts: FairShifts
    rows: Ints

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
    ) -> Limits:
        """The limits at these cells; `wanted` is the t of the target, if there is one.

        `held` (k,) copies per cell in the last pass, `margin` a factor for what rivals lose by,
        `errors` standard errors of the shares to be kept from the target, `draws` (k,) how much
        likelier than on U alone a random start should be drawn from each cell; what is convex has a
        tangent at every place `visited` as well.
        """
        points = self.contest.problem.points
        squares = self.contest.squares(cells.centers)
        response = Response.at(cells, points, held)
        effect = response.of_copies(points[self.rows], cells.labels[self.rows])
        begun = response.of_none()
        blocks = [
            self._rivals(cells, cuts, squares, margin),
            _Block(effect, -radius - begun, radius - begun, strict=0.0),
        ]
        if draws is not None and (draws > 1.0).any():
            blocks.append(self._draws(cells, draws))
        for place in (cells, *visited):
            beyond = begun - (place.centers - cells.centers).ravel()
            if place is cells or self.shifts.convex:
                blocks.append(self._fairness(place, wanted, effect, beyond, errors))
            if math.isfinite(self.contest.most):
                blocks.append(self._guard(place, effect, beyond))
        return Limits(
            np.vstack([block.rows for block in blocks]),
            np.concatenate([block.lower for block in blocks]),
            np.concatenate([block.upper for block in blocks]),
            np.concatenate([np.full(len(block.rows), block.relief) for block in blocks]),
            np.concatenate([np.full(len(block.rows), block.strict) for block in blocks]),
        )

    def foretold(self, limits: Limits, cuts: int, copies: Ints, radius: float) -> Floats:
        """The shift (k * d,) that these copies should bring, read off the trust rows."""
        trust = slice(cuts, cuts + self.contest.evaluator.k * self.contest.problem.points.shape[1])
        begun = radius - limits.upper[trust]
        shift: Floats = limits.matrix[trust] @ copies + begun
        return shift

    def _rivals(self, cells: Cells, cuts: Sequence[Cut], squares: Floats, margin: float) -> _Block:
        rows, ends = np.empty((len(cuts), len(self.rows))), np.empty(len(cuts))
        for r, cut in enumerate(cuts):
            theirs, _ = self.contest.cut_squares(cut)
            need = self.contest.need(cut.centers, theirs, cells.centers, squares)
            rows[r] = theirs[self.rows] - squares[self.rows]
            ends[r] = squares.sum() - cut.inertia + margin * need
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
            ends.append((draws[c] - 1.0) * mass.sum())
        return _Block(np.array(rows), np.array(ends), np.full(len(ends), np.inf))

    def _guard(self, cells: Cells, effect: Floats, begun: Floats) -> _Block:
        inertia = cells.inertia + float((cells.sizes[:, None] * cells.shifts**2).sum())
        slope = (2.0 * cells.sizes[:, None] * cells.shifts).ravel()
        end = np.array([self.contest.most - inertia - slope @ begun])
        return _Block((slope @ effect)[None, :], np.array([-np.inf]), end)
