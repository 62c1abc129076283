"""Bisecting k-means, mixtures, fuzzy c-means, linkages and DBSCAN: each against its definition."""

from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import DBSCAN, AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from antidote_core import Problem, SpecError, load_dataset
from antidote_core.clustering import CLUSTERINGS, get_clustering
from antidote_core.clustering.dbscan import fit_dbscan, radius_of
from antidote_core.clustering.fuzzy_cmeans import fit_fuzzy_cmeans, memberships
from antidote_core.clustering.kmeans_variants import fit_bisecting
from antidote_core.geometry import nearest_center

FURTHER = ["bisecting-kmeans", "gaussian-mixture", "fuzzy-cmeans", "ward", "average-linkage",
           "complete-linkage", "dbscan"]  # fmt: skip
LINKAGES = {"ward": "ward", "average-linkage": "average", "complete-linkage": "complete"}


def cloud(seed, n=60, d=2):
    return np.random.default_rng(seed).normal(size=(n, d))


def same_partition(left, right):
    return adjusted_rand_score(left, right) == 1.0


@pytest.mark.parametrize("seed", range(2))
def test_bisecting_is_scikit_learns(seed):
    points = load_dataset("bank", sample=500).points
    model = BisectingKMeans(4, init="k-means++", n_init=3, random_state=seed).fit(points)
    fitted = fit_bisecting(points, k=4, restarts=3, seed=seed)
    np.testing.assert_array_equal(fitted.labels, model.labels_)
    np.testing.assert_array_equal(fitted.centers, model.cluster_centers_)


def test_bisecting_with_two_clusters_is_the_best_split_of_few_points():
    points = cloud(3, 9)
    splits = (np.array([0, *rest]) for rest in product((0, 1), repeat=8) if any(rest))
    best = min(
        sum(((points[split == c] - points[split == c].mean(axis=0)) ** 2).sum() for c in (0, 1))
        for split in splits
    )
    assert fit_bisecting(points, k=2, restarts=20, seed=0).objective == pytest.approx(best)


def test_whole_weights_of_bisecting_and_fuzzy_do_what_repeated_rows_do():
    points, weights = cloud(1, 40) + 3.0 * (np.arange(40) % 2)[:, None], 1 + np.arange(40) % 3
    for name in ("bisecting-kmeans", "fuzzy-cmeans"):
        fit = CLUSTERINGS[name].fit
        weighted = fit(points, k=2, restarts=10, seed=0, sample_weight=weights.astype(float))
        repeated = fit(np.repeat(points, weights, axis=0), k=2, restarts=10, seed=0)
        assert weighted.objective == pytest.approx(repeated.objective, rel=1e-6)
        assert same_partition(np.repeat(weighted.labels, weights), repeated.labels)


@pytest.mark.parametrize("seed", range(2))
def test_a_mixture_is_scikit_learns_with_full_covariances(seed):
    points = load_dataset("bank", sample=300).points
    model = GaussianMixture(3, n_init=2, random_state=seed, max_iter=300).fit(points)
    fitted = CLUSTERINGS["gaussian-mixture"].fit(points, k=3, restarts=2, seed=seed)
    np.testing.assert_array_equal(fitted.labels, model.predict(points))
    np.testing.assert_array_equal(fitted.centers, model.means_)
    assert fitted.objective == pytest.approx(-model.score(points) * 300)


def test_a_mixture_sees_how_wide_clusters_are_where_kmeans_does_not():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 150)
    points = rng.normal(size=(300, 2)) * np.where(truth, 0.2, 3.0)[:, None] + 3.0 * truth[:, None]
    fitted = CLUSTERINGS["gaussian-mixture"].fit(points, k=2, restarts=5, seed=0)
    assert adjusted_rand_score(fitted.labels, truth) > 0.9
    labels = KMeans(2, n_init=5, random_state=0).fit_predict(points)
    assert adjusted_rand_score(labels, truth) < 0.6


@pytest.mark.parametrize("seed", range(3))
def test_fuzzy_centres_are_a_fixed_point_of_both_updates(seed):
    """Memberships and centres by the formulas of the definition, written out slowly."""
    points = cloud(seed, 50) + 4.0 * (np.arange(50) % 3)[:, None]
    fitted = fit_fuzzy_cmeans(points, k=3, restarts=3, seed=seed)
    distance = np.linalg.norm(points[:, None] - fitted.centers, axis=2)
    u = 1.0 / ((distance[:, :, None] / distance[:, None, :]) ** 2.0).sum(axis=2)  # m = 2
    np.testing.assert_allclose(memberships(points, fitted.centers, 2.0)[0], u, atol=1e-12)
    again = (u**2).T @ points / (u**2).sum(axis=0)[:, None]
    np.testing.assert_allclose(again, fitted.centers, atol=1e-3)
    assert fitted.objective == pytest.approx((u**2 * distance**2).sum(), rel=1e-9)
    np.testing.assert_array_equal(u.argmax(axis=1), fitted.labels)


