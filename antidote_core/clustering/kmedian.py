"""k-median: nearest centre in the sum of absolute differences, centres at the medians."""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.types import Clustering, Floats, Ints

MAX_ITERATIONS = 300


def fit_kmedian(points: Floats, k: int, restarts: int = 10, seed: int = 0) -> Clustering:
    """Alternate assignment and coordinate-wise medians; the best of `restarts` k-means++ starts.

    >>> fit_kmedian(np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [99.0]]), k=2).objective
    16.0
    """
    from sklearn.cluster import kmeans_plusplus

    check_k(points, k)
    seeds = np.random.SeedSequence(seed).generate_state(restarts)
    starts = [kmeans_plusplus(points, k, random_state=int(start))[0] for start in seeds]
    found = [_alternate(points, centers) for centers in starts]
    return min(found, key=lambda clustering: clustering.objective)


def _alternate(points: Floats, centers: Floats) -> Clustering:
    labels, objective = _assign(points, centers)
    for _ in range(MAX_ITERATIONS):
        moved = centers.copy()
        for c in range(len(centers)):
            members = labels == c
            if members.any():
                moved[c] = np.median(points[members], axis=0)
        centers, before = moved, labels
        labels, objective = _assign(points, centers)
        if np.array_equal(labels, before):
            break
    return Clustering(centers, labels, objective)


def _assign(points: Floats, centers: Floats) -> tuple[Ints, float]:
    distances = np.stack([np.abs(points - c).sum(axis=1) for c in centers], axis=1)
    labels = distances.argmin(axis=1)
    return labels, float(distances[np.arange(len(points)), labels].sum())
