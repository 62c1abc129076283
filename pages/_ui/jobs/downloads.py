"""Take it along: report, files, lines of Python, a link, and the same as slides."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import streamlit as st

import antidote_core as ac
from antidote_core.engine.status import JobStatus
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents.frontier_report import (
    FrontierRecord,
    frontier_bundle,
    frontier_report,
)
from antidote_core.reporting.documents.frontier_report import python_lines as sweep_python_lines
from antidote_core.reporting.documents.report import (
    RunRecord,
    antidote_csv,
    python_lines,
    run_bundle,
    run_json,
    run_report,
    safe_csv,
    union_csv,
)
from antidote_core.reporting.figures.frontier_table import cell_table
from antidote_core.reporting.text.run_words import clock, zone_of
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from pages._ui.jobs import store
from pages._ui.shared.link import escape


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
    report, *others = offer.files
    with st.container(horizontal=True, key="take-along"):
        _button(report, name, "primary")
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

    def record() -> RunRecord:
        layout = find_layout(data, layouts)
        return RunRecord(data, spec, view, layout, status.run_id, status.name)

    files = [
        File("Report (HTML)", lambda: run_report(record(), when), ".html", "text/html",
             "One file with the verdict, interactive charts, method, settings, data card and "
             "limits. Opens without a network, and prints."),
        File("Everything (ZIP)", lambda: run_bundle(record(), events(), when), ".zip",
             "application/zip",
             "The report, every table as CSV, settings, events and result as JSON."),
    ]  # fmt: skip
    if view.size:  # without antidote points there is no table of them
        files += [
            File("V (CSV)", lambda: antidote_csv(data, view.antidote), "-V.csv", "text/csv",
                 "The antidote points in original units, one row each."),
            File("U ∪ V (CSV)", lambda: union_csv(data, view.antidote), "-U-and-V.csv", "text/csv",
                 "All rows with the antidote points below them, marked."),
        ]  # fmt: skip
    files.append(
        File("Run (JSON)", lambda: run_json(record(), events()), ".json", "application/json",
             "The settings, everything that happened, and the result.")
    )  # fmt: skip
    return Offer(
        "run", "antidote", files, "The same run in Python:", python_lines(spec),
        " Hand over the report instead.",
    )  # fmt: skip


def _of_sweep(status: JobStatus, data: ac.Dataset, view: SweepView) -> Offer:
    spec, events, when = status.spec, _events(status), _when(status)
    assert isinstance(spec, SweepSpec)
    record = FrontierRecord(data, spec, view, status.run_id, status.name)
    files = [
        File("Report (HTML)", lambda: frontier_report(record, when), ".html", "text/html",
             "One file with the verdict, interactive charts, how sure they are, method, settings "
             "and limits. Opens without a network, and prints."),
        File("Everything (ZIP)", lambda: frontier_bundle(record, events(), when), ".zip",
             "application/zip", "The report, the tables as CSV, settings and events as JSON."),
        File("Cells (CSV)", lambda: safe_csv(cell_table(view)), ".csv", "text/csv",
             "Every cell: what was asked and what became of it."),
    ]  # fmt: skip
    code = sweep_python_lines(spec)
    return Offer("sweep", "antidote-frontier", files, "The same cells in Python:", code)
