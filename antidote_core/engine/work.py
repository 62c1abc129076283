"""What a worker does with a job: events on their way into the log, and what comes after them."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from typing import ClassVar, Generic, TypeVar

from antidote_core.algorithms.algorithm2.grow import Cancel, grow
from antidote_core.analysis.comparison import run_comparison
from antidote_core.clustering import compiled
from antidote_core.engine.job_folder import LogWriter, RunFolder, StopSign
from antidote_core.errors import sentence
from antidote_core.runs.events import (
    Activity,
    Closed,
    Compared,
    Event,
    Failed,
    Note,
    Started,
    Stopped,
)
from antidote_core.runs.kinds import RUN, JobKind
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import JobState, JobView
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

COMPILING = "compiling the fast clustering (once per machine)"
COMPILE_SECONDS = 15.0  # about what that takes

V = TypeVar("V", bound=JobView)


class Work(Generic[V]):
    """One job in this process: its folder, its log, and the view of what happened so far."""

    kind: ClassVar[JobKind]

    def __init__(self, folder: RunFolder, log: LogWriter) -> None:
        self._folder = folder
        self._log = log
        self._stop = StopSign(folder.stop)
        self._begun = time.monotonic()
        self._view: V = self.kind.view()  # type: ignore[assignment]

    def run(self) -> bool:
        """Do all of it; an error becomes the event "failed"."""
        well = True
        try:
            self._work()
        except Exception as error:
            traceback.print_exc()
            self._emit(Failed(reason=sentence(error)))
            well = False
        self._emit(Closed())
        return well

    def _work(self) -> None:
        """What there is to do for this kind of job."""

    def _emit(self, event: Event) -> None:
        """Write an event of now."""
        self._write(event.at(time.monotonic() - self._begun))

    def _write(self, event: Event) -> None:
        self._view = self._view.apply_event(event)
        self._log.append(event)


class RunWork(Work[RunView]):
    """Algorithm 2 and what follows it."""

    kind = RUN

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, RunSpec)
        self._emit(Activity(text="reading the data"))
        data = self._folder.read_data()
        if spec.clustering == "kmeans":
            self._emit(Activity(text="loading the fast clustering"))
            weighted = data.weights is not None
            compiled.prepare(lambda: self._emit(Activity(text=COMPILING)), weighted)
        for event in grow(spec, data, self._stop.reason):
            if isinstance(event, Started):  # from here on, seconds are those of the algorithm
                self._begun = time.monotonic() - event.seconds
            self._write(event)
        if self._view.state is JobState.FINISHED:
            self._compare(spec, data)

    def _compare(self, spec: RunSpec, data: Dataset) -> None:
        """What comes after the verdict; an error there is a note, and the V found stays."""
        try:
            for event in comparison_events(spec, data, self._view, self._stop):
                self._emit(event)
        except Exception as error:
            traceback.print_exc()
            self._emit(Note(text=sentence(error)))
        if self._stop():
            self._emit(Stopped(reason=self._stop.reason()))


def comparison_events(
    spec: RunSpec, data: Dataset, view: RunView, cancel: Cancel
) -> Iterator[Event]:
    """One event per row: plain clustering, the run, and the fair algorithm in both scorings."""
    yield Activity(text="comparing with the other algorithms")
    for row in run_comparison(spec, data, view.antidote, view.seconds, view.how):
        yield Compared(row=row.to_dict())
        if cancel():
            return
