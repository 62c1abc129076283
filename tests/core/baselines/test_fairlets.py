"""Fairlets: the cheapest decomposition against enumeration, and the promise of every cluster."""

import itertools

import numpy as np
import pytest

from antidote_core.baselines import fairlets
from antidote_core.baselines.fairlets import MOST_ROWS
from antidote_core.errors import DataError, SpecError


def draw(seed, few, many):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.repeat([0, 1], [few, many]))
    return rng.normal(size=(few + many, 2)) + groups[:, None], groups


def star_cost(points, groups, number):
    """Everybody of the larger group (1) pays the squared distance to the host (0)."""
    total = 0.0
    for host in np.flatnonzero(groups == 0):
        guests = points[(number == number[host]) & (groups == 1)]
        total += ((guests - points[host]) ** 2).sum()
    return total


def cheapest_by_enumeration(points, groups, t):
    hosts, guests = points[groups == 0], points[groups == 1]
    best = np.inf
    for choice in itertools.product(range(len(hosts)), repeat=len(guests)):
        sizes = np.bincount(choice, minlength=len(hosts))
        if sizes.min() >= 1 and sizes.max() <= t:
            best = min(best, ((guests - hosts[list(choice)]) ** 2).sum())
    return best


@pytest.mark.parametrize("seed", range(8))
def test_decomposition_is_the_cheapest_of_all(seed):
    few, many, ratio = [(3, 6, None), (3, 5, None), (2, 7, 5), (4, 4, None)][seed % 4]
    points, groups = draw(seed, few, many)
    fair = fairlets(points, groups, 2, ratio=ratio)
    expected = cheapest_by_enumeration(points, groups, fair.ratio)
    assert star_cost(points, groups, fair.fairlets) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("few", "many", "ratio"), [(30, 30, None), (20, 50, None), (20, 50, 6)])
def test_every_fairlet_and_cluster_keeps_the_ratio(seed, few, many, ratio):
    points, groups = draw(seed, few, many)
    fair = fairlets(points, groups, 3, ratio=ratio, seed=seed)
    assert fair.ratio == (ratio or -(-many // few))
    table = np.zeros((few, 2), dtype=int)
    np.add.at(table, (fair.fairlets, groups), 1)
    assert (table[:, 0] == 1).all()
    assert table[:, 1].min() >= 1
    assert table[:, 1].max() <= fair.ratio
    clusters = np.zeros((3, 2), dtype=int)
    np.add.at(clusters, (fair.labels, groups), 1)
    assert clusters.min() > 0
    worst = (clusters.min(axis=1) / clusters.max(axis=1)).min()
    assert worst == fair.certificate >= 1 / fair.ratio
    for number in range(few):
        assert len(set(fair.labels[fair.fairlets == number])) == 1
    scatter = sum(
        ((points[fair.fairlets == i] - points[fair.fairlets == i].mean(axis=0)) ** 2).sum()
        for i in range(few)
    )
    assert fair.within == pytest.approx(scatter)
    assert fair.cost >= fair.within


def test_refusals():
    points, groups = draw(0, 4, 9)
    with pytest.raises(SpecError, match=r"ratio must be at least 3, since one group is 2\.25"):
        fairlets(points, groups, 2, ratio=2)
    with pytest.raises(SpecError, match=r"at most the size of the smaller group \(4\)"):
        fairlets(points, groups, 5)
    with pytest.raises(DataError, match="made of two groups; these rows have 3"):
        fairlets(points, np.r_[2, groups[1:]], 2)
    many = np.zeros((MOST_ROWS + 1, 1))
    with pytest.raises(SpecError, match="take at most 4,000 rows, and there are 4,001"):
        fairlets(many, np.arange(len(many)) % 2, 2)
