"""Tasks for a pool, run on any machine: cells, what they are held against, rows, entries."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.algorithms.algorithm2.verification import cached_noise
from antidote_core.analysis.comparison import ANTIDOTE, VANILLA, baseline_rows, solution_row
from antidote_core.arena.records import Entry, compute_entry, load_entry_data
from antidote_core.baselines import NEAREST, OWN, SOTA, baseline_result
from antidote_core.errors import sentence
from antidote_core.paper.recompute import compute_row
from antidote_core.paper.rows import Cell
from antidote_core.problem import Problem
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Alive, CellChanged, Compared
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import JobState
from antidote_core.runs.sweep_view import (
    DONE,
    FAILED,
    STOPPED,
    BaselineLine,
    Reference,
)
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset, jsonable

Outcome = Mapping[str, Any]  # "state", and what the task computed or why it failed

_local = threading.local()  # a process of a cluster may work in several threads
_flags: set[str] = set()


def cancel_tasks(token: str) -> None:
    """Tasks of that token in this process end at their next look."""
    _flags.add(token)


def _cache() -> ProblemCache:
    if not hasattr(_local, "cache"):
        _local.cache = ProblemCache()
    cache: ProblemCache = _local.cache
    return cache


def _task(compute: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """The function as a task: its error is an outcome too, and must not sink the others."""

    @wraps(compute)
    def task(*arguments: Any) -> Outcome:
        try:
            return {"state": DONE, **compute(*arguments)}
        except Exception as error:
            return {"state": FAILED, "reason": sentence(error), "trace": traceback.format_exc()}

    return task


@_task
def compute_cell(spec_json: str, data: Dataset, token: str) -> Outcome:
    """Algorithm 2 for one cell: its events, its rows of comparison among them."""
    spec, view, happened = RunSpec.from_json(spec_json), RunView(), []
    cache = _cache()
    for event in grow(spec, data, lambda: token in _flags, cache):
        view = view.apply_event(event)
        if not isinstance(event, Alive):  # goes by the clock and says nothing afterwards
            happened.append(event)
    if view.state is JobState.STOPPED or token in _flags:
        return {"state": STOPPED}
    found = solution_row(
        cache.problem(spec, data), ANTIDOTE, view.antidote, view.seconds, how=view.how
    )
    for row in (_plain_row(spec, data), found.to_dict()):
        happened.append(Compared(seconds=happened[-1].seconds, row=row))
    return {"events": happened}


def cell_done(index: int, run_id: str, view: RunView, reused: bool) -> CellChanged:
    """The event that tells the figures of a cell, from the run that answers it."""
    assert view.verification is not None
    rows = [row for row in view.comparison if row["name"] == ANTIDOTE]
    figures = {
        "cost": view.cost,
        "vanilla": view.vanilla_cost,
        "checked": view.verification.best_cost,
        "checks": view.verification.costs,
        "silhouette": rows[0]["silhouette"] if rows else None,
        "price": view.price,
        "smallest_share": view.smallest_share,
        "kept": view.verification.kept,
        "taken": round(view.seconds, 4),
    }
    return CellChanged(index=index, state=DONE, run=run_id, reused=reused, **jsonable(figures))


@_task
def compute_paper_row(cell: Cell, seed: int) -> Outcome:
    """One row of the paper, and the events of the run that answers it beside plain clustering."""
    row, answer = compute_row(cell, seed)
    if answer is None:
        return {"row": row, "events": []}
    data, view, events = cell.load(), answer.view, list(answer.happened)
    problem = Problem.of(answer.asked, data)
    rows = [solution_row(problem, VANILLA, data.points[:0], 0.0)]
    if view.size:
        rows.append(solution_row(problem, ANTIDOTE, view.antidote, view.seconds, how=view.how))
    events += [Compared(seconds=events[-1].seconds, row=row.to_dict()) for row in rows]
    return {"row": row, "events": events, "spec": answer.asked}


@_task
def compute_arena_entry(
    entry: Entry, data: Dataset | None, notions: tuple[str, ...], token: str
) -> Outcome:
    """One entry of an arena; data that the registry has are loaded where the task runs."""
    rows = load_entry_data(entry.dataset, entry.sample) if data is None else data
    record = compute_entry(entry, rows, notions, lambda: token in _flags)
    return {"state": STOPPED} if token in _flags else {"record": record}


def _plain_row(spec: RunSpec, data: Dataset) -> dict[str, Any]:
    """Plain clustering as a row of comparison."""
    cache = _cache()

    def row() -> dict[str, Any]:
        begun = time.perf_counter()
        problem = cache.problem(spec, data)
        taken = time.perf_counter() - begun
        return solution_row(problem, VANILLA, data.points[:0], taken).to_dict()

    return cache.once("row", spec, data, row)


@_task
def compute_reference(spec_json: str, data: Dataset, target: str | float) -> Outcome:
    """Plain clustering, its noise, the fair algorithm and the target, for one problem."""
    return {"event": _reference(RunSpec.from_json(spec_json), data, target).to_event()}


def _reference(spec: RunSpec, data: Dataset, target: str | float) -> Reference:
    cache = _cache()
    problem = cache.problem(spec, data)
    vanilla = problem.vanilla.cost
    plain = _plain_row(spec, data)
    line: BaselineLine | None = None
    rows: tuple[dict[str, Any], ...] = ()
    reason = ""
    if (spec.clustering, spec.fairness) in SOTA:
        try:
            fair = baseline_result(problem)
            assert fair is not None
            found = {row.scoring: row for row in baseline_rows(problem, fair)}
            costs = {scoring: fair.scores[scoring][spec.fairness] for scoring in (OWN, NEAREST)}
            line = BaselineLine(
                name=fair.name,
                own=costs[OWN],
                nearest=costs[NEAREST],
                judged=costs[NEAREST if problem.clustering.by_nearest_center else OWN],
                own_silhouette=found[OWN].quality.silhouette,
                nearest_silhouette=found[NEAREST].quality.silhouette,
                seconds=fair.seconds,
                own_price=found[OWN].price,
                nearest_price=found[NEAREST].price,
                own_smallest_share=found[OWN].smallest_share,
                nearest_smallest_share=found[NEAREST].smallest_share,
            )
            rows = tuple(found[scoring].to_dict() for scoring in (OWN, NEAREST))
        except Exception as error:
            if target == "sota":
                raise
            traceback.print_exc()
            reason = sentence(error)
    aim = vanilla if isinstance(target, str) else float(target)
    if target == "sota" and line:
        aim = line.judged
    return Reference(
        problem=(spec.clustering, spec.fairness, spec.k),
        vanilla=vanilla,
        noise=cached_noise(cache, spec, data),
        silhouette=plain["silhouette"] if plain["silhouette"] is not None else float("nan"),
        target=aim,
        strict=isinstance(target, str),
        sota=line,
        reason=reason,
        rows=rows,
        smallest_share=plain["smallest_share"],
    )
