"""Slow answers computed in the background, so that no page waits for them.

A job is a future; a page shows what is done and lets `watch` run it again when more is.
"""

import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.references import baseline_scores
from antidote_core.analysis.vanilla import vanilla_report
from antidote_core.projection.layout import (
    Layout,
    find_joint,
    find_layout,
    joint_path,
    layout_path,
    start_joint,
    start_layout,
)
from pages._ui.data import own_tables
from pages._ui.shared.settings import ClusteringSettings

KEPT = 64
LAYOUTS_AT_ONCE = 2  # each takes a core and some hundred megabytes for half a minute
STALE_SECONDS = 15.0  # nobody has asked for so long: not worth beginning with


class Stale(Exception):
    """The page that wanted the answer is gone."""


class Jobs:
    """Futures by key, one thread per kind, so that a slow kind never holds up a quick one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._futures: dict[tuple, Future] = {}
        self._asked: dict[tuple, float] = {}

    def ask(self, kind: str, key: tuple, function: Callable[..., Any], *arguments: Any) -> Future:
        key = (kind, *key)
        with self._lock:
            self._asked[key] = time.monotonic()
            future = self._futures.pop(key, None)
            if future is None or (future.done() and isinstance(future.exception(), Stale)):
                pool = self._pools.setdefault(kind, ThreadPoolExecutor(1, kind))
                future = pool.submit(self._work, key, function, *arguments)
            self._futures[key] = future  # at the end: the first are the first to go
            while len(self._futures) > KEPT:
                self._asked.pop(oldest := next(iter(self._futures)), None)
                self._futures.pop(oldest)
            return future

    def still_wanted(self, futures: list[Future]) -> None:
        """A page waits for these: however long the others before them take, none is stale."""
        with self._lock:
            now = time.monotonic()
            self._asked |= {key: now for key, future in self._futures.items() if future in futures}

    def answered(self, kind: str, key: tuple) -> bool:
        """Whether the answer is there already."""
        future = self._futures.get((kind, *key))
        return future is not None and future.done() and future.exception() is None

    def _work(self, key: tuple, function: Callable[..., Any], *arguments: Any) -> Any:
        if time.monotonic() - self._asked.get(key, 0.0) > STALE_SECONDS:
            raise Stale
        return function(*arguments)


@st.cache_resource(show_spinner=False)
def _jobs() -> Jobs:
    return Jobs()


@st.cache_resource(scope="session", show_spinner=False)
def _own_jobs() -> Jobs:
    return Jobs()


def _jobs_for(data: ac.Dataset) -> Jobs:
    """Answers about somebody's own table are kept for that session only."""
    return _own_jobs() if own_tables.is_own(data.name) else _jobs()


def ask_about(
    data: ac.Dataset, kind: str, key: tuple, function: Callable[..., Any], *arguments: Any
) -> Future:
    """Any answer about a data set on its way; kept under the content of the data."""
    return _jobs_for(data).ask(kind, (data.content_hash, *key), function, *arguments)


def plain_job(data: ac.Dataset, choice: ClusteringSettings) -> Future:
    """A VanillaReport on its way."""
    arguments = (data, choice.clustering, choice.k, choice.restarts, choice.seed)
    return _jobs_for(data).ask("plain", (data.content_hash, choice), vanilla_report, *arguments)


def fair_job(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> Future:
    """Costs of the fair algorithm on their way."""
    arguments = (data, choice.clustering, fairness, choice.k, choice.restarts, choice.seed)
    key = (data.content_hash, fairness, choice)
    return _jobs_for(data).ask("fair", key, baseline_scores, *arguments)


def fair_known(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> bool:
    """Whether the costs of the fair algorithm are known, so that asking costs nothing."""
    return _jobs_for(data).answered("fair", (data.content_hash, fairness, choice))


def answer(future: Future) -> Any:
    """The answer, None while it is on its way; an AntidoteError if it cannot be given."""
    if not future.done():
        return None
    error = future.exception()
    if isinstance(error, Stale):
        return None
    return future.result()


def watch(*futures: Future) -> None:
    """Run the page again as soon as one more of the answers is there."""
    waiting = [future for future in futures if not future.done()]
    if waiting:
        st.fragment(_look, run_every=0.5)(waiting)


def _look(waiting: list[Future]) -> None:
    if any(future.done() for future in waiting):
        st.rerun()
    for jobs in (_jobs(), _own_jobs()):
        jobs.still_wanted(waiting)


class Layouts:
    """UMAP layouts that are computed by processes of their own, a few at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[str, Callable[[], subprocess.Popen]] = {}
        self._begun: dict[str, subprocess.Popen | None] = {}  # None: it could not be begun

    def working(self, path: str, begin: Callable[[], subprocess.Popen] | None) -> bool | None:
        """Whether this file is waited for; None when its process ended without a file."""
        with self._lock:
            if begin is not None and path not in self._begun:
                self._waiting.setdefault(path, begin)
            self._begin()
            return True if path in self._waiting or self._is_at_work(path) else None

    def _begin(self) -> None:
        while self._waiting and sum(map(self._is_at_work, self._begun)) < LAYOUTS_AT_ONCE:
            path, begin = next(iter(self._waiting.items()))
            del self._waiting[path]
            try:
                self._begun[path] = begin()
            except OSError:  # no space left, say
                self._begun[path] = None
        for path in [path for path in self._begun if not self._is_at_work(path)][:-KEPT]:
            del self._begun[path]

    def _is_at_work(self, path: str) -> bool:
        process = self._begun.get(path)
        return process is not None and process.poll() is None


@st.cache_resource(show_spinner=False)
def _layouts() -> Layouts:
    return Layouts()


def layout_of(data: ac.Dataset, folder: Path) -> tuple[Layout | None, bool]:
    """The UMAP layout of U if there is one in `folder`, and whether it is being computed."""
    found = find_layout(data, folder)
    if found is not None:
        return found, False
    path = str(layout_path(data, folder))
    return None, bool(_layouts().working(path, lambda: start_layout(data, folder)))


def joint_of(
    data: ac.Dataset, antidote: Any, folder: Path, begin: bool
) -> tuple[Layout | None, bool]:
    """The UMAP layout of U and V together, begun only when asked for."""
    found = find_joint(data, antidote, folder)
    if found is not None:
        return found, False
    path = str(joint_path(data, antidote, folder))
    process = (lambda: start_joint(data, antidote, folder)) if begin else None
    return None, bool(_layouts().working(path, process))
