"""How good a clustering is apart from fairness: three scores of scikit-learn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from antidote_core.types import Floats, Ints

SILHOUETTE_SAMPLE = 5000


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


def quality(points: Floats, labels: Ints, seed: int = 0) -> Quality:
    """Quality scores of labels (n,) on points (n, d).

    Above 5000 points the silhouette uses a seeded sample of 5000, because it compares all pairs.

    >>> scores = quality(np.array([[0.0], [0.1], [9.0], [9.1]]), np.array([0, 0, 1, 1]))
    >>> round(scores.silhouette, 3)
    0.989
    """
    from sklearn.metrics import (
        calinski_harabasz_score,
        davies_bouldin_score,
        silhouette_score,
    )

    filled = len(np.unique(labels))
    if not 2 <= filled < len(points):
        return Quality(math.nan, math.nan, math.nan, 0)
    rows = np.arange(len(points))
    if len(points) > SILHOUETTE_SAMPLE:
        rows = np.random.default_rng(seed).choice(rows, SILHOUETTE_SAMPLE, replace=False)
    sampled = len(np.unique(labels[rows]))
    silhouette = silhouette_score(points[rows], labels[rows]) if sampled >= 2 else math.nan
    return Quality(
        float(silhouette),
        float(davies_bouldin_score(points, labels)),
        float(calinski_harabasz_score(points, labels)),
        len(rows),
    )
