"""Run, or Stop while the run works."""

import streamlit as st

import antidote_core as ac
from antidote_core.engine.status import JobStatus
from pages._ui.jobs import store
from pages._ui.jobs.run_settings import RunRequest
from pages._ui.shared.link import escape
from pages._ui.shared.show import or_show_error


def run_bar(
    asked: RunRequest, run_id: str | None, status: JobStatus | None, own: ac.Dataset | None
) -> None:
    """The one large button; `own` is the table if it is one of this browser."""
    with st.container(key="runbar"):
        if asked.problem:
            st.error(escape(asked.problem), icon="⚠️")
        if run_id is not None and status is not None and status.live:
            _stop(run_id)
        elif (
            st.button("▶ Run", type="primary", width="stretch", disabled=not asked.spec)
            and or_show_error(store.start, asked.spec, own) is not None
        ):
            st.rerun()


def _stop(run_id: str) -> None:
    """The page comes back when the run has ended, not when a timer happens to notice."""
    if not st.button("■ Stop", type="primary", width="stretch", key="stop"):
        return
    with st.spinner("Stopping…"):
        stopped = or_show_error(store.stop, run_id)
    if stopped:
        st.rerun()
    if stopped is False:
        st.info("Somebody else asked for this run too and is watching, so it goes on.")
