"""Reading .xlsx workbooks: the archive is looked at before it is unpacked; nothing is computed."""

from __future__ import annotations

import datetime
import io
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any
from xml.parsers import expat

import pandas as pd
from python_calamine import CalamineSheet, CalamineWorkbook, SheetTypeEnum

from antidote_core.datasets.uploads.names import clean_names
from antidote_core.datasets.uploads.table import (
    MAX_COLUMNS,
    MAX_PARTS,
    MAX_SHEET_CELLS,
    MAX_TABLE_CELLS,
    MAX_TEXT,
    Table,
    check_shape,
    check_unpacked,
    plain_column,
)
from antidote_core.errors import DataError

EXACT = 2**53  # up to here a whole number and its float are the same


def sheet_names(name: str, content: bytes) -> list[str]:
    """The sheets of the workbook, in order."""
    with _opened(name, content) as (book, _):
        return list(book.sheet_names)


def read_excel(
    name: str, content: bytes, sheet: str | None = None, blanks: Sequence[str] = ()
) -> Table:
    """One sheet (the first by default): names in its first filled row, values as last saved.

    Formulas are never computed: a cell has the value that was saved with it, or none; one with an
    error such as #N/A has none either.
    """
    with _opened(name, content) as (book, errors):
        names = book.sheet_names
        if sheet is not None and sheet not in names:
            raise DataError(f"{name} has no sheet {sheet!r}; wanted one of {', '.join(names)}.")
        sheet = sheet or names[0]
        if book.sheets_metadata[names.index(sheet)].typ == SheetTypeEnum.ChartSheet:
            raise DataError(f"The sheet {sheet!r} of {name} is a chart; choose another one.")
        rows = list(_rows(name, book.get_sheet_by_name(sheet)))
    if not rows:
        raise DataError(f"The sheet {sheet!r} of {name} is empty; choose another one.")
    width = max(len(row) for row in rows)
    check_shape(name, len(rows) - 1, width)
    if len(rows) == 1:
        raise DataError(
            f"The sheet {sheet!r} of {name} has one filled row only; wanted column names and at "
            "least two rows of each of two groups."
        )
    full = [[*row, *[None] * (width - len(row))] for row in rows]
    labels, notes = clean_names(full[0], name)
    columns = zip(*full[1:], strict=True)
    frame = {
        label: plain_column(list(column), blanks)
        for label, column in zip(labels, columns, strict=True)
    }
    if errors:
        notes.append(
            f"{errors:,} cells of the workbook hold an error such as #N/A or #DIV/0!; they count "
            "as empty."
        )
    return Table(name, pd.DataFrame(frame), tuple(notes))


def _rows(name: str, sheet: CalamineSheet) -> Iterator[list[Any]]:
    """The filled rows, each up to its last filled cell."""
    if sheet.start is None or sheet.end is None:
        return
    if sheet.end[1] >= MAX_COLUMNS:
        raise DataError(f"{name} has more than {MAX_COLUMNS:,} columns; keep only those you need.")
    before = [None] * sheet.start[1]  # the reader leaves out empty columns on the left
    cells = characters = 0
    for row in sheet.iter_rows():
        filled = [*before, *map(_value, row)]
        while filled and filled[-1] is None:
            filled.pop()
        cells += len(filled)
        if cells > MAX_SHEET_CELLS:
            raise DataError(
                f"The sheet has more than {MAX_SHEET_CELLS:,} filled cells; save it as CSV, which "
                "may be larger, or take a sample of its rows."
            )
        lengths = [len(cell) for cell in filled if isinstance(cell, str)]
        characters += sum(lengths)
        check_unpacked(name, characters, book=True)
        if max(lengths, default=0) > MAX_TEXT:
            raise DataError(
                f"A cell of {name} has more than {MAX_TEXT:,} characters; shorten it or leave the "
                "column out."
            )
        if filled:
            yield filled


def _value(cell: Any) -> Any:
    """None for an empty cell, a whole number without a point, a day as its midnight."""
    if isinstance(cell, float):
        return int(cell) if abs(cell) < EXACT and cell.is_integer() else cell
    if isinstance(cell, datetime.date) and not isinstance(cell, datetime.datetime):
        return datetime.datetime.combine(cell, datetime.time())
    return None if cell == "" else cell


