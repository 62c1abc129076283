"""Fair spectral clustering, after Kleindessner, Samadi, Awasthi and Morgenstern (2019).

The relaxed cut problem min trace(H' L H), H'H = I, with the unnormalised Laplacian L = D - W, gets
one more constraint: every column of H has the same mean in every group. With F (n, g-1) holding the
centred group indicators this reads F'H = 0, so the columns of H are the k bottom eigenvectors of L
restricted to the null space of F'; k-means on the rows of H gives the clusters.

Small or dense graphs: with Q an orthonormal basis of F and P = I - QQ', the bottom eigenvectors of
PLP + c QQ' for a large c. Sparse graphs: the inverse of L + s I on the null space of F' is

    T = A - A Q (Q'A Q)^-1 Q'A,    A = (L + s I)^-1,

one sparse factorisation and a Schur complement of g-1 rows, whose top eigenvectors Lanczos finds in
a few dozen solves. The eigenvectors to eigenvalue 0 are known (combinations of the components'
indicators) and taken out, so that a graph in several parts costs no accuracy.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    BaselineWarning,
    check_groups_present,
    check_k,
    four_scores,
    plain_kmeans,
)
from antidote_core.clustering.spectral import MAX_POINTS, neighbour_graph
from antidote_core.errors import DataError, SolverError, SpecError
from antidote_core.fairness import balance_table
from antidote_core.geometry import check_points
from antidote_core.types import Floats, Ints

DENSE_BELOW = 300
DENSE_ABOVE_FILL = 0.1
SHIFT = 1e-4  # of the mean degree: well below the eigenvalues that matter, far above rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class FairSpectralResult(BaselineResult):
    """`embedding` (n, k) and `eigenvalues` (k,); `cost` is their sum, the relaxed cut.

    Without points the centres are those of the embedding and only the own balance is scored.
    """

    embedding: Floats
    eigenvalues: Floats


def fair_spectral(
    affinity: Any, groups: Ints, k: int, seed: int = 0, *, points: Floats | None = None
) -> FairSpectralResult:
    """Fair spectral clustering of a graph with symmetric weights (n, n), dense or sparse.

    `points` (n, d), when given, places the centres (cluster means) and is used for the scores.

    >>> within = np.ones((3, 3)) - np.eye(3)
    >>> affinity = np.block([[within, 0.1 * np.eye(3)], [0.1 * np.eye(3), within]])
    >>> fair = fair_spectral(affinity, np.array([0, 1, 2, 0, 1, 2]), k=2)
    >>> sorted(np.bincount(fair.labels).tolist()), fair.balance_own
    ([3, 3], -1.0)
    """
    started = time.perf_counter()
    graph, groups, g = _check_graph(affinity, groups, k)
    n = graph.shape[0]
    if points is not None:
        points, _, _ = check_points(points, groups)
    if k > n - g + 1:
        raise SpecError(
            f"k must be at most {n - g + 1}, the points ({n}) less the constraints of {g} groups; "
            f"got {k}."
        )
    components = _components(graph, k)
    notes = _note_components(components)
    eigenvalues, embedding, residual = _bottom_eigenvectors(graph, groups, g, k, components, seed)
    labels, _ = plain_kmeans(embedding, k, seed)
    notes += _note_singletons(labels, k)
    for note in notes:
        warnings.warn(note, BaselineWarning, stacklevel=2)
    if points is None:
        notes += ("Without points only the balance of the own assignment can be scored.",)
        centers = _means(embedding, labels, k)
        scores = {
            "balance_own": balance_table(labels, groups, k, g).cost,
            "social_own": np.nan,
            "balance_nearest": np.nan,
            "social_nearest": np.nan,
        }
    else:
        centers = _means(points, labels, k)
        scores = four_scores(labels, centers, points, [groups])
    return FairSpectralResult(
        name="fair_spectral",
        labels=labels,
        centers=centers,
        cost=float(eigenvalues.sum()),
        certificate_name="largest residual of an eigenvector",
        certificate=residual,
        seconds=time.perf_counter() - started,
        notes=notes,
        points=points,
        sample_weight=None,
        embedding=embedding,
        eigenvalues=eigenvalues,
        **scores,
    )


def _check_graph(affinity: Any, groups: object, k: int) -> tuple[sparse.csr_array, Ints, int]:
    graph = sparse.csr_array(affinity, dtype=np.float64)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise DataError(f"affinity must be a square matrix; got shape {graph.shape}.")
    if not np.isfinite(graph.data).all():
        raise DataError("affinity must hold finite weights; one is missing or infinite.")
    if graph.nnz and graph.data.min() < 0:
        raise DataError(
            f"affinity must hold weights of at least 0; the smallest is {graph.data.min():g}."
        )
    difference = abs(graph - graph.T)
    if difference.nnz and difference.max() > 1e-10 * graph.data.max():
        raise DataError(
            "affinity must be symmetric; take the larger of W and its transpose, or their mean."
        )
    n = graph.shape[0]
    codes = np.asarray(groups)
    if codes.shape != (n,):
        raise DataError(
            f"groups must hold one code per row of affinity ({n}); got shape {codes.shape}."
        )
    if not np.issubdtype(codes.dtype, np.integer) or codes.min() < 0:
        raise DataError("groups must be whole-number codes 0, 1, ....")
    g = check_groups_present(codes)
    check_k(k, n)
    return graph, codes.astype(np.int64), g


def _components(graph: sparse.csr_array, k: int) -> Ints:
    """Component (n,) of every vertex; more of them than clusters is refused."""
    from scipy.sparse.csgraph import connected_components

    count, component = connected_components(graph, directed=False)
    if count > k:
        raise DataError(
            f"The graph falls into {count} components, more than the {k} clusters asked for, so "
            "its bottom eigenvectors are arbitrary. Join more neighbours or raise k."
        )
    return np.asarray(component, dtype=np.int64)


def _bottom_eigenvectors(
    graph: sparse.csr_array, groups: Ints, g: int, k: int, components: Ints, seed: int
) -> tuple[Floats, Floats, float]:
    """Eigenvalues (k,), eigenvectors (n, k) on the null space of F', and the largest residual."""
    n = graph.shape[0]
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    laplacian = (sparse.diags_array(degrees) - graph).tocsc()
    basis = _constraint_basis(groups, g)
    if n < DENSE_BELOW or graph.nnz > DENSE_ABOVE_FILL * n * n:
        vectors = _dense(laplacian, basis, k)
    else:
        vectors = _shift_invert(laplacian, basis, k, components, seed)
    # Rayleigh-Ritz: the best eigenvectors within their span, in ascending order.
    applied = laplacian @ vectors
    applied -= basis @ (basis.T @ applied)
    projected = vectors.T @ applied
    values, rotation = np.linalg.eigh((projected + projected.T) / 2)
    vectors = vectors @ rotation
    residual = np.linalg.norm(applied @ rotation - vectors * values, axis=0)
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(k)])
    return np.maximum(values, 0.0), vectors, float(residual.max())


