"""What a run and a sweep have in common on their page: open, start, stop, verdict, trouble."""

from collections.abc import Callable
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine.status import JobStatus
from antidote_core.runs.kinds import JobKind
from pages._ui.jobs import store
from pages._ui.jobs.run_settings import RunRequest
from pages._ui.jobs.sweep_settings import SweepRequest
from pages._ui.shared.frame import or_show_error
from pages._ui.shared.link import escape


def opened(
    kind: JobKind, agrees: Callable[[Any], bool], put: Callable[[Any], None]
) -> JobStatus | None:
    """The status of the job on display, if there is one.

    On first sight it goes on the list of this browser, and its settings move into the widgets
    (`put`) where the link `agrees`.
    """
    job_id = store.shown(kind)
    status: JobStatus | None = or_show_error(store.status_of, job_id) if job_id else None
    if status is None or or_show_error(store.view_of, kind, job_id) is None:
        return None
    if st.session_state.get(f"_opened_{kind}") != job_id:
        st.session_state[f"_opened_{kind}"] = job_id
        or_show_error(store.keep, job_id)
        if agrees(status.spec):
            put(status.spec)
    return status


def run_bar(
    kind: JobKind,
    asked: RunRequest | SweepRequest,
    status: JobStatus | None,
    own: ac.Dataset | None,
    say: Callable[[], None] | None = None,
) -> None:
    """The one large button: Run, Resume, or Stop while the job works.

    `own` is the table if it is one of this browser; `say` draws what stands above Run.
    """
    with st.container(key="runbar"):
        if asked.problem:
            st.error(escape(asked.problem), icon="⚠️")
        if status is not None and status.live:
            _stop(kind, status.run_id)
            return
        if say is not None:
            say()
        resumes = status is not None and status.can_restart and status.spec == asked.spec
        label = "▶ Resume" if resumes and kind is store.SWEEP else "▶ Run"
        if (
            st.button(label, type="primary", width="stretch", disabled=not asked.spec)
            and or_show_error(store.start, asked.spec, own) is not None
        ):
            st.rerun()


def _stop(kind: JobKind, job_id: str) -> None:
    """The page comes back when the job has ended, not when a timer happens to notice."""
    if not st.button("■ Stop", type="primary", width="stretch", key="stop"):
        return
    with st.spinner("Stopping…"):
        stopped = or_show_error(store.stop, job_id)
    if stopped:
        st.rerun()
    if stopped is False:
        st.info(f"Somebody else asked for this {kind} too and is watching, so it goes on.")
