"""Group-cost gap: how much more does the worst-served group pay than the best-served one?

cost = max over groups minus min over groups of the mean squared distance to the centre, the
disparity between groups that socially fair clustering sets out to close (Ghadiri et al. 2021).
"""

from __future__ import annotations

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats


def gap_statistic(counts: Floats, group_costs: Floats) -> float:
    """Largest minus smallest average group cost; codes that no point carries are left out.

    >>> import numpy as np
    >>> float(gap_statistic(np.ones((2, 2)), np.array([1.0, 3.5])))
    2.5
    """
    paid = group_costs[counts.sum(axis=0) > 0.0]
    return paid.max() - paid.min()


GAP = FairnessCost(
    "gap",
    "Group-cost gap",
    "The worst-served group should lie hardly farther from its centres than the best-served.",
    statistic=gap_statistic,
    compiles=True,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    perfect=0.0,
    effect="narrows the gap between what the groups pay from {before} to {after}",
    meaning="Group-cost gap: the difference between the groups that lie farthest from and nearest "
    "to their centres on average; 0 means that all groups lie equally far.",
    best="0: all groups lie equally far from their centres.",
    term="group-cost gap",
    definition="How much farther from its centres the worst-served group lies than "
    "the best-served.",
)
