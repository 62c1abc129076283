"""Which centres to aim at: other optima of U, Fair-Lloyd's, and those that a search comes up with.

The search (CMA-ES) looks for centres that meet the target with the guard kept and as little inertia
of U lost as it can, since what is lost is what V has to make up for. It pays up to 15 coordinates.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.contest import SAME, RowContest
from antidote_core.algorithms.rows.fair_shifts import FairShifts
from antidote_core.baselines.fair_lloyd import fair_lloyd
from antidote_core.geometry import apart, separation
from antidote_core.optimizers.cma import cmaes
from antidote_core.optimizers.protocol import Box
from antidote_core.types import Floats, Ints

STARTS = 12  # more random starts on U
MOST_OPTIMA = 6  # each costs a program to look at
SEARCH_UP_TO = 15  # coordinates
SEARCH_ROWS = 5000
SEARCHES = 3
BUDGET = 1200
UNFAIR_PRICE = 10.0
HALVINGS = 12


@dataclass(frozen=True, eq=False)
class Aim:
    """Centres (k, d) worth aiming at, and their (guarded) cost on U."""

    name: str
    centers: Floats
    cost: float


class Aims:
    """The aims of one problem; those that do not depend on the target are found once."""

    def __init__(self, contest: RowContest, shifts: FairShifts, rng: np.random.Generator) -> None:
        self._contest, self._shifts, self._rng = contest, shifts, rng
        self._problem = contest.problem
        self._optima: list[Aim] | None = None
        self._fair: Floats | None = None

    def aim(self, name: str, centers: Floats) -> Aim:
        """An aim with its cost."""
        evaluator = self._contest.evaluator
        return Aim(name, centers, self._contest.cost(*evaluator.at(centers)))

    def of(self, target: float | None) -> Iterator[Aim]:
        """Aims for this target, or for the lowest cost without one."""
        if self._optima is None:
            self._optima = self._other_optima()
        yield from self._optima
        if self._problem.fairness.name == "social":
            yield from self._towards_fair_lloyd(target)
        if self._problem.points.shape[1] * self._problem.k <= SEARCH_UP_TO:
            yield from self._searched(target)

    def _other_optima(self) -> list[Aim]:
        """The optima of U that the evaluator knows, and what more random starts find."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        contest, problem = self._contest, self._problem
        found = list(contest.evaluator.basins)
        none = problem.points[:0]
        for seed in self._rng.integers(2**31, size=STARTS):
            if len(found) >= MOST_OPTIMA:
                break
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model = KMeans(problem.k, init="random", n_init=1, random_state=int(seed))
                model.fit(problem.points, sample_weight=problem.weights)
            centers = contest.evaluator.descend(none, model.cluster_centers_).centers
            if all(apart(centers, other) > SAME * separation(other) for other in found):
                found.append(centers)
        return [self.aim(f"optimum {i + 1}", centers) for i, centers in enumerate(found)]

    def _towards_fair_lloyd(self, target: float | None) -> Iterator[Aim]:
        """Fair-Lloyd's centres, and the first point that meets the target on the way there."""
        problem, contest = self._problem, self._contest
        plain = contest.evaluator.basins[0]
        if self._fair is None:
            self._fair = fair_lloyd(
                problem.points, problem.groups, problem.k, plain, 1, problem.seed, problem.weights
            ).centers
        whole = self.aim("Fair-Lloyd", self._fair)
        if target is not None and whole.cost <= target:
            low, high = 0.0, 1.0
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                cost = self.aim("", plain + middle * (self._fair - plain)).cost
                low, high = (low, middle) if cost <= target else (middle, high)
            yield self.aim("towards Fair-Lloyd", plain + high * (self._fair - plain))
        yield whole

    def _searched(self, target: float | None) -> Iterator[Aim]:
        """CMA-ES over centres, from the optima of U and from a random place."""
        rows = self._sample()
        points = self._problem.points[rows]
        g = len(np.bincount(self._problem.groups))
        lower, upper = np.percentile(points, [1, 99], axis=0)
        k, d = self._problem.k, points.shape[1]
        box = Box(np.tile(lower, k), np.tile(upper, k))
        value = _SearchValue(self._contest, self._shifts, rows, g, target)
        for i in range(SEARCHES):
            start = points[self._rng.choice(len(points), k, replace=False)].ravel()
            if i < min(SEARCHES - 1, len(self._contest.evaluator.basins)):
                start = self._contest.evaluator.basins[i].ravel()
            found = cmaes(value, box, BUDGET, self._rng, start=start)
            if math.isfinite(found.value):
                yield self.aim(f"search {i + 1}", found.x.reshape(k, d))

    def _sample(self) -> Ints:
        """Some rows of U."""
        n = len(self._problem.points)
        if n <= SEARCH_ROWS:
            return np.arange(n)
        return np.sort(self._rng.choice(n, SEARCH_ROWS, replace=False))


class _SearchValue:
    """What the search minimises: inertia of U relative to plain, with prices on all that breaks."""

    def __init__(
        self,
        contest: RowContest,
        shifts: FairShifts,
        rows: Ints,
        g: int,
        target: float | None,
    ) -> None:
        from antidote_core.clustering import anchors

        self._kernels = anchors
        self._shifts = shifts
        problem = contest.problem
        self._statistic = problem.fairness.statistic
        points, groups = problem.points[rows], problem.groups[rows]
        self._points, self._groups = points, groups
        squares = np.einsum("ij,ij->i", points, points)
        self._share = len(points) / len(problem.points)
        self._weighted: tuple[Floats, ...] = ()
        if problem.weights is not None:
            self._weighted = (problem.weights[rows],)
            self._share = float(self._weighted[0].sum() / problem.weights.sum())
            squares = squares * self._weighted[0]
        self._least = problem.guard.least * self._share
        self._plain = problem.vanilla.objective * self._share
        self._most = problem.guard.most * self._share / self._plain
        self._squares = np.bincount(groups, weights=squares, minlength=g)
        own = self._weighted[0] if self._weighted else None
        self._members = np.bincount(groups, own, minlength=g).astype(np.float64)
        self._k, self._g = contest.problem.k, g
        self._wanted = 0.0 if target is None else shifts.relief(target - shifts.room)

    def __call__(self, x: Floats) -> float:
        centers = np.ascontiguousarray(x.reshape(self._k, -1))
        sums = np.empty((self._k, self._g, centers.shape[1]))
        counts, costs = np.empty((self._k, self._g)), np.empty(self._g)
        self._kernels.full_statistics(
            self._points, self._groups, centers, sums, counts, *self._weighted
        )
        self._kernels.group_costs(centers, sums, counts, self._squares, costs)
        inertia = float(costs @ self._members) / self._plain
        assert self._statistic is not None
        unfair = self._shifts.relief(float(self._statistic(counts, costs))) - self._wanted
        small = 1.0 - counts.sum(axis=1).min() / max(self._least, 1.0)
        loose = inertia - self._most
        broken = max(unfair, 0.0) + max(small, 0.0) + max(loose, 0.0)
        return inertia + UNFAIR_PRICE * broken
