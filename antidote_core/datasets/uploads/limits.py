"""What a file of somebody's own may be at most, and the sentences for what is more."""

from __future__ import annotations

from antidote_core.datasets.frame import MAX_ROWS
from antidote_core.errors import DataError

MAX_BYTES = 50 * 1024 * 1024  # of a file; the same as maxUploadSize in .streamlit/config.toml
MAX_UNPACKED = 400 * 1024 * 1024  # bytes that a Parquet file may unpack to
MAX_BOOK = 200 * 1024 * 1024  # bytes that a workbook may unpack to, ten times as slow to read
MAX_COLUMNS = 2_000
MAX_TABLE_CELLS = 50_000_000
MAX_SHEET_CELLS = 2_000_000  # a workbook is read cell by cell
MAX_NUMBERS = 20_000_000  # rows by features once encoded: 160 MB in the memory of a server
MAX_HEADER = 1_000_000  # characters of the line with the column names
MAX_NAME = 200  # characters of one column name
MAX_TEXT = 10_000  # characters of one cell
MAX_PARTS = 1_000  # files inside a workbook


def size_words(count: int) -> str:
    """Bytes as people say them.

    >>> size_words(MAX_BYTES), size_words(2_500), size_words(12)
    ('50 MB', '2.4 kB', '12 bytes')
    """
    for unit, name in ((1024**3, "GB"), (1024**2, "MB"), (1024, "kB")):
        if count >= unit:
            return f"{count / unit:.1f}".removesuffix(".0") + f" {name}"
    return f"{count} bytes"


def check_size(name: str, size: int) -> None:
    """Refuse an empty file and one that is too large."""
    if not size:
        raise DataError(
            f"{name} is empty (0 bytes); wanted a table with a line of column names and rows below."
        )
    if size > MAX_BYTES:
        raise DataError(
            f"{name} has {size_words(size)}; wanted at most {size_words(MAX_BYTES)}: take a random "
            "sample of its rows, or only the columns you need."
        )


def check_unpacked(name: str, size: int, book: bool = False) -> None:
    """Refuse a Parquet file or a workbook that unpacks to too many bytes."""
    most = MAX_BOOK if book else MAX_UNPACKED
    if size > most:
        raise DataError(
            f"{name} unpacks to {size_words(size)}; wanted at most {size_words(most)}: take a "
            "sample of its rows, or only the columns you need."
        )


def check_shape(name: str, rows: int, columns: int) -> None:
    """Refuse too many rows, columns or cells; rows are counted without the column names."""
    if columns > MAX_COLUMNS:
        raise DataError(
            f"{name} has {columns:,} columns; wanted at most {MAX_COLUMNS:,}: keep only those you "
            "need."
        )
    if rows > MAX_ROWS:
        raise DataError(
            f"{name} has {rows:,} rows; wanted at most {MAX_ROWS:,}: take a random sample of them."
        )
    if rows * columns > MAX_TABLE_CELLS:
        raise DataError(
            f"{name} has {rows:,} rows by {columns:,} columns; wanted at most "
            f"{MAX_TABLE_CELLS:,} cells in all: take a sample of the rows or fewer columns."
        )


def too_little_memory(name: str) -> DataError:
    """For a file that cannot be read in the memory there is."""
    return DataError(
        f"{name} needs more memory than reading one file may use here; take a sample of its rows, "
        "or only the columns you need."
    )
