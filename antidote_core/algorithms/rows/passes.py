"""Passes from one aim: a program, Lloyd on U ∪ V, the contest, and the aim follows the centres.

A pass whose centres are fair enough and beat every rival known so far is kept; before it counts, a
hunt with fresh starts looks for rivals nobody knew. One that turns up becomes a cut, and the passes
go on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from antidote_core.algorithms.design.contest import (
    HALF,
    HUNT_BATCH,
    HUNT_STARTS,
    RESTARTS,
    SAME,
    RowContest,
    Run,
    Standing,
)
from antidote_core.algorithms.design.designer import DesignStep
from antidote_core.algorithms.design.fair_constraints import Cells, cells_at
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.aims import Aim
from antidote_core.algorithms.rows.copies_program import (
    PRICE,
    Limits,
    Plan,
    between,
    plan_copies,
    whole_copies,
)
from antidote_core.algorithms.rows.fair_shifts import FairShifts
from antidote_core.algorithms.rows.row_design import Reasons, RowDesign, copied
from antidote_core.algorithms.rows.row_limits import RowLimits
from antidote_core.geometry import apart, nearest_center, separation
from antidote_core.types import Floats, Ints, jsonable

PATIENCE = 4  # passes that bring nothing
LIKELIER, LIKELIEST = 1.1, 1.25  # to be drawn, for a missed centre; more takes too many copies
FIRST_COPIES, MORE_COPIES = 0.1, 1.4  # at first, and when they do not suffice
SMALLEST_TRUST = 1e-3
MISSED = 1e-4  # copies of the best row, for a limit to count as missed
AGAIN = 0.3  # of the widest trust region, after a hunt
LEFT, MOST_LEFT = 2e-4, 5e-4  # of the inertia allowed, since fresh runs stop short
TIGHT = 1.1 * HALF  # of the margin, once rivals are known where they stand
PARTS = (0.75, 0.5, 0.25)  # of the way to a V that misses the target
CALM = 0.7  # of what was asked for before, after a pass that brought nothing


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


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass: what was aimed at, what was planned, and what came of it."""

    cells: Cells
    cuts: list[Cut]
    limits: Limits
    plan: Plan
    cut_prices: Floats
    copies: Ints
    run: Run
    foretold: Floats

    @property
    def size(self) -> int:
        """Whole copies."""
        return int(self.copies.sum())

    @property
    def centers(self) -> Floats:
        """Where Lloyd's algorithm ended, (k, d)."""
        return self.run.fixpoint.centers

    @property
    def short(self) -> bool:
        """Whether the program could not meet all limits."""
        return bool(self.plan.short.max(initial=0.0) > MISSED)

    @property
    def asked(self) -> float:
        """How far the program meant to move any centre."""
        return float(np.abs(self.foretold).max())

    @property
    def surprise(self) -> float:
        """How far off the centres ended, relative to how far they were to go."""
        went = (self.centers - self.cells.centers).ravel()
        length = max(float(np.linalg.norm(self.foretold)), float(np.linalg.norm(went)), 1e-12)
        return float(np.linalg.norm(went - self.foretold)) / length

    @property
    def priced(self) -> float:
        """Copies, and what the program would pay for the limits that it missed."""
        return self.size + PRICE * float(self.plan.short.sum())


@dataclass(frozen=True, eq=False)
class Winner:
    """A design with the centres it leads to, and its copies before rounding (n,)."""

    design: RowDesign
    centers: Floats
    fractions: Floats
    draws: Floats | None = None


@dataclass(eq=False)
class Found:
    """The best so far, over all aims: one that wins its contests, and the one nearest to that."""

    best: Winner | None = None
    nearest: Winner | None = None
    doubtful: tuple[float, Winner] | None = None  # chance of being found, and what has it
    most: float = math.inf  # copies worth looking at


