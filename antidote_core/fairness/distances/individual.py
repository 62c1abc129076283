"""Individual fairness: does everyone have a centre within their own neighbourhood?

After Jung, Kannan and Lutz 2020. cost = max over people of the distance to the nearest centre over
that to the ⌈n/k⌉-th nearest person, oneself among them. On large data, of a sample of the rows.
"""

from __future__ import annotations

import math

import numpy as np

from antidote_core.fairness.cost import FairnessCost
from antidote_core.fairness.distances.proportionality import sampled
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints


def individual_cost(centers: Floats, points: Floats, groups: Ints) -> float:
    """The worst ratio of a person's distance to a centre and to the ⌈n/k⌉-th neighbour.

    >>> points = np.array([[0.0], [1.0], [10.0], [11.0]])
    >>> individual_cost(np.array([[0.5], [10.5]]), points, np.array([0, 0, 1, 1]))
    0.5
    """
    from scipy.spatial.distance import cdist

    people = sampled(points)
    paid = np.sqrt(nearest_center(people, centers)[1])
    nth = math.ceil(len(people) / len(centers)) - 1
    radius = np.partition(cdist(people, people), nth, axis=1)[:, nth]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(paid > 0.0, paid / radius, 0.0)
    return float(ratios.max())


INDIVIDUAL = FairnessCost(
    "individual",
    "Individual fairness",
    "Everyone should have a centre among the n/k people nearest to them.",
    cost=individual_cost,
    lowest=lambda points, groups, k, sample_weight=None: 0.0,
    meaning="Individual fairness: everyone's neighbourhood holds the n/k people nearest to them. "
    "The cost is the largest ratio of the distance to a centre and the radius of that "
    "neighbourhood; at 1 or below everyone has a centre inside. Groups do not matter to it. At "
    "most 500 rows are looked at.",
    best="1 or below: everyone has a centre in their own neighbourhood.",
    term="individual fairness",
    definition="The largest ratio of a person's distance to a centre and to the n/k-th neighbour.",
    usual_target=1.0,
)
