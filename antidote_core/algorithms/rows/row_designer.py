"""V made of copies of rows: the fewest for a target, or the fairest of a size.

Every aim is looked at with one pass, the most promising ones are followed, once more by way of a
harder target, and what wins its contests is checked by independent clusterings with fresh seeds. A
check that fails teaches rivals, and the passes go on with a wider margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace

import numpy as np

from antidote_core.algorithms.design.contest import RowContest, Run, weighted_checks
from antidote_core.algorithms.design.designer import AGREEMENT, COSTS, DesignStep
from antidote_core.algorithms.rows.aims import Aim, Aims
from antidote_core.algorithms.rows.fair_shifts import BalanceShifts, fair_shifts
from antidote_core.algorithms.rows.passes import PASSES, Found, Goal, Passes, Winner, drawn_more
from antidote_core.algorithms.rows.row_design import RowDesign, copied, fewest_copies
from antidote_core.algorithms.steps import finish
from antidote_core.checks import check_whole
from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.errors import SpecError
from antidote_core.places import Mask, check_allowed
from antidote_core.problem import Problem
from antidote_core.types import Floats, jsonable

CHECKS = 8
SURE = 0.97  # chance of being found below which a note says so
ATTEMPTS = 4
WIDER_MARGIN = 2.0
LAST_CHECK = 1.1  # times the copies with which seven of eight checks agree
FOLLOWED = 3  # aims, the most promising ones
HOPELESS = 3.0  # times the size of the best: an aim that needs more at first is not followed
BEYOND = 0.5  # of the way on from the target, for the detour by a harder one
DETOUR_PASSES = 12
SIZE_PASSES = 12
LATEST = "the last answer"
_SEED = 204  # keeps the draws of this room apart from the run's

Cancel = Callable[[], bool]
Steps = Generator[DesignStep, None, RowDesign]


class RowDesigner:
    """Copies of the `allowed` rows (n,) of one k-means problem, at most `max_copies` of each.

    Answers keep the guard of the problem. `lasting` (z >= 0) is the margin of every contest in
    standard errors of the lead, and, for balance, of the shares of the groups as far as half of the
    way to the target allows. With the `shares` (g,) of the groups in U, every group gives its
    share of the copies, give or take one.
    """

    def __init__(
        self,
        problem: Problem,
        allowed: Mask,
        max_copies: int = 5,
        lasting: float = 1.0,
        cancel: Cancel | None = None,
        shares: Floats | None = None,
    ) -> None:
        if not isinstance(problem.evaluator, KMeansEvaluator):
            raise SpecError(
                f"Copies of rows are designed for k-means, not for {problem.clustering.title}."
            )
        if problem.fairness.name not in COSTS:
            raise SpecError(
                "Copies of rows are designed for the costs 'social' and 'balance', not for "
                f"{problem.fairness.name!r}."
            )
        check_whole("max_copies", max_copies, 1)
        if not lasting >= 0:
            raise SpecError(f"lasting must be a number of at least 0; got {lasting!r}.")
        self.problem = problem
        self.allowed = check_allowed(allowed, len(problem.points))
        self.max_copies = max_copies
        self._cancel, self._shares = cancel, shares
        self.contest = RowContest(problem, lasting)
        self.shifts = fair_shifts(problem)
        rng = np.random.default_rng(_SEED)  # aims, and so sizes, are alike for all seeds of a run
        self._aims = Aims(self.contest, self.shifts, rng)
        self._passes = Passes(
            self.contest, self.shifts, np.flatnonzero(self.allowed), max_copies, self._stopped,
            shares,
        )  # fmt: skip
        self._latest: Floats | None = None
        self._verified: list[RowDesign] = []
        self._spoilers: list[Run] = []

    def _stopped(self) -> bool:
        return self._cancel is not None and self._cancel()

    @property
    def stopped(self) -> bool:
        """Whether the caller wants the best so far now."""
        return self._stopped()

    def smallest(self, target: float, whole: bool = True) -> Steps:
        """The fewest copies with which independent clusterings cost at most `target`.

        A generator of `DesignStep` that returns a `RowDesign`; where it fails, the design is the
        one that came nearest, and a sentence in the notes says so. Fractional copies (weights) if
        not `whole`.
        """
        goal = Goal(target)
        if self.problem.vanilla.cost <= target and self._plain_is_guarded():
            plain = yield from self._check(self._nothing(), target)
            return self._kept(plain, target)
        few = fewest_copies(self.contest, self._passes.rows, self.max_copies, target)
        for design in filter(self._mixed, few):
            checked = yield from self._check(design, target)
            if checked.holds:
                return self._kept(checked, target)
        checked = self._nothing()
        for errors in dict.fromkeys((self.contest.lasting, 0.0)):
            self._passes.errors = errors
            found = Found()
            yield from self._all_aims(goal, found)
            checked = yield from self._settle(goal, found, whole)
            if checked.holds or self.stopped or not isinstance(self.shifts, BalanceShifts):
                break
        return self._kept(checked, target)

    def best(self, size: int, target: float | None = None, whole: bool = True) -> Steps:
        """The fairest V of at most `size` copies; with a target, the first that meets it.

        Where so few copies cannot force a fairer clustering, V is what brings the contest of a fair
        one closest to tipping: `lead` says how far its strongest rival is still ahead, and `cost`
        is that of C(U ∪ V) as it is.
        """
        check_whole("size", size, 1)
        known = [d for d in self._verified if d.size <= size and d.holds]
        for design in sorted(known, key=lambda d: d.size):
            if target is not None and design.best_cost <= target:
                return design
        goal, found = Goal(target, float(size)), Found()
        self._passes.errors = 0.0
        yield from self._all_aims(goal, found)
        checked = yield from self._settle(goal, found, whole)
        if known and not (checked.holds and checked.best_cost < min(d.best_cost for d in known)):
            return min(known, key=lambda d: d.best_cost)
        return self._kept(checked, target)

    def frontier(self, sizes: Iterable[int]) -> list[RowDesign]:
        """The best design of every size, smallest first; more copies are never less fair.

        Where no V of a size holds, its design is that of the size before, or the one that comes
        nearest. After `cancel` the sizes done so far are returned.
        """
        designs: list[RowDesign] = []
        for size in sorted(set(sizes)):
            found = finish(self.best(size))
            if self.stopped:
                break
            fewer = designs[-1] if designs else None
            worse = fewer is not None and fewer.holds and not found.holds
            designs.append(fewer if fewer is not None and worse else found)
        return designs

    def _kept(self, design: RowDesign, target: float | None) -> RowDesign:
        if design.holds:
            self._verified.append(design)
        reached = design.holds and target is not None and design.best_cost <= target
        notes = design.notes + self._sentences(design, target)
        return replace(design, reached=reached, notes=notes)

    def _all_aims(self, goal: Goal, found: Found) -> Generator[DesignStep, None, None]:
        """Follow the most promising aims, and the best once more by a detour."""
        ranked = self._ranked(goal)
        passes = PASSES if goal.smallest else SIZE_PASSES
        for rank, (priced, aim) in enumerate(ranked):
            if self.stopped or (
                not goal.smallest and found.best and goal.met(found.best.design.cost)
            ):
                return
            hopeless = found.best is not None and priced > HOPELESS * found.best.design.size
            if (rank >= FOLLOWED and found.best is not None) or (goal.smallest and hopeless):
                break
            yield from self._passes.follow(aim, goal, found, passes)
            if rank == 0 and goal.smallest and isinstance(self.shifts, BalanceShifts):
                yield from self._detour(aim, goal, found)

    def _ranked(self, goal: Goal) -> list[tuple[float, Aim]]:
        """Aims by what their first program asks for."""
        aims = list(self._aims.of(goal.target))
        if self._latest is not None:
            aims.insert(0, self._aims.aim(LATEST, self._latest))
        if goal.target is not None and self.problem.fairness.name == "social":
            self._passes.set_room(goal.target - min(aim.cost for aim in aims))
        ranked = []
        for i, aim in enumerate(aims):
            step = self._passes.first(aim, goal)
            if step is None:
                continue
            priced = step.priced if goal.smallest else self._passes.shortfall(step)
            ranked.append((priced, i, aim))
        ranked.sort(key=lambda entry: entry[:2])
        return [(priced, aim) for priced, _, aim in ranked]

    def _detour(self, aim: Aim, goal: Goal, found: Found) -> Generator[DesignStep, None, None]:
        """By way of a harder target: it may lead to centres that fewer copies can hold."""
        assert goal.target is not None
        beyond = Found()
        if found.best is not None:
            beyond.most = HOPELESS * found.best.design.size
        harder = Goal(self._harder(goal.target))
        yield from self._passes.follow(aim, harder, beyond, DETOUR_PASSES)
        if beyond.best is not None and not self.stopped:
            if found.best is None or beyond.best.design.size < found.best.design.size:
                found.best = beyond.best
            back = self._aims.aim(aim.name, beyond.best.centers)
            yield from self._passes.follow(back, goal, found)

    def _harder(self, target: float) -> float:
        return -math.exp(-BEYOND * self.shifts.relief(target))

    def _settle(self, goal: Goal, found: Found, whole: bool) -> Steps:
        """Check the best; what spoils a check is a rival of the next attempt."""
        margin = 1.0
        failed: RowDesign | None = None
        for attempt in range(ATTEMPTS):
            winner = found.best or (found.doubtful and found.doubtful[1])
            if winner is None or self.stopped or not self._worth_checking(winner.design, goal):
                break
            limit = self._limit(winner.design, goal)
            fractions = None if whole else winner.fractions
            self._spoilers = []
            checked = yield from self._check(winner.design, limit, fractions)
            if checked.holds:
                self._latest = winner.centers
                return checked
            if failed is None or checked.share > failed.share:
                failed = checked
            if attempt == ATTEMPTS - 1:
                break
            if checked.share >= AGREEMENT:  # the last check is not worth any number of copies
                found.most = min(found.most, LAST_CHECK * checked.size)
            if self._beaten(winner):
                margin *= WIDER_MARGIN
            draws = drawn_more(winner.draws, self._missed(winner), self.problem.k)
            found.best = found.doubtful = None
            again = self._aims.aim(winner.design.start, winner.centers)
            yield from self._passes.follow(again, goal, found, PASSES, margin, draws)
        if failed is not None:
            enough = failed.checks == CHECKS and failed.share >= AGREEMENT and self._mixed(failed)
            return replace(failed, holds=enough and failed.best_cost <= limit)
        if self.stopped and found.best is not None:
            return self._as_it_is(found.best)
        return self._as_it_is(found.nearest or found.best)

    def _beaten(self, winner: Winner) -> bool:
        """Whether a clustering that spoilt the checks has lower inertia, and was not just found."""
        antidote = copied(self.problem.points, winner.design.copies)
        own = self.contest.run(antidote, winner.centers).fixpoint.inertia
        return any(run.fixpoint.inertia < own for run in self._spoilers)

    def _missed(self, winner: Winner) -> int | None:
        """The centre that the clusterings which spoilt the checks are farthest from."""
        if not self._spoilers:
            return None
        gaps = [
            ((winner.centers[:, None, :] - run.fixpoint.centers) ** 2).sum(axis=2).min(axis=1)
            for run in self._spoilers
        ]
        return int(np.mean(gaps, axis=0).argmax())

    def _worth_checking(self, design: RowDesign, goal: Goal) -> bool:
        """Whether the target is met, or, with a size given, the gain more than chance."""
        gain = self.problem.vanilla.cost - design.cost
        return goal.met(design.cost) or (not goal.smallest and gain > self.shifts.close)

    def _limit(self, design: RowDesign, goal: Goal) -> float:
        """The cost that checks must come to."""
        if goal.target is not None and goal.met(design.cost):
            return goal.target
        return design.cost + self.shifts.close

    def _as_it_is(self, winner: Winner | None) -> RowDesign:
        """A design that does not win, with what C(U ∪ V) makes of it."""
        if winner is None:
            return self._nothing()
        solution = self.problem.cluster(winner.design.antidote(self.problem.points))
        alone = self.contest.run(self.problem.points[:0], winner.centers).fixpoint.inertia
        before = alone - self.problem.vanilla.objective
        return replace(
            winner.design, cost=solution.cost, centers=solution.centers, lead_before=before
        )

    def _check(self, design: RowDesign, limit: float, fractions: Floats | None = None) -> Steps:
        """The design judged by independent clusterings; it holds when all of them agree."""
        if fractions is not None:
            design = replace(design, copies=fractions)
            own = 1.0 if self.problem.weights is None else self.problem.weights
            tries = weighted_checks(self.contest, own + fractions, CHECKS, self._stopped)
        else:
            antidote = copied(self.problem.points, design.copies)
            design = replace(design, agrees=self.contest.cost_of(antidote) <= limit)
            tries = self.contest.fresh_checks(antidote, CHECKS, self._stopped)
        results = []
        for centers, inertia, cost in tries:
            results.append((inertia, cost))
            yield DesignStep(
                "check",
                jsonable(
                    {
                        "size": design.size,
                        "best": design.cost,
                        "start": design.start,
                        "step": len(results) - 1,
                        "of": CHECKS,
                        "cost": cost,
                        "cuts": len(self.contest.cuts),
                        "lead": design.lead,
                    }
                ),
            )
            if cost > limit:
                self._learn(design, centers, cost, limit)
        if not results:
            return design
        share = sum(cost <= limit for _, cost in results) / len(results)
        return replace(
            design,
            share=share,
            checks=len(results),
            best_cost=min(results)[1],
            holds=share == 1.0 and len(results) == CHECKS and self._mixed(design),
        )

    def _learn(self, design: RowDesign, centers: Floats, cost: float, limit: float) -> None:
        """A clustering that spoilt a check is a rival, or shows that more room is needed."""
        run = self.contest.run(copied(self.problem.points, design.copies), centers)
        if run.cost <= limit:
            self._passes.widen_room(1.2 * (cost - run.cost))
        else:
            self.contest.remember(run)
            self._spoilers.append(run)
            if run.cost < limit + self.shifts.close:
                self._passes.widen_room(self._passes.room + run.cost - limit)

    def _mixed(self, design: RowDesign) -> bool:
        """Whether every group gives its share, where that is asked for."""
        if self._shares is None:
            return True
        given = np.bincount(self.problem.groups, design.copies, len(self._shares))
        return bool((np.abs(given - given.sum() * self._shares) <= 1.0 + 1e-6).all())

    def _plain_is_guarded(self) -> bool:
        vanilla = self.problem.vanilla
        return self.problem.guard.keeps(*self.contest.evaluator.at(vanilla.centers))

    def _nothing(self) -> RowDesign:
        copies = np.zeros(len(self.problem.points), dtype=np.int64)
        vanilla = self.problem.vanilla
        return RowDesign(copies, vanilla.cost, "nothing added", vanilla.centers)

    def _sentences(self, design: RowDesign, target: float | None) -> tuple[str, ...]:
        notes = []
        if self.stopped:
            notes.append("Stopped early: this is the best so far.")
        elif not design.holds and design.lead > 0:
            notes.append(
                f"So few copies do not tip the contest: the strongest rival still leads by "
                f"{design.lead:,.0f} in inertia, {design.lead_before:,.0f} without them."
            )
        elif not design.holds:
            notes.append(
                "No copies of the rows allowed were found that hold: allow more copies of a row or "
                "wider percentiles, or choose an easier target."
            )
        if design.holds and design.share < 1.0:
            notes.append(
                f"{round(design.share * design.checks)} of {design.checks} independent clusterings "
                f"agree; no copies were found on which all of them do."
            )
        if design.chance < SURE:
            notes.append(
                f"Judged by single starts, k-means with ten starts finds this clustering in about "
                f"{design.chance:.0%} of tries."
            )
        if not design.agrees:
            notes.append(
                "The fixed starts of C(U ∪ V) miss this clustering, which k-means with ten starts "
                "finds; the centres of the design are one of its starts, too."
            )
        if target is not None and design.holds and isinstance(self.shifts, BalanceShifts):
            notes += self._share_notes(design, target)
        return tuple(notes)

    def _share_notes(self, design: RowDesign, target: float) -> list[str]:
        """Whether the shares of the groups meet the target with room for chance."""
        assert isinstance(self.shifts, BalanceShifts)
        if not self.contest.lasting:
            return []
        antidote = copied(self.problem.points, design.copies)
        counts = self.contest.evaluator.statistics(antidote)[1]
        left = self.shifts.room_in_errors(counts, target)
        if left >= self.contest.lasting:
            return []
        return [
            f"On other people of the same kind the balance may miss the target: the deciding share "
            f"keeps it by {max(left, 0.0):.1f} standard errors, not by {self.contest.lasting:g}."
        ]
