"""Cells of Algorithm 1: the figure over λ and the running time, on samples of 100 points.

As published: the program with all its variables and the clustering, both through cvxpy. Ours: the
same V in closed form, exact clustering by a solver made for it, and a search for V that asks exact
clustering itself. The figure is the same in both modes, because V is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from antidote_core.algorithms.algorithm1.lambda_range import lambda_sweep, paper_sample
from antidote_core.algorithms.algorithm1.programs import literal_clustering, literal_program
from antidote_core.algorithms.algorithm1.solve import solve_convex
from antidote_core.clustering.son import son_clustering
from antidote_core.datasets import load_dataset
from antidote_core.paper import paper_tables
from antidote_core.paper.results import Row
from antidote_core.paper.rows import OURS, TWIN, Cell, form_of
from antidote_core.types import Dataset, jsonable

SETTINGS = paper_tables()["settings"]
GAMMA = float(SETTINGS["son_gamma"])
LAMBDA = float(max(SETTINGS["son_lambda"]))
SIZE = int(SETTINGS["son_subsample"] * SETTINGS["son_max_antidote_ratio"])


def compute(cell: Cell, seed: int) -> Row:
    """The row of one data set: the figure's differences, seconds of both, the direct search."""
    begun = time.perf_counter()
    data = paper_sample(
        load_dataset(cell.dataset, rows=form_of(cell.dataset)), SETTINGS["son_subsample"], seed=seed
    )
    printed = next(
        row for row in paper_tables()[cell.table]["rows"] if row["dataset"] == cell.dataset
    )
    sweep = lambda_sweep(data.points, data.groups, gamma=GAMMA, size=SIZE)
    measure = _ours if cell.mode == OURS else _published
    row = {
        **asdict(cell),
        "source": data.source,
        "real": form_of(cell.dataset) != TWIN,
        "data": data.content_hash,
        "n": data.n,
        "paper": {
            "seconds": printed["algorithm1"],
            "son": printed["vanilla_son"],
            "ratio": printed["algorithm1"] / printed["vanilla_son"],
        },
        "answer": {
            "lambdas": [point.lam for point in sweep],
            "differences": [point.difference for point in sweep],
            "vanilla": [point.vanilla_cost for point in sweep],
            **measure(data, seed),
        },
        "seconds": round(time.perf_counter() - begun, 1),
    }
    found: Row = jsonable(row)
    return found


def _published(data: Dataset, seed: int) -> Row:
    _, seconds = _timed(lambda: literal_program(data.points, data.groups, GAMMA, SIZE))
    _, son = _timed(lambda: literal_clustering(data.points, LAMBDA))
    return {"seconds": seconds, "son": son, "ratio": seconds / son}


def _ours(data: Dataset, seed: int) -> Row:
    arguments: dict[str, Any] = {"lam": LAMBDA, "gamma": GAMMA, "size": SIZE}
    solve_convex(data.points, data.groups, **arguments)  # compiles
    vanilla, son = _timed(lambda: son_clustering(data.points, LAMBDA))
    _, seconds = _timed(
        lambda: solve_convex(data.points, data.groups, vanilla=vanilla, **arguments)
    )
    direct = solve_convex(
        data.points, data.groups, vanilla=vanilla, method="direct", seed=seed, **arguments
    )
    return {
        "seconds": seconds,
        "son": son,
        "ratio": seconds / son,
        "direct": {
            "difference": direct.difference,
            "size": len(direct.antidote),
            "evaluations": direct.evaluations,
            "seconds": direct.seconds,
        },
    }


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    begun = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - begun
