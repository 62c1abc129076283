"""Nearest centre in Euclidean distance, a tie going to the lower index; quantiles with weights."""

from __future__ import annotations

import numpy as np

from antidote_core.errors import DataError
from antidote_core.types import Floats, Ints


def nearest_center(points: Floats, centers: Floats) -> tuple[Ints, Floats]:
    """Labels (n,) and squared distances (n,) of points (n, d) to the nearest of centers (k, d).

    >>> labels, squared = nearest_center(np.array([[0.0], [4.0]]), np.array([[1.0], [5.0]]))
    >>> labels.tolist(), squared.tolist()
    ([0, 1], [1.0, 1.0])
    """
    centers = numbers(centers, "centers")
    if centers.ndim != 2 or centers.shape[1] != points.shape[1]:
        raise DataError(
            f"centers must be a table with {points.shape[1]} columns, as the points have; got "
            f"shape {centers.shape}."
        )
    labels = np.zeros(len(points), dtype=np.int64)
    best = np.full(len(points), np.inf)
    for index, center in enumerate(centers):
        offset = points - center
        squared = np.einsum("ij,ij->i", offset, offset)
        closer = squared < best
        labels[closer] = index
        best[closer] = squared[closer]
    return labels, best


def numbers(values: object, name: str) -> Floats:
    """Anything like an array as numbers, or a sentence.

    >>> numbers([[1, "a"]], "points")
    Traceback (most recent call last):
    antidote_core.errors.DataError: points must be a table of numbers; could not convert string to \
float: 'a'.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        said = str(error).split(". ")[0].rstrip(".")
        raise DataError(f"{name} must be a table of numbers; {said}.") from None


def weighted_median(values: Floats, weights: Floats) -> float:
    """The median of values (n,) of which each occurs `weights` (n,) times.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]))
    1.5
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    half = below[-1] / 2.0
    low, high = np.searchsorted(below, half, "left"), np.searchsorted(below, half, "right")
    return float((values[order[low]] + values[order[min(high, len(order) - 1)]]) / 2.0)


def quantile(values: Floats, share: float, weights: Floats | None = None) -> float:
    """NumPy's quantile of values (n,) of which each occurs `weights` (n,) times, or once.

    >>> quantile(np.array([3.0, 1.0]), 0.25, np.array([2.0, 3.0]))
    1.0
    """
    if weights is None:
        return float(np.quantile(values, share))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    place = max(below[-1] - 1.0, 0.0) * share
    ends = np.searchsorted(below, (np.floor(place), np.ceil(place)), "right")
    low, high = values[order[np.minimum(ends, len(order) - 1)]]
    return float(low + (place - np.floor(place)) * (high - low))


def check_points(points: object, groups: object) -> tuple[Floats, Ints, int]:
    """Points (n, d), groups (n,) as arrays and the number of groups, or a sentence about them."""
    points = np.ascontiguousarray(numbers(points, "points"))
    if points.ndim != 2 or points.size == 0:
        raise DataError(
            f"points must be a table of numbers with one row per point; got shape {points.shape}."
        )
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points))[0, 0])
        raise DataError(
            f"points must be finite numbers; row {row} holds a missing or infinite value. "
            "Drop the row or fill the value in."
        )
    codes = np.asarray(groups)
    if codes.shape != (len(points),):
        raise DataError(
            f"groups must hold one code per point ({len(points)}); got shape {codes.shape}."
        )
    if not np.issubdtype(codes.dtype, np.integer):
        raise DataError(f"groups must be whole-number codes 0, 1, ...; got {codes.dtype} values.")
    if codes.min() < 0:
        raise DataError(f"groups must be codes 0, 1, ...; got {int(codes.min())}.")
    return points, codes.astype(np.int64), int(codes.max()) + 1


def separation(centers: Floats) -> float:
    """Smallest distance between two of the centres.

    >>> separation(np.array([[0.0], [3.0], [7.0]]))
    3.0
    """
    squared = ((centers[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
    return float(np.sqrt(squared[~np.eye(len(centers), dtype=bool)].min()))


def apart(first: Floats, second: Floats) -> float:
    """Largest distance from a centre of one clustering to the nearest of the other, both (k, d)."""
    squared = ((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=2)
    return float(np.sqrt(max(squared.min(axis=0).max(), squared.min(axis=1).max())))