def test_the_fuzzy_objective_never_rises(monkeypatch):
    points = cloud(5, 80)
    reached = []
    for turns in range(1, 25):
        monkeypatch.setattr("antidote_core.clustering.fuzzy_cmeans.MAX_ITERATIONS", turns)
        reached.append(fit_fuzzy_cmeans(points, k=3, restarts=1, seed=2).objective)
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(reached))
    assert reached[-1] < reached[0] - 1.0


def test_fuzzy_with_m_near_1_is_kmeans():
    points = load_dataset("blobs").points
    crisp = fit_fuzzy_cmeans(points, k=3, restarts=10, seed=0, fuzziness=1.0001)
    model = KMeans(3, init=crisp.centers, n_init=1, tol=0.0).fit(points)
    assert crisp.objective == pytest.approx(model.inertia_, rel=1e-6)
    assert same_partition(crisp.labels, model.labels_)
    assert model.inertia_ <= KMeans(3, n_init=10, random_state=0).fit(points).inertia_ * 1.001


def test_a_point_on_two_equal_centres_belongs_to_both():
    parts, _ = memberships(np.zeros((1, 2)), np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]), 2.0)
    assert parts.tolist() == [[0.5, 0.5, 0.0]]


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("name", LINKAGES)
def test_linkages_are_scikit_learns_and_scipys(name, k):
    points = cloud(k, 70, 3)
    fitted = CLUSTERINGS[name].fit(points, k=k, restarts=1, seed=0)
    direct = AgglomerativeClustering(k, linkage=LINKAGES[name]).fit_predict(points)
    np.testing.assert_array_equal(fitted.labels, direct)
    tree = fcluster(linkage(points, LINKAGES[name]), k, "maxclust")
    assert same_partition(fitted.labels, tree)
    for c in range(k):
        np.testing.assert_allclose(fitted.centers[c], points[direct == c].mean(axis=0))


def joined_slowly(points, k, apart):
    clusters = [[i] for i in range(len(points))]
    while len(clusters) > k:
        pairs = [(a, b) for b in range(len(clusters)) for a in range(b)]
        a, b = min(pairs, key=lambda ab: apart(points[clusters[ab[0]]], points[clusters[ab[1]]]))
        clusters[a] += clusters.pop(b)
    labels = np.empty(len(points), dtype=int)
    for c, members in enumerate(clusters):
        labels[members] = c
    return labels


def inertia(points):
    return ((points - points.mean(axis=0)) ** 2).sum()


APART = {
    "ward": lambda a, b: inertia(np.vstack([a, b])) - inertia(a) - inertia(b),
    "average-linkage": lambda a, b: np.linalg.norm(a[:, None] - b, axis=2).mean(),
    "complete-linkage": lambda a, b: np.linalg.norm(a[:, None] - b, axis=2).max(),
}


@pytest.mark.parametrize("name", APART)
def test_linkages_join_as_their_sentence_says(name):
    points = cloud(8, 18)
    fitted = CLUSTERINGS[name].fit(points, k=3, restarts=1, seed=0)
    assert same_partition(fitted.labels, joined_slowly(points, 3, APART[name]))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_the_radius_is_the_largest_with_k_clusters(seed, k):
    """Against scikit-learn, tried downwards from the largest radius that changes anything."""
    points = cloud(seed, 16)
    eps, min_samples = radius_of(points, k)
    found = DBSCAN(eps=eps, min_samples=min_samples).fit(points)
    distances = np.unique(np.linalg.norm(points[:, None] - points, axis=2))
    between = ((distances[1:] + distances[:-1]) / 2)[::-1]

    def tried(samples):
        models = (DBSCAN(eps=radius, min_samples=samples).fit(points) for radius in between)
        return next((model.labels_ for model in models if model.labels_.max() + 1 >= k), None)

    np.testing.assert_array_equal(tried(min_samples), found.labels_)
    assert min_samples == 5 or tried(min_samples + 1) is None
    fitted = fit_dbscan(points, k)
    sizes = np.bincount(found.labels_[found.labels_ >= 0])
    assert len(sizes) == k  # no ties here
    kept = found.labels_ >= 0
    np.testing.assert_array_equal(fitted.labels[kept], found.labels_[kept])
    for c in range(k):
        np.testing.assert_allclose(fitted.centers[c], points[found.labels_ == c].mean(axis=0))
    noise, _ = nearest_center(points[~kept], fitted.centers)
    np.testing.assert_array_equal(fitted.labels[~kept], noise)