@dataclass(eq=False)
class Path:
    """Where the passes from one aim have come to."""

    centers: Floats
    scale: float
    widest: float
    radius: float
    held: Floats
    excess: float = math.inf
    merit: float = math.inf
    cost: float = math.inf
    room: float = 0.0
    part: float = 1.0 - LEFT
    margin: float = 1.0
    kept: Pass | None = None
    most_copies: float = FIRST_COPIES
    full: bool = False
    begin: Ints | None = None
    stale: int = 0
    short: int = 0
    visited: tuple[Cells, ...] = ()
    draws: Floats | None = None

    @property
    def stuck(self) -> bool:
        """Whether passes bring nothing any more."""
        return max(self.stale, self.short) >= PATIENCE or self.radius < SMALLEST_TRUST * self.scale

    def aim_lower(self, cost: float, goal: Goal, least: float, most: float) -> None:
        """More room below the target after a pass that missed it by little, else less."""
        missed = cost - goal.target if goal.target is not None else -math.inf
        if 0 < missed < most:
            self.room = min(max(self.room, least) + missed, most)
        elif missed <= 0:
            self.room = max(least, CALM * self.room)

    def draw(self, missed: int | None) -> None:
        """Ask for copies that make random starts come to this centre more often."""
        self.draws = drawn_more(self.draws, missed, len(self.centers))

    def again(self) -> None:
        """Go on after a hunt has taught a rival."""
        self.stale, self.short, self.radius = 0, 0, AGAIN * self.widest

    def tighten(self, best: Pass) -> None:
        """Go on from the best pass, with no more of a lead than the contest asks for."""
        self.margin, self.kept = TIGHT, best
        self.centers, self.cost = best.centers, best.run.cost
        self.again()


def drawn_more(draws: Floats | None, missed: int | None, k: int) -> Floats:
    """How likely each of k centres should be drawn, with a missed one likelier than before."""
    more = np.ones(k) if draws is None else draws.copy()
    if missed is not None:
        more[missed] = min(LIKELIER * more[missed], LIKELIEST)
    return more


PASSES = 40
TANGENTS = 5  # programs of one pass, each with what the last one overlooked
VISITED = 4  # places whose tangents are kept
FINDABLE = 0.85  # wanted chance that k-means with ten starts comes to the clustering
HUNTS = 3  # that turned up a rival, from one aim
MOST_COPIES = 0.25  # of the rows of U: beyond that V is no small addition
NOT_MUCH_LARGER = 1.5  # than the best so far
WORTH = 0.995  # of the size, for a pass to have brought something
CLOSER = 0.95  # of the way to the target, for a pass to have come closer
WIDEN, NARROW = 1.3, 0.4
SURPRISING = 0.6  # part of a move that was not foretold, for the trust region to shrink
MOST_ROOM = 15.0
MOST_OF_POSSIBLE = 0.8
SCATTERED = 1.2  # how much more room than fresh runs were seen to need
COPY_COST = 1e-5  # where the size is given, copies that do not help are left out
RELIEF_COST = 1e4
GUARD_PRICE = 10.0  # of 1% too much inertia, in 0.01 of t
LEAD_PRICE = 20.0  # a rival ahead by 1% weighs as much as 0.2 of t


