"""What every fairness cost is made of: who is in which cluster, and what each group pays."""

from __future__ import annotations

import numpy as np

from antidote_core.types import Floats, Ints


def cluster_counts(labels: Ints, groups: Ints, k: int, g: int) -> Floats:
    """Number of points of U per cluster and group, (k, g).

    >>> cluster_counts(np.array([0, 0, 1]), np.array([0, 1, 1]), k=2, g=2).tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    flat = np.bincount(labels * g + groups, minlength=k * g)
    return flat.reshape(k, g).astype(np.float64)


def group_means(squared: Floats, groups: Ints, g: int) -> Floats:
    """Average squared distance per group, (g,); 0 for a code that no point carries."""
    sizes = np.bincount(groups, minlength=g)
    return np.bincount(groups, weights=squared, minlength=g) / np.maximum(sizes, 1)


def assigned_squared(labels: Ints, centers: Floats, points: Floats) -> Floats:
    """Squared distance (n,) of each point to the centre its label names."""
    offset = points - centers[labels]
    return np.asarray(np.einsum("ij,ij->i", offset, offset))
