"""Files of visitors are read in a process of their own, with limits on its memory and time.

A file that is made to exhaust or to crash its reader ends that process, and its owner gets a
sentence; the server goes on. The process runs this very file: standard input has a line of JSON
(what to do) and the bytes of the file; standard output gets the word "read" or "refused" on a line,
and the answer or the sentence after it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from antidote_core.datasets.uploads import (
    Table,
    TextFormat,
    file_kind,
    pack,
    read_table,
    sheet_names,
    too_little_memory,
    unpack,
)
from antidote_core.engine.settings import Limits, cap_memory, killed_with, worker_environment
from antidote_core.errors import DataError

READERS = 2  # files that are read at once in each lane; the others wait
QUICK = 5_000_000  # bytes; a text no larger is read in a second or two and has a lane of its own
READ_SECONDS = 120.0
KILLED = -9  # how a process ends that got no memory (Linux and macOS)
MAX_HELD = 2 * 1024**3  # bytes of all tables that pages hold at one time

_quick, _slow = threading.BoundedSemaphore(READERS), threading.BoundedSemaphore(READERS)
_counting = threading.Lock()
_held: weakref.WeakKeyDictionary[Table, int] = weakref.WeakKeyDictionary()


class Full(DataError):
    """There is no room for one more table; the same file may be welcome later."""


def read_isolated(
    name: str, content: bytes, form: TextFormat | None, sheet: str | None, blanks: Sequence[str]
) -> Table:
    """What `uploads.read_table` gives, read elsewhere; refused when pages hold too many tables."""
    how = {"form": form and asdict(form), "sheet": sheet, "blanks": list(blanks)}
    table = unpack(_asked("read", name, content, how))
    size = table.nbytes
    with _counting:
        if sum(_held.values()) + size > MAX_HELD:
            raise Full(
                "The server holds as many tables of its visitors as it can; take fewer rows, or "
                "try again later."
            )
        _held[table] = size
    return table


def sheet_names_isolated(name: str, content: bytes) -> list[str]:
    """What `uploads.sheet_names` gives, read elsewhere."""
    names: list[str] = json.loads(_asked("sheets", name, content, {}))
    return names


def _asked(task: str, name: str, content: bytes, how: dict[str, Any]) -> bytes:
    """The answer of a reader; its refusal, or how it ended, as a DataError."""
    memory = f"{Limits().worker_gigabytes:g}"
    command = [sys.executable, "-m", __spec__.name, str(os.getpid()), memory]
    asked = json.dumps({"task": task, "name": name, **how}).encode() + b"\n"
    quick = len(content) <= QUICK and file_kind(name, content) == "text"
    with _quick if quick else _slow:
        try:
            # The memory of Arrow's usual pool is set aside long before it is used, and would count.
            done = subprocess.run(
                command, input=asked + content, capture_output=True, timeout=READ_SECONDS,
                env={**worker_environment(), "ARROW_DEFAULT_MEMORY_POOL": "system"},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise DataError(
                f"{name} could not be read within {READ_SECONDS:g} seconds; take a sample of its "
                "rows, or save it as CSV."
            ) from None
    # Libraries written in Rust end the process when they get no memory, and say so.
    if done.returncode == KILLED or b"memory allocation of " in done.stderr:
        raise too_little_memory(name)
    if done.returncode:
        sys.stderr.write(done.stderr.decode(errors="replace"))
        raise DataError(
            f"{name} broke off the program that read it (exit code {done.returncode}); the file is "
            "probably damaged: save the table again."
        )
    kind, _, answer = done.stdout.partition(b"\n")
    if kind == b"refused":
        raise DataError(answer.decode())
    return answer


def main(server: int, gigabytes: float) -> None:
    """Answer the question on standard input."""
    killed_with(server)
    cap_memory(gigabytes)
    asked = json.loads(sys.stdin.buffer.readline())
    name, out = asked["name"], sys.stdout.buffer
    try:
        content = sys.stdin.buffer.read()
        if asked["task"] == "sheets":
            sheets = sheet_names(name, content)
        else:
            form = asked["form"] and TextFormat(**asked["form"])
            table = read_table(name, content, form, asked["sheet"], asked["blanks"])
    except (DataError, MemoryError) as error:
        said = too_little_memory(name) if isinstance(error, MemoryError) else error
        out.write(b"refused\n" + str(said).encode(errors="replace"))
        return
    out.write(b"read\n")
    if asked["task"] == "sheets":
        out.write(json.dumps(sheets).encode())
    else:
        pack(table, out)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
