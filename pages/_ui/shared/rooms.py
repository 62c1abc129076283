"""What the server keeps in memory: a room for each visitor, and one for everyone.

In the room of everyone stands what comes with the program. Whatever was made from a table of
somebody's own, and the table itself, stands in the room of that visitor and nowhere else. A room is
emptied a few minutes after the last page of its visitor is closed, so that a reload finds it again.

Nothing of this is in a cache of Streamlit: every client can clear those, for all visitors.
"""

import threading
import time
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import antidote_core as ac
from antidote_core.engine.settings import LEASE_SECONDS
from pages._ui.shared.background import Jobs
from pages._ui.shared.visitor import visitor

MORE = 4  # times as much as a visitor's is kept for everyone
TABLES = 3  # per visitor
MAX_TOTAL = 1024**3  # bytes of all tables of all visitors

_T = TypeVar("_T")


class _Kept:
    """One result, made once however many ask for it at the same time."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made = False
        self.value: Any = None


class Room:
    """Results by kind and key, answers on their way, and tables; nobody may change what it gives.

    Keys name arrays by their content hash: comparing a part of them would mix them up.
    """

    def __init__(self, more: int = 1) -> None:
        self.tables: dict[str, ac.Dataset] = {}
        self.jobs = Jobs()
        self.sessions: set[str] = set()
        self.seen = 0.0
        self._more = more
        self._lock = threading.Lock()
        self._kept: dict[str, dict[Hashable, _Kept]] = {}

    def kept(
        self, kind: str, key: Hashable, make: Callable[[], _T], most: int, note: str = ""
    ) -> _T:
        """What `make` gives, made only when it is not here; the latest `most` of a kind stay.

        `note` is said on the page while it is made.
        """
        with self._lock:
            found = self._kept.setdefault(kind, {})
            one = found.pop(key, None) or _Kept()
            found[key] = one  # at the end: the first are the first to go
            while len(found) > most * self._more:
                found.pop(next(iter(found)))
        with st.spinner(note) if note and not one.made else nullcontext(), one.lock:
            if not one.made:
                one.value, one.made = make(), True
            value: _T = one.value
            return value

    def clear(self) -> None:
        """Let go of everything but the tables."""
        with self._lock:
            self._kept.clear()
        self.jobs.clear()


class Rooms:
    """The rooms of a server. `is_open` says whether a session has an open page. Thread-safe."""

    def __init__(
        self, is_open: Callable[[str], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.everyone = Room(MORE)
        self._is_open = is_open
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, Room] = {}

    def of(self, owner: str, session: str) -> Room:
        """The room of this visitor, who is here right now."""
        with self._lock:
            room = self._rooms.setdefault(owner, Room())
            room.seen = self._clock()
            room.sessions.add(session)
            return room

    def put(self, owner: str, session: str, data: ac.Dataset) -> None:
        """Keep a table for its owner; a sentence when there is no room for it."""
        room = self.of(owner, session)
        with self._lock:
            others = [name for name in room.tables if name != data.name]
            if len(others) >= TABLES:
                raise ac.DataError(
                    f"{len(others)} tables of yours are here already ({', '.join(others)}); forget "
                    "one of them first."
                )
            held = sum(d.points.nbytes for r in self._rooms.values() for d in r.tables.values())
            if held + data.points.nbytes > MAX_TOTAL:
                raise ac.DataError(
                    "The server holds as many tables of its visitors as it can; take fewer rows, "
                    "or try again later."
                )
            room.tables[data.name] = data

    def forget(self, owner: str, name: str) -> None:
        """Let go of a table and of all that may have been made from it."""
        with self._lock:
            room = self._rooms.get(owner)
            if room is not None:
                room.tables.pop(name, None)
        if room is not None:
            room.clear()

    def look(self) -> list[str]:
        """Empty the rooms of those who have been gone for some minutes; returns who is here."""
        with self._lock:
            now = self._clock()
            gone = []
            for owner, room in list(self._rooms.items()):
                room.sessions = {session for session in room.sessions if self._is_open(session)}
                if room.sessions:
                    room.seen = now
                elif now - room.seen > LEASE_SECONDS:
                    gone.append(self._rooms.pop(owner))
            here = [owner for owner, room in self._rooms.items() if room.sessions]
        for room in gone:
            room.tables.clear()
            room.clear()
        return here


def is_open(session: str) -> bool:
    """Whether a page of this session is open in some browser."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


ROOMS = Rooms(is_open)  # one per process: a module is imported once


def session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def mine() -> Room:
    """The room of the visitor of this page."""
    return ROOMS.of(visitor(), session())


def room(own: bool) -> Room:
    """Where to keep what was made from a table of this visitor's own, or from one of ours."""
    return mine() if own else ROOMS.everyone
