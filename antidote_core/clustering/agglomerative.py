"""Agglomerative clustering of scikit-learn: the two nearest clusters become one until k are left.

What "nearest" means is the linkage: the growth of the sum of squares (Ward), the mean distance of
two members, or the largest one. Nothing is drawn: `restarts` and `seed` change nothing. A centre is
the mean of its cluster.

The distances are n (n - 1) / 2 numbers of 8 bytes, held twice: 288 MB for the most points taken.
"""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.generic import means_of
from antidote_core.clustering.kmeans import check_all_pairs, check_k
from antidote_core.fairness.cost import assigned_squared
from antidote_core.types import Clustering, Floats


def fit_ward(points: Floats, k: int, restarts: int = 1, seed: int = 0) -> Clustering:
    """Ward: join the clusters for which the sum of squared distances to the means grows least.

    >>> fit_ward(np.array([[0.0], [1.0], [8.0], [9.0]]), k=2).objective
    1.0
    """
    return _joined("Ward clustering", "ward", points, k)


def fit_average(points: Floats, k: int, restarts: int = 1, seed: int = 0) -> Clustering:
    """Average linkage: join the clusters whose members are nearest to each other on average.

    >>> np.bincount(fit_average(np.array([[0.0], [1.0], [4.0], [20.0]]), k=2).labels).tolist()
    [3, 1]
    """
    return _joined("Average linkage", "average", points, k)


def fit_complete(points: Floats, k: int, restarts: int = 1, seed: int = 0) -> Clustering:
    """Complete linkage: join the clusters that make the least wide one.

    >>> np.bincount(fit_complete(np.array([[0.0], [1.0], [4.0], [6.0]]), k=2).labels).tolist()
    [2, 2]
    """
    return _joined("Complete linkage", "complete", points, k)


def _joined(title: str, linkage: str, points: Floats, k: int) -> Clustering:
    from sklearn.cluster import AgglomerativeClustering

    check_k(points, k)
    check_all_pairs(title, points)
    model = AgglomerativeClustering(k, linkage=linkage).fit(points)
    labels = model.labels_.astype(np.int64)
    centers = means_of(labels, points, k)
    return Clustering(centers, labels, float(assigned_squared(labels, centers, points).sum()))
