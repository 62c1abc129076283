"""Principal components, and the part of a plane that belongs to each centre."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.types import Floats


@dataclass(frozen=True, eq=False)
class Plane:
    """A flat picture of a d-dimensional space.

    A point x lands at (x - origin) @ axes.T; `axes` (2, d) are orthonormal (the second is zero when
    d = 1). `share` is the part of the points' variance the picture shows. `exact` says that the two
    axes are the two features themselves, so distances on the map are the real ones.
    """

    origin: Floats
    axes: Floats
    share: float
    names: tuple[str, str]
    exact: bool

    def place(self, points: Floats) -> Floats:
        """Where points (m, d) land on the map, (m, 2)."""
        return np.asarray((points - self.origin) @ self.axes.T)


def fit_plane(points: Floats, feature_names: Sequence[str]) -> Plane:
    """The first two principal components of points (n, d); two features are kept as they are.

    The sign of each component is fixed (its largest loading is positive), so that the same data
    give the same map everywhere.

    >>> plane = fit_plane(np.array([[0.0, 0, 0], [3, 3, 0], [6, 6, 1]]), ("a", "b", "c"))
    >>> plane.axes[0].round(2).tolist(), plane.exact
    ([0.7, 0.7, 0.12], False)
    """
    d = points.shape[1]
    if d == 2:
        names = (str(feature_names[0]), str(feature_names[1]))
        return Plane(np.zeros(2), np.eye(2), 1.0, names, exact=True)
    origin = points.mean(axis=0)
    centred = points - origin
    values, vectors = np.linalg.eigh(centred.T @ centred / len(points))
    axes = np.zeros((2, d))
    axes[: min(2, d)] = vectors[:, ::-1].T[:2]
    for axis in axes:
        if axis[np.abs(axis).argmax()] < 0:
            axis *= -1.0
    total = float(values.sum())
    share = float(values[-2:].sum()) / total if total > 0 else 1.0
    return Plane(
        origin, axes, share, ("first principal component", "second principal component"), False
    )


def cluster_cells(centers: Floats, lower: Floats, upper: Floats) -> list[Floats]:
    """One convex polygon (corners, 2) per centre of centers (k, 2), cut off at the box.

    The box is cut by one half-plane per rival: |x - a|^2 <= |x - c|^2 is linear in x. A centre
    without any room in the box has a polygon without corners.

    >>> cells = cluster_cells(np.array([[-1.0, 0], [1.0, 0]]), np.array([-2, -2]), np.array([2, 2]))
    >>> cells[0].tolist()
    [[-2.0, -2.0], [0.0, -2.0], [0.0, 2.0], [-2.0, 2.0]]
    """
    (left, bottom), (right, top) = lower, upper
    box = np.array([[left, bottom], [right, bottom], [right, top], [left, top]], dtype=np.float64)
    cells = []
    for i, own in enumerate(centers):
        cell = box
        for j, rival in enumerate(centers):
            if i != j and len(cell):
                cell = _cut(cell, 2 * (rival - own), float(rival @ rival - own @ own))
        cells.append(cell)
    return cells


def _cut(polygon: Floats, normal: Floats, bound: float) -> Floats:
    """The part of a convex polygon with normal . x <= bound (Sutherland and Hodgman 1974)."""
    room = bound - polygon @ normal
    corners = []
    for i in range(len(polygon)):
        j = (i + 1) % len(polygon)
        if room[i] >= 0:
            corners.append(polygon[i])
        if room[i] * room[j] < 0:
            part = room[i] / (room[i] - room[j])
            corners.append(polygon[i] + part * (polygon[j] - polygon[i]))
    return np.array(corners).reshape(-1, 2)
