"""A run or a frontier on the whole screen: one message at a time, arrow keys, nothing to press."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as escape_html
from pathlib import Path

import streamlit as st

from antidote_core.engine import JobStatus, RunError
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents.frontier_report import FrontierRecord, frontier_slides
from antidote_core.reporting.documents.report import RunRecord
from antidote_core.reporting.documents.slides import Slide, for_the_back_row, run_slides
from antidote_core.runs.kinds import JobKind
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.frame import is_dark
from pages._ui.shared.link import escape


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


STYLE = Path(__file__).with_name("slides.css")
PLACE = "slide"  # in the URL, from 1, so that a reload comes back to the same slide


def show(slides: Sequence[Slide], leave: str, query: dict[str, str]) -> None:
    """The slide whose number is in the URL; Esc goes back to the page `leave`."""
    place = min(max(_asked(), 1), len(slides))
    with st.container(key="slide"):
        draw(slides[place - 1], place)
    with st.container(key="turn", horizontal=True, vertical_alignment="center"):
        st.button("‹ Back", key="back", shortcut="Left", disabled=place == 1,
                  on_click=_turn, args=(place - 1,), help="The slide before")  # fmt: skip
        st.markdown(f"{place} / {len(slides)}")
        st.button("Next ›", key="next", shortcut="Right", disabled=place == len(slides),
                  on_click=_turn, args=(place + 1,), help="The next slide")  # fmt: skip
        if st.button("Leave", key="leave", shortcut="Esc", help="Back to the run"):
            st.switch_page(leave, query_params=query)


def draw(slide: Slide, place: int) -> None:
    """One message, and what makes it believable."""
    st.title(escape(slide.title), anchor=False)
    if slide.figure is not None:
        st.plotly_chart(
            for_the_back_row(slide.figure), key=f"slide-{place}",
            config={"displayModeBar": False, "staticPlot": False}, alt=slide.alt,
        )  # fmt: skip
    if slide.numbers:
        parts = "".join(
            f"<div{' class=wide' if len(each.value) > 9 else ''}><b>{escape_html(each.value)}</b>"
            f"<span>{escape_html(each.label)}</span>"
            f"<small>{escape_html(each.beside)}</small></div>"
            for each in slide.numbers
        )
        st.html(f"<div class='slide-numbers'>{parts}</div>")
    if slide.note:
        st.html(f"<div class='slide-note'><p>{escape_html(slide.note)}</p></div>")


def _asked() -> int:
    text = st.query_params.get(PLACE, "1")
    return int(text) if text.isdecimal() and len(text) < 6 else 1


def _turn(place: int) -> None:
    st.query_params[PLACE] = str(place)
