"""Fewest reassignments: the number and the choice of moves against enumeration."""

import itertools

import numpy as np
import pytest

from antidote_core.baselines import fewest_moves
from antidote_core.errors import DataError, SpecError


def within_bounds(labels, groups, k, delta):
    shares = np.bincount(groups) / len(groups)
    for cluster in range(k):
        inside = np.bincount(groups[labels == cluster], minlength=len(shares))
        low, high = (1 - delta) * shares * inside.sum(), shares / (1 - delta) * inside.sum()
        if not inside.sum() or (inside < low - 1e-9).any() or (inside > high + 1e-9).any():
            return False
    return True


def best_by_enumeration(points, groups, before, centers, k, delta):
    """Fewest moves, then the least squared distance, over all labels."""
    best = (np.inf, np.inf)
    for choice in itertools.product(range(k), repeat=len(points)):
        labels = np.array(choice)
        moves = int((labels != before).sum())
        if moves <= best[0] and within_bounds(labels, groups, k, delta):
            best = min(best, (moves, ((points - centers[labels]) ** 2).sum()))
    return best


@pytest.mark.parametrize("seed", range(10))
def test_no_assignment_of_few_points_moves_fewer_or_nearer(seed):
    rng = np.random.default_rng(seed)
    k, g, n = (3, 2, 7) if seed % 2 else (2, 2 + seed % 3, 9)
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    points = rng.normal(size=(n, 2)) + 2.0 * groups[:, None]
    delta = float(rng.uniform(0.2, 0.6))
    before = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    centers = np.stack([points[before == c].mean(axis=0) for c in range(k)])
    fewest, distance = best_by_enumeration(points, groups, before, centers, k, delta)
    if np.isinf(fewest):
        with pytest.raises(SpecError, match="infeasible"):
            fewest_moves(points, groups, k, delta=delta, labels=before)
        return
    fair = fewest_moves(points, groups, k, delta=delta, labels=before)
    assert within_bounds(fair.labels, groups, k, delta)
    assert (fair.labels != before).sum() == fair.moved == fewest
    assert fair.certificate == 0
    assert ((points - fair.centers[fair.labels]) ** 2).sum() == pytest.approx(distance, rel=1e-6)


def test_a_case_by_hand():
    """Equal numbers in both clusters: one pair and two pairs, so three of six must move."""
    points, groups = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    fair = fewest_moves(points, groups, 2, delta=0.0, labels=groups)
    assert fair.moved == 3
    assert fair.balance_own == -1.0
    assert sorted(np.bincount(fair.labels)) == [2, 4]


def test_a_fair_clustering_stays_as_it_is():
    points, groups = np.arange(8.0)[:, None], np.array([0, 1] * 4)
    before = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    fair = fewest_moves(points, groups, 2, delta=0.0, labels=before)
    assert fair.moved == 0
    assert np.array_equal(fair.labels, before)
    assert fair.centers.ravel().tolist() == [1.5, 5.5]


def test_refusals():
    points, groups = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    with pytest.raises(SpecError, match="no assignment of 6 points to 2 non-empty clusters"):
        fewest_moves(points, groups, 2, delta=0.0)
    with pytest.raises(DataError, match="labels must be whole numbers from 0 to 1"):
        fewest_moves(points, groups, 2, labels=np.full(6, 5))
    with pytest.raises(SpecError, match="delta must be at least 0 and below 1"):
        fewest_moves(points, groups, 2, delta=1)
