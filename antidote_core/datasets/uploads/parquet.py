"""Reading Parquet: shape and stated size are looked at first, then one column after another.

A damaged file may end the process inside pyarrow, and one that states a false size may unpack to
more than the memory there is: files of strangers are read in a process of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.datasets.uploads.names import clean_names, clean_text
from antidote_core.datasets.uploads.table import (
    MAX_TEXT,
    Table,
    check_shape,
    check_unpacked,
    plain_column,
    without_blanks,
)
from antidote_core.errors import DataError

MAX_FOOTER = 20_000_000  # bytes of one text in the description of the file


def read_parquet(name: str, content: bytes, blanks: Sequence[str] = ()) -> Table:
    """The flat columns of a Parquet file."""
    try:
        return _read(name, content, blanks)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # whatever a damaged file makes of its reader
        raise DataError(
            f"{name} cannot be read as a Parquet file ({_first_line(error)}); save the table "
            "again, with the usual encodings."
        ) from None


def _read(name: str, content: bytes, blanks: Sequence[str]) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(
        pa.BufferReader(content),
        thrift_string_size_limit=MAX_FOOTER,
        thrift_container_size_limit=1_000_000,
    )
    groups = [file.metadata.row_group(place) for place in range(file.metadata.num_row_groups)]
    rows = max(file.metadata.num_rows, sum(group.num_rows for group in groups))
    check_shape(name, rows, file.metadata.num_columns)
    check_unpacked(name, sum(group.total_byte_size for group in groups))
    if not file.metadata.num_rows:
        raise DataError(f"{name} has no rows; wanted at least two rows of each of two groups.")
    fields = [field for field in file.schema_arrow if _is_flat(field.type)]
    nested = [clean_text(field.name) for field in file.schema_arrow if not _is_flat(field.type)]
    if not fields:
        raise DataError(f"{name} has no column of numbers or texts; wanted at least two.")
    # Texts as numbered entries: a few long ones repeated a million times stay few. One column
    # after another, so that no more than one of them is in memory in both forms.
    texts = [field.name for field in fields if _is_text(field.type)]
    file = pq.ParquetFile(pa.BufferReader(content), read_dictionary=texts)
    names, notes = clean_names([field.name for field in fields], name)
    if nested:
        notes.append(f"Left out because their cells hold lists or records: {', '.join(nested)}.")
    frame, characters = {}, 0
    for label, column in zip(names, _columns(file, fields), strict=True):
        # A text that is stored once and named a million times is written out a million times.
        characters += _characters(column)
        check_unpacked(name, characters)
        frame[label] = _values(name, label, column, blanks)
    nests = tuple(("column", column, "its cells hold lists or records") for column in nested)
    return Table(name, pd.DataFrame(frame), tuple(notes), left_out=nests)


def _columns(file: Any, fields: Sequence[Any]) -> Iterator[Any]:
    """The columns of these fields, in order, texts as numbered entries; names may be repeated."""
    passed: Counter[str] = Counter()
    for field in fields:
        named = file.read(columns=[field.name], use_threads=False)
        places = [place for place, name in enumerate(named.column_names) if name == field.name]
        column = named.column(places[passed[field.name]]).combine_chunks()
        # The reader itself does so for the first column of a name only.
        yield column.dictionary_encode() if _is_text(column.type) else column
        passed[field.name] += 1


def _characters(column: Any) -> int:
    """Of all texts of the column together."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_dictionary(column.type) and _is_text(column.type.value_type)):
        return 0
    lengths = pc.utf8_length(column.dictionary).cast(pa.int64())
    return pc.sum(lengths.take(column.indices)).as_py() or 0


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:120] if lines else type(error).__name__


def _is_flat(kind: Any) -> bool:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(kind):
        return _is_flat(kind.value_type)
    return bool(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        or types.is_boolean(kind) or types.is_temporal(kind) or types.is_null(kind)
        or _is_text(kind)
    )  # fmt: skip


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _values(name: str, label: str, column: Any, blanks: Sequence[str]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
        longest = pc.max(pc.utf8_length(column.dictionary)).as_py() or 0
        if longest > MAX_TEXT:
            raise DataError(
                f"A cell of the column {label!r} of {name} has {longest:,} characters; wanted at "
                f"most {MAX_TEXT:,}: leave the column out."
            )
        words = without_blanks(column.dictionary.cast(pa.large_string()), blanks)
        cells = words.take(column.indices)
        return np.full(len(cells), np.nan) if cells.null_count == len(cells) else cells.to_pandas()
    if pa.types.is_decimal(column.type):
        column = pc.cast(column, pa.float64())
    return plain_column(column.to_pandas(), blanks)
