"""Data in parts on dask workers: `python -m benchmarks.partitioned [points] [workers] [folder]`.

Generated points in Parquet parts, two groups, k = 3. Prints how many labels and costs differ from
the evaluator on one machine, milliseconds and bytes per evaluation, memory per worker, and one
Lloyd run against scikit-learn's from the same start. Seconds are wall-clock and depend on what else
the machine does.
"""

import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster
from sklearn.cluster import KMeans, kmeans_plusplus
from threadpoolctl import threadpool_limits

from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.datasets.parts.folder import Parts, open_parts, read_part, write_chunks
from antidote_core.engine.sweep.parts_on_dask import DaskPartWorkers
from antidote_core.geometry import nearest_center
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.types import Column, Dataset, Floats, Ints

D, G, K = 4, 2, 3
PART = 1_250_000  # points of a part
EVALUATIONS = 40

Evaluate = Callable[[list[Floats]], Sequence[float] | Floats]


def generated(n: int) -> Iterator[tuple[Floats, Ints]]:
    """Four overlapping clouds of different sizes, with the second group in another mix."""
    places = np.random.default_rng(1).normal(0.0, 1.6, (4, D))
    for index, start in enumerate(range(0, n, PART)):
        rng = np.random.default_rng([2, index])
        m = min(PART, n - start)
        groups = (rng.random(m) < 0.3).astype(np.int64)
        mix = np.array([[0.4, 0.3, 0.2, 0.1], [0.15, 0.2, 0.3, 0.35]]).cumsum(axis=1)
        cloud = (rng.random(m)[:, None] > mix[groups]).sum(axis=1).clip(max=3)
        yield places[cloud] + rng.normal(size=(m, D)), groups


def written(n: int, folder: Path) -> Parts:
    if (folder / "parts.json").exists():
        return open_parts(folder)
    names = tuple(f"x{a}" for a in range(D))
    head = Dataset(
        "generated", np.empty((0, D)), np.empty(0, dtype=np.int64), ("a", "b"), names, "group",
        "generated", np.zeros(D), np.ones(D), tuple(Column(name) for name in names),
    )  # fmt: skip
    return write_chunks(head, generated(n), folder)


class Counted:
    """Part workers that count what travels, pickled: a question to each and its answer."""

    def __init__(self, part_workers: DaskPartWorkers) -> None:
        self._part_workers = part_workers
        self.n, self.d, self.g = part_workers.n, part_workers.d, part_workers.g
        self.bytes = 0

    def call_all(self, method: str, *arguments: object) -> list[object]:
        answers = self._part_workers.call_all(method, *arguments)
        question = len(pickle.dumps((method, arguments), protocol=5))
        self.bytes += question * len(answers)
        self.bytes += sum(len(pickle.dumps(answer, protocol=5)) for answer in answers)
        return answers


