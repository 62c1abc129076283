"""The keeper of a server: one thread that looks who is still there, and lets go of the rest.

Who is there keeps the runs on their own tables. Who is gone loses, after a few minutes, all that
the memory of the server holds of them: the room (see shared/rooms.py), the views of their runs,
the layouts that wait, and the pages themselves with the files that were sent to them.
"""

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, cast

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages._ui.jobs import store
from pages._ui.shared import rooms

LOOK_SECONDS = 15.0  # between two looks
# A closed page is kept for a browser that lost its connection. Streamlit gives it up after two
# minutes, but lets go of it only when the next one is closed: the keeper comes before.
AWAY_SECONDS = 75.0
COLLECT_SECONDS = 120.0  # between two whole garbage collections: after every page takes too long

_logger = logging.getLogger(__name__)


class Keeper:
    """Looks again and again; what goes wrong with one visitor is written down, and it goes on."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._pages: dict[str, list[_Clearable]] = {}  # what each session holds
        self._away: dict[str, float] = {}  # sessions without an open page, and since when
        self._orphaned = 0  # looks after which no file that a closed page offered is left
        self._said: dict[str, str] = {}
        self._collected = clock()

    def look_after(self, session: str) -> None:
        """Note the page that is being drawn; start the thread, again if it has ended."""
        with self._lock:
            self._pages[session] = _inside(session)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._keep, name="keeper", daemon=True)
                self._thread.start()

    def _keep(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """One look at everything; never raises."""
        self._try("the pages that were closed", self._close_pages)
        here = self._try("the rooms", rooms.ROOMS.look) or ()
        for runner in store.runners():
            for owner in here:
                self._try("the runs of a visitor", runner.renew, owner)
            self._try("the views of removed runs", runner.drop_removed)
        self._try("the layouts of removed runs", store.LAYOUTS.drop_removed)
        if self._clock() - self._collected > COLLECT_SECONDS:
            self._collected = self._clock()
            gc.collect()

    def _close_pages(self) -> None:
        if not runtime.exists():
            return
        now, server = self._clock(), runtime.get_instance()
        if self._orphaned:
            self._orphaned -= 1
            server.media_file_mgr.remove_orphaned_files()
        for session in {*self._pages, *_senders(server)}:
            if rooms.is_open(session):
                self._away.pop(session, None)
            elif now - self._away.setdefault(session, now) > AWAY_SECONDS:
                del self._away[session]
                inside = self._pages.pop(session, [])
                # Sessions are closed on the thread that opens them.
                _loop(server).call_soon_threadsafe(_close, server, session, inside)
                self._orphaned = 2  # the first marks what somebody may still be fetching

    def _try(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            if self._said.get(what) != str(error):  # said once, not at every look
                _logger.exception("The keeper could not look after %s", what)
            self._said[what] = str(error)
            return None


class _Clearable(Protocol):
    def clear(self) -> None: ...


def _inside(session: str) -> list[_Clearable]:
    """What a session holds: the values of its widgets, files among them, and parts of its page."""
    context = get_script_run_ctx(suppress_warning=True)
    page = runtime.get_instance().get_app_session(session) if runtime.exists() else None
    return [context.fragment_storage, page.session_state] if context and page else []


def _close(server: runtime.Runtime, session: str, inside: list[_Clearable]) -> None:
    """Streamlit may hold the latest session for long after its end: it is emptied first."""
    for part in inside:
        part.clear()
    server.uploaded_file_mgr.remove_session_files(session)
    server.close_session(session)


def _senders(server: runtime.Runtime) -> list[str]:
    """The sessions that sent files, also those that never asked for a page."""
    return list(getattr(server.uploaded_file_mgr, "file_storage", ()))


def _loop(server: runtime.Runtime) -> asyncio.AbstractEventLoop:
    return cast("asyncio.Future[None]", server.stopped).get_loop()


KEEPER = Keeper()  # one per process: a module is imported once
