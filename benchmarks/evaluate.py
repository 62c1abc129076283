"""`python -m benchmarks.evaluate`: one evaluation of f(V) against scikit-learn.

Single thread; V has 10 points, uniform in the min-max box; medians over repeats. The rivals are
`KMeans` warm-started at the same centres with tol=0 (for restarts=1) and `KMeans(n_init=10)` (for
the portfolio). Ours starts without anchors and builds them on the way.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import math
import time
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

from antidote_core import Dataset, Problem
from antidote_core.clustering.kmeans import KMeansEvaluator
from benchmarks.data import NAMES, available

SIZE = 10
OURS_REPEATS, WARM_REPEATS, COLD_REPEATS = 600, 15, 5


def seconds(call: Callable[[np.ndarray], object], antidotes: list[np.ndarray]) -> np.ndarray:
    times = []
    for antidote in antidotes:
        begun = time.perf_counter()
        call(antidote)
        times.append(time.perf_counter() - begun)
    return np.array(times)


def uniform(points: np.ndarray, count: int, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    low, high = points.min(axis=0), points.max(axis=0)
    return [rng.uniform(low, high, (SIZE, points.shape[1])) for _ in range(count)]


def warm_start(data: Dataset, start: np.ndarray) -> Callable[[np.ndarray], object]:
    return lambda v: KMeans(len(start), init=start, n_init=1, tol=0.0).fit(
        np.vstack([data.points, v])
    )


def from_scratch(data: Dataset, k: int) -> Callable[[np.ndarray], object]:
    return lambda v: KMeans(k, n_init=10, random_state=0).fit(np.vstack([data.points, v]))


def rows() -> Iterator[dict[str, object]]:
    """(a) Four data sets, k = 2, 3, 4, both definitions of C(U ∪ V)."""
    for name in NAMES:
        data = available(name)
        if data is None:
            continue
        for k in (2, 3, 4):
            antidotes = uniform(data.points, OURS_REPEATS)
            paper = Problem(data, k=k, restarts=1)
            start = paper.vanilla.centers
            ours = np.median(seconds(paper.evaluate, antidotes))
            rival = np.median(seconds(warm_start(data, start), antidotes[:WARM_REPEATS]))
            yield row(f"evaluate restarts=1, {name} k={k}", "KMeans warm start", ours, rival)
            portfolio = Problem(data, k=k, restarts=10)
            ours = np.median(seconds(portfolio.evaluate, antidotes[: OURS_REPEATS // 2]))
            rival = np.median(seconds(from_scratch(data, k), antidotes[:COLD_REPEATS]))
            yield row(f"evaluate portfolio, {name} k={k}", "KMeans(n_init=10)", ours, rival)


def size_rows() -> Iterator[dict[str, object]]:
    """(d) The same |V| at n = 1e4, 1e5, 1e6: ours against ours at n = 1e4."""
    base = None
    for n in (10_000, 100_000, 1_000_000):
        rng = np.random.default_rng(0)
        points = rng.normal(size=(n, 5)) + 2.0 * rng.integers(0, 2, (n, 1))
        groups = rng.integers(0, 3, n)
        evaluator = KMeansEvaluator(points, groups, 2, 1, 0)
        took = float(np.median(seconds(evaluator.statistics, uniform(points, OURS_REPEATS))))
        base = base or took
        yield row(f"evaluate restarts=1, n={n:.0e}", "ours at n=1e4", took, base)


def row(case: str, rival: str, ours_seconds: float, rival_seconds: float) -> dict[str, object]:
    return {
        "case": case,
        "rival": rival,
        "ours_seconds": float(ours_seconds),
        "rival_seconds": float(rival_seconds),
        "ratio": float(rival_seconds / ours_seconds),
    }


def main() -> None:
    ratios: dict[str, list[float]] = {}
    with threadpool_limits(1):
        for found in [*rows(), *size_rows()]:
            ratios.setdefault(str(found["rival"]), []).append(float(str(found["ratio"])))
            print(
                f"{found['case']:40} {1e6 * float(str(found['ours_seconds'])):9.0f} µs   "
                f"{found['ratio']:8.3g} x {found['rival']}",
                flush=True,
            )
    for rival, values in ratios.items():
        mean = math.exp(sum(map(math.log, values)) / len(values))
        print(f"geometric mean against {rival}: {mean:.3g}")


if __name__ == "__main__":
    main()
