"""Fair spectral clustering against the published null-space eigenproblem, written out densely."""

import importlib

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import eigh, null_space
from sklearn.cluster import KMeans
from sklearn.neighbors import kneighbors_graph

from antidote_core.baselines import BaselineResult, BaselineWarning, fair_spectral
from antidote_core.datasets import load_dataset
from antidote_core.errors import DataError, SpecError
from antidote_core.fairness import balance_table

module = importlib.import_module("antidote_core.baselines.fair_spectral")


def neighbour_graph(points, neighbours=10):
    graph = sparse.csr_array(kneighbors_graph(points, neighbours))
    return graph.maximum(graph.T)


def null_space_problem(affinity, groups, k):
    """Eigenvalues and eigenvectors of Z' L Z carried back by Z, with Z spanning F' h = 0."""
    weights = affinity.toarray() if sparse.issparse(affinity) else np.asarray(affinity)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    g = groups.max() + 1
    if g == 1:
        basis = np.eye(len(weights))
    else:
        constraints = np.stack([(groups == j) - (groups == j).mean() for j in range(g - 1)])
        basis = null_space(constraints)
    values, vectors = eigh(basis.T @ laplacian @ basis)
    return values[: k + 1], basis @ vectors[:, :k]


def draw(seed, n=None):
    rng = np.random.default_rng(seed)
    n, g = n or int(rng.integers(30, 120)), int(rng.integers(1, 6))
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    points = rng.normal(size=(n, 2)) + 2.0 * (rng.random((n, 1)) < 0.5)
    return points, groups, int(rng.integers(2, 6))


def assert_same_problem(fair, affinity, groups, k):
    values, vectors = null_space_problem(affinity, groups, k)
    np.testing.assert_allclose(fair.eigenvalues, values[:k], atol=1e-8)
    np.testing.assert_allclose(fair.embedding.T @ fair.embedding, np.eye(k), atol=1e-10)
    for group in range(groups.max() + 1):  # every column has the same mean in every group
        np.testing.assert_allclose(
            fair.embedding[groups == group].mean(axis=0), fair.embedding.mean(axis=0), atol=1e-10
        )
    if values[k] - values[k - 1] > 1e-3:
        distance = fair.embedding @ fair.embedding.T - vectors @ vectors.T
        assert np.abs(distance).max() < 1e-8
    assert fair.certificate < 1e-8


@pytest.fixture(params=["dense", "sparse"])
def path(request, monkeypatch):
    """Both ways to the eigenvectors, whatever the size of the graph."""
    dense = request.param == "dense"
    monkeypatch.setattr(module, "DENSE_BELOW", 10**9 if dense else 0)
    monkeypatch.setattr(module, "DENSE_ABOVE_FILL", 1.0)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore::antidote_core.baselines.BaselineWarning")
def test_eigenproblem_of_the_null_space(seed):
    points, groups, k = draw(seed)
    affinity = neighbour_graph(points)
    assert_same_problem(fair_spectral(affinity, groups, k), affinity, groups, k)


@pytest.mark.usefixtures("path")
@pytest.mark.filterwarnings("ignore::antidote_core.baselines.BaselineWarning")
def test_repeated_eigenvalues():
    ring = sparse.eye_array(40, k=1) + sparse.eye_array(40, k=39)
    affinity = (ring + ring.T).tocsr()  # every eigenvalue but the first and last is double
    groups = np.arange(40) % 2
    for k in (3, 5):
        assert_same_problem(fair_spectral(affinity, groups, k), affinity, groups, k)


@pytest.mark.usefixtures("path")
def test_disconnected_graph_warns_and_stays_right():
    points, _, _ = draw(1, n=90)
    points[:30] += 100.0
    groups = np.random.default_rng(0).integers(0, 3, 90)
    affinity = neighbour_graph(points, 8)
    with pytest.warns(BaselineWarning, match="disconnected: 2 components of 60, 30 points"):
        fair = fair_spectral(affinity, groups, 3)
    assert_same_problem(fair, affinity, groups, 3)
    assert any("disconnected" in note for note in fair.notes)


def test_default_path_is_sparse_and_right_at_600_points():
    points, groups, k = draw(4, n=600)
    affinity = neighbour_graph(points)
    assert_same_problem(fair_spectral(affinity, groups, k), affinity, groups, k)


def test_full_bank():
    data = load_dataset("bank")
    fair = fair_spectral(neighbour_graph(data.points), data.groups, 2, points=data.points)
    assert fair.certificate < 1e-10
    assert fair.eigenvalues[1] == pytest.approx(0.01204, abs=1e-4)
    assert fair.balance_own < -0.9


