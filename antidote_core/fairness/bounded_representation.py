"""Bounded representation: is every group's share in every cluster near its share of all?

A group with share r of U may have between (1 - δ) r and r / (1 - δ) of a cluster (Bera et al. 2019,
with their usual δ = 0.2). cost = the most people by which a cell is outside of that.
"""

from __future__ import annotations

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats

DELTA = 0.2


def beyond_bounds(counts: Floats) -> Floats:
    """People by which each cell of counts (..., k, g) is outside of its bounds; 0 inside."""
    totals = counts.sum(axis=-1, keepdims=True)
    fair = totals * counts.sum(axis=-2, keepdims=True) / counts.sum(axis=(-2, -1), keepdims=True)
    beyond = np.maximum((1 - DELTA) * fair - counts, counts - fair / (1 - DELTA))
    return np.asarray(np.maximum(beyond, 0.0))


def bounded_statistic(counts: Floats, group_costs: Floats) -> float:
    """The most people by which a cell is outside of its bounds.

    >>> bounded_statistic(np.array([[50.0, 50.0], [30.0, 70.0]]), np.zeros(2))
    2.0
    """
    return float(beyond_bounds(counts).max())


BOUNDED = FairnessCost(
    "bounded",
    "Bounded representation",
    "Every group should have between 80 % and 125 % of its fair number of people in every cluster.",
    statistic=bounded_statistic,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    perfect=0.0,
    unit="people",
    headline="People beyond the bounds",
    effect="brings the people beyond the bounds from {before} to {after}",
    meaning="Bounded representation: with a fair mix a cluster would have a certain number of "
    "people of each group; between 80 % and 125 % of that is allowed. The cost is the number of "
    "people by which the worst cell is outside; 0 means that all bounds are kept.",
    best="0: every group is within its bounds in every cluster.",
    term="bounded representation",
    definition="The number of people by which the worst group is beyond 80 % to 125 % of its fair "
    "number in a cluster.",
    by_mix=True,
    usual_target=0.0,
)
