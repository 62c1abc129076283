"""One run or sweep in a process of its own: `python -m` of this module, with the run's folder.

Reads the spec (and the data, if they came with the run), consumes `grow` and the further stages and
appends their events to the log. Stops when the file `stop` appears in the folder. A sweep is the
business of `sweep_work`.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.analysis.comparison import run_comparison
from antidote_core.clustering import compiled
from antidote_core.engine.limits import cap_memory
from antidote_core.engine.process.stopping import DISK_FULL, StopSign, die_with
from antidote_core.engine.store.folder import RunFolder
from antidote_core.engine.store.lock import Lock
from antidote_core.engine.store.log import LogWriter
from antidote_core.engine.sweep.sweep_work import SweepWork
from antidote_core.errors import sentence
from antidote_core.runs.events import Event
from antidote_core.runs.kinds import Kind, kind_of
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, after
from antidote_core.types import Dataset

DONE, FAILED, TAKEN = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on the run in the folder named on the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="antidote_core.engine.process.worker", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--server", type=int, help="end when this parent process ends")
    parser.add_argument("--memory", type=float, default=0.0, help="gigabytes, 0 for no limit")
    options = parser.parse_args(arguments)
    cap_memory(options.memory)
    if options.server is not None:
        die_with(options.server)
    folder = RunFolder(options.folder)
    lock = Lock(folder.lock)
    if not lock.acquire():
        print("Another process is already working on this run.", file=sys.stderr)
        return TAKEN
    try:
        with LogWriter(folder.events) as log:
            work = SweepWork if _is_sweep(folder) else _Work
            return DONE if work(folder, log).run() else FAILED
    except OSError as error:  # the log itself cannot be written: only the exit code can say so
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return DISK_FULL
    finally:
        lock.release()


def _is_sweep(folder: RunFolder) -> bool:
    try:
        return kind_of(folder.spec.read_text(encoding="utf-8")) is Kind.SWEEP
    except (OSError, UnicodeDecodeError):  # for the work itself to say
        return False


class _Work:
    """The events of one run on their way into the log."""

    def __init__(self, folder: RunFolder, log: LogWriter) -> None:
        self._folder = folder
        self._log = log
        self._stop = StopSign(folder.stop)
        self._begun = time.monotonic()
        self._view = RunView()

    def run(self) -> bool:
        """Algorithm 2 and the stages after it; an error becomes the event "failed"."""
        well = True
        try:
            spec, data = self._prepared()
            for event in self._algorithm(spec, data):
                self._write(event)
            if self._view.state == "finished":
                self._follow_up(spec, data)
        except Exception as error:
            traceback.print_exc()
            self._emit("failed", reason=sentence(error))
            well = False
        self._emit("closed")
        return well

    def _prepared(self) -> tuple[RunSpec, Dataset]:
        spec = self._folder.read_spec()
        self._emit("stage", text="reading the data")
        data = self._folder.read_data()
        if spec.clustering == "kmeans":
            self._emit("stage", text="loading the fast clustering")
            compiled.prepare(
                lambda: self._emit(
                    "stage", text="compiling the fast clustering (first run on this machine)"
                )
            )
        return spec, data

    def _algorithm(self, spec: RunSpec, data: Dataset) -> Iterator[Event]:
        for event in grow(spec, data, self._stop):
            if event.kind == "started":  # from here on, seconds are those of the algorithm
                self._begun = time.monotonic() - event.seconds
            if event.kind == "stopped":
                event = Event("stopped", event.seconds, {"reason": self._stop.reason})
            yield event

    def _follow_up(self, spec: RunSpec, data: Dataset) -> None:
        for stage in FOLLOW_UPS:
            try:
                for event in stage(spec, data, self._view, self._stop):
                    self._emit(event.kind, **event.data)
            except Exception as error:
                traceback.print_exc()
                self._emit("note", text=sentence(error))
            if self._stop():
                self._emit("stopped", reason=self._stop.reason)
                return

    def _emit(self, kind: str, **data: Any) -> None:
        self._write(Event(kind, time.monotonic() - self._begun, data))

    def _write(self, event: Event) -> None:
        self._view = after(self._view, event)
        self._log.append(event)


Cancel = Callable[[], bool]
FollowUp = Callable[[RunSpec, Dataset, RunView, Cancel], Iterator[Event]]


def _comparison(spec: RunSpec, data: Dataset, view: RunView, cancel: Cancel) -> Iterator[Event]:
    """One event per row: plain clustering, the run, and the fair algorithm in both scorings."""
    yield Event("stage", 0.0, {"text": "comparing with the other algorithms"})
    for row in run_comparison(spec, data, view.antidote, view.seconds):
        yield Event("comparison", 0.0, {"row": row.to_dict()})
        if cancel():
            return


# Each is a generator function (spec, data, view, cancel): `view` is the run so far, `cancel()` is
# to be asked often. The worker sets the seconds of the events. An error becomes a note of the run:
# the antidote points that were found stay as they are.
FOLLOW_UPS: list[FollowUp] = [_comparison]


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Log and lock are closed; taking the compiler apart in order would hold the slot for 0.5 s.
    os._exit(exit_code)
