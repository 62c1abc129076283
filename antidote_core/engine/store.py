"""The runs on disk: one folder each, and an index of them.

The folders are the truth: spec.json, meta.json and events.jsonl say everything. The index (SQLite)
answers quickly who has which runs, what is waiting and which run answers a spec; it is rebuilt from
the folders when it is missing, damaged or of an older layout.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import sqlite3
import statistics
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from antidote_core.datasets import DATASETS
from antidote_core.engine.job_folder import JobStatus, LogWriter, RunFolder
from antidote_core.engine.settings import BUSY_SECONDS, TOUCH_SECONDS, Limits, default_home
from antidote_core.errors import AntidoteError, RunError
from antidote_core.runs.events import Event, Queued
from antidote_core.runs.kinds import KINDS, RUN, JobKind, Spec, kind_of, read_spec
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import JobState, JobView
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

LAYOUT = 3  # of the index, in PRAGMA user_version: an older one is rebuilt from the folders
MOST_SECONDS = 3600.0  # longer: the folder was copied here, and its times are not those of the run
LATEST = 40  # jobs from which the next are judged
UNUSABLE = (OSError, ValueError, LookupError, TypeError)  # what a damaged folder raises
_ID = re.compile(r"[A-Za-z0-9_-]{22}")
_TABLES = (
    """CREATE TABLE runs (
        id TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        spec TEXT NOT NULL,
        private INTEGER NOT NULL,
        state TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        turn INTEGER NOT NULL DEFAULT 0,
        submitted REAL NOT NULL,
        started REAL,
        ended REAL,
        looked REAL NOT NULL,
        summary TEXT NOT NULL DEFAULT '{}')""",
    "CREATE INDEX runs_by_key ON runs (key)",
    "CREATE INDEX runs_by_state ON runs (state, turn)",
    """CREATE TABLE owners (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        owner TEXT NOT NULL,
        name TEXT NOT NULL DEFAULT '',
        sweep TEXT NOT NULL DEFAULT '',
        added REAL NOT NULL,
        looked REAL NOT NULL,
        joined INTEGER NOT NULL DEFAULT 1,
        PRIMARY KEY (run, owner, sweep))""",
    "CREATE INDEX owners_by_owner ON owners (owner, added)",
    "CREATE INDEX owners_by_sweep ON owners (sweep)",
)


Lane = tuple[str, bool]


def _lane(row: sqlite3.Row) -> Lane:
    """Jobs that queue behind each other: a kind, and runs on teaching sets apart from the others.

    These take a moment, and a class should not wait for somebody's long run.
    """
    if row["kind"] != RUN.name or row["private"]:
        return row["kind"], False
    info = DATASETS.get(json.loads(row["spec"])["dataset"])
    return row["kind"], info is not None and info.kind == "teaching"


def content_key(spec: Spec, data_hash: str) -> str:
    """Equal for jobs that ask the same of the same rows; without data, of those of the paper."""
    return hashlib.sha256(f"{spec.id}:{data_hash}".encode()).hexdigest()


def check_id(run_id: str) -> str:
    """The id itself if it has the form of one; a sentence otherwise."""
    if not isinstance(run_id, str) or not _ID.fullmatch(run_id):
        raise RunError(
            f"{str(run_id)[:40]!r} is not the id of a run; use the link of the run as it was given."
        )
    return run_id


class Store:
    """All runs under one home folder. Safe for many threads and several processes."""

    def __init__(self, home: Path | str | None = None, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.home = Path(home) if home is not None else default_home()
        self.runs = self.home / "runs"
        self._lock = threading.RLock()
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            self.runs.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise RunError(
                f"Runs cannot be kept in {self.home} ({error.strerror}); name a folder that can be "
                "written in ANTIDOTE_HOME."
            ) from error
        self._connection = self._open()

    def close(self) -> None:
        """Let go of the index."""
        with self._lock:
            self._connection.close()

    # -- submitting ---------------------------------------------------------------------------

    def find(self, key: str, owner: str | None, private: bool) -> str | None:
        """The run that answers this key: a finished one first, else one that is on its way.

        A private run answers its owners only.
        """
        rows = self._query(
            """SELECT id, state FROM runs WHERE key = ? AND private = ?
               AND state IN ('finished', 'running', 'queued')
               AND (NOT private OR id IN (SELECT run FROM owners WHERE owner = ?))
               ORDER BY state = 'finished' DESC, state = 'running' DESC, submitted""",
            (key, private, _digest(owner)),
        )
        for run_id, state in rows:
            folder = self._folder(run_id)
            if folder.events.exists() and (state == "finished" or not folder.stop.exists()):
                return str(run_id)
        return None

    def submit(
        self,
        spec: Spec,
        data: Dataset | None,
        owner: str | None = None,
        private: bool = False,
        temporary: bool = False,
    ) -> str:
        """The id of the run that answers the spec: a known one, or a new one in the queue."""
        key = content_key(spec, data.content_hash if data else "")
        run_id = self.find(key, owner, private)
        if run_id is None:
            self._limits.check_capacity(
                self._live_of(owner), len(self.ids(JobState.QUEUED)), self.runs
            )
            created = secrets.token_urlsafe(16)
            self._create_folder(created, spec, data if private else None, temporary, (Queued(),))
            with self._transaction():
                run_id = self.find(key, owner, private)  # someone may have been quicker
                if run_id is None:
                    self._insert(created, key, spec, private, time.time(), JobState.QUEUED)
                    self._attach(created, owner)
                    return created
            self._remove_folder(created)
        with self._transaction():
            self._attach(run_id, owner)
        return run_id

    def _create_folder(
        self,
        run_id: str,
        spec: Spec,
        data: Dataset | Path | None,
        temporary: bool,
        events: Iterable[Event],
    ) -> None:
        folder = self._folder(run_id)
        try:
            folder.create(spec, data, temporary)
            with LogWriter(folder.events) as log:
                for event in events:
                    log.append(event)
        except OSError as error:
            self._remove_folder(run_id)
            raise RunError(
                f"The run cannot be written to {self.runs} ({error.strerror}); free some space or "
                "name another folder in ANTIDOTE_HOME."
            ) from error

    def _remove_folder(self, run_id: str) -> None:
        # Under another name first: a folder that is half gone must not look like a run.
        path, doomed = self.runs / run_id, self.runs / f".{run_id}"
        if path.exists():
            path.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)

    def _insert(
        self, run_id: str, key: str, spec: Spec, private: bool, submitted: float, state: JobState
    ) -> None:
        self._execute(
            """INSERT INTO runs (id, kind, key, spec, private, state, submitted, looked, turn)
               VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(turn), 0) + 1 FROM runs))""",
            (run_id, kind_of(spec).name, key, spec.to_json(), private, state, submitted, submitted),
        )

    def add_to_list(self, run_id: str, owner: str) -> None:
        """Put a run that was opened by its link on the owner's list; no change if it is there.

        Such an owner has not asked for the run: it can be stopped without them.
        """
        self.check_access(run_id, owner)
        known = (run_id, _digest(owner))
        if not self._query("SELECT 1 FROM owners WHERE run = ? AND owner = ?", known):
            with self._transaction():
                self._attach(run_id, owner, joined=False)

    def _attach(self, run_id: str, owner: str | None, joined: bool = True) -> None:
        """Put the run on the owner's list; called inside a transaction."""
        now = time.time()
        if owner is not None:
            self._execute(
                """INSERT INTO owners (run, owner, added, looked, joined) VALUES (?, ?, ?, ?, ?)
                   ON CONFLICT DO UPDATE SET joined = max(joined, excluded.joined)""",
                (run_id, _digest(owner), now, now, joined),
            )
            for cell in self._cells(run_id):
                self._grant_to_sweep_owners(cell, run_id)
        self._execute("UPDATE runs SET looked = ? WHERE id = ?", (now, run_id))
        self._write_meta(run_id)

    def _write_meta(self, run_id: str) -> None:
        """Copy to the folder what only the index knows; called inside a transaction."""
        [run] = self._query("SELECT key, private, submitted FROM runs WHERE id = ?", (run_id,))
        owners = self._owners(run_id)
        try:
            self._folder(run_id).write_meta(
                {
                    "layout": LAYOUT,
                    "key": run["key"],
                    "private": bool(run["private"]),
                    "submitted": run["submitted"],
                    "owners": [dict(owner) for owner in owners],
                }
            )
        except OSError as error:
            raise self._folder_error(run_id, error) from error

    # -- sweeps and their cells ---------------------------------------------------------------

    def unfinished(
        self, spec: Spec, data: Dataset | None, owner: str | None, private: bool
    ) -> str | None:
        """The latest identical job of this owner that was stopped, failed or was lost."""
        ids = self._ids(
            """SELECT id FROM runs WHERE key = ? AND private = ?
               AND state IN ('stopped', 'failed', 'dead')
               AND (? OR id IN (SELECT run FROM owners WHERE owner = ?))
               ORDER BY submitted DESC""",
            (
                content_key(spec, data.content_hash if data else ""),
                private,
                owner is None and not private,
                _digest(owner),
            ),
        )
        return self._first_whole(ids)

    def finished_cell(self, key: str, sweep: str) -> str | None:
        """A finished run that answers the key, and that the owners of the sweep may use."""
        ids = self._ids(
            """SELECT id FROM runs WHERE key = ? AND kind = 'run' AND state = 'finished'
               AND private = (SELECT private FROM runs WHERE id = ?)
               AND (NOT private OR id IN (SELECT run FROM owners WHERE owner IN
                                          (SELECT owner FROM owners WHERE run = ?)))
               ORDER BY submitted""",
            (key, sweep, sweep),
        )
        found = self._first_whole(ids)
        if found is not None:
            with self._transaction():
                self._grant_to_sweep_owners(found, sweep)
        return found

    def _first_whole(self, ids: Iterable[str]) -> str | None:
        """The first of these runs whose folder has a log."""
        return next((run_id for run_id in ids if self._folder(run_id).events.exists()), None)

    def keep_cell(
        self, spec: RunSpec, data_hash: str, sweep: str, events: Iterable[Event], view: RunView
    ) -> str:
        """Store a finished cell as a run of its own, for the owners of the sweep."""
        of_sweep = self._folder(sweep)
        private = bool(self._row(sweep)["private"])
        created = secrets.token_urlsafe(16)
        self._create_folder(
            created, spec, of_sweep.data if private else None, of_sweep.lease.exists(), events
        )
        with self._transaction():
            now = time.time()
            self._insert(created, content_key(spec, data_hash), spec, private, now, JobState.QUEUED)
            self._execute("UPDATE runs SET started = ? WHERE id = ?", (now - view.seconds, created))
            self.record_end(created, JobState.FINISHED, view.reason, view)
            self._grant_to_sweep_owners(created, sweep)
        return created

    def keep_finished(
        self,
        spec: RunSpec,
        data_hash: str,
        events: Iterable[Event],
        view: RunView,
        owner: str | None = None,
    ) -> str:
        """Store a run that was done elsewhere, open to everyone, on the owner's list."""
        created = secrets.token_urlsafe(16)
        self._create_folder(created, spec, None, False, events)
        with self._transaction():
            now = time.time()
            self._insert(created, content_key(spec, data_hash), spec, False, now, JobState.QUEUED)
            self._execute("UPDATE runs SET started = ? WHERE id = ?", (now - view.seconds, created))
            self.record_end(created, JobState.FINISHED, view.reason, view)
            self._attach(created, owner)
        return created

    def _cells(self, sweep: str) -> list[str]:
        return self._ids("SELECT DISTINCT run FROM owners WHERE sweep = ?", (sweep,))

    def _grant_to_sweep_owners(self, run_id: str, sweep: str) -> None:
        """Give a cell to every owner of its sweep; called inside a transaction."""
        now = time.time()
        self._execute(
            """INSERT OR IGNORE INTO owners (run, owner, sweep, added, looked)
               SELECT ?, owner, ?, ?, ? FROM owners WHERE run = ?""",
            (run_id, sweep, now, now, sweep),
        )
        self._write_meta(run_id)

    # -- reading ------------------------------------------------------------------------------

    def folder(self, run_id: str) -> RunFolder:
        """The folder of a known run."""
        self._row(run_id)
        folder = self._folder(run_id)
        if not folder.events.is_file():
            raise self._folder_error(run_id)
        return folder

    def has(self, run_id: str) -> bool:
        """Whether the run is still known."""
        return bool(self._query("SELECT 1 FROM runs WHERE id = ?", (run_id,)))

    def check_access(self, run_id: str, owner: str | None) -> None:
        """A sentence for everyone but the owners of a private run; without owners it is open."""
        if not self._row(run_id)["private"]:
            return
        owners = [row["owner"] for row in self._owners(run_id)]
        if owners and _digest(owner) not in owners:
            raise RunError(
                "This run works on somebody's own table and opens only in the browser that started "
                "it; ask for its report instead, or upload the table here."
            )

    def temporary(self, owner: str) -> list[JobStatus]:
        """The runs of this owner that go when the owner does, latest first."""
        rows = self._query(
            """SELECT * FROM runs WHERE private AND id IN (SELECT run FROM owners WHERE owner = ?)
               ORDER BY turn DESC""",
            (_digest(owner),),
        )
        runs = [self._status(row, "") for row in rows]
        return [run for run in runs if self._folder(run.run_id).lease.exists()]

    def expired(self, seconds: float) -> list[str]:
        """The temporary runs whose owner has not been there for so long."""
        found = []
        for run_id in self._ids("SELECT id FROM runs WHERE private"):
            try:
                renewed = self._folder(run_id).lease.stat().st_mtime
            except FileNotFoundError:
                continue
            if renewed < time.time() - seconds:
                found.append(run_id)
        return found

    def _owners(self, run_id: str) -> list[sqlite3.Row]:
        return self._query(
            "SELECT owner, name, sweep, added, joined FROM owners WHERE run = ?", (run_id,)
        )

    def status(self, run_id: str, owner: str | None = None) -> JobStatus:
        """Where the run stands; `owner` adds the name this owner gave it."""
        row = self._row(run_id)
        names = self._query(
            "SELECT name FROM owners WHERE run = ? AND owner = ? ORDER BY sweep",
            (run_id, _digest(owner)),
        )
        return self._status(row, names[0]["name"] if names else "")

    def of_owner(self, owner: str, kind: JobKind) -> list[JobStatus]:
        """The jobs of one kind of one owner, latest first; cells stand with their sweep."""
        rows = self._query(
            """SELECT runs.*, owners.name FROM runs JOIN owners ON owners.run = runs.id
               WHERE owners.owner = ? AND kind = ? AND sweep = ''
               ORDER BY owners.added DESC, runs.turn DESC""",
            (_digest(owner), kind.name),
        )
        return [self._status(row, row["name"]) for row in rows]

    def ids(self, state: JobState, kind: JobKind | None = None) -> list[str]:
        """The jobs (of one kind) in that state, in the order of the queue."""
        return self._ids(
            "SELECT id FROM runs WHERE state = ? AND coalesce(?, kind) = kind ORDER BY turn",
            (state, kind and kind.name),
        )

    def by_lane(self, state: JobState, kind: JobKind) -> dict[Lane, list[str]]:
        """The jobs of a kind in that state by the lane they queue in, in the order of the queue."""
        found: dict[Lane, list[str]] = {}
        query = "SELECT * FROM runs WHERE state = ? AND kind = ? ORDER BY turn"
        for row in self._query(query, (state, kind.name)):
            found.setdefault(_lane(row), []).append(row["id"])
        return found

    def kind(self, run_id: str) -> JobKind:
        """Which kind of job the id is that of."""
        return KINDS[self._row(run_id)["kind"]]

    def over_time_limit(self, minutes: float) -> list[str]:
        """The running runs that began longer ago than this."""
        return self._ids(
            "SELECT id FROM runs WHERE state = 'running' AND started < ?",
            (time.time() - 60 * minutes,),
        )

    def _live_of(self, owner: str | None) -> int:
        """How many runs on this owner's list wait or work; nobody's are not counted."""
        return self._count(
            """FROM runs JOIN owners ON owners.run = runs.id
               WHERE owners.owner = ? AND joined AND state IN ('queued', 'running')""",
            (_digest(owner),),
        )

    def idle(self, seconds: float) -> list[str]:
        """The running runs that nobody has looked at for so long; a sweep needs no looks."""
        return self._ids(
            """SELECT id FROM runs WHERE state = 'running' AND kind = 'run'
               AND max(looked, started) < ?""",
            (time.time() - seconds,),
        )

    def watchers(self, run_id: str, owner: str, seconds: float) -> int:
        """How many others who asked for the run have looked at it within so long."""
        return self._count(
            """FROM (SELECT DISTINCT owner FROM owners
                     WHERE run = ? AND owner <> ? AND joined AND looked > ?)""",
            (run_id, _digest(owner), time.time() - seconds),
        )

    def _row(self, run_id: str) -> sqlite3.Row:
        rows = self._query("SELECT * FROM runs WHERE id = ?", (check_id(run_id),))
        if not rows:
            raise RunError(
                f"There is no run {run_id} here; it was deleted, or the link belongs to another "
                "server."
            )
        return rows[0]

    def _status(self, row: sqlite3.Row, name: str) -> JobStatus:
        position, expected = 0, None
        if row["state"] == JobState.QUEUED:
            position, expected = self._wait(row)
        return JobStatus(
            run_id=row["id"],
            state=JobState(row["state"]),
            spec=read_spec(row["spec"]),
            private=bool(row["private"]),
            submitted=row["submitted"],
            position=position,
            expected=expected,
            reason=row["reason"],
            name=name,
            started=row["started"],
            ended=row["ended"],
            summary=json.loads(row["summary"]),
        )

    def _wait(self, row: sqlite3.Row) -> tuple[int, float | None]:
        """The place of a queued job among those of its lane, and about how long it will wait.

        That is what such jobs took lately, for as many as are before it and share the places.
        """
        lane = _lane(row)
        jobs = self._query("SELECT * FROM runs WHERE state IN ('queued', 'running') ORDER BY turn")
        near = [job for job in jobs if _lane(job) == lane]
        working = sum(job["state"] == JobState.RUNNING for job in near)
        position = sum(
            job["state"] == JobState.QUEUED and job["turn"] <= row["turn"] for job in near
        )
        latest = self._query(
            """SELECT * FROM runs WHERE state = 'finished' AND started < ended
               AND ended - started < ? ORDER BY ended DESC LIMIT ?""",
            (MOST_SECONDS, LATEST),
        )
        took = [job["ended"] - job["started"] for job in latest if _lane(job) == lane]
        return position, statistics.median(took) * position / max(1, working) if took else None

    # -- changing -----------------------------------------------------------------------------

    def claim(self, run_id: str) -> bool:
        """Queued becomes running; False when it is no longer queued."""
        changed = self._execute(
            "UPDATE runs SET state = 'running', started = ? WHERE id = ? AND state = 'queued'",
            (time.time(), run_id),
        )
        return changed == 1

    def withdraw(self, run_id: str, reason: str) -> bool:
        """Queued becomes stopped; False when it is no longer queued."""
        changed = self._execute(
            """UPDATE runs SET state = 'stopped', reason = ?, ended = ?
               WHERE id = ? AND state = 'queued'""",
            (reason, time.time(), run_id),
        )
        return changed == 1

    def record_end(self, run_id: str, state: JobState, reason: str, view: JobView) -> None:
        """Write down how the run ended."""
        self._execute(
            "UPDATE runs SET state = ?, reason = ?, summary = ?, ended = ? WHERE id = ?",
            (state, reason, json.dumps(view.summary()), time.time(), run_id),
        )

    def requeue(self, run_id: str) -> None:
        """Stopped, failed or dead becomes queued, at the end of the queue, with a new log part.

        So does a finished sweep: cells of it may have failed.
        """
        folder = self.folder(run_id)
        with self._transaction():
            changed = self._execute(
                """UPDATE runs SET state = 'queued', reason = '', summary = '{}', started = NULL,
                   ended = NULL, looked = ?, turn = (SELECT max(turn) + 1 FROM runs)
                   WHERE id = ? AND (state IN ('stopped', 'failed', 'dead')
                                     OR state = 'finished' AND kind = 'sweep')""",
                (time.time(), run_id),
            )
            if not changed:
                raise RunError(
                    "This run is waiting, working or finished; only one that was stopped, failed "
                    "or was lost can be started again."
                )
            try:
                folder.stop.unlink(missing_ok=True)
                with LogWriter(folder.events) as log:
                    log.append(Queued())
            except OSError as error:
                raise self._folder_error(run_id, error) from error

    def touch(self, run_id: str, owner: str | None = None) -> None:
        """Someone is looking at the run."""
        now = time.time()
        self._execute(
            "UPDATE runs SET looked = ? WHERE id = ? AND looked < ?",
            (now, check_id(run_id), now - TOUCH_SECONDS),
        )
        if owner is not None:
            self._execute(
                "UPDATE owners SET looked = ? WHERE run = ? AND owner = ? AND looked < ?",
                (now, run_id, _digest(owner), now - TOUCH_SECONDS),
            )

    def compensate_clock_jump(self, seconds: float) -> None:
        """The clock jumped by so much: what time limits are counted from jumps with it."""
        with self._transaction():
            self._execute(
                """UPDATE runs SET looked = looked + ?, started = started + ?
                   WHERE state = 'running'""",
                (seconds, seconds),
            )
            self._execute("UPDATE owners SET looked = looked + ?", (seconds,))
        for run_id in self._ids("SELECT id FROM runs WHERE private"):
            lease = self._folder(run_id).lease
            try:
                renewed = lease.stat().st_mtime + seconds
                os.utime(lease, (renewed, renewed))
            except OSError:  # not a temporary run, or gone by now
                continue

    def rename(self, run_id: str, owner: str, name: str) -> None:
        """Change the name on the owner's own list; other owners keep theirs."""
        self._row(run_id)
        with self._transaction():
            changed = self._execute(
                "UPDATE owners SET name = ? WHERE run = ? AND owner = ?",
                (name.strip()[:200], run_id, _digest(owner)),
            )
            if not changed:
                raise RunError("This run is not on your list, so it cannot be renamed.")
            self._write_meta(run_id)

    def delete(self, run_id: str, owner: str) -> None:
        """Take the run off the owner's list; its folder goes with the last owner."""
        row = self._row(run_id)
        with self._transaction():
            removed = self._execute(
                "DELETE FROM owners WHERE run = ? AND owner = ? AND sweep = ''",
                (run_id, _digest(owner)),
            )
            if not removed:
                raise RunError("This run is not on your list, so it cannot be deleted.")
            left = self._query("SELECT 1 FROM owners WHERE run = ?", (run_id,))
            if not left and row["state"] in (JobState.QUEUED, JobState.RUNNING):
                raise RunError("This run is still live; stop it first, then delete it.")
            concerned = [*self._cells(run_id), run_id]
            cells = "DELETE FROM owners WHERE sweep = ? AND owner = ?"
            self._execute(cells, (run_id, _digest(owner)))
            unowned = [run for run in concerned if not self._owners(run)]
            for run in concerned:
                if run in unowned:
                    self._execute("DELETE FROM runs WHERE id = ?", (run,))
                else:
                    self._write_meta(run)
        for gone in unowned:
            self._remove_folder(gone)

    def remove(self, run_id: str) -> None:
        """Remove the run with its folder, live or not; the scheduler ends a worker without one."""
        self._execute("DELETE FROM runs WHERE id = ?", (check_id(run_id),))
        self._remove_folder(run_id)

    # -- the index itself ---------------------------------------------------------------------

    def rebuild(self) -> list[str]:
        """Make the index anew from the folders; returns a sentence per folder left out."""
        with self._transaction():
            return self._refill()

    def _refill(self) -> list[str]:
        self._execute("DELETE FROM owners")
        self._execute("DELETE FROM runs")
        left_out = []
        entries = []
        for path in self.runs.iterdir():
            if not _ID.fullmatch(path.name):
                continue
            try:
                meta = json.loads(self._folder(path.name).meta.read_text(encoding="utf-8"))
                entries.append((float(meta["submitted"]), path.name, meta))
            except UNUSABLE as error:
                left_out.append(_left_out(path.name, error))
        for submitted, run_id, meta in sorted(entries, key=lambda entry: entry[:2]):
            try:
                self._restore(run_id, meta, submitted)
            except UNUSABLE as error:
                left_out.append(_left_out(run_id, error))
        return left_out

    def _restore(self, run_id: str, meta: dict[str, Any], submitted: float) -> None:
        folder = self._folder(run_id)
        spec = folder.read_spec()
        view = folder.view(kind_of(spec))
        key, private = str(meta["key"]), bool(meta["private"])
        owners = [
            (run_id, o["owner"], o["name"], o.get("sweep", ""), o["added"], o["added"],
             bool(o.get("joined", True)))
            for o in meta["owners"]
        ]  # fmt: skip
        state = JobState(view.state)
        if not view.closed and state is not JobState.QUEUED:
            state = JobState.RUNNING  # whether its worker lives is for the runner to find out
        self._insert(run_id, key, spec, private, submitted, state)
        changed = folder.events.stat().st_mtime
        if state is not JobState.QUEUED:
            self._execute("UPDATE runs SET started = ? WHERE id = ?", (submitted, run_id))
        if view.closed:
            self.record_end(run_id, state, view.reason, view)
            self._execute("UPDATE runs SET ended = ? WHERE id = ?", (changed, run_id))
        for owner in owners:
            self._execute(
                """INSERT INTO owners (run, owner, name, sweep, added, looked, joined)
                   VALUES (?, ?, ?, ?, ?, ?, ?)""",
                owner,
            )

    def _open(self) -> sqlite3.Connection:
        path = self.home / "index.sqlite"
        try:
            return self._prepared(path)
        except sqlite3.OperationalError as error:
            raise _index_error(path, error) from error
        except sqlite3.DatabaseError:
            pass
        except RunError as error:
            cause = error.__cause__
            if not isinstance(cause, sqlite3.Error) or isinstance(cause, sqlite3.OperationalError):
                raise
        for suffix in ("", "-wal", "-shm"):  # damaged: put it aside, the folders know everything
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.replace(part.with_name(f"damaged-{part.name}"))
        return self._prepared(path)

    def _prepared(self, path: Path) -> sqlite3.Connection:
        """An open index of the present layout."""
        connection = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            [(found,)] = connection.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            self._connection = connection
            with self._transaction():
                [(layout,)] = connection.execute("PRAGMA user_version").fetchall()
                if layout > LAYOUT:
                    raise RunError(
                        f"The runs in {self.home} were written by a newer version of this program; "
                        "update it, or name another folder in ANTIDOTE_HOME."
                    )
                if layout < LAYOUT:
                    connection.execute("DROP TABLE IF EXISTS owners")
                    connection.execute("DROP TABLE IF EXISTS runs")
                    for statement in _TABLES:
                        connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {LAYOUT}")
                    self._refill()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing, and nobody else writes meanwhile."""
        with self._lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:
                    self._execute("ROLLBACK")
                raise
            self._execute("COMMIT")

    def _execute(self, statement: str, values: tuple[Any, ...] = ()) -> int:
        """Run one statement; returns the number of rows changed."""
        return self._run(statement, values).rowcount

    def _query(self, statement: str, values: tuple[Any, ...] = ()) -> list[sqlite3.Row]:
        with self._lock:
            return self._run(statement, values).fetchall()

    def _run(self, statement: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        with self._lock:
            try:
                return self._connection.execute(statement, values)
            except sqlite3.Error as error:
                raise _index_error(self.home / "index.sqlite", error) from error

    def _ids(self, statement: str, values: tuple[Any, ...] = ()) -> list[str]:
        """The first column of what is found."""
        return [str(row[0]) for row in self._query(statement, values)]

    def _count(self, source: str, values: tuple[Any, ...]) -> int:
        [row] = self._query(f"SELECT count(*) AS n {source}", values)
        return int(row["n"])

    def _folder(self, run_id: str) -> RunFolder:
        return RunFolder(self.runs / run_id)

    def _folder_error(self, run_id: str, error: OSError | None = None) -> RunError:
        why = error.strerror if error is not None else "its log is missing"
        return RunError(
            f"The folder of run {run_id} cannot be used ({why}); start the run again with the same "
            "settings."
        )


def _digest(owner: str | None) -> str:
    """What is stored of an owner's token: enough to know it again, not enough to pose as them."""
    return "" if owner is None else hashlib.sha256(f"owner:{owner}".encode()).hexdigest()


def _index_error(path: Path, error: sqlite3.Error) -> RunError:
    return RunError(
        f"The list of runs {path} cannot be used ({error}); check that the folder can be written "
        "and that the disk is not full."
    )


def _left_out(run_id: str, error: Exception) -> str:
    why = str(error) if isinstance(error, AntidoteError) else type(error).__name__
    return f"Run {run_id} was left out: its folder cannot be read ({why})."
