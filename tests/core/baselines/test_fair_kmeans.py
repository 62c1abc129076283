"""Fair k-means by flow: every round against the textbook program, the end against enumeration."""

import itertools

import numpy as np
import pytest

from antidote_core.baselines import bera, fair_kmeans
from antidote_core.datasets import load_dataset
from antidote_core.errors import SpecError
from tests.core.baselines.test_bera import draw, squared_distances, textbook_lp, violation


@pytest.mark.parametrize("seed", range(6))
def test_cost_falls_every_round_and_starts_at_the_fair_assignment(seed):
    points, groups, k, delta = draw(seed, n=80, k=3)
    fair = fair_kmeans(points, groups, k, delta=delta)
    assert (np.diff(fair.objectives) <= 1e-9 * fair.objectives[0]).all()
    start = bera(points, groups, k, delta=delta, allow_empty=False)
    assert fair.objectives[0] == pytest.approx(start.lp_cost, rel=1e-7)
    assert fair.violation == pytest.approx(violation(fair.labels, [groups], k, delta), abs=1e-9)
    assert fair.violation < 2
    assert fair.cost <= fair.objectives[-1] * (1 + 1e-9)
    assert len(np.unique(fair.labels)) == k
    means = [points[fair.labels == c].mean(axis=0) for c in range(k)]
    assert np.allclose(fair.centers, means)


def test_the_end_is_settled():
    points, groups, _, _ = draw(3, n=90, g=2)
    fair = fair_kmeans(points, groups, 2, delta=0.1)
    optimum = textbook_lp(squared_distances(points, fair.centers), [groups], 0.1)
    assert optimum == pytest.approx(fair.objectives[-1], rel=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_exact_mode_is_fair_and_near_the_best_of_all_labels(seed):
    points, groups, k, _ = draw(seed, n=9, g=2, k=2)
    best = np.inf
    for choice in itertools.product(range(2), repeat=9):
        labels = np.array(choice)
        if len(set(choice)) == 2 and violation(labels, [groups], 2, 0.5) < 1e-9:
            clusters = [points[labels == c] for c in range(2)]
            best = min(best, sum(((x - x.mean(axis=0)) ** 2).sum() for x in clusters))
    if np.isinf(best):
        with pytest.raises(SpecError, match="infeasible"):
            fair_kmeans(points, groups, k, delta=0.5, exact=True)
        return
    fair = fair_kmeans(points, groups, k, delta=0.5, exact=True)
    assert violation(fair.labels, [groups], k, 0.5) < 1e-9
    assert best * (1 - 1e-9) <= fair.cost <= 1.6 * best


def test_moving_the_centres_saves_cost():
    data = load_dataset("blobs")
    fair = fair_kmeans(data.points, data.groups, 2)
    still = bera(data.points, data.groups, 2)
    assert fair.cost < 0.97 * still.cost
    assert fair.balance_own < -0.78


def test_refusals():
    points, groups = np.arange(6.0)[:, None], np.array([0, 0, 0, 0, 0, 1])
    with pytest.raises(SpecError, match="no assignment of 6 points to 2 non-empty clusters"):
        fair_kmeans(points, groups, 2, delta=0.0, exact=True)
    with pytest.raises(SpecError, match="delta must be a number"):
        fair_kmeans(points, groups, 2, delta="little")
