"""What can be presented: the slides of a run or a frontier, and the page it belongs to."""

from dataclasses import dataclass

import streamlit as st

from antidote_core.engine import RunError, RunStatus
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents.frontier_report import FrontierRecord, frontier_slides
from antidote_core.reporting.documents.report import RunRecord
from antidote_core.reporting.documents.slides import Slide, run_slides
from antidote_core.runs.kinds import Kind
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.show import is_dark

PAGES = {store.RUN: "pages/explore.py", store.SWEEP: "pages/frontier.py"}


@dataclass(frozen=True)
class Job:
    """A run or a sweep; `kind` is also the name of its id in a link."""

    kind: Kind
    job_id: str

    @property
    def page(self) -> str:
        return PAGES[self.kind]

    @property
    def link(self) -> dict[str, str]:
        return {self.kind: self.job_id}


def asked() -> Job | None:
    """What the link asks for."""
    for kind in PAGES:
        if st.query_params.get(kind):
            return Job(kind, st.query_params[kind])
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


def _slides(job: Job, status: RunStatus, dark: bool) -> list[Slide]:
    job_id, data = job.job_id, store.data_of(job.job_id)
    view = store.view_of(job.kind, job_id)
    if isinstance(status.spec, SweepSpec):
        return frontier_slides(FrontierRecord(data, status.spec, view, job_id, status.name), dark)
    layout = find_layout(data, store.layouts_of(job_id))
    return run_slides(RunRecord(data, status.spec, view, layout, job_id, status.name), dark)
