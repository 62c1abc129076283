"""A lock that one process holds and that the system takes back when the process ends, however.

An open exclusive transaction on an empty SQLite file is such a lock on every platform, also between
two holders inside one process. Nothing is ever written to the file.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path


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
