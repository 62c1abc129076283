"""One door for every kind of file: bytes in, a table with notes out. Nothing is ever executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from antidote_core.datasets.uploads.delimited import read_text
from antidote_core.datasets.uploads.limits import too_little_memory
from antidote_core.datasets.uploads.parquet import read_parquet
from antidote_core.datasets.uploads.sniffing import TextFormat, file_kind, guess_format
from antidote_core.datasets.uploads.workbook import read_excel
from antidote_core.errors import DataError

# Texts that usually mean "no value", besides empty cells, "?" and "nan".
USUAL_BLANKS = ("NA", "N/A", "#N/A", "null", "-", ".")


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read from a file; `notes` say what was changed on the way."""

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()


def read_table(
    name: str,
    content: bytes,
    form: TextFormat | None = None,
    sheet: str | None = None,
    blanks: Sequence[str] = USUAL_BLANKS,
) -> Table:
    """The table in a CSV, TSV, Parquet or Excel file; `form` and `sheet` are guessed when None.

    >>> table = read_table("a.csv", b"size;sex\\n1,75;f\\n-;m\\n")
    >>> table.frame["size"].tolist()
    [1.75, nan]
    """
    kind = file_kind(name, content)
    try:
        if kind == "excel":
            frame, notes = read_excel(name, content, sheet, blanks)
        elif kind == "parquet":
            frame, notes = read_parquet(name, content, blanks)
        else:
            frame, notes = read_text(name, content, form or guess_format(name, content), blanks)
    except MemoryError:
        raise too_little_memory(name) from None
    if len(frame.columns) < 2:
        raise DataError(
            f"{name} has one column only ({frame.columns[0]!r}); wanted at least one to cluster by "
            "and one with the groups: look at the separator."
        )
    return Table(name, frame, tuple(notes))
