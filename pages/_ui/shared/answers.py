"""Data and answers that pages share, the slow ones in the background, so that no page waits.

What comes from a table of one's own stays with its owner. A page shows what is there and lets
`watch` run it again when more is.
"""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.comparison import baseline_scores
from antidote_core.analysis.known import known_baseline, known_vanilla
from antidote_core.analysis.snapshots import VanillaReport, vanilla_report
from antidote_core.clustering import compiled
from antidote_core.engine.settings import worker_environment
from antidote_core.projection import Plane, fit_plane
from antidote_core.teaching.planar import Story, tell_story
from pages._ui.shared import own_tables, rooms
from pages._ui.shared.rooms import Key, is_stale
from pages._ui.shared.settings import ClusteringSettings, DataSettings

LOOK_SECONDS = 0.25  # between two looks at what is awaited
AT_ONCE_SECONDS = 0.1  # an answer that is there so soon needs no second look at the page


@dataclass(frozen=True)
class Job:
    """An answer on its way, and whether it was there when the page asked.

    An answer may come while the page is being drawn. Then the page has drawn itself without it, all
    of its parts, and is drawn once more.
    """

    future: Future[Any]
    there: bool


class _Kernels:
    """The compiled kernels of this machine: made in a process of their own, once.

    A compiler at work in this process would hold up every page.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._make, name="kernels", daemon=True)
        self._made = False
        self._then: list[Callable[[], None]] = []

    def begin(self) -> None:
        """Make them, if nobody does so yet."""
        with self._lock:
            if self._thread.ident is None:
                self._thread.start()

    def when_made(self, call: Callable[[], None]) -> None:
        """Call this at once if they are there, else when they are."""
        self.begin()
        with self._lock:
            if not self._made:
                if call not in self._then:  # every page asks for the same
                    self._then.append(call)
                return
        call()

    def loaded(self) -> None:
        """Come back when they are loaded here too."""
        self.begin()
        self._thread.join()

    def _make(self) -> None:
        command = [sys.executable, "-m", compiled.__name__]
        subprocess.run(command, env=worker_environment(), stdin=subprocess.DEVNULL, check=False)
        with self._lock:
            self._made = True
        for call in self._then:
            call()
        compiled.warm()


KERNELS = _Kernels()  # one per process: a module is imported once


def load(settings: DataSettings) -> ac.Dataset:
    """The data set asked for; a long load tells its progress on the page."""
    if own_tables.is_own(settings.name):
        return own_tables.load(settings.name, settings.sample, settings.seed)
    return rooms.ROOMS.everyone.kept("data", settings, lambda: _loaded(settings), most=2)


def _loaded(settings: DataSettings) -> ac.Dataset:
    note = st.empty()

    def say(text: str) -> None:
        note.caption(text)

    with st.spinner("Loading the data…"):
        data = ac.load_dataset(
            settings.name,
            protected=settings.protected,
            rows=settings.rows,
            sample=settings.sample,
            seed=settings.seed,
            progress=say,
        )
    note.empty()
    return data


def plain(data: ac.Dataset, choice: ClusteringSettings) -> VanillaReport:
    key, make = (data.content_hash, choice), partial(vanilla_report, data, *astuple(choice))
    return _room(data).kept("plain", key, make, most=8, note="Clustering…")


def plane(data: ac.Dataset) -> Plane:
    return _room(data).kept(
        "plane", data.content_hash, lambda: fit_plane(data.points, data.feature_names), most=8
    )


def story() -> Story:
    return rooms.ROOMS.everyone.kept("story", (), tell_story, most=1)


def _room(data: ac.Dataset) -> rooms.Room:
    return rooms.room(own_tables.is_own(data.name))


def ask_about(
    data: ac.Dataset, kind: str, key: Key, function: Callable[..., Any], *arguments: Any
) -> Job:
    """Any answer about a data set, by compiled kernels; kept under its content."""
    key = (data.content_hash, *key)
    future = _room(data).jobs.ask(kind, key, _when_warm, function, *arguments)
    return Job(future, future.done())


def _when_warm(function: Callable[..., Any], *arguments: Any) -> Any:
    KERNELS.loaded()
    return function(*arguments)


def plain_job(data: ac.Dataset, choice: ClusteringSettings) -> Job:
    """A VanillaReport on its way."""
    return _known_or_asked(
        data, "plain", (choice,), known_vanilla, vanilla_report, *astuple(choice)
    )


def plain_known(data: ac.Dataset, choice: ClusteringSettings) -> VanillaReport | None:
    """The same where a page has asked for it before; nothing is computed for it."""
    if not _room(data).jobs.answered("plain", (data.content_hash, choice)):
        return None
    report: VanillaReport = answer(plain_job(data, choice))
    return report


def fair_job(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> Job:
    """Costs of the fair algorithm on their way."""
    arguments = (choice.clustering, fairness, choice.k, choice.restarts, choice.seed)
    return _known_or_asked(
        data, "fair", (fairness, choice), known_baseline, baseline_scores, *arguments
    )


def _known_or_asked(
    data: ac.Dataset,
    kind: str,
    key: Key,
    known: Callable[..., Any],
    function: Callable[..., Any],
    *arguments: Any,
) -> Job:
    """What ships with the package is there at once; the rest needs nothing compiled."""

    def find() -> Any:
        found = known(data, *arguments)
        return function(data, *arguments) if found is None else found

    future = _room(data).jobs.ask(kind, (data.content_hash, *key), find)
    wait([future], timeout=AT_ONCE_SECONDS)
    return Job(future, future.done())


def fair_known(data: ac.Dataset, fairness: str, choice: ClusteringSettings) -> bool:
    """Whether the costs of the fair algorithm are known, so that asking costs nothing."""
    return _room(data).jobs.answered("fair", (data.content_hash, fairness, choice))


def answer(job: Job) -> Any:
    """The answer, None while it is on its way; an AntidoteError if it cannot be given."""
    return None if not job.there or is_stale(job.future) else job.future.result()


def watch(*jobs: Job) -> None:
    """Run the page again as soon as more is there than it could draw."""
    missing = [job.future for job in jobs if not job.there]
    if any(future.done() for future in missing):
        st.rerun()
    if missing:
        st.fragment(_look, run_every=LOOK_SECONDS)(missing)


def _look(missing: list[Future[Any]]) -> None:
    if any(future.done() for future in missing):
        st.rerun()
    for room in (rooms.ROOMS.everyone, rooms.mine()):
        room.jobs.still_wanted(missing)
