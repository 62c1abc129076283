"""k-medoids: every centre is one of the points, by FasterPAM of the `kmedoids` package."""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.errors import SpecError
from antidote_core.types import Clustering, Floats

MAX_POINTS = 6000  # all pairwise distances are held in memory


def fit_kmedoids(points: Floats, k: int, restarts: int = 10, seed: int = 0) -> Clustering:
    """Medoids minimising the sum of Euclidean distances; the best of `restarts` runs.

    >>> fit_kmedoids(np.array([[0.0], [1.0], [1.1], [8.0], [9.0], [9.1]]), k=2).centers.tolist()
    [[1.0], [9.0]]
    """
    import kmedoids
    from sklearn.metrics import pairwise_distances

    check_k(points, k)
    if len(points) > MAX_POINTS:
        raise SpecError(
            f"k-medoids compares all pairs of points and takes at most {MAX_POINTS}; "
            f"got {len(points)}. Use a sample, for example sample=2000."
        )
    distances = pairwise_distances(points)
    seeds = np.random.SeedSequence(seed).generate_state(restarts)
    runs = [kmedoids.fasterpam(distances, k, random_state=int(start), n_cpu=1) for start in seeds]
    best = min(runs, key=lambda run: run.loss)
    medoids = np.sort(np.asarray(best.medoids, dtype=np.int64))
    labels = distances[:, medoids].argmin(axis=1)
    return Clustering(points[medoids], labels, float(best.loss))
