"""Total variation: do the groups spread alike over the clusters?

cost = max over pairs of groups of half of the sum over clusters of the difference between the parts
of the two groups that are there; 0 when all spread alike, 1 when two groups share no cluster.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats


def variation_statistic(counts: Floats, group_costs: Floats) -> float:
    """The largest total variation distance between how two groups spread over clusters.

    >>> variation_statistic(np.array([[4.0, 0.0], [0.0, 2.0]]), np.zeros(2))
    1.0
    """
    sizes = counts.sum(axis=0)
    parts = (counts / np.where(sizes > 0.0, sizes, 1.0)).T[sizes > 0.0]
    apart = [float(np.abs(a - b).sum()) / 2.0 for a, b in combinations(parts, 2)]
    return max(apart, default=0.0)


TOTAL_VARIATION = FairnessCost(
    "variation",
    "Total variation",
    "All groups should spread over the clusters in the same way.",
    statistic=variation_statistic,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    perfect=0.0,
    meaning="Total variation: the part of one group that would have to change cluster so that it "
    "spreads over them like another group; the worst pair of groups decides. 0 means that all "
    "spread alike, 1 that two groups share no cluster.",
    best="0: all groups spread alike.",
    term="total variation",
    definition="The part of a group that would have to change cluster to spread like another one; "
    "the worst pair decides.",
    by_mix=True,
    usual_target=0.1,
)
