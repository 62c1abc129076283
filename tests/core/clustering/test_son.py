"""Sum-of-norms clustering against Clarabel through cvxpy and against answers worked out by hand."""

import math

import numpy as np
import pytest

import antidote_core as ac
from antidote_core.clustering.son import (
    fused,
    lambda_of_one_cluster,
    son_clustering,
    son_path,
)


def conic(points, lam):
    """Objective and centres by a general conic solver, from the definition."""
    import cvxpy as cp

    first, second = np.triu_indices(len(points), 1)
    mu = cp.Variable(points.shape)
    norms = cp.norm(mu[first] - mu[second], 2, axis=1)
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(points - mu) + lam * cp.sum(norms)))
    problem.solve(solver=cp.CLARABEL)
    assert problem.status == cp.OPTIMAL
    return problem.value, mu.value


def blobs(n, d, seed=0, distance=4.0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, d))
    points[: n // 2, 0] += distance
    return points


@pytest.mark.parametrize(("d", "lam"), [(3, 0.02), (3, 0.05), (23, 0.05)])
def test_objective_is_that_of_clarabel_at_60_points(d, lam):
    points = blobs(60, d)
    objective, centers = conic(points, lam)
    found = son_clustering(points, lam)
    assert found.objective == pytest.approx(objective, rel=1e-6)
    assert found.gap <= 1e-10 * found.objective
    np.testing.assert_allclose(found.centers, centers, atol=1e-3)


@pytest.mark.parametrize("seed", range(8))
def test_small_problems_of_every_shape(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 12)), int(rng.integers(1, 5))
    points = blobs(n, d, seed)
    points[n // 2] = points[0]  # a point that is there twice
    lam = float(rng.uniform(0.02, 0.6))
    objective, centers = conic(points, lam)
    found = son_clustering(points, lam)
    assert found.objective == pytest.approx(objective, rel=1e-6)
    np.testing.assert_allclose(found.centers, centers, atol=2e-3)
    assert found.labels[n // 2] == found.labels[0]


def test_the_certificate_bounds_the_error():
    points = blobs(20, 2)
    exact = son_clustering(points, 0.05, relative_gap=1e-13)
    rough = son_clustering(points, 0.05, relative_gap=1e-4)
    assert 0 < rough.gap <= 1e-4 * rough.objective
    assert rough.objective - exact.objective <= rough.gap
    assert ((rough.centers - exact.centers) ** 2).sum() <= 2 * rough.gap


def test_the_gap_is_that_of_the_returned_multipliers():
    points = blobs(15, 3)
    lam = 0.08
    found = son_clustering(points, lam)
    first, second = np.triu_indices(15, 1)
    assert np.linalg.norm(found.multipliers, axis=1).max() <= lam * (1 + 1e-12)
    theta = np.zeros_like(points)
    np.add.at(theta, first, found.multipliers)
    np.subtract.at(theta, second, found.multipliers)
    dual = (points * theta).sum() - 0.5 * (theta**2).sum()
    apart = np.linalg.norm(found.centers[first] - found.centers[second], axis=1)
    primal = 0.5 * ((points - found.centers) ** 2).sum() + lam * apart.sum()
    assert found.objective == pytest.approx(primal, rel=1e-12)
    assert found.gap == pytest.approx(primal - dual, abs=1e-12 * primal)


def test_two_points_meet_where_the_formula_says():
    # Each moves lam towards the other until they meet.
    points = np.array([[0.0], [2.0]])
    np.testing.assert_allclose(son_clustering(points, 0.4).centers, [[0.4], [1.6]], atol=1e-6)
    found = son_clustering(points, 1.0)
    np.testing.assert_allclose(found.centers, [[1.0], [1.0]], atol=1e-6)
    assert found.clusters == 1


def test_the_mean_stays_and_shifts_and_scales_carry_over():
    points = blobs(25, 4)
    found = son_clustering(points, 0.05)
    np.testing.assert_allclose(found.centers.mean(axis=0), points.mean(axis=0), atol=1e-9)
    moved = son_clustering(3.0 * points + 100.0, 0.15)
    np.testing.assert_allclose(moved.centers, 3.0 * found.centers + 100.0, atol=1e-4)
    np.testing.assert_array_equal(moved.labels, found.labels)


def test_all_centres_are_one_at_the_stated_lambda():
    points = blobs(30, 3)
    last = lambda_of_one_cluster(points)
    one = son_clustering(points, last)
    assert one.clusters == 1
    np.testing.assert_allclose(one.centers, np.tile(points.mean(axis=0), (30, 1)), atol=1e-4)
    assert son_clustering(points, last / 50).clusters == 30


def test_two_far_blobs_become_two_clusters():
    points = blobs(40, 2, distance=30.0)
    assert son_clustering(points, 0.15).labels.tolist() == [0] * 20 + [1] * 20


def test_the_path_gives_what_single_solves_give():
    points = blobs(25, 2)
    lambdas = np.geomspace(0.005, lambda_of_one_cluster(points), 12)
    path = list(son_path(points, lambdas))
    for lam, found in zip(lambdas, path, strict=True):
        alone = son_clustering(points, lam)
        assert found.objective == pytest.approx(alone.objective, rel=1e-9)
        np.testing.assert_allclose(found.centers, alone.centers, atol=1e-3)
    assert path[0].clusters == 25
    assert path[-1].clusters == 1


def test_a_warm_start_saves_steps_and_changes_nothing():
    points = blobs(40, 3)
    cold = son_clustering(points, 0.05)
    warm = son_clustering(points + 1e-6, 0.05, start=cold.multipliers)
    assert warm.iterations < cold.iterations
    np.testing.assert_allclose(warm.centers - 1e-6, cold.centers, atol=1e-4)


def test_same_input_same_bits():
    points = blobs(30, 3)
    one, two = son_clustering(points, 0.05), son_clustering(points, 0.05)
    np.testing.assert_array_equal(one.centers, two.centers)


def test_equal_points_and_a_single_point():
    found = son_clustering(np.ones((5, 2)), 0.1)
    assert found.clusters == 1
    assert found.objective == 0.0
    assert son_clustering(np.ones((1, 2)), 0.1).labels.tolist() == [0]


def test_fusing_joins_chains():
    centers = np.array([[0.0], [0.9], [1.8], [5.0]])
    assert fused(centers, 1.0).tolist() == [0, 0, 0, 1]
    assert fused(centers, 0.5).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("lam", [0.0, -1.0, math.nan, math.inf, True, "x", None])
def test_a_lambda_that_is_not_positive_gets_a_sentence(lam):
    with pytest.raises(ac.SpecError, match=r"λ \(lam\) must be a .*number above 0; got"):
        son_clustering(np.ones((3, 1)), lam)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (np.ones(3), "one row per point"),
        (np.empty((0, 2)), "one row per point"),
        (np.array([[1.0], [np.nan]]), "finite numbers"),
        (np.broadcast_to(1.0, (20_000, 2)), "Take a sample"),
    ],
)
def test_points_that_cannot_be_used_get_a_sentence(points, words):
    with pytest.raises(ac.DataError, match=words):
        son_clustering(points, 0.1)


def test_settings_that_cannot_be_used_get_a_sentence():
    points = np.ones((3, 1))
    with pytest.raises(ac.SpecError, match="relative_gap must be"):
        son_clustering(points, 0.1, relative_gap=0)
    with pytest.raises(ac.SpecError, match="fuse must be"):
        son_clustering(points, 0.1, fuse=2)
    with pytest.raises(ac.SpecError, match="one row per pair"):
        son_clustering(points, 0.1, start=np.zeros((2, 1)))
