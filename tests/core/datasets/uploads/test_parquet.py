"""Parquet: what is left out, and files that are damaged or state false sizes."""

import io
import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antidote_core import DataError
from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import parquet, table
from antidote_core.engine.process import isolated_read

from .files import as_parquet, people, sentence


def test_parquet_without_flat_columns_leaves_them_out() -> None:
    frame = people(4).assign(lists=[[1], [2], [3], [4]])
    table = uploads.read_table("a.parquet", as_parquet(frame))
    assert "lists" not in table.frame
    assert any("lists or records: lists" in note for note in table.notes)


def test_a_parquet_file_that_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    content = as_parquet(pd.DataFrame({"x": np.arange(100_000.0), "g": ["a", "b"] * 50_000}))
    monkeypatch.setattr(table, "MAX_UNPACKED", 100_000)
    assert "wanted at most 97.7 kB" in sentence(uploads.read_table, "a.parquet", content)
    monkeypatch.setattr(parquet, "MAX_TEXT", 10)
    monkeypatch.setattr(table, "MAX_UNPACKED", 10**9)
    long = as_parquet(pd.DataFrame({"x": [1.0, 2.0], "g": ["a" * 11, "b"]}))
    assert "'g' of a.parquet has 11 characters" in sentence(uploads.read_table, "a.parquet", long)


def varint(value: int, length: int = 0) -> bytes:
    """The number as a Parquet footer writes it, in as many bytes as asked for."""
    value, out = 2 * value, bytearray()
    while value > 127 or len(out) + 1 < length:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def lying(content: bytes, told: int, lie: int) -> bytes:
    """The Parquet file with one number in its footer replaced."""
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    true = varint(told)
    assert true in content[footer:]
    return content[:footer] + content[footer:].replace(true, varint(lie, len(true)))


def test_a_parquet_file_that_lies_about_what_it_unpacks_to(monkeypatch) -> None:
    sink = io.BytesIO()
    pd.DataFrame({"x": ["a" * 30_000_000, "b"], "g": ["f", "m"]}).to_parquet(
        sink, compression="gzip", use_dictionary=False, write_statistics=False
    )
    content = sink.getvalue()
    assert len(content) < 100_000
    group = pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0)
    content = lying(content, group.total_byte_size, 1_000)
    content = lying(content, group.column(0).total_uncompressed_size, 1_000)
    assert pq.ParquetFile(io.BytesIO(content)).metadata.row_group(0).total_byte_size == 1_000
    monkeypatch.setattr(table, "MAX_UNPACKED", 20 * 1024**2)
    said = sentence(uploads.read_table, "a.parquet", content)
    assert "a.parquet unpacks to 28.6 MB; wanted at most 20 MB" in said


def test_a_parquet_file_that_lies_about_its_rows(monkeypatch) -> None:
    monkeypatch.setattr(table, "MAX_ROWS", 1_000)
    content = as_parquet(pd.DataFrame({"x": np.arange(4321.0), "g": ["a"] * 4321}))
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    true = varint(4321)
    at = content.index(true, footer)  # the first is that of the file, the others of its parts
    content = content[:at] + varint(4, len(true)) + content[at + len(true) :]
    assert pq.ParquetFile(io.BytesIO(content)).metadata.num_rows == 4
    assert "4,321 rows; wanted at most 1,000" in sentence(uploads.read_table, "a.parquet", content)


def test_texts_that_grow_by_what_they_share_are_refused() -> None:
    sink = io.BytesIO()
    people().to_parquet(
        sink, use_dictionary=False, column_encoding={"job": "DELTA_BYTE_ARRAY"}, engine="pyarrow"
    )
    said = sentence(uploads.read_table, "a.parquet", sink.getvalue())
    assert said.endswith("save the table again, with the usual encodings.")


@pytest.mark.parametrize(
    "header",
    [b"\x15\x00\x2c\x00\x15\x02\x00", b"\x15\x00\x15\x01\x15\x02\x00", b"\x15\x00\x00",
     b"\x15\x00\x15\x02\x15\x02\x25\x0e\x00", b"\x1c" * 20, b"\x19" + b"\x19" * 20,
     b"\x15" + b"\xff" * 11, b"\x1b\x02", b"\x18\xff\xff\xff\xff\x0f\x00"],
)  # fmt: skip
def test_a_damaged_page_is_a_sentence(header: bytes) -> None:
    content = as_parquet(pd.DataFrame({"x": np.arange(30.0), "g": ["a", "b"] * 15}))
    damaged = content[:4] + header + content[4 + len(header) :]
    said = sentence(uploads.read_table, "a.parquet", damaged)
    assert "a.parquet cannot be read as a Parquet file (" in said


def test_a_damaged_description_is_a_table_or_a_sentence() -> None:
    """Some of them may end the process inside pyarrow, so another one reads them."""
    content = as_parquet(pd.DataFrame({"x": [1.0, 2.0, None], "g": ["a", "b", None]}))
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for place in range(start, len(content), (len(content) - start) // 6):
        changed = bytearray(content)
        changed[place] = (changed[place] + 0xFF) % 256
        try:
            isolated_read.read_isolated("a.parquet", bytes(changed), None, None, ())
        except DataError as error:
            assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right


def test_a_parquet_type_of_python_objects_is_not_unpickled(tmp_path) -> None:
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    field = pa.field("x", pa.int64(), metadata={
        "ARROW:extension:name": "arrow.py_extension_type",
        "ARROW:extension:metadata": pickle.dumps(Trap()),
    })  # fmt: skip
    schema = pa.schema([field, pa.field("g", pa.string())])
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema) as writer:
        writer.write_table(pa.table({"x": [1, 2], "g": ["a", "b"]}, schema=schema))
    try:
        uploads.read_table("a.parquet", sink.getvalue())
    except DataError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both outcomes are right
    assert list(tmp_path.iterdir()) == []


def test_columns_of_one_name_are_all_looked_at() -> None:
    def table(cell: str) -> bytes:
        arrays = [pa.array(["a", "b"]), pa.array([" c ", cell]), pa.array([1.5, 2.5])]
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, names=["x", "x", "x"]), sink)
        return sink.getvalue()

    frame = uploads.read_table("a.parquet", table("?")).frame
    assert frame.columns.tolist() == ["x", "x (2)", "x (3)"]
    assert frame["x"].tolist() == ["a", "b"]
    assert frame["x (2)"].tolist()[0] == "c"
    assert frame["x (2)"].isna().tolist() == [False, True]
    assert frame["x (3)"].tolist() == [1.5, 2.5]
    said = sentence(uploads.read_table, "a.parquet", table("d" * 11_000))
    assert "'x (2)' of a.parquet has 11,000 characters; wanted at most 10,000" in said
