"""Watch Algorithm 2 grow V: choose, run, see, believe or not."""

from concurrent.futures import Future
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine.job_folder import JobStatus
from pages._ui import data_blocks, explore_blocks, stage_blocks, step_blocks
from pages._ui.jobs import job_settings, store
from pages._ui.jobs.job_blocks import STYLE, opened, run_bar, trouble
from pages._ui.shared import answers
from pages._ui.shared.frame import enter, or_show_error, style
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.own_tables import is_own


def show(
    status: JobStatus, data: ac.Dataset, asked: job_settings.RunRequest, fair: dict[str, float]
) -> None:
    """The same blocks for a live, stopped, finished or replayed run."""
    run_id, live, spec = status.run_id, status.live, status.spec
    assert isinstance(spec, ac.RunSpec)
    explore_blocks.title(data, spec)
    if spec != asked.spec:
        fair = {}
        st.caption("This run has other settings than those on the left.")
    view = store.view_of(store.RUN, run_id)
    explore_blocks.draw_head(run_id, live, view)
    if not live:
        explore_blocks.sentences(view)
    if status.can_restart:
        trouble(status, "Run again")
    blocks = st.container()
    if not live:  # drawn first, shown last: it is there however long the charts take
        explore_blocks.after(data, spec, status, view)
    with blocks:
        charts(status, data, view, fair)


def charts(status: JobStatus, data: ac.Dataset, view: ac.RunView, fair: dict[str, float]) -> None:
    """What happened, step by step, and how it compares."""
    run_id, live, spec = status.run_id, status.live, status.spec
    assert isinstance(spec, ac.RunSpec)
    stage_blocks.draw(run_id, data, spec, view, live, fair)
    explore_blocks.draw_contests(run_id, live)
    shot = step_blocks.shot(run_id, spec, view, data, live)
    if shot is not None:
        left, right = st.columns(2, gap="large")
        with left:
            step_blocks.who_is_where(data, spec, view, shot)
        with right:
            step_blocks.points_table(run_id, data, shot)
        if not live:
            step_blocks.joint_map(run_id, data, shot)
    explore_blocks.against_the_others(view, spec.fairness, live)


enter()
link = asked_by_link()
style(STYLE)
notice = st.container()
with notice:
    status = opened(store.RUN, link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = job_settings.ask_run()
    data = or_show_error(answers.load, asked.data)
    waiting: list[Future[Any]] = []
    fair: dict[str, float] = {}
    if data is not None:
        waiting, fair = explore_blocks.references(data, asked, bool(status and status.live))
    run_bar(store.RUN, asked, status, data if is_own(asked.data.name) else None)
with main, st.container(key="main"):
    if status is not None:
        of_run = or_show_error(store.data_of, status.run_id)
        if of_run is not None:
            show(status, of_run, asked, fair)
    elif data is not None:
        explore_blocks.plain_clustering(data, asked)
    else:
        data_blocks.offer_other_forms(asked.data)
answers.watch(*waiting)
with notice:
    tell_ignored("explore", link)
