"""Quality scores against their definitions, written out on a few points."""

import math

import numpy as np
import pytest

from antidote_core import quality
from antidote_core.quality import SILHOUETTE_SAMPLE, silhouette


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 3
    return rng.normal(size=(n, 2)) + 3.0 * labels[:, None], labels


def slow_silhouette(points, labels):
    """Rousseeuw 1987: mean of (b - a) / max(a, b), and 0 for a point alone in its cluster."""
    scores = []
    for i, x in enumerate(points):
        to = [math.dist(x, y) for y in points]
        own = [to[j] for j in range(len(points)) if j != i and labels[j] == labels[i]]
        others = [
            np.mean([to[j] for j in range(len(points)) if labels[j] == c])
            for c in set(labels.tolist()) - {int(labels[i])}
        ]
        if not own:
            scores.append(0.0)
            continue
        a, b = np.mean(own), min(others)
        scores.append((b - a) / max(a, b))
    return np.mean(scores)


def slow_davies_bouldin(points, labels):
    """Davies and Bouldin 1979: mean over clusters of the worst (s_i + s_j) / d_ij."""
    codes = sorted(set(labels.tolist()))
    centers = {c: points[labels == c].mean(axis=0) for c in codes}
    spread = {c: np.mean([math.dist(x, centers[c]) for x in points[labels == c]]) for c in codes}
    worst = []
    for i in codes:
        others = [j for j in codes if j != i]
        worst.append(
            max((spread[i] + spread[j]) / math.dist(centers[i], centers[j]) for j in others)
        )
    return np.mean(worst)


def slow_calinski_harabasz(points, labels):
    """Calinski and Harabasz 1974: (between / (k - 1)) / (within / (n - k))."""
    codes = sorted(set(labels.tolist()))
    middle = points.mean(axis=0)
    between = within = 0.0
    for c in codes:
        members = points[labels == c]
        center = members.mean(axis=0)
        between += len(members) * math.dist(center, middle) ** 2
        within += sum(math.dist(x, center) ** 2 for x in members)
    return (between / (len(codes) - 1)) / (within / (len(points) - len(codes)))


@pytest.mark.parametrize("seed", range(3))
def test_scores_follow_their_definitions(seed):
    points, labels = blobs(40, seed)
    labels = labels.copy()
    labels[0] = 7  # a cluster of one, and a gap in the codes
    scores = quality(points, labels)
    assert scores.silhouette == pytest.approx(slow_silhouette(points, labels))
    assert scores.davies_bouldin == pytest.approx(slow_davies_bouldin(points, labels))
    assert scores.calinski_harabasz == pytest.approx(slow_calinski_harabasz(points, labels))
    assert scores.silhouette_sample == 40


def test_silhouette_above_the_limit_uses_a_stated_seeded_sample():
    points, labels = blobs(SILHOUETTE_SAMPLE + 500)
    scores = quality(points, labels, seed=4)
    assert scores.silhouette_sample == SILHOUETTE_SAMPLE
    assert quality(points, labels, seed=4) == scores
    other = quality(points, labels, seed=5)
    assert other.silhouette != scores.silhouette
    assert other.silhouette == pytest.approx(scores.silhouette, abs=0.01)
    assert other.davies_bouldin == scores.davies_bouldin
    exact = quality(points[:SILHOUETTE_SAMPLE], labels[:SILHOUETTE_SAMPLE])
    assert exact.silhouette == pytest.approx(scores.silhouette, abs=0.01)


@pytest.mark.parametrize("labels", [np.zeros(5, int), np.arange(5)])
def test_one_cluster_or_one_per_point_has_no_score(labels):
    scores = quality(np.arange(10.0).reshape(5, 2), labels)
    assert np.isnan([scores.silhouette, scores.davies_bouldin, scores.calinski_harabasz]).all()
    assert scores.silhouette_sample == 0


@pytest.mark.parametrize("d", [1, 3, 40])
def test_the_silhouette_is_that_of_scikit_learn(d):
    from sklearn.metrics import silhouette_score

    rng = np.random.default_rng(d)
    points = rng.normal(size=(300, d))
    labels = rng.choice([2, 5, 7], 300)
    labels[0] = 9  # alone in its cluster
    points[10] = points[11]
    assert silhouette(points, labels) == pytest.approx(silhouette_score(points, labels), abs=1e-9)
