"""`python -m benchmarks.exactness [COUNT]`: the anchor evaluator against full Lloyd passes.

For every data set and k = 2, 3, 4, COUNT random V (default 500, sizes 1 to 50; uniform in the box,
near real points, clumped). Prints how many labels of U differ from Lloyd runs from the same starts
that look at every point in every step, and the largest relative difference in F; and the same
against scikit-learn from the same start for a sample.
"""

import sys
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans

from antidote_core import Problem
from antidote_core.clustering import anchors
from antidote_core.clustering.kmeans import SAME_INERTIA, _scikit_lloyd
from antidote_core.geometry import nearest_center
from benchmarks.data import NAMES, available

SCIKIT_SAMPLE = 20


def random_antidotes(points: np.ndarray, count: int, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    low, high = points.min(axis=0), points.max(axis=0)
    d = points.shape[1]
    for index in range(count):
        size = int(rng.choice([1, 5, 10, 50]))
        if index % 3 == 0:
            yield rng.uniform(low, high, (size, d))
        elif index % 3 == 1:
            yield points[rng.choice(len(points), size)] + rng.normal(size=(size, d))
        else:
            yield np.repeat(rng.uniform(low, high, (1, d)), size, axis=0)


def full_lloyd(points, antidote, start, most_held):
    """Lloyd on U ∪ V with a full pass over all points in every step."""
    union = np.vstack([points, antidote])
    groups = np.zeros(len(union), dtype=np.int64)
    groups[len(points) :] = 1
    k, d = start.shape
    sums, counts = np.empty((k, 2, d)), np.empty((k, 2))
    centers = np.ascontiguousarray(start)
    for _ in range(anchors.MAX_ITERATIONS):
        anchors.full_statistics(union, groups, centers, sums, counts)
        if counts[-1, 0] > most_held:
            return None
        totals = counts.sum(axis=1)
        if (totals == 0).any():
            return _scikit_lloyd(union, start)
        moved = sums.sum(axis=1) / totals[:, None]
        if np.abs(moved - centers).max() <= 1e-13:
            break
        centers = moved
    return centers


def full_portfolio(evaluator, points, antidote):
    best = None
    for start, most_held in [(evaluator.basins[0], np.inf), *evaluator._other_starts(antidote)]:
        centers = full_lloyd(points, antidote, start, most_held)
        if centers is None:
            continue
        inertia = nearest_center(np.vstack([points, antidote]), centers)[1].sum()
        if best is None or inertia < best[0] * (1 - SAME_INERTIA):
            best = (inertia, centers)
    return best[1]


def main(count: int) -> None:
    print("data set    k  restarts  V tried  labels differ  largest difference in F (relative)")
    for name in NAMES:
        data = available(name)
        if data is None:
            continue
        for k in (2, 3, 4):
            for restarts in (1, 10):
                problem = Problem(data, fairness="social", k=k, restarts=restarts)
                wrong, largest = 0, 0.0
                for antidote in random_antidotes(data.points, count, seed=k):
                    solution = problem.cluster(antidote)
                    expected = full_portfolio(problem.evaluator, data.points, antidote)
                    labels, _ = nearest_center(data.points, expected)
                    wrong += int((labels != solution.labels).sum())
                    cost = problem.fairness.of_centers(expected, data.points, data.groups)
                    largest = max(largest, abs(cost - solution.cost) / abs(cost))
                print(
                    f"{name:11} {k}  {restarts:8}  {count:7}  {wrong:13}  {largest:.1e}", flush=True
                )
            problem = Problem(data, fairness="social", k=k, restarts=1)
            start, wrong, largest = problem.vanilla.centers, 0, 0.0
            for antidote in random_antidotes(data.points, SCIKIT_SAMPLE, seed=k + 100):
                model = KMeans(k, init=start, n_init=1, tol=0.0)
                model.fit(np.vstack([data.points, antidote]))
                solution = problem.cluster(antidote)
                wrong += int((model.labels_[: data.n] != solution.labels).sum())
                cost = problem.fairness.of_centers(model.cluster_centers_, data.points, data.groups)
                largest = max(largest, abs(cost - solution.cost) / abs(cost))
            print(
                f"{name:11} {k}  scikit-learn  {SCIKIT_SAMPLE:3}  {wrong:13}  {largest:.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
