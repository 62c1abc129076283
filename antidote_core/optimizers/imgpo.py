"""IMGPO: optimistic division of the box, screened by a Gaussian process.

After Kawaguchi, Kaelbling and Lozano-Pérez (2015). It draws nothing at random.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from antidote_core.optimizers.protocol import UnitCube, minimiser
from antidote_core.types import Floats, Ints

ETA = 0.05  # chance that a bound is ever wrong
MOST_LEVELS = 4  # that a candidate is compared with, below its own
MORE_LEVELS, FEWER_LEVELS = 4.0, 0.5  # after a round that was better, or was not
CAUTION = 0.2  # added to the bound of a point that would not be evaluated
LENGTH = 0.25  # of the kernel at first, in widths of the box
LOG_LENGTHS = (math.log(0.01), math.log(10.0))
LEAST_DEVIATION = 1e-3  # of the process, in that of the samples
FIT_STEPS = 100
REFITS = frozenset(range(1, 6)) | frozenset(np.logspace(1, 5, 50).astype(int).tolist())
LEARNT = 400  # samples that the process takes in: a prediction costs their square
SMALLEST_SIDE = 3.0**-13  # boxes below it are not cut: under a millionth of the width
WORST = -1e300  # the value where the cost is not finite
SINGULAR = 1e-12  # what a new sample must add to the correlations
LEAST_NOISE, MOST_NOISE = -9, 3  # powers of e, tried in this order where they are singular


@minimiser
def imgpo(cube: UnitCube, rng: np.random.Generator) -> None:
    """Cuts boxes in three where the value may be best; samples only what the process finds likely.

    Departs from the paper in two ways: values are centred and scaled for the Gaussian process,
    since a cost has neither the mean 0 nor the spread 1 that the paper's process assumes; and
    samples after the first 400 are not learnt from. Starting points are learnt from too.
    """
    _Tree(cube).search()


def confidence(bounds: int | Ints) -> Floats:
    """How many standard deviations make a bound, when so many have been asked for."""
    return np.sqrt(2.0 * np.log(np.pi**2 * np.square(bounds) / (12.0 * ETA)))


@dataclass(eq=False)
class _Leaf:
    """A box of the unit cube: its centre, how often each side was cut, and what it may hold.

    `value` is minus the cost at the centre once it is `sampled`, else a bound on it.
    """

    center: Floats
    cuts: Ints
    value: float
    sampled: bool

    @property
    def side(self) -> float:
        return float(3.0 ** -self.cuts.min())

    def below(self, levels: int) -> tuple[Floats, Ints]:
        """The new centres (3^levels - 1, dim) when it is cut so often, coarse first; the cuts then.

        Always along the longest side, the first of equal ones.
        """
        boxes, cuts, found = self.center[None], self.cuts.copy(), []
        for _ in range(levels):
            axis = int(cuts.argmin())
            third = np.zeros(len(cuts))
            third[axis] = 3.0 ** -(cuts[axis] + 1.0)
            outer = np.concatenate([boxes - third, boxes + third])
            found.append(outer)
            boxes = np.concatenate([boxes, outer])
            cuts[axis] += 1
        return np.concatenate(found), cuts


class _Tree:
    """The boxes by level; every level above the deepest has been cut somewhere."""

    def __init__(self, cube: UnitCube) -> None:
        self._cube = cube
        self._process = GaussianProcess()
        self._best = -math.inf
        self._bounds = 1  # M: bounds asked for so far
        self._look_down = 1.0  # Ξ: levels to compare with
        self._divisions = 0
        for u, cost in cube.starts:
            self._learn(u, max(-cost, WORST))
        middle = np.full(cube.dim, 0.5)
        known = [max(-cost, WORST) for u, cost in cube.starts if np.array_equal(u, middle)]
        value = known[0] if known else self._sample(middle)
        self._levels = [[_Leaf(middle, np.zeros(cube.dim, dtype=np.int64), value, True)]]

    def _learn(self, u: Floats, value: float) -> None:
        self._best = max(self._best, value)
        self._process.add(u, value)

    def _sample(self, u: Floats) -> float:
        value = max(-self._cube(u), WORST)
        self._learn(u, value)
        return value

    def search(self) -> None:
        """Rounds until the budget ends, or no box is left to cut."""
        while candidates := self._candidates():
            before = self._best
            self._divide(self._screened(candidates))
            better = self._best > before
            step = MORE_LEVELS if better else -FEWER_LEVELS
            self._look_down = max(self._look_down + step, 1.0)

    def _candidates(self) -> dict[int, _Leaf]:
        """Per level the best box, if it is better than those of all coarser levels."""
        chosen: dict[int, _Leaf] = {}
        best = -math.inf
        for level, leaves in enumerate(self._levels):
            while leaves:
                leaf = max(leaves, key=lambda one: one.value)
                if leaf.value <= best:
                    break
                if leaf.sampled:
                    chosen[level], best = leaf, leaf.value
                    break
                leaf.value, leaf.sampled = self._sample(leaf.center), True
        return chosen

    def _screened(self, candidates: dict[int, _Leaf]) -> dict[int, _Leaf]:
        """Those in which a value may lie that a candidate of a deeper level does not have."""
        most = min(math.ceil(self._look_down), MOST_LEVELS)
        kept = {}
        for level, leaf in candidates.items():
            deeper = [n for n in range(1, most + 1) if level + n in candidates]
            if not deeper:
                kept[level] = leaf
                continue
            mean, deviation = self._process.predict(leaf.below(deeper[0])[0])
            asked = self._bounds + np.arange(len(mean))
            widths = confidence(asked)
            if (mean + widths * deviation >= candidates[level + deeper[0]].value).any():
                kept[level] = leaf
            else:
                self._bounds += len(mean)
        return kept

    def _divide(self, candidates: dict[int, _Leaf]) -> None:
        """Cut candidates, coarse first, unless a value just found is better than theirs."""
        best = -math.inf
        for level, leaf in candidates.items():
            if leaf.value <= best:
                continue
            self._levels[level].remove(leaf)
            if leaf.side < SMALLEST_SIDE:
                continue
            if level + 1 == len(self._levels):
                self._levels.append([])
            centers, cuts = leaf.below(1)
            below = [_Leaf(leaf.center, cuts, leaf.value, True)]
            for center in centers:
                mean, deviation = self._process.predict(center[None])
                bound = float((mean + (confidence(self._bounds) + CAUTION) * deviation)[0])
                sampled = bound > self._best
                if sampled:
                    bound = self._sample(center)
                    best = max(best, bound)
                else:
                    self._bounds += 1
                below.append(_Leaf(center, cuts, bound, sampled))
            self._levels[level + 1] += below
            self._divisions += 1
            if self._divisions in REFITS:
                self._process.fit()


@dataclass(eq=False)
class GaussianProcess:
    """A noise-free process with a Matérn 5/2 kernel; samples are added one by one.

    >>> process = GaussianProcess()
    >>> for x in (0.0, 0.5, 1.0):
    ...     process.add(np.array([x]), np.sin(x))
    >>> mean, deviation = process.predict(np.array([[0.5], [0.75]]))
    >>> bool(abs(mean[0] - np.sin(0.5)) < 1e-6), bool(deviation[0] < 1e-3 < deviation[1])
    (True, True)
    """

    length: float = LENGTH
    deviation: float = 1.0
    _x: Floats = field(default_factory=lambda: np.empty((0, 0)))
    _y: Floats = field(default_factory=lambda: np.empty(0))
    _factor: Floats = field(default_factory=lambda: np.empty((0, 0)))  # of the correlations
    _whitened: Floats = field(default_factory=lambda: np.empty(0))  # values in its terms
    _noise: float = 0.0  # that makes them regular

    def add(self, x: Floats, value: float) -> None:
        """Take in a value at x (dim,); WORST counts as the lowest so far."""
        seen = self._x if len(self._y) else np.empty((0, len(x)))
        if len(seen) >= LEARNT or (seen == x).all(axis=1).any():
            return
        if value == WORST:
            value = float(self._y.min(initial=0.0))
        row = self._across(self._correlation(seen, x[None]))[:, 0]
        self._x, self._y = np.vstack([seen, x]), np.append(self._y, value)
        rest = 1.0 + self._noise - row @ row
        if rest <= SINGULAR:
            self._factorise()
        else:
            grown = np.zeros((len(self._y), len(self._y)))
            grown[:-1, :-1], grown[-1, :-1], grown[-1, -1] = self._factor, row, math.sqrt(rest)
            self._factor = grown
        self._whiten()

    def predict(self, x: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation, (m,) each, at x (m, dim)."""
        middle, spread = self._scale()
        across = self._across(self._correlation(self._x, x))
        left = np.maximum(1.0 - (across**2).sum(axis=0), 0.0)
        mean = middle + spread * (across.T @ self._whitened)
        return mean, spread * self.deviation * np.sqrt(left)

    def fit(self) -> None:
        """Length and deviation of the highest marginal likelihood."""

        def unlikelihood(log_length: float) -> float:
            self.length = math.exp(log_length)
            self._factorise()
            self._whiten()
            self.deviation = max(math.sqrt(np.mean(self._whitened**2)), LEAST_DEVIATION)
            logs = np.log(np.diag(self._factor)).mean()
            return float(math.log(self.deviation) + logs)

        from scipy.optimize import minimize_scalar

        found = minimize_scalar(
            unlikelihood, bounds=LOG_LENGTHS, method="bounded", options={"maxiter": FIT_STEPS}
        )
        unlikelihood(found.x)

    def _scale(self) -> tuple[float, float]:
        return float(self._y.mean()), float(self._y.std()) or 1.0

    def _whiten(self) -> None:
        middle, spread = self._scale()
        self._whitened = self._across(((self._y - middle) / spread)[:, None])[:, 0]

    def _across(self, columns: Floats) -> Floats:
        if not len(columns):
            return columns
        from scipy.linalg import solve_triangular

        return np.asarray(solve_triangular(self._factor, columns, lower=True, check_finite=False))

    def _correlation(self, a: Floats, b: Floats) -> Floats:
        from scipy.spatial.distance import cdist

        far = math.sqrt(5.0) / self.length * cdist(a, b)
        return np.asarray((1.0 + far + far**2 / 3.0) * np.exp(-far))

    def _factorise(self) -> None:
        from scipy.linalg import LinAlgError, cholesky

        correlation = self._correlation(self._x, self._x)
        self._noise = 0.0
        for power in range(LEAST_NOISE, MOST_NOISE):
            try:
                noisy = correlation + self._noise * np.eye(len(correlation))
                self._factor = cholesky(noisy, lower=True, check_finite=False)
                return
            except LinAlgError:
                self._noise = math.exp(power)
        raise LinAlgError("no noise makes the correlations of the samples regular")
