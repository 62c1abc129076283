"""Tables that visitors bring along, and all data sets this browser may choose from.

A table stays in the memory of the server, under the token of the browser that brought it. It is
gone a few minutes after the last page of that browser is closed, so that a reload finds it again.
Runs on it are temporary: their folders go with it.
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import antidote_core as ac
from antidote_core.datasets import DATASETS, DatasetInfo, Form, dataset_info
from antidote_core.datasets.registry import subsample
from antidote_core.engine.settings import LEASE_SECONDS
from pages._ui.jobs import store

LOOK_SECONDS = 15.0  # between two looks at who is still there
KEPT = 3  # tables per browser
MAX_TOTAL = 1024**3  # bytes of all tables of all visitors
TABLE = "table"  # the one choice of rows that a table of one's own has
PREFIX = "my-"


@dataclass
class _Visitor:
    seen: float
    sessions: set[str] = field(default_factory=set)
    tables: dict[str, ac.Dataset] = field(default_factory=dict)


class Uploads:
    """Tables by owner and name. `alive` says whether a session has an open page."""

    def __init__(
        self,
        alive: Callable[[str], bool],
        renew: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._alive = alive
        self._renew = renew
        self._clock = clock
        self._lock = threading.Lock()
        self._visitors: dict[str, _Visitor] = {}
        self._keeper: threading.Thread | None = None

    def put(self, owner: str, session: str, data: ac.Dataset) -> None:
        with self._lock:
            visitor = self._visitors.get(owner) or _Visitor(self._clock())
            others = [name for name in visitor.tables if name != data.name]
            if len(others) >= KEPT:
                raise ac.DataError(
                    f"{len(others)} tables of yours are here already ({', '.join(others)}); forget "
                    "one of them first."
                )
            held = sum(d.points.nbytes for v in self._visitors.values() for d in v.tables.values())
            if held + data.points.nbytes > MAX_TOTAL:
                raise ac.DataError(
                    "The server holds as many tables of its visitors as it can; take fewer rows, "
                    "or try again later."
                )
            visitor.tables[data.name] = data
            visitor.sessions.add(session)
            self._visitors[owner] = visitor
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name="uploads", daemon=True)
                self._keeper.start()

    def of(self, owner: str, session: str) -> dict[str, ac.Dataset]:
        """The tables of this owner, who is here right now."""
        with self._lock:
            visitor = self._visitors.get(owner)
            if visitor is None:
                return {}
            visitor.seen = self._clock()
            visitor.sessions.add(session)
            return dict(visitor.tables)

    def forget(self, owner: str, name: str) -> None:
        with self._lock:
            visitor = self._visitors.get(owner)
            if visitor is not None:
                visitor.tables.pop(name, None)
                if not visitor.tables:
                    del self._visitors[owner]

    def look(self) -> None:
        """Drop the tables of those who are gone; keep the runs of the others."""
        with self._lock:
            now = self._clock()
            for owner, visitor in list(self._visitors.items()):
                visitor.sessions = {s for s in visitor.sessions if self._alive(s)}
                if visitor.sessions:
                    visitor.seen = now
                elif now - visitor.seen > LEASE_SECONDS:
                    del self._visitors[owner]
            present = [owner for owner, visitor in self._visitors.items() if visitor.sessions]
        for owner in present:
            self._renew(owner)

    def _keep(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.look()
            with self._lock:
                if not self._visitors:
                    self._keeper = None
                    return


@st.cache_resource(show_spinner=False)
def uploads() -> Uploads:
    return Uploads(_is_open, lambda owner: store.runner().renew(owner))


def _is_open(session: str) -> bool:
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def _session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def own_tables() -> dict[str, ac.Dataset]:
    """The tables of this browser, by the names under which they can be chosen."""
    return uploads().of(store.owner(), _session())


def is_own(name: str) -> bool:
    """Whether a data set of this name is somebody's own: everything that is not ours."""
    return name not in DATASETS


def names() -> list[str]:
    """What this browser can choose from."""
    return [*DATASETS, *own_tables()]


def info(name: str) -> DatasetInfo:
    """The registry's entry, or one for a table of this browser."""
    if not is_own(name):
        return dataset_info(name)
    data = _mine(name)
    return DatasetInfo(
        name=name,
        title=data.title,
        description=f"{data.source[0].upper()}{data.source[1:]}. Only this browser sees it.",
        kind="real",
        protected=(data.protected,),
        load=lambda request: data,
        forms=lambda: (Form(TABLE, "the rows of your table"),),
    )


def load(name: str, sample: int | None, seed: int) -> ac.Dataset:
    """The table of this browser, or a sample of it."""
    data = _mine(name)
    return data if sample is None else _sampled(data.content_hash, sample, seed, data)


@st.cache_resource(scope="session", max_entries=2, show_spinner=False)
def _sampled(content_hash: str, sample: int, seed: int, _data: ac.Dataset) -> ac.Dataset:
    return subsample(_data, sample, seed)


def is_small(name: str, rows: int) -> bool:
    """Whether it is a table of this browser with no more than so many rows."""
    return is_own(name) and _mine(name).n <= rows


def fingerprint(name: str) -> str:
    """Tells one preparation of a table from another of the same name."""
    return _mine(name).content_hash[:12]


def _mine(name: str) -> ac.Dataset:
    tables = own_tables()
    if name not in tables:
        raise ac.DataError(
            f"There is no table {name!r} in this browser session (any more); upload it again on "
            "the Data page."
        )
    return tables[name]


def keep(data: ac.Dataset) -> None:
    uploads().put(store.owner(), _session(), data)


def forget(name: str) -> int:
    """Forget the table and its runs; returns how many runs there were."""
    uploads().forget(store.owner(), name)
    return store.runner().forget(store.owner(), name)


def choosable_name(title: str) -> str:
    """The name under which a table is chosen: fit for a URL, never that of a bundled set."""
    slug = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_")[:40]
    return PREFIX + (slug or "table")
