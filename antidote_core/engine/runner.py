"""Runs in the background: everything a screen asks about them."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from antidote_core.datasets import load_for
from antidote_core.engine.job_folder import Follower, JobStatus, RunFolder, read_log, replace_text
from antidote_core.engine.process.scheduler import Scheduler
from antidote_core.engine.settings import (
    CACHED_VIEWS,
    IDLE_SECONDS,
    TICK_SECONDS,
    WATCHING_SECONDS,
    Limits,
    default_scheduler,
    default_slots,
)
from antidote_core.engine.store import Store, content_key
from antidote_core.engine.sweep.worker_pool import probe
from antidote_core.errors import RunError
from antidote_core.runs.events import Event
from antidote_core.runs.kinds import KINDS, RUN, JobKind, Spec, kind_of
from antidote_core.runs.state import JobState
from antidote_core.types import Dataset

STOPPED = "stopped by you"

_T = TypeVar("_T")
_logger = logging.getLogger(__name__)


class Runner(AbstractContextManager["Runner"]):
    """All runs under one home folder, and the processes that work on them.

    Any number of Runner objects may share a home: one of them, holding a lock, starts workers; the
    others read, submit and stop, and take over when it is gone. Every method is thread-safe, quick
    and never waits for a run (`wait` does). A wrong id or a lost folder raises RunError.
    """

    def __init__(
        self,
        home: Path | str | None = None,
        slots: int | None = None,
        idle_seconds: float = IDLE_SECONDS,
        limits: Limits | None = None,
    ) -> None:
        limits = limits or Limits()
        self.store = Store(home, limits)
        self._followers: OrderedDict[str, Follower[Any]] = OrderedDict()
        self._followers_lock = threading.Lock()
        self._scheduler = Scheduler(
            self.store, default_slots() if slots is None else slots, idle_seconds, limits
        )

    def get_ready(self) -> None:
        """Somebody may ask for a run soon: for some minutes, processes wait for it, ready."""
        self._scheduler.get_ready()

    # -- asking ---------------------------------------------------------------------------------

    def submit(
        self,
        spec: Spec,
        data: Dataset | None = None,
        owner: str | None = None,
        temporary: bool = False,
        scheduler: str = "",
    ) -> str:
        """Ask for a job; returns its id at once.

        An identical finished job is that job; an identical one that waits or works is joined. One
        that resumes (a sweep) goes on where it was stopped, failed or was lost: what is in the
        store is not computed again. `data` is a data set of one's own: it is written to the folder
        of the job and nowhere else, and the job is private: it never answers another owner,
        whatever is asked of it. `owner` is a token of the asking browser; the job goes on its list.
        A private job that is `temporary` is removed, data and all, when `renew` has not been called
        for its owner for a few minutes. `scheduler` is the address of a dask cluster for a sweep
        (else ANTIDOTE_SCHEDULER, else the cores of this machine); one where nobody answers is
        refused, within seconds.
        """
        kind = kind_of(spec)
        private = data is not None
        if temporary and not (private and owner):
            raise RunError(
                f"Only a {kind.name} on data of one's own, with an owner, can be temporary."
            )
        spec.check()
        if kind.resumes and (address := scheduler.strip() or default_scheduler()):
            probe(address)
        asked = spec.data_spec
        rows = load_for(asked) if data is None and asked is not None else data
        run_id = self.store.unfinished(spec, rows, owner, private) if kind.resumes else None
        if run_id is None:
            run_id = self.store.submit(spec, rows, owner, private, temporary)
        if kind.resumes:
            self._name_cluster(run_id, scheduler.strip())
            if self.status(run_id, owner).can_restart:
                self.store.requeue(run_id)
        self._scheduler.wake()
        return run_id

    def _name_cluster(self, run_id: str, scheduler: str) -> None:
        folder = self.store.folder(run_id)
        if scheduler:
            replace_text(folder.cluster, scheduler)
        else:
            folder.cluster.unlink(missing_ok=True)

    def status(self, run_id: str, owner: str | None = None) -> JobStatus:
        """State, place in the queue, times and, for an ended run, its figures."""
        self.store.check_access(run_id, owner)
        return self.store.status(run_id, owner)

    def jobs(self, owner: str, *kinds: JobKind) -> list[JobStatus]:
        """The jobs on the list of one owner, kind by kind, latest first."""
        return [job for kind in kinds or KINDS.values() for job in self.store.of_owner(owner, kind)]

    def view(self, run_id: str, owner: str | None = None, kind: JobKind = RUN) -> Any:
        """The job as its log tells it so far; only what is new since the last call is read.

        A sentence when the id is that of another kind of job.
        """
        self.store.check_access(run_id, owner)
        found = self.store.kind(run_id)
        if found is not kind:
            raise RunError(f"This is the link of a {found.name}; open it on the page {found.page}.")
        with self._followers_lock:
            follower = self._followers.pop(run_id, None)
            if follower is None:
                follower = Follower(self.store.folder(run_id).events, kind.view())
            self._followers[run_id] = follower
            while len(self._followers) > CACHED_VIEWS:
                self._followers.popitem(last=False)
        return self._reading(run_id, follower.view)

    def events(
        self, run_id: str, offset: int = 0, owner: str | None = None
    ) -> tuple[list[Event], int]:
        """The events from byte `offset` of the log on, and the offset to ask for next."""
        path = self._open(run_id, owner).events
        return self._reading(run_id, lambda: read_log(path, offset))

    def data(self, run_id: str, owner: str | None = None) -> Dataset:
        """The data set the run works on."""
        return self._reading(run_id, self._open(run_id, owner).read_data)

    def layouts(self, run_id: str, owner: str | None = None) -> Path:
        """Where maps of the run's data are kept: with the run if the data are one's own."""
        self.store.check_access(run_id, owner)
        private = self.store.status(run_id).private
        return self.store.folder(run_id).layouts if private else self.store.home / "layouts"

    def worker_log(self, run_id: str, characters: int = 20_000, owner: str | None = None) -> str:
        """The end of what the worker printed, tracebacks included; empty if it said nothing."""
        path = self._open(run_id, owner).output
        if not path.exists():
            return ""
        text = self._reading(run_id, lambda: path.read_text(encoding="utf-8", errors="replace"))
        return text[-characters:]

    def wait(
        self, run_id: str, timeout: float | None = None, owner: str | None = None
    ) -> JobStatus:
        """Come back when the run has ended, or after `timeout` seconds with how it stands then."""
        until = None if timeout is None else time.monotonic() + timeout
        while (status := self.status(run_id, owner)).live:
            if until is not None and time.monotonic() > until:
                break
            time.sleep(TICK_SECONDS)
        return status

    # -- changing -------------------------------------------------------------------------------

    def stop(self, run_id: str, owner: str | None = None) -> bool:
        """Ask the run to end with the best V so far; False if it goes on because others watch it.

        With `owner`, a run that another owner has joined and looked at within the last minute is
        left alone. A run that has ended already stays as it is.
        """
        status = self.status(run_id, owner)
        if owner is not None and self.store.watchers(run_id, owner, WATCHING_SECONDS):
            return False
        if status.live:
            folder = self.store.folder(run_id)
            try:
                if self.store.withdraw(run_id, STOPPED):
                    folder.write_end(JobState.STOPPED, STOPPED)
                else:
                    folder.ask_to_stop(STOPPED)
            except OSError as error:
                raise RunError(
                    f"Run {run_id} cannot be asked to stop: its folder cannot be written "
                    f"({error.strerror})."
                ) from error
        return True

    def restart(self, run_id: str, owner: str | None = None) -> str:
        """Start a stopped, failed or lost run again from the beginning, under the same id.

        Same spec, same seed, same result. The log goes on with a new part; the view forgets the
        old one. A sweep, even a finished one, computes only the cells that are not in the store.
        """
        self.store.check_access(run_id, owner)
        self.store.requeue(run_id)
        self._scheduler.wake()
        return run_id

    def touch(self, run_id: str, owner: str | None = None) -> None:
        """Someone is looking: a running run nobody looks at for `idle_seconds` is stopped."""
        self.store.touch(run_id, owner)

    def add_to_list(self, run_id: str, owner: str) -> None:
        """Put a run that was opened by its link on the owner's list."""
        self.store.add_to_list(run_id, owner)

    def rename(self, run_id: str, owner: str, name: str) -> None:
        """Name the run on the owner's list."""
        self.store.rename(run_id, owner, name)

    def delete(self, run_id: str, owner: str) -> None:
        """Take the run off the owner's list; without any owner left, it is removed from disk."""
        self.store.delete(run_id, owner)
        self.drop_removed()

    def renew(self, owner: str) -> None:
        """The owner is still there: its temporary runs stay for some minutes more."""
        for run in self.store.temporary(owner):
            try:  # a damaged folder has no say over the others
                RunFolder(self.store.runs / run.run_id).lease.touch()
            except OSError:
                _logger.exception("The lease of run %s cannot be renewed", run.run_id)

    def discard(self, spec: Spec) -> None:
        """Remove what answers this spec for everybody, so that it is computed anew."""
        asked = spec.data_spec
        rows = load_for(asked) if asked is not None else None
        key = content_key(spec, rows.content_hash if rows else "")
        while found := self.store.find(key, None, False) or self.store.unfinished(
            spec, rows, None, False
        ):
            self.store.remove(found)

    def forget(self, owner: str, dataset: str | None = None) -> int:
        """Remove the owner's temporary runs (on this data set) at once; returns how many."""
        runs = [r for r in self.store.temporary(owner) if dataset in (None, r.dataset)]
        for run in runs:
            self.store.remove(run.run_id)
        self.drop_removed()
        return len(runs)

    def drop_removed(self) -> None:
        """Let go of the views of runs that are no longer in the store, whoever removed them."""
        with self._followers_lock:
            for run_id in [known for known in self._followers if not self.store.has(known)]:
                del self._followers[run_id]

    def close(self) -> None:
        """End the workers of this runner and let another one take over; queued runs stay queued."""
        self._scheduler.close()
        self.store.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, run_id: str, owner: str | None) -> RunFolder:
        self.store.check_access(run_id, owner)
        return self.store.folder(run_id)

    def _reading(self, run_id: str, read: Callable[[], _T]) -> _T:
        try:
            return read()
        except OSError as error:
            raise RunError(
                f"The folder of run {run_id} cannot be read ({error.strerror}); start the run "
                "again with the same settings."
            ) from error
