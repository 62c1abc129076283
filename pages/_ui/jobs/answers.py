"""Slow answers computed in the background, so that no page waits for them.

A job is a future; a page shows what is done and lets `watch` run it again when more is.
"""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.comparison import baseline_scores
from antidote_core.analysis.snapshots import vanilla_report
from pages._ui.data.own_tables import is_own
from pages._ui.shared import rooms
from pages._ui.shared.background import Jobs, Key, is_stale
from pages._ui.shared.settings import ClusteringSettings


def _jobs_for(data: ac.Dataset) -> Jobs:
    return rooms.room(is_own(data.name)).jobs


def ask_about(
    data: ac.Dataset, kind: str, key: Key, function: Callable[..., Any], *arguments: Any
) -> Future[Any]:
    """Any answer about a data set on its way; kept under the content of the data."""
    return _jobs_for(data).ask(kind, (data.content_hash, *key), function, *arguments)


def plain_job(data: ac.Dataset, choice: ClusteringSettings) -> Future[Any]:
    """A VanillaReport on its way."""
    arguments = (data, choice.clustering, choice.k, choice.restarts, choice.seed)
    return ask_about(data, "plain", (choice,), vanilla_report, *arguments)


def fair_job(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> Future[Any]:
    """Costs of the fair algorithm on their way."""
    arguments = (data, choice.clustering, fairness, choice.k, choice.restarts, choice.seed)
    return ask_about(data, "fair", (fairness, choice), baseline_scores, *arguments)


def fair_known(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> bool:
    """Whether the costs of the fair algorithm are known, so that asking costs nothing."""
    return _jobs_for(data).answered("fair", (data.content_hash, fairness, choice))


def answer(future: Future[Any]) -> Any:
    """The answer, None while it is on its way; an AntidoteError if it cannot be given."""
    return None if not future.done() or is_stale(future) else future.result()


def watch(*futures: Future[Any]) -> None:
    """Run the page again as soon as one more of the answers is there."""
    waiting = [future for future in futures if not future.done()]
    if waiting:
        st.fragment(_look, run_every=0.5)(waiting)


def _look(waiting: list[Future[Any]]) -> None:
    if any(future.done() for future in waiting):
        st.rerun()
    for room in (rooms.ROOMS.everyone, rooms.mine()):
        room.jobs.still_wanted(waiting)
