"""The runs of this server, whose they are, and which one the page shows."""

from pathlib import Path

import streamlit as st

import antidote_core as ac
from antidote_core.engine import Runner, default_home
from antidote_core.engine.settings import default_scheduler
from antidote_core.engine.status import JobStatus
from antidote_core.runs import kinds
from antidote_core.runs.events import Event
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from pages._ui.shared.visitor import visitor

RUN = "run"  # the name in the URL and in the session
STOP_SECONDS = 5.0  # a worker ends within less, unless one evaluation takes longer


def runner() -> Runner:
    return _runner(str(default_home()))


@st.cache_resource(show_spinner=False)
def _runner(home: str) -> Runner:
    return Runner(home)


def owner() -> str:
    """A token of this browser, so that its runs stay its own after a reload."""
    return visitor()


def shown_run() -> str | None:
    """The id of the run on display: the one in the URL, else the one before a page switch.

    The URL gets it again on every render, because a page switch drops it.
    """
    asked = st.query_params.get(RUN)
    if asked:
        st.session_state[RUN] = asked
    elif st.session_state.get(RUN):
        st.query_params[RUN] = st.session_state[RUN]
    return st.session_state.get(RUN)


def show_run(run_id: str | None) -> None:
    """Show this run from now on; None shows no run."""
    st.session_state.pop("round", None)
    if run_id is None:
        st.session_state.pop(RUN, None)
        st.query_params.pop(RUN, None)
    else:
        st.session_state[RUN] = run_id
        st.query_params[RUN] = run_id


def start(spec: ac.RunSpec, own: ac.Dataset | None = None) -> str:
    """Start the run and show it; `own` is a table of this browser, whose runs go when it goes."""
    run_id = runner().submit(spec, own, owner(), temporary=own is not None)
    show_run(run_id)
    return run_id


def keep(run_id: str) -> None:
    """Put a run that was opened by its link on the list of this browser."""
    runner().add_to_list(run_id, owner())


def stop(run_id: str) -> bool:
    """Ask the run to end and wait a moment for it; False if it goes on because others watch it."""
    stopped = runner().stop(run_id, owner())
    if stopped:
        runner().wait(run_id, STOP_SECONDS, owner())
    return stopped


def all_jobs() -> list[JobStatus]:
    """The runs and frontiers on the list of this browser."""
    return runner().jobs(owner(), kinds.RUN, kinds.SWEEP)


def rename(run_id: str, name: str) -> None:
    runner().rename(run_id, owner(), name)


def delete(run_id: str) -> None:
    """Take the run off the list of this browser; the page forgets it."""
    runner().delete(run_id, owner())
    if st.session_state.get(RUN) == run_id:
        show_run(None)


def status_of(run_id: str) -> JobStatus:
    return runner().status(run_id, owner())


def view_of(run_id: str) -> ac.RunView:
    return runner().view(run_id, owner())


def log_of(run_id: str) -> str:
    """What the worker of the run printed."""
    return runner().worker_log(run_id, owner=owner())


def layouts_of(run_id: str) -> Path:
    """Where maps of the run's data are kept; those of somebody's own table go with the run."""
    return runner().layouts(run_id, owner())


def run_data(run_id: str) -> ac.Dataset:
    private = status_of(run_id).private
    load = _own_run_data if private else _run_data
    return load(run_id, str(default_home()), owner())


@st.cache_resource(max_entries=8, show_spinner="Loading the data of the run…")
def _run_data(run_id: str, home: str, _owner: str) -> ac.Dataset:
    return _runner(home).data(run_id, _owner)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Loading the data of the run…")
def _own_run_data(run_id: str, home: str, _owner: str) -> ac.Dataset:
    return _runner(home).data(run_id, _owner)


SWEEP = "sweep"  # the name in the URL and in the session


def shown_sweep() -> str | None:
    """The id of the sweep on display: the one in the URL, else the one before a page switch."""
    asked = st.query_params.get(SWEEP)
    if asked:
        st.session_state[SWEEP] = asked
    elif st.session_state.get(SWEEP):
        st.query_params[SWEEP] = st.session_state[SWEEP]
    return st.session_state.get(SWEEP)


def start_sweep(spec: SweepSpec, own: ac.Dataset | None = None) -> str:
    """Start the sweep, or go on with it, and show it; `own` is a table of this browser."""
    sweep_id = runner().submit(spec, own, owner(), temporary=own is not None)
    st.session_state[SWEEP] = sweep_id
    st.query_params[SWEEP] = sweep_id
    return sweep_id


def sweep_view_of(sweep_id: str) -> SweepView:
    view: SweepView = runner().view(sweep_id, owner(), kinds.SWEEP)
    return view


def events_of(sweep_id: str) -> list[Event]:
    return runner().events(sweep_id, owner=owner())[0]


def resume(sweep_id: str) -> str:
    """Go on with what is missing; cells in the store are not computed again."""
    return runner().restart(sweep_id, owner())


def cluster() -> str:
    """Address of the cluster that sweeps use here; empty for the cores of this machine."""
    return default_scheduler()
