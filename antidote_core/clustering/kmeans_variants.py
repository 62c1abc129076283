"""Relatives of k-means, by scikit-learn: mini-batches, and halves of halves."""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.types import Clustering, Floats


def fit_minibatch(
    points: Floats,
    k: int,
    restarts: int = 3,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> Clustering:
    """Mini-batch k-means with k-means++ starts, the best of `restarts`.

    With weights, rows are drawn into the batches alike and count there by their weight: in the long
    run, not draw by draw, the same as repeated rows.

    >>> fit_minibatch(np.array([[0.0], [1.0], [8.0], [9.0]]), k=2).labels.tolist() in (
    ...     [0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    from sklearn.cluster import MiniBatchKMeans

    check_k(points, k)
    model = MiniBatchKMeans(k, n_init=restarts, random_state=seed)
    model.fit(points, sample_weight=sample_weight)
    return Clustering(
        model.cluster_centers_.astype(np.float64),
        model.labels_.astype(np.int64),
        float(model.inertia_),
    )


def fit_bisecting(
    points: Floats,
    k: int,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> Clustering:
    """Bisecting k-means: the cluster of the largest inertia is halved by 2-means until there are k.

    Every halving is the best of `restarts` k-means++ starts. Labels are those of the halvings: a
    point may be nearer to the centre of another branch.

    >>> fit_bisecting(np.array([[0.0], [1.0], [8.0], [9.0]]), k=2).objective
    1.0
    """
    from sklearn.cluster import BisectingKMeans

    check_k(points, k)
    model = BisectingKMeans(k, init="k-means++", n_init=restarts, random_state=seed)
    model.fit(points, sample_weight=sample_weight)
    return Clustering(
        np.asarray(model.cluster_centers_, dtype=np.float64),
        model.labels_.astype(np.int64),
        float(model.inertia_),
    )
