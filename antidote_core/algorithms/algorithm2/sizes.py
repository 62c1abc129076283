"""Which sizes of V Algorithm 2 tries, in which order, and what to try when none helps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.geometry import nearest_center
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.structured import switch_points
from antidote_core.places import Place, Rows
from antidote_core.problem import Problem
from antidote_core.runs.spec import LOWEST, RunSpec
from antidote_core.types import Floats, Ints

MAX_SHARE = 0.1  # default limit of |V| / |U|
SURE_SHARE = 0.5  # of the size that a straight line would ask for


class Sizes:
    """The sizes to try, from V_s on: each by ξ or by a factor larger, or doubling and bisection.

    >>> sizes = Sizes(RunSpec("bank", start_size=90, growth_factor=1.25), 45_211)
    >>> for _ in range(4):
    ...     sizes.record(sizes.next(), reached=False, rank=0.0)
    >>> sizes.failed
    [90, 113, 142, 178]
    """

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
        size = self.grown(self.last) if self.last else self.spec.start_size
        return size if size <= self.limit else None

    def grown(self, size: int) -> int:
        """The size after this one, where V only grows."""
        factor = self.spec.growth_factor
        if factor is None:
            return size + self.spec.step
        return max(size + 1, math.ceil(factor * size))

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


@dataclass(frozen=True)
class Switch:
    """Another optimum of k-means on U that is fairer, and what it would take to get there.

    It costs `cost`, has `lead` (a part) more inertia than plain clustering, and about `size`
    antidote points at one place would make up for that.
    """

    cost: float
    lead: float
    size: int

    @property
    def sentence(self) -> str:
        """What to do about it."""
        return (
            f"k-means knows another clustering of these data, of cost {self.cost:.3f}, with "
            f"{self.lead:.1%} more inertia. About {self.size:,} antidote points at one place would "
            f"tip the scales. Try a first size (V_s) of {self.size:,} or more, or the optimizer "
            "'design', which places points for such a switch."
        )


def nearest_switch(problem: Problem, box: tuple[Floats, Floats]) -> Switch | None:
    """The fairer optimum of k-means that takes fewest points; None where none is known."""
    evaluator = problem.evaluator
    if not isinstance(evaluator, KMeansEvaluator):
        return None
    plain = problem.rank(problem.points[:0])
    home, lowest = evaluator.basins[0], evaluator.basin_inertias[0]
    found = []
    for other, inertia in zip(evaluator.basins[1:], evaluator.basin_inertias[1:], strict=True):
        rank = problem.rank_of(other, *evaluator.at(other))
        places = switch_points(home, other, *box)
        if rank >= plain or not places:
            continue
        best = places[0][None]
        gain = float(nearest_center(best, home)[1][0] - nearest_center(best, other)[1][0])
        if gain > 0.0:
            size = math.ceil((inertia - lowest) / gain)
            found.append(Switch(problem.cost_at_rank(rank), float(inertia / lowest) - 1.0, size))
    return min(found, key=lambda switch: switch.size, default=None)


def tipping_size(problem: Problem, place: Place, target: float) -> int | None:
    """About how many points tip k-means into a known clustering of at most the cost `target`.

    Every point adds what it gains: by how much nearer it lies to the other centres than to those of
    plain clustering. Copies of rows are taken in the order of their gain, each row as often as it
    may be; in a box, all points go to the best place. None where no such clustering is known.
    """
    evaluator = problem.evaluator
    if not isinstance(evaluator, KMeansEvaluator):
        return None
    home, lowest = evaluator.basins[0], evaluator.basin_inertias[0]
    found = []
    for other, inertia in zip(evaluator.basins[1:], evaluator.basin_inertias[1:], strict=True):
        if problem.cost_at_rank(problem.rank_of(other, *evaluator.at(other))) > target:
            continue
        if isinstance(place, Rows):
            places, room = place.atoms, place.room
        else:
            best = switch_points(home, other, place.lower, place.upper)[:1]
            places, room = np.array(best).reshape(len(best), home.shape[1]), None
        size = _copies_needed(places, room, home, other, float(inertia - lowest))
        if size is not None:
            found.append(size)
    return min(found, default=None)


def _copies_needed(
    places: Floats, room: Ints | None, home: Floats, other: Floats, lead: float
) -> int | None:
    """How many points at these places (m, d) make up for the lead; `room` (m,) is how often each
    may be taken, None for any number."""
    if not len(places):
        return None
    gains = nearest_center(places, home)[1] - nearest_center(places, other)[1]
    order = np.argsort(-gains, kind="stable")
    size = 0
    for index in order:
        gain = float(gains[index])
        if gain <= 0.0:
            return None
        here = math.ceil(lead / gain)
        if room is None or here <= room[index]:
            return size + here
        size += int(room[index])
        lead -= gain * int(room[index])
    return None
