"""A sweep in a process of its own: hands out cells, keeps what comes back, tells the log."""

from __future__ import annotations

from typing import Any

from antidote_core.analysis.comparison import ANTIDOTE
from antidote_core.engine.store.log import read
from antidote_core.engine.store.store import content_key
from antidote_core.engine.sweep.pool_work import Outcome, PoolWork, Task
from antidote_core.engine.sweep.tasks import compute_cell, compute_reference
from antidote_core.engine.sweep.worker_pool import WorkerPool
from antidote_core.runs.events import (
    Activity,
    CellChanged,
    Closed,
    Compared,
    Event,
    Note,
    Queued,
    ReferenceFound,
    SweepStarted,
)
from antidote_core.runs.kinds import RUN, SWEEP
from antidote_core.runs.sweep_spec import Cell, SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, RUNNING, SweepView
from antidote_core.runs.view import RunView, fold
from antidote_core.types import jsonable

CELL, REFERENCE = "cell", "reference"

Problem = tuple[str, str, int]


class SweepWork(PoolWork[SweepView]):
    """The cells of one sweep on their way into the store, and its events into the log."""

    kind = SWEEP

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, SweepSpec)
        self._emit(Activity(text="reading the data"))
        self._spec, self._data = spec, self._folder.read_data()
        self._emit(SweepStarted(sweep=spec.to_json(), id=spec.id, points=self._data.n))
        problems = self._unknown_problems(spec)
        cells = [cell for cell in spec.cells if not self._reused(cell)]
        some = bool(cells or problems)
        self._compute((lambda pool: self._tasks(pool, cells, problems)) if some else None)

    # -- what is known already ------------------------------------------------------------------

    def _unknown_problems(self, spec: SweepSpec) -> list[Problem]:
        """Problems without a reference; those of an earlier part of this log hold as before."""
        for event in read(self._folder.events)[0]:
            if isinstance(event, ReferenceFound) and not event.reason:
                self._emit(event)
        known = {reference.problem for reference in self._view.references}
        return [problem for problem in spec.problems if problem not in known]

    def _reused(self, cell: Cell) -> bool:
        """Whether the cell is in the store; if so, the log has it now."""
        found = self._store.finished_cell(content_key(cell.spec, self._data.content_hash), self._id)
        if found is None:
            return False
        view = self._store.folder(found).view(RUN)
        assert isinstance(view, RunView)
        if view.verification is None:  # its log is damaged
            return False
        self._tell_done(cell.index, found, view, reused=True)
        return True

    # -- what must be computed ------------------------------------------------------------------

    def _tasks(self, pool: WorkerPool, cells: list[Cell], problems: list[Problem]) -> list[Task]:
        spec, shared = self._spec, pool.share(self._data)
        first = {cell.setting.problem: cell for cell in reversed(spec.cells)}
        return [
            *(
                Task(
                    f"{REFERENCE} {spec.problems.index(problem)}", -1, compute_reference,
                    (first[problem].spec.to_json(), shared, spec.target),
                )
                for problem in problems
            ),
            *(
                Task(
                    f"{CELL} {cell.index}", cell.index, compute_cell,
                    (cell.spec.to_json(), shared, self._token),
                )
                for cell in cells
            ),
        ]  # fmt: skip

    def _task_begun(self, tag: str) -> None:
        kind, index = tag.split()
        if kind == CELL:
            self._emit(CellChanged(index=int(index), state=RUNNING))

    def _task_done(self, tag: str, outcome: Outcome) -> None:
        kind, index = tag.split()
        if kind == REFERENCE:
            self._keep_reference(self._spec.problems[int(index)], outcome)
        else:
            self._keep_cell(self._spec.cells[int(index)], outcome)

    def _keep_reference(self, problem: Problem, outcome: Outcome) -> None:
        if outcome["state"] == DONE:
            self._emit(outcome["event"])
            return
        clustering, fairness, k = problem
        text = f"{clustering} with {fairness} at k = {k} has no lines of reference: "
        self._emit(Note(text=text + outcome["reason"]))

    def _keep_cell(self, cell: Cell, outcome: Outcome) -> None:
        if outcome["state"] != DONE:
            reason = outcome.get("reason", "")
            self._emit(CellChanged(index=cell.index, state=outcome["state"], reason=reason))
            return
        seconds = outcome["events"][-1].seconds
        rows = [*outcome["rows"], *self._fair_rows(cell)]
        events: list[Event] = [
            Queued(),
            *outcome["events"],
            *(Compared(seconds=seconds, row=row) for row in rows),
            Closed(seconds=seconds),
        ]
        view = fold(events)
        run_id = self._store.keep_cell(cell.spec, self._data.content_hash, self._id, events, view)
        self._tell_done(cell.index, run_id, view, reused=False)

    def _fair_rows(self, cell: Cell) -> list[dict[str, Any]]:
        """Rows of the fair algorithm, if they are there yet; computed once for all seeds."""
        reference = self._view.reference(cell.setting)
        note = "Computed once for all seeds of a sweep."
        rows = reference.rows if reference else ()
        return [{**row, "notes": [*row["notes"], note]} for row in rows]

    # -- telling --------------------------------------------------------------------------------

    def _tell_done(self, index: int, run_id: str, view: RunView, reused: bool) -> None:
        assert view.verification is not None
        rows = [row for row in view.comparison if row["name"] == ANTIDOTE]
        silhouette = rows[0]["silhouette"] if rows else None
        figures = {
            "cost": view.cost,
            "vanilla": view.vanilla_cost,
            "checked": view.verification.best_cost,
            "checks": view.verification.costs,
            "silhouette": silhouette,
            "taken": round(view.seconds, 4),
        }
        self._emit(
            CellChanged(index=index, state=DONE, run=run_id, reused=reused, **jsonable(figures))
        )

    def _finish_reason(self) -> str:
        failed, total = self._view.count(FAILED), len(self._view.rows)
        if failed:
            return f"{total - failed} of {total} cells, {failed} failed"
        return f"all {total} cells are there"
