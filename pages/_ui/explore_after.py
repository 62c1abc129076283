"""What a user takes along from a run."""

import json

import streamlit as st

import antidote_core as ac
from antidote_core.reporting.handover import antidote_csv, python_lines, union_csv
from pages._ui import run_store
from pages._ui.link import escape


def downloads(run_id: str, data: ac.Dataset, spec: ac.RunSpec, view: ac.RunView) -> None:
    """Files, lines of Python and a link."""
    st.subheader("Take it along", anchor=False)
    owner = run_store.owner()  # now: a file is made outside the session
    name = f"antidote-{spec.dataset}-{run_id[:6]}"
    with st.container(horizontal=True):
        if view.size:
            st.download_button(
                "V (CSV)", lambda: antidote_csv(data, view.antidote), f"{name}-V.csv", "text/csv",
                on_click="ignore", help="The antidote points in original units, one row each.",
            )  # fmt: skip
            st.download_button(
                "U ∪ V (CSV)", lambda: union_csv(data, view.antidote), f"{name}-U-and-V.csv",
                "text/csv", on_click="ignore",
                help="All rows with the antidote points below them, marked.",
            )  # fmt: skip
        st.download_button(
            "Run (JSON)", lambda: _run_json(run_id, spec, owner), f"{name}.json",
            "application/json",
            on_click="ignore", help="The settings and everything that happened.",
        )  # fmt: skip
        with st.popover("Python lines"):
            st.markdown("The same run in Python:")
            st.code(python_lines(spec), language="python")
        with st.popover("Link"):
            st.markdown("Whoever opens this link on this server sees this run:")
            st.code(_link(run_id), language=None)
    for note in view.notes:
        st.caption(escape(note))


def _run_json(run_id: str, spec: ac.RunSpec, owner: str) -> str:
    events, _ = run_store.runner().events(run_id, owner=owner)
    record = {
        "spec": json.loads(spec.to_json()),
        "events": [json.loads(event.to_json()) for event in events],
    }
    return json.dumps(record, indent=1)


def _link(run_id: str) -> str:
    base = (st.context.url or "").split("?")[0]
    return f"{base}?run={run_id}"
