"""What a run and a sweep have in common on their page: open, start, stop, verdict, trouble."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine.job_folder import JobStatus
from antidote_core.runs.kinds import JobKind, Spec
from antidote_core.runs.state import JobState
from pages._ui.jobs import store
from pages._ui.jobs.job_settings import Request, values_of
from pages._ui.shared.frame import or_show_error
from pages._ui.shared.link import agrees, escape

STYLE = Path(__file__).with_name("jobs.css")  # colours of the verdict, where Run stands
PRESSED = "_pressed"  # how often a job was started in this tab
_into_view = st.components.v2.component(
    "antidote_into_view", js=Path(__file__).with_name("into_view.js").read_text(encoding="utf-8")
)


def press() -> None:
    """Something was started or opened: the page is to show it from its top."""
    st.session_state[PRESSED] = st.session_state.get(PRESSED, 0) + 1


def to_example(name: str) -> None:
    """Go to Explore with a recorded run, which plays at once."""
    if or_show_error(store.open_example, name) is not None:
        press()
        st.switch_page("pages/explore.py", query_params={})


def bring_into_view() -> None:
    """When a job was started just now: the page goes to its top, and a drawer over it closes."""
    with st.container(key="into-view"):
        _into_view(key="into_view", data={"pressed": st.session_state.get(PRESSED, 0)})


def opened(kind: JobKind, link: dict[str, list[str]]) -> JobStatus | None:
    """The status of the job on display, if there is one.

    On first sight it goes on the list of this browser, and its settings move into the widgets where
    the link agrees.
    """
    job_id = store.shown(kind)
    status: JobStatus | None = or_show_error(store.status_of, job_id) if job_id else None
    if status is None or or_show_error(store.view_of, kind, job_id) is None:
        return None
    if st.session_state.get(f"_opened_{kind}") != job_id:
        st.session_state[f"_opened_{kind}"] = job_id
        or_show_error(store.keep, job_id)
        values = values_of(status.spec)
        if agrees(link, values):
            st.session_state.update(values)
    return status


def run_bar(
    kind: JobKind,
    asked: Request,
    status: JobStatus | None,
    own: ac.Dataset | None,
    say: Callable[[], None] | None = None,
    tell: Callable[[], None] | None = None,
    key: str = "runbar",
) -> None:
    """The one large button: Run, Resume, or Stop while the job works.

    `own` is the table if it is one of this browser; `say` draws what stands above Run, `tell` what
    stands above Stop. A page may have a second bar under another `key`.
    """
    with st.container(key=key):
        if asked.problem:
            st.error(escape(asked.problem), icon="⚠️")
        if status is not None and status.live:
            if tell is not None:
                tell()
            _stop(kind, status.run_id, f"stop-{key}" if key != "runbar" else "stop")
            return
        if say is not None:
            say()
        resumes = status is not None and status.can_restart and status.spec == asked.spec
        label = "▶ Resume" if resumes and kind is store.SWEEP else "▶ Run"
        pressed = st.button(
            label, type="primary", width="stretch", disabled=not asked.spec, key=f"run-{key}"
        )
        if pressed and or_show_error(store.start, asked.spec, own) is not None:
            press()
            st.rerun()


def _stop(kind: JobKind, job_id: str, key: str) -> None:
    """The page comes back when the job has ended, not when a timer happens to notice."""
    if not st.button("■ Stop", type="primary", width="stretch", key=key):
        return
    with st.spinner("Stopping…"):
        stopped = or_show_error(store.stop, job_id)
    if stopped:
        st.rerun()
    if stopped is False:
        st.info(f"Somebody else asked for this {kind} too and is watching, so it goes on.")


def latest(kind: JobKind, job_id: str) -> tuple[JobStatus, Any] | None:
    """Status and view of a job right now; None after a sentence that says what is wrong."""
    status = or_show_error(store.status_of, job_id)
    view = or_show_error(store.view_of, kind, job_id)
    return None if status is None or view is None else (status, view)


def box(tone: str, headline: str, details: str) -> None:
    """The verdict, or what the job is doing, in its colour."""
    with st.container(key=f"verdict-{tone}"):
        st.subheader(escape(headline), anchor=False)
        if details:
            st.markdown(escape(details))


def figure(label: str, value: str, meaning: str | None = None) -> None:
    """One of the numbers below the verdict."""
    st.metric(label, value, width="content", help=meaning)


def trouble(status: JobStatus, label: str, failures: bool = False) -> None:
    """A job with something missing: go on, and what its process printed."""
    again, log = st.columns([1, 3])
    if again.button(label, width="stretch", key="resume"):
        or_show_error(store.again, status.run_id)
        st.rerun()
    if failures or status.state in (JobState.FAILED, JobState.DEAD):
        with log.expander("Log of the worker"):
            text = or_show_error(store.log_of, status.run_id)
            st.code(text or "The worker printed nothing.", language=None)


def example(place: Any, spec: Spec, says: str) -> None:
    """The button that starts a small job to look at."""
    place.button(
        "Show a finished example", on_click=start_with, args=(spec,), width="stretch", help=says
    )


def start_with(spec: Spec) -> None:
    """Put the spec into the widgets and start it; a callback of a button."""
    if or_show_error(store.start, spec) is not None:
        st.session_state.update(values_of(spec))
        press()
