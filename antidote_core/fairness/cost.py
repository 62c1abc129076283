"""What a fairness cost is: how it is computed, and all that is said about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.fairness.statistics import assigned_squared, cluster_counts, group_means
from antidote_core.geometry import nearest_center
from antidote_core.numerals import number
from antidote_core.types import Floats, Ints

Cost = Callable[[Floats, Floats, Ints], float]
Statistic = Callable[[Floats, Floats], float]


@dataclass(frozen=True)
class FairnessCost:
    """A cost F(centres, points, groups), and the words for it.

    `statistic(counts (k, g), group_costs (g,))` gives the cost from the cluster x group counts and
    the average cost per group; a cost that has one is evaluated without touching the points, and
    fits clusterings whose labels are not those of the nearest centre. A cost that needs more than
    that has `cost(centers, points, groups)` instead. `compiles` says that numba can compile the
    statistic.

    `worst` is the highest value there is, where many clusterings can have it; `finer` is a further
    statistic that orders those, lower is nearer to leaving it. `lowest(points, groups, k)` is a
    value that no clustering can be below.

    The rest is what screens and reports say, and may be left out: `meaning` explains the cost at
    length, `perfect` is the value of a clustering that could not be fairer, where that is known;
    `shown` writes a value as people read it and `unit` stands behind it; `headline` is what it is
    called beside a large number, and `effect` says what a run did, from `{before}` to `{after}`.
    `best` is its lowest possible value, `slide_note` its scale in one line; `term` is its word in
    the glossary and `definition` the sentence there. `by_mix` says that the cost is about who is in
    which cluster, not about what the groups pay; `usual_target` is offered first.
    """

    name: str
    title: str
    sentence: str
    statistic: Statistic | None = None
    cost: Cost | None = None
    compiles: bool = False
    worst: float = math.inf
    finer: Statistic | None = None
    lowest: Callable[[Floats, Ints, int], float] | None = None
    meaning: str = ""
    perfect: float | None = None
    shown: Callable[[float, int], str] = number
    unit: str = ""
    headline: str = "Cost, lower is fairer"
    effect: str = "lowers the cost from {before} to {after}"
    best: str = "not known for this cost."
    slide_note: str = ""
    term: str = ""
    definition: str = ""
    by_mix: bool = False
    usual_target: float = 1.0

    @property
    def label(self) -> str:
        """The cost as axes and tables call it."""
        return f"{self.title} cost"

    def level(self, cost: float, digits: int = 3) -> str:
        """A value in plain words."""
        return f"{self.shown(cost, digits)} {self.unit}".strip()

    def of_centers(self, centers: Floats, points: Floats, groups: Ints) -> float:
        """The cost with every point at its nearest centre."""
        if self.cost is not None:
            return float(self.cost(centers, points, groups))
        labels, _ = nearest_center(points, centers)
        return self.of_labels(labels, centers, points, groups)

    def of_labels(self, labels: Ints, centers: Floats, points: Floats, groups: Ints) -> float:
        """The cost with every point at the centre its label names."""
        if self.statistic is None:
            return self.of_centers(centers, points, groups)
        g = int(groups.max()) + 1
        counts = cluster_counts(labels, groups, len(centers), g)
        squared = assigned_squared(labels, centers, points)
        return float(self.statistic(counts, group_means(squared, groups, g)))
