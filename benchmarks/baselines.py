"""`python -m benchmarks.baselines`: the fair algorithms against the textbook way of computing them.

Single thread, CPU seconds (other work on the machine hardly shows), medians over repeats; a rival
that takes more than ten seconds runs once. Every row first checks that both found the same optimum.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh, null_space
from scipy.optimize import linprog
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from antidote_core.baselines import bera, fair_spectral
from antidote_core.clustering.spectral import neighbour_graph
from antidote_core.datasets import load_dataset

REPEATS = 5
DELTA = 0.2


def textbook_assignment(costs: np.ndarray, groups: np.ndarray, delta: float) -> float:
    """The LP as printed: n * k columns, a row per point, two per cluster and group."""
    n, k = costs.shape
    shares = np.bincount(groups) / n
    rows, row = [], np.arange(n) * k
    for cluster in range(k):
        for group, share in enumerate(shares):
            member = (groups == group).astype(float)
            for values in (member - share / (1 - delta), (1 - delta) * share - member):
                rows.append(
                    sparse.csr_array((values, row + cluster, np.array([0, n])), shape=(1, n * k))
                )
    result = linprog(
        costs.ravel(),
        A_ub=sparse.vstack(rows),
        b_ub=np.zeros(len(rows)),
        A_eq=sparse.kron(sparse.eye_array(n), np.ones((1, k))),
        b_eq=np.ones(n),
        method="highs",
    )
    return float(result.fun)


def textbook_spectral(affinity: np.ndarray, groups: np.ndarray, k: int) -> np.ndarray:
    """Bottom eigenvalues of Z' L Z for a basis Z of the null space, then k-means: all dense."""
    laplacian = np.diag(affinity.sum(axis=1)) - affinity
    g = groups.max() + 1
    basis = null_space(np.stack([(groups == j) - (groups == j).mean() for j in range(g - 1)]))
    values, vectors = eigh(basis.T @ laplacian @ basis)
    KMeans(k, n_init=10, random_state=0).fit(basis @ vectors[:, :k])
    return np.asarray(values[:k])


def timed(call: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    """Median CPU seconds, and the last answer."""
    times: list[float] = []
    answer = None
    while len(times) < repeats and (not times or times[0] < 10):
        begun = time.process_time()
        answer = call()
        times.append(time.process_time() - begun)
    return median(times), answer


def rows() -> Iterator[dict[str, Any]]:
    """One row per case, each with the rival in the same process."""
    with threadpool_limits(1):
        yield from assignment_rows()
        yield from spectral_rows()


def assignment_rows() -> Iterator[dict[str, Any]]:
    data = load_dataset("bank")
    for k in (2, 4, 10):
        centers = KMeans(k, n_init=10, random_state=0).fit(data.points).cluster_centers_
        costs = ((data.points[:, None] - centers[None]) ** 2).sum(axis=2)

        def ours(k: int = k, centers: np.ndarray = centers) -> Any:
            return bera(data.points, data.groups, k, delta=DELTA, centers=centers)

        def rival(costs: np.ndarray = costs) -> float:
            return textbook_assignment(costs, data.groups, DELTA)

        ours()
        ours_seconds, fair = timed(ours)
        rival_seconds, optimum = timed(rival)
        np.testing.assert_allclose(fair.lp_cost, optimum, rtol=1e-7)
        yield row(f"bera, bank k={k}", "textbook LP on HiGHS", ours_seconds, rival_seconds)


def spectral_rows() -> Iterator[dict[str, Any]]:
    data = load_dataset("bank")
    chosen = np.random.default_rng(0).choice(len(data.points), 1000, replace=False)
    points, groups = data.points[chosen], data.groups[chosen]
    graph = neighbour_graph(points)
    dense = graph.toarray()
    for k in (2, 4):

        def ours(k: int = k) -> Any:
            return fair_spectral(graph, groups, k)

        def rival(k: int = k) -> np.ndarray:
            return textbook_spectral(dense, groups, k)

        ours()
        ours_seconds, fair = timed(ours)
        rival_seconds, values = timed(rival)
        np.testing.assert_allclose(fair.eigenvalues, values, atol=1e-8)
        case = f"fair spectral, bank n=1000 k={k}"
        yield row(case, "dense null space", ours_seconds, rival_seconds)


def row(case: str, rival: str, ours_seconds: float, rival_seconds: float) -> dict[str, Any]:
    return {
        "case": case,
        "rival": rival,
        "ours_seconds": ours_seconds,
        "rival_seconds": rival_seconds,
        "ratio": rival_seconds / ours_seconds,
    }


if __name__ == "__main__":
    for entry in rows():
        print(
            f"{entry['case']:<34} {entry['rival']:<22} {entry['ours_seconds']:8.3f} s "
            f"{entry['rival_seconds']:8.3f} s {entry['ratio']:7.1f} x",
            flush=True,
        )
