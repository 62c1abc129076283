"""Which sizes of V Algorithm 2 tries, and in which order."""

from __future__ import annotations

import math

from antidote_core.optimizers import get_optimizer
from antidote_core.runs.spec import LOWEST, RunSpec

MAX_SHARE = 0.1  # default limit of |V| / |U|
SURE_SHARE = 0.5  # of the size that a straight line would ask for


class Sizes:
    """The sizes to try: start, start + ξ, ... or, for "bisect", doubling and then bisection."""

    def __init__(self, spec: RunSpec, n: int) -> None:
        self.spec = spec
        self.limit = spec.max_size or max(spec.start_size, int(MAX_SHARE * n))
        # A design of fewer points may fail by chance: stop within 7% of the smallest that works.
        self.tolerance = 0.07 if get_optimizer(spec.optimizer).designs else 0.0
        self.tried = 0
        self.failed: list[int] = []
        self.works: int | None = None  # smallest size known to reach the target
        self.last = 0
        self.lowest = math.inf  # rank of the best V so far
        self.stalled = 0  # rounds in a row without a better one
        self.guess = 0  # sizes below this are hardly worth trying

    @property
    def fails(self) -> int:
        """Largest size known to fail below the smallest that works."""
        return max((s for s in self.failed if self.works is None or s < self.works), default=0)

    @property
    def rounds_left(self) -> bool:
        """Whether the limit of rounds allows one more."""
        return self.spec.max_rounds is None or self.tried < self.spec.max_rounds

    @property
    def moving(self) -> bool:
        """Whether one of the last rounds brought something better."""
        most = self.spec.max_stalled
        return most is None or self.works is not None or self.stalled < most

    def next(self) -> int | None:
        """The size to try now; None when there is none left."""
        if not self.rounds_left or not self.moving:
            return None
        if self.spec.target == LOWEST:
            return self.limit if not self.tried else None
        if self.spec.growth == "bisect":
            return self._bisected()
        if self.works is not None:
            return None
        size = self.last + self.spec.step if self.last else self.spec.start_size
        return size if size <= self.limit else None

    def _bisected(self) -> int | None:
        if self.works is None:
            size = max(2 * self.fails, self.guess) if self.fails else self.spec.start_size
            size = min(size, self.limit)
            return size if size > self.fails else None
        middle = (self.fails + self.works) // 2
        if self.works - self.fails <= self.tolerance * self.works:
            return None
        return middle if self.fails < middle < self.works else None

    def record(self, size: int, reached: bool, rank: float, way: float = 0.0) -> None:
        """What became of a size; `way` is the share of the way to the target that it came."""
        self.tried += 1
        self.stalled = 0 if reached or rank < self.lowest else self.stalled + 1
        self.lowest = min(self.lowest, rank)
        if way > 0.0:
            self.guess = int(SURE_SHARE * size / way)
        self.last = size
        if reached:
            self.works = min(size, self.works or size)
        else:
            self.failed.append(size)
