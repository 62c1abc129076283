"""The contest that a design must win: plain k-means takes the clustering of lowest inertia.

Rivals come from three places: the optima of U, clusterings in which V has a centre for itself, and
whatever a hunt with fresh k-means++ starts turns up. A rival that was ever ahead is remembered as a
cut of the program and as a warm start of later contests.

The lead of a clustering B over a rival C is a sum over people, sum_i (d_C(x_i)^2 - d_B(x_i)^2), and
itself a sample: its standard error is sqrt(n) sd_i(d_C(x_i)^2 - d_B(x_i)^2). A margin of z of them
is what makes V last on other people of the same kind.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antidote_core.algorithms.design.program import Cut
from antidote_core.clustering.kmeans import (
    Fixpoint,
    KMeansEvaluator,
    fit_kmeans,
    fit_kmeans_by_starts,
    with_antidote,
)
from antidote_core.geometry import apart, nearest_center, separation
from antidote_core.problem import Problem
from antidote_core.types import Floats

MARGIN = 1e-3  # of the inertia, asked of the program against every rival
TIE = 0.5 * MARGIN  # rivals closer than this may win on another day: their costs count
SAME = 0.02  # clusterings whose centres differ by less (relative) are one
RESTARTS = 10
HUNT_STARTS = 16
HUNT_LONG = 48  # starts where the chance is in doubt
HUNT_BATCH = 4
IN_DOUBT = (0.5, 0.999)  # chances between these are worth a long hunt
FINDABLE = 0.97  # wanted chance that a k-means of 10 restarts finds the target at all
LIKELY = 0.95  # the clusterings that make up this much of the chance count for the cost
SCATTER = 0.5  # of the range of costs seen, allowed for costs not seen
MAX_CUTS = 64
WARM_STARTS = 5
STRONGEST = 6  # rivals that one contest teaches at most
FAR = 0.3  # distances between centres; the inertia lost grows with the square of the distance
HALF = 0.5  # a rival that has eaten half of its margin is ahead: it follows V, the cut does not
# Keys that keep these seeds apart from each other and from those of the run.
_HUNT, _FRESH, _WEIGHTED = 201, 202, 205


@dataclass(frozen=True, eq=False)
class Run:
    """One Lloyd run on U ∪ V: its fixpoint, and inertia and cost where it was stopped.

    `fresh` runs are those of a hunt; they stop where scikit-learn does, short of the fixpoint.
    """

    fixpoint: Fixpoint
    inertia: float
    cost: float
    fresh: bool = False


@dataclass(frozen=True, eq=False)
class Verdict:
    """What re-clustering makes of a design.

    `cost`: the worst among the clusterings that tie for the lowest inertia and those that k-means
    with 10 restarts is likely to give; `safe_cost`: that cost with room for scatter; `lead`: how
    far the best rival is ahead (negative: behind), relative to the inertia; `rival`: the run to be
    beaten next, None when the target holds, and `rivals` all that are to be beaten; `chance`: that
    k-means with 10 restarts is fair enough, and `found`: that it comes to the target at all, both
    estimated from single starts; `missed`: the centre of the target that the other starts are
    farthest from.
    """

    cost: float
    safe_cost: float
    lead: float
    rival: Run | None
    chance: float
    found: float
    missed: int | None = None
    rivals: tuple[Run, ...] = ()

    @property
    def findable(self) -> bool:
        """Whether independent runs will find the target, and not only prefer it."""
        return self.found >= FINDABLE


Known = tuple[Cut, Run]


class Contest:
    """The rivals of one problem, and the two kinds of fresh seeds.

    `lasting` is the margin asked against every rival, in standard errors of the lead, where that
    is more than a fixed part of the inertia.
    """

    def __init__(self, problem: Problem, lasting: float = 0.0) -> None:
        assert isinstance(problem.evaluator, KMeansEvaluator)
        self.problem = problem
        self.lasting = lasting
        self.evaluator = problem.evaluator
        capture = self.evaluator.capture_centers
        if capture is None:
            capture = _fewer_centers(problem)
        self.capture = capture
        inertia = self._inertia(capture)
        self.cuts = [Cut(capture, inertia, c) for c in range(problem.k)]
        self.cuts += [Cut(centers, self._inertia(centers)) for centers in self.evaluator.basins]
        self._fixed = len(self.cuts)
        self._stood: dict[int, Floats] = {}  # by the identity of a cut
        self._cut_squares: dict[int, tuple[Cut, Floats]] = {}  # likewise
        self.evaluations = 0  # Lloyd runs on U ∪ V so far
        self._hunt_seeds = np.random.default_rng([problem.seed, _HUNT])
        self._fresh_seeds = np.random.default_rng([problem.seed, _FRESH])

    def _inertia(self, centers: Floats) -> float:
        return self.total(nearest_center(self.problem.points, centers)[1])

    def total(self, values: Floats) -> float:
        """The sum of values (n,) over U, each as often as its row weighs."""
        weights = self.problem.weights
        return float(values.sum() if weights is None else values @ weights)

    def cost(self, counts: Floats, group_costs: Floats) -> float:
        """F of a clustering of U with these counts per cluster and group, and costs per group.

        One that breaks the guard costs more than plain clustering does, the more the farther it is
        from keeping it: so it is never an answer, and the next pass goes back.
        """
        statistic = self.problem.fairness.statistic
        assert statistic is not None
        cost = float(statistic(counts, group_costs))
        beyond = self.problem.guard.violation(counts, group_costs)
        if not beyond:
            return cost
        plain = self.problem.vanilla.cost
        return max(cost, plain) + beyond * max(1.0, abs(plain))

    def cost_of(self, antidote: Floats) -> float:
        """`cost` of C(U ∪ V)."""
        _, counts, group_costs = self.evaluator.statistics(antidote)
        return self.cost(counts, group_costs)

    def run(self, antidote: Floats, start: Floats) -> Run:
        """Lloyd on U ∪ V from the centres `start`."""
        self.evaluations += 1
        found = self.evaluator.descend(antidote, start)
        return Run(found, found.inertia, self.cost(found.counts, found.group_costs))

    def cuts_against(
        self, centers: Floats, known: Sequence[Known], wider: float = 1.0
    ) -> list[Cut]:
        """All cuts, with a margin unless they lead to the target at `centers` itself.

        `known` says where the cuts led to last time; a cut not among them stands where it is.
        `wider` is a factor for the margins.
        """
        near = SAME * separation(centers)
        places = {id(cut): run.fixpoint.centers for cut, run in known}
        ours = self.squares(centers) if self.lasting else None
        return [
            replace(cut, margin=wider * self._margin(cut, ours))
            if cut.captured is not None or apart(places.get(id(cut), cut.centers), centers) > near
            else cut
            for cut in self.cuts
        ]

    def squares(self, centers: Floats) -> Floats:
        """Squared distance (n,) of every row of U to the nearest of these centres."""
        return nearest_center(self.problem.points, centers)[1]

    def cut_squares(self, cut: Cut) -> Floats:
        """`squares` of the centres of a cut, which stay where they are."""
        known = self._cut_squares.get(id(cut))
        if known is None or known[0] is not cut:
            known = (cut, self.squares(cut.centers))
            kept = {id(c): v for c in self.cuts if (v := self._cut_squares.get(id(c)))}
            self._cut_squares = {**kept, id(cut): known}
        return known[1]

    def _margin(self, rival: Cut | Floats, ours: Floats | None) -> float:
        """What must be won by over a rival, a cut or centres (k, d), as a part of the inertia.

        `ours` are the squared distances (n,) of U to the centres that should win; None where the
        fixed part alone counts.
        """
        if ours is None:
            return MARGIN
        theirs = self.cut_squares(rival) if isinstance(rival, Cut) else self.squares(rival)
        return max(MARGIN, self.lasting * lead_error(theirs, ours) / float(ours.sum()))

    def known(self, antidote: Floats, target: Floats, latest: int = WARM_STARTS) -> list[Known]:
        """Where the optima of U and the `latest` rivals stand on this V.

        A rival is followed from where it stood last, which takes few steps, unless that has become
        the target (k, d) itself: then it starts anew.
        """
        near = SAME * separation(target)
        known = []
        for cut in self.cuts[: self._fixed] + self.cuts[self._fixed :][-latest:]:
            if cut.captured is not None:
                continue
            start = self._stood.get(id(cut), cut.centers)
            run = self.run(antidote, start if apart(start, target) > near else cut.centers)
            self._stood[id(cut)] = run.fixpoint.centers
            known.append((cut, run))
        return known

    def captures(self, antidote: Floats, atoms: Floats) -> list[Run]:
        """Clusterings that give a location of V a centre, and the portfolio's own answer.

        The other centres are those of (k-1)-means, or those of an optimum of U without one.
        """
        starts = [self.evaluator.statistics(antidote)[0]]
        for atom in atoms:
            starts.append(np.vstack([self.capture, atom]))
            for basin in self.evaluator.basins:
                for c in range(len(basin)):
                    start = basin.copy()
                    start[c] = atom
                    starts.append(start)
        return [self.run(antidote, start) for start in starts]

    def hunt(self, antidote: Floats, starts: int, stopped: Callable[[], bool]) -> list[Run]:
        """Fresh k-means++ runs; fewer when `stopped()` between two of them."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        union = np.vstack([self.problem.points, antidote])
        weights = with_antidote(self.problem.weights, len(antidote))
        runs = []
        for seed in self._hunt_seeds.integers(2**31, size=starts):
            if stopped():
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = KMeans(self.problem.k, n_init=1, random_state=int(seed))
                model.fit(union, sample_weight=weights)
            cost = self.cost(*self.evaluator.at(model.cluster_centers_))
            self.evaluations += 1
            found = self.evaluator.descend(antidote, model.cluster_centers_)
            runs.append(Run(found, float(model.inertia_), cost, fresh=True))
        return runs

    def judge(self, target: Run, runs: Sequence[Run], enough: float) -> Verdict:
        """Who wins, and at which cost; a clustering that costs `enough` or less is no rival."""
        centers = target.fixpoint.centers
        near = SAME * separation(centers)
        others = [run for run in runs if apart(run.fixpoint.centers, centers) > near]
        lowest = min(run.fixpoint.inertia for run in [target, *runs])
        tied = [
            run
            for run in [target, *others]
            if not run.fresh and run.fixpoint.inertia <= lowest * (1.0 + TIE)
        ]
        unfair = [run for run in others if run.cost > enough]
        unfair.sort(key=lambda run: run.fixpoint.inertia)
        leads = [target.fixpoint.inertia / run.fixpoint.inertia - 1.0 for run in unfair]
        ours = self.squares(centers) if self.lasting and unfair else None
        ahead = [
            run
            for run, lead in zip(unfair, leads, strict=True)
            if lead > -TIE or (ours is not None and lead > -self._tie(run, ours))
        ]
        lead = leads[0] if leads else -1.0
        fresh = sorted((run for run in runs if run.fresh), key=lambda run: run.inertia)
        hits = sum(apart(run.fixpoint.centers, centers) <= near for run in fresh)
        odds = best_of_odds(len(fresh), RESTARTS)
        likely = fresh[: int(np.searchsorted(np.cumsum(odds), LIKELY)) + 1]
        cost = max(run.cost for run in [*(tied or [target]), *likely])
        # Runs stop at different points of a flat valley: others may stop a little further off.
        scatter = [run.cost for run in likely if apart(run.fixpoint.centers, centers) <= near]
        return Verdict(
            cost=cost,
            safe_cost=cost + (SCATTER * (max(scatter) - min(scatter)) if scatter else 0.0),
            lead=lead,
            rival=ahead[0] if ahead else None,
            rivals=tuple(ahead),
            chance=sum(p for p, run in zip(odds, fresh, strict=True) if run.cost <= enough),
            found=1.0 - (1.0 - hits / max(len(fresh), 1)) ** RESTARTS,
            missed=_missed(centers, [run.fixpoint.centers for run in fresh if run in others]),
        )

    def _tie(self, rival: Run, ours: Floats) -> float:
        """How little a rival may be behind to count as ahead: half of its margin."""
        return HALF * self._margin(rival.fixpoint.centers, ours)

    def remember_all(self, rivals: Sequence[Run]) -> None:
        """Make the strongest of these rivals cuts; some may be one and the same clustering."""
        for rival in reversed(rivals[:STRONGEST]):
            self.remember(rival)

    def remember(self, rival: Run) -> None:
        """Make a rival a cut; one that is almost there is replaced, the oldest makes room."""
        centers = rival.fixpoint.centers
        cut = Cut(centers, self._inertia(centers))
        near = 0.1 * SAME * separation(centers)
        for i in range(self._fixed, len(self.cuts)):
            if apart(self.cuts[i].centers, centers) <= near:
                self._stood.pop(id(self.cuts[i]), None)
                self.cuts[i] = cut
                return
        if len(self.cuts) >= self._fixed + MAX_CUTS:
            self._stood.pop(id(self.cuts.pop(self._fixed)), None)
        self.cuts.append(cut)

    def fresh_checks(
        self, antidote: Floats, checks: int, stopped: Callable[[], bool]
    ) -> Iterator[tuple[Floats, float, float]]:
        """Independent clusterings of U ∪ V with seeds never used before: centres, inertia, cost.

        Ends early, without the check it is at, when `stopped()` between two starts.
        """
        union = np.vstack([self.problem.points, antidote])
        weights = with_antidote(self.problem.weights, len(antidote))
        for seed in self._fresh_seeds.integers(2**31, size=checks):
            starts = fit_kmeans_by_starts(union, self.problem.k, RESTARTS, int(seed), weights)
            for best in starts:
                fit = best
                if stopped():
                    return
            yield fit.centers, fit.objective, self.cost(*self.evaluator.at(fit.centers))


