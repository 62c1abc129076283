"""The documents of a job: report, files, lines of Python, a link, and the same as slides."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine import JobStatus, RunError
from antidote_core.projection import find_layout
from antidote_core.reporting.documents import frontier_report, report
from antidote_core.reporting.documents.data_files import safe_csv, weighted_csv
from antidote_core.reporting.documents.frontier_report import python_lines as sweep_python_lines
from antidote_core.reporting.documents.slides import (
    LOGOS,
    Cover,
    Slide,
    deck,
    logo_address,
    run_slides,
    run_summary,
)
from antidote_core.reporting.figures.frontier_table import cell_table
from antidote_core.reporting.text.run_words import clock, zone_of
from antidote_core.runs.kinds import JobKind
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.frame import is_dark, or_show_error
from pages._ui.shared.link import escape

ASK_SECONDS = 5.0  # less than after which nobody is taken to wait any more
FOLDER = Path(__file__).parent
STYLE = FOLDER / "slides.css"
COVER = "_cover"  # title, name and logo of this visitor's slides


@dataclass(frozen=True)
class File:
    """A file, and how it is made."""

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
    with st.container(horizontal=True, key="take-along"):
        places = [st.empty()]
        slides = f"The {offer.word} as slides: one message per screen, arrow keys."
        if st.button("Present", help=slides):
            st.switch_page("pages/present.py", query_params={str(kind): job_id})
        places += [st.empty() for _ in offer.files[1:]]
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
    key = (job_id, status.ended, status.name, _when(status))
    offer_files(store.room_of(job_id), key, offer.files, places, name)
    for note in view.notes:
        st.caption(escape(note))


def offer_files(
    room: rooms.Room, key: rooms.Key, files: Sequence[File], places: Sequence[Any], name: str
) -> None:
    """A button for each file as soon as it is made; each is made once and stays at its address.

    `key` tells what the files are made of, its first part the job.
    """
    made = {}
    for place, file in zip(places, files, strict=True):
        lane = "tables" if file.kind == "text/csv" else "documents"
        made[room.builds.ask(lane, (*key, file.ending), _content, file)] = (place, file)
        place.button(f"{file.label} …", disabled=True, help="Being made.", key=f"make{file.ending}")
    for future in _as_completed(room, made):
        place, file = made[future]
        try:
            content = future.result()
        except (ac.AntidoteError, CancelledError, rooms.Stale) as error:
            st.warning(escape(f"{file.label} could not be made: {error or 'it was given up'}."))
            place.button(f"{file.label}: try again", on_click=room.builds.clear)
            continue
        file_name = f"{name}{file.ending}"
        room.files.hold(str(key[0]), file_name, file.kind, content)
        place.download_button(
            file.label, content, file_name, file.kind, on_click="ignore", help=file.says,
            type="primary" if file is files[0] else "secondary",
        )  # fmt: skip
    st.caption("If a download breaks off, press again: the files stay where they are.")


def _as_completed(room: rooms.Room, made: Iterable[Future[bytes]]) -> Iterator[Future[bytes]]:
    """The files as they get ready; however long it takes, the page waits for them."""
    pending = set(made)
    while pending:
        room.builds.still_wanted(list(pending))
        done, pending = wait(pending, ASK_SECONDS, FIRST_COMPLETED)
        yield from done


def _content(file: File) -> bytes:
    made = file.make()
    return made.encode() if isinstance(made, str) else made


# A file is made outside the page's session, where nobody knows who asks: the owner and the folder
# of maps are those of the moment the page was drawn.


def _events(status: JobStatus) -> Callable[[], list[ac.Event]]:
    runner, owner = store.runner(), store.owner()
    return lambda: runner.events(status.run_id, owner=owner)[0]


def _when(status: JobStatus) -> str:
    return clock(status.submitted, zone_of(st.context.timezone_offset))


def _of_run(status: JobStatus, data: ac.Dataset, view: ac.RunView) -> Offer:
    spec, events, when = status.spec, _events(status), _when(status)
    assert isinstance(spec, ac.RunSpec)
    layouts = store.layouts_of(status.run_id)

    @cache
    def record() -> report.RunRecord:
        return _run_record(status, data, view, layouts)

    def assignments() -> str:
        shot = record().shot
        assert shot is not None
        return report.assignments_csv(record(), shot)

    files = [
        File("Report (HTML)", lambda: report.run_report(record(), when), ".html", "text/html",
             "One file with the verdict, interactive charts, method, settings, data card and "
             "limits. Opens without a network, and prints."),
        File("One page (HTML)", lambda: run_summary(record(), when), "-summary.html", "text/html",
             "Verdict, price, who is where and what it does not show, on one sheet to print."),
        File("Everything (ZIP)", lambda: report.run_bundle(record(), events(), when), ".zip",
             "application/zip",
             "The report, every table as CSV, settings, events and result as JSON."),
    ]  # fmt: skip
    if view.vanilla:
        files.append(
            File("Assignments (CSV)", assignments, "-assignments.csv", "text/csv",
                 "Every row: its number and ID columns, group, cluster before and after, whether "
                 "it changed, and how often it is copied.")
        )  # fmt: skip
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
            File("U with weights (CSV)", lambda: weighted_csv(data, copies), "-weights.csv",
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


def records_of(statuses: Sequence[JobStatus]) -> Callable[[], list[report.RunRecord]]:
    """What makes the records of several runs, also outside the page's session."""
    runner, owner = store.runner(), store.owner()
    known = [
        (status, store.data_of(status.run_id), store.layouts_of(status.run_id))
        for status in statuses
    ]

    def made() -> list[report.RunRecord]:
        return [
            _run_record(status, data, runner.view(status.run_id, owner), layouts)
            for status, data, layouts in known
        ]

    return made


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


