"""Cells of the running time: |V| = 1, from the data to the first V fairer than plain clustering.

Ours and the fair algorithm's are taken in turns in the same process, each from the points to its
answer: ours with the plain clustering and everything it prepares, the fair one with its graph.
C has one start in both modes, as in the paper; the mode changes the search. For k-means ours is
taken with ten starts as well. CPU seconds of one thread, so that other work hardly shows.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import asdict

import numpy as np

from antidote_core.baselines.registry import baseline_result
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box
from antidote_core.paper import paper_row
from antidote_core.paper.results import Row
from antidote_core.paper.rows import OURS, TWIN, Cell, form_of
from antidote_core.problem import Problem
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import meets
from antidote_core.types import Dataset, jsonable

REPEATS = 5
BUDGET = 1000  # evaluations after which a search is given up
EMBED_DIM = 100


def compute(cell: Cell, seed: int) -> Row:
    """The row of one cell: median seconds of both, their ratio, and how often V = 1 sufficed."""
    begun = time.perf_counter()
    data = cell.load()
    paper = paper_row(cell.table, cell.dataset, cell.fairness, cell.clustering)
    _one_point(cell, data, seed, 1)  # compiles and imports
    ours, theirs, evaluations, improved, ten = [], [], [], 0, []
    for repeat in range(REPEATS):
        problem, seconds, count, found = _one_point(cell, data, seed + repeat, 1)
        if cell.mode == OURS and cell.clustering == "kmeans":
            ten.append(_one_point(cell, data, seed + repeat, 10)[1])
        ours.append(seconds)
        evaluations.append(count)
        improved += found
        started = time.process_time()
        baseline_result(problem)  # takes nothing but the points and groups from it
        theirs.append(time.process_time() - started)
    own, fair = statistics.median(ours), statistics.median(theirs)
    row = {
        **asdict(cell),
        "source": data.source,
        "real": form_of(cell.dataset) != TWIN,
        "data": data.content_hash,
        "n": data.n,
        "paper": {
            "seconds": paper["algorithm2"],
            "sota": paper["sota"],
            "ratio": paper["algorithm2"] / paper["sota"],
        },
        "answer": {
            "seconds": own,
            "sota": fair,
            "ratio": own / fair,
            "evaluations": statistics.median(evaluations),
            "improved": improved,
            "repeats": REPEATS,
            "ten_starts": _against(ten, fair),
            "spec": asdict(_spec(cell, seed)),
        },
        "seconds": round(time.perf_counter() - begun, 1),
    }
    plain: Row = jsonable(row)
    return plain


def _against(seconds: list[float], fair: float) -> Row | None:
    """The median and its ratio to the fair algorithm's; None where nothing was timed."""
    if not seconds:
        return None
    own = statistics.median(seconds)
    return {"seconds": own, "ratio": own / fair}


def _spec(cell: Cell, seed: int) -> RunSpec:
    form = form_of(cell.dataset)
    return RunSpec(
        dataset=cell.dataset,
        clustering=cell.clustering,
        fairness=cell.fairness,
        k=cell.k,
        restarts=1,
        optimizer="structured" if cell.mode == OURS else "racos",
        growth="extend" if cell.mode == OURS else "restart",
        start_size=1,
        max_size=1,
        max_rounds=1,
        embed_dim=EMBED_DIM,
        budget=BUDGET,
        rows=form if form == TWIN else None,
        sample=cell.sample,
        seed=seed,
    )


def _one_point(
    cell: Cell, data: Dataset, seed: int, restarts: int
) -> tuple[Problem, float, int, bool]:
    """Seconds and evaluations until one point improves on plain clustering, and whether it did."""
    spec = _spec(cell, seed)
    begun = time.process_time()
    problem = Problem(data, spec.clustering, spec.fairness, spec.k, restarts, seed)
    plain_cost = problem.vanilla.cost
    best = plain_cost

    def watch(count: int, value: float, x: object, best_value: float) -> None:
        nonlocal best
        best = best_value

    minimise = get_optimizer(spec.optimizer).minimiser(problem, 1, spec.embed_dim)
    found = minimise(
        lambda x: problem.evaluate(x[None]),
        Box(*problem.box(spec.box)),
        spec.budget,
        np.random.default_rng([seed, 0]),
        on_eval=watch,
        cancel=lambda: meets(best, plain_cost, strict=True),
    )
    improved = meets(found.value, plain_cost, strict=True)
    return problem, time.process_time() - begun, found.evaluations, improved