@contextmanager
def _opened(name: str, content: bytes) -> Iterator[tuple[CalamineWorkbook, int]]:
    """The workbook and its number of cells with errors; what is wrong with it as a sentence."""
    seen = _look_into(name, content)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            if not book.sheet_names or not seen.sheets:
                raise DataError(
                    f"{name} is a workbook without any sheet; save the table again from a "
                    "spreadsheet program."
                )
            if len(book.sheet_names) > MAX_PARTS:
                raise DataError(
                    f"{name} names {len(book.sheet_names):,} sheets; wanted a workbook of at most "
                    f"{MAX_PARTS:,}: save the table alone."
                )
            yield book, seen.errors
    except (DataError, MemoryError):
        raise
    except BaseException as error:
        # A panic of the reader is no Exception, and its class cannot be imported.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise DataError(
            f"{name} cannot be read as an Excel workbook ({type(error).__name__}); save it again "
            "as .xlsx without a password, or as CSV."
        ) from None


def _look_into(name: str, content: bytes) -> _Seen:
    """Look at the parts of the archive: how many, how large, and what they declare and hold."""
    seen = _Seen(name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS:
                raise DataError(
                    f"{name} holds {len(parts):,} files; wanted a workbook of at most "
                    f"{MAX_PARTS:,}: save the table alone."
                )
            check_unpacked(name, sum(part.file_size for part in parts), book=True)
            if "xl/workbook.xml" not in archive.namelist():
                raise DataError(
                    f"{name} is a ZIP archive, not an Excel workbook; unpack it and upload the "
                    "table inside."
                )
            # Texts come before the sheets that name them.
            for part in sorted(
                parts, key=lambda part: "sharedstrings" not in part.filename.lower()
            ):
                if part.filename.endswith((".xml", ".rels")):
                    with archive.open(part) as file:
                        seen.look(file)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged archive makes of the readers of its parts
        raise DataError(
            f"{name} is a damaged or locked workbook ({type(error).__name__}); save it again as "
            ".xlsx without a password."
        ) from None
    return seen


class _Seen:
    """What the parts of a workbook hold: sheets, cells with errors; how much a sheet would take.

    The reader lays a sheet out as a full rectangle and writes a shared text out for every cell that
    names it, so that two cells far apart, or one long text named often, would take all memory there
    is. What a sheet says of its size is not believed.
    """

    def __init__(self, name: str) -> None:
        self.sheets = self.errors = 0
        self._name = name
        self._lengths: list[int] = []  # of the shared texts

    def look(self, file: Any) -> None:
        """Go through the XML of one part."""
        self._row = self._at = self._column = self._rows = self._columns = self._characters = 0
        self._kind = self._inside = ""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._declaration
        parser.StartElementHandler = self._element
        parser.CharacterDataHandler = self._text
        parser.ParseFile(file)

    def _declaration(self, *_: Any) -> None:
        raise DataError(
            f"{self._name} declares entities of its own, which no workbook does; save the table "
            "again from a spreadsheet program."
        )

    def _element(self, tag: str, attributes: dict[str, str]) -> None:
        tag = self._inside = tag.rpartition(":")[2]
        if tag == "c":
            place, self._kind = attributes.get("r", ""), attributes.get("t", "")
            letters = place.rstrip("0123456789")
            self._column = _column_number(letters) if letters else self._column + 1
            self._at = int(place[len(letters) :]) if letters else self._row
            self.errors += self._kind == "e"
        elif tag in ("v", "is"):
            if self._at > self._rows or self._column > self._columns:
                self._reach()
        elif tag == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
        elif tag == "si":
            self._kind = "shared"
            self._lengths.append(0)
        elif tag in ("worksheet", "chartsheet"):
            self.sheets += 1

    def _text(self, text: str) -> None:
        if self._inside == "v" and self._kind == "s" and text.strip().isdecimal():
            place = int(text)
            self._characters += self._lengths[place] if place < len(self._lengths) else 0
            check_unpacked(self._name, self._characters, book=True)
        elif self._inside == "t" and self._kind == "shared":
            self._lengths[-1] += len(text)

    def _reach(self) -> None:
        self._rows = max(self._rows, self._at)
        self._columns = max(self._columns, self._column)
        if self._rows * self._columns > MAX_TABLE_CELLS:
            raise DataError(
                f"A sheet of {self._name} reaches to row {self._rows:,} and column "
                f"{self._columns:,}; wanted at most {MAX_TABLE_CELLS:,} cells in all: delete what "
                "stands far from the table, or save the table alone."
            )


@cache
def _column_number(letters: str) -> int:
    """The place of a column by its letters: A is 1, AA is 27."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
