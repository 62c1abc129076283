"""Watch Algorithm 2 grow V: choose, run, see, believe or not."""

import streamlit as st

from pages._ui import (
    cached,
    dataset_blocks,
    explore_after,
    explore_before,
    explore_compare,
    explore_design,
    explore_live,
    explore_round,
    run_jobs,
    run_settings,
    run_store,
)
from pages._ui.frame import enter
from pages._ui.link import asked_by_link, tell_ignored
from pages._ui.show import attempt
from pages._ui.upload_store import is_own


def open_run(link):
    """The run on display and its status; on first sight, its settings move into the widgets."""
    run_id = run_store.shown_run()
    status = attempt(run_store.status_of, run_id) if run_id else None
    if status is None:
        return None, None
    if st.session_state.get("_opened") != run_id:
        st.session_state["_opened"] = run_id
        if run_settings.agrees(link, status.spec):
            run_settings.put(status.spec)
    return run_id, status


def run_bar(asked, run_id, status, own):
    """Run, or Stop while the run works; `own` is the table if it is one of this browser."""
    with st.container(key="runbar"):
        if asked.problem:
            st.error(asked.problem, icon="⚠️")
        if status is not None and status.live:
            if st.button("■ Stop", type="primary", width="stretch", key="stop") and not attempt(
                run_store.runner().stop, run_id, run_store.owner()
            ):
                st.info("Somebody else is watching this run too, so it goes on.")
        elif (
            st.button("▶ Run", type="primary", width="stretch", disabled=not asked.spec)
            and attempt(run_store.start, asked.spec, own) is not None
        ):
            st.rerun()


def show(run_id, status, asked, fair):
    """The same blocks for a live, stopped, finished or replayed run."""
    live, spec = status.live, status.spec
    data = attempt(run_store.run_data, run_id)
    if data is None:
        return
    explore_live.title(data, spec)
    if spec != asked.spec:
        fair = {}
        st.caption("This run has other settings than those on the left.")
    view = run_store.view_of(run_id)
    explore_live.draw_head(run_id, live, view)
    if not live:
        explore_design.sentences(view, data)
    if status.can_restart:
        explore_live.trouble(run_id, status)
    left, right = st.columns(2, gap="large")
    with right:
        options = explore_round.map_options(data)
        map_place = st.container()
        step = None if live else explore_round.slider(view)
        shot = explore_round.shot(run_id, spec, view, data, step)
        with map_place:
            explore_round.run_map(run_id, data, spec, shot, options)
        if shot is not None:
            explore_round.points_table(run_id, data, view, shot)
    with left:
        explore_live.draw_curve(run_id, live, fair, step)
        if shot is not None:
            explore_round.who_is_where(data, spec, view, shot)
    if shot is not None and not live:
        explore_round.joint_map(run_id, data, shot, options[1])
    explore_compare.against_the_others(view, spec.fairness, live)
    if not live:
        explore_after.downloads(run_id, data, spec, view)


enter()
link = asked_by_link()
explore_live.style()
notice = st.container()
with notice:
    run_id, status = open_run(link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = run_settings.ask()
    data = attempt(cached.load, asked.data)
    waiting, fair = [], {}
    if data is not None:
        waiting, fair = explore_before.references(data, asked, bool(status and status.live))
    run_bar(asked, run_id, status, data if is_own(asked.data.name) else None)
with main, st.container(key="main"):
    if status is not None:
        show(run_id, status, asked, fair)
    elif data is not None:
        explore_before.plain_clustering(data, asked)
    else:
        dataset_blocks.offer_other_forms(asked.data)
run_jobs.watch(*waiting)
with notice:
    tell_ignored("explore", link)
