"""Mean balance: how well is the average cluster mixed?

cost = -(mean over clusters of the smallest min(R, 1/R) over groups), R as for balance: the form
that newer benchmarks report. One bad cluster among many weighs little here.
"""

from __future__ import annotations

from antidote_core.fairness.balance import balance_from_counts
from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats


def mean_balance_statistic(counts: Floats, group_costs: Floats) -> float:
    """Minus the mean over clusters of the worst part of a fair share.

    >>> import numpy as np
    >>> mean_balance_statistic(np.array([[5.0, 5.0], [5.0, 5.0]]), np.zeros(2))
    -1.0
    """
    return 0.0 - float(balance_from_counts(counts).ratios.min(axis=1).mean())


MEAN_BALANCE = FairnessCost(
    "mean-balance",
    "Mean balance",
    "The clusters, on average, should have the mix of groups of the whole data set.",
    statistic=mean_balance_statistic,
    worst=0.0,
    perfect=-1.0,
    lowest=lambda points, groups, k, sample_weight=None: -1.0,
    meaning="Mean balance cost: in every cluster the worst ratio between a group's share there and "
    "in the whole data, averaged over the clusters, with a minus sign. −1 means that every cluster "
    "is mixed like the whole data; a single bad cluster weighs 1/k.",
    best="−1: every cluster has the mix of the whole data.",
    term="mean balance cost",
    definition="Minus the mean over clusters of the smallest part of its fair share that any group "
    "has there.",
    by_mix=True,
    usual_target=-0.8,
)
