"""What a server does in the background: compile the fast clustering once, find slow answers."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import streamlit as st

from antidote_core.clustering.compiled import warm

KEPT = 64
STALE_SECONDS = 15.0  # nobody has asked for so long: not worth beginning with

Key = tuple[Hashable, ...]
_warming = threading.Thread(target=warm, name="warming", daemon=True)
_begun = threading.Lock()


def start_warming() -> threading.Thread:
    """Compile in a thread of its own, once per process."""
    with _begun:
        if _warming.ident is None:
            _warming.start()
    return _warming


@contextmanager
def patience() -> Iterator[None]:
    """Say why the page waits while the compiler is at work.

    Nothing is compiled twice: numba lets the page wait for just the functions it needs.
    """
    if start_warming().is_alive():
        note = "Preparing the fast clustering: about half a minute, the first time on a machine…"
        with st.spinner(note):
            yield
    else:
        yield


class Stale(Exception):
    """The page that wanted the answer is gone."""


class Jobs:
    """Futures by key, one thread per kind, so that a slow kind never holds up a quick one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._futures: dict[Key, Future[Any]] = {}
        self._asked: dict[Key, float] = {}

    def ask(
        self, kind: str, key: Key, function: Callable[..., Any], *arguments: Any
    ) -> Future[Any]:
        key = (kind, *key)
        with self._lock:
            self._asked[key] = self._clock()
            future = self._futures.pop(key, None)
            if future is None or (future.done() and is_stale(future)):
                pool = self._pools.setdefault(kind, ThreadPoolExecutor(1, kind))
                future = pool.submit(self._work, key, function, *arguments)
            self._futures[key] = future  # at the end: the first are the first to go
            while len(self._futures) > KEPT:
                self._asked.pop(oldest := next(iter(self._futures)), None)
                self._futures.pop(oldest)
            return future

    def still_wanted(self, futures: list[Future[Any]]) -> None:
        """A page waits for these: however long the others before them take, none is stale."""
        with self._lock:
            now = self._clock()
            self._asked |= {key: now for key, future in self._futures.items() if future in futures}

    def answered(self, kind: str, key: Key) -> bool:
        """Whether the answer is there already."""
        future = self._futures.get((kind, *key))
        return future is not None and future.done() and future.exception() is None

    def clear(self) -> None:
        """Let go of all answers, and begin with none of those that wait."""
        with self._lock:
            pools, self._pools = self._pools, {}
            self._futures.clear()
            self._asked.clear()
        for pool in pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    def _work(self, key: Key, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._clock() - self._asked.get(key, 0.0) > STALE_SECONDS:
            raise Stale
        return function(*arguments)


def is_stale(future: Future[Any]) -> bool:
    """Whether nobody will ever answer; the future must be done."""
    return future.cancelled() or isinstance(future.exception(), Stale)
