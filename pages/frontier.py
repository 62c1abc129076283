"""Fairness against antidote size: many sizes, settings and seeds, and how sure the answer is."""

from functools import partial

import streamlit as st

import antidote_core as ac
from antidote_core.engine.job_folder import JobStatus
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui import data_blocks, frontier_blocks
from pages._ui.jobs import job_settings, store
from pages._ui.jobs.documents import take_along
from pages._ui.jobs.job_blocks import STYLE, opened, run_bar
from pages._ui.shared import answers
from pages._ui.shared.frame import enter, or_show_error, style
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.own_tables import is_own


def show(status: JobStatus, data: ac.Dataset, asked: job_settings.Request) -> None:
    """The same blocks for a live, stopped, finished or replayed sweep."""
    sweep_id = status.run_id
    frontier_blocks.title(data)
    if status.spec != asked.spec:
        st.caption("This sweep has other settings than those on the left.")
    view = store.view_of(store.SWEEP, sweep_id)
    frontier_blocks.draw_head(sweep_id, status.live)
    if not status.live:
        frontier_blocks.missing(status, view)
    frontier_blocks.draw_results(sweep_id, status.live)
    if not status.live:
        take_along(status, data, view)


enter()
link = asked_by_link()
frontier_blocks.open_clicked()
style(STYLE)
notice = st.container()
with notice:
    status = opened(store.SWEEP, link)
side, main = st.columns([1, 3.4], gap="large")
with side:
    asked = job_settings.ask_sweep()
    data = or_show_error(answers.load, asked.data)
    known = None
    if data is not None and isinstance(asked.spec, SweepSpec):
        known = frontier_blocks.Known(data, asked.spec, bool(status and status.live))
    own = data if is_own(asked.data.name) else None
    run_bar(
        store.SWEEP, asked, status, own, partial(frontier_blocks.estimate, known) if known else None
    )
with main, st.container(key="main"):
    if status is not None:
        of_sweep = or_show_error(store.data_of, status.run_id)
        if of_sweep is not None:
            show(status, of_sweep, asked)
    elif known is not None:
        frontier_blocks.draw(known)
    elif data is None:
        data_blocks.offer_other_forms(asked.data)
with notice:
    tell_ignored("frontier", link)
answers.watch(*(known.waiting if known else ()))
