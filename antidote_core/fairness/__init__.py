"""Fairness costs: pure functions of (centres, points, groups); lower is fairer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.errors import SpecError
from antidote_core.fairness.balance import (
    BalanceTable,
    balance_cost,
    balance_from_counts,
    balance_statistic,
    balance_table,
)
from antidote_core.fairness.gap import gap_statistic
from antidote_core.fairness.social import (
    SocialTable,
    social_cost,
    social_from_costs,
    social_statistic,
    social_table,
)
from antidote_core.fairness.statistics import assigned_squared, cluster_counts, group_means
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints

Cost = Callable[[Floats, Floats, Ints], float]
Statistic = Callable[[Floats, Floats], float]


@dataclass(frozen=True)
class FairnessCost:
    """A cost F(centres, points, groups).

    `statistic(counts (k, g), group_costs (g,))` gives the cost from the cluster x group counts and
    the average cost per group; a cost that has one is evaluated without touching the points, and
    fits clusterings whose labels are not those of the nearest centre. A cost that needs more than
    that has `cost(centers, points, groups)` instead. `compiles` says that numba can compile the
    statistic.
    """

    name: str
    title: str
    sentence: str
    statistic: Statistic | None = None
    cost: Cost | None = None
    compiles: bool = False

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


FAIRNESS: dict[str, FairnessCost] = {}


def register_fairness(entry: FairnessCost) -> FairnessCost:
    """Make a cost available under its name, in the library and on the screens.

    >>> import numpy as np
    >>> def spread(centers, points, groups):
    ...     labels, squared = nearest_center(points, centers)
    ...     return float(np.std([squared[groups == j].mean() for j in set(groups)]))
    >>> entry = FairnessCost("spread", "Spread", "Spread of the group costs.", cost=spread)
    >>> _ = register_fairness(entry)
    >>> get_fairness("spread").of_centers(np.zeros((2, 1)), np.ones((4, 1)), np.array([0, 0, 1, 1]))
    0.0
    >>> del FAIRNESS["spread"]
    """
    if (entry.statistic is None) == (entry.cost is None):
        raise SpecError(
            f"The fairness cost {entry.name!r} must have either a statistic or a cost function."
        )
    if entry.name in FAIRNESS:
        raise SpecError(f"A fairness cost named {entry.name!r} exists already; choose another.")
    FAIRNESS[entry.name] = entry
    return entry


def get_fairness(name: str) -> FairnessCost:
    """The cost of that name, or a sentence that lists the names."""
    if name not in FAIRNESS:
        known = ", ".join(repr(key) for key in FAIRNESS)
        raise SpecError(f"fairness must be one of {known}; got {name!r}.")
    return FAIRNESS[name]


register_fairness(
    FairnessCost(
        "balance",
        "Balance",
        "Every cluster should have the same mix of groups as the whole data set.",
        statistic=balance_statistic,
        compiles=True,
    )
)
register_fairness(
    FairnessCost(
        "social",
        "Social fairness",
        "The group that lies farthest from its centres on average should lie as near as possible.",
        statistic=social_statistic,
        compiles=True,
    )
)
register_fairness(
    FairnessCost(
        "gap",
        "Group-cost gap",
        "The worst-served group should lie hardly farther from its centres than the best-served.",
        statistic=gap_statistic,
        compiles=True,
    )
)

__all__ = [
    "FAIRNESS",
    "BalanceTable",
    "FairnessCost",
    "SocialTable",
    "assigned_squared",
    "balance_cost",
    "balance_from_counts",
    "balance_table",
    "cluster_counts",
    "get_fairness",
    "group_means",
    "register_fairness",
    "social_cost",
    "social_from_costs",
    "social_table",
]