def test_dense_affinity():
    points, groups, k = draw(5, n=80)
    affinity = np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2))
    assert_same_problem(fair_spectral(affinity, groups, k), affinity, groups, k)


def test_planted_fair_partition_is_found_where_plain_spectral_fails():
    """Two clusters cross two groups; edges within a group outnumber those within a cluster."""
    n = 400
    clusters, groups = np.arange(n) % 2, (np.arange(n) // 2) % 2
    same_cluster = clusters[:, None] == clusters[None]
    same_group = groups[:, None] == groups[None]
    chance = np.select(
        [same_cluster & same_group, ~same_cluster & same_group, same_cluster & ~same_group],
        [0.7, 0.5, 0.3],
        0.05,
    )
    upper = np.triu(np.random.default_rng(0).random((n, n)) < chance, 1)
    affinity = (upper | upper.T).astype(float)

    def agreement(labels, truth):
        return max((labels == truth).mean(), (labels != truth).mean())

    laplacian = np.diag(affinity.sum(axis=1)) - affinity
    plain = KMeans(2, n_init=10, random_state=0).fit_predict(eigh(laplacian)[1][:, :2])
    assert agreement(plain, groups) > 0.95
    assert agreement(plain, clusters) < 0.6

    fair = fair_spectral(affinity, groups, 2)
    assert agreement(fair.labels, clusters) == 1
    assert fair.balance_own == -1


def test_record_with_and_without_points():
    points, groups, k = draw(4, n=100)
    affinity = neighbour_graph(points)
    without = fair_spectral(affinity, groups, k)
    fair = fair_spectral(affinity, groups, k, points=points)
    assert isinstance(fair, BaselineResult)
    np.testing.assert_array_equal(fair.labels, without.labels)
    g = groups.max() + 1
    assert fair.balance_own == without.balance_own
    assert fair.balance_own == balance_table(fair.labels, groups, k, g).cost
    assert np.isnan([without.social_own, without.social_nearest, without.balance_nearest]).all()
    assert without.centers.shape == (k, k)
    for cluster in range(k):
        np.testing.assert_allclose(
            fair.centers[cluster], points[fair.labels == cluster].mean(axis=0)
        )
    assert fair.social_nearest <= fair.social_own


def test_same_seed_same_result():
    points, groups, k = draw(6, n=500)
    affinity = neighbour_graph(points)
    first, second = (fair_spectral(affinity, groups, k, seed=2) for _ in range(2))
    np.testing.assert_array_equal(first.embedding, second.embedding)
    np.testing.assert_array_equal(first.labels, second.labels)


def test_singleton_cluster_warns():
    affinity = np.ones((12, 12)) - np.eye(12)
    affinity[0, 1:] = affinity[1:, 0] = 0.0
    affinity[0, 1] = affinity[1, 0] = 0.01
    with pytest.warns(BaselineWarning, match="1 of 2 clusters hold a single point"):
        fair = fair_spectral(affinity, np.zeros(12, dtype=int), 2)
    assert np.bincount(fair.labels).min() == 1


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"affinity": np.ones((3, 4))}, DataError, "square"),
        ({"affinity": np.triu(np.ones((4, 4)))}, DataError, "symmetric"),
        ({"affinity": -np.ones((4, 4))}, DataError, "at least 0; the smallest is -1"),
        ({"affinity": np.full((4, 4), np.nan)}, DataError, "finite"),
        ({"affinity": np.zeros((4, 4))}, DataError, "4 components, more than the 2 clusters"),
        ({"groups": np.array([0, 1, 1])}, DataError, r"one code per row of affinity \(4\)"),
        ({"groups": np.array([0, 2, 2, 0])}, DataError, "Group 1 is absent"),
        ({"groups": np.array([0.5, 1, 1, 0])}, DataError, "whole-number codes"),
        ({"k": 5}, SpecError, r"at most the number of points \(4\); got 5"),
        ({"k": 4}, SpecError, "k must be at most 3"),
        ({"points": np.zeros((3, 1))}, DataError, "one code per point"),
    ],
)
def test_refusals(change, error, words):
    call = {"affinity": np.ones((4, 4)), "groups": np.array([0, 1, 1, 0]), "k": 2, **change}
    with pytest.raises(error, match=words) as caught:
        fair_spectral(**call)
    assert "\n" not in str(caught.value)
