"""The tasks of a sweep: one cell, or what the cells are held against. They run on any machine."""

from __future__ import annotations

import threading
import time
import traceback
from typing import Any

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.algorithms.algorithm2.verification import cached_noise
from antidote_core.analysis.comparison import ANTIDOTE, VANILLA, baseline_rows, solution_row
from antidote_core.baselines import NEAREST, OWN
from antidote_core.baselines.registry import SOTA, baseline_result
from antidote_core.errors import sentence
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Alive
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
from antidote_core.types import Dataset

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


def compute_cell(spec_json: str, data: Dataset, token: str) -> dict[str, Any]:
    """Algorithm 2 for one cell: its events, and its rows of comparison."""
    try:
        spec, view, happened = RunSpec.from_json(spec_json), RunView(), []
        cache = _cache()
        for event in grow(spec, data, lambda: token in _flags, cache):
            view = view.apply_event(event)
            if not isinstance(event, Alive):  # goes by the clock and says nothing afterwards
                happened.append(event)
        if view.state is JobState.STOPPED or token in _flags:
            return {"state": STOPPED}
        rows = [_plain_row(spec, data)]
        problem = cache.problem(spec, data)
        rows.append(solution_row(problem, ANTIDOTE, view.antidote, view.seconds).to_dict())
        return {"state": DONE, "events": happened, "rows": rows}
    except Exception as error:  # a cell that fails must not sink the sweep
        return {"state": FAILED, "reason": sentence(error), "trace": traceback.format_exc()}


def _plain_row(spec: RunSpec, data: Dataset) -> dict[str, Any]:
    """Plain clustering as a row of comparison."""
    cache = _cache()

    def row() -> dict[str, Any]:
        begun = time.perf_counter()
        problem = cache.problem(spec, data)
        taken = time.perf_counter() - begun
        return solution_row(problem, VANILLA, data.points[:0], taken).to_dict()

    return cache.once("row", spec, data, row)


def compute_reference(spec_json: str, data: Dataset, target: str | float) -> dict[str, Any]:
    """Plain clustering, its noise, the fair algorithm and the target, for one problem."""
    try:
        spec = RunSpec.from_json(spec_json)
        return {"state": DONE, "event": _reference(spec, data, target).to_event()}
    except Exception as error:
        return {"state": FAILED, "reason": sentence(error), "trace": traceback.format_exc()}


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
            )
            rows = tuple(found[scoring].to_dict() for scoring in (OWN, NEAREST))
        except Exception as error:
            if target == "sota":
                raise
            traceback.print_exc()
            reason = sentence(error)
    if target == "sota":
        assert line is not None  # checked when the sweep was asked for
    return Reference(
        problem=(spec.clustering, spec.fairness, spec.k),
        vanilla=vanilla,
        noise=cached_noise(cache, spec, data),
        silhouette=plain["silhouette"] if plain["silhouette"] is not None else float("nan"),
        target=line.judged if target == "sota" and line else _number(target, vanilla),
        strict=isinstance(target, str),
        sota=line,
        reason=reason,
        rows=rows,
    )


def _number(target: str | float, vanilla: float) -> float:
    return vanilla if isinstance(target, str) else float(target)
