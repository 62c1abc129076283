"""The queue at work: one background thread that starts worker processes and sees them end."""

from __future__ import annotations

import logging
import math
import os
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import Any

from antidote_core.engine.job_folder import Lock, LogWriter, RunFolder, is_held
from antidote_core.engine.settings import (
    DISK_FULL,
    FAILED_SPARE_SECONDS,
    JUMP_SECONDS,
    LEASE_SECONDS,
    LOOK_SECONDS,
    READY_SECONDS,
    SPARE_SECONDS,
    STOP_SECONDS,
    TICK_SECONDS,
    Limits,
    let_go,
    start_process,
)
from antidote_core.engine.store import Store
from antidote_core.errors import RunError
from antidote_core.runs.events import Activity
from antidote_core.runs.kinds import KINDS
from antidote_core.runs.state import JobState, JobView

WORKER = "antidote_core.engine.process.worker"
_AGAIN = "restart the run to get the result it would have had"
SERVER_GONE = f"the server ended while the run was working; {_AGAIN}"

_logger = logging.getLogger(__name__)


@dataclass
class _Worker:
    """A process, and since when it has been asked to stop."""

    process: subprocess.Popen[bytes]
    asked: float | None = None


class Scheduler:
    """Works while it holds the lock of the home folder; without it, waits to take over."""

    def __init__(
        self, store: Store, slots: int, idle_seconds: float, limits: Limits | None = None
    ) -> None:
        self._store = store
        self._slots = slots
        self._idle_seconds = idle_seconds
        self._limits = limits or Limits()
        self._workers: dict[str, _Worker] = {}
        self._spares: list[subprocess.Popen[bytes]] = []  # ready for runs to come
        self._ready_until = self._next_spare = -math.inf
        self._adopted: set[str] = set()  # runs whose server is gone and whose worker still lives
        self._lock = Lock(store.home / "scheduler.lock")
        self._next_look = 0.0
        self._ahead = time.time() - time.monotonic()  # of the clock on the wall
        self._closing = False
        self._wake = threading.Event()
        self._take_over()
        # The kernel ends a worker when the *thread* that started it ends (see lifeline), so one
        # thread starts all of them and lives as long as this object.
        self._thread = threading.Thread(target=self._work, name="antidote-scheduler", daemon=True)
        self._thread.start()

    def get_ready(self) -> None:
        """Somebody may ask for a run soon: keep a process ready for every free slot."""
        self._ready_until = time.monotonic() + READY_SECONDS

    def wake(self) -> None:
        """Look at the queue now."""
        self._wake.set()

    def close(self) -> None:
        """End the workers and give up the lock."""
        self._closing = True
        self._wake.set()
        self._thread.join()
        self._lock.release()

    def _take_over(self) -> None:
        if self._lock.acquire():
            self._recover()

    def _recover(self) -> None:
        """Runs that were working when their server ended become dead, and say so.

        A worker that still lives is waited for.
        """
        for run_id in self._store.ids(JobState.RUNNING):
            if run_id in self._workers:
                continue
            if is_held(self._folder(run_id).lock):
                self._adopted.add(run_id)
            else:
                self._adopted.discard(run_id)
                self._settle(run_id, SERVER_GONE)

    def _work(self) -> None:
        try:
            trouble = ""
            while not self._closing:
                try:
                    self._tick()
                    trouble = ""
                except Exception as error:  # a full disk, say: the next tick may do better
                    if str(error) != trouble:  # said once, not at every tick
                        _logger.exception("The scheduler could not do its rounds")
                    trouble = str(error)
                self._wake.wait(TICK_SECONDS)
                self._wake.clear()
        finally:
            self._end_workers()

    def _tick(self) -> None:
        now = time.monotonic()
        look = now >= self._next_look
        if look:
            self._next_look = now + LOOK_SECONDS
            self._take_over()
        self._notice_jump()
        if not self._lock.held:
            return
        for run_id in list(self._workers):
            self._attend(run_id, now)
        if look:
            self._stop_idle_and_late()
            for run_id in self._store.expired(LEASE_SECONDS):
                self._store.remove(run_id)
        for kind in KINDS.values():
            slots = kind.slots or self._slots
            working = self._store.by_lane(JobState.RUNNING, kind)
            for lane, queued in self._store.by_lane(JobState.QUEUED, kind).items():
                here = set(working.get(lane, ())) & (self._workers.keys() | self._adopted)
                for run_id in queued[: max(0, slots - len(here))]:
                    self._start(run_id)
        self._keep_spares(now)

    def _keep_spares(self, now: float) -> None:
        """One process in wait for every free slot, while somebody is there."""
        for spare in [spare for spare in self._spares if spare.poll() is not None]:
            _logger.warning("A process in wait for a run ended (exit code %s)", spare.returncode)
            self._spares.remove(spare)
            _end(spare)
            self._next_spare = now + FAILED_SPARE_SECONDS
        free = self._slots - len(self._workers) - len(self._adopted)
        wanted = min(max(0, free), self._limits.spares) if now < self._ready_until else 0
        while len(self._spares) > wanted:
            _end(self._spares.pop())
        if len(self._spares) < wanted and now >= self._next_spare:
            try:
                self._spares.append(self._process("--home", self._store.home.resolve()))
            except OSError:
                _logger.exception("A process in wait for a run could not be started")
                self._next_spare = now + FAILED_SPARE_SECONDS

    def _process(
        self, *arguments: object, output: Any = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        memory = self._limits.worker_gigabytes
        return start_process(
            WORKER, *arguments, "--server", os.getpid(), "--memory", memory, output=output
        )

    def _notice_jump(self) -> None:
        """A clock that was set, or a laptop that slept, is not hours in which nobody looked."""
        ahead = time.time() - time.monotonic()
        jump = ahead - self._ahead
        if self._lock.held and abs(jump) > JUMP_SECONDS:
            self._store.compensate_clock_jump(jump)
        self._ahead = ahead

    def _start(self, run_id: str) -> None:
        if run_id in self._workers or not self._store.claim(run_id):
            return
        folder = self._folder(run_id)
        try:
            with LogWriter(folder.events) as log:
                log.append(Activity(text="loading libraries"))
            process = self._from_spares(folder)
            if process is None:
                with folder.output.open("ab") as output:
                    process = self._process(folder.path.resolve(), output=output)
        except OSError as error:
            reason = f"the worker could not be started ({error.strerror})"
            self._settle(run_id, reason, JobState.FAILED)
            return
        self._workers[run_id] = _Worker(process)

    def _from_spares(self, folder: RunFolder) -> subprocess.Popen[bytes] | None:
        """A process that was in wait, at work on this folder now; None where there is none."""
        while self._spares:
            spare = self._spares.pop(0)
            assert spare.stdin is not None
            try:
                # Not through a buffer: what a dead process did not take must not come again.
                os.write(spare.stdin.fileno(), f"{folder.path.resolve()}\n".encode())
            except OSError:  # it is gone
                _end(spare)
                continue
            return spare
        return None

    def _attend(self, run_id: str, now: float) -> None:
        """Notice the end of a worker; help it to end when it was asked to and does not."""
        worker, folder = self._workers[run_id], self._folder(run_id)
        code = worker.process.poll()
        if code is not None:
            let_go(worker.process)
            if self._store.has(run_id):  # it may have been removed while it worked
                self._settle(run_id, _how_it_ended(code))
            del self._workers[run_id]
            self._next_spare = max(self._next_spare, now + SPARE_SECONDS)
        elif not folder.path.exists():  # nothing it finds can be kept
            worker.process.terminate()
        elif not folder.stop.exists():
            worker.asked = None
        elif worker.asked is None:
            worker.asked = now
        elif now - worker.asked > 2 * STOP_SECONDS:
            worker.process.kill()
        elif now - worker.asked > STOP_SECONDS:
            worker.process.terminate()

    def _settle(self, run_id: str, how: str, state: JobState = JobState.DEAD) -> None:
        """Write down how a run ended whose worker is gone; its log decides if it is closed."""
        folder = self._folder(run_id)
        try:
            view = self._view(run_id)
            if not view.closed:
                if folder.stop.exists():
                    state, how = JobState.STOPPED, folder.stop.read_text(encoding="utf-8")
                folder.write_end(state, how, view.seconds)
                view = self._view(run_id)
            self._store.record_end(run_id, view.state, view.reason, view)
        except OSError as error:
            reason = f"the folder of the run cannot be used ({error.strerror})"
            self._store.record_end(run_id, JobState.DEAD, reason, JobView())

    def _stop_idle_and_late(self) -> None:
        unseen = (
            f"nobody looked at this run for {self._idle_seconds / 60:g} minutes; the best V so far "
            "is kept"
        )
        reasons = dict.fromkeys(self._store.idle(self._idle_seconds), unseen)
        if minutes := self._limits.run_minutes:
            for run_id in self._store.over_time_limit(minutes):
                reasons.setdefault(run_id, self._limits.time_is_up(self._store.kind(run_id)))
        for run_id, reason in reasons.items():
            try:
                self._folder(run_id).ask_to_stop(reason)
            except OSError:
                _logger.exception("Run %s cannot be asked to stop", run_id)

    def _end_workers(self) -> None:
        while self._spares:
            _end(self._spares.pop())
        for worker in self._workers.values():
            worker.process.terminate()
        for run_id, worker in self._workers.items():
            try:
                worker.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            let_go(worker.process)
            try:
                self._settle(run_id, SERVER_GONE)
            except RunError:  # a full disk, say: the next server finds out how it ended
                _logger.exception("The end of run %s could not be written down", run_id)
        self._workers.clear()

    def _view(self, run_id: str) -> JobView:
        return self._folder(run_id).view(self._store.kind(run_id))

    def _folder(self, run_id: str) -> RunFolder:
        return RunFolder(self._store.runs / run_id)


def _end(spare: subprocess.Popen[bytes]) -> None:
    """It has nothing to lose."""
    let_go(spare)
    spare.kill()
    spare.wait()


def _how_it_ended(code: int) -> str:
    if code < 0:
        memory = ", often a sign that memory ran out" if code == -9 else ""
        return f"the worker process was ended from outside (signal {-code}{memory}); {_AGAIN}"
    if code == DISK_FULL:
        return (
            f"the disk was full, so that nothing more could be written; free space, then {_AGAIN}"
        )
    return f"the worker process ended unexpectedly (exit code {code}), see its log; {_AGAIN}"
