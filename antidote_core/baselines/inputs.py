"""Checks that the fair algorithms share; every refusal is one sentence."""

from __future__ import annotations

import warnings

import numpy as np

from antidote_core.checks import check_whole
from antidote_core.errors import DataError, SpecError
from antidote_core.geometry import check_points
from antidote_core.types import Floats, Ints


def check_groups_present(codes: Ints) -> int:
    """The number of groups, when every code 0..g-1 is carried by a point."""
    sizes = np.bincount(codes)
    if (sizes == 0).any():
        absent = int(np.argmin(sizes))
        raise DataError(
            f"Group {absent} is absent: no point carries this code, though codes go up to "
            f"{len(sizes) - 1}. Renumber the groups 0, 1, ... without gaps."
        )
    return len(sizes)


def check_instance(points: object, groups: object, k: int) -> tuple[Floats, Ints, int]:
    """Points (n, d), groups (n,) and the number of groups, fit for k clusters."""
    points, codes, _ = check_points(points, groups)
    g = check_groups_present(codes)
    check_k(k, len(points))
    return points, codes, g


def check_k(k: int, n: int) -> None:
    """k must be a whole number from 1 to n."""
    check_whole("k", k, 1)
    if k > n:
        raise SpecError(f"k must be at most the number of points ({n}); got {k}.")


def check_centers(centers: object, k: int, d: int, name: str) -> Floats:
    """Centres (k, d) of finite numbers."""
    array = np.asarray(centers, dtype=np.float64)
    if array.shape != (k, d):
        raise DataError(f"{name} must have shape ({k}, {d}); got {array.shape}.")
    if not np.isfinite(array).all():
        raise DataError(f"{name} must be finite numbers; a value is missing or infinite.")
    return array


def check_labels(labels: object, k: int, n: int) -> Ints:
    """Labels (n,) in 0..k-1."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise DataError(f"labels must hold one label per point ({n}); got shape {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer) or array.min() < 0 or array.max() >= k:
        raise DataError(f"labels must be whole numbers from 0 to {k - 1}.")
    return array.astype(np.int64)


def vanilla_centers(points: Floats, k: int, seed: int) -> Floats:
    """Centres (k, d) of plain k-means: the best of ten seeded starts of scikit-learn."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # Fewer distinct points than clusters: the empty clusters are noted where they matter.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(k, n_init=10, random_state=seed).fit(points)
    return np.asarray(model.cluster_centers_)
