"""Compile the fairness statistics, and everything else numba compiles, ahead of a run.

`python -m` of this module compiles everything and ends: compiled kernels stay on disk. It gives way
to whatever else wants the processor.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled by numba, kept on disk for the next process."""
    import numba

    result: Callable[..., Any] = numba.njit(cache=True, error_model="numpy")(function)
    return result


def warm() -> None:
    """Compile every kernel once, so that nothing waits for the compiler later."""
    warm_runs()
    from antidote_core.clustering.kmedoids import fit_kmedoids
    from antidote_core.clustering.son import son_clustering

    fit_kmedoids(_few_points(), 2, restarts=1)
    son_clustering(_few_points(), lam=0.1)


def _few_points() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(30, 2))


def warm_runs(weighted: bool = False) -> None:
    """Compile the kernels that runs need.

    Rows with weights have kernels of their own, which few runs need.
    """
    from antidote_core.clustering.kmeans import KMeansEvaluator
    from antidote_core.fairness import FAIRNESS
    from antidote_core.guard import violation
    from antidote_core.quality import silhouette

    points = _few_points()
    groups = np.arange(30) % 2
    weights = np.ones(30) if weighted else None
    for restarts in (1, 2):
        evaluator = KMeansEvaluator(points, groups, 2, restarts, 0, weights)
        _, counts, group_costs = evaluator.statistics(points[:3] + 1.0)
        evaluator.solve(points[:3])
    for entry in FAIRNESS.values():
        if entry.compiles:
            compiled(entry.statistic)(counts, group_costs)
            if entry.finer is not None:
                compiled(entry.finer)(counts, group_costs)
    compiled(violation)(counts, group_costs, 1.0, 1.0)
    silhouette(points, groups, weights)


def prepare(on_compile: Callable[[], None], weighted: bool = False) -> None:
    """Load the kernels of a run; `on_compile` is called once if the compiler has to work for it.

    Compiled kernels stay on disk, so that happens on the first run on a machine only.
    """
    from numba.core import event

    class Tell(event.Listener):
        told = False

        def on_start(self, event: object) -> None:
            if not self.told:
                self.told = True
                on_compile()

        def on_end(self, event: object) -> None:
            pass

    with event.install_listener("numba:compile", Tell()):
        warm_runs(weighted)


if __name__ == "__main__":
    os.nice(10)
    warm()
