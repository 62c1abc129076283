"""One row of the paper, computed anew: by its table, and here those of the running times.

Algorithm 2, |V| = 1: from the data to the first V fairer than plain clustering. Ours and the fair
algorithm's are taken in turns in the same process, each from the points to its answer: ours with
the plain clustering and everything it prepares, the fair one with its graph. C has one start in
both modes, as in the paper; the mode changes the search. For k-means ours is taken with ten starts
as well. CPU seconds of one thread, so that other work hardly shows.

Algorithm 1, with its figure over λ, on samples of 100 points. As published: the program with all
its variables and the clustering, both through cvxpy. Ours: the same V in closed form, exact
clustering by a solver made for it, and a search for V that asks exact clustering itself. The figure
is the same in both modes, because V is.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

import numpy as np

from antidote_core.algorithms.algorithm1.solve import (
    literal_clustering,
    literal_program,
    solve_convex,
)
from antidote_core.analysis.convex_runs import lambda_sweep, paper_sample
from antidote_core.baselines import baseline_result
from antidote_core.clustering.son import son_clustering
from antidote_core.datasets import load_dataset
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box
from antidote_core.paper import fairness_rows, paper_row, paper_tables
from antidote_core.paper.rows import (
    CONVEX,
    OURS,
    SECONDS,
    STORED,
    TWIN,
    Cell,
    Row,
    form_of,
    stored_results,
)
from antidote_core.problem import Problem
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import meets
from antidote_core.types import Dataset, jsonable

USUAL_SECONDS = 20.0  # of a row that was never measured
REPEATS = 5
BUDGET = 1000  # evaluations after which a search is given up
SETTINGS = paper_tables()["settings"]
GAMMA = float(SETTINGS["son_gamma"])
LAMBDA = float(max(SETTINGS["son_lambda"]))
SIZE = int(SETTINGS["son_subsample"] * SETTINGS["son_max_antidote_ratio"])


def compute_row(cell: Cell, seed: int) -> tuple[Row, fairness_rows.PaperRun | None]:
    """The row of one cell, in this process, and the run of Algorithm 2 that answers it, if any."""
    if cell.table not in (SECONDS, CONVEX):
        return fairness_rows.compute(cell, seed)
    begun = time.perf_counter()
    data, paper, answer = (_one_point if cell.table == SECONDS else _algorithm1)(cell, seed)
    row = {
        **cell.head(data),
        "paper": paper,
        "answer": answer,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    return jsonable(row), None


def in_order(cells: Iterable[Cell]) -> dict[Cell, float]:
    """The cells in the order in which to compute them, and the seconds each may take.

    The longest begin. Seconds are compared with seconds: these cells come last, when all processes
    do the same.
    """
    known = stored_results().rows if STORED.exists() else {}
    took = {cell: float(known.get(cell.key, {}).get("seconds", USUAL_SECONDS)) for cell in cells}
    order = sorted(took, key=lambda cell: (cell.table == SECONDS, -took[cell]))
    return {cell: took[cell] for cell in order}


def is_current(cell: Cell, row: Row) -> bool:
    """Whether the row is of the form of the data that is here now."""
    return bool(row["real"] == (form_of(cell.dataset) != TWIN))


def _one_point(cell: Cell, seed: int) -> tuple[Dataset, Row, Row]:
    """The data, the printed seconds and ours: medians of both, and how often V = 1 sufficed."""
    data = cell.load()
    paper = paper_row(cell.table, cell.dataset, cell.fairness, cell.clustering)
    _search_one(cell, data, seed, 1)  # compiles and imports
    ours, theirs, evaluations, improved, ten = [], [], [], 0, []
    for repeat in range(REPEATS):
        problem, seconds, count, found = _search_one(cell, data, seed + repeat, 1)
        if cell.mode == OURS and cell.clustering == "kmeans":
            ten.append(_search_one(cell, data, seed + repeat, 10)[1])
        ours.append(seconds)
        evaluations.append(count)
        improved += found
        started = time.process_time()
        baseline_result(problem)  # takes nothing but the points and groups from it
        theirs.append(time.process_time() - started)
    fair = statistics.median(theirs)
    answer = {
        **_against("sota", statistics.median(ours), fair),
        "evaluations": statistics.median(evaluations),
        "improved": improved,
        "repeats": REPEATS,
        "ten_starts": None,
        "spec": asdict(_one_point_spec(cell, seed)),
    }
    if ten:
        own = statistics.median(ten)
        answer["ten_starts"] = {"seconds": own, "ratio": own / fair}
    return data, _against("sota", paper["algorithm2"], paper["sota"]), answer


def _against(rival: str, seconds: float, others: float) -> Row:
    """Seconds beside those of a rival, and how many times as long they are."""
    return {"seconds": seconds, rival: others, "ratio": seconds / others}


def _one_point_spec(cell: Cell, seed: int) -> RunSpec:
    return cell.asks(
        seed,
        restarts=1,
        optimizer="structured" if cell.mode == OURS else "racos",
        growth="extend" if cell.mode == OURS else "restart",
        start_size=1,
        max_size=1,
        max_rounds=1,
        embed_dim=SETTINGS["n_prime"],
        budget=BUDGET,
    )


def _search_one(
    cell: Cell, data: Dataset, seed: int, restarts: int
) -> tuple[Problem, float, int, bool]:
    """Seconds and evaluations until one point improves on plain clustering, and whether it did."""
    spec = _one_point_spec(cell, seed)
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
        Box(*problem.box(spec.place)),
        spec.budget,
        np.random.default_rng([seed, 0]),
        on_eval=watch,
        cancel=lambda: meets(best, plain_cost, strict=True),
    )
    improved = meets(found.value, plain_cost, strict=True)
    return problem, time.process_time() - begun, found.evaluations, improved


def _algorithm1(cell: Cell, seed: int) -> tuple[Dataset, Row, Row]:
    """The data, the printed seconds and ours, with the figure's differences over λ."""
    whole = load_dataset(cell.dataset, rows=form_of(cell.dataset))
    data = paper_sample(whole, SETTINGS["son_subsample"], seed=seed)
    rows = paper_tables()[cell.table]["rows"]
    paper = next(row for row in rows if row["dataset"] == cell.dataset)
    sweep = lambda_sweep(data.points, data.groups, gamma=GAMMA, size=SIZE)
    answer = {
        "lambdas": [point.lam for point in sweep],
        "differences": [point.difference for point in sweep],
        "vanilla": [point.vanilla_cost for point in sweep],
        **(_ours if cell.mode == OURS else _published)(data, seed),
    }
    return data, _against("son", paper["algorithm1"], paper["vanilla_son"]), answer


def _published(data: Dataset, seed: int) -> Row:
    _, seconds = _timed(lambda: literal_program(data.points, data.groups, GAMMA, SIZE))
    _, son = _timed(lambda: literal_clustering(data.points, LAMBDA))
    return _against("son", seconds, son)


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
        **_against("son", seconds, son),
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
