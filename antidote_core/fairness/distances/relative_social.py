"""Relative social fairness: what does a group pay over the best that it could have alone?

cost = max over groups of the mean squared distance to the centre over that of the group's own
k-means with as many centres. A group of at most k different points could lie on its centres, and is
left out.
"""

from __future__ import annotations

from hashlib import blake2b

import numpy as np

from antidote_core.fairness.cost import FairnessCost, group_means
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints

STARTS = 10  # of the k-means of a group alone
KEPT = 16  # data sets whose groups are remembered
_alone: dict[bytes, Floats] = {}


def best_alone(points: Floats, groups: Ints, k: int, sample_weight: Floats | None = None) -> Floats:
    """The mean squared distance (g,) of each group under k-means of its own, best of ten starts.

    NaN for a code that no point carries, 0 for a group of at most k different points.

    >>> points = np.array([[0.0], [2.0], [8.0], [10.0], [5.0]])
    >>> best_alone(points, np.array([0, 0, 0, 0, 1]), k=2).tolist()
    [1.0, 0.0]
    """
    arrays = [points, groups] if sample_weight is None else [points, groups, sample_weight]
    digest = blake2b(f"{points.shape} {k}".encode())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    key = digest.digest()
    if key not in _alone:
        while len(_alone) >= KEPT:
            _alone.pop(next(iter(_alone)), None)
        _alone[key] = _computed(points, groups, k, sample_weight)
    return _alone[key]


def _computed(points: Floats, groups: Ints, k: int, sample_weight: Floats | None) -> Floats:
    from sklearn.cluster import KMeans

    found = np.full(int(groups.max()) + 1, np.nan)
    for code in np.unique(groups):
        mine = np.flatnonzero(groups == code)
        mine = mine[np.lexsort(points[mine].T)]  # the order of the rows must not matter
        weights = None if sample_weight is None else sample_weight[mine]
        if len(np.unique(points[mine], axis=0)) <= k:
            found[code] = 0.0
            continue
        model = KMeans(k, n_init=STARTS, random_state=0).fit(points[mine], sample_weight=weights)
        found[code] = model.inertia_ / (len(mine) if weights is None else weights.sum())
    return found


def relative_costs(group_costs: Floats, alone: Floats) -> Floats:
    """What groups (..., g) pay over the best they could have alone; NaN where that is nothing."""
    return np.asarray(group_costs / np.where(alone > 0.0, alone, np.nan))


def relative_social_cost(centers: Floats, points: Floats, groups: Ints) -> float:
    """The largest ratio of what a group pays and what it would pay alone; 1 where none has one.

    >>> points, groups = np.array([[0.0], [2.0], [8.0], [10.0]]), np.zeros(4, dtype=int)
    >>> relative_social_cost(np.array([[1.0], [11.0]]), points, groups)
    3.0
    """
    alone = best_alone(points, groups, len(centers))
    _, squared = nearest_center(points, centers)
    ratios = relative_costs(group_means(squared, groups, len(alone)), alone)
    return float(np.nanmax(ratios)) if np.isfinite(ratios).any() else 1.0


RELATIVE_SOCIAL = FairnessCost(
    "relative-social",
    "Relative social fairness",
    "No group should pay much more than it would if all centres were there for it alone.",
    cost=relative_social_cost,
    effect="brings what the worst-served group pays from {before} to {after} times the best that "
    "it could have alone",
    meaning="Relative social cost: for every group, the average squared distance of its points to "
    "their centres over that which k-means of this group alone finds with as many centres (the "
    "best of ten starts). The group for which it is largest decides. A group that spreads widely "
    "is not blamed for it.",
    best="1: every group lies as near as if all centres were there for it alone.",
    term="relative social cost",
    definition="How many times as far from its centres, in squares, a group lies as it would with "
    "all centres for itself; the largest decides.",
    usual_target=1.5,
)
