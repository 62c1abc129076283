"""Variational fair clustering: its bound, its slope and its minimum against definitions."""

import itertools

import numpy as np
import pytest

from antidote_core.baselines import variational
from antidote_core.baselines.record import plain_kmeans
from antidote_core.baselines.variational import SETTLED, Energy
from antidote_core.datasets import load_dataset
from antidote_core.errors import SpecError
from antidote_core.fairness import get_fairness


def draw(seed, n=60, g=3):
    rng = np.random.default_rng(seed)
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    return rng.normal(size=(n, 2)) + groups[:, None], groups


def energy_slowly(parts, points, groups, centers, weights, lam):
    """E, one cluster, one point and one group after the other."""
    total = 0.0
    for c in range(parts.shape[1]):
        for p in range(len(points)):
            total += weights[p] * parts[p, c] * ((points[p] - centers[c]) ** 2).sum()
        mass = (weights * parts[:, c]).sum()
        for j in range(groups.max() + 1):
            share = weights[groups == j].sum() / weights.sum()
            inside = (weights * parts[:, c])[groups == j].sum()
            total += lam * share * np.log(share / (inside / mass))
    return total


def test_value_and_slope_are_those_of_the_definition():
    points, groups = draw(0, n=12)
    rng = np.random.default_rng(1)
    weights, centers = rng.uniform(0.5, 2.0, 12), rng.normal(size=(2, 2))
    parts = rng.dirichlet([2.0, 2.0], 12)
    distances = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
    energy = Energy.of(points, groups, 3, weights, lam=7.0)
    told = energy.value(parts, distances)
    assert told == pytest.approx(energy_slowly(parts, points, groups, centers, weights, 7.0))
    slope = weights[:, None] * energy.slope(parts, distances)
    for p, c in itertools.product(range(12), range(2)):
        nudge = np.zeros_like(parts)
        nudge[p, c] = 1e-6
        change = energy.value(parts + nudge, distances) - energy.value(parts - nudge, distances)
        assert slope[p, c] == pytest.approx(change / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("strength", [0.1, 1.0, 10.0])
def test_the_objective_never_rises_and_nothing_is_left_to_gain(seed, strength):
    points, groups = draw(seed)
    fair = variational(points, groups, k=3, strength=strength)
    objectives = np.array(fair.objectives)
    assert (np.diff(objectives) <= 1e-12 * np.abs(objectives[1:])).all()
    energy = Energy.of(points, groups, 3, np.ones(len(points)), fair.lam)
    centers = energy.means(fair.parts, fair.centers)
    distances = ((points[:, None] - centers[None]) ** 2).sum(axis=2)
    slope = energy.slope(fair.parts, distances)
    saved = sum(fair.parts[p] @ slope[p] - slope[p].min() for p in range(len(points)))
    assert fair.gap == pytest.approx(saved / objectives[-1], abs=1e-9)
    assert fair.gap < (0.01 if strength == 10.0 else SETTLED)
    assert (fair.gap > SETTLED) == any("is left after" in note for note in fair.notes)
    assert (fair.parts.max(axis=1) > 0.999).mean() > 0.7


def test_no_other_labels_of_few_points_are_much_better():
    reached = []
    for seed in range(12):
        points, groups = draw(seed, n=9, g=2)
        fair = variational(points, groups, k=2, strength=1.0)
        best = min(
            hard_energy(points, groups, np.array(choice), fair.lam)
            for choice in itertools.product(range(2), repeat=8)
            if len(set(choice)) == 2
            for choice in [(0, *choice)]
        )
        own = hard_energy(points, groups, fair.labels, fair.lam)
        assert own == pytest.approx(fair.cost)
        assert fair.cost >= best - 1e-9
        reached.append(fair.cost / best)
    assert np.median(reached) < 1.1
    assert (np.array(reached) < 1 + 1e-9).sum() >= 4


def hard_energy(points, groups, labels, lam):
    """E of labels, with the KL error that has its own tests."""
    cost, counts = 0.0, np.zeros((2, groups.max() + 1))
    for c in range(2):
        inside = points[labels == c]
        if len(inside):
            cost += ((inside - inside.mean(axis=0)) ** 2).sum()
        counts[c] = np.bincount(groups[labels == c], minlength=counts.shape[1])
    return cost + lam * get_fairness("kl").statistic(counts, np.zeros(counts.shape[1]))


def test_strength_leads_from_plain_to_fair():
    data = load_dataset("blobs")
    results = [variational(data.points, data.groups, 2, strength=s) for s in (0, 0.1, 1, 10)]
    plain = plain_kmeans(data.points, 2, 0)[0]
    assert np.array_equal(results[0].labels, plain)
    errors = [result.kl_error for result in results]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > 0.2
    assert errors[-1] < 0.01
    scatter = [((data.points - r.centers[r.labels]) ** 2).sum() for r in results]
    assert scatter == sorted(scatter)


@pytest.mark.parametrize("strength", [-1, float("nan"), "much", None, True])
def test_refusals(strength):
    points, groups = draw(0)
    with pytest.raises(SpecError, match="strength must be a number of at least 0"):
        variational(points, groups, 2, strength=strength)
