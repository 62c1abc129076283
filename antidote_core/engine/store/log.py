"""The event log of a run: one JSON event per line, appended and never changed.

A line is whole once its newline is there. What stands after the last newline is being written, or
was cut off by a kill: it is not read. A damaged line becomes an event "unreadable", so that the
fold can count it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from antidote_core.errors import DataError
from antidote_core.runs.events import Event, Unreadable
from antidote_core.runs.state import JobView

V = TypeVar("V", bound=JobView)


class LogWriter:
    """Appends events; each is with the system, and so safe from a kill, when `append` returns."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        torn = path.exists() and not _ends_with_newline(path)
        self._file = path.open("ab")
        if torn:  # close off the torn line, so that the next one stands alone
            self._file.write(b"\n")

    def append(self, event: Event) -> None:
        """Write one line."""
        with self._lock:
            self._file.write(event.to_json().encode() + b"\n")
            self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def read(path: Path, offset: int = 0) -> tuple[list[Event], int]:
    """The events of the whole lines from byte `offset` on, and the offset of the next one."""
    with path.open("rb") as file:
        file.seek(offset)
        chunk = file.read()
    end = chunk.rfind(b"\n") + 1
    return [_event(line) for line in chunk[:end].split(b"\n")[:-1]], offset + end


def follow(view: V, events: Iterable[Event]) -> V:
    """The view after events from a file: one that makes no sense counts as unreadable."""
    for event in events:
        try:
            view = view.apply_event(event)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError):
            view = view.apply_event(Unreadable())
    return view


class Follower(Generic[V]):
    """The view of a log that may still grow; each call reads only what is new. Thread-safe.

    `empty` is the view before the first event.
    """

    def __init__(self, path: Path, empty: V) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._offset = 0
        self._empty = empty
        self._view = self._empty

    def view(self) -> V:
        """The fold of all whole lines so far."""
        with self._lock:
            if self._path.stat().st_size < self._offset:  # another file took its place
                self._offset, self._view = 0, self._empty
            events, self._offset = read(self._path, self._offset)
            self._view = follow(self._view, events)
            return self._view


def _event(line: bytes) -> Event:
    try:
        return Event.from_json(line.decode())
    except (DataError, UnicodeDecodeError):
        return Unreadable()


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, 2):
            return True
        file.seek(-1, 2)
        return file.read(1) == b"\n"
