"""Reading .xlsx workbooks: the archive is looked at before it is unpacked; nothing is computed."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from antidote_core.datasets.uploads.limits import (
    MAX_COLUMNS,
    MAX_PARTS,
    MAX_SHEET_CELLS,
    MAX_TEXT,
    check_shape,
    check_unpacked,
)
from antidote_core.datasets.uploads.names import clean_names
from antidote_core.datasets.uploads.typed_cells import plain_column
from antidote_core.errors import DataError

# No workbook declares entities of its own; in these encodings it could.
_DECLARATIONS = tuple(
    word.encode(code) for word in ("<!DOCTYPE", "<!ENTITY") for code in ("utf-8", "utf-16-le")
)
_BLOCK = 1 << 20


def sheet_names(name: str, content: bytes) -> list[str]:
    """The sheets of the workbook, in order."""
    with _opened(name, content) as book:
        return _names(name, book)


def read_excel(
    name: str, content: bytes, sheet: str | None = None, blanks: Sequence[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """One sheet (the first by default): names in its first filled row, values as last saved.

    Formulas are never computed: a cell has the value that was saved with it, or none.
    """
    with _opened(name, content) as book:
        names = _names(name, book)
        if sheet is not None and sheet not in names:
            raise DataError(f"{name} has no sheet {sheet!r}; wanted one of {', '.join(names)}.")
        rows = list(_rows(name, book[sheet or names[0]]))
    if not rows:
        raise DataError(f"The sheet {sheet or names[0]!r} of {name} is empty; choose another one.")
    width = max(len(row) for row in rows)
    check_shape(name, len(rows) - 1, width)
    if len(rows) == 1:
        raise DataError(
            f"The sheet {sheet or names[0]!r} of {name} has one filled row only; wanted column "
            "names and at least two rows of each of two groups."
        )
    full = [[*row, *[None] * (width - len(row))] for row in rows]
    labels, notes = clean_names(full[0], name)
    columns = zip(*full[1:], strict=True)
    frame = {
        label: plain_column(list(column), blanks)
        for label, column in zip(labels, columns, strict=True)
    }
    return pd.DataFrame(frame), notes


def _names(name: str, book: Any) -> list[str]:
    if not book.sheetnames:
        raise DataError(
            f"{name} is a workbook without any sheet; save the table again from a spreadsheet "
            "program."
        )
    return list(book.sheetnames)


def _rows(name: str, sheet: Any) -> Iterator[list[Any]]:
    """The filled rows, each up to its last filled cell; what the sheet says of its size is not
    believed.
    """
    if not hasattr(sheet, "iter_rows"):
        raise DataError(f"The sheet {sheet.title!r} of {name} is a chart; choose another one.")
    sheet.reset_dimensions()
    cells = characters = 0
    for row in sheet.iter_rows(values_only=True, max_col=MAX_COLUMNS + 1):
        filled = list(row)
        while filled and (filled[-1] is None or filled[-1] == ""):
            filled.pop()
        cells += len(filled)
        if len(filled) > MAX_COLUMNS:
            raise DataError(
                f"{name} has more than {MAX_COLUMNS:,} columns; keep only those you need."
            )
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


class _opened:
    """The workbook, opened for reading only; errors of the file become sentences."""

    def __init__(self, name: str, content: bytes) -> None:
        self._name = name
        self._content = content
        self._quiet = warnings.catch_warnings()

    def __enter__(self) -> Any:
        import openpyxl

        _check_archive(self._name, self._content)
        self._quiet.__enter__()
        warnings.simplefilter("ignore")  # it warns of colours and charts, which are not read
        try:
            self._book = openpyxl.load_workbook(
                io.BytesIO(self._content), read_only=True, data_only=True, keep_links=False
            )
        except Exception as error:
            self._quiet.__exit__(None, None, None)
            if isinstance(error, MemoryError):
                raise
            raise self._unreadable(error) from None
        return self._book

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self._book.close()
        self._quiet.__exit__(None, None, None)
        if isinstance(error, Exception) and not isinstance(error, DataError | MemoryError):
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> DataError:
        return DataError(
            f"{self._name} cannot be read as an Excel workbook ({type(error).__name__}); save it "
            "again as .xlsx without a password, or as CSV."
        )


def _check_archive(name: str, content: bytes) -> None:
    """Look at the parts of the archive: how many, how large, and no declarations in them."""
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
            for part in parts:
                if part.filename.endswith((".xml", ".rels")):
                    _check_part(name, archive, part)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged archive makes of the readers of its parts
        raise DataError(
            f"{name} is a damaged or locked workbook ({type(error).__name__}); save it again as "
            ".xlsx without a password."
        ) from None


def _check_part(name: str, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    before = b""
    with archive.open(part) as file:
        while block := file.read(_BLOCK):
            if any(word in before + block for word in _DECLARATIONS):
                raise DataError(
                    f"{name} declares entities of its own, which no workbook does; save the table "
                    "again from a spreadsheet program."
                )
            before = block[-32:]
