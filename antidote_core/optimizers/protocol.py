"""One protocol for every optimizer: exact budgets, boxes, cancelling and best-so-far in one place.

`minimise(f, box, budget, rng, on_eval=None, cancel=None, start=None) -> Minimum`

- `f` takes a vector (dim,) inside `box` and returns a float; it must not write to the vector.
  A value that is not finite (NaN, inf) counts as the worst, inf.
- `budget` is the largest number of evaluations of `f`, never exceeded.
- `rng` is the only source of randomness.
- `on_eval(count, value, x, best_value)` is called after each evaluation.
- `cancel()` is asked before each evaluation; when true, the best so far is returned.
- `start` is a point (dim,) or points (m, dim): clipped into the box, evaluated first, counted in
  the budget, and then used by the method.

A method is written as a `Search` in a `UnitCube`; `minimiser` makes a `minimise` of it. The
`Evaluator` below does the rest, and leaves a library in the middle of its loop by an exception.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from types import TracebackType
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from antidote_core.checks import check_whole
from antidote_core.errors import SpecError
from antidote_core.types import Floats

Objective = Callable[[Floats], float]
OnEval = Callable[[int, float, Floats, float], None]
Cancel = Callable[[], bool]


@dataclass(frozen=True, eq=False)
class Box:
    """The search space lower <= x <= upper, both (dim,); a coordinate may have no width.

    >>> box = Box([0, -1], [0, 1])
    >>> box.clip(np.array([3.0, -3.0]))
    array([ 0., -1.])
    """

    lower: Floats
    upper: Floats

    def __post_init__(self) -> None:
        for name in ("lower", "upper"):
            try:
                bound = np.array(getattr(self, name), dtype=np.float64)
            except (TypeError, ValueError):
                raise SpecError(f"box: {name} must be a list of numbers.") from None
            if bound.ndim != 1:
                raise SpecError(
                    f"box: {name} must have one number per coordinate; got shape {bound.shape}."
                )
            bound.setflags(write=False)
            object.__setattr__(self, name, bound)
        if self.lower.shape != self.upper.shape:
            raise SpecError(
                "box: lower and upper must have the same length; "
                f"got {self.lower.size} and {self.upper.size}."
            )
        if self.lower.size == 0:
            raise SpecError("box is empty: it needs at least one coordinate.")
        with np.errstate(over="ignore", invalid="ignore"):
            endless = np.flatnonzero(~np.isfinite(self.width))
        if endless.size:
            raise SpecError(f"box must be finite; {self._describe(endless[0])}.")
        upside_down = np.flatnonzero(self.lower > self.upper)
        if upside_down.size:
            raise SpecError(
                f"box is empty: lower must not exceed upper; {self._describe(upside_down[0])}."
            )

    def _describe(self, i: int) -> str:
        return f"coordinate {i} goes from {self.lower[i]:g} to {self.upper[i]:g}"

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return self.lower.size

    @property
    def width(self) -> Floats:
        """upper - lower, (dim,)."""
        return self.upper - self.lower

    def clip(self, x: Floats) -> Floats:
        """The nearest point of the box, (dim,); also rowwise, (m, dim). Always a new array."""
        return np.minimum(np.maximum(x, self.lower), self.upper)


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best point found, (dim,), its value, the evaluations spent; cancelled before the end?"""

    x: Floats
    value: float
    evaluations: int
    cancelled: bool


class Minimise(Protocol):
    """What every optimizer is; the module's docstring says what the arguments mean."""

    def __call__(
        self,
        f: Objective,
        box: Box,
        budget: int,
        rng: np.random.Generator,
        on_eval: OnEval | None = None,
        cancel: Cancel | None = None,
        start: ArrayLike | None = None,
    ) -> Minimum:
        """Look for the smallest value of f in the box."""


class _Stop(Exception):
    """Leaves whatever library is asking for values; caught by the evaluator that raised it."""

    def __init__(self, evaluator: Evaluator) -> None:
        super().__init__()
        self.evaluator = evaluator


