"""Proportionality: could a k-th of the people agree on a better centre? After Chen et al. 2019.

cost = the smallest ρ >= 1 such that no ⌈n/k⌉ people all have another centre more than ρ times
nearer. Other centres are the rows themselves; on large data, both people and centres are every
i-th row, so the cost is that of a sample.
"""

from __future__ import annotations

import math

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints

SAMPLE = 500


def sampled(points: Floats) -> Floats:
    """At most SAMPLE rows, evenly through the data."""
    return points[:: math.ceil(len(points) / SAMPLE)]


def proportionality_cost(centers: Floats, points: Floats, groups: Ints) -> float:
    """The smallest factor by which nobody's coalition can do better; groups do not matter.

    >>> points = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> proportionality_cost(np.array([[0.5], [10.5]]), points, np.array([0, 0, 1, 1]))
    1.0
    >>> proportionality_cost(np.array([[0.5], [0.6]]), points, np.array([0, 0, 1, 1]))
    10.4
    """
    from scipy.spatial.distance import cdist

    people = sampled(points)
    paid = np.sqrt(nearest_center(people, centers)[1])
    other = cdist(people, people)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = np.where(other > 0.0, paid[:, None] / other, np.where(paid[:, None] > 0, np.inf, 1))
    coalition = math.ceil(len(people) / len(centers))
    agreed = -np.partition(-gains, coalition - 1, axis=0)[coalition - 1]
    return max(float(agreed.max()), 1.0)


PROPORTIONALITY = FairnessCost(
    "proportionality",
    "Proportionality",
    "No k-th of the people should be able to agree on a centre that is better for all of them.",
    cost=proportionality_cost,
    lowest=lambda points, groups, k, sample_weight=None: 1.0,
    perfect=1.0,
    meaning="Proportionality: n/k people may ask for a centre of their own. The cost is the factor "
    "by which the most unhappy ones would all be nearer to another person's place; 1 means that "
    "nobody has reason to. Groups do not matter to it. At most 500 rows are looked at.",
    best="1: no n/k people all prefer another centre.",
    term="proportionality",
    definition="The factor by which some n/k people would all be nearer to another centre.",
    usual_target=1.5,
)
