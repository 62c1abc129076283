"""The clusters a design aims at, as the program sees them: sizes, means and group means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Cells:
    """U with every point at its nearest centre.

    `centers` (k, d); `labels` (n,); `counts` (k, g) and `sums` (k, g, d) per cluster and group;
    `sizes` (k,) and `means` (k, d) per cluster; `inertia` of U around those means.
    """

    centers: Floats
    labels: Ints
    counts: Floats
    sums: Floats
    sizes: Floats
    means: Floats
    inertia: float

    @property
    def shifts(self) -> Floats:
        """How far V holds each centre away from the mean of its points of U, (k, d)."""
        return self.centers - self.means

    @property
    def scale(self) -> float:
        """Smallest distance between two centres."""
        return separation(self.centers)


def cells_at(
    centers: Floats, points: Floats, groups: Ints, weights: Floats | None = None
) -> Cells | None:
    """The cells of centres (k, d); None when one of them holds no point of U.

    Where the points have weights (n,), sizes, sums and inertia go by weight.
    """
    k, d = centers.shape
    g = int(groups.max()) + 1
    labels, _ = nearest_center(points, centers)
    cell = labels * g + groups
    counts = np.bincount(cell, weights, minlength=k * g).reshape(k, g).astype(np.float64)
    sizes = counts.sum(axis=1)
    if not sizes.all():
        return None
    sums = np.empty((k * g, d))
    for a in range(d):
        column = points[:, a] if weights is None else points[:, a] * weights
        sums[:, a] = np.bincount(cell, weights=column, minlength=k * g)
    sums = sums.reshape(k, g, d)
    means = sums.sum(axis=1) / sizes[:, None]
    if weights is None:
        squares = np.einsum("ij,ij->", points, points)
    else:
        squares = np.einsum("ij,ij,i->", points, points, weights)
    inertia = float(squares - (sizes * (means**2).sum(axis=1)).sum())
    return Cells(centers, labels, counts, sums, sizes, means, inertia)


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
