"""The contest against rivals, with the guard of the problem and a margin that lasts.

The lead of a clustering B over a rival C is a sum over people, sum_i (d_C(x_i)^2 - d_B(x_i)^2), and
itself a sample: its standard error is sqrt(n) sd_i(d_C(x_i)^2 - d_B(x_i)^2). A margin of z of them
is what makes V last on other people of the same kind.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.cluster_sums import apart, separation
from antidote_core.algorithms.design.contest import MARGIN, MAX_CUTS, RESTARTS, SAME, Contest, Run
from antidote_core.algorithms.design.program import Cut
from antidote_core.problem import Problem
from antidote_core.types import Floats

FAR = 0.3  # distances between centres; the inertia lost grows with the square of the distance
HALF = 0.5  # a rival that has eaten half of its margin is ahead: it follows V, the cut does not


@dataclass(frozen=True, eq=False)
class Standing:
    """Rivals that are ahead, or too close, the strongest first; `lead` of the strongest of all.

    The lead is in inertia on U ∪ V and negative when the strongest rival is behind.
    """

    ahead: tuple[Run, ...]
    lead: float


class GuardedContest(Contest):
    """A contest in which a clustering that breaks the guard costs more than plain clustering.

    `lasting` is z.
    """

    def __init__(self, problem: Problem, lasting: float) -> None:
        super().__init__(problem, lasting)
        self.fixed_margin = MARGIN * problem.vanilla.objective
        self._squares: dict[int, tuple[Cut, Floats, float]] = {}

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
        leads, weights = theirs - squares, self.problem.weights
        if weights is None:
            return fixed + self.lasting * math.sqrt(len(leads)) * float(np.std(leads))
        spread = self.total((leads - np.average(leads, weights=weights)) ** 2)
        return fixed + self.lasting * math.sqrt(spread)

    def cut_squares(self, cut: Cut) -> tuple[Floats, float]:
        """Squared distances (n,) to the centres of a cut, and the cost of U there."""
        known = self._squares.get(id(cut))
        if known is None or known[0] is not cut:
            known = (cut, self.squares(cut.centers), self.cost(*self.evaluator.at(cut.centers)))
            self._squares = {id(c): v for c in self.cuts if (v := self._squares.get(id(c)))}
            self._squares[id(cut)] = known
        return known[1], known[2]

    def rivals_of(self, centers: Floats, enough: float) -> list[Cut]:
        """The cuts that stand elsewhere and are not fair enough."""
        near = SAME * separation(centers)
        return [
            cut
            for cut in self.cuts
            if cut.captured is None
            and apart(cut.centers, centers) > near
            and self.cut_squares(cut)[1] > enough
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


_FRESH = 205


def weighted_checks(
    contest: GuardedContest, weights: Floats, checks: int, stopped: Callable[[], bool]
) -> Iterator[tuple[Floats, float, float]]:
    """Centres, inertia and cost of k-means with 10 restarts on U with weights (n,)."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    problem = contest.problem
    for seed in np.random.default_rng([problem.seed, _FRESH]).integers(2**31, size=checks):
        if stopped():
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(problem.k, n_init=RESTARTS, random_state=int(seed))
            model.fit(problem.points, sample_weight=weights)
        cost = contest.cost(*contest.evaluator.at(model.cluster_centers_))
        yield model.cluster_centers_, float(model.inertia_), cost
