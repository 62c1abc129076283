"""Fair k-center: the places are kept, and 3 times the best of all choices is never exceeded."""

import itertools

import numpy as np
import pytest

from antidote_core.baselines import fair_kcenter
from antidote_core.errors import SpecError


def best_by_enumeration(points, groups, places):
    """The smallest largest distance over all sets of rows with so many of each group."""
    far = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    return min(
        far[:, list(rows)].min(axis=1).max()
        for rows in itertools.combinations(range(len(points)), sum(places))
        if np.array_equal(np.bincount(groups[list(rows)], minlength=len(places)), places)
    )


@pytest.mark.parametrize("seed", range(30))
def test_within_three_times_the_best(seed):
    rng = np.random.default_rng(seed)
    g, n = int(rng.integers(2, 4)), 10
    groups = np.r_[np.repeat(np.arange(g), 2), rng.integers(0, g, n - 2 * g)]
    points = rng.normal(size=(n, 2)) * (1 + 5 * (seed % 2)) + 4.0 * rng.integers(0, 3, (n, 1))
    if seed % 5 == 0:
        points = points.round()
    places = rng.integers(0, 3, g)
    places[0] += places.sum() == 0
    fair = fair_kcenter(points, groups, int(places.sum()), places=places.tolist(), seed=seed)
    assert np.bincount(groups[fair.rows], minlength=g).tolist() == places.tolist()
    assert len(set(fair.rows.tolist())) == places.sum()
    far = np.sqrt(((points[:, None] - fair.centers[None]) ** 2).sum(axis=2))
    assert fair.cost == pytest.approx(far.min(axis=1).max())
    best = best_by_enumeration(points, groups, places)
    assert best - 1e-9 <= fair.cost <= 3 * best + 1e-9


def test_shares_of_k_by_largest_remainders():
    points = np.random.default_rng(0).normal(size=(100, 2))
    groups = np.repeat([0, 1, 2], [61, 30, 9])
    assert fair_kcenter(points, groups, 10).places == (6, 3, 1)
    assert fair_kcenter(points, groups, 2).places == (1, 1, 0)
    assert fair_kcenter(points, groups, 1).places == (1, 0, 0)


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        ((1, 2), "must add up to k = 2; got 3"),
        ((2,), "a whole number for each of 2 groups"),
        ((1.5, 0.5), "a whole number for each of 2 groups"),
        ("half", "a whole number for each of 2 groups; got 'half'"),
        ((0, 2), "asks for 2 centres of group 1, which has 1 points"),
    ],
)
def test_refusals(places, sentence):
    with pytest.raises(SpecError, match=sentence):
        fair_kcenter(np.arange(4.0)[:, None], np.array([0, 0, 0, 1]), 2, places=places)
