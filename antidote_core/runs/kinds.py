"""The kinds of jobs, in one table: what is asked of each, what it means, and where it is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from antidote_core.runs.arena_spec import ArenaSpec, ArenaView
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import JobView
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.view import RunView

Spec = RunSpec | SweepSpec | PaperSpec | ArenaSpec


@dataclass(frozen=True)
class JobKind:
    """One kind of job.

    `name` stands in the index of jobs and in links; `slots` says how many may work at once, 0 for
    as many as there are cores to spare. One that `resumes` goes on where it was when it is started
    again. `page` shows it.
    """

    name: str
    spec: Any
    view: type[JobView]
    page: str
    slots: int = 0
    resumes: bool = False

    def __str__(self) -> str:
        return self.name


RUN = JobKind("run", RunSpec, RunView, "Explore")
# A job of many tasks works on all cores or on a cluster, and has a place of its own: it must not
# keep single runs waiting.
SWEEP = JobKind("sweep", SweepSpec, SweepView, "Frontier", slots=1, resumes=True)
PAPER = JobKind("paper", PaperSpec, PaperView, "Paper", slots=1, resumes=True)
ARENA = JobKind("arena", ArenaSpec, ArenaView, "Arena", slots=1, resumes=True)
KINDS = {kind.name: kind for kind in (RUN, SWEEP, PAPER, ARENA)}


def kind_of(spec: Spec) -> JobKind:
    """The kind of job that a spec asks for."""
    return next(kind for kind in KINDS.values() if isinstance(spec, kind.spec))


def kind_in(text: str) -> JobKind:
    """The kind of job whose spec this JSON is; what cannot be read counts as a run."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return RUN
    named = values.get("kind") if isinstance(values, dict) else None
    return KINDS.get(named, RUN) if isinstance(named, str) else RUN


def read_spec(text: str) -> Spec:
    """The spec in this JSON, or a sentence about what is wrong with it."""
    spec: Spec = kind_in(text).spec.from_json(text)
    return spec
