"""Fairness against antidote size: many sizes, settings and seeds, and how sure the answer is."""

import streamlit as st

from pages._ui.data import dataset_blocks
from pages._ui.data.own_tables import is_own
from pages._ui.explore import watch
from pages._ui.frontier import before, blocks
from pages._ui.jobs import answers, downloads, store, sweep_settings
from pages._ui.shared import cached
from pages._ui.shared.frame import enter
from pages._ui.shared.link import escape, tell_ignored
from pages._ui.shared.show import or_show_error


def open_sweep(link):
    """The sweep on display and its status; on first sight, its settings move into the widgets."""
    sweep_id = store.shown_sweep()
    status = or_show_error(store.status_of, sweep_id) if sweep_id else None
    if status is None or or_show_error(store.sweep_view_of, sweep_id) is None:
        return None, None
    if st.session_state.get("_opened_sweep") != sweep_id:
        st.session_state["_opened_sweep"] = sweep_id
        if sweep_settings.agrees(link, status.spec):
            sweep_settings.put(status.spec)
    return sweep_id, status


def run_bar(asked, known, sweep_id, status, own):
    """Run, Resume, or Stop while the sweep works."""
    with st.container(key="runbar"):
        if asked.problem:
            st.error(escape(asked.problem), icon="⚠️")
        if known is not None and not (status and status.live):
            before.estimate(known)
        if status is not None and status.live:
            stop(sweep_id)
            return
        resumes = status is not None and status.can_restart and status.spec == asked.spec
        label = "▶ Resume" if resumes else "▶ Run"
        if (
            st.button(label, type="primary", width="stretch", disabled=not asked.spec)
            and or_show_error(store.start_sweep, asked.spec, own) is not None
        ):
            st.rerun()


def stop(sweep_id):
    """The page comes back when the sweep has ended, not when a timer happens to notice."""
    if not st.button("■ Stop", type="primary", width="stretch", key="stop"):
        return
    with st.spinner("Stopping…"):
        stopped = or_show_error(store.stop, sweep_id)
    if stopped:
        st.rerun()
    if stopped is False:
        st.info("Somebody else asked for this sweep too and is watching, so it goes on.")


def show(sweep_id, status, asked):
    """The same blocks for a live, stopped, finished or replayed sweep."""
    data = or_show_error(store.run_data, sweep_id)
    if data is None:
        return
    blocks.title(data)
    if status.spec != asked.spec:
        st.caption("This sweep has other settings than those on the left.")
    view = store.sweep_view_of(sweep_id)
    blocks.draw_head(sweep_id, status.live)
    if not status.live:
        blocks.trouble(sweep_id, status, view)
    blocks.draw_results(sweep_id, status.live)
    if not status.live:
        downloads.take_along_sweep(status, status.spec, data, view)


enter()
link = sweep_settings.link()
blocks.open_clicked()
watch.style()
notice = st.container()
with notice:
    sweep_id, status = open_sweep(link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = sweep_settings.ask()
    data = or_show_error(cached.load, asked.data)
    known = None
    if data is not None and asked.spec is not None:
        known = before.Known(data, asked.spec, bool(status and status.live))
    run_bar(asked, known, sweep_id, status, data if is_own(asked.data.name) else None)
with main, st.container(key="main"):
    if status is not None:
        show(sweep_id, status, asked)
    elif known is not None:
        before.draw(known)
    elif data is None:
        dataset_blocks.offer_other_forms(asked.data)
answers.watch(*(known.waiting if known else ()))
with notice:
    tell_ignored("frontier", sweep_settings.without_lists(link))