def _constraint_basis(groups: Ints, g: int) -> Floats:
    """Orthonormal basis (n, g-1) of the centred group indicators."""
    indicators = (groups[:, None] == np.arange(g - 1)).astype(np.float64)
    return np.linalg.qr(indicators - indicators.mean(axis=0))[0]


def _dense(laplacian: sparse.csc_array, basis: Floats, k: int) -> Floats:
    from scipy.linalg import eigh

    full = laplacian.toarray()
    side = full @ basis
    penalty = 4.0 * float(laplacian.diagonal().max()) + 1.0  # above every eigenvalue of L
    core = basis.T @ side + penalty * np.eye(basis.shape[1])
    full -= side @ basis.T + basis @ side.T - basis @ core @ basis.T
    return np.asarray(eigh(full, subset_by_index=[0, k - 1])[1])


def _shift_invert(
    laplacian: sparse.csc_array, basis: Floats, k: int, components: Ints, seed: int
) -> Floats:
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

    n = laplacian.shape[0]
    flat = _flat_vectors(components, basis)[:, :k]
    wanted = k - flat.shape[1]
    if wanted == 0:
        return flat
    shift = SHIFT * float(laplacian.diagonal().mean())
    factor = splu(
        (laplacian + shift * sparse.eye_array(n)).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    solved = factor.solve(basis) if basis.shape[1] else basis
    correction = solved @ np.linalg.pinv(basis.T @ solved, hermitian=True)

    def inverse(vector: Floats) -> Floats:
        vector = vector.ravel() - flat @ (flat.T @ vector.ravel())
        answer = factor.solve(vector)
        answer -= correction @ (basis.T @ answer)
        return np.asarray(answer - flat @ (flat.T @ answer))

    start = inverse(np.random.default_rng(seed).standard_normal(n))
    operator = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
    try:
        _, vectors = eigsh(operator, k=wanted, which="LM", v0=start, tol=0)
    except ArpackError as error:
        raise SolverError(
            f"The eigenvalue solver ARPACK did not converge ({error}). Try another seed or a "
            "graph with more neighbours."
        ) from None
    # Lanczos vectors are orthogonal to rounding; QR makes the whole basis exactly so.
    return np.linalg.qr(np.hstack([flat, vectors]))[0]


def _flat_vectors(components: Ints, basis: Floats) -> Floats:
    """Orthonormal eigenvectors to eigenvalue 0: constant on components, with F'h = 0."""
    from scipy.linalg import null_space

    sizes = np.bincount(components)
    indicators = (components[:, None] == np.arange(len(sizes))) / np.sqrt(sizes)
    return np.asarray(indicators @ null_space(basis.T @ indicators))


def _means(points: Floats, labels: Ints, k: int) -> Floats:
    """Cluster means (k, d); a cluster without points gets the mean of all."""
    sizes = np.bincount(labels, minlength=k)
    member = sparse.csr_array(
        (np.ones(len(labels)), (labels, np.arange(len(labels)))), (k, len(labels))
    )
    means = (member @ points) / np.maximum(sizes, 1)[:, None]
    return np.where(sizes[:, None] > 0, means, points.mean(axis=0))


def _note_components(components: Ints) -> tuple[str, ...]:
    sizes = np.sort(np.bincount(components))[::-1]
    if len(sizes) == 1:
        return ()
    return (
        f"The graph is disconnected: {len(sizes)} components of {', '.join(map(str, sizes))} "
        "points, which the clusters will follow where the groups allow. Join more neighbours to "
        "connect it.",
    )


def _note_singletons(labels: Ints, k: int) -> tuple[str, ...]:
    single = int((np.bincount(labels, minlength=k) == 1).sum())
    if not single:
        return ()
    return (
        f"{single} of {k} clusters hold a single point, a sign of outliers in the graph. Join more "
        "neighbours or choose another affinity.",
    )


def _of_neighbours(points: Floats, groups: Ints, k: int, seed: int = 0) -> FairSpectralResult:
    """On the graph that joins each point to its nearest neighbours."""
    return fair_spectral(neighbour_graph(points), groups, k, seed=seed, points=points)


FAIR_SPECTRAL = FairAlgorithm(
    "fair_spectral",
    "fair spectral",
    "Cuts the graph of nearest neighbours by eigenvectors that have the same mean in every group.",
    Paper("Kleindessner, Samadi, Awasthi and Morgenstern", 2019),
    _of_neighbours,
    needs_groups=True,
    changes="algorithm",
    serves=("balance", "mean-balance", "pairwise-balance", "kl", "variation"),
    most_rows=MAX_POINTS,
)
