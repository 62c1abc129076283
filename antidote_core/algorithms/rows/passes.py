"""Passes from one aim: a program, Lloyd on U ∪ V, the contest, and the aim follows the centres.

With B the centres aimed at, cells by nearest centre, n_c rows and mean x̄_c in cell c, the unknowns
are the copies m_i. The centre of cell c comes to x̄_c + s_c, s_c = sum_{i in c} m_i (x_i - x̄_c) / N_c
with N_c from the last pass, and the limits are linear in m:

    rival C:    sum_i m_i (d_C(x_i)^2 - d_B(x_i)^2) >= I(U; B) - I(U; C) + margin
    trust:      |x̄_c + s_c - B_c| <= radius, for every cell and feature
    fairness:   the tangents of `fair_shifts`
    guard:      the tangent of I(U; x̄ + s) <= most

B stands in for the centres that k-means will find, which have lower inertia still, so a cut that
holds for B holds for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidote_core.algorithms.design.cluster_sums import Cells, apart, cells_at, separation
from antidote_core.algorithms.design.contest import HUNT_BATCH, HUNT_STARTS, Run
from antidote_core.algorithms.design.designer import DesignStep
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.aims import Aim
from antidote_core.algorithms.rows.copies_program import (
    Limits,
    Plan,
    plan_copies,
    whole_copies,
)
from antidote_core.algorithms.rows.fair_shifts import FairShifts
from antidote_core.algorithms.rows.guarded_contest import GuardedContest, Standing
from antidote_core.algorithms.rows.row_design import Reasons, RowDesign, copied
from antidote_core.types import Floats, Ints, jsonable

PASSES = 40
MOST_COPIES = 0.25  # of the rows of U: beyond that V is no small addition
PATIENCE = 4  # passes that bring nothing
WORTH = 0.995  # of the size, for a pass to have brought something
SMALLEST_TRUST = 1e-3
WIDEN, NARROW = 1.3, 0.4
KEPT_ROOM = 0.5  # of the way from cost 0 to the target, left by the margin on the shares
COPY_COST = 1e-5  # where the size is given, copies that do not help are left out
LEAD_PRICE = 20.0
RELIEF_COST = 1e4


@dataclass(frozen=True)
class Goal:
    """A cost to reach with as few copies as possible, or a size to make the best of."""

    target: float | None
    size: float = math.inf

    @property
    def smallest(self) -> bool:
        """Whether the size is what is asked for."""
        return math.isinf(self.size)

    def met(self, cost: float) -> bool:
        """Whether a cost is low enough."""
        return self.target is not None and cost <= self.target


@dataclass(eq=False)
class Found:
    """The best so far, over all aims: one that wins its contests, and the one nearest to it."""

    best: RowDesign | None = None
    centers: Floats | None = None
    nearest: RowDesign | None = None
    nearest_centers: Floats | None = None


@dataclass(frozen=True, eq=False)
class _Pass:
    """One pass: what was aimed at, what was planned, and what came of it."""

    cells: Cells
    cuts: list[Cut]
    plan: Plan
    copies: Ints
    run: Run

    @property
    def size(self) -> int:
        return int(self.copies.sum())


class Passes:
    """Passes for one problem; rivals met once stay in the contest."""

    def __init__(
        self,
        contest: GuardedContest,
        shifts: FairShifts,
        rows: Ints,
        cap: int,
        stopped: Callable[[], bool],
    ) -> None:
        self.contest, self.shifts, self.rows, self.cap = contest, shifts, rows, cap
        self.problem = contest.problem
        self.stopped = stopped
        self._columns = np.ascontiguousarray(self.problem.points[rows])

    def follow(
        self, aim: Aim, goal: Goal, found: Found, passes: int = PASSES, margin: float = 1.0
    ) -> Generator[DesignStep, None, None]:
        """Passes from one aim; what is better than `found` is put there."""
        centers = aim.centers
        scale = separation(centers)
        widest = radius = self.shifts.trust * scale
        room, excess, held = self.shifts.room, math.inf, np.zeros(len(centers))
        merit = math.inf
        begin: Ints | None = None
        stale = 0
        for index in range(passes):
            if self.stopped() or stale >= PATIENCE or radius < SMALLEST_TRUST * scale:
                return
            ceiling = MOST_COPIES * len(self.problem.points)
            if found.best is not None:
                ceiling = min(ceiling, 1.5 * found.best.size)
            step = self._pass(centers, goal, room, radius, held, begin, margin, ceiling)
            if step is None:
                return
            begin = step.plan.useful
            standing, hunted = yield from self._contest(step, goal, found, aim, index)
            better = self._offer(step, standing, aim.name, goal, found, hunted)
            yield self._report("cut" if standing.ahead else "pass", step, standing, aim, index, goal, found)
            moved = apart(step.run.fixpoint.centers, centers)
            new_excess = self._excess(step.run.cost, goal)
            new_merit = self._merit(step, standing)
            if goal.smallest:
                accepted = new_excess <= 0 or new_excess < 0.95 * excess
            else:
                accepted = new_merit < merit - 1e-6
            closer = excess > 0 and new_excess < 0.95 * excess
            progress = better or (closer if goal.smallest else accepted)
            stale = 0 if progress else stale + 1
            if accepted:
                centers, excess, merit = step.run.fixpoint.centers, new_excess, new_merit
                held = self._held(step)
                radius = min(WIDEN * radius, widest) if progress else 0.7 * radius
                room = max(self.shifts.room, 0.8 * room)
            else:
                radius = NARROW * min(radius, max(moved, 1e-9))
                if goal.target is not None and goal.smallest and math.isfinite(step.run.cost):
                    room = min(room + (step.run.cost - goal.target), 10 * self.shifts.room)

    def _excess(self, cost: float, goal: Goal) -> float:
        if goal.target is None or not math.isfinite(cost):
            return math.inf
        return max(0.0, self.shifts.relief(cost) - self.shifts.relief(goal.target))

    def _merit(self, step: _Pass, standing: Standing) -> float:
        if not math.isfinite(step.run.cost):
            return math.inf
        lead = max(0.0, standing.lead / step.run.fixpoint.inertia)
        return self.shifts.relief(step.run.cost) + LEAD_PRICE * lead

    def _held(self, step: _Pass) -> Floats:
        """Copies per cell at the new centres, (k,)."""
        from antidote_core.geometry import nearest_center

        chosen = np.flatnonzero(step.copies)
        labels, _ = nearest_center(self._columns[chosen], step.run.fixpoint.centers)
        return np.bincount(
            labels, weights=step.copies[chosen], minlength=len(step.run.fixpoint.centers)
        )

    def _pass(
        self, centers: Floats, goal: Goal, room: float, radius: float, held: Floats,
        begin: Ints | None, margin: float, ceiling: float,
    ) -> _Pass | None:  # fmt: skip
        """One program and Lloyd's answer to it; None when a cell holds nobody."""
        cells = cells_at(centers, self.problem.points, self.problem.groups)
        if cells is None:
            return None
        enough = goal.target if goal.target is not None else self._cost_at(cells) + self.shifts.close
        cuts = self.contest.rivals_of(centers, enough)
        limits = self._limits(cells, cuts, goal, room, radius, held, margin).scaled()
        if goal.smallest:
            plan = plan_copies(limits, self.cap, size=ceiling, begin=begin)
        else:
            plan = plan_copies(
                limits, self.cap, size=goal.size, copy_cost=COPY_COST, relief_cost=RELIEF_COST,
                begin=begin,
            )  # fmt: skip
        copies = whole_copies(limits, plan, self.cap, goal.size)
        run = self.contest.run(self._antidote(copies), centers)
        return _Pass(cells, cuts, plan, copies, run)

    def _antidote(self, copies: Ints) -> Floats:
        return copied(self._columns, copies)

    def _cost_at(self, cells: Cells) -> float:
        return self.contest.cost(*self.contest.evaluator.at(cells.centers))

    def _limits(
        self, cells: Cells, cuts: list[Cut], goal: Goal, room: float, radius: float, held: Floats,
        margin: float,
    ) -> Limits:  # fmt: skip
        """All limits on the copies of the rows that may be copied."""
        k, d = cells.means.shape
        columns = len(self.rows)
        labels = cells.labels[self.rows]
        totals = cells.sizes + held
        effect = (self._columns - cells.means[labels]) / totals[labels, None]
        squares = self.contest.squares(cells.centers)
        inertia = float(squares.sum())

        cut_rows = np.empty((len(cuts), columns))
        cut_ends = np.empty(len(cuts))
        for r, cut in enumerate(cuts):
            theirs, _ = self.contest.cut_squares(cut)
            cut_rows[r] = theirs[self.rows] - squares[self.rows]
            cut_ends[r] = inertia - cut.inertia + margin * self.contest.need(theirs, squares)

        trust = np.zeros((k, d, columns))
        for c in range(k):
            trust[c][:, labels == c] = effect[labels == c].T
        trust = trust.reshape(k * d, columns)
        off = (cells.means - cells.centers).ravel()

        fair = self.shifts.at(cells)
        fair_rows = np.empty((len(fair.ends), columns))
        shaped = fair.rows.reshape(-1, k, d)
        for c in range(k):
            fair_rows[:, labels == c] = shaped[:, c] @ effect[labels == c].T
        fair_ends = fair.ends.copy()
        if goal.smallest:
            assert goal.target is not None
            wanted = self.shifts.relief(goal.target - room)
            fair_ends += wanted - np.minimum(
                self.contest.lasting * fair.margins, (1.0 - KEPT_ROOM) * wanted
            )

        guard_row, guard_end = np.empty((0, columns)), np.empty(0)
        if math.isfinite(self.contest.most):
            slope = 2.0 * cells.sizes[:, None] * cells.shifts
            guard_row = (slope[labels] * effect).sum(axis=1)[None, :]
            tangent = (cells.sizes[:, None] * cells.shifts**2).sum()
            guard_end = np.array([self.contest.most - (cells.inertia - tangent)])

        below = [cut_ends, -radius - off, np.full(len(fair_ends) + len(guard_end), -np.inf)]
        above = [np.full(len(cuts), np.inf), radius - off, fair_ends, guard_end]
        kinds = [np.ones(len(cuts)), np.zeros(k * d), np.ones(len(fair_ends)), np.ones(len(guard_end))]
        relief = [np.zeros(len(cuts) + k * d), np.ones(len(fair_ends)), np.zeros(len(guard_end))]
        return Limits(
            np.vstack([cut_rows, trust, fair_rows, guard_row]),
            np.concatenate(below),
            np.concatenate(above),
            np.concatenate(relief),
            np.concatenate(kinds),
        )

    def _contest(
        self, step: _Pass, goal: Goal, found: Found, aim: Aim, index: int
    ) -> Generator[DesignStep, None, tuple[Standing, bool]]:
        """The contest against all known rivals, then a hunt where V would be the best so far."""
        contest = self.contest
        antidote = self._antidote(step.copies)
        enough = goal.target if goal.target is not None else step.run.cost + self.shifts.close
        standing = contest.standing(step.run, antidote, enough)
        contest.remember_all(standing.ahead)
        if standing.ahead or not self._promising(step, goal, found):
            return standing, False
        runs: list[Run] = []
        while len(runs) < HUNT_STARTS:
            if self.stopped():
                return standing, False
            runs += contest.hunt(antidote, HUNT_BATCH, self.stopped)
            hunted = contest.compare(step.run, runs, enough)
            standing = Standing(hunted.ahead, max(standing.lead, hunted.lead))
            yield self._report("hunt", step, standing, aim, index, goal, found)
            if standing.ahead:
                contest.remember_all(standing.ahead)
                break
        return standing, not standing.ahead

    def _promising(self, step: _Pass, goal: Goal, found: Found) -> bool:
        """Whether V would be the best so far if no rival beats it."""
        if goal.smallest:
            return goal.met(step.run.cost) and (found.best is None or step.size < found.best.size)
        limit = self.problem.vanilla.cost if found.best is None else found.best.cost
        return step.run.cost < limit - 1e-9

    def _offer(
        self, step: _Pass, standing: Standing, name: str, goal: Goal, found: Found, hunted: bool
    ) -> bool:
        """Keep the pass where it is the best, or the nearest to winning; whether it is worth it."""
        if hunted:
            worth = found.best is None or not goal.smallest or step.size < WORTH * found.best.size
            found.best = self._designed(step, standing, name)
            found.centers = step.run.fixpoint.centers
            return worth
        fairer = step.run.cost < self.problem.vanilla.cost - self.shifts.close
        if fairer and (found.nearest is None or standing.lead < found.nearest.lead):
            found.nearest = self._designed(step, standing, name)
            found.nearest_centers = step.run.fixpoint.centers
        return False

    def _designed(self, step: _Pass, standing: Standing, name: str) -> RowDesign:
        copies = np.zeros(len(self.problem.points), dtype=np.int64)
        copies[self.rows] = step.copies
        feasible = step.plan.short.max(initial=0.0) < 1e-6
        return RowDesign(
            copies=copies,
            cost=step.run.cost,
            start=name,
            lead=standing.lead,
            bound=step.plan.bound if feasible else None,
            reasons=self._reasons(step),
        )

    def _reasons(self, step: _Pass) -> Reasons:
        """Prices times coefficients: what the copies of a row do for each cut."""
        chosen = np.flatnonzero(step.copies)
        rows = self.rows[chosen]
        clusters = step.cells.labels[rows]
        rivals = tuple((cut.centers, self.contest.cut_squares(cut)[1]) for cut in step.cuts)
        if not rivals or not len(rows):
            return Reasons(rows, np.full(len(rows), -1), clusters, rivals)
        squares = self.contest.squares(step.cells.centers)[rows]
        gains = np.stack([self.contest.cut_squares(cut)[0][rows] - squares for cut in step.cuts])
        scale = np.abs(gains).max(axis=1, keepdims=True)
        worth = step.plan.prices[: len(rivals), None] * gains / np.where(scale > 0, scale, 1.0)
        rival = np.where(worth.max(axis=0) > 0, worth.argmax(axis=0), -1)
        return Reasons(rows, rival, clusters, rivals)

    def _report(
        self, kind: str, step: _Pass, standing: Standing, aim: Aim, index: int, goal: Goal,
        found: Found,
    ) -> DesignStep:  # fmt: skip
        data: dict[str, Any] = {
            "size": step.size if goal.smallest else int(goal.size),
            "used": step.size,
            "best": None if found.best is None else found.best.cost,
            "best_size": None if found.best is None else found.best.size,
            "start": aim.name,
            "step": index,
            "cost": step.run.cost,
            "cuts": len(self.contest.cuts),
            "lead": standing.lead,
            "short": step.plan.short.max(initial=0.0),
            "bound": step.plan.bound,
        }
        return DesignStep(kind, jsonable(data))
