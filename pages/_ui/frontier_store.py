"""Which sweep the Frontier page shows, and how it is started."""

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.sweep import SweepSpec
from antidote_core.algorithms.sweep_record import SweepView
from antidote_core.engine.settings import default_scheduler
from antidote_core.types import Event
from pages._ui.run_store import owner, runner

SWEEP = "sweep"  # the name in the URL and in the session


def shown_sweep() -> str | None:
    """The id of the sweep on display: the one in the URL, else the one before a page switch."""
    asked = st.query_params.get(SWEEP)
    if asked:
        st.session_state[SWEEP] = asked
    elif st.session_state.get(SWEEP):
        st.query_params[SWEEP] = st.session_state[SWEEP]
    return st.session_state.get(SWEEP)


def start(spec: SweepSpec, own: ac.Dataset | None = None) -> str:
    """Start the sweep, or go on with it, and show it; `own` is a table of this browser."""
    sweep_id = runner().submit_sweep(spec, own, owner(), temporary=own is not None)
    st.session_state[SWEEP] = sweep_id
    st.query_params[SWEEP] = sweep_id
    return sweep_id


def view_of(sweep_id: str) -> SweepView:
    return runner().sweep_view(sweep_id, owner())


def events_of(sweep_id: str) -> list[Event]:
    return runner().events(sweep_id, owner=owner())[0]


def resume(sweep_id: str) -> str:
    """Go on with what is missing; cells in the store are not computed again."""
    return runner().restart(sweep_id, owner())


def cluster() -> str:
    """Address of the cluster that sweeps use here; empty for the cores of this machine."""
    return default_scheduler()
