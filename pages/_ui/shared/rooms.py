"""Who is there, and what the server keeps in memory: a room for each visitor, one for everyone.

In the room of everyone stands what comes with the program. Whatever was made from a table of
somebody's own, and the table itself, stands in the room of that visitor and nowhere else. A room is
emptied a few minutes after the last page of its visitor is closed, so that a reload finds it again.

Nothing of this is in a cache of Streamlit: every client can clear those, for all visitors.

A visitor is a browser. Streamlit gives every browser a random token in its cookie against forged
requests, written under a new mask each time; without the mask it stays the same until the browser
forgets its cookies. Cookies may be switched off: then a visitor is one session, and a reload makes
a new one. Behind a proxy with a login, ANTIDOTE_USER_HEADER names the header in which the proxy
says who it is; then a visitor is that person, in whatever browser.
"""

import hashlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import add_script_run_ctx, get_script_run_ctx

import antidote_core as ac
from antidote_core.engine.settings import LEASE_SECONDS

COOKIE = "_streamlit_xsrf"
_OWNER = "_owner"
ANSWERS = 64  # kept per room
STALE_SECONDS = 15.0  # nobody has asked for so long: not worth beginning with
Key = tuple[Hashable, ...]
MORE = 4  # times as much as a visitor's is kept for everyone
TABLES = 3  # per visitor
FILE_BYTES = 64 * 1024**2  # of the files to download in a room
MAX_TOTAL = 1024**3  # bytes of all tables of all visitors
_T = TypeVar("_T")


def visitor() -> str:
    """The token, as a digest that says nothing about the cookie."""
    if _OWNER not in st.session_state:
        secret = _login() or _cookie() or secrets.token_bytes(32)
        st.session_state[_OWNER] = hashlib.sha256(b"visitor:" + secret).hexdigest()
    return st.session_state[_OWNER]


def _login() -> bytes | None:
    header = os.environ.get("ANTIDOTE_USER_HEADER")
    name = st.context.headers.get(header) if header else None
    return b"login:" + name.encode() if isinstance(name, str) and name else None


def _cookie() -> bytes | None:
    cookie = st.context.cookies.get(COOKIE)
    return unmasked(cookie) if isinstance(cookie, str) else None


def unmasked(cookie: str) -> bytes | None:
    """The token in a cookie of the form 2|mask|masked token|time; None in any other."""
    parts = cookie.strip("\"'").split("|")
    if len(parts) != 4 or parts[0] != "2":
        return None
    try:
        mask, masked = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except ValueError:
        return None
    if len(mask) != 4 or len(masked) < 16:
        return None
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(masked))


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
            while len(self._futures) > ANSWERS:
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


class Files:
    """Files to download that stay at their address until they are let go.

    Streamlit lets go of a file that no page names. At its beginning a page that is drawn again
    names none, and what a button makes when it is pressed is never named: whoever's page is ready
    next removes it, and the browser that comes for it is told 404. Here each job names its files
    itself, as a session of its own would.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._bytes: dict[str, dict[str, int]] = {}

    def hold(self, job: str, name: str, kind: str, content: bytes) -> None:
        """Keep this file of the job; the files of the oldest jobs go where there are too many."""
        session, place = f"files {id(self)} {job}", f"{name} {hash(content)}"
        with self._lock:
            held = self._bytes.pop(session, {})
            self._bytes[session] = held  # at the end: the first are the first to go
            if place in held or not runtime.exists():
                return
            held[place] = len(content)
            media = runtime.get_instance().media_file_mgr
            adding = threading.Thread(
                target=media.add, args=(content, kind, place, name, True), daemon=True
            )
            add_script_run_ctx(adding, SimpleNamespace(session_id=session))  # type: ignore[arg-type]
            adding.start()
            adding.join()
            while self._total() > self._most and len(self._bytes) > 1:
                self._let_go(next(iter(self._bytes)))

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            for session in list(self._bytes):
                self._let_go(session)

    def _total(self) -> int:
        return sum(size for held in self._bytes.values() for size in held.values())

    def _let_go(self, session: str) -> None:
        del self._bytes[session]
        if runtime.exists():
            media = runtime.get_instance().media_file_mgr
            media.clear_session_refs(session)
            for _ in range(2):  # the first time a file is marked only
                media.remove_orphaned_files()


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
        self.brought: Any = None  # the table on the upload form
        self.jobs = Jobs()
        self.builds = Jobs()  # of files to download
        self.files = Files(FILE_BYTES * more)
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
        self.brought = None
        self.jobs.clear()
        self.builds.clear()
        self.files.clear()


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
            held = sum(d.nbytes for r in self._rooms.values() for d in r.tables.values())
            if held + data.nbytes > MAX_TOTAL:
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
