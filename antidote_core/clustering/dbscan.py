"""DBSCAN of scikit-learn with the radius that gives k clusters.

A point is a core point if at least `min_samples` points (itself among them) are within the radius
eps; core points within eps of each other are in one cluster, with all that lies within eps of them;
the rest is noise. DBSCAN finds the number of clusters itself, so k has to choose eps:

- eps is the largest radius at which there are at least k clusters, which leaves the least noise;
- where ties make more than k at once, the k largest remain and the others count as noise;
- min_samples is 5, or the largest smaller number for which some eps gives k clusters.

Clusters at eps are the parts of the single-linkage tree of the mutual reachability distance,
max(d(i, j), core(i), core(j)): there are as many as points with core(i) <= eps, less the joins up
to eps. So eps is found exactly, not by trying. A centre is the mean of its cluster without noise; a
noise point has the label of the nearest centre. Nothing is drawn: `restarts` and `seed` change
nothing.
"""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_all_pairs, check_k
from antidote_core.fairness.cost import assigned_squared
from antidote_core.geometry import nearest_center
from antidote_core.types import Clustering, Floats, Ints

MIN_SAMPLES = 5
SAME_RADIUS = 1e-9  # radii that differ by a smaller part are one


def fit_dbscan(points: Floats, k: int, restarts: int = 1, seed: int = 0) -> Clustering:
    """DBSCAN with k clusters; noise counts for the nearest centre.

    >>> points = np.r_[0.0:0.5:0.1, 5.0:5.5:0.1, 99.0][:, None]
    >>> found = fit_dbscan(points, k=2)
    >>> found.centers.round(2).tolist(), found.labels.tolist()
    ([[0.2], [5.2]], [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    """
    from sklearn.cluster import DBSCAN

    check_k(points, k)
    check_all_pairs("DBSCAN", points)
    eps, min_samples = radius_of(points, k)
    found = DBSCAN(eps=eps, min_samples=min_samples, algorithm="ball_tree").fit(points).labels_
    clusters = _largest(found, k)
    centers = np.stack([points[found == c].mean(axis=0) for c in clusters])
    labels, _ = nearest_center(points, centers)
    for label, c in enumerate(clusters):
        labels[found == c] = label
    return Clustering(centers, labels, float(assigned_squared(labels, centers, points).sum()))


def radius_of(points: Floats, k: int) -> tuple[float, int]:
    """The radius eps and min_samples with which DBSCAN gives k clusters of points (n, d).

    >>> eps, min_samples = radius_of(np.repeat([[0.0], [4.0]], 5, axis=0), 2)
    >>> round(eps, 6), min_samples
    (4.0, 5)
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist
    from sklearn.neighbors import NearestNeighbors

    distances = pdist(points)
    most = min(MIN_SAMPLES, len(points))
    nearest, _ = (
        NearestNeighbors(n_neighbors=most, algorithm="ball_tree").fit(points).kneighbors(points)
    )
    for min_samples in range(most, 0, -1):
        core = nearest[:, min_samples - 1]
        eps = _largest_radius(core, linkage(_reach(distances, core), "single")[:, 2], k)
        if eps is not None:
            return eps, min_samples
    raise AssertionError("with min_samples = 1 there are as many clusters as distinct points")


def _reach(distances: Floats, core: Floats) -> Floats:
    """The mutual reachability of all pairs, in the order of `distances` (n (n - 1) / 2,)."""
    reach = distances.copy()
    begin = 0
    for i in range(len(core) - 1):
        row = reach[begin : begin + len(core) - 1 - i]
        np.maximum(row, np.maximum(core[i], core[i + 1 :]), out=row)
        begin += len(row)
    return reach


def _largest_radius(core: Floats, joins: Floats, k: int) -> float | None:
    """The end of the largest radii between which there are at least k clusters, if any."""
    core, joins = np.sort(core), np.sort(joins)
    radii = np.unique(np.concatenate([core, joins]))
    clusters = np.searchsorted(core, radii, "right") - np.searchsorted(joins, radii, "right")
    enough = (clusters[:-1] >= k) & (np.diff(radii) > SAME_RADIUS * radii[1:])
    if not enough.any():
        return None
    last = int(np.flatnonzero(enough)[-1])
    return float(radii[last + 1] * (1.0 - SAME_RADIUS / 2.0))  # there, clusters join


def _largest(found: Ints, k: int) -> Ints:
    """The k labels with the most points, ascending; noise (-1) is none."""
    sizes = np.bincount(found[found >= 0])
    return np.sort(np.argsort(-sizes, kind="stable")[:k])
