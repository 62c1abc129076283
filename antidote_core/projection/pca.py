"""Principal components: the two directions in which the points spread most."""

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
