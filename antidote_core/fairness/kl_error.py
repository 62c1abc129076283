"""KL error: how far are the clusters' mixes from that of the whole, after Ziko et al. 2021.

cost = sum over clusters of KL(mix of U, mix of the cluster). A group that is missing from a cluster
would make it infinite; it counts as half a person there.
"""

from __future__ import annotations

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats

NOBODY = 0.5  # people that a missing group counts as


def kl_statistic(counts: Floats, group_costs: Floats) -> float:
    """The divergence of the overall mix from those of the clusters, summed over clusters.

    >>> kl_statistic(np.array([[4.0, 2.0], [2.0, 1.0]]), np.zeros(2))
    0.0
    """
    present = counts[:, counts.sum(axis=0) > 0.0]
    overall = present.sum(axis=0) / present.sum()
    people = np.where(present > 0.0, present, NOBODY)
    mixes = people / people.sum(axis=1, keepdims=True)
    return max(float((overall * np.log(overall / mixes)).sum()), 0.0)


KL_ERROR = FairnessCost(
    "kl",
    "KL error",
    "The mixes of all clusters together should be near that of the whole data set.",
    statistic=kl_statistic,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    perfect=0.0,
    meaning="KL error: the Kullback-Leibler divergence between the mix of the whole data and that "
    "of each cluster, summed over clusters; 0 means that all mixes are equal. A group that is "
    "missing from a cluster counts as half a person there.",
    best="0: every cluster has the mix of the whole data.",
    term="KL error",
    definition="How far the clusters' mixes of groups are from that of the whole data, as a sum of "
    "Kullback-Leibler divergences.",
    by_mix=True,
    usual_target=0.1,
)
