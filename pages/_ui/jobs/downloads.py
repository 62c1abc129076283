"""Take it along: report, files, lines of Python, a link, and the same as slides."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import antidote_core as ac
from antidote_core.engine import Runner
from antidote_core.engine.status import JobStatus
from antidote_core.projection.layout import find_layout
from antidote_core.reporting.documents.exports import (
    antidote_csv,
    run_bundle,
    run_json,
    safe_csv,
    union_csv,
)
from antidote_core.reporting.documents.frontier_report import (
    FrontierRecord,
    frontier_bundle,
    frontier_report,
)
from antidote_core.reporting.documents.frontier_report import python_lines as sweep_python_lines
from antidote_core.reporting.documents.report import RunRecord, python_lines, run_report
from antidote_core.reporting.figures.frontier_table import cell_table
from antidote_core.reporting.text.run_list import clock, zone_of
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from pages._ui.jobs import store
from pages._ui.shared.link import escape


@dataclass(frozen=True, eq=False)
class Files:
    """The files of a run, made when somebody presses a button.

    A download runs outside the page's session, where nobody knows who asks: the owner and the
    folder of maps are those of the moment the button was drawn.
    """

    runner: Runner
    owner: str
    layouts: Path
    data: ac.Dataset
    status: JobStatus
    view: ac.RunView
    when: str

    def record(self) -> RunRecord:
        status = self.status
        layout = find_layout(self.data, self.layouts)
        return RunRecord(self.data, status.spec, self.view, layout, status.run_id, status.name)

    def report(self) -> str:
        return run_report(self.record(), self.when)

    def everything(self) -> bytes:
        return run_bundle(self.record(), self._events(), self.when)

    def json(self) -> str:
        return run_json(self.record(), self._events())

    def antidote(self) -> str:
        return antidote_csv(self.data, self.view.antidote)

    def union(self) -> str:
        return union_csv(self.data, self.view.antidote)

    def _events(self) -> list[ac.Event]:
        return self.runner.events(self.status.run_id, owner=self.owner)[0]


def take_along(run_id: str, data: ac.Dataset, status: JobStatus, view: ac.RunView) -> None:
    """The buttons; without antidote points there is no table of them."""
    st.subheader("Take it along", anchor=False)
    files = Files(
        store.runner(),
        store.owner(),
        store.layouts_of(run_id),
        data,
        status,
        view,
        clock(status.submitted, zone_of(st.context.timezone_offset)),
    )
    name = f"antidote-{status.spec.dataset}-{run_id[:6]}"
    with st.container(horizontal=True, key="take-along"):
        _file("Report (HTML)", files.report, f"{name}.html", "text/html",
              "One file with the verdict, interactive charts, method, settings, data card and "
              "limits. Opens without a network, and prints.", "primary")  # fmt: skip
        if st.button("Present", help="The run as slides: one message per screen, arrow keys."):
            st.switch_page("pages/present.py", query_params={"run": run_id})
        _file("Everything (ZIP)", files.everything, f"{name}.zip", "application/zip",
              "The report, every table as CSV, settings, events and result as JSON.")  # fmt: skip
        if view.size:
            _file("V (CSV)", files.antidote, f"{name}-V.csv", "text/csv",
                  "The antidote points in original units, one row each.")  # fmt: skip
            _file("U ∪ V (CSV)", files.union, f"{name}-U-and-V.csv", "text/csv",
                  "All rows with the antidote points below them, marked.")  # fmt: skip
        _file("Run (JSON)", files.json, f"{name}.json", "application/json",
              "The settings, everything that happened, and the result.")  # fmt: skip
        with st.popover("Python lines"):
            st.markdown("The same run in Python:")
            st.code(python_lines(status.spec), language="python")
        with st.popover("Link"):
            if status.private:
                st.markdown("This run works on your own table: the link opens in this browser only."
                            " Hand over the report instead.")  # fmt: skip
            else:
                st.markdown("Whoever opens this link on this server sees this run:")
            st.code(_link(run_id), language=None)


def _file(
    label: str, made: Callable[[], str | bytes], name: str, kind: str, says: str,
    look: str = "secondary",
) -> None:  # fmt: skip
    st.download_button(label, made, name, kind, on_click="ignore", help=says, type=look)


def _link(run_id: str) -> str:
    base = (st.context.url or "").split("?")[0]
    return f"{base}?run={run_id}"


@dataclass(frozen=True, eq=False)
class SweepFiles:
    """The files of a sweep, made when somebody presses a button.

    A download runs outside the page's session: the owner is that of the moment it was drawn.
    """

    runner: Runner
    owner: str
    record: FrontierRecord
    when: str

    def report(self) -> str:
        return frontier_report(self.record, self.when)

    def everything(self) -> bytes:
        events, _ = self.runner.events(self.record.sweep_id, owner=self.owner)
        return frontier_bundle(self.record, events, self.when)

    def cells(self) -> str:
        return safe_csv(cell_table(self.record.view))


def take_along_sweep(status: JobStatus, spec: SweepSpec, data: ac.Dataset, view: SweepView) -> None:
    """Report, slides, files, lines of Python and a link."""
    st.subheader("Take it along", anchor=False)
    sweep_id = status.run_id
    files = SweepFiles(
        store.runner(),
        store.owner(),
        FrontierRecord(data, spec, view, sweep_id, status.name),
        clock(status.submitted, zone_of(st.context.timezone_offset)),
    )
    name = f"antidote-frontier-{spec.dataset}-{sweep_id[:6]}"
    with st.container(horizontal=True, key="take-along"):
        st.download_button(
            "Report (HTML)", files.report, f"{name}.html", "text/html", on_click="ignore",
            type="primary", help="One file with the verdict, interactive charts, how sure they "
            "are, method, settings and limits. Opens without a network, and prints.",
        )  # fmt: skip
        if st.button("Present", help="The sweep as slides: one message per screen, arrow keys."):
            st.switch_page("pages/present.py", query_params={"sweep": sweep_id})
        st.download_button(
            "Everything (ZIP)", files.everything, f"{name}.zip", "application/zip",
            on_click="ignore", help="The report, the tables as CSV, settings and events as JSON.",
        )  # fmt: skip
        st.download_button(
            "Cells (CSV)", files.cells, f"{name}.csv", "text/csv", on_click="ignore",
            help="Every cell: what was asked and what became of it.",
        )  # fmt: skip
        with st.popover("Python lines"):
            st.markdown("The same cells in Python:")
            st.code(sweep_python_lines(spec), language="python")
        with st.popover("Link"):
            st.markdown(
                "This sweep works on your own table: the link opens in this browser only."
                if status.private
                else "Whoever opens this link on this server sees this sweep:"
            )
            base = (st.context.url or "").split("?")[0]
            st.code(f"{base}?sweep={sweep_id}", language=None)
    for note in view.notes:
        st.caption(escape(note))
