"""Social ratio: how many times as much as the best-served group does the worst-served one pay?

cost = max over groups over min over groups of the mean squared distance to the centre; 1 when all
pay alike.
"""

from __future__ import annotations

import math

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats


def ratio_statistic(counts: Floats, group_costs: Floats) -> float:
    """Largest over smallest average group cost; infinite where a group pays nothing.

    >>> import numpy as np
    >>> ratio_statistic(np.ones((2, 2)), np.array([2.0, 3.0]))
    1.5
    """
    paid = group_costs[counts.sum(axis=0) > 0.0]
    least, most = float(paid.min()), float(paid.max())
    if least > 0.0:
        return most / least
    return math.inf if most > 0.0 else 1.0


SOCIAL_RATIO = FairnessCost(
    "social-ratio",
    "Social ratio",
    "The worst-served group should lie hardly farther from its centres, in proportion, than the "
    "best-served.",
    statistic=ratio_statistic,
    lowest=lambda points, groups, k, sample_weight=None: 1.0,
    perfect=1.0,
    effect="brings what the worst-served group pays from {before} to {after} times that of the "
    "best-served",
    meaning="Social ratio: the average squared distance of the group that lies farthest from its "
    "centres over that of the one that lies nearest; 1 means that all groups lie equally far.",
    best="1: all groups lie equally far from their centres.",
    term="social ratio",
    definition="How many times as far from its centres, in squares, the worst-served group lies as "
    "the best-served.",
    usual_target=1.1,
)
