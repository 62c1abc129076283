"""Jobs of many tasks, sweeps, the paper, arenas: a pool computes, what comes back is kept."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from collections.abc import Sequence
from typing import TypeVar

from antidote_core.arena.records import (
    CellFiles,
    Entry,
    asked_notions,
    entries,
    load_entry_data,
    sampled,
)
from antidote_core.engine.job_folder import LogWriter, RunFolder, read_log
from antidote_core.engine.settings import default_scheduler, pool_processes
from antidote_core.engine.store import Store, content_key
from antidote_core.engine.sweep.tasks import (
    Outcome,
    cell_done,
    compute_arena_entry,
    compute_cell,
    compute_paper_row,
    compute_reference,
)
from antidote_core.engine.sweep.worker_pool import WITHDRAWN, WorkerPool, join_pool, start_pool
from antidote_core.engine.work import Work
from antidote_core.errors import RunError, SolverError
from antidote_core.paper.recompute import in_order, is_current
from antidote_core.paper.rows import all_cells
from antidote_core.runs.arena_spec import ArenaSpec, ArenaView
from antidote_core.runs.events import (
    Activity,
    ArenaRow,
    ArenaStarted,
    CellChanged,
    Closed,
    Compared,
    Event,
    Finished,
    Note,
    PaperRow,
    PaperStarted,
    Queued,
    ReferenceFound,
    Stopped,
    SweepStarted,
    Workers,
)
from antidote_core.runs.kinds import ARENA, PAPER, RUN, SWEEP
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import PoolView
from antidote_core.runs.sweep_spec import Cell, SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, RUNNING, SweepView
from antidote_core.runs.view import RunView, fold
from antidote_core.types import Dataset

UPDATE_SECONDS = 0.1  # between two looks at the stop file
COUNT_SECONDS = 2.0  # between two counts of the workers
CELL, REFERENCE = "cell", "reference"

V = TypeVar("V", bound=PoolView)


class PoolWork(Work[V]):
    """Hands out tasks, keeps what comes back, tells the log."""

    def __init__(self, folder: RunFolder, log: LogWriter) -> None:
        super().__init__(folder, log)
        self._id = folder.path.name
        self._token = secrets.token_hex(8)
        self._next_count = 0.0
        self._store = Store(folder.path.parent.parent)

    def run(self) -> bool:
        """Do all of it; an error becomes the event "failed"."""
        try:
            return super().run()
        finally:
            self._store.close()
            shutil.rmtree(self._folder.scratch, ignore_errors=True)

    def _submit(self, pool: WorkerPool) -> None:
        """Hand out what is not known yet."""

    def _take(self, tag: str, outcome: Outcome) -> None:
        """A task is being worked on, is done, or has failed."""

    def _finish_reason(self) -> str:
        """What to say at the end of a job that was not stopped."""
        return ""

    def _compute(self, tasks: int) -> None:
        """Compute so many tasks, and say how it ended."""
        if not tasks or self._stop():
            self._end()
            return
        with self._pool() as pool:
            self._submit(pool)
            self._take_in(pool, tasks)
            self._end()  # before the pool is closed, which takes a while

    def _pool(self) -> WorkerPool:
        address = default_scheduler()
        if self._folder.cluster.exists():
            address = self._folder.cluster.read_text(encoding="utf-8").strip()
        if address:
            self._emit(Activity(text=f"joining the cluster at {address}"))
            return join_pool(address)
        count = pool_processes()
        self._emit(Activity(text=f"starting {count} worker processes"))
        self._folder.scratch.mkdir(exist_ok=True)
        return start_pool(count, self._folder.scratch)

    def _take_in(self, pool: WorkerPool, awaited: int) -> None:
        """What comes back, until all is back or the job is to stop."""
        while awaited and not self._stop():
            self._count(pool)
            told = pool.next(UPDATE_SECONDS)
            if told is None:
                continue
            tag, outcome = told
            if outcome["state"] == WITHDRAWN:
                raise RunError(
                    f"The cluster withdrew the cells of this {self.kind.name}, as it does when it "
                    f"is restarted; resume the {self.kind.name} to go on."
                )
            if "trace" in outcome:
                print(outcome["trace"], file=sys.stderr, flush=True)
            awaited -= outcome["state"] != RUNNING
            self._take(tag, outcome)
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

    def _keep_run(
        self, spec: RunSpec, data_hash: str, happened: Sequence[Event]
    ) -> tuple[str, RunView]:
        """Store what a task computed as a run of its own; its id and its view."""
        events = [Queued(), *happened, Closed(seconds=happened[-1].seconds)]
        view = fold(events)
        return self._store.keep_cell(spec, data_hash, self._id, events, view), view

    def _end(self) -> None:
        if reason := self._stop.reason():
            self._emit(Stopped(reason=reason))
        else:
            self._emit(Finished(reason=self._finish_reason()))


class SweepWork(PoolWork[SweepView]):
    """The cells of one sweep on their way into the store, and its events into the log."""

    kind = SWEEP

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, SweepSpec)
        self._emit(Activity(text="reading the data"))
        self._spec, self._data = spec, self._folder.read_data()
        self._emit(SweepStarted(sweep=spec.to_json(), id=spec.id, points=self._data.n))
        self._problems = self._unknown_problems(spec)
        self._cells = [cell for cell in spec.cells if not self._reused(cell)]
        self._compute(len(self._problems) + len(self._cells))

    def _unknown_problems(self, spec: SweepSpec) -> list[tuple[str, str, int]]:
        """Problems without a reference; those of an earlier part of this log hold as before."""
        for event in read_log(self._folder.events)[0]:
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

    def _submit(self, pool: WorkerPool) -> None:
        spec, shared = self._spec, pool.share(self._data)
        first = {cell.setting.problem: cell.spec for cell in reversed(spec.cells)}
        for problem in self._problems:
            tag = f"{REFERENCE} {spec.problems.index(problem)}"
            asked = first[problem].to_json()
            pool.submit(tag, -1, compute_reference, asked, shared, spec.target)
        for cell in self._cells:
            tag, asked = f"{CELL} {cell.index}", cell.spec.to_json()
            pool.submit(tag, cell.index, compute_cell, asked, shared, self._token)

    def _take(self, tag: str, outcome: Outcome) -> None:
        kind, place = tag.split()
        index, state = int(place), outcome["state"]
        if kind == CELL and state == DONE:
            self._keep_cell(self._spec.cells[index], outcome["events"])
        elif kind == CELL:
            why = {} if state == RUNNING else {"reason": outcome.get("reason", "")}
            self._emit(CellChanged(index=index, state=state, **why))
        elif state == DONE:
            self._emit(outcome["event"])
        elif state == FAILED:
            clustering, fairness, k = self._spec.problems[index]
            text = f"{clustering} with {fairness} at k = {k} has no lines of reference: "
            self._emit(Note(text=text + outcome["reason"]))

    def _keep_cell(self, cell: Cell, happened: list[Event]) -> None:
        """Store it, with the rows of the fair algorithm if they are there yet."""
        reference = self._view.reference(cell.setting)
        note = "Computed once for all seeds of a sweep."
        for row in reference.rows if reference else ():
            known = {**row, "notes": [*row["notes"], note]}
            happened.append(Compared(seconds=happened[-1].seconds, row=known))
        run_id, view = self._keep_run(cell.spec, self._data.content_hash, happened)
        self._tell_done(cell.index, run_id, view, reused=False)

    def _tell_done(self, index: int, run_id: str, view: RunView, reused: bool) -> None:
        self._emit(cell_done(index, run_id, view, reused))

    def _finish_reason(self) -> str:
        failed, total = self._view.count(FAILED), len(self._view.rows)
        if failed:
            return f"{total - failed} of {total} cells, {failed} failed"
        return f"all {total} cells are there"


class PaperWork(PoolWork[PaperView]):
    """The rows of the paper that are not there yet; each is a run that opens in Explore."""

    kind = PAPER

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, PaperSpec)
        self._seed = spec.seed
        cells = in_order(all_cells(spec.tables, spec.datasets, spec.modes))
        expected = {cell.key: seconds for cell, seconds in cells.items()}
        self._emit(PaperStarted(paper=spec.to_json(), id=spec.id, expected=expected))
        # Rows of an earlier part of this log hold as before, if they are of the data here.
        known = {e.key: e for e in read_log(self._folder.events)[0] if isinstance(e, PaperRow)}
        named = {cell.key: cell for cell in cells}
        for key, event in known.items():
            if key in named and is_current(named[key], dict(event.row)):
                self._emit(PaperRow(key=key, row=event.row, run=event.run, known=True))
        self._left = [cell for cell in cells if cell.key not in self._view.rows]
        self._compute(len(self._left))

    def _submit(self, pool: WorkerPool) -> None:
        for turn, cell in enumerate(self._left):
            pool.submit(cell.key, turn, compute_paper_row, cell, self._seed)

    def _take(self, tag: str, outcome: Outcome) -> None:
        if outcome["state"] == RUNNING:
            self._emit(Activity(text=f"computing {tag}"))
            return
        if outcome["state"] == FAILED:
            raise SolverError(f"{tag}: {outcome['reason']}")
        row, run_id = outcome["row"], ""
        if outcome["events"]:
            run_id, _ = self._keep_run(outcome["spec"], row["data"], outcome["events"])
        self._emit(PaperRow(key=tag, row=row, run=run_id))

    def _finish_reason(self) -> str:
        return f"all {len(self._view.keys)} numbers are there"


class ArenaWork(PoolWork[ArenaView]):
    """The entries of an arena, each in a file of its own once it is there.

    Those of data that the registry has are shared by all arenas under this home; those of a table
    of one's own stay in the folder of the job and go with it.
    """

    kind = ARENA

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, ArenaSpec)
        self._emit(Activity(text="reading the data"))
        self._own: Dataset | None = None
        folder = self._store.home / "arena"
        if self._folder.data.exists():
            self._own = sampled(self._folder.read_data(), spec.sample)
            folder = self._folder.path / "arena"
        self._files, self._notions = CellFiles(folder), asked_notions(spec)
        asked = {entry.key: entry for entry in entries(spec)}
        self._emit(ArenaStarted(arena=spec.to_json(), id=spec.id, keys=list(asked)))
        for key, entry in asked.items():
            record = self._files.read(entry, self._data(entry), self._notions)
            if record is not None:
                self._emit(ArenaRow(key=key, row=record, known=True))
        self._left = {key: entry for key, entry in asked.items() if key not in self._view.rows}
        self._compute(len(self._left))

    def _data(self, entry: Entry) -> Dataset:
        if self._own is not None:
            return self._own
        return load_entry_data(entry.dataset, entry.sample)

    def _submit(self, pool: WorkerPool) -> None:
        shared = None if self._own is None else pool.share(self._own)
        for turn, (key, entry) in enumerate(self._left.items()):
            pool.submit(key, turn, compute_arena_entry, entry, shared, self._notions, self._token)

    def _take(self, tag: str, outcome: Outcome) -> None:
        if outcome["state"] == RUNNING:
            self._emit(Activity(text=f"computing {tag}"))
        elif outcome["state"] == FAILED:
            self._emit(ArenaRow(key=tag, row={}, reason=outcome["reason"]))
        elif outcome["state"] == DONE:
            entry, record = self._left[tag], outcome["record"]
            self._files.write(entry, self._data(entry), record)
            self._emit(ArenaRow(key=tag, row=record))

    def _finish_reason(self) -> str:
        failed, total = len(self._view.failed), len(self._view.keys)
        if failed:
            return f"{total - failed} of {total} entries, {failed} failed"
        return f"all {total} entries are there"
