"""Design V: say which centres k-means should find, and place V so that it must find them.

For a size of V, every start (an optimum of U, Fair-Lloyd's centres, the last answer) goes through
rounds. A round is a few passes of the program of `design_program`, each followed by Lloyd's
algorithm on U ∪ V, and then a contest (`design_contest`): when a rival clustering has the lower
inertia, it becomes a cut, and the next round has to beat it too. What holds is checked by
independent clusterings whose seeds the rounds never saw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidote_core.algorithms.design.contest import (
    FINDABLE,
    HUNT_BATCH,
    HUNT_LONG,
    HUNT_STARTS,
    IN_DOUBT,
    MAX_CUTS,
    TIE,
    Contest,
    Known,
    Run,
    Verdict,
)
from antidote_core.algorithms.design.fair_constraints import (
    BalanceModel,
    FairnessModel,
    SocialModel,
    cells_at,
    fewest_points,
)
from antidote_core.algorithms.design.program import Placement, place
from antidote_core.baselines.fair_lloyd import fair_lloyd
from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.errors import SpecError
from antidote_core.geometry import apart, nearest_center, separation
from antidote_core.optimizers.protocol import Box
from antidote_core.optimizers.structured import structured
from antidote_core.problem import Problem
from antidote_core.types import Floats, Ints

ROUNDS = 8  # from one start
ROUNDS_PER_SIZE = 12
ATTEMPTS = 2  # a check that fails teaches rivals; then once more
LAST_ATTEMPTS = 4  # at the largest size
LAST_CHANCE = 0.9
LAST_PATIENCE = 2
FAR_AHEAD = 0.02  # a rival with this lead must lose some of it from round to round
GAINING = 0.8
# Rivals follow V: when they come back ahead round after round, more is asked of the next placement.
WIDER_MARGIN, WIDEST_MARGIN = 1.3, 8.0
PASSES = 16
CHECKS = 8
AGREEMENT = 0.875  # share of independent clusterings that must meet the target
SOLID = 0.99
TRUST = 0.2  # first radius of the trust region, in distances between centres
TRUST_AGAIN = 0.02  # after a cut the target is near already
SMALLEST_TRUST = 5e-4
WIDEN, NARROW = 1.3, 0.4
SETTLED = 1e-4
LEAD_PRICE = 20.0  # a rival ahead by 1% weighs as much as a cost of 0.2
LEAD_LIMIT = 0.4  # the next cut beats it, however far ahead it is
FLOORS = (0.95, 0.8, 0.65, 0.5, 0.3)
FLOOR_PASSES = 5
SMALL = 40  # up to this size the structured search is tried as well
SMALL_BUDGET = 400  # a quarter of it where evaluating takes longer
FEW_POINTS = 2000
COSTS = ("social", "balance")
NEW = 0.2  # a clustering farther than this (relative) from every optimum of U is another one
SEARCH = "structured search"
LATEST = "the last answer"

Cancel = Callable[[], bool]


@dataclass(frozen=True)
class DesignStep:
    """One step of a design: `kind` is "pass", "hunt", "cut" or "check"; `data` is plain JSON."""

    kind: str
    data: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Design:
    """The best V found for one size.

    `antidote` (m, d), m <= the size asked for; `promised` cost by the program, `cost` the worst
    over the clusterings that tie for the lowest inertia in the loop. `share` of `checks`
    independent k-means runs with fresh seeds meet the target, and `best_cost` is that of the one
    with the lowest inertia; NaN before they ran. Without a target the share is that of runs which
    come to the cost itself. It `holds` when the best of the runs and enough of all agree. `binding`
    names what holds the cost up, most first: "size", "box", "capture", "competitor".
    """

    antidote: Floats
    promised: float
    cost: float
    start: str
    chance: float
    reached: bool
    binding: tuple[str, ...]
    share: float = math.nan
    best_cost: float = math.nan
    checks: int = 0
    holds: bool = False
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """|V|."""
        return len(self.antidote)

    @property
    def solid(self) -> bool:
        """Reached in every check, and with hardly a doubt that others will find it too."""
        return self.reached and self.share == 1.0 and self.chance >= SOLID

    def summary(self) -> dict[str, Any]:
        """Everything but V, fit for JSON."""
        return {
            "promised": self.promised,
            "cost": self.cost,
            "start": self.start,
            "chance": self.chance,
            "binding": list(self.binding),
            "share": None if math.isnan(self.share) else self.share,
            "best_cost": None if math.isnan(self.best_cost) else self.best_cost,
            "checks": self.checks,
        }


Steps = Generator[DesignStep, None, Design]


@dataclass(frozen=True, eq=False)
class _Step:
    """One pass: the placement, V, the clustering it leads to, and how far rivals are ahead."""

    placement: Placement
    antidote: Floats
    target: Run
    known: list[Known]
    rival: Run | None
    merit: float


@dataclass(frozen=True, eq=False)
class _Start:
    name: str
    centers: Floats
    counts: Ints


@dataclass(eq=False)
class _Tally:
    """What one size has come to so far."""

    size: int
    target: float | None
    close: float
    best: Design
    last: bool = False
    wider: float = 1.0
    rounds: int = 0
    settled: bool = False
    binding: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def offer(self, candidate: Design) -> None:
        if _rank(candidate, self) < _rank(self.best, self):
            self.best = candidate

    @property
    def chance(self) -> float:
        """The chance of being found that makes a design worth checking."""
        return LAST_CHANCE if self.last else FINDABLE

    @property
    def patience(self) -> int:
        """How many times the usual number of rounds may be spent."""
        return LAST_PATIENCE if self.last else 1

    @property
    def misses(self) -> bool:
        """Whether there is a target and it is not met yet."""
        return self.target is not None and not self.best.reached

    @property
    def done(self) -> bool:
        """The target is met, or the size is at its edge: met, but not with room for scatter."""
        return self.target is not None and (not self.misses or self.settled)


def _rank(design: Design, tally: _Tally) -> tuple[bool, bool, int, float]:
    """Lower is better; among costs that are close, the one that is found more often.

    Without a target, what independent runs would not find counts for nothing.
    """
    lost = tally.target is None and design.chance < FINDABLE
    return (not design.reached, lost, round(design.cost / tally.close), -design.chance)


def _standing(design: Design) -> tuple[bool, float]:
    """Lower is better, between checked designs of one size."""
    cost = design.cost if math.isnan(design.best_cost) else design.best_cost
    return (not design.holds, cost)


def can_design(clustering: str, fairness: str) -> bool:
    """Whether V can be designed for this pair; the names of others are refused."""
    return clustering == "kmeans" and fairness in COSTS


class Designer:
    """Designs for one problem and one box; what one size teaches (cuts, centres) serves the next.

    `box` is a pair of corners (d,). `cancel()` is asked before every pass and every hunt. `lasting`
    is the margin over every rival in standard errors of the lead (see `contest`).
    """

    def __init__(
        self,
        problem: Problem,
        box: tuple[Floats, Floats],
        cancel: Cancel | None = None,
        lasting: float = 0.0,
    ) -> None:
        if not isinstance(problem.evaluator, KMeansEvaluator):
            raise SpecError(
                f"The optimizer 'design' works for k-means, not for {problem.clustering.title}; "
                "choose 'structured'."
            )
        if problem.fairness.name not in COSTS:
            raise SpecError(
                "The optimizer 'design' works for the costs 'social' and 'balance', not for "
                f"{problem.fairness.name!r}; choose 'structured'."
            )
        if problem.weights is not None:
            raise SpecError(
                "A design in a box counts every row once, and these rows have weights; choose "
                "place='rows', or an optimizer that searches, such as 'structured'."
            )
        if not (box[0] <= box[1]).all():
            a = int(np.argmax(box[0] > box[1]))
            raise SpecError(
                f"The box of the design is empty: feature {problem.data.feature_names[a]!r} would "
                f"have to be at least {box[0][a]:.4g} and at most {box[1][a]:.4g}; widen it."
            )
        self.problem = problem
        self.box = box
        self.contest = Contest(problem, lasting)
        self.model: FairnessModel
        if problem.fairness.name == "social":
            self.model = SocialModel(problem.points, problem.groups, problem.vanilla.cost)
        else:
            self.model = BalanceModel(problem.points, problem.groups)
        self._asked_to_stop = cancel or (lambda: False)
        self._rng = np.random.default_rng([problem.seed, 203])
        self._latest: _Start | None = None
        self._searched: _Start | None = None
        self._fair: Floats | None = None

    @property
    def stopped(self) -> bool:
        """Whether the caller wants the best so far now."""
        return self._asked_to_stop()

    def starts(self) -> Iterator[_Start]:
        """The centres to aim at first: the last answer, optima of U, Fair-Lloyd's.

        An optimum that the restarts on U missed may turn up in the structured search. Other optima
        that break the guard are rivals only.
        """
        problem = self.problem
        none = np.zeros(problem.k, dtype=np.int64)
        if self._latest is not None:
            yield self._latest
        for i, centers in enumerate(self.contest.evaluator.basins):
            if not i or problem.guard.keeps(*self.contest.evaluator.at(centers)):
                yield _Start(f"optimum {i + 1}", centers, none)
        if self._searched is not None:
            yield self._searched
        if problem.fairness.name == "social":
            if self._fair is None:
                self._fair = fair_lloyd(
                    problem.points,
                    problem.groups,
                    problem.k,
                    init=self.contest.evaluator.basins[0],
                    restarts=1,
                    seed=problem.seed,
                ).centers
            yield _Start("Fair-Lloyd", self._fair, none)

    def design(self, size: int, target: float | None = None, last: bool = False) -> Steps:
        """The fairest V of at most `size` points; with a target, the first that meets it.

        When no larger size can make up for it (`last`), there are more attempts, and what k-means
        may often miss, as far as single starts can tell, is put to the checks all the same.

        A generator of `DesignStep` that returns a `Design`; it never fails: what went wrong is a
        sentence in the notes.
        """
        best: Design | None = None
        for _ in range(LAST_ATTEMPTS if last else ATTEMPTS):
            tally = _Tally(size, target, self.model.close, self._nothing(target), last)
            found = yield from self._attempt(tally)
            best = found if best is None else min(best, found, key=_standing)
            if not found.checks or found.holds or self.stopped:
                break
        assert best is not None
        binding = best.binding or tally.binding
        return replace(best, binding=binding, notes=self._sentences(best, tally))

    def _attempt(self, tally: _Tally) -> Steps:
        """All starts, then the check of the best."""
        for start in self.starts():
            if self.stopped or tally.done:
                break
            yield from self._rounds(start, tally)
        if tally.size <= SMALL and not self.stopped and (tally.target is None or tally.misses):
            yield from self._search(tally)
        best = tally.best
        if best.size and not self.stopped and (tally.target is None or best.reached):
            best = yield from self.check(best, tally.target)
        elif best.size:
            best = replace(best, reached=False)  # nothing counts unchecked
        return best

    def _nothing(self, target: float | None) -> Design:
        vanilla = self.problem.vanilla.cost
        return Design(
            antidote=self.problem.points[:0],
            promised=vanilla,
            cost=vanilla,
            start="nothing added",
            chance=1.0,
            reached=target is not None and vanilla <= target,
            binding=(),
        )

    def _rounds(self, start: _Start, tally: _Tally) -> Generator[DesignStep, None, None]:
        """Passes and contests from one start until the target of the design holds."""
        aim, trust, lead = start, TRUST, math.inf
        for index in range(tally.patience * ROUNDS):
            if tally.rounds >= tally.patience * ROUNDS_PER_SIZE:
                break
            tally.wider = min(WIDER_MARGIN**index, WIDEST_MARGIN)
            step, within_reach = yield from self._passes(aim, tally, trust)
            if step is None:
                return
            verdict = None
            if within_reach:
                tally.rounds += 1
                verdict = yield from self._contest(step, start.name, tally)
                if verdict is None:
                    return
            yield self._report("cut", tally, start.name, step, verdict, index)
            tally.offer(self._designed(step, start.name, verdict, tally))
            if verdict is None:
                if aim is start:
                    return
                aim, trust = start, TRUST  # with all the cuts there are now
                continue
            centers, counts = step.target.fixpoint.centers, step.placement.counts
            if verdict.rival is None:
                agrees = self._agrees(step, verdict.cost + self.model.close)
                close_by = tally.misses and verdict.chance >= IN_DOUBT[0]
                if not verdict.findable or not agrees or close_by:
                    yield from self._reinforce(
                        _Start(start.name, centers, counts), tally, verdict.missed
                    )
                tally.settled = verdict.findable and agrees
                if tally.best.start == start.name:
                    self._latest = _Start(LATEST, centers, counts)
                return
            if self._fairer(verdict.rival, step.target):
                centers = verdict.rival.fixpoint.centers
            else:
                self.contest.remember_all(verdict.rivals)
            aim, trust = _Start(start.name, centers, counts), TRUST_AGAIN
            if not tally.last and verdict.lead > max(FAR_AHEAD, GAINING * lead):
                return  # so few points will not beat it
            lead = verdict.lead
        if aim is not start and lead < FAR_AHEAD:
            self._latest = replace(aim, name=LATEST)  # more points may go on from here

    def _agrees(self, step: _Step, enough: float) -> bool:
        """Whether C(U ∪ V) by its fixed starts is fair enough too: they may miss the target."""
        return self.contest.cost_of(step.antidote) <= enough

    def _fairer(self, rival: Run, target: Run) -> bool:
        return rival.cost < target.cost - self.model.close

    def _passes(
        self,
        start: _Start,
        tally: _Tally,
        trust: float,
        floor: Floats | None = None,
        passes: int = PASSES,
    ) -> Generator[DesignStep, None, tuple[_Step | None, bool]]:
        """The best pass from a start, and whether any pass came down to the target."""
        centers, counts = start.centers, start.counts
        known: list[Known] = []
        best: _Step | None = None
        radius = math.inf
        within_reach = tally.target is None
        for index in range(passes):
            if self.stopped:
                break
            cells = cells_at(centers, self.problem.points, self.problem.groups)
            if cells is None:
                tally.notes.append(f"From {start.name} a cluster lost all its points.")
                break
            if index == 0 and not self.model.convex:
                radius = trust * cells.scale
            cuts = self.contest.cuts_against(centers, known, tally.wider)
            most = self.problem.guard.most
            placement = place(
                cells, cuts, self.model, self.box, tally.size, counts, most, radius, floor
            )
            if placement is None:
                tally.notes.append(f"The solver found no placement from {start.name}.")
                break
            step = self._step(placement)
            tally.binding = placement.binding
            if step.rival is not None:
                self.contest.remember(step.rival)
            if tally.target is not None and step.target.cost <= tally.target:
                within_reach = True
            asked = apart(placement.centers, centers)
            if best is None or step.merit < best.merit - 1e-9:
                best = step
                moved = apart(step.target.fixpoint.centers, centers)
                centers, counts, known = step.target.fixpoint.centers, placement.counts, step.known
                radius *= WIDEN
                if self.model.convex and moved < SETTLED * cells.scale:
                    break
            else:  # taken back: the next step from the same centres is smaller
                radius = NARROW * min(radius, asked)
            if radius < SMALLEST_TRUST * cells.scale:
                break
            yield self._report("pass", tally, start.name, step, None, index)
        return best, within_reach

    def _step(self, placement: Placement) -> _Step:
        antidote = placement.antidote
        target = self.contest.run(antidote, placement.centers)
        known = self.contest.known(antidote, target.fixpoint.centers)
        verdict = self.contest.judge(target, [run for _, run in known], enough=target.cost)
        penalty = LEAD_PRICE * max(0.0, verdict.lead + TIE)
        merit = target.cost / self.model.unit + min(penalty, LEAD_LIMIT)
        return _Step(placement, antidote, target, known, verdict.rival, merit)

    def _contest(
        self, step: _Step, start: str, tally: _Tally
    ) -> Generator[DesignStep, None, Verdict | None]:
        """The verdict on a step; hunting stops as soon as a rival is ahead. None when stopped.

        Nor is there a hunt where the fixed starts of C miss the target: no cut can mend that.
        """
        enough = tally.target
        if enough is None:
            enough = step.target.cost + self.model.close
        atoms = step.placement.atoms[step.placement.counts > 0]
        target = step.target.fixpoint.centers
        runs = [run for _, run in self.contest.known(step.antidote, target, MAX_CUTS)]
        runs += self.contest.captures(step.antidote, atoms)
        verdict = self.contest.judge(step.target, runs, enough)
        if verdict.rival is None and not self._agrees(step, enough):
            return verdict
        hunted = 0
        while verdict.rival is None and (
            hunted < HUNT_STARTS
            or (hunted < HUNT_LONG and IN_DOUBT[0] <= verdict.chance < IN_DOUBT[1])
        ):
            if self.stopped:
                return None
            runs += self.contest.hunt(step.antidote, HUNT_BATCH, self._asked_to_stop)
            hunted += HUNT_BATCH
            verdict = self.contest.judge(step.target, runs, enough)
            yield self._report("hunt", tally, start, step, verdict, hunted)
        return verdict

    def _reinforce(
        self, start: _Start, tally: _Tally, missed: int | None
    ) -> Generator[DesignStep, None, None]:
        """More points at a centre that random starts seldom find: they draw the starts there.

        As many as the target allows, at the centre that is `missed` most, else at any.
        """
        k = self.problem.k
        for c in range(k) if missed is None else (missed,):
            for share in FLOORS:
                floor = np.zeros(k)
                floor[c] = share * tally.size
                step, within_reach = yield from self._passes(
                    start, tally, TRUST_AGAIN, floor, FLOOR_PASSES
                )
                if step is None or not within_reach or self.stopped:
                    continue
                verdict = yield from self._contest(step, start.name, tally)
                if verdict is None or verdict.rival is not None:
                    continue
                yield self._report("cut", tally, start.name, step, verdict, 0)
                tally.offer(self._designed(step, start.name, verdict, tally))
                if tally.target is not None and not tally.misses:
                    return

    def _search(self, tally: _Tally) -> Generator[DesignStep, None, None]:
        """Small V: the structured search may place single points better than rounded shares."""
        problem, size = self.problem, tally.size
        d = problem.points.shape[1]
        lower, upper = self.box
        begin = None
        if tally.best.size:
            rows = np.arange(size) % tally.best.size
            begin = tally.best.antidote[rows].reshape(1, -1)
        found = structured(problem, size)(
            lambda x: problem.rank(x.reshape(size, d)),
            Box(np.tile(lower, size), np.tile(upper, size)),
            SMALL_BUDGET if len(problem.points) <= FEW_POINTS else SMALL_BUDGET // 4,
            self._rng,
            cancel=self._asked_to_stop,
            start=begin,
        )
        if not found.evaluations or not found.value < tally.best.cost:
            return
        antidote = found.x.reshape(size, d)
        atoms, counts = np.unique(antidote, axis=0, return_counts=True)
        centers = self.contest.evaluator.statistics(antidote)[0]
        if all(apart(centers, b) > NEW * separation(b) for b in self.contest.evaluator.basins):
            held = np.bincount(nearest_center(antidote, centers)[0], minlength=problem.k)
            self._searched = _Start("what the search found", centers, held)
        step = self._step(Placement(atoms, counts, centers, math.nan, 0.0, ("size",)))
        yield self._report("cut", tally, SEARCH, step, None, 0)
        # So few points are soon checked: the fresh clusterings alone decide.
        design = self._designed(step, SEARCH, None, tally)
        met = tally.target is not None and design.cost <= tally.target
        tally.offer(replace(design, reached=met, chance=1.0))

    def _designed(self, step: _Step, name: str, verdict: Verdict | None, tally: _Tally) -> Design:
        """A step as a design; without a verdict it has not been contested and cannot hold."""
        promised = self._promised(step)
        cost = max(step.target.cost, self.contest.cost_of(step.antidote))
        chance, met = 0.0, False
        if verdict is not None:
            chance = verdict.chance
            safe_cost = max(cost, verdict.safe_cost)
            cost = max(cost, verdict.cost)
            met = tally.target is not None and safe_cost <= tally.target and chance >= tally.chance
        return Design(
            antidote=step.antidote,
            promised=promised,
            cost=cost,
            start=name,
            chance=chance,
            reached=met,
            binding=step.placement.binding,
        )

    def _promised(self, step: _Step) -> float:
        t = step.placement.t
        return step.target.cost if math.isnan(t) else self.model.cost(t)

    def _report(
        self,
        kind: str,
        tally: _Tally,
        start: str,
        step: _Step,
        verdict: Verdict | None,
        index: int,
    ) -> DesignStep:
        data: dict[str, Any] = {
            "size": tally.size,
            "best": tally.best.cost,
            "start": start,
            "step": index,
            "used": int(step.placement.counts.sum()),
            "promised": self._promised(step),
            "target_cost": step.target.cost,
            "cuts": len(self.contest.cuts),
            "binding": list(step.placement.binding),
        }
        if verdict is not None:
            rival = verdict.rival
            data["cost"] = verdict.cost
            data["chance"] = verdict.chance
            data["rival"] = rival and {"cost": rival.cost, "lead": verdict.lead}
        return DesignStep(kind, data)

    def check(self, design: Design, target: float | None, checks: int = CHECKS) -> Steps:
        """The design judged by independent clusterings; without a target, by their agreement."""
        limit = target if target is not None else design.cost + self.model.close
        found: list[tuple[Floats, float, float]] = []
        missed = 0
        for result in self.contest.fresh_checks(design.antidote, checks, self._asked_to_stop):
            found.append(result)
            missed += result[2] > limit
            yield DesignStep(
                "check",
                {
                    "size": design.size,
                    "best": design.cost,
                    "start": design.start,
                    "step": len(found) - 1,
                    "of": checks,
                    "cost": result[2],
                },
            )
            if missed > (1.0 - AGREEMENT) * checks:
                break  # the rest cannot make up for it
        if not found:
            return replace(design, reached=False)  # nothing counts as reached unchecked
        best = min(found, key=lambda result: result[1])
        share = 1.0 - missed / len(found)
        holds = len(found) == checks and best[2] <= limit and share >= AGREEMENT
        if not holds:
            self._learn(design, found, limit)
        return replace(
            design,
            reached=holds and target is not None,
            holds=holds,
            share=share,
            best_cost=best[2],
            checks=len(found),
        )

    def fewest(self, design: Design, target: float | None) -> int | None:
        """A lower bound on |V| for the target, with everybody in the clusters of the design.

        Known for the social cost; without a target, for the cost of the design itself.
        """
        if not isinstance(self.model, SocialModel) or not design.size:
            return None
        centers = self.contest.evaluator.statistics(design.antidote)[0]
        cells = cells_at(centers, self.problem.points, self.problem.groups)
        if cells is None:
            return None
        wanted = self.problem.evaluate(design.antidote) if target is None else target
        return fewest_points(cells, self.model, self.box, wanted)

    def _learn(
        self, design: Design, found: Iterable[tuple[Floats, float, float]], limit: float
    ) -> None:
        """Clusterings that spoilt a check are rivals from now on; later checks have other seeds."""
        for centers, _, cost in found:
            if cost > limit:
                self.contest.remember(self.contest.run(design.antidote, centers))

    def _sentences(self, best: Design, tally: _Tally) -> tuple[str, ...]:
        notes = list(dict.fromkeys(tally.notes))
        if not best.size and not best.reached and not self.stopped:
            notes.append(
                f"No antidote points were better than none: what the programs placed inside the "
                f"box, at most {tally.size:,} points, did not survive clustering again."
            )
        smallest = int(np.unique(self.problem.groups, return_counts=True)[1].min())
        if self.problem.fairness.name == "balance" and smallest < self.problem.k:
            notes.append(
                f"The smallest group has fewer points ({smallest}) than there are clusters "
                f"({self.problem.k}): some cluster must lack it, so balance stays at 0."
            )
        return tuple(notes)
