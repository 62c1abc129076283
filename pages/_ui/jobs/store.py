"""The runs and sweeps of this server, whose they are, and which one the page shows."""

import threading
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine import Runner, default_home, examples
from antidote_core.engine.job_folder import JobStatus
from antidote_core.engine.process.umap_process import Layouts
from antidote_core.runs.kinds import RUN, SWEEP, JobKind, Spec, kind_of
from pages._ui.shared import rooms
from pages._ui.shared.rooms import visitor as owner

STOP_SECONDS = 5.0  # a worker ends within less, unless one evaluation takes longer

LAYOUTS = Layouts()  # one per process: a module is imported once
_runners: dict[Path, Runner] = {}
_making = threading.Lock()


def runner() -> Runner:
    """The one runner of this process for the home folder."""
    home = default_home()
    with _making:
        if home not in _runners:
            _runners[home] = Runner(home)
        return _runners[home]


def runners() -> list[Runner]:
    """Those that some page has asked for."""
    with _making:
        return list(_runners.values())


def shown(kind: JobKind) -> str | None:
    """The id of the job on display: the one in the URL, else the one before a page switch.

    The URL gets it again on every render, because a page switch drops it.
    """
    asked = st.query_params.get(kind.name)
    if asked:
        st.session_state[kind.name] = asked
    elif st.session_state.get(kind.name):
        st.query_params[kind.name] = st.session_state[kind.name]
    return st.session_state.get(kind.name)


def show(kind: JobKind, job_id: str | None) -> None:
    """Show this job from now on; None shows none."""
    if job_id is None:
        st.session_state.pop(kind.name, None)
        st.query_params.pop(kind.name, None)
    else:
        st.session_state[kind.name] = job_id
        st.query_params[kind.name] = job_id


def start(spec: Spec, own: ac.Dataset | None = None) -> str:
    """Start the job, or go on with it, and show it.

    `own` is a table of this browser, whose jobs go when it goes.
    """
    job_id = runner().submit(spec, own, owner(), temporary=own is not None)
    show(kind_of(spec), job_id)
    return job_id


def open_example(name: str) -> str:
    """Show a recorded run; the settings of the page stay as they are."""
    job_id = examples.open_example(runner().store, name, owner())
    show(RUN, job_id)
    st.session_state[f"_opened_{RUN}"] = job_id
    return job_id


def keep(job_id: str) -> None:
    """Put a job that was opened by its link on the list of this browser."""
    runner().add_to_list(job_id, owner())


def stop(job_id: str) -> bool:
    """Ask the job to end and wait a moment for it; False if it goes on because others watch it."""
    stopped = runner().stop(job_id, owner())
    if stopped:
        runner().wait(job_id, STOP_SECONDS, owner())
    return stopped


def again(job_id: str) -> str:
    """Start it again, or go on with what is missing of a sweep."""
    return runner().restart(job_id, owner())


def watched(job_id: str) -> None:
    """Somebody is looking at it."""
    runner().touch(job_id, owner())


def all_jobs() -> list[JobStatus]:
    """The runs and sweeps on the list of this browser."""
    return runner().jobs(owner(), RUN, SWEEP)


def rename(job_id: str, name: str) -> None:
    runner().rename(job_id, owner(), name)


def delete(job_id: str) -> None:
    """Take the job off the list of this browser; the page forgets it."""
    runner().delete(job_id, owner())
    for kind in (RUN, SWEEP):
        if st.session_state.get(kind.name) == job_id:
            show(kind, None)


def forget(dataset: str) -> int:
    """Remove all jobs on a table of this browser; returns how many there were."""
    removed = runner().forget(owner(), dataset)
    LAYOUTS.drop_removed()
    return removed


def status_of(job_id: str) -> JobStatus:
    return runner().status(job_id, owner())


def view_of(kind: JobKind, job_id: str) -> Any:
    """What is known of the job so far; a sentence when it is of the other kind."""
    return runner().view(job_id, owner(), kind)


def log_of(job_id: str) -> str:
    """What the worker of the job printed."""
    return runner().worker_log(job_id, owner=owner())


def layouts_of(job_id: str) -> Path:
    """Where maps of the job's data are kept; those of somebody's own table go with the job."""
    return runner().layouts(job_id, owner())


def room_of(job_id: str) -> rooms.Room:
    """Where to keep what was made from the job: with its owner if that is private."""
    return rooms.room(status_of(job_id).private)


def data_of(job_id: str) -> ac.Dataset:
    note = "Loading the data of the run…"
    return room_of(job_id).kept(
        "run data", job_id, lambda: runner().data(job_id, owner()), most=4, note=note
    )
