"""A table as read from a file: what it may be at most, its columns made plain, itself as bytes."""

from __future__ import annotations

import datetime
import json
import numbers
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import BLANKS
from antidote_core.datasets.frame import MAX_ROWS
from antidote_core.errors import DataError
from antidote_core.types import PLAIN, Dialect, Ints

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


_ABOUT = b"antidote"
_MIXED = "object"  # the type of a column of texts and other things
# Cells that JSON has no words for, in the order in which they are told apart.
_TIMES: dict[str, Any] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}


@dataclass(frozen=True, eq=False)
class Table:
    """A table as read from a file; `notes` say what was changed on the way.

    `written` has the columns of numbers of a text file as they were written there, in `dialect`.
    `left_out` lists what was not read: what (row or column), which, reason. Rows are counted from 1
    below the names, those that were not read included.
    """

    name: str
    frame: pd.DataFrame
    notes: tuple[str, ...] = ()
    written: pd.DataFrame = field(default_factory=pd.DataFrame)
    dialect: Dialect = PLAIN
    left_out: tuple[tuple[str, str, str], ...] = ()

    @property
    def rows(self) -> Ints:
        """The numbers of the rows of `frame` in the file."""
        lost = [int(which) - 1 for what, which, _ in self.left_out if what == "row"]
        return np.delete(np.arange(1, len(self.frame) + len(lost) + 1), lost)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        both = (self.frame, self.written)
        return sum(int(each.memory_usage(deep=True).sum()) for each in both)


def plain_column(values: Any, blanks: Sequence[str] = ()) -> Any:
    """A column as float64 when all cells with a value are numbers, else as it came.

    Texts are trimmed; empty ones, "?", "nan" and those in `blanks` become missing.

    >>> plain_column([1, None, "n/a"], ["n/a"]).tolist()
    [1.0, nan, nan]
    """
    series = values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)
    if not pd.api.types.is_object_dtype(series.dtype):
        if pd.api.types.is_bool_dtype(series.dtype) or series.dtype.kind not in "iuf":
            return series.array
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    empty = {*BLANKS, *(blank.strip().casefold() for blank in blanks)}
    cells = [_cell(value, empty) for value in series]
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, numbers.Real) and not isinstance(cell, bool) for cell in present):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return pd.Series(cells, dtype=object).array


def _cell(value: Any, empty: set[str]) -> Any:
    if isinstance(value, str):
        text = value.strip()
        return None if text.casefold() in empty else text
    if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value


def without_blanks(cells: Any, blanks: Sequence[str]) -> Any:
    """Texts of an Arrow array, trimmed; empty ones, "?", "nan" and those in `blanks` are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(cells)
    empty = sorted({*BLANKS, *(blank.strip().casefold() for blank in blanks)})
    is_blank = pc.is_in(pc.utf8_lower(cells), value_set=pa.array(empty, pa.large_string()))
    return pc.if_else(is_blank, pa.scalar(None, pa.large_string()), cells)


def pack(table: Table, sink: Any) -> None:
    """Write the table to a binary file in Arrow's stream format; mixed cells become JSON."""
    import pyarrow as pa

    columns = []
    for name in table.frame.columns:
        cells = table.frame[name]
        if str(cells.dtype) == _MIXED:
            columns.append(pa.array([_written(cell) for cell in cells], pa.large_string()))
        else:
            columns.append(pa.array(cells, from_pandas=False))
    columns += [pa.array(table.written[name]) for name in table.written.columns]
    about = {
        "name": table.name,
        "columns": list(table.frame.columns),
        "types": [str(kind) for kind in table.frame.dtypes],
        "notes": table.notes,
        "written": list(table.written.columns),
        "dialect": asdict(table.dialect),
        "left_out": table.left_out,
    }
    arrow = pa.Table.from_arrays(columns, names=[str(place) for place in range(len(columns))])
    arrow = arrow.replace_schema_metadata({_ABOUT: json.dumps(about).encode()})
    with pa.ipc.new_stream(sink, arrow.schema) as stream:
        stream.write_table(arrow)


def unpack(packed: bytes) -> Table:
    """The table that was packed into these bytes.

    >>> import io
    >>> sink = io.BytesIO()
    >>> cells = pd.Series(["a", 1, None], dtype=object)
    >>> table = Table("a.xlsx", pd.DataFrame({"x": [0.5, float("nan"), 2], "y": cells}), ("Odd.",))
    >>> pack(table, sink)
    >>> again = unpack(sink.getvalue())
    >>> again.frame.equals(table.frame), again.name, again.notes
    (True, 'a.xlsx', ('Odd.',))
    """
    import pyarrow as pa

    with pa.ipc.open_stream(packed) as stream:
        arrow = stream.read_all()
    about = json.loads(arrow.schema.metadata[_ABOUT])
    frame: dict[str, Any] = {}
    read, written = arrow.columns[: len(about["types"])], arrow.columns[len(about["types"]) :]
    for name, kind, column in zip(about["columns"], about["types"], read, strict=True):
        if kind == _MIXED:
            frame[name] = pd.Series([_read(text) for text in column.to_pylist()], dtype=object)
        else:
            frame[name] = column.to_pandas().astype(kind)
    texts = zip(about["written"], written, strict=True)
    return Table(
        about["name"],
        pd.DataFrame(frame),
        tuple(about["notes"]),
        pd.DataFrame({name: column.to_pandas() for name, column in texts}),
        Dialect(**about["dialect"]),
        tuple((what, which, reason) for what, which, reason in about["left_out"]),
    )


def _written(cell: Any) -> str:
    for word, kind in _TIMES.items():
        if isinstance(cell, kind):
            return json.dumps({word: cell.isoformat()})
    if isinstance(cell, datetime.timedelta):
        return json.dumps({"timedelta": [cell.days, cell.seconds, cell.microseconds]})
    return json.dumps(cell)


def _read(text: str) -> Any:
    cell = json.loads(text)
    if not isinstance(cell, dict):
        return cell
    [(word, value)] = cell.items()
    if word == "timedelta":
        return datetime.timedelta(*value)
    return _TIMES[word].fromisoformat(value)
