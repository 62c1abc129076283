"""k-median: nearest centre in the sum of absolute differences, centres at the medians."""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.geometry import weighted_median
from antidote_core.types import Clustering, Floats, Ints

MAX_ITERATIONS = 300


def fit_kmedian(
    points: Floats,
    k: int,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> Clustering:
    """Alternate assignment and coordinate-wise medians; the best of `restarts` k-means++ starts.

    >>> fit_kmedian(np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [99.0]]), k=2).objective
    16.0
    """
    from sklearn.cluster import kmeans_plusplus

    check_k(points, k)
    seeds = np.random.SeedSequence(seed).generate_state(restarts)
    starts = [
        kmeans_plusplus(points, k, sample_weight=sample_weight, random_state=int(start))[0]
        for start in seeds
    ]
    found = [_alternate(points, centers, sample_weight) for centers in starts]
    return min(found, key=lambda clustering: clustering.objective)


def _alternate(points: Floats, centers: Floats, weights: Floats | None) -> Clustering:
    labels, objective = _assign(points, centers, weights)
    for _ in range(MAX_ITERATIONS):
        moved = centers.copy()
        for c in range(len(centers)):
            members = labels == c
            if members.any():
                moved[c] = _medians(points[members], None if weights is None else weights[members])
        centers, before = moved, labels
        labels, objective = _assign(points, centers, weights)
        if np.array_equal(labels, before):
            break
    return Clustering(centers, labels, objective)


def _medians(points: Floats, weights: Floats | None) -> Floats:
    """The median of every feature, (d,)."""
    if weights is None:
        return np.asarray(np.median(points, axis=0))
    return np.array([weighted_median(column, weights) for column in points.T])


def _assign(points: Floats, centers: Floats, weights: Floats | None) -> tuple[Ints, float]:
    distances = np.stack([np.abs(points - c).sum(axis=1) for c in centers], axis=1)
    labels = distances.argmin(axis=1)
    own = distances[np.arange(len(points)), labels]
    return labels, float(own.sum() if weights is None else own @ weights)
