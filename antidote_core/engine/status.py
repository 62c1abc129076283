"""Where a run stands, as one frozen record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from antidote_core.runs.kinds import Spec, View
from antidote_core.runs.sweep_view import DONE, FAILED, SweepView


class RunState(StrEnum):
    """The states a run can be in; the first two are those of a live run."""

    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"
    DEAD = "dead"


LIVE = (RunState.QUEUED, RunState.RUNNING)


@dataclass(frozen=True)
class RunStatus:
    """One run of the store.

    `position` is its place in the queue, from 1, and 0 when it does not wait. `reason` says why it
    ended. Times are seconds since 1970, None before they happen. `name` is the one its owner gave.
    `summary` holds the figures of an ended run (see `summary`).
    """

    run_id: str
    state: RunState
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
    def live(self) -> bool:
        """Whether more may still happen: poll as long as this is true."""
        return self.state in LIVE

    @property
    def can_restart(self) -> bool:
        """Whether `Runner.restart` would start it again."""
        return self.state in (RunState.STOPPED, RunState.FAILED, RunState.DEAD)

    @property
    def message(self) -> str:
        """One sentence for a screen."""
        if self.state is RunState.QUEUED:
            return f"Waiting for a free place: number {self.position} in the queue."
        if self.state is RunState.RUNNING:
            return "Working."
        start = {"finished": "Finished", "stopped": "Stopped", "failed": "Failed", "dead": "Lost"}
        return f"{start[self.state]}: {self.reason.rstrip('.')}."


def summary(view: View) -> dict[str, Any]:
    """The figures of a job that a list shows, fit for JSON; empty before the first of them."""
    if isinstance(view, SweepView):
        return {
            "points": view.points,
            "cells": len(view.rows),
            "done": view.count(DONE),
            "failed": view.count(FAILED),
            "seconds": round(view.seconds, 4),
        }
    if not view.vanilla:
        return {}
    return {
        "points": view.points,
        "vanilla_cost": view.vanilla_cost,
        "cost": view.cost,
        "target": view.target,
        "size": view.size,
        "reached": view.reached,
        "outside_noise": view.outside_noise,
        "rounds": view.rounds,
        "evaluations": view.evaluations,
        "seconds": round(view.seconds, 4),
        "share": view.verification.share if view.verification else None,
    }
