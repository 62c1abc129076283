"""Watch Algorithm 2 grow V: choose, run, see, believe or not."""

import streamlit as st

from pages._ui.data import dataset_blocks
from pages._ui.data.own_tables import is_own
from pages._ui.explore import before, ended, one_step, watch
from pages._ui.jobs import answers, run_settings, store
from pages._ui.jobs.run_bar import run_bar
from pages._ui.shared import cached
from pages._ui.shared.frame import enter
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.show import or_show_error


def open_run(link):
    """The run on display and its status; on first sight, its settings move into the widgets."""
    run_id = store.shown_run()
    status = or_show_error(store.status_of, run_id) if run_id else None
    if status is None:
        return None, None
    if st.session_state.get("_opened") != run_id:
        st.session_state["_opened"] = run_id
        or_show_error(store.keep, run_id)
        if run_settings.agrees(link, status.spec):
            run_settings.put(status.spec)
    return run_id, status


def show(run_id, status, asked, fair):
    """The same blocks for a live, stopped, finished or replayed run."""
    live, spec = status.live, status.spec
    data = or_show_error(store.run_data, run_id)
    if data is None:
        return
    watch.title(data, spec)
    if spec != asked.spec:
        fair = {}
        st.caption("This run has other settings than those on the left.")
    view = store.view_of(run_id)
    watch.draw_head(run_id, live, view)
    if not live:
        ended.sentences(view)
    if status.can_restart:
        watch.trouble(run_id, status)
    blocks = st.container()
    if not live:  # drawn first, shown last: it is there however long the charts take
        ended.after(run_id, data, status, view)
    with blocks:
        charts(run_id, status, data, view, fair)


def charts(run_id, status, data, view, fair):
    """What happened, step by step, and how it compares."""
    live, spec = status.live, status.spec
    left, right = st.columns(2, gap="large")
    with right:
        options = one_step.map_options(data)
        map_place = st.container()
        step = None if live else one_step.slider(view)
        shot = one_step.shot(run_id, spec, view, data, step)
        with map_place:
            one_step.run_map(run_id, data, spec, shot, options)
        if shot is not None:
            one_step.points_table(run_id, data, view, shot)
    with left:
        watch.draw_curve(run_id, live, fair, step)
        if shot is not None:
            one_step.who_is_where(data, spec, view, shot)
    if shot is not None and not live:
        one_step.joint_map(run_id, data, shot, options[1])
    ended.against_the_others(view, spec.fairness, live)


enter()
link = asked_by_link()
watch.style()
notice = st.container()
with notice:
    run_id, status = open_run(link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = run_settings.ask()
    data = or_show_error(cached.load, asked.data)
    waiting, fair = [], {}
    if data is not None:
        waiting, fair = before.references(data, asked, bool(status and status.live))
    run_bar(asked, run_id, status, data if is_own(asked.data.name) else None)
with main, st.container(key="main"):
    if status is not None:
        show(run_id, status, asked, fair)
    elif data is not None:
        before.plain_clustering(data, asked)
    else:
        dataset_blocks.offer_other_forms(asked.data)
answers.watch(*waiting)
with notice:
    tell_ignored("explore", link)
