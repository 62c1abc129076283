"""What a sweep means: its events folded into one view, for live, stored and resumed ones alike.

Events, in any order between the first and the last: started, workers (how many there are), per
(clustering, fairness, k) one reference, per cell any number of cell (its state), note; at last
finished, stopped or failed, and closed. The order in which cells and references come does not
matter to the view that they make together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from antidote_core.runs.events import Event
from antidote_core.runs.sweep_spec import Setting, SweepSpec
from antidote_core.runs.target import meets

WAITING, RUNNING, DONE, FAILED, STOPPED = "waiting", "running", "done", "failed", "stopped"
ENDS = ("finished", "stopped", "failed", "dead")


@dataclass(frozen=True)
class BaselineLine:
    """The fair algorithm of one problem: its cost as it scores itself and by nearest centre.

    `judged` is the one of the two that F is scored by.
    """

    name: str
    own: float
    nearest: float
    judged: float
    own_silhouette: float
    nearest_silhouette: float
    seconds: float


@dataclass(frozen=True)
class Reference:
    """What every cell of one (clustering, fairness, k) is held against.

    `vanilla` is the cost of plain clustering with the first seed, `noise` its costs with other
    seeds. A cell meets the target with a cost of at most `target`, below it when `strict`. `reason`
    says why there is no fair algorithm's line although one is known; `rows` are those of a table of
    comparison.
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

    def met_by(self, cost: float) -> bool:
        """Whether a cost meets the target."""
        return meets(cost, self.target, self.strict)


