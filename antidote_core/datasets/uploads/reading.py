"""One door for every kind of file: bytes in, a table with notes out. Nothing is ever executed."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from pathlib import PurePath
from typing import Literal

from antidote_core.datasets.uploads.limits import check_size, too_little_memory
from antidote_core.datasets.uploads.parquet import read_parquet
from antidote_core.datasets.uploads.table import Table
from antidote_core.datasets.uploads.text_files import TextFormat, guess_format, read_text
from antidote_core.datasets.uploads.workbook import read_excel
from antidote_core.errors import DataError

Kind = Literal["text", "parquet", "excel"]
KINDS: dict[str, Kind] = {
    ".csv": "text", ".tsv": "text", ".txt": "text", ".parquet": "parquet", ".xlsx": "excel",
}  # fmt: skip
KIND_WORDS = {"text": "a text file", "parquet": "a Parquet file", "excel": "an Excel workbook"}
# Texts that usually mean "no value", besides empty cells, "?" and "nan".
USUAL_BLANKS = ("NA", "N/A", "#N/A", "null", "-", ".")

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word document"),
    (b"SQLite format 3", "a SQLite database"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1", "a Feather file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
)


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


def file_kind(name: str, content: bytes) -> Kind:
    """Text, Parquet or Excel; name and content have to agree.

    >>> file_kind("people.csv", b"age;sex")
    'text'
    """
    check_size(name, len(content))
    ending = PurePath(name).suffix.casefold()
    if ending not in KINDS:
        raise DataError(
            f"{name} ends in {ending or 'nothing'}; wanted {', '.join(KINDS)}"
            + (
                ": save the workbook as .xlsx."
                if ending == ".xls"
                else ": save it as one of these."
            )
        )
    kind = KINDS[ending]
    start, came = next((magic for magic in _MAGIC if content.startswith(magic[0])), (b"", ""))
    if kind == "text":
        # A table may begin with a word such as MZ; a program also holds bytes that no text has.
        if (start and not start.isalnum()) or _is_binary(content):
            begins = f"it begins like {came}" if came else "it holds bytes that no text has"
            raise DataError(
                f"{name} is not a text file ({begins}); wanted lines of values: export the table "
                "as CSV, or give the file the ending it should have."
            )
    elif not content.startswith(b"PAR1" if kind == "parquet" else b"PK\x03\x04"):
        raise DataError(
            f"{name} is not {KIND_WORDS[kind]} (it begins like {came or 'something else'}); save "
            "the table again, or give the file the ending it should have."
        )
    return kind


def _is_binary(content: bytes) -> bool:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return False
    start = content[:65536]
    odd = sum(start.count(bytes([code])) for code in range(32) if code not in (9, 10, 12, 13))
    return b"\0" in start or odd > 0.01 * len(start)
