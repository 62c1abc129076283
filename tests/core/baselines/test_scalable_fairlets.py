"""Fairlets by a tree: always a decomposition, near the flow's, and local where the data are."""

import numpy as np
import pytest

from antidote_core.baselines import fairlets, scalable_fairlets
from antidote_core.baselines.scalable_fairlets import tree_fairlets
from tests.core.baselines.test_fairlets import draw, star_cost


@pytest.mark.parametrize("seed", range(12))
def test_every_host_has_one_to_t_guests(seed):
    rng = np.random.default_rng(seed)
    few = int(rng.integers(1, 40))
    t = int(rng.integers(1, 6))
    many = int(rng.integers(few, t * few + 1))
    points, groups = draw(seed, few, many)
    if seed % 3 == 0:
        points = points.round()  # many in the same place
    host = tree_fairlets(points, groups == 0, t, seed)
    hosts = np.flatnonzero(groups == 0)
    assert np.array_equal(host[hosts], hosts)
    assert (groups[host] == 0).all()
    guests = np.bincount(host[groups == 1], minlength=len(points))[hosts]
    assert guests.min() >= 1
    assert guests.max() <= t


def test_large_cells_are_served_too():
    rng = np.random.default_rng(0)
    points = np.zeros((3000, 2))
    points[:, 0] = rng.integers(0, 2, 3000)
    smaller = np.arange(3000) < 900
    host = tree_fairlets(points, smaller, 3, seed=1)
    guests = np.bincount(host[~smaller], minlength=900)
    assert guests[:900].min() >= 1
    assert guests.max() <= 3


@pytest.mark.parametrize("seed", range(5))
def test_cost_is_near_that_of_the_cheapest_flow(seed):
    points, groups = draw(seed, 40, 100)
    by_flow = fairlets(points, groups, 2)
    by_tree = scalable_fairlets(points, groups, 2, seed=seed)
    cheapest = star_cost(points, groups, by_flow.fairlets)
    assert cheapest <= star_cost(points, groups, by_tree.fairlets) <= 4 * cheapest
    assert by_tree.certificate >= 1 / by_tree.ratio


def test_balanced_places_keep_their_people():
    """Pairs far from each other: the tree finds exactly the pairs."""
    rng = np.random.default_rng(3)
    places = 100.0 * rng.permutation(30)[:, None] + rng.uniform(0, 10, (30, 1))
    points = np.vstack([places, places + 1e-3])
    groups = np.repeat([0, 1], 30)
    fair = scalable_fairlets(points, groups, 2)
    assert fair.within == pytest.approx(30 * 2 * 0.0005**2, rel=1e-6)
