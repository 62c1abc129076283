"""k-medoids: every centre is one of the points, found by eager swaps on the table of all distances.

The swaps are those of Schubert and Rousseeuw, "Fast and eager k-medoids clustering" (2021). With
d1(o) and d2(o) the distances of o to its nearest and second nearest medoid, putting the point c in
the place of medoid i changes the sum of distances by

    sum_o min(d(o, c) - d1(o), 0)                                     which no i enters
    + sum_{o at i} (d2(o) - d1(o))                                    the loss of removing i
    + sum_{o at i} (min(max(d(o, c), d1(o)), d2(o)) - d2(o))          c instead of the second

so one pass over o prices the swaps of c with all k medoids at once, and a pass over all c takes
O(n (n - k)). A swap that gains is made at once.

The distances are n x n numbers of 8 bytes: 288 MB for the most points taken.
"""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_all_pairs, check_k
from antidote_core.errors import SpecError
from antidote_core.types import Clustering, Floats, Ints

ROUNDING = 1e-12  # of the sum of distances: a smaller gain is rounding, and could go in circles


def fit_kmedoids(
    points: Floats, k: int, restarts: int = 10, seed: int = 0, start: Ints | None = None
) -> Clustering:
    """Medoids minimising the sum of Euclidean distances; the best of `restarts` runs.

    `start` holds k rows of the points: then one run goes on from there, and nothing is drawn.

    >>> points = np.array([[0.0], [1.0], [1.1], [8.0], [9.0], [9.1]])
    >>> fit_kmedoids(points, k=2).centers.tolist()
    [[1.0], [9.0]]
    >>> fit_kmedoids(points, k=2, start=np.array([0, 1])).centers.tolist()
    [[1.0], [9.0]]
    """
    from scipy.spatial.distance import cdist

    from antidote_core.clustering.compiled import compiled

    check_k(points, k)
    check_all_pairs("k-medoids", points)
    distances = cdist(points, points)
    if start is None:
        rngs = [np.random.default_rng(x) for x in np.random.SeedSequence(seed).spawn(restarts)]
        starts = [_spread_start(distances, k, rng) for rng in rngs]
    else:
        starts = [_checked_start(start, k, len(points))]
    runs = [compiled(_swapped)(distances, medoids, ROUNDING) for medoids in starts]
    best, loss = min(runs, key=lambda run: run[1])
    medoids = np.sort(best)
    labels = distances[:, medoids].argmin(axis=1)
    return Clustering(points[medoids], labels, float(loss))


def _checked_start(start: Ints, k: int, n: int) -> Ints:
    given = np.asarray(start)
    whole = given.shape == (k,) and np.issubdtype(given.dtype, np.integer)
    if not (whole and len(set(given.tolist())) == k and 0 <= given.min() <= given.max() < n):
        raise SpecError(
            f"start must be k = {k} different rows of the points, whole numbers from 0 to {n - 1}; "
            f"got {given.tolist()}."
        )
    return given.astype(np.int64)


def _spread_start(distances: Floats, k: int, rng: np.random.Generator) -> Ints:
    """k points drawn one by one, each in proportion to its distance to those drawn before."""
    medoids = np.empty(k, dtype=np.int64)
    medoids[0] = rng.integers(len(distances))
    nearest = distances[medoids[0]].copy()
    for i in range(1, k):
        # side="right": a point at distance 0 is never taken.
        sums = np.cumsum(nearest)
        medoids[i] = np.searchsorted(sums, rng.uniform() * sums[-1], side="right")
        np.minimum(nearest, distances[medoids[i]], out=nearest)
    return medoids


def _swapped(distances: Floats, start: Ints, rounding: float) -> tuple[Ints, float]:
    """The medoids (k,) that no single swap improves, reached from `start`, and their loss."""
    n, k = len(distances), len(start)
    medoids = start.copy()
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[medoids] = True
    label = np.empty(n, dtype=np.int64)
    first = np.empty(n)
    second = np.empty(n)
    removal = np.empty(k)
    change = np.empty(k)
    loss = np.inf
    assigned = False
    tried = 0  # candidates since the last swap: after all of them nothing gains
    c = 0
    while True:
        if not assigned:
            first[:] = np.inf
            second[:] = np.inf
            for i in range(k):
                row = distances[medoids[i]]
                for o in range(n):
                    if row[o] < first[o]:
                        second[o] = first[o]
                        first[o] = row[o]
                        label[o] = i
                    elif row[o] < second[o]:
                        second[o] = row[o]
            removal[:] = 0.0
            loss = 0.0
            for o in range(n):
                removal[label[o]] += second[o] - first[o]
                loss += first[o]
            assigned = True
        if tried == n:
            return medoids, loss
        tried += 1
        if not chosen[c]:
            row = distances[c]
            shared = 0.0
            change[:] = removal
            for o in range(n):
                if row[o] < first[o]:
                    shared += row[o] - first[o]
                    change[label[o]] += first[o] - second[o]
                elif row[o] < second[o]:
                    change[label[o]] += row[o] - second[o]
            worst = np.argmin(change)
            if change[worst] + shared < -rounding * loss:
                chosen[medoids[worst]] = False
                chosen[c] = True
                medoids[worst] = c
                assigned = False
                tried = 0
        c = c + 1 if c + 1 < n else 0
