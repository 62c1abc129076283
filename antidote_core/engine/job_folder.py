"""A job on disk: where it stands, its folder, its data, its log, and the lock of its worker.

The log has one JSON event per line, appended and never changed. A line is whole once its newline is
there. What stands after the last newline is being written, or was cut off by a kill: it is not
read. A damaged line becomes an event "unreadable", so that the fold can count it.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import threading
import time
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np

from antidote_core.datasets import load_for
from antidote_core.datasets.parts.folder import head_fields, head_values
from antidote_core.engine.settings import CANCEL_SECONDS
from antidote_core.errors import DataError
from antidote_core.runs.events import Closed, Event, Unreadable, event_of
from antidote_core.runs.kinds import JobKind, Spec, read_spec
from antidote_core.runs.state import JobState, JobView
from antidote_core.types import DataCard, Dataset, Dialect, Origin


@dataclass(frozen=True)
class JobStatus:
    """One job of the store.

    `position` is its place in the queue, from 1, and 0 when it does not wait; `expected` is about
    how many seconds that will be, None where nothing is known to judge by. `reason` says why it
    ended. Times are seconds since 1970, None before they happen. `name` is the one its owner gave.
    `summary` holds the figures of an ended run (see `RunView.summary`).
    """

    run_id: str
    state: JobState
    spec: Spec
    private: bool
    submitted: float
    position: int = 0
    expected: float | None = None
    reason: str = ""
    name: str = ""
    started: float | None = None
    ended: float | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """The name of the data set that the job is about; empty where it is about several."""
        asked = self.spec.data_spec
        return asked.dataset if asked else ""

    @property
    def live(self) -> bool:
        """Whether more may still happen: poll as long as this is true."""
        return self.state.live

    @property
    def can_restart(self) -> bool:
        """Whether `Runner.restart` would start it again."""
        return self.state in (JobState.STOPPED, JobState.FAILED, JobState.DEAD)

    @property
    def message(self) -> str:
        """One sentence for a screen."""
        if self.state is JobState.QUEUED:
            wait = "" if self.expected is None else f", about {max(1.0, self.expected):,.0f} s"
            return f"Waiting for a free place: number {self.position} in the queue{wait}."
        if self.state is JobState.RUNNING:
            return "Working."
        start = {"finished": "Finished", "stopped": "Stopped", "failed": "Failed", "dead": "Lost"}
        return f"{start[self.state]}: {self.reason.rstrip('.')}."


class _File:
    """A file of the folder, by its name there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, folder: RunFolder, kind: type[RunFolder]) -> Path:
        return folder.path / self._name


@dataclass(frozen=True)
class RunFolder:
    """Names of the files; only `data` may be missing from a run that has begun."""

    path: Path

    spec = _File("spec.json")  # what was asked
    meta = _File("meta.json")  # who asked and when: what the index holds besides spec and log
    events = _File("events.jsonl")  # what happened
    data = _File("data.npz")  # rows of a data set of one's own; absent for one known by name
    layouts = _File("layouts")  # maps of such rows; those of other sets stand in the home folder
    lease = _File("lease")  # of a temporary run; its time says when the owner was last there
    stop = _File("stop")  # exists when the run is to stop, and holds the reason
    lock = _File("worker.lock")  # held by the worker as long as it lives
    cluster = _File("cluster")  # address of the dask scheduler for a sweep; absent for this machine
    scratch = _File("scratch")  # what the processes of a sweep need no longer than it works
    output = _File("worker.log")  # what the worker printed, tracebacks included

    def create(self, spec: Spec, data: Dataset | Path | None, temporary: bool = False) -> None:
        """Make the folder, readable by this user only, with the spec and the data in it.

        Data in the file of another run are linked, where the disk can do that.
        """
        self.path.mkdir(mode=0o700)
        self.spec.write_text(spec.to_json() + "\n", encoding="utf-8")
        if isinstance(data, Dataset):
            write_dataset(self.data, data)
        elif data is not None:
            try:
                os.link(data, self.data)
            except OSError:
                shutil.copyfile(data, self.data)
        if temporary:
            self.lease.touch()

    def read_spec(self) -> Spec:
        """What was asked, or a sentence about what is wrong with its file."""
        return read_spec(self.spec.read_text(encoding="utf-8"))

    def view(self, kind: JobKind) -> JobView:
        """The job as its log tells it."""
        return follow(kind.view(), read_log(self.events)[0])

    def read_data(self) -> Dataset:
        """The data set of the run, from its own file or by name."""
        if self.data.exists():
            return read_dataset(self.data)
        asked = self.read_spec().data_spec
        if asked is None:
            raise DataError("This job is not about one data set; open one of its runs.")
        return load_for(asked)

    def write_meta(self, values: dict[str, Any]) -> None:
        """Replace the file in one step: a reader sees the old one or the new one."""
        replace_text(self.meta, json.dumps(values, indent=1) + "\n")

    def ask_to_stop(self, reason: str) -> None:
        """Leave the sign that the worker looks for; the first reason stays."""
        if not self.stop.exists():
            replace_text(self.stop, reason)

    def write_end(self, state: str, reason: str, seconds: float = 0.0) -> None:
        """Write the end of a run that has no worker to write it."""
        with LogWriter(self.events) as log:
            log.append(event_of(state, {"seconds": seconds, "reason": reason}))
            log.append(Closed(seconds=seconds))