@dataclass(frozen=True)
class CellRow:
    """One cell: what was asked and what became of it.

    `share` is |V| / |U|. `state` is "waiting", "running", "done", "failed" (`reason` says why) or
    "stopped". `run` is the id under which Explore shows it. `cost` is that of the V found, `checks`
    those of independent clusterings of U ∪ V and `checked` that of the best of these, which judges.
    `verified` is the share of the checks that meet the sweep's target, `passed` whether the cost
    and the best check do; both None until cell and reference are known. `reused` cells were in the
    store already.
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
    seconds: float = math.nan
    reused: bool = False
    verified: float | None = None
    passed: bool | None = None

    @property
    def done(self) -> bool:
        """Whether its figures are there."""
        return self.state == DONE


@dataclass(frozen=True)
class SweepView:
    """The state of a sweep after some of its events.

    `state` is "queued", "running", "finished", "stopped", "failed" or "dead" (its process was
    lost); `reason` says why it ended, `stage` what is being waited for, `closed` that no more
    events will come. `scheduler` is the address of a cluster, empty on this machine alone.
    """

    spec: SweepSpec | None = None
    state: str = "running"
    reason: str = ""
    stage: str = ""
    closed: bool = False
    points: int = 0
    seconds: float = 0.0
    rows: tuple[CellRow, ...] = ()
    references: tuple[Reference, ...] = ()
    workers: int = 0
    scheduler: str = ""
    began: float = math.nan
    notes: tuple[str, ...] = ()
    unreadable: int = 0

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

    def reference(self, setting: Setting) -> Reference | None:
        """What the cells of a setting are held against, once it is known."""
        for reference in self.references:
            if reference.problem == setting.problem:
                return reference
        return None


def fold_sweep(events: Iterable[Event]) -> SweepView:
    """The view after all of the events."""
    view = SweepView()
    for event in events:
        view = after_sweep(view, event)
    return view


def after_sweep(view: SweepView, event: Event) -> SweepView:
    """The view after one more event."""
    data = event.data
    if event.kind == "queued":  # a sweep begins here, for the first time or anew
        return SweepView(state="queued")
    if event.kind == "unreadable":
        return replace(view, unreadable=view.unreadable + 1)
    if view.state in ("queued", "running"):
        view = replace(view, seconds=max(view.seconds, event.seconds))
    if event.kind == "stage":
        state = "running" if view.state == "queued" else view.state
        return replace(view, state=state, stage=data["text"])
    if event.kind == "note":
        return replace(view, notes=(*view.notes, data["text"]))
    if event.kind == "started":
        return _started(view, data)
    if event.kind == "workers":
        began = event.seconds if math.isnan(view.began) else view.began
        return replace(
            view, workers=data["count"], scheduler=data["scheduler"], began=began, stage=""
        )
    if event.kind == "reference":
        return _with_reference(view, read_reference(data))
    if event.kind == "cell":
        return _with_cell(view, data)
    if event.kind in ENDS:
        return _ended(view, event)
    if event.kind == "closed":
        return replace(view, closed=True, stage="")
    return view


def _started(view: SweepView, data: Mapping[str, Any]) -> SweepView:
    spec = SweepSpec.from_json(data["sweep"])
    rows = tuple(
        CellRow(cell.index, cell.setting, cell.size, cell.seed, cell.size / data["points"])
        for cell in spec.cells
    )
    return replace(view, spec=spec, state="running", points=data["points"], rows=rows)


def _with_reference(view: SweepView, reference: Reference) -> SweepView:
    others = tuple(r for r in view.references if r.problem != reference.problem)
    rows = tuple(
        _judged(row, reference) if row.setting.problem == reference.problem else row
        for row in view.rows
    )
    order = {problem: i for i, problem in enumerate(view.spec.problems)} if view.spec else {}
    references = sorted((*others, reference), key=lambda r: order.get(r.problem, len(order)))
    return replace(view, references=tuple(references), rows=rows)


def _with_cell(view: SweepView, data: Mapping[str, Any]) -> SweepView:
    index = data["index"]
    if not 0 <= index < len(view.rows):
        raise LookupError(f"cell {index}")
    old = view.rows[index]
    if old.state in (DONE, FAILED):  # a repetition of what is known changes nothing
        return view
    row = replace(old, state=data["state"], reason=data.get("reason", ""))
    if row.state == DONE:
        row = replace(
            row,
            run=data["run"],
            cost=_number(data["cost"]),
            vanilla=_number(data["vanilla"]),
            checked=_number(data["checked"]),
            checks=tuple(_number(cost) for cost in data["checks"]),
            silhouette=_number(data["silhouette"]),
            seconds=data["taken"],
            reused=data["reused"],
        )
        row = _judged(row, view.reference(row.setting))
    return replace(view, rows=(*view.rows[:index], row, *view.rows[index + 1 :]))


def _judged(row: CellRow, reference: Reference | None) -> CellRow:
    """The row with its verdict, where all that it takes is known."""
    if not row.done or reference is None or not row.checks:
        return row
    met = [reference.met_by(cost) for cost in row.checks]
    passed = reference.met_by(row.cost) and reference.met_by(row.checked)
    return replace(row, verified=sum(met) / len(met), passed=passed)


def _ended(view: SweepView, event: Event) -> SweepView:
    reason = event.data["reason"]
    rows = tuple(
        replace(row, state=STOPPED, reason=reason) if row.state == RUNNING else row
        for row in view.rows
    )
    return replace(view, state=event.kind, reason=reason, stage="", rows=rows)


def reference_data(reference: Reference) -> dict[str, Any]:
    """A reference fit for JSON, as the data of its event."""
    sota = reference.sota
    return {
        "problem": list(reference.problem),
        "vanilla": _value(reference.vanilla),
        "noise": [_value(cost) for cost in reference.noise],
        "silhouette": _value(reference.silhouette),
        "target": _value(reference.target),
        "strict": reference.strict,
        "sota": {key: _value(value) for key, value in vars(sota).items()} if sota else None,
        "reason": reference.reason,
        "rows": [dict(row) for row in reference.rows],
    }


def read_reference(data: Mapping[str, Any]) -> Reference:
    """What `reference_data` wrote."""
    clustering, fairness, k = data["problem"]
    sota = data["sota"]
    if sota is not None:
        numbers = {key: _number(value) for key, value in sota.items() if key != "name"}
        sota = BaselineLine(sota["name"], **numbers)
    return Reference(
        problem=(clustering, fairness, k),
        vanilla=_number(data["vanilla"]),
        noise=tuple(_number(cost) for cost in data["noise"]),
        silhouette=_number(data["silhouette"]),
        target=_number(data["target"]),
        strict=data["strict"],
        sota=sota,
        reason=data["reason"],
        rows=tuple(data["rows"]),
    )


def cell_data(
    index: int,
    run: str,
    *,
    cost: float,
    vanilla: float,
    checked: float,
    checks: Iterable[float],
    silhouette: float,
    taken: float,
    reused: bool,
) -> dict[str, Any]:
    """The data of the event "cell" of a cell that is done, fit for JSON."""
    return {
        "index": index,
        "state": DONE,
        "run": run,
        "cost": _value(cost),
        "vanilla": _value(vanilla),
        "checked": _value(checked),
        "checks": [_value(check) for check in checks],
        "silhouette": _value(silhouette),
        "taken": round(taken, 4),
        "reused": reused,
    }


def _value(value: Any) -> Any:
    """JSON knows no NaN: no number is None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)