def lead_error(theirs: Floats, ours: Floats, weights: Floats | None = None) -> float:
    """Standard error of a lead in inertia, from squared distances (n,) to either centres.

    The lead is a sum over people, sum_i (theirs_i - ours_i), and other people of the same kind
    would give another one.

    >>> lead_error(np.array([1.0, 3.0, 1.0, 3.0]), np.zeros(4))
    2.0
    """
    leads = theirs - ours
    if weights is None:
        return float(np.sqrt(len(leads)) * np.std(leads))
    return float(np.sqrt(weights @ (leads - np.average(leads, weights=weights)) ** 2))


def best_of_odds(count: int, draws: int) -> list[float]:
    """Chances that the best of `draws` draws out of `count`, with replacement, is the i-th best.

    >>> best_of_odds(2, 2)
    [0.75, 0.25]
    """
    left = [(1.0 - i / count) ** draws for i in range(count + 1)] if count else [0.0]
    return [left[i] - left[i + 1] for i in range(count)]


def _missed(centers: Floats, elsewhere: Sequence[Floats]) -> int | None:
    """The centre (of k) that is farthest from the clusterings `elsewhere`, on the whole."""
    if not elsewhere:
        return None
    gaps = [
        np.sqrt(((centers[:, None, :] - other[None, :, :]) ** 2).sum(axis=2)).min(axis=1)
        for other in elsewhere
    ]
    return int(np.mean(gaps, axis=0).argmax())


