"""How good a clustering is apart from fairness: three scores, two of them scikit-learn's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from antidote_core.checks import check_weights
from antidote_core.errors import DataError
from antidote_core.types import Floats, Ints

SILHOUETTE_SAMPLE = 5000
CHUNK = 500  # rows whose distances to all others are in memory at a time


@dataclass(frozen=True)
class Quality:
    """Silhouette (higher is better), Davies-Bouldin (lower), Calinski-Harabasz (higher).

    All are NaN when fewer than two clusters hold points. `silhouette_sample` is the number of
    points the silhouette was computed on.
    """

    silhouette: float
    davies_bouldin: float
    calinski_harabasz: float
    silhouette_sample: int


def quality(
    points: Floats,
    labels: Ints,
    seed: int = 0,
    sample_weight: Floats | None = None,
    compiled: bool = True,
) -> Quality:
    """Quality scores of labels (n,) on points (n, d).

    Above 5000 points the silhouette uses a seeded sample of 5000, because it compares all pairs.

    With `sample_weight` (n,) all three scores are those of data in which each row is repeated as
    often as it weighs: centres, averages and numbers of points are weighted, and in the silhouette
    a row of weight w has w - 1 others of its own at distance 0. Above 5000 rows the sample is one
    of rows, which keep their weights.

    The silhouette is computed by a `compiled` loop, or in NumPy, which is slower and needs nothing.

    >>> scores = quality(np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([0, 0, 1, 1]))
    >>> round(scores.silhouette, 3)
    0.989
    """
    from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score

    if np.shape(labels) != (len(points),):
        raise DataError(
            f"labels must hold one label per point ({len(points):,}); got shape {np.shape(labels)}."
        )
    filled = len(np.unique(labels))
    total = float(len(points))
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, len(points))
        total = float(sample_weight.sum())
    if not 2 <= filled < total:
        return Quality(math.nan, math.nan, math.nan, 0)
    rows = np.arange(len(points))
    if len(points) > SILHOUETTE_SAMPLE:
        rows = np.random.default_rng(seed).choice(rows, SILHOUETTE_SAMPLE, replace=False)
    sampled = len(np.unique(labels[rows]))
    weights = None if sample_weight is None else sample_weight[rows]
    score = silhouette(points[rows], labels[rows], weights, compiled) if sampled >= 2 else math.nan
    if sample_weight is not None:
        return Quality(score, *_weighted_scores(points, labels, sample_weight), len(rows))
    return Quality(
        score,
        float(davies_bouldin_score(points, labels)),
        float(calinski_harabasz_score(points, labels)),
        len(rows),
    )


def _weighted_scores(points: Floats, labels: Ints, weights: Floats) -> tuple[float, float]:
    """Davies-Bouldin and Calinski-Harabasz of rows repeated as often as they weigh."""
    _, codes = np.unique(labels, return_inverse=True)
    sizes = np.bincount(codes, weights=weights)
    k = len(sizes)
    member = np.zeros((k, len(points)))
    member[codes, np.arange(len(points))] = weights
    centers = member @ points / sizes[:, None]
    squared = ((points - centers[codes]) ** 2).sum(axis=1)
    middle = np.average(points, axis=0, weights=weights)
    between = float(sizes @ ((centers - middle) ** 2).sum(axis=1))
    within = float(weights @ squared)
    # As scikit-learn has it where clusters have no extent, or all centres are one.
    spread = np.bincount(codes, weights=weights * np.sqrt(squared)) / sizes
    apart = np.sqrt(((centers[:, None, :] - centers) ** 2).sum(axis=2))
    if np.allclose(spread, 0.0) or np.allclose(apart, 0.0):
        davies_bouldin = 0.0
    else:
        apart[apart == 0.0] = np.inf
        davies_bouldin = float(((spread[:, None] + spread) / apart).max(axis=1).mean())
    ratio = between / within * (sizes.sum() - k) / (k - 1.0) if within else 1.0
    return davies_bouldin, float(ratio)


def silhouette(
    points: Floats, labels: Ints, weights: Floats | None = None, compiled: bool = True
) -> float:
    """Mean silhouette of labels (n,) on points (n, d): scikit-learn's, several times as fast.

    With weights (n,), that of rows repeated as often as they weigh.

    >>> round(silhouette(np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([0, 0, 1, 1])), 3)
    0.989
    """
    scores = silhouettes(points, labels, weights, compiled)
    return float(scores.mean() if weights is None else np.average(scores, weights=weights))


def silhouettes(
    points: Floats, labels: Ints, weights: Floats | None = None, compiled: bool = True
) -> Floats:
    """The silhouette (n,) of every point; 0 for one that is alone in its cluster.

    >>> silhouettes(np.array([[0.0], [1.0], [9.0]]), np.array([0, 0, 1])).round(3).tolist()
    [0.889, 0.875, 0.0]
    """
    _, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes, weights=weights)
    weighted = () if weights is None else (np.array(weights, dtype=np.float64),)
    points = np.array(points, dtype=np.float64, order="C")
    sum_up = _compiled() if compiled else _distance_sums_in_numpy
    sums = sum_up(points, codes, len(counts), *weighted)
    rows = np.arange(len(points))
    others = counts[codes] - 1
    within = sums[rows, codes] / np.where(others > 0, others, 1)
    means = sums / counts
    means[rows, codes] = np.inf
    beyond = means.min(axis=1)
    scores = (beyond - within) / np.maximum(np.maximum(within, beyond), np.finfo(float).tiny)
    return np.where(others > 0, scores, 0.0)


@cache
def _compiled() -> Callable[..., Floats]:
    import numba

    kernel: Callable[..., Floats] = numba.njit(cache=True, error_model="numpy")(_distance_sums)
    return kernel


def _distance_sums(points: Floats, codes: Ints, k: int, weights: Floats | None = None) -> Floats:
    """Sum of the distances from every point to the points of every cluster, (n, k)."""
    n, d = points.shape
    sums = np.zeros((n, k))
    for i in range(n):
        for j in range(i):
            squared = 0.0
            for a in range(d):
                offset = points[i, a] - points[j, a]
                squared += offset * offset
            distance = np.sqrt(squared)
            if weights is None:
                sums[i, codes[j]] += distance
                sums[j, codes[i]] += distance
            else:
                sums[i, codes[j]] += weights[j] * distance
                sums[j, codes[i]] += weights[i] * distance
    return sums


def _distance_sums_in_numpy(
    points: Floats, codes: Ints, k: int, weights: Floats | None = None
) -> Floats:
    """The same, nothing compiled."""
    from scipy.spatial.distance import cdist

    member = np.zeros((len(points), k))
    member[np.arange(len(points)), codes] = 1.0 if weights is None else weights
    parts = range(0, len(points), CHUNK)
    return np.vstack([cdist(points[i : i + CHUNK], points) @ member for i in parts])
