"""Pairwise balance: the smallest group of a cluster over its largest.

cost = -(min over clusters of the smallest count over the largest), after Chierichetti et al. 2017.
Where groups differ in size, 1 is out of reach: no clustering does better than the whole data.
"""

from __future__ import annotations

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats, Ints


def pairwise_statistic(counts: Floats, group_costs: Floats) -> float:
    """Minus the worst ratio of two counts in a cluster; 0 for a cluster that holds nobody.

    >>> pairwise_statistic(np.array([[4.0, 2.0], [3.0, 3.0]]), np.zeros(2))
    -0.5
    """
    present = counts[:, counts.sum(axis=0) > 0.0]
    most = present.max(axis=1)
    ratios = np.divide(present.min(axis=1), most, out=np.zeros_like(most), where=most > 0.0)
    return 0.0 - float(ratios.min())


def _lowest(points: Floats, groups: Ints, k: int, sample_weight: Floats | None = None) -> float:
    """That of the whole data: over clusters, ratios of two groups are averages of it."""
    sizes = np.bincount(groups, weights=sample_weight).astype(np.float64)
    return pairwise_statistic(sizes[None], sizes)


PAIRWISE_BALANCE = FairnessCost(
    "pairwise-balance",
    "Pairwise balance",
    "In every cluster the smallest group should be as large as the largest.",
    statistic=pairwise_statistic,
    worst=0.0,
    lowest=_lowest,
    meaning="Pairwise balance cost: in every cluster the number of people of the smallest group "
    "over that of the largest; the worst cluster decides, with a minus sign. Its best value is "
    "that of the whole data, and −1 only where all groups are equally large.",
    best="that of the whole data; −1 where all groups are equally large.",
    term="pairwise balance cost",
    definition="Minus the smallest ratio of two groups' numbers of people in any cluster.",
    by_mix=True,
    usual_target=-0.2,
)
