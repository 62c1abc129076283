"""Unnormalised spectral clustering on a symmetric 10-nearest-neighbour graph.

The paper says unnormalised but names no graph. Two points are joined when either is among the 10
nearest of the other; edges have weight 1. The embedding is the k bottom eigenvectors of L = D - W,
clustered by k-means; the labels of U are those of its rows in the embedding, not those of the
nearest centre, and a centre is the mean of its points of U.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.errors import SpecError
from antidote_core.fairness.cost import assigned_squared, cluster_counts, group_means
from antidote_core.types import Clustering, Floats, Ints

NEIGHBOURS = 10
MAX_POINTS = 6000
DENSE_BELOW = 200  # below this many points dense eigenvectors are faster than anything else
CONNECTED = 1e-9  # an eigenvalue below this, relative to the largest degree, is taken for zero
RESIDUAL = 1e-8
SHIFT = 1e-4  # of the mean degree: makes L invertible without moving what matters
SPARE = 2  # eigenvectors kept beyond those wanted: V may change their order
BASIS = 90  # vectors after which the dense solver takes over


def fit_spectral(points: Floats, k: int, restarts: int = 10, seed: int = 0) -> Clustering:
    """Spectral clustering of points (n, d) by dense eigenvectors; the objective is the k-means one.

    >>> points = np.r_[np.random.default_rng(0).normal(0, 1, (30, 2)), [[9.0, 9.0]] * 30]
    >>> sorted(np.bincount(fit_spectral(points, k=2).labels).tolist())
    [30, 30]
    """
    _check(points, k)
    graph = neighbour_graph(points)
    _, vectors = _dense_bottom(_laplacian(graph), k)
    labels, objective = _cluster_embedding(vectors, k, restarts, seed)
    return Clustering(_means(points, labels, points, labels, k), labels, objective)


def neighbour_graph(points: Floats, neighbours: int = NEIGHBOURS) -> Any:
    """Symmetric nearest-neighbour graph (n, n) as a sparse matrix of 0 and 1."""
    nearest = _nearest(_pairwise(points, points), neighbours)
    return _graph(nearest)


def _check(points: Floats, k: int) -> None:
    check_k(points, k)
    if len(points) > MAX_POINTS:
        raise SpecError(
            f"Spectral clustering takes at most {MAX_POINTS} points; got {len(points)}. "
            "Use a sample, for example sample=1000 as in the paper."
        )


def _pairwise(left: Floats, right: Floats) -> Floats:
    from sklearn.metrics.pairwise import euclidean_distances

    return np.asarray(euclidean_distances(left, right, squared=True))


def _nearest(squared: Floats, neighbours: int) -> Ints:
    """Indices (n, min(neighbours, n - 1)) of the nearest others in a distance matrix (n, n)."""
    squared = squared.copy()
    np.fill_diagonal(squared, np.inf)
    return _smallest(squared, min(neighbours, len(squared) - 1))


def _smallest(rows: Floats, count: int) -> Ints:
    """Columns (n, count) of the smallest entries of each row, ascending; of equals the first."""
    if count >= rows.shape[1]:
        return np.argsort(rows, axis=1, kind="stable")[:, :count]
    found = np.sort(np.argpartition(rows, count - 1, axis=1)[:, :count], axis=1)
    values = np.take_along_axis(rows, found, axis=1)
    found = np.take_along_axis(found, np.argsort(values, axis=1, kind="stable"), axis=1)
    # Where equals straddle the limit, which of them are in is the partition's whim.
    limit = values.max(axis=1, keepdims=True)
    tied = np.flatnonzero((rows <= limit).sum(axis=1) > count)
    found[tied] = np.argsort(rows[tied], axis=1, kind="stable")[:, :count]
    return found


def _graph(nearest: Ints) -> Any:
    from scipy.sparse import csr_array

    n, count = nearest.shape
    indptr = np.arange(0, n * count + 1, count)
    directed = csr_array((np.ones(n * count), nearest.ravel(), indptr), shape=(n, n))
    return directed.maximum(directed.T).tocsr()


def _laplacian(graph: Any) -> Any:
    from scipy.sparse import dia_array

    degrees = np.asarray(graph.sum(axis=1)).ravel()
    return (dia_array((degrees[None, :], [0]), shape=graph.shape) - graph).tocsr()


def _connected(graph: Any) -> bool:
    from scipy.sparse.csgraph import connected_components

    return bool(connected_components(graph, directed=False, return_labels=False) == 1)


def _factored(laplacian: Any, count: int) -> tuple[Any, Floats]:
    """Factors of L + s I, and the `count` bottom eigenvectors after the constant one.

    The graph must be connected; Lanczos on the inverse takes a few dozen solves.
    """
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import LinearOperator, eigsh, splu

    n = laplacian.shape[0]
    shift = SHIFT * float(laplacian.diagonal().mean())
    factor = splu(
        (laplacian + shift * eye_array(n)).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )

    def inverse(vector: Floats) -> Floats:
        answer = factor.solve(vector.ravel() - vector.mean())
        return np.asarray(answer - answer.mean())

    start = inverse(np.random.default_rng(0).standard_normal(n))
    operator = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
    _, vectors = eigsh(operator, k=count, which="LM", v0=start, tol=1e-10)
    return factor, np.asarray(vectors[:, ::-1])


def _dense_bottom(laplacian: Any, k: int) -> tuple[Floats, Floats]:
    from scipy.linalg import eigh

    values, vectors = eigh(laplacian.toarray(), subset_by_index=[0, k - 1], driver="evr")
    return values, vectors


def _cluster_embedding(vectors: Floats, k: int, restarts: int, seed: int) -> tuple[Ints, float]:
    if k == 2 and np.ptp(vectors[:, 0]) < 1e-6:
        return _two_means(vectors[:, 1])
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(k, n_init=restarts, random_state=seed).fit(vectors)
    return model.labels_.astype(np.int64), float(model.inertia_)


def _two_means(values: Floats) -> tuple[Ints, float]:
    """The best split of numbers (n,) into two clusters: exact, by prefix sums once sorted."""
    order = np.argsort(values, kind="stable")
    ordered = values[order] - values.mean()
    n = len(values)
    left = np.arange(1, n)
    sums = np.cumsum(ordered)[:-1]
    # Total scatter minus what the split explains: s^2/l + s^2/(n-l), with the total sum zero.
    explained = sums**2 * (1.0 / left + 1.0 / (n - left))
    cut = int(np.argmax(explained)) + 1
    labels = np.empty(n, dtype=np.int64)
    labels[order[:cut]] = 0
    labels[order[cut:]] = 1
    # The sign of an eigenvector is arbitrary: the first point is always in cluster 0.
    if labels[0] == 1:
        labels = 1 - labels
    return labels, float((ordered**2).sum() - explained[cut - 1])


def _means(points: Floats, labels: Ints, all_points: Floats, all_labels: Ints, k: int) -> Floats:
    """Mean of the points per cluster; of all points where a cluster holds none of `points`."""
    centers = np.empty((k, points.shape[1]))
    for c in range(k):
        members = points[labels == c]
        if not len(members):
            members = all_points[all_labels == c]
        centers[c] = members.mean(axis=0) if len(members) else all_points.mean(axis=0)
    return centers


class SpectralEvaluator:
    """C(U ∪ V) by a warm-started eigensolver; dense where the graph falls apart.

    The neighbours of U are kept; V changes the lists of the few points it comes close to. The
    bottom eigenvectors are found by a block Davidson method that starts from those of U and uses
    the factors of U's own Laplacian as its preconditioner.
    """

    def __init__(self, points: Floats, groups: Ints, k: int, restarts: int, seed: int) -> None:
        _check(points, k)
        self._points = points
        self._groups = groups
        self._k = k
        self._restarts = restarts
        self._seed = seed
        squared = _pairwise(points, points)
        self._nearest = _nearest(squared, NEIGHBOURS)
        self._nearest_squared = np.take_along_axis(squared, self._nearest, axis=1)
        self._factor: Any = None
        self._latest: tuple[bytes, Clustering] | None = None
        graph = _graph(self._nearest)
        if len(points) >= DENSE_BELOW and _connected(graph):
            self._factor, self._vectors = _factored(_laplacian(graph), k - 1 + SPARE)
        self.vanilla = self.solve(np.empty((0, points.shape[1])))

    def _union_graph(self, antidote: Floats) -> Any:
        """The graph of U ∪ V from the stored neighbours of U."""
        n, m = len(self._points), len(antidote)
        if m == 0:
            return _graph(self._nearest)
        to_points = _pairwise(antidote, self._points)
        to_each_other = _pairwise(antidote, antidote)
        np.fill_diagonal(to_each_other, np.inf)
        count = min(NEIGHBOURS, n + m - 1)
        own = _smallest(np.hstack([to_points, to_each_other]), count)
        nearest = self._nearest
        if nearest.shape[1] < count:
            squared = _pairwise(self._points, np.vstack([self._points, antidote]))
            np.fill_diagonal(squared, np.inf)
            nearest = np.argsort(squared, axis=1, kind="stable")[:, :count]
        else:
            touched = np.flatnonzero(to_points.min(axis=0) < self._nearest_squared[:, -1])
            if len(touched):
                nearest = nearest.copy()
                candidates = np.hstack([self._nearest_squared[touched], to_points[:, touched].T])
                names = np.hstack(
                    [self._nearest[touched], np.tile(np.arange(n, n + m), (len(touched), 1))]
                )
                keep = np.argsort(candidates, axis=1, kind="stable")[:, :count]
                nearest[touched] = np.take_along_axis(names, keep, axis=1)
        return _graph(np.vstack([nearest, own]))

    def _bottom(self, graph: Any) -> Floats:
        laplacian = _laplacian(graph)
        # Davidson cannot see a component that V forms on its own: its start is zero there.
        if self._factor is not None and _connected(graph):
            vectors = self._davidson(laplacian)
            if vectors is not None:
                return vectors
        return _dense_bottom(laplacian, self._k)[1]

    def _davidson(self, laplacian: Any) -> Floats | None:
        """The constant vector and the next k - 1 eigenvectors, or None where it does not apply."""
        n, total = len(self._points), laplacian.shape[0]
        wanted = self._k - 1
        scale = float(laplacian.diagonal().max())
        block = np.zeros((total, self._vectors.shape[1]))
        block[:n] = self._vectors
        # A new node starts at the average of its neighbours, which is what L x = 0 asks of it.
        for node in range(n, total):
            start, stop = laplacian.indptr[node], laplacian.indptr[node + 1]
            others = laplacian.indices[start:stop]
            others = others[others < n]
            if len(others):
                block[node] = block[others].mean(axis=0)
        degrees = laplacian.diagonal()
        # Columns: the constant vector, which L maps to zero, then the growing basis.
        basis = np.empty((total, BASIS + 1), order="F")
        images = np.zeros((total, BASIS + 1), order="F")
        basis[:, 0] = 1.0 / np.sqrt(total)
        filled = 1
        fresh = block
        while True:
            fresh = _orthonormal(fresh, basis[:, :filled])
            if fresh.shape[1] == 0 or filled + fresh.shape[1] > BASIS:
                return None
            grown = filled + fresh.shape[1]
            basis[:, filled:grown] = fresh
            images[:, filled:grown] = laplacian @ fresh
            filled = grown
            inner = basis[:, 1:filled].T @ images[:, 1:filled]
            values, weights = np.linalg.eigh((inner + inner.T) / 2)
            values, weights = values[:wanted], weights[:, :wanted]
            ritz = basis[:, 1:filled] @ weights
            residual = images[:, 1:filled] @ weights - ritz * values
            norms = np.linalg.norm(residual, axis=0)
            if (norms <= RESIDUAL * scale).all():
                break
            unsettled = norms > RESIDUAL * scale
            fresh = self._preconditioned(residual[:, unsettled], values[unsettled], degrees)
        if values[0] <= CONNECTED * scale:
            return None
        return np.hstack([basis[:, :1], ritz])

    def _preconditioned(self, residual: Floats, shifts: Floats, degrees: Floats) -> Floats:
        """About L^-1 residual: the factors on U's nodes, the diagonal on those of V."""
        n = len(self._points)
        correction = residual / np.maximum(degrees[:, None] - shifts, 1.0)
        correction[:n] = self._factor.solve(residual[:n])
        return np.asarray(correction)

    def solve(self, antidote: Floats) -> Clustering:
        """C(U ∪ V) with the labels of U; asked twice in a row for the same V, solved once."""
        key = antidote.tobytes()
        if self._latest is None or self._latest[0] != key:
            self._latest = (key, self._solve(antidote))
        return self._latest[1]

    def _solve(self, antidote: Floats) -> Clustering:
        n = len(self._points)
        vectors = self._bottom(self._union_graph(antidote))
        labels, objective = _cluster_embedding(vectors, self._k, self._restarts, self._seed)
        everything = np.vstack([self._points, antidote])
        centers = _means(self._points, labels[:n], everything, labels, self._k)
        return Clustering(centers, labels[:n], objective)

    def bridges(self) -> Floats:
        """Middles (m, d) of the edges that plain clustering cuts, nearest in the embedding first.

        A point put there is joined to both sides of the cut, which it moves.
        """
        graph = _graph(self._nearest)
        rows, columns = graph.nonzero()
        labels = self.vanilla.labels
        cut = (rows < columns) & (labels[rows] != labels[columns])
        rows, columns = rows[cut], columns[cut]
        vectors = self._bottom(graph)
        apart = np.linalg.norm(vectors[rows] - vectors[columns], axis=1)
        order = np.argsort(apart, kind="stable")
        return np.asarray((self._points[rows] + self._points[columns]) / 2)[order]

    def statistics(self, antidote: Floats) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V)."""
        solved = self.solve(antidote)
        g = int(self._groups.max()) + 1
        squared = assigned_squared(solved.labels, solved.centers, self._points)
        counts = cluster_counts(solved.labels, self._groups, self._k, g)
        return solved.centers, counts, group_means(squared, self._groups, g)


def _orthonormal(block: Floats, against: Floats) -> Floats:
    """Columns of block made orthonormal to each other and to `against`; dependent ones vanish."""
    kept: list[Floats] = []
    for column in block.T:
        size = np.linalg.norm(column)
        for _ in range(2):  # twice is enough
            column = column - against @ (against.T @ column)
            for other in kept:
                column = column - other * (other @ column)
        left = np.linalg.norm(column)
        if left > 1e-10 * size:
            kept.append(column / left)
    return np.array(kept).reshape(-1, len(block)).T
