"""Flat pictures of the feature space: where points land on a map, and which of them are drawn.

Principal components, the part of a plane that belongs to each centre, and UMAP layouts of U:
computed once, kept on disk by content, V placed into the frozen picture. A layout shows a
stratified sample of at most 4,000 points. V is placed at the weighted mean of its nearest sampled
points, so U does not move while V grows. UMAP keeps neighbours together and says little about
distances: it pulls a far-away antidote point onto U, which is why every antidote point is shown
with its distance to the nearest real one.

The first fit in a process compiles for some ten seconds. scikit-learn finds the neighbours, which
spares UMAP the compilation of its own search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from antidote_core.datasets.bundled import BUNDLED
from antidote_core.errors import optional_packages
from antidote_core.types import Dataset, Floats, Ints

SAMPLE = 4000
NEIGHBOURS = 15
PLACED_BY = 10
SEED = 0
VERSION = 1
SHIPPED = BUNDLED / "layouts"


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


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions (m, 2) of the sampled rows (m,) of U."""

    rows: Ints
    positions: Floats

    def place(self, points: Floats, others: Floats) -> Floats:
        """Where `others` (q, d) land among points (n, d): the mean of their nearest, weighted."""
        from sklearn.neighbors import NearestNeighbors

        if not len(others):
            return np.empty((0, 2))
        count = min(PLACED_BY, len(self.rows))
        search = NearestNeighbors(n_neighbors=count).fit(points[self.rows])
        distances, nearest = search.kneighbors(others)
        weights = 1.0 / np.maximum(distances, 1e-9 + 1e-3 * distances.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return np.asarray((self.positions[nearest] * weights[:, :, None]).sum(axis=1))


def layout_path(data: Dataset, folder: Path) -> Path:
    """Where the layout of this data is kept below `folder`.

    Named by the points in single precision, so that another machine's last bit changes nothing.
    """
    digest = hashlib.sha256(data.points.astype(np.float32).tobytes())
    digest.update(data.groups.astype(np.int32).tobytes())
    return folder / f"{digest.hexdigest()[:32]}-v{VERSION}.npz"


def find_layout(data: Dataset, folder: Path) -> Layout | None:
    """The layout shipped with the package or computed before into `folder`; None without one."""
    places = (layout_path(data, SHIPPED), layout_path(data, folder))
    return next((_read(path) for path in places if path.is_file()), None)


def _read(path: Path) -> Layout:
    with np.load(path, allow_pickle=False) as stored:
        return Layout(stored["rows"].astype(np.int64), stored["positions"].astype(np.float64))


def sample_rows(groups: Ints, limit: int = SAMPLE, seed: int = SEED) -> Ints:
    """Rows of a sample with the group shares of the whole; small groups keep at least 30 rows."""
    if len(groups) <= limit:
        return np.arange(len(groups))
    rng = np.random.default_rng(seed)
    kept = []
    for code in np.unique(groups):
        members = np.flatnonzero(groups == code)
        wanted = max(min(30, len(members)), int(limit * len(members) / len(groups)))
        kept.append(rng.choice(members, min(wanted, len(members)), replace=False))
    return np.sort(np.concatenate(kept))


MAP_LIMIT = 10_000  # beyond this, dragging a map in the browser stutters


def map_rows(n: int, seed: int = 0, limit: int | None = MAP_LIMIT) -> Ints:
    """Rows to draw of n, in order: all of them up to `limit` (None: always), else a seeded sample.

    >>> len(map_rows(50)), map_rows(50, seed=1, limit=3).tolist() == map_rows(50, 1, 3).tolist()
    (50, True)
    """
    if limit is None or n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, limit, replace=False))


LIMIT = 2000  # antidote points that take part


def joint_path(data: Dataset, antidote: Floats, folder: Path) -> Path:
    """Where the joint layout of this U and this V is kept below `folder`."""
    digest = hashlib.sha256(antidote.astype(np.float32).tobytes()).hexdigest()[:16]
    return folder / f"joint-{digest}-{layout_path(data, folder).name}"


def find_joint(data: Dataset, antidote: Floats, folder: Path) -> Layout | None:
    """The layout computed before; rows of -1 are the antidote points, in order."""
    path = joint_path(data, antidote, folder)
    return _read(path) if path.is_file() else None


def layout_points(data: Dataset) -> tuple[Ints, Floats]:
    """What a layout of U shows: rows (m,) of U and their points (m, d)."""
    rows = sample_rows(data.groups)
    return rows, data.points[rows]


def joint_points(data: Dataset, antidote: Floats) -> tuple[Ints, Floats]:
    """What a joint layout shows; rows of -1 are the antidote points, in order."""
    rows, points = layout_points(data)
    shown = antidote[:LIMIT]
    return np.concatenate([rows, np.full(len(shown), -1)]), np.vstack([points, shown])


def umap_positions(points: Floats, seed: int = SEED) -> Floats:
    """UMAP positions (n, 2) of points (n, d)."""
    import warnings

    from sklearn.neighbors import NearestNeighbors

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with optional_packages():
            import umap

        count = min(NEIGHBOURS, len(points) - 1)
        search = NearestNeighbors(n_neighbors=count + 1).fit(points)
        distances, nearest = search.kneighbors(points)
        model = umap.UMAP(
            n_neighbors=count + 1,
            random_state=seed,
            n_jobs=1,
            init="pca",
            precomputed_knn=(nearest, distances.astype(np.float32)),
        )
        positions: Floats = model.fit_transform(points).astype(np.float64)
    return positions