def _fewer_centers(problem: Problem) -> Floats:
    if problem.k == 2:
        return np.average(problem.points, axis=0, weights=problem.weights, keepdims=True)
    return fit_kmeans(
        problem.points, problem.k - 1, RESTARTS, problem.seed, problem.weights
    ).centers


@dataclass(frozen=True, eq=False)
class Standing:
    """Rivals that are ahead, or too close, the strongest first; `lead` of the strongest of all.

    The lead is in inertia on U ∪ V and negative when the strongest rival is behind.
    """

    ahead: tuple[Run, ...]
    lead: float


class RowContest(Contest):
    """The contest of copies of rows: margins in inertia, and every rival is followed."""

    def __init__(self, problem: Problem, lasting: float) -> None:
        super().__init__(problem, lasting)
        self.fixed_margin = MARGIN * problem.vanilla.objective
        self._cut_costs: dict[int, tuple[Cut, float]] = {}  # by the identity of a cut

    def beyond(self, run: Run) -> float:
        """How far a run is from keeping the guard, as a part; 0 when it keeps it."""
        return self.problem.guard.violation(run.fixpoint.counts, run.fixpoint.group_costs)

    def fairness_of(self, run: Run) -> float:
        """F where a run rests, whatever the guard says."""
        statistic = self.problem.fairness.statistic
        assert statistic is not None
        return float(statistic(run.fixpoint.counts, run.fixpoint.group_costs))

    def need(self, rival: Floats, theirs: Floats, centers: Floats, squares: Floats) -> float:
        """What centres (k, d) with squares (n,) must win by over a rival with `theirs` (n,).

        A fixed part of the inertia, less against rivals close by, and z standard errors.
        """
        distance = apart(rival, centers) / separation(centers)
        fixed = self.fixed_margin * min(1.0, (distance / FAR) ** 2)
        if not self.lasting:
            return fixed
        return fixed + self.lasting * lead_error(theirs, squares, self.problem.weights)

    def cut_cost(self, cut: Cut) -> float:
        """The cost of U at the centres of a cut."""
        known = self._cut_costs.get(id(cut))
        if known is None or known[0] is not cut:
            known = self._cut_costs[id(cut)] = (cut, self.cost(*self.evaluator.at(cut.centers)))
        return known[1]

    def rivals_of(self, centers: Floats, enough: float) -> list[Cut]:
        """The cuts that stand elsewhere and are not fair enough."""
        near = SAME * separation(centers)
        return [
            cut
            for cut in self.cuts
            if cut.captured is None
            and apart(cut.centers, centers) > near
            and self.cut_cost(cut) > enough
        ]

    def standing(self, target: Run, antidote: Floats, enough: float) -> Standing:
        """The contest of `target` against every rival met so far, each followed by Lloyd."""
        known = self.known(antidote, target.fixpoint.centers, MAX_CUTS)
        return self.compare(target, [run for _, run in known], enough)

    def compare(self, target: Run, runs: Sequence[Run], enough: float) -> Standing:
        """Which of these runs is a rival that is ahead or too close."""
        centers = target.fixpoint.centers
        near = SAME * separation(centers)
        squares: Floats | None = None
        ahead, lead = [], -math.inf
        for run in _distinct(runs):
            if run.cost <= enough or apart(run.fixpoint.centers, centers) <= near:
                continue
            gap = run.fixpoint.inertia - target.fixpoint.inertia
            lead = max(lead, -gap)
            if squares is None:
                squares = self.squares(centers)
            theirs = self.squares(run.fixpoint.centers)
            if gap < HALF * self.need(run.fixpoint.centers, theirs, centers, squares):
                ahead.append(run)
        ahead.sort(key=lambda run: run.fixpoint.inertia)
        return Standing(tuple(ahead), lead)


def _distinct(runs: Iterable[Run]) -> list[Run]:
    """One run for every place where Lloyd ended."""
    kept: dict[tuple[float, float], Run] = {}
    for run in runs:
        kept.setdefault((round(run.fixpoint.inertia, 6), round(run.cost, 9)), run)
    return list(kept.values())


def weighted_checks(
    contest: RowContest, weights: Floats, checks: int, stopped: Callable[[], bool]
) -> Iterator[tuple[Floats, float, float]]:
    """Centres, inertia and cost of k-means with 10 restarts on U with weights (n,)."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    problem = contest.problem
    for seed in np.random.default_rng([problem.seed, _WEIGHTED]).integers(2**31, size=checks):
        if stopped():
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(problem.k, n_init=RESTARTS, random_state=int(seed))
            model.fit(problem.points, sample_weight=weights)
        cost = contest.cost(*contest.evaluator.at(model.cluster_centers_))
        yield model.cluster_centers_, float(model.inertia_), cost