def resident(process: int) -> float:
    """Megabytes that the process has in memory now, without what it maps from files."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")


def main(points: str = "1e7", workers: str = "2", folder: str = "") -> None:
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(folder or scratch) / "parts"
        parts = written(int(float(points)), place)
        with (
            LocalCluster(
                n_workers=int(workers), threads_per_worker=1, host="127.0.0.1",
                dashboard_address="127.0.0.1:0", local_directory=scratch, memory_limit=None,
            ) as cluster,
            Client(cluster) as client,
            threadpool_limits(1),
        ):  # fmt: skip
            measure(parts, client)


def drawn(parts: Parts, size: int) -> list[Floats]:
    """V of that size, half at each of two places of the box around the middle."""
    rng = np.random.default_rng(0)
    lower, upper = parts.lower / 2, parts.upper / 2
    places = [rng.uniform(lower, upper, (2, D)) for _ in range(EVALUATIONS)]
    return [np.repeat(pair, size // 2, axis=0) for pair in places]


def measure(parts: Parts, client: Client) -> None:
    n = parts.n
    few, many = (drawn(parts, size) for size in (100, max(100, n // 2000)))
    begun = time.perf_counter()
    counted = Counted(DaskPartWorkers(parts, client))
    print(
        f"{n:,} points in {len(parts.files)} parts, {D} features, {G} groups, k = {K}", flush=True
    )
    readers = len(counted.call_all("memory"))
    print(f"read by {readers} workers       {time.perf_counter() - begun:8.1f} s")
    begun = time.perf_counter()
    problem = PartitionedProblem(parts, fairness="social", k=K, part_workers=counted)
    print(f"portfolio (10 restarts)     {time.perf_counter() - begun:8.1f} s", flush=True)
    evaluator = problem.evaluator

    def rate(name: str, evaluate: Evaluate, antidotes: list[Floats]) -> Floats:
        counted.bytes, evaluator.exchanges = 0, 0
        begun = time.perf_counter()
        costs = np.array(evaluate(antidotes))
        each = 1e3 * (time.perf_counter() - begun) / EVALUATIONS
        print(
            f"{name:27} {each:8.1f} ms, {evaluator.exchanges / EVALUATIONS:.2f} exchanges, "
            f"{counted.bytes / EVALUATIONS:,.0f} bytes",
            flush=True,
        )
        return costs

    for antidotes in (few, many):
        print(f"|V| = {len(antidotes[0]):,}")
        problem.evaluate_many(antidotes)  # learns its anchors
        rate("  one evaluation at a time", lambda vs: [problem.evaluate(v) for v in vs], antidotes)
        costs = rate(f"  {EVALUATIONS} evaluations at a time", problem.evaluate_many, antidotes)
    for address, process in client.run(_process).items():
        print(f"memory of {address:24} {resident(process):6.0f} MB")
    for held in counted.call_all("memory"):
        print(f"  of which points and anchors {held / 2**20:10.0f} MB")
    solutions = [problem.cluster(antidote) for antidote in many[:3]]
    labels = [solution.labels.astype(np.int8) for solution in solutions]

    rows = np.concatenate([read_part(path, D)[0] for path in parts.paths])
    sample = rows[:: max(1, n // 100_000)]
    start, _ = kmeans_plusplus(sample, K, random_state=3)
    begun = time.perf_counter()
    ours = evaluator.descend(np.empty((0, D)), start)
    took = time.perf_counter() - begun
    begun = time.perf_counter()
    model = KMeans(K, init=start, n_init=1, tol=0.0, algorithm="lloyd").fit(rows)
    rival = time.perf_counter() - begun
    apart = np.abs(ours.centers - model.cluster_centers_).max()
    print(
        f"one Lloyd run               {took:8.2f} s; scikit-learn, one thread, {rival:.1f} s: "
        f"ratio {rival / took:.3g}, centres apart {apart:.2g} ({model.n_iter_} steps)",
        flush=True,
    )
    del model

    groups = np.concatenate([read_part(path, D)[1] for path in parts.paths]).astype(np.int64)
    begun = time.perf_counter()
    whole = KMeansEvaluator(rows, groups, K, 1, 0)
    print(f"one machine, one restart    {time.perf_counter() - begun:8.1f} s", flush=True)
    # The same starts: whether the parts change an answer, not which optimum the restarts find.
    whole.basins, whole._capture = problem.evaluator.basins, problem.evaluator.capture_centers
    differing, worst = 0, 0.0
    for index, antidote in enumerate(many):
        centers, _, group_costs = whole.statistics(antidote)
        worst = max(worst, abs(float(group_costs.max()) - costs[index]))
        if index < len(labels):
            differing += int((nearest_center(rows, centers)[0] != labels[index]).sum())
    print(f"labels that differ          {differing} of {len(labels) * n:,}")
    print(f"costs differ by at most     {worst:.2g} (of {costs.min():.4g} to {costs.max():.4g})")


def _process() -> int:
    import os

    return os.getpid()


if __name__ == "__main__":
    main(*sys.argv[1:])