class Evaluator(AbstractContextManager["Evaluator", bool]):
    """Counts, clips, cancels and remembers the best; as a context it ends when the budget does.

    >>> with Evaluator(lambda x: float(x @ x), Box([-1, -1], [1, 1]), budget=2) as evaluate:
    ...     while True:
    ...         value = evaluate(np.array([0.5, 7.0]))
    >>> value, evaluate.count, evaluate.minimum().x
    (1.25, 2, array([0.5, 1. ]))
    """

    def __init__(
        self,
        f: Objective,
        box: Box,
        budget: int,
        on_eval: OnEval | None = None,
        cancel: Cancel | None = None,
    ) -> None:
        check_whole("budget", budget, 1)
        self.box = box
        self.budget = int(budget)
        self.count = 0
        self.cancelled = False
        self.best_value = math.inf
        self.best_x = box.lower + box.width / 2
        self._f = f
        self._on_eval = on_eval
        self._cancel = cancel

    def __call__(self, x: Floats) -> float:
        """f at x (dim,), clipped into the box; inf when f gives no finite number."""
        if self.count >= self.budget:
            raise _Stop(self)
        if self._cancel is not None and self._cancel():
            self.cancelled = True
            raise _Stop(self)
        x = self.box.clip(x)
        value = float(self._f(x))
        if not math.isfinite(value):
            value = math.inf
        self.count += 1
        if value < self.best_value or self.count == 1:
            self.best_value, self.best_x = value, x
        if self._on_eval is not None:
            self._on_eval(self.count, value, x, self.best_value)
        return value

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        # A nested search (SRE) may be left by the stop of the search around it: let that pass.
        return isinstance(error, _Stop) and error.evaluator is self

    def minimum(self) -> Minimum:
        """The best so far; before the first evaluation the middle of the box, valued inf."""
        return Minimum(self.best_x.copy(), self.best_value, self.count, self.cancelled)


class UnitCube:
    """A box seen as the unit cube of those of its coordinates that have a width.

    So no method needs to know about scales, and none meets a coordinate that cannot move.
    Calling it with a point u (dim,) gives the value there; `starts` holds the starting points as
    (u, value), best first: they are evaluated already.
    """

    def __init__(self, evaluate: Evaluator) -> None:
        self.starts: list[tuple[Floats, float]] = []
        self._evaluate = evaluate
        self._lower, self._width = evaluate.box.lower, evaluate.box.width
        self._free = np.flatnonzero(self._width > 0)
        self._full = self._free.size == self._width.size

    @property
    def dim(self) -> int:
        """Number of coordinates that have a width."""
        return self._free.size

    @property
    def budget(self) -> int:
        """Evaluations allowed in all."""
        return self._evaluate.budget

    @property
    def remaining(self) -> int:
        """Evaluations left."""
        return self._evaluate.budget - self._evaluate.count

    def __call__(self, u: Floats) -> float:
        """The value at u (dim,); outside the cube, that of the nearest point inside."""
        u = np.minimum(np.maximum(u, 0.0), 1.0)
        if self._full:
            return self._evaluate(self._lower + u * self._width)
        x = self._lower.copy()
        x[self._free] += u * self._width[self._free]
        return self._evaluate(x)

    def begin(self, points: Floats) -> None:
        """Evaluate the starting points (m, box dim) as they stand, in their order."""
        for x in points:
            u = (self._evaluate.box.clip(x) - self._lower)[self._free]
            self.starts.append((u / self._width[self._free], self._evaluate(x)))
        self.starts.sort(key=lambda start: start[1])


Search = Callable[[UnitCube, np.random.Generator], None]


def evaluated(
    search: Callable[[Evaluator, np.random.Generator, ArrayLike | None], None],
) -> Minimise:
    """The `minimise` of a method that asks an `Evaluator` for values.

    `search(evaluate, rng, start)` may run for ever: it is left by an exception when the budget is
    used up.
    """

    def minimise(
        f: Objective,
        box: Box,
        budget: int,
        rng: np.random.Generator,
        on_eval: OnEval | None = None,
        cancel: Cancel | None = None,
        start: ArrayLike | None = None,
    ) -> Minimum:
        with Evaluator(f, box, budget, on_eval, cancel) as evaluate:
            search(evaluate, rng, start)
        return evaluate.minimum()

    minimise.__name__, minimise.__doc__ = search.__name__, search.__doc__
    return minimise


def minimiser(search: Search) -> Minimise:
    """The `minimise` of a method that only looks for points of the unit cube."""

    @wraps(search)
    def in_cube(evaluate: Evaluator, rng: np.random.Generator, start: ArrayLike | None) -> None:
        cube = UnitCube(evaluate)
        cube.begin(_start_points(start, evaluate.box.dim))
        if cube.dim > 0:
            search(cube, rng)
        elif evaluate.count == 0:
            evaluate(evaluate.box.lower)  # the only point there is

    return evaluated(in_cube)


def _start_points(start: ArrayLike | None, dim: int) -> Floats:
    if start is None:
        return np.empty((0, dim))
    try:
        points = np.asarray(start, dtype=np.float64)
    except (TypeError, ValueError):
        raise SpecError("start must be points of numbers, all of the same length.") from None
    if points.size == 0:
        return np.empty((0, dim))
    if points.ndim == 1:
        points = points[None]
    if points.ndim != 2 or points.shape[1] != dim:
        raise SpecError(
            f"start must be points of {dim} coordinates, as the box has; got shape {points.shape}."
        )
    if np.isnan(points).any():
        raise SpecError("start must hold no missing values (NaN).")
    return points
