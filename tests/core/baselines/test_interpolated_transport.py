"""Interpolated transport: barycentre and maps against closed forms, the intensity by trying all."""

import numpy as np
import pytest
from scipy.linalg import sqrtm

from antidote_core.baselines import interpolated_transport
from antidote_core.baselines.interpolated_transport import (
    INTENSITIES,
    barycentre_covariance,
    to_barycentre,
)
from antidote_core.datasets import load_dataset
from antidote_core.errors import SpecError


def draw(seed, n=300, g=3, d=3):
    rng = np.random.default_rng(seed)
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    shapes = np.eye(d) + 0.3 * rng.normal(size=(g, d, d))
    noise = np.einsum("nd,nde->ne", rng.normal(size=(n, d)), shapes[groups])
    return noise + rng.normal(size=(g, d))[groups], groups


def moments(points):
    return points.mean(axis=0), np.cov(points.T, bias=True)


@pytest.mark.parametrize("seed", range(4))
def test_groups_at_the_barycentre_have_equal_means_and_covariances(seed):
    points, groups = draw(seed)
    moved = to_barycentre(points, groups, 3)
    mean, spread = moments(moved[groups == 0])
    assert mean == pytest.approx(points.mean(axis=0))
    shares = np.bincount(groups) / len(groups)
    root = np.real(sqrtm(spread))
    fixed = 0.0
    for group in range(3):
        own_mean, own_spread = moments(points[groups == group])
        told_mean, told_spread = moments(moved[groups == group])
        assert told_mean == pytest.approx(mean)
        assert told_spread == pytest.approx(spread, abs=1e-6)
        cross = np.real(sqrtm(root @ own_spread @ root))
        fixed = fixed + shares[group] * cross
        # The map is the shortest way: its mean squared length is the squared distance of Gaussians.
        shortest = ((own_mean - mean) ** 2).sum() + np.trace(own_spread + spread - 2 * cross)
        walked = ((moved - points)[groups == group] ** 2).sum(axis=1).mean()
        assert walked == pytest.approx(shortest, rel=1e-5)
    assert fixed == pytest.approx(spread, abs=1e-6)  # the equation of the barycentre


def test_covariances_that_commute_are_averaged_by_their_roots():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    roots = rng.uniform(0.2, 3.0, (3, 4))
    shares = np.array([0.5, 0.3, 0.2])
    spreads = np.stack([turn @ np.diag(root**2) @ turn.T for root in roots])
    expected = turn @ np.diag((shares @ roots) ** 2) @ turn.T
    assert barycentre_covariance(spreads, shares) == pytest.approx(expected, abs=1e-8)


def test_intensity_is_the_smallest_that_suffices():
    data = load_dataset("blobs")
    fair = interpolated_transport(data.points, data.groups, 2, delta=0.3)
    assert fair.met
    assert fair.balance_own <= -0.7
    assert 0 < fair.intensity < 1
    for smaller in INTENSITIES[fair.intensity > INTENSITIES]:
        tried = interpolated_transport(
            data.points, data.groups, 2, delta=0.3, intensity=float(smaller)
        )
        assert not tried.met
        assert any("does not reach" in note for note in tried.notes)
    still = interpolated_transport(data.points, data.groups, 2, intensity=0.0)
    assert np.array_equal(still.moved, data.points)
    assert still.cost == 0.0


def test_centres_are_the_means_of_people_where_they_were():
    points, groups = draw(1)
    fair = interpolated_transport(points, groups, 3)
    assert np.allclose(fair.centers, [points[fair.labels == c].mean(axis=0) for c in range(3)])
    assert fair.cost == pytest.approx(((fair.moved - points) ** 2).sum(axis=1).mean())


def test_a_constant_feature_and_a_single_person_are_no_trouble():
    points, groups = draw(2, n=40)
    points[:, 1] = 5.0
    points[groups == 0, 2] = 1.0
    single = np.where(np.arange(40) == 0, 3, groups)
    fair = interpolated_transport(points, single, 2)
    assert np.isfinite(fair.moved).all()
    assert fair.moved[:, 1] == pytest.approx(5.0)


def test_what_cannot_be_reached_is_told():
    """Equal moments, unequal shapes: two heaps against one heap with long tails."""
    heaps = np.r_[np.full(50, -1.0), np.full(50, 1.0)]
    tails = np.r_[np.full(2, -5.0), np.full(96, 0.0), np.full(2, 5.0)]
    points = np.r_[heaps, tails / tails.std()][:, None]
    fair = interpolated_transport(points, np.repeat([0, 1], 100), 3, delta=0.05)
    assert not fair.met
    assert "differ in more than mean and covariance" in fair.notes[1]


@pytest.mark.parametrize("intensity", [-0.1, 1.5, "far", True])
def test_refusals(intensity):
    points, groups = draw(0)
    with pytest.raises(SpecError, match="intensity must be a number from 0 to 1"):
        interpolated_transport(points, groups, 2, intensity=intensity)
