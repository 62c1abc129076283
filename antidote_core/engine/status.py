"""Where a job stands, as one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from antidote_core.runs.kinds import Spec
from antidote_core.runs.state import JobState


@dataclass(frozen=True)
class JobStatus:
    """One job of the store.

    `position` is its place in the queue, from 1, and 0 when it does not wait. `reason` says why it
    ended. Times are seconds since 1970, None before they happen. `name` is the one its owner gave.
    `summary` holds the figures of an ended run (see `RunView.summary`).
    """

    run_id: str
    state: JobState
    spec: Spec
    private: bool
    submitted: float
    position: int = 0
    reason: str = ""
    name: str = ""
    started: float | None = None
    ended: float | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """The name of the data set that the job is about; empty where it is about several."""
        asked = self.spec.data_spec
        return asked.dataset if asked else ""

    @property
    def live(self) -> bool:
        """Whether more may still happen: poll as long as this is true."""
        return self.state.live

    @property
    def can_restart(self) -> bool:
        """Whether `Runner.restart` would start it again."""
        return self.state in (JobState.STOPPED, JobState.FAILED, JobState.DEAD)

    @property
    def message(self) -> str:
        """One sentence for a screen."""
        if self.state is JobState.QUEUED:
            return f"Waiting for a free place: number {self.position} in the queue."
        if self.state is JobState.RUNNING:
            return "Working."
        start = {"finished": "Finished", "stopped": "Stopped", "failed": "Failed", "dead": "Lost"}
        return f"{start[self.state]}: {self.reason.rstrip('.')}."
