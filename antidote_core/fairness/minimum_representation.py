"""Minimum representation: does every group have a cluster in which it is the majority?

After MiniReL (Lawless and Günlük 2024), with a share of one half in one cluster.
cost = max over groups of what its largest share in a cluster lacks to one half.
"""

from __future__ import annotations

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats

MAJORITY = 0.5


def representation_statistic(counts: Floats, group_costs: Floats) -> float:
    """What the worst-represented group lacks to a majority in the cluster where it is strongest.

    >>> representation_statistic(np.array([[6.0, 4.0], [7.0, 3.0]]), np.zeros(2))
    0.1
    """
    sizes, totals = counts.sum(axis=0), counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0.0)
    strongest = shares.max(axis=0)[sizes > 0.0]
    return round(max(MAJORITY - float(strongest.min()), 0.0), 12)


MINIMUM_REPRESENTATION = FairnessCost(
    "representation",
    "Minimum representation",
    "Every group should be the majority in at least one cluster.",
    statistic=representation_statistic,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    perfect=0.0,
    meaning="Minimum representation: every group is looked at in the cluster where its share is "
    "largest; the cost is what the worst group lacks to one half there. 0 means that every group "
    "is the majority somewhere, which needs at least as many clusters as groups.",
    best="0: every group is the majority in a cluster.",
    term="minimum representation",
    definition="What the worst-represented group lacks to a majority in the cluster where it is "
    "strongest.",
    by_mix=True,
    usual_target=0.0,
)
