"""What can be presented: the slides of a run or a frontier, and the page it belongs to."""

from dataclasses import dataclass

import streamlit as st

from antidote_core.engine import JobStatus, RunError
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents.frontier_report import FrontierRecord, frontier_slides
from antidote_core.reporting.documents.report import RunRecord
from antidote_core.reporting.documents.slides import Slide, run_slides
from antidote_core.runs.kinds import JobKind
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.show import is_dark


@dataclass(frozen=True)
class Job:
    """A run or a sweep; the name of `kind` is that of its id in a link."""

    kind: JobKind
    job_id: str

    @property
    def page(self) -> str:
        return f"pages/{self.kind.page.lower()}.py"

    @property
    def link(self) -> dict[str, str]:
        return {self.kind.name: self.job_id}


def asked() -> Job | None:
    """What the link asks for."""
    for kind in (store.RUN, store.SWEEP):
        if st.query_params.get(kind.name):
            return Job(kind, st.query_params[kind.name])
    return None


def slides_of(job: Job) -> list[Slide]:
    """The slides of an ended job; a live one is asked to end first."""
    status = store.status_of(job.job_id)
    if status.live:
        raise RunError("This is still at work; wait for its end, or stop it, then present it.")
    store.keep(job.job_id)
    dark = is_dark()
    # With the visitor, also of an open run: its name is that of the visitor's own list.
    return rooms.mine().kept(
        "slides", (job, status.ended, status.name, dark), lambda: _slides(job, status, dark),
        most=8, note="Drawing the slides…",
    )  # fmt: skip


def _slides(job: Job, status: JobStatus, dark: bool) -> list[Slide]:
    job_id, data = job.job_id, store.data_of(job.job_id)
    view = store.view_of(job.kind, job_id)
    if isinstance(status.spec, SweepSpec):
        return frontier_slides(FrontierRecord(data, status.spec, view, job_id, status.name), dark)
    assert isinstance(status.spec, RunSpec)
    layout = find_layout(data, store.layouts_of(job_id))
    return run_slides(RunRecord(data, status.spec, view, layout, job_id, status.name), dark)
