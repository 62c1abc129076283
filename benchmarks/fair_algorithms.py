"""`python -m benchmarks.fair_algorithms`: each once on bank at k = 2, CPU seconds.

By marital status (three groups); those that take two groups by credit in default, and those that
take fewer rows than there are on a sample of as many.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import numpy as np

from antidote_core.baselines import RIVALS, BaselineWarning, FairAlgorithm
from antidote_core.baselines.record import plain_kmeans
from antidote_core.datasets import load_dataset
from antidote_core.fairness import balance_table


def row(entry: FairAlgorithm) -> str:
    data = load_dataset("bank", protected="default" if entry.most_groups == 2 else "marital")
    if entry.most_rows is not None and data.n > entry.most_rows:
        data = data.take(np.random.default_rng(0).permutation(data.n)[: entry.most_rows])
    labels, centers = plain_kmeans(data.points, 2, 0)
    plain = ((data.points - centers[labels]) ** 2).sum()
    before = -balance_table(labels, data.groups, 2, len(data.group_names)).cost
    started = time.process_time()
    fair = entry.solved(data.points, data.groups, 2)
    seconds = time.process_time() - started
    price = ((data.points - fair.centers[fair.labels]) ** 2).sum() / plain
    return (
        f"| {entry.name} | {data.n:,} | {len(data.group_names)} | {seconds:.1f} | {before:.2f} | "
        f"{-fair.balance_own:.2f} | {-fair.balance_nearest:.2f} | {price:.3f} |"
    )


def rows() -> Iterator[str]:
    warnings.simplefilter("ignore", BaselineWarning)
    yield "| name | rows | groups | CPU seconds | before | own labels | nearest centre | price |"
    yield "|---|---|---|---|---|---|---|---|"
    yield from map(row, RIVALS.values())


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
