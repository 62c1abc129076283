"""The part of the plane that belongs to each centre, where every point goes to its nearest one."""

from __future__ import annotations

import numpy as np

from antidote_core.types import Floats


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
