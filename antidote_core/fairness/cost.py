"""What a fairness cost is: how it is computed, and all that is said about it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidote_core.errors import AntidoteError, SpecError
from antidote_core.geometry import nearest_center
from antidote_core.numerals import number
from antidote_core.types import Floats, Ints


def cluster_counts(
    labels: Ints, groups: Ints, k: int, g: int, sample_weight: Floats | None = None
) -> Floats:
    """Number of points of U per cluster and group, (k, g), or their weight where they have one.

    >>> cluster_counts(np.array([0, 0, 1]), np.array([0, 1, 1]), k=2, g=2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    flat = np.bincount(labels * g + groups, weights=sample_weight, minlength=k * g)
    return flat.reshape(k, g).astype(np.float64)


def group_means(
    squared: Floats, groups: Ints, g: int, sample_weight: Floats | None = None
) -> Floats:
    """Average squared distance per group, (g,); 0 for a code that no point carries.

    >>> squared, groups = np.array([1.0, 4.0, 9.0]), np.array([0, 0, 1])
    >>> group_means(squared, groups, g=2, sample_weight=np.array([2.0, 1.0, 5.0])).tolist()
    [2.0, 9.0]
    """
    sizes = np.bincount(groups, weights=sample_weight, minlength=g)
    paid = squared if sample_weight is None else squared * sample_weight
    return np.bincount(groups, weights=paid, minlength=g) / np.where(sizes > 0, sizes, 1)


def assigned_squared(labels: Ints, centers: Floats, points: Floats) -> Floats:
    """Squared distance (n,) of each point to the centre its label names."""
    offset = points - centers[labels]
    return np.asarray(np.einsum("ij,ij->i", offset, offset))


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

    Where the points have weights, counts and averages are weighted, so a statistic need not know
    of them; a `cost` of its own cannot be had for weighted data.

    `worst` is the highest value there is, where many clusterings can have it; `finer` is a further
    statistic that orders those, lower is nearer to leaving it. `lowest(points, groups, k)` is a
    value that no clustering can be below; for weighted points it is called with `sample_weight=` as
    well.

    The rest is what screens and reports say, and may be left out: `meaning` explains the cost at
    length, `perfect` is the value of a clustering that could not be fairer, where that is known;
    `shown` writes a value as people read it and `unit` stands behind it; `headline` is what it is
    called beside a large number, and `effect` says what a run did, from `{before}` to `{after}`.
    `best` is its lowest possible value, `slide_note` its scale in one line; `term` is its word in
    the glossary and `definition` the sentence there. `by_mix` says that the cost is about who is in
    which cluster, not about what the groups pay; `is_share` that it is minus a part of a fair
    share, so that four fifths mean something; `usual_target` is offered first.

    >>> worst_paid = FairnessCost("worst", "Worst", "What the worst-served group pays.",
    ...                           statistic=lambda counts, group_costs: float(group_costs.max()))
    >>> worst_paid.of_centers(np.array([[0.0]]), np.array([[1.0], [2.0]]), np.array([0, 1]))
    4.0
    """

    name: str
    title: str
    sentence: str
    statistic: Statistic | None = None
    cost: Cost | None = None
    compiles: bool = False
    worst: float = math.inf
    finer: Statistic | None = None
    lowest: Callable[..., float] | None = None
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
    is_share: bool = False
    usual_target: float = 1.0

    @property
    def label(self) -> str:
        """The cost as axes and tables call it."""
        return f"{self.title} cost"

    def level(self, cost: float, digits: int = 3) -> str:
        """A value in plain words."""
        return f"{self.shown(cost, digits)} {self.unit}".strip()

    def of_centers(
        self,
        centers: Floats,
        points: Floats,
        groups: Ints,
        sample_weight: Floats | None = None,
    ) -> float:
        """The cost with every point at its nearest centre."""
        if self.cost is not None:
            self.check_weighable(sample_weight)
            return self.value_of(self.cost, centers, points, groups)
        labels, _ = nearest_center(points, centers)
        return self.of_labels(labels, centers, points, groups, sample_weight)

    def of_labels(
        self,
        labels: Ints,
        centers: Floats,
        points: Floats,
        groups: Ints,
        sample_weight: Floats | None = None,
    ) -> float:
        """The cost with every point at the centre its label names."""
        if self.statistic is None:
            return self.of_centers(centers, points, groups, sample_weight)
        g = int(groups.max()) + 1
        counts = cluster_counts(labels, groups, len(centers), g, sample_weight)
        squared = assigned_squared(labels, centers, points)
        group_costs = group_means(squared, groups, g, sample_weight)
        return self.value_of(self.statistic, counts, group_costs)

    def value_of(self, function: Callable[..., Any], *arguments: Any) -> float:
        """What a function of this cost gives: a finite number, or a sentence about it."""
        try:
            value = function(*arguments)
        except AntidoteError:
            raise
        except Exception as error:
            raise SpecError(
                f"The cost {self.name!r} failed ({type(error).__name__}: {error}); mend it."
            ) from error
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise SpecError(
                f"The cost {self.name!r} must return one finite number; got {value!r:.60}."
            )
        return number

    def lower_bound(
        self, points: Floats, groups: Ints, k: int, sample_weight: Floats | None = None
    ) -> float:
        """A value that no k clusters of these points are below; minus infinity if none is known."""
        if self.lowest is None:
            return -math.inf
        weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.lowest(points, groups, k, **weighted)

    def check_weighable(self, sample_weight: Floats | None) -> None:
        """Refuse weights that a cost of its own does not know of."""
        if sample_weight is not None and self.statistic is None:
            raise SpecError(
                f"The cost {self.name!r} is a function of centres, points and groups, and these "
                "rows have weights; give it a statistic of counts and group costs, which are "
                "weighted, or take rows without weights."
            )