class StopSign:
    """Whether the stop file exists, looked up at most every CANCEL_SECONDS; stays up once seen."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen = False
        self._next = 0.0

    def __call__(self) -> bool:
        """Whether to stop."""
        now = time.monotonic()
        if not self._seen and now >= self._next:
            self._seen = self._path.exists()
            self._next = now + CANCEL_SECONDS
        return self._seen

    def reason(self) -> str:
        """Why to stop, as written by whoever asked; empty as long as nobody did."""
        return self._path.read_text(encoding="utf-8") if self() else ""


def replace_text(path: Path, text: str) -> None:
    """Write a small file so that it is there as a whole or not at all."""
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)


V = TypeVar("V", bound=JobView)


class LogWriter(AbstractContextManager["LogWriter"]):
    """Appends events; each is with the system, and so safe from a kill, when `append` returns."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        self._file = path.open("a+b")
        if self._file.seek(0, os.SEEK_END):
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":  # close off a torn line, so that the next stands alone
                self._file.write(b"\n")

    def append(self, event: Event) -> None:
        """Write one line."""
        with self._lock:
            self._file.write(event.to_json().encode() + b"\n")
            self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def read_log(path: Path, offset: int = 0) -> tuple[list[Event], int]:
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
            events, self._offset = read_log(self._path, self._offset)
            self._view = follow(self._view, events)
            return self._view


def _event(line: bytes) -> Event:
    try:
        return Event.from_json(line.decode())
    except (DataError, UnicodeDecodeError):
        return Unreadable()


_ARRAYS = ("points", "groups", "shift", "scale")


def write_dataset(path: Path, data: Dataset) -> None:
    """Write `data` as npz."""
    header = {**head_values(data), "card": asdict(data.card) if data.card else None}
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    arrays = {name: getattr(data, name) for name in _ARRAYS}
    if data.weights is not None:
        arrays["weights"] = data.weights
    if data.origin is not None:
        arrays |= _origin_arrays(data.origin)
    np.savez(path, header=text, **arrays)


def _origin_arrays(origin: Origin) -> dict[str, Any]:
    """What `_read_origin` reads: tables as bytes of Arrow, the rest as JSON."""
    import pyarrow as pa

    about = {"ids": origin.ids, "dialect": asdict(origin.dialect)}
    found = {"origin": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)}
    for name in ("written", "left_out"):
        sink, table = io.BytesIO(), pa.Table.from_pandas(getattr(origin, name))
        with pa.ipc.new_stream(sink, table.schema) as stream:
            stream.write_table(table)
        found[name] = np.frombuffer(sink.getvalue(), dtype=np.uint8)
    return {**found, "rows": origin.rows}


def _read_origin(file: Any) -> Origin:
    import pyarrow as pa

    tables = []
    for name in ("written", "left_out"):
        with pa.ipc.open_stream(file[name].tobytes()) as stream:
            tables.append(stream.read_all().to_pandas())
    about = json.loads(file["origin"].tobytes())
    return Origin(
        file["rows"], tables[0], tuple(about["ids"]), tables[1], Dialect(**about["dialect"])
    )


def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(file["header"].tobytes())
            names = (*_ARRAYS, "weights") if "weights" in file else _ARRAYS
            arrays: dict[str, Any] = {name: file[name] for name in names}
            if "origin" in file:
                arrays["origin"] = _read_origin(file)
        card = header["card"]
        return Dataset(**head_fields(header), **arrays, card=DataCard(**card) if card else None)
    except (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"The data file of this run cannot be read ({type(error).__name__}); start the run "
            "again from the original table."
        ) from error


class Lock:
    """Not held until `acquire` returns True."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._connection is not None

    def acquire(self) -> bool:
        """Take the lock if it is free; never waits."""
        if self.held:
            return True
        connection = sqlite3.connect(
            self._path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise OSError(f"{self._path}: {error}") from error
        self._connection = connection
        return True

    def release(self) -> None:
        """Give the lock back; does nothing when it is not held."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def is_held(path: Path) -> bool:
    """Whether some process holds the lock of that name."""
    if not path.exists():
        return False
    probe = Lock(path)
    if probe.acquire():
        probe.release()
        return False
    return True
