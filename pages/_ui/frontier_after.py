"""What a user takes along from a sweep."""

from dataclasses import dataclass

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.sweep import SweepSpec
from antidote_core.algorithms.sweep_record import SweepView
from antidote_core.engine import Runner
from antidote_core.engine.status import RunStatus
from antidote_core.reporting.frontier_report import (
    FrontierRecord,
    frontier_bundle,
    frontier_report,
    python_lines,
)
from antidote_core.reporting.frontier_table import cell_table
from antidote_core.reporting.run_list import clock, zone_of
from antidote_core.reporting.spreadsheet import safe_csv
from pages._ui import run_store
from pages._ui.link import escape


@dataclass(frozen=True, eq=False)
class Files:
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


def downloads(status: RunStatus, spec: SweepSpec, data: ac.Dataset, view: SweepView) -> None:
    """Report, slides, files, lines of Python and a link."""
    st.subheader("Take it along", anchor=False)
    sweep_id = status.run_id
    files = Files(
        run_store.runner(),
        run_store.owner(),
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
            st.code(python_lines(spec), language="python")
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
