"""The documents of a job: report, files, lines of Python, a link, and the same as slides."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape as escape_html
from pathlib import Path
from typing import Literal

import streamlit as st

import antidote_core as ac
from antidote_core.engine import JobStatus, RunError
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents import frontier_report, report
from antidote_core.reporting.documents.frontier_report import python_lines as sweep_python_lines
from antidote_core.reporting.documents.page import safe_csv
from antidote_core.reporting.documents.slides import Slide, for_the_back_row, run_slides
from antidote_core.reporting.figures.frontier_table import cell_table
from antidote_core.reporting.text.run_words import clock, zone_of
from antidote_core.runs.kinds import JobKind
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.frame import is_dark
from pages._ui.shared.link import escape

STYLE = Path(__file__).with_name("slides.css")
PLACE = "slide"  # in the URL, from 1, so that a reload comes back to the same slide


@dataclass(frozen=True)
class File:
    """A file that is made when somebody presses its button."""

    label: str
    make: Callable[[], str | bytes]
    ending: str
    kind: str
    says: str


@dataclass(frozen=True)
class Offer:
    """What differs between a run and a sweep; the report is the first of the files."""

    word: str
    name: str
    files: list[File]
    code_title: str
    code: str
    advice: str = ""


def take_along(status: JobStatus, data: ac.Dataset, view: ac.RunView | SweepView) -> None:
    """The buttons, and the notes of the job."""
    st.subheader("Take it along", anchor=False)
    if isinstance(view, SweepView):
        kind, offer = store.SWEEP, _of_sweep(status, data, view)
    else:
        kind, offer = store.RUN, _of_run(status, data, view)
    job_id, name = status.run_id, f"{offer.name}-{status.dataset}-{status.run_id[:6]}"
    first, *others = offer.files
    with st.container(horizontal=True, key="take-along"):
        _button(first, name, "primary")
        slides = f"The {offer.word} as slides: one message per screen, arrow keys."
        if st.button("Present", help=slides):
            st.switch_page("pages/present.py", query_params={str(kind): job_id})
        for file in others:
            _button(file, name)
        with st.popover("Python lines"):
            st.markdown(offer.code_title)
            st.code(offer.code, language="python")
        with st.popover("Link"):
            st.markdown(
                f"This {offer.word} works on your own table: the link opens in this browser only."
                f"{offer.advice}"
                if status.private
                else f"Whoever opens this link on this server sees this {offer.word}:"
            )
            base = (st.context.url or "").split("?")[0]
            st.code(f"{base}?{kind}={job_id}", language=None)
    for note in view.notes:
        st.caption(escape(note))


def _button(file: File, name: str, look: Literal["primary", "secondary"] = "secondary") -> None:
    st.download_button(
        file.label, file.make, f"{name}{file.ending}", file.kind, on_click="ignore", help=file.says,
        type=look,
    )  # fmt: skip


# A download runs outside the page's session, where nobody knows who asks: the owner and the folder
# of maps are those of the moment the button was drawn.


def _events(status: JobStatus) -> Callable[[], list[ac.Event]]:
    runner, owner = store.runner(), store.owner()
    return lambda: runner.events(status.run_id, owner=owner)[0]


def _when(status: JobStatus) -> str:
    return clock(status.submitted, zone_of(st.context.timezone_offset))


def _of_run(status: JobStatus, data: ac.Dataset, view: ac.RunView) -> Offer:
    spec, events, when = status.spec, _events(status), _when(status)
    assert isinstance(spec, ac.RunSpec)
    layouts = store.layouts_of(status.run_id)

    def record() -> report.RunRecord:
        return _run_record(status, data, view, layouts)

    files = [
        File("Report (HTML)", lambda: report.run_report(record(), when), ".html", "text/html",
             "One file with the verdict, interactive charts, method, settings, data card and "
             "limits. Opens without a network, and prints."),
        File("Everything (ZIP)", lambda: report.run_bundle(record(), events(), when), ".zip",
             "application/zip",
             "The report, every table as CSV, settings, events and result as JSON."),
    ]  # fmt: skip
    if view.size and view.antidote_weights is None:  # no table of none, nor of parts of points
        files += [
            File("V (CSV)", lambda: report.antidote_csv(data, view.antidote), "-V.csv", "text/csv",
                 "The antidote points in original units, one row each."),
            File("U ∪ V (CSV)", lambda: report.union_csv(data, view.antidote), "-U-and-V.csv",
                 "text/csv", "All rows with the antidote points below them, marked."),
        ]  # fmt: skip
    copies = view.copies
    if view.size and copies is not None and spec.clustering == "kmeans":
        files.append(
            File("U with weights (CSV)", lambda: report.weighted_csv(data, copies), "-weights.csv",
                 "text/csv", "All rows, and how much each should weigh to have the same clusters "
                 "without added points. The lines of Python that use it are in the ZIP file.")
        )  # fmt: skip
    files.append(
        File("Run (JSON)", lambda: report.run_json(record(), events()), ".json", "application/json",
             "The settings, everything that happened, and the result.")
    )  # fmt: skip
    return Offer(
        "run", "antidote", files, "The same run in Python:", report.python_lines(spec),
        " Hand over the report instead.",
    )  # fmt: skip


def _run_record(
    status: JobStatus, data: ac.Dataset, view: ac.RunView, layouts: Path
) -> report.RunRecord:
    assert isinstance(status.spec, ac.RunSpec)
    layout = find_layout(data, layouts)
    return report.RunRecord(data, status.spec, view, layout, status.run_id, status.name)


def _sweep_record(
    status: JobStatus, data: ac.Dataset, view: SweepView
) -> frontier_report.FrontierRecord:
    assert isinstance(status.spec, SweepSpec)
    return frontier_report.FrontierRecord(data, status.spec, view, status.run_id, status.name)


def _of_sweep(status: JobStatus, data: ac.Dataset, view: SweepView) -> Offer:
    record, events, when = _sweep_record(status, data, view), _events(status), _when(status)
    files = [
        File("Report (HTML)", lambda: frontier_report.frontier_report(record, when), ".html",
             "text/html",
             "One file with the verdict, interactive charts, how sure they are, method, settings "
             "and limits. Opens without a network, and prints."),
        File("Everything (ZIP)", lambda: frontier_report.frontier_bundle(record, events(), when),
             ".zip", "application/zip",
             "The report, the tables as CSV, settings and events as JSON."),
        File("Cells (CSV)", lambda: safe_csv(cell_table(view)), ".csv", "text/csv",
             "Every cell: what was asked and what became of it."),
    ]  # fmt: skip
    code = sweep_python_lines(record.spec)
    return Offer("sweep", "antidote-frontier", files, "The same cells in Python:", code)


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
    data, view = store.data_of(job.job_id), store.view_of(job.kind, job.job_id)
    if job.kind is store.SWEEP:
        return frontier_report.frontier_slides(_sweep_record(status, data, view), dark)
    return run_slides(_run_record(status, data, view, store.layouts_of(job.job_id)), dark)


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
    if slide.caution:
        st.html(f"<div class='slide-caution' role='note'>{escape_html(slide.caution)}</div>")
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
    if slide.points:
        listed = "".join(f"<li>{escape_html(text)}</li>" for text in slide.points)
        st.html(f"<ul class='slide-points'>{listed}</ul>")
    if slide.note:
        st.html(f"<div class='slide-note'><p>{escape_html(slide.note)}</p></div>")


def _asked() -> int:
    text = st.query_params.get(PLACE, "1")
    return int(text) if text.isdecimal() and len(text) < 6 else 1


def _turn(place: int) -> None:
    st.query_params[PLACE] = str(place)
