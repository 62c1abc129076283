"""A table as bytes and back, exactly: how it comes from the process that read its file."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pandas as pd

from antidote_core.datasets.uploads.table import Table

_ABOUT = b"antidote"
_MIXED = "object"  # the type of a column of texts and other things
# Cells that JSON has no words for, in the order in which they are told apart.
_TIMES: dict[str, Any] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}


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
    about = {
        "name": table.name,
        "columns": list(table.frame.columns),
        "types": [str(kind) for kind in table.frame.dtypes],
        "notes": table.notes,
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
    for name, kind, column in zip(about["columns"], about["types"], arrow.columns, strict=True):
        if kind == _MIXED:
            frame[name] = pd.Series([_read(text) for text in column.to_pylist()], dtype=object)
        else:
            frame[name] = column.to_pandas().astype(kind)
    return Table(about["name"], pd.DataFrame(frame), tuple(about["notes"]))


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
