"""Watch Algorithm 2 grow V: choose at the side, run, see, believe or not."""

from functools import partial
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.engine.job_folder import JobStatus
from pages._ui import (
    data_blocks,
    explore_blocks,
    stage_blocks,
    upload_blocks,
)
from pages._ui.jobs import job_settings, store
from pages._ui.jobs.job_blocks import STYLE, bring_into_view, opened, run_bar, trouble
from pages._ui.shared import answers
from pages._ui.shared.frame import enter, or_show_error, style
from pages._ui.shared.link import asked_by_link, tell_ignored
from pages._ui.shared.own_tables import is_own


def show(
    status: JobStatus, data: ac.Dataset, asked: job_settings.RunRequest, fair: dict[str, float]
) -> None:
    """The same stage for a live, stopped, finished or replayed run."""
    run_id, live, spec = status.run_id, status.live, status.spec
    assert isinstance(spec, ac.RunSpec)
    explore_blocks.title(data, spec, spec != asked.spec)
    view = store.view_of(store.RUN, run_id)
    explore_blocks.draw_head(run_id, live, view)
    if status.can_restart:
        trouble(status, "Run again")
    shot = charts(status, data, view, fair if spec == asked.spec else {})
    explore_blocks.details(status, data, view, shot)


def charts(status: JobStatus, data: ac.Dataset, view: ac.RunView, fair: dict[str, float]) -> Any:
    """Curve and map side by side; the step that the map shows."""
    run_id, live, spec = status.run_id, status.live, status.spec
    assert isinstance(spec, ac.RunSpec)
    stage_blocks.draw(run_id, data, spec, view, live, fair)
    return stage_blocks.shot(run_id, spec, view, data, live)


enter()
link = asked_by_link()
style(STYLE)
bring_into_view()
notice = st.container()
with notice:
    status = opened(store.RUN, link)
main = st.container(key="main").container(key="explore")
waiting: list[answers.Job] = []
fair: dict[str, float] = {}
live = bool(status and status.live)
with st.sidebar:
    explore_blocks.pick()
    chosen = job_settings.ask_data(partial(upload_blocks.draw_in, main))
    with notice:
        data = or_show_error(answers.load, chosen)
    asked = job_settings.ask_run(chosen, data)
    if data is not None:
        waiting, fair = explore_blocks.references(data, asked, live)
    own = data if is_own(chosen.name) else None
    told = partial(explore_blocks.told, status) if status is not None else None
    bar = partial(run_bar, store.RUN, asked, status, own, tell=told)
    bar()
with main:
    if status is not None:
        of_run = or_show_error(store.data_of, status.run_id)
        if of_run is not None:
            show(status, of_run, asked, fair)
    elif data is not None:
        waiting += explore_blocks.plain_clustering(data, asked)
    else:
        data_blocks.offer_other_forms(chosen)
bar(key="stagebar")  # seen where the drawer is closed
with notice:
    tell_ignored("explore", link)
answers.watch(*waiting)
