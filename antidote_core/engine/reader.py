"""`python -m antidote_core.engine.reader SERVER GIGABYTES`: reads one file of a visitor.

Standard input has a line of JSON (what to do) and the bytes of the file; standard output gets the
word "read" or "refused" on a line, and the answer or the sentence after it.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from antidote_core.datasets.tables import (
    Table,
    TextFormat,
    pack,
    read_table,
    sheet_names,
    too_little_memory,
)
from antidote_core.engine.lifeline import killed_with
from antidote_core.engine.limits import cap_memory
from antidote_core.errors import DataError


def main(server: int, gigabytes: float) -> None:
    """Answer the question on standard input."""
    killed_with(server)
    cap_memory(gigabytes)
    asked = json.loads(sys.stdin.buffer.readline())
    try:
        answer = _answer(asked, sys.stdin.buffer.read())
    except DataError as error:
        answer = str(error)
    except MemoryError:
        answer = str(too_little_memory(asked["name"]))
    out = sys.stdout.buffer
    if isinstance(answer, str):
        out.write(b"refused\n" + answer.encode(errors="replace"))
        return
    out.write(b"read\n")
    if isinstance(answer, list):
        out.write(json.dumps(answer).encode())
    else:
        pack(answer, out)


def _answer(asked: dict[str, Any], content: bytes) -> Table | list[str] | str:
    name = asked["name"]
    if asked["task"] == "sheets":
        return sheet_names(name, content)
    form = asked["form"] and TextFormat(**asked["form"])
    return read_table(name, content, form, asked["sheet"], asked["blanks"])


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