def test_of_regions_that_part_at_one_radius_the_largest_remain():
    places = [0.0] * 7 + [10.0] * 9 + [20.0] * 8  # equal gaps: three regions or one
    fitted = fit_dbscan(np.array(places)[:, None], k=2)
    assert fitted.centers.ravel().tolist() == [10.0, 20.0]
    assert np.bincount(fitted.labels).tolist() == [16, 8]


def test_dbscan_follows_the_shape():
    angles = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    points = np.vstack([4.0 * ring, ring])
    assert same_partition(fit_dbscan(points, k=2).labels, np.repeat([0, 1], 120))


@pytest.mark.parametrize("name", FURTHER)
@pytest.mark.parametrize("n", [4, 7, 12])
def test_few_and_many_equal_points_give_k_clusters(name, n):
    points = np.round(cloud(n, n) * 2.0)
    k = min(3, len(np.unique(points, axis=0)))
    fitted = CLUSTERINGS[name].fitted(points, k, 3, 0)
    assert fitted.centers.shape == (k, 2)
    assert fitted.labels.shape == (n,)


@pytest.mark.parametrize("name", [name for name in FURTHER if not CLUSTERINGS[name].drawn])
def test_what_draws_nothing_knows_no_seed_and_says_so(name):
    points = cloud(4, 80)
    first, again = (
        CLUSTERINGS[name].fit(points, k=3, restarts=restarts, seed=seed)
        for restarts, seed in ((1, 0), (7, 99))
    )
    np.testing.assert_array_equal(first.labels, again.labels)
    assert "restarts and seed change nothing" in CLUSTERINGS[name].description


@pytest.mark.parametrize("name", ["bisecting-kmeans", "gaussian-mixture", "fuzzy-cmeans"])
def test_more_restarts_agree_more_and_are_not_worse(name):
    points = load_dataset("bank", sample=80).points
    k = 2 if name == "bisecting-kmeans" else 4  # the best halves need not make the best quarters
    fit = CLUSTERINGS[name].fit
    one, many = ([fit(points, k=k, restarts=r, seed=s).objective for s in range(3)] for r in (1, 6))
    assert np.mean(many) <= np.mean(one) + 1e-9
    assert np.ptp(many) <= np.ptp(one) + 1e-9


@pytest.mark.parametrize("name", FURTHER)
def test_v_counts_for_the_clusters_and_not_for_the_cost(name):
    data = load_dataset("blobs")
    problem = Problem(data, clustering=name, k=2, restarts=3)
    antidote = data.points[:15] + 0.01
    union = CLUSTERINGS[name].fitted(np.vstack([data.points, antidote]), 2, 3, 0)
    solution = problem.cluster(antidote)
    np.testing.assert_array_equal(solution.centers, union.centers)
    assert solution.labels.shape == (data.n,)
    assert problem.tables(antidote).balance.counts.sum() == data.n


@pytest.mark.parametrize("name", ["bisecting-kmeans", "gaussian-mixture", "dbscan"])
def test_costs_of_centres_alone_do_not_fit_labels_of_its_own(name):
    with pytest.raises(SpecError, match="defined by centres alone; choose another pair"):
        Problem(load_dataset("blobs"), clustering=name, fairness="individual")


@pytest.mark.parametrize(
    ("name", "reason"), [("son", "one large cluster and single points"), ("hdbscan", "every k")]
)
def test_what_cannot_have_k_clusters_is_refused_with_the_reason(name, reason):
    with pytest.raises(SpecError, match=reason):
        get_clustering(name)
    with pytest.raises(SpecError, match=reason):
        Problem(load_dataset("blobs"), clustering=name)


def test_the_page_of_clusterings_lists_all_of_them():
    page = (Path(__file__).parents[3] / "docs" / "clusterings.md").read_text()
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert list(rows) == list(CLUSTERINGS)
    for name, line in rows.items():
        _, _, _, _, labels, weights, _, _ = (cell.strip() for cell in line.split("|"))
        assert labels.startswith("nearest") == CLUSTERINGS[name].by_nearest_center
        assert (weights == "yes") == CLUSTERINGS[name].weighted