class Passes:
    """Passes for one problem; rivals met once stay in the contest."""

    def __init__(
        self,
        contest: RowContest,
        shifts: FairShifts,
        rows: Ints,
        cap: int,
        stopped: Callable[[], bool],
        shares: Floats | None = None,
    ) -> None:
        self.contest, self.shifts, self.rows, self.cap = contest, shifts, rows, cap
        self.problem = contest.problem
        self.stopped = stopped
        # Room below the target, since fresh runs stop short of the fixpoint.
        self.room, self._most_room = shifts.room, MOST_ROOM * shifts.room
        self.errors = contest.lasting  # of the shares, kept from the target where that is possible
        self._limits = RowLimits(contest, shifts, rows, shares)
        weights = self.problem.weights
        self._people = float(len(self.problem.points) if weights is None else weights.sum())
        self._columns = np.ascontiguousarray(self.problem.points[rows])

    def follow(
        self,
        aim: Aim,
        goal: Goal,
        found: Found,
        passes: int = PASSES,
        margin: float = 1.0,
        draws: Floats | None = None,
    ) -> Generator[DesignStep, None, None]:
        """Passes from one aim; what is better than `found` is put there."""
        path = self._path(aim)
        path.draws = draws
        pending: tuple[Pass, Standing] | None = None
        hunts = 0
        for index in range(passes):
            if self.stopped():
                return
            if path.stuck:
                if pending is None or hunts >= HUNTS:
                    break
                if path.margin == 1.0 and goal.smallest and pending[0].cut_prices.any():
                    path.tighten(pending[0])
                else:
                    won = yield from self._hunt(path, *pending, aim, index, goal, found)
                    pending, hunts = None, hunts + 1
                    if won:
                        break
                    path.again()
            step = self.one(path, goal, found, margin)
            if step is None:
                break
            step = self._part_of_the_way(path, step, goal)
            standing = self._standing(step, goal)
            yield self._report(
                "cut" if standing.ahead else "pass", step, standing, aim, index, goal, found
            )
            better = not standing.ahead and self._better(step, goal, found, pending)
            if better:
                worth = self._worth(step, goal, found, pending)
                pending = (step, standing)
                if found.best is None and found.doubtful is None:
                    worth = yield from self._hunt(path, *pending, aim, index, goal, found)
                    pending, path.short = None, 0
                better = worth
            elif standing.ahead:
                self._keep_nearest(step, standing, aim.name, goal, found)
            self._advance(path, step, standing, better, goal)
        if pending is not None and not self.stopped():
            yield from self._hunt(path, *pending, aim, index, goal, found)

    def _path(self, aim: Aim) -> Path:
        scale = separation(aim.centers)
        trust = self.shifts.trust * scale
        return Path(aim.centers, scale, trust, trust, np.zeros(len(aim.centers)))

    def first(self, aim: Aim, goal: Goal) -> Pass | None:
        """The first pass from an aim, to see what it would take."""
        return self.one(self._path(aim), goal, Found(), 1.0)

    def one(self, path: Path, goal: Goal, found: Found, margin: float) -> Pass | None:
        """One program and Lloyd's answer to it; None when a cell holds nobody."""
        cells = self._cells(path.centers)
        if cells is None:
            return None
        enough, wanted = goal.target, None
        if enough is None:
            enough = self.contest.cost(*self.contest.evaluator.at(path.centers)) + self.shifts.close
        else:
            wanted = self.shifts.relief(self._asked(path, enough) if goal.smallest else enough)
        cuts = self.contest.rivals_of(path.centers, enough)
        size = self._ceiling(path, found) if goal.smallest else goal.size
        places = path.visited
        for _ in range(TANGENTS):
            limits = self._limits.at(
                cells, cuts, wanted, path.radius, path.held, margin * path.margin, self.errors,
                path.draws, places, path.part,
            )  # fmt: skip
            scaled = limits.scaled()
            if goal.smallest:
                plan = plan_copies(scaled, self.cap, size=size, begin=path.begin)
            else:
                plan = plan_copies(
                    scaled, self.cap, size=size, copy_cost=COPY_COST, relief_cost=RELIEF_COST,
                    begin=path.begin,
                )  # fmt: skip
            path.begin = plan.useful
            shift = self._limits.foretold(limits, len(cuts), plan.copies, path.radius)
            place = self._limits.too_loose(cells, shift, path.part)
            if place is None:
                break
            places = (*places, place)
        path.full = goal.smallest and plan.copies.sum() > size - 1
        if path.full:
            path.most_copies = min(MORE_COPIES * path.most_copies, MOST_COPIES)
        copies = whole_copies(scaled, plan, self.cap, size)
        run = self.contest.run(copied(self._columns, copies), path.centers)
        scale = np.abs(limits.matrix[: len(cuts)]).max(axis=1, initial=1e-300)
        foretold = self._limits.foretold(limits, len(cuts), copies, path.radius)
        prices = plan.prices[: len(cuts)] / scale
        return Pass(cells, cuts, scaled, plan, prices, copies, run, foretold)

    def _cells(self, centers: Floats) -> Cells | None:
        problem = self.problem
        return cells_at(centers, problem.points, problem.groups, problem.weights)

    def _asked(self, path: Path, target: float) -> float:
        """The cost to aim at: below the target, but not further than the centres are already."""
        asked = target - max(path.room, self.room)
        return asked if path.kept is None else max(asked, min(target - self.room, path.cost))

    def _part_of_the_way(self, path: Path, step: Pass, goal: Goal) -> Pass:
        """A shorter way from the V that met the target, where a smaller one misses it.

        Sizes are linear between two V, so every part of the way saves copies.
        """
        kept = path.kept
        if not goal.smallest or kept is None or goal.met(step.run.cost) or step.size >= kept.size:
            return step
        assert goal.target is not None
        # Balance jumps from V to V and needs all the room that fresh runs showed; a smooth cost
        # does not, and the program asks for that room anyway.
        room = min(self.room, self.shifts.room) if self.shifts.convex else self.room
        enough = max(goal.target - room, min(kept.run.cost, goal.target))
        for part in PARTS:
            plan = between(step.limits, step.plan, kept.plan.copies, part)
            copies = whole_copies(step.limits, plan, self.cap)
            run = self.contest.run(copied(self._columns, copies), path.centers)
            if run.cost <= enough and copies.sum() < kept.size:
                return replace(
                    step, plan=plan, copies=copies, run=run, foretold=part * step.foretold
                )
        return step

    def shortfall(self, step: Pass) -> float:
        """How much a pass of a given size lacks: t, and the limits it missed, in copies."""
        lacking = step.plan.short[: len(step.cuts)].sum()
        return self.shifts.relief(step.run.cost) + PRICE * float(lacking)

    def _ceiling(self, path: Path, found: Found) -> float:
        most = min(max(path.most_copies * self._people, 1.0), found.most)
        if found.best is None:
            return most
        return min(most, NOT_MUCH_LARGER * max(found.best.design.size, 1))

    def _enough(self, step: Pass, goal: Goal) -> float:
        return goal.target if goal.target is not None else step.run.cost + self.shifts.close

    def _standing(self, step: Pass, goal: Goal) -> Standing:
        """The contest against all known rivals."""
        antidote = copied(self._columns, step.copies)
        standing = self.contest.standing(step.run, antidote, self._enough(step, goal))
        self.contest.remember_all(standing.ahead)
        return standing

    def _hunt(
        self, path: Path, step: Pass, standing: Standing, aim: Aim, index: int, goal: Goal,
        found: Found,
    ) -> Generator[DesignStep, None, bool]:  # fmt: skip
        """Fresh starts look for rivals; whether there are none, and V was put to `found`."""
        contest, enough = self.contest, self._enough(step, goal)
        antidote = copied(self._columns, step.copies)
        runs: list[Run] = []
        while len(runs) < HUNT_STARTS:
            if self.stopped():
                return False
            runs += contest.hunt(antidote, HUNT_BATCH, self.stopped)
            hunted = contest.compare(step.run, runs, enough)
            standing = Standing(hunted.ahead, max(standing.lead, hunted.lead))
            yield self._report("hunt", step, standing, aim, index, goal, found)
            if standing.ahead:
                contest.remember_all(standing.ahead)
                return False
        if goal.target is not None and goal.smallest and not self._steady(step, runs, goal.target):
            return False
        chance = self._chance(step, runs, enough)
        winner = self._winner(step, standing, aim.name, goal)
        winner = replace(winner, design=replace(winner.design, chance=chance), draws=path.draws)
        if chance < FINDABLE:  # it has the lowest inertia, yet k-means may not come to it
            if found.doubtful is None or chance > found.doubtful[0]:
                found.doubtful = (chance, winner)
            path.draw(contest.judge(step.run, runs, enough).missed)
            return False
        found.best = winner
        return True

    def _chance(self, step: Pass, runs: list[Run], enough: float) -> float:
        """That k-means with ten starts comes to a clustering that is fair enough."""
        near = SAME * separation(step.centers)
        hits = sum(
            run.cost <= enough or apart(run.fixpoint.centers, step.centers) <= near for run in runs
        )
        return 1.0 - (1.0 - hits / len(runs)) ** RESTARTS

    def _steady(self, step: Pass, runs: list[Run], target: float) -> bool:
        """Whether fresh runs that come to the same clustering all stop below the target."""
        near = SAME * separation(step.centers)
        costs = [run.cost for run in runs if apart(run.fixpoint.centers, step.centers) <= near]
        worst = max(costs, default=step.run.cost)
        if worst <= target:
            return True
        before = self.room
        self.widen_room(SCATTERED * (worst - step.run.cost))
        return self.room == before  # there is no more room: the checks decide

    def widen_room(self, room: float) -> None:
        """Aim lower from now on: fresh runs were seen to end this much above the fixpoint."""
        self.room = min(max(self.room, room), self._most_room)

    def set_room(self, possible: float) -> None:
        """The room below a target that is this much above the lowest cost known to be possible."""
        self._most_room = min(MOST_ROOM * self.shifts.room, MOST_OF_POSSIBLE * max(possible, 0.0))
        self.room = min(self.shifts.room, self._most_room)

    def _better(
        self, step: Pass, goal: Goal, found: Found, pending: tuple[Pass, Standing] | None
    ) -> bool:
        """Whether V would be the best so far if no rival beats it."""
        if goal.smallest:
            if not goal.met(step.run.cost):
                return False
            sizes = [found.best.design.size] if found.best is not None else []
            sizes += [pending[0].size] if pending is not None else []
            return step.size < min(sizes, default=math.inf)
        costs = [self.problem.vanilla.cost]
        costs += [found.best.design.cost] if found.best is not None else []
        costs += [pending[0].run.cost] if pending is not None else []
        return step.run.cost < min(costs) - 1e-9

    def _worth(
        self, step: Pass, goal: Goal, found: Found, pending: tuple[Pass, Standing] | None
    ) -> bool:
        """Whether V is so much better that the passes should go on."""
        if not goal.smallest:
            return True
        sizes = [found.best.design.size] if found.best is not None else []
        sizes += [pending[0].size] if pending is not None else []
        return step.size < WORTH * min(sizes, default=math.inf)

    def _keep_nearest(
        self, step: Pass, standing: Standing, name: str, goal: Goal, found: Found
    ) -> None:
        """Of designs that lose, the one whose rival leads least."""
        limit = self.problem.vanilla.cost - self.shifts.close
        if goal.target is not None:
            limit = min(limit, goal.target)
        if step.run.cost > limit:
            return
        if found.nearest is None or standing.lead < found.nearest.design.lead:
            found.nearest = self._winner(step, standing, name, goal)

    def _advance(
        self, path: Path, step: Pass, standing: Standing, better: bool, goal: Goal
    ) -> None:
        """Take the centres of the pass, or take it back and trust less."""
        excess, merit = self._excess(step.run, goal), self._merit(step, standing)
        closer = 0 < excess < CLOSER * path.excess
        accepted = excess <= 0 or closer if goal.smallest else merit < path.merit - 1e-6
        path.aim_lower(step.run.cost, goal, self.room, self._most_room)
        progress = better or (closer if goal.smallest else accepted)
        growing = path.full and path.most_copies < MOST_COPIES
        path.short = path.short + 1 if step.short and not growing else 0
        if progress:
            path.stale = 0
        elif accepted:  # one that was taken back shrinks the trust region, which ends as well
            path.stale += 1
        path.part = max(path.part - self.contest.beyond(step.run), 1.0 - MOST_LEFT)
        if accepted:
            path.centers, path.excess, path.merit = step.centers, excess, merit
            path.cost = step.run.cost
            if goal.smallest and goal.met(step.run.cost) and not standing.ahead:
                path.kept = step
            if step.surprise > SURPRISING:
                path.radius = NARROW * min(path.radius, step.asked)
            else:
                path.radius = min((WIDEN if progress else CALM) * path.radius, path.widest)
            chosen = np.flatnonzero(step.copies)
            labels, _ = nearest_center(self._columns[chosen], step.centers)
            held = np.bincount(labels, weights=step.copies[chosen], minlength=len(step.centers))
            path.held = held.astype(np.float64)
        else:
            path.radius = NARROW * min(path.radius, step.asked)
            place = self._cells(step.centers)
            if place is not None:
                path.visited = (*path.visited[1 - VISITED :], place)

    def _excess(self, run: Run, goal: Goal) -> float:
        """By how much a run misses the target, in units of t, and the guard."""
        if goal.target is None:
            return math.inf
        unfair = self.shifts.relief(self.contest.fairness_of(run)) - self.shifts.relief(goal.target)
        return max(0.0, unfair) + GUARD_PRICE * self.contest.beyond(run)

    def _merit(self, step: Pass, standing: Standing) -> float:
        lead = max(0.0, standing.lead / step.run.fixpoint.inertia)
        unfair = self.shifts.relief(self.contest.fairness_of(step.run))
        return unfair + LEAD_PRICE * lead + GUARD_PRICE * self.contest.beyond(step.run)

    def _winner(self, step: Pass, standing: Standing, name: str, goal: Goal) -> Winner:
        n = len(self.problem.points)
        copies, fractions = np.zeros(n, dtype=np.int64), np.zeros(n)
        copies[self.rows], fractions[self.rows] = step.copies, step.plan.copies
        design = RowDesign(
            copies=copies,
            cost=step.run.cost,
            start=name,
            centers=step.centers,
            lead=standing.lead,
            bound=None if step.short or not goal.smallest else step.plan.bound,
            reasons=self._reasons(step),
        )
        return Winner(design, step.centers, fractions)

    def _reasons(self, step: Pass) -> Reasons:
        """Prices times coefficients: what the copies of a row do against each rival."""
        chosen = np.flatnonzero(step.copies)
        rows = self.rows[chosen]
        clusters = step.cells.labels[rows]
        if not step.cuts or not len(rows):
            return Reasons(rows, np.full(len(rows), -1), clusters)
        squares = self.contest.squares(step.cells.centers)[rows]
        gains = np.stack([self.contest.cut_squares(cut)[rows] - squares for cut in step.cuts])
        worth = step.cut_prices[:, None] * gains
        rival = np.where(worth.max(axis=0) > 0, worth.argmax(axis=0), -1)
        rivals = tuple((cut.centers, self.contest.cut_cost(cut)) for cut in step.cuts)
        return Reasons(rows, rival, clusters, rivals)

    def _report(
        self, kind: str, step: Pass, standing: Standing, aim: Aim, index: int, goal: Goal,
        found: Found,
    ) -> DesignStep:  # fmt: skip
        best = found.best
        data: dict[str, Any] = {
            "size": step.size if goal.smallest else int(goal.size),
            "used": step.size,
            "best": None if best is None else best.design.cost,
            "best_size": None if best is None else best.design.size,
            "start": aim.name,
            "step": index,
            "cost": step.run.cost,
            "cuts": len(self.contest.cuts),
            "lead": standing.lead,
            "short": step.plan.short.max(initial=0.0),
            "bound": step.plan.bound if goal.smallest else None,
        }
        return DesignStep(kind, jsonable(data))
