"""What a worker does after Algorithm 2 has ended, in the same process and the same log."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from antidote_core.algorithms.compare import run_comparison
from antidote_core.algorithms.record import RunView
from antidote_core.types import Dataset, Event, RunSpec

Cancel = Callable[[], bool]
Stage = Callable[[RunSpec, Dataset, RunView, Cancel], Iterator[Event]]


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
STAGES: list[Stage] = [_comparison]
