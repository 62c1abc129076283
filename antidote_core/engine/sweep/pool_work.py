"""A job of many tasks: a pool of processes computes them, and they are kept as they come."""

from __future__ import annotations

import secrets
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from antidote_core.engine.settings import default_scheduler, pool_processes
from antidote_core.engine.store.folder import RunFolder
from antidote_core.engine.store.log import LogWriter
from antidote_core.engine.store.store import Store
from antidote_core.engine.sweep.worker_pool import TaskUpdate, WorkerPool, join_pool, start_pool
from antidote_core.engine.work import Work
from antidote_core.errors import RunError
from antidote_core.runs.events import Activity, Finished, Stopped, Workers
from antidote_core.runs.state import PoolView
from antidote_core.runs.sweep_view import FAILED

UPDATE_SECONDS = 0.1  # between two looks at the stop file
COUNT_SECONDS = 2.0  # between two counts of the workers

V = TypeVar("V", bound=PoolView)
Outcome = Mapping[str, Any]  # "state", and what the task computed or why it failed


@dataclass(frozen=True)
class Task:
    """One call for the pool; those of a lower `turn` begin earlier."""

    tag: str
    turn: int
    function: Callable[..., Outcome]
    arguments: tuple[Any, ...]


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

    def _compute(self, tasks: Callable[[WorkerPool], list[Task]] | None) -> None:
        """Compute what there is to compute, and say how it ended."""
        if tasks is None or self._stop():
            self._end()
            return
        with self._pool() as pool:
            given = tasks(pool)
            for task in given:
                pool.submit(task.tag, task.turn, task.function, *task.arguments)
            self._take_in(pool, len(given))
            self._end()  # before the pool is closed, which takes a while

    def _task_begun(self, tag: str) -> None:
        """A task is being worked on."""

    def _task_done(self, tag: str, outcome: Outcome) -> None:
        """A task is done, or has failed."""

    def _finish_reason(self) -> str:
        """What to say at the end of a job that was not stopped."""
        return ""

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
            update = pool.next(UPDATE_SECONDS)
            if update is None:
                continue
            if update.kind == "running":
                self._task_begun(update.tag)
                continue
            awaited -= 1
            self._task_done(update.tag, self._outcome(update))
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

    def _outcome(self, update: TaskUpdate) -> Outcome:
        if update.kind == "done":
            outcome: Outcome = update.result
            if outcome["state"] == FAILED:
                print(outcome["trace"], file=sys.stderr, flush=True)
            return outcome
        if not update.reason:
            raise RunError(
                f"The cluster withdrew the cells of this {self.kind.name}, as it does when it is "
                f"restarted; resume the {self.kind.name} to go on."
            )
        return {"state": FAILED, "reason": update.reason}

    def _end(self) -> None:
        if reason := self._stop.reason():
            self._emit(Stopped(reason=reason))
        else:
            self._emit(Finished(reason=self._finish_reason()))
