"""The life that every kind of job has: where it stands, and what its log says of that."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from antidote_core.runs.events import (
    Activity,
    Closed,
    Ended,
    Event,
    Note,
    Queued,
    Unreadable,
    Workers,
)


class JobState(StrEnum):
    """The states a job can be in; the first two are those of a live one."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    DEAD = "dead"

    @property
    def live(self) -> bool:
        """Whether more may still happen."""
        return self in (JobState.QUEUED, JobState.RUNNING)


@dataclass(frozen=True, eq=False)
class JobView:
    """The state of a job after some of its events.

    `reason` says why it ended ("dead": its process was lost), `activity` what is being waited for.
    `closed` means that no more events will come: some may still follow the end. `unreadable` counts
    the damaged lines of a log.
    """

    state: JobState = JobState.RUNNING
    reason: str = ""
    activity: str = ""
    closed: bool = False
    points: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    unreadable: int = 0

    @classmethod
    def fold(cls, events: Iterable[Event]) -> Self:
        """The view after all of the events."""
        view = cls()
        for event in events:
            view = view.apply_event(event)
        return view

    def apply_event(self, event: Event) -> Self:
        """The view after one more event."""
        if isinstance(event, Queued):  # a job begins here, for the first time or anew
            return type(self)(state=JobState.QUEUED)
        if isinstance(event, Unreadable):
            return self._apply_unreadable()
        view = self
        if view.state.live:  # what comes after the end takes its own time
            view = replace(view, seconds=view._at(event.seconds))
        if isinstance(event, Activity):
            state = JobState.RUNNING if view.state is JobState.QUEUED else view.state
            return replace(view, state=state, activity=event.text)
        if isinstance(event, Note):
            return replace(view, notes=(*view.notes, event.text))
        if isinstance(event, Ended):
            return view._apply_end(JobState(event.type), event.reason)
        if isinstance(event, Closed):
            return replace(view, closed=True, activity="")
        return view._apply(event)

    def summary(self) -> dict[str, Any]:
        """The figures that a list shows, fit for JSON."""
        return {}

    def _at(self, seconds: float) -> float:
        return seconds

    def _apply(self, event: Event) -> Self:
        """The view after an event of this kind of job; events of others change nothing."""
        return self

    def _apply_end(self, state: JobState, reason: str) -> Self:
        return replace(self, state=state, reason=reason, activity="")

    def _apply_unreadable(self) -> Self:
        return replace(self, unreadable=self.unreadable + 1)


@dataclass(frozen=True, eq=False)
class PoolView(JobView):
    """A job of many tasks: how many processes work on them, and where.

    `scheduler` is the address of a cluster, empty on this machine alone; `began` is the second at
    which there were workers.
    """

    workers: int = 0
    scheduler: str = ""
    began: float = math.nan

    def _at(self, seconds: float) -> float:
        return max(self.seconds, seconds)  # tasks report in any order

    def _apply(self, event: Event) -> Self:
        if not isinstance(event, Workers):
            return self
        began = event.seconds if math.isnan(self.began) else self.began
        return replace(
            self, workers=event.count, scheduler=event.scheduler, began=began, activity=""
        )
