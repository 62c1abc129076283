"""Fairness against antidote size: many sizes, settings and seeds, and how sure the answer is."""

import streamlit as st

from pages._ui import (
    cached,
    dataset_blocks,
    explore_live,
    frontier_after,
    frontier_before,
    frontier_blocks,
    frontier_settings,
    frontier_store,
    run_jobs,
    run_store,
)
from pages._ui.frame import enter
from pages._ui.link import escape, tell_ignored
from pages._ui.show import attempt
from pages._ui.upload_store import is_own


def open_sweep(link):
    """The sweep on display and its status; on first sight, its settings move into the widgets."""
    sweep_id = frontier_store.shown_sweep()
    status = attempt(run_store.status_of, sweep_id) if sweep_id else None
    if status is None or attempt(frontier_store.view_of, sweep_id) is None:
        return None, None
    if st.session_state.get("_opened_sweep") != sweep_id:
        st.session_state["_opened_sweep"] = sweep_id
        if frontier_settings.agrees(link, status.spec):
            frontier_settings.put(status.spec)
    return sweep_id, status


def run_bar(asked, known, sweep_id, status, own):
    """Run, Resume, or Stop while the sweep works."""
    with st.container(key="runbar"):
        if asked.problem:
            st.error(escape(asked.problem), icon="⚠️")
        if known is not None and not (status and status.live):
            frontier_before.estimate(known)
        if status is not None and status.live:
            stop(sweep_id)
            return
        resumes = status is not None and status.can_restart and status.spec == asked.spec
        label = "▶ Resume" if resumes else "▶ Run"
        if (
            st.button(label, type="primary", width="stretch", disabled=not asked.spec)
            and attempt(frontier_store.start, asked.spec, own) is not None
        ):
            st.rerun()


def stop(sweep_id):
    """The page comes back when the sweep has ended, not when a timer happens to notice."""
    if not st.button("■ Stop", type="primary", width="stretch", key="stop"):
        return
    with st.spinner("Stopping…"):
        stopped = attempt(run_store.stop, sweep_id)
    if stopped:
        st.rerun()
    if stopped is False:
        st.info("Somebody else asked for this sweep too and is watching, so it goes on.")


def show(sweep_id, status, asked):
    """The same blocks for a live, stopped, finished or replayed sweep."""
    data = attempt(run_store.run_data, sweep_id)
    if data is None:
        return
    frontier_blocks.title(data)
    if status.spec != asked.spec:
        st.caption("This sweep has other settings than those on the left.")
    view = frontier_store.view_of(sweep_id)
    frontier_blocks.draw_head(sweep_id, status.live)
    if not status.live:
        frontier_blocks.trouble(sweep_id, status, view)
    frontier_blocks.draw_results(sweep_id, status.live)
    if not status.live:
        frontier_after.downloads(status, status.spec, data, view)


enter()
link = frontier_settings.link()
frontier_blocks.open_clicked()
explore_live.style()
notice = st.container()
with notice:
    sweep_id, status = open_sweep(link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = frontier_settings.ask()
    data = attempt(cached.load, asked.data)
    known = None
    if data is not None and asked.spec is not None:
        known = frontier_before.Known(data, asked.spec, bool(status and status.live))
    run_bar(asked, known, sweep_id, status, data if is_own(asked.data.name) else None)
with main, st.container(key="main"):
    if status is not None:
        show(sweep_id, status, asked)
    elif known is not None:
        frontier_before.draw(known)
    elif data is None:
        dataset_blocks.offer_other_forms(asked.data)
run_jobs.watch(*(known.waiting if known else ()))
with notice:
    tell_ignored("frontier", frontier_settings.without_lists(link))
