"""What a sweep means: its events folded into one view, for live, stored and resumed ones alike.

Events, in any order between the first and the last: started, workers (how many there are), per
(clustering, fairness, k) one reference, per cell any number of cell (its state), note; at last
finished, stopped or failed, and closed. The order in which cells and references come does not
matter to the view that they make together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from antidote_core.runs import events
from antidote_core.runs.events import Event, given
from antidote_core.runs.state import JobState, PoolView
from antidote_core.runs.sweep_spec import Setting, SweepSpec
from antidote_core.runs.target import meets
from antidote_core.types import jsonable

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
# Of a cell that is done; what is not known is NaN.
FIGURES = ("cost", "vanilla", "checked", "silhouette", "price", "smallest_share")


@dataclass(frozen=True)
class BaselineLine:
    """The fair algorithm of one problem: its cost as it scores itself and by nearest centre.

    `judged` is the one of the two that F is scored by. Beside the costs stand silhouette, price of
    fairness and the smallest cluster's share of U in both scorings; logs of version 0.1 know
    nothing of the last two.
    """

    name: str
    own: float
    nearest: float
    judged: float
    own_silhouette: float
    nearest_silhouette: float
    seconds: float
    own_price: float = math.nan
    nearest_price: float = math.nan
    own_smallest_share: float = math.nan
    nearest_smallest_share: float = math.nan


@dataclass(frozen=True)
class Reference:
    """What every cell of one (clustering, fairness, k) is held against.

    `vanilla` is the cost of plain clustering with the first seed, `noise` its costs with other
    seeds. A cell meets the target with a cost of at most `target`, below it when `strict`. `reason`
    says why there is no fair algorithm's line although one is known; `rows` are those of a table of
    comparison. `smallest_share` of U is in the smallest cluster of plain clustering; NaN in logs of
    version 0.1.
    """

    problem: tuple[str, str, int]
    vanilla: float
    noise: tuple[float, ...]
    silhouette: float
    target: float
    strict: bool
    sota: BaselineLine | None = None
    reason: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
    smallest_share: float = math.nan

    @property
    def price(self) -> float:
        """The price of fairness of plain clustering, against which all others are measured."""
        return 0.0

    def met_by(self, cost: float) -> bool:
        """Whether a cost meets the target."""
        return meets(cost, self.target, self.strict)

    def to_event(self) -> events.ReferenceFound:
        """The event that tells it."""
        values = {**vars(self), "sota": vars(self.sota) if self.sota else None}
        return events.ReferenceFound(**{**jsonable(values), "problem": self.problem})

    @classmethod
    def of(cls, event: events.ReferenceFound) -> Self:
        """What the event tells."""
        sota = event.sota
        line = None
        if sota is not None:
            numbers = {key: _number(value) for key, value in sota.items() if key != "name"}
            line = BaselineLine(sota["name"], **numbers)
        return cls(
            problem=event.problem,
            vanilla=_number(event.vanilla),
            noise=tuple(_number(cost) for cost in event.noise),
            silhouette=_number(event.silhouette),
            target=_number(event.target),
            strict=event.strict,
            sota=line,
            reason=event.reason,
            rows=tuple(event.rows),
            smallest_share=_number(given(event.smallest_share)),
        )


@dataclass(frozen=True)
class CellRow:
    """One cell: what was asked and what became of it.

    `share` is |V| / |U|. `state` is "waiting", "running", "done", "failed" (`reason` says why) or
    "stopped". `run` is the id under which Explore shows it. `cost` is that of the V found, `checks`
    those of independent clusterings of U ∪ V and `checked` that of the best of these, which judges.
    `verified` is the share of the checks that meet the sweep's target, `passed` whether the cost
    and the best check do; both None until cell and reference are known. `price` is the part by
    which the inertia on U rises over plain clustering and `smallest_share` the smallest cluster's
    share of U, both as the best check finds them and NaN in logs of version 0.1; a cell whose best
    check has not `kept` the guard never passes. `reused` cells were in the store already.
    """

    index: int
    setting: Setting
    size: int
    seed: int
    share: float = math.nan
    state: str = WAITING
    reason: str = ""
    run: str = ""
    cost: float = math.nan
    vanilla: float = math.nan
    checked: float = math.nan
    checks: tuple[float, ...] = ()
    silhouette: float = math.nan
    price: float = math.nan
    smallest_share: float = math.nan
    kept: bool = True
    seconds: float = math.nan
    reused: bool = False
    verified: float | None = None
    passed: bool | None = None

    @property
    def done(self) -> bool:
        """Whether its figures are there."""
        return self.state == DONE


@dataclass(frozen=True)
class SweepView(PoolView):
    """The state of a sweep after some of its events."""

    spec: SweepSpec | None = None
    rows: tuple[CellRow, ...] = ()
    references: tuple[Reference, ...] = ()

    def count(self, state: str) -> int:
        """How many cells are in that state."""
        return sum(row.state == state for row in self.rows)

    @property
    def settled(self) -> int:
        """Cells that are done or have failed."""
        return self.count(DONE) + self.count(FAILED)

    @property
    def left(self) -> float:
        """Seconds until the last cell, by the pace of the cells computed so far; NaN before one."""
        computed = sum(row.state in (DONE, FAILED) and not row.reused for row in self.rows)
        open_cells = len(self.rows) - self.settled
        if not computed or not open_cells:
            return math.nan if open_cells else 0.0
        return (self.seconds - self.began) / computed * open_cells

    def summary(self) -> dict[str, Any]:
        """The figures that a list shows, fit for JSON."""
        return {
            "points": self.points,
            "cells": len(self.rows),
            "done": self.count(DONE),
            "failed": self.count(FAILED),
            "seconds": round(self.seconds, 4),
        }

    def reference(self, setting: Setting) -> Reference | None:
        """What the cells of a setting are held against, once it is known."""
        for reference in self.references:
            if reference.problem == setting.problem:
                return reference
        return None

    # -- events ---------------------------------------------------------------------------------

    def _apply(self, event: Event) -> Self:
        match event:
            case events.SweepStarted():
                return self._apply_start(event)
            case events.ReferenceFound():
                return self._apply_reference(Reference.of(event))
            case events.CellChanged():
                return self._apply_cell(event)
        return super()._apply(event)

    def _apply_start(self, event: events.SweepStarted) -> Self:
        spec = SweepSpec.from_json(event.sweep)
        rows = tuple(
            CellRow(cell.index, cell.setting, cell.size, cell.seed, cell.size / event.points)
            for cell in spec.cells
        )
        return replace(self, spec=spec, state=JobState.RUNNING, points=event.points, rows=rows)

    def _apply_reference(self, reference: Reference) -> Self:
        others = tuple(r for r in self.references if r.problem != reference.problem)
        rows = tuple(
            _judged(row, reference) if row.setting.problem == reference.problem else row
            for row in self.rows
        )
        order = {problem: i for i, problem in enumerate(self.spec.problems)} if self.spec else {}
        references = sorted((*others, reference), key=lambda r: order.get(r.problem, len(order)))
        return replace(self, references=tuple(references), rows=rows)

    def _apply_cell(self, event: events.CellChanged) -> Self:
        index = event.index
        if not 0 <= index < len(self.rows):
            raise LookupError(f"cell {index}")
        old = self.rows[index]
        if old.state in (DONE, FAILED):  # a repetition of what is known changes nothing
            return self
        row = replace(old, state=event.state, reason=given(event.reason, ""))
        if row.state == DONE:
            figures: Any = {name: _number(given(getattr(event, name))) for name in FIGURES}
            row = replace(
                row,
                **figures,
                run=given(event.run, ""),
                checks=tuple(_number(cost) for cost in given(event.checks, [])),
                kept=given(event.kept, True),
                seconds=given(event.taken, math.nan),
                reused=given(event.reused, False),
            )
            row = _judged(row, self.reference(row.setting))
        return replace(self, rows=(*self.rows[:index], row, *self.rows[index + 1 :]))

    def _apply_end(self, state: JobState, reason: str) -> Self:
        rows = tuple(
            replace(row, state=STOPPED, reason=reason) if row.state == RUNNING else row
            for row in self.rows
        )
        return replace(super()._apply_end(state, reason), rows=rows)


def _judged(row: CellRow, reference: Reference | None) -> CellRow:
    """The row with its verdict, where all that it takes is known."""
    if not row.done or reference is None or not row.checks:
        return row
    met = [reference.met_by(cost) for cost in row.checks]
    passed = row.kept and reference.met_by(row.cost) and reference.met_by(row.checked)
    return replace(row, verified=sum(met) / len(met), passed=passed)


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