_frame = st.components.v2.component(
    "antidote_slides", js=(FOLDER / "slides.js").read_text(encoding="utf-8")
)


def show(job: Job, slides: Sequence[Slide]) -> None:
    """The deck, over the whole window, and what makes it the visitor's own; Esc leaves."""
    status = store.status_of(job.job_id)
    cover = _cover()
    title = f"Fairer clusters: {store.data_of(job.job_id).title or status.dataset}"
    made = clock(status.submitted, zone_of(st.context.timezone_offset)).split(",")[0]
    file = deck(slides, status.name or title, cover, made, is_dark())
    found = _frame(key="deck", data={"html": file}, on_leave_change=lambda: None)
    with st.container(key="deck-tools", horizontal=True):
        with st.popover("Your title", help="A title, a name and a logo for these slides"):
            _own_cover(status.name or title)
        name = f"antidote-slides-{job.job_id[:6]}.html"
        rooms.mine().files.hold(job.job_id, name, "text/html", file.encode())
        st.download_button(
            "Save slides", file, name, "text/html",
            on_click="ignore", help="One file that opens in any browser, without a network.",
        )  # fmt: skip
    if found.leave:
        st.switch_page(job.page, query_params=job.link)


def _cover() -> Cover:
    cover: Cover = st.session_state.setdefault(COVER, Cover())
    return cover


def _own_cover(usual: str) -> None:
    """What stands on the first slide; kept as long as the visitor is there."""
    before = _cover()
    with st.form("cover", border=False):
        title = st.text_input("Title", before.title, placeholder=usual, max_chars=120)
        name = st.text_input("Name", before.name, placeholder="who presents", max_chars=80)
        file = st.file_uploader("Logo (PNG, JPEG or SVG)", type=list(LOGOS))
        if st.form_submit_button("Use these", type="primary"):
            logo = before.logo
            if file is not None:
                logo = or_show_error(logo_address, file.name, file.getvalue())
                if logo is None:
                    return
            st.session_state[COVER] = Cover(title.strip(), name.strip(), logo)
            st.rerun()
