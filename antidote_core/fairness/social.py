"""Social fairness: what does the worst-served group pay on average?

cost = max over groups of the mean squared distance from the group's points to their centre.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.checks import check_weights
from antidote_core.fairness.cost import FairnessCost, assigned_squared, group_means
from antidote_core.geometry import check_points, nearest_center, numbers
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class SocialTable:
    """Average cost per group (g,), and the group that decides."""

    group_costs: Floats
    cost: float
    group: int


def social_from_costs(group_costs: Floats) -> SocialTable:
    """The social table of average costs per group (g,)."""
    group = int(np.argmax(group_costs))
    return SocialTable(group_costs, float(group_costs[group]), group)


def social_table(
    labels: Ints,
    centers: Floats,
    points: Floats,
    groups: Ints,
    sample_weight: Floats | None = None,
) -> SocialTable:
    """The social table when each point pays the distance to the centre its label names."""
    squared = assigned_squared(labels, centers, points)
    return social_from_costs(group_means(squared, groups, int(groups.max()) + 1, sample_weight))


def social_cost(
    centers: Floats, points: Floats, groups: Ints, sample_weight: Floats | None = None
) -> float:
    """Social cost of centres (k, d) on points (n, d), each point with its nearest centre.

    With `sample_weight` (n,) the average of each group is weighted.

    >>> points = np.array([[0.0], [2.0], [9.0]])
    >>> social_cost(np.array([[1.0], [9.0]]), points, np.array([0, 0, 1]))
    1.0
    """
    points, groups, g = check_points(points, groups)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, len(points))
    centers = np.atleast_2d(numbers(centers, "centers"))
    _, squared = nearest_center(points, centers)
    return social_from_costs(group_means(squared, groups, g, sample_weight)).cost


def social_statistic(counts: Floats, group_costs: Floats) -> float:
    """The cost alone, in a form that numba can compile."""
    return group_costs.max()


def lowest_social_cost(
    points: Floats, groups: Ints, k: int, sample_weight: Floats | None = None
) -> float:
    """A social cost that no k centres can be below.

    k centres leave every group at least the variance outside of its k - 1 main directions (Ding and
    He, 2004), even if they stood there for this group alone.

    >>> points = np.array([[0.0], [2.0], [9.0]])
    >>> lowest_social_cost(points, np.array([0, 0, 1]), k=2)
    0.0
    """
    bounds = []
    for code in np.unique(groups):
        mine = groups == code
        weights = None if sample_weight is None else sample_weight[mine]
        spread = np.cov(points[mine].T, bias=True, aweights=weights)
        variances = np.linalg.eigvalsh(np.atleast_2d(spread))
        bounds.append(max(float(variances[: max(len(variances) - k + 1, 0)].sum()), 0.0))
    return max(bounds)


SOCIAL = FairnessCost(
    "social",
    "Social fairness",
    "The group that lies farthest from its centres on average should lie as near as possible.",
    statistic=social_statistic,
    compiles=True,
    lowest=lowest_social_cost,
    headline="What the worst-served group pays",
    effect="brings the average squared distance of the worst-served group from its centres "
    "down from {before} to {after}",
    meaning="Social cost: for every group, the average squared distance of its points to the "
    "centre of their cluster, in standard deviations. The group for which it is largest decides.",
    best="not known, above 0; the fair algorithm is the best known guide.",
    slide_note="The average squared distance of a group's points to their centre; the largest "
    "decides.",
    term="social cost",
    definition="The average squared distance of a group's points to their centres, "
    "for the group for which it is largest.",
)
