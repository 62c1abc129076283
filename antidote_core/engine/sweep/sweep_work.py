"""A sweep in a process of its own: hands out cells, keeps what comes back, tells the log."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any

from antidote_core.analysis.comparison import ANTIDOTE
from antidote_core.engine.settings import cores, default_scheduler
from antidote_core.engine.store.folder import RunFolder
from antidote_core.engine.store.log import LogWriter, read
from antidote_core.engine.store.store import Store, content_key
from antidote_core.engine.sweep.tasks import compute_cell, compute_reference
from antidote_core.engine.sweep.worker_pool import TaskUpdate, WorkerPool, join_pool, start_pool
from antidote_core.engine.work import Work
from antidote_core.errors import RunError
from antidote_core.runs.events import (
    Activity,
    CellChanged,
    Closed,
    Compared,
    Event,
    Finished,
    Note,
    Queued,
    ReferenceFound,
    Stopped,
    SweepStarted,
    Workers,
)
from antidote_core.runs.kinds import RUN, SWEEP
from antidote_core.runs.sweep_spec import Cell, SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, RUNNING, SweepView
from antidote_core.runs.view import RunView, fold
from antidote_core.types import Dataset, jsonable

NEWS_SECONDS = 0.1  # between two looks at the stop file
COUNT_SECONDS = 2.0  # between two counts of the workers
CELL, REFERENCE = "cell", "reference"

Problem = tuple[str, str, int]


class SweepWork(Work[SweepView]):
    """The cells of one sweep on their way into the store, and its events into the log."""

    kind = SWEEP

    def __init__(self, folder: RunFolder, log: LogWriter) -> None:
        super().__init__(folder, log)
        self._id = folder.path.name
        self._token = secrets.token_hex(8)
        self._next_count = 0.0

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, SweepSpec)
        self._emit(Activity(text="reading the data"))
        data = self._folder.read_data()
        self._emit(SweepStarted(sweep=spec.to_json(), id=spec.id, points=data.n))
        store = Store(self._folder.path.parent.parent)
        try:
            problems = self._unknown_problems(spec)
            cells = [cell for cell in spec.cells if not self._reused(store, cell, data)]
            if (cells or problems) and not self._stop():
                with self._pool() as pool:
                    self._hand_out(pool, spec, data, cells, problems)
                    self._take_in(pool, spec, data, store, len(cells) + len(problems))
                    self._end()  # before the pool goes home, which takes a while
            else:
                self._end()
        finally:
            store.close()
            shutil.rmtree(self._folder.scratch, ignore_errors=True)

    # -- what is known already ------------------------------------------------------------------

    def _unknown_problems(self, spec: SweepSpec) -> list[Problem]:
        """Problems without a reference; those of an earlier part of this log hold as before."""
        for event in read(self._folder.events)[0]:
            if isinstance(event, ReferenceFound) and not event.reason:
                self._emit(event)
        known = {reference.problem for reference in self._view.references}
        return [problem for problem in spec.problems if problem not in known]

    def _reused(self, store: Store, cell: Cell, data: Dataset) -> bool:
        """Whether the cell is in the store; if so, the log has it now."""
        found = store.finished_cell(content_key(cell.spec, data), self._id)
        if found is None:
            return False
        view = store.folder(found).view(RUN)
        assert isinstance(view, RunView)
        if view.verification is None:  # its log is damaged
            return False
        self._tell_done(cell.index, found, view, reused=True)
        return True

    # -- what must be computed ------------------------------------------------------------------

    def _pool(self) -> WorkerPool:
        address = default_scheduler()
        if self._folder.cluster.exists():
            address = self._folder.cluster.read_text(encoding="utf-8").strip()
        if address:
            self._emit(Activity(text=f"joining the cluster at {address}"))
            return join_pool(address)
        count = cores()
        self._emit(Activity(text=f"starting {count} worker processes"))
        self._folder.scratch.mkdir(exist_ok=True)
        return start_pool(count, self._folder.scratch)

    def _hand_out(
        self,
        pool: WorkerPool,
        spec: SweepSpec,
        data: Dataset,
        cells: list[Cell],
        problems: list[Problem],
    ) -> None:
        shared = pool.share(data)
        for problem in problems:
            [cell, *_] = [cell for cell in spec.cells if cell.setting.problem == problem]
            pool.submit(
                _tag(REFERENCE, spec.problems.index(problem)), -1,
                compute_reference, cell.spec.to_json(), shared, spec.target,
            )  # fmt: skip
        for cell in cells:
            pool.submit(
                _tag(CELL, cell.index), cell.index,
                compute_cell, cell.spec.to_json(), shared, self._token,
            )  # fmt: skip

    def _take_in(
        self, pool: WorkerPool, spec: SweepSpec, data: Dataset, store: Store, awaited: int
    ) -> None:
        """What comes back, until all is back or the sweep is to stop."""
        while awaited and not self._stop():
            self._count(pool)
            update = pool.next(NEWS_SECONDS)
            if update is None:
                continue
            kind, index = _read_tag(update.tag)
            if update.kind == "running":
                if kind == CELL:
                    self._emit(CellChanged(index=index, state=RUNNING))
                continue
            awaited -= 1
            outcome = self._outcome(update)
            if kind == REFERENCE:
                self._keep_reference(spec.problems[index], outcome)
            else:
                self._keep_cell(spec.cells[index], outcome, data, store)
        if awaited:
            pool.stop(self._token)

    def _count(self, pool: WorkerPool) -> None:
        now = time.monotonic()
        if now < self._next_count:
            return
        self._next_count = now + COUNT_SECONDS
        workers = pool.workers
        if workers != self._view.workers or not self._view.workers:
            self._emit(Workers(count=workers, scheduler=pool.address))
            if not workers:
                self._emit(Activity(text="waiting: the cluster has no workers at the moment"))

    def _outcome(self, update: TaskUpdate) -> Mapping[str, Any]:
        if update.kind == "done":
            outcome: Mapping[str, Any] = update.result
            if outcome["state"] == FAILED:
                print(outcome["trace"], file=sys.stderr, flush=True)
            return outcome
        if not update.reason:
            raise RunError(
                "The cluster withdrew the cells of this sweep, as it does when it is restarted; "
                "resume the sweep to go on."
            )
        return {"state": FAILED, "reason": update.reason}

    def _keep_reference(self, problem: Problem, outcome: Mapping[str, Any]) -> None:
        if outcome["state"] == DONE:
            self._emit(outcome["event"])
            return
        clustering, fairness, k = problem
        text = f"{clustering} with {fairness} at k = {k} has no lines of reference: "
        self._emit(Note(text=text + outcome["reason"]))

    def _keep_cell(
        self, cell: Cell, outcome: Mapping[str, Any], data: Dataset, store: Store
    ) -> None:
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
        run_id = store.keep_cell(cell.spec, data, self._id, events, view)
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

    def _end(self) -> None:
        failed, total = self._view.count(FAILED), len(self._view.rows)
        if self._stop():
            self._emit(Stopped(reason=self._stop.reason()))
        elif failed:
            self._emit(Finished(reason=f"{total - failed} of {total} cells, {failed} failed"))
        else:
            self._emit(Finished(reason=f"all {total} cells are there"))


def _tag(kind: str, index: int) -> str:
    return f"{kind} {index}"


def _read_tag(tag: str) -> tuple[str, int]:
    kind, index = tag.split()
    return kind, int(index)
