"""The door for files, what it refuses, and the files to try it with."""

import gzip
import io
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import DataError
from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import Choice, TextFormat, table, workbook

from .files import as_csv, as_excel, as_parquet, people, sentence


def test_excel_and_parquet_are_read_like_csv() -> None:
    frame = people()
    frame.loc[3, "age"] = np.nan
    wanted = uploads.read_table("a.csv", as_csv(frame)).frame
    for name, content in (("a.xlsx", as_excel(frame)), ("a.parquet", as_parquet(frame))):
        read = uploads.read_table(name, content).frame
        pd.testing.assert_frame_equal(read, wanted, check_dtype=False)


@pytest.mark.parametrize("name", ["a.csv", "a.xlsx", "a.parquet"])
def test_an_empty_file(name: str) -> None:
    assert f"{name} is empty (0 bytes)" in sentence(uploads.read_table, name, b"")


@pytest.mark.parametrize(
    ("content", "came"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "a PNG picture"),
        (as_parquet(people(4)), "a Parquet file"),
        (as_excel(people(4)), "a ZIP archive or an Excel workbook"),
        (b"%PDF-1.7 whatever", "a PDF document"),
        (gzip.compress(bytes(10_000)), "a gzip archive"),
        (pickle.dumps({"x": [1, 2]}, protocol=4), "a Python pickle"),
        (b"MZ" + bytes(300), "a program"),
        (bytes(range(256)) * 20, "bytes that no text has"),
        (b"x,g\n1,\x00a\n", "bytes that no text has"),
    ],
)
def test_a_binary_file_named_csv(content: bytes, came: str) -> None:
    said = sentence(uploads.read_table, "people.csv", content)
    assert "people.csv is not a text file" in said
    assert came in said


def test_a_table_may_begin_with_the_letters_of_a_program() -> None:
    assert uploads.read_table("a.csv", b"MZ,BZh\n1,a\n2,b\n").frame.columns.tolist() == [
        "MZ",
        "BZh",
    ]


@pytest.mark.parametrize(
    ("name", "content", "came"),
    [
        ("a.xlsx", b"x,g\n1,a\n", "not an Excel workbook"),
        ("a.parquet", b"x,g\n1,a\n", "not a Parquet file"),
        ("a.xls", b"\xd0\xcf\x11\xe0", "save the workbook as .xlsx"),
        ("a.pkl", b"\x80\x04", "ends in .pkl; wanted .csv, .tsv, .txt, .parquet, .xlsx"),
        ("a", b"x,g", "ends in nothing"),
        ("a.parquet", b"PAR1" + bytes(100) + b"PAR1", "cannot be read as a Parquet file"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "damaged or locked workbook"),
    ],
)
def test_other_files(name: str, content: bytes, came: str) -> None:
    assert came in sentence(uploads.read_table, name, content)


def test_one_column_only() -> None:
    assert "one column only ('x y')" in sentence(uploads.read_table, "a.csv", b"x y\n1\n2\n")


def test_too_many_columns_of_a_workbook_or_a_parquet_file() -> None:
    wide = pd.DataFrame(np.zeros((1, 5_000)), columns=[f"c{i}" for i in range(5_000)])
    said = sentence(uploads.read_table, "a.parquet", as_parquet(wide))
    assert "5,000 columns; wanted at most 2,000" in said
    said = sentence(uploads.read_table, "a.xlsx", as_excel(wide.iloc[:, :3_000]))
    assert "more than 2,000 columns" in said


def test_too_many_rows_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1,000,001 rows; wanted at most 1,000,000" in sentence(
        uploads.read_table, "a.csv", b"x,g" + b"\n1,a" * 1_000_001
    )
    monkeypatch.setattr(table, "MAX_TABLE_CELLS", 20)
    assert "60 rows by 4 columns; wanted at most 20 cells" in sentence(
        uploads.read_table, "a.csv", as_csv(people())
    )
    monkeypatch.setattr(workbook, "MAX_SHEET_CELLS", 20)
    assert "more than 20 filled cells" in sentence(uploads.read_table, "a.xlsx", as_excel(people()))


def test_long_texts_that_are_stored_once_count_as_often_as_they_are_named(monkeypatch) -> None:
    monkeypatch.setattr(table, "MAX_UNPACKED", 300_000)
    monkeypatch.setattr(table, "MAX_BOOK", 300_000)
    frame = pd.DataFrame({"x": range(80), "g": ["a" * 9_000, "b"] * 40})
    uploads.read_table("a.parquet", as_parquet(frame[:40]))
    for name, content in (("a.parquet", as_parquet(frame)), ("a.xlsx", as_excel(frame))):
        assert "unpacks to" in sentence(uploads.read_table, name, content)


def test_a_file_is_never_unpickled(tmp_path) -> None:
    class Trap:
        def __reduce__(self):
            return (open, (str(tmp_path / "sprung"), "w"))

    content = pickle.dumps(Trap())
    for name in ("a.csv", "a.parquet", "a.xlsx", "a.tsv"):
        sentence(uploads.read_table, name, content)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=80, deadline=None)
@given(content=st.binary(max_size=300), name=st.sampled_from(["a.csv", "a.xlsx", "a.parquet"]))
def test_any_bytes_give_a_table_or_a_sentence(content: bytes, name: str) -> None:
    for start in (b"", b"PAR1", b"PK\x03\x04", b"x,g\n"):
        said, table = "", None
        try:
            table = uploads.read_table(name, start + content)
        except DataError as error:
            said = str(error)
        if table is None:
            assert said.endswith(".")
        else:
            uploads.preview(table.frame)
            uploads.guess_roles(uploads.column_facts(table.frame))


def test_every_sample_is_read_by_guessing() -> None:
    for sample in uploads.sample_files():
        table = uploads.read_table(sample.name, sample.content)
        assert not table.notes
        roles = uploads.guess_roles(uploads.column_facts(table.frame))
        assert len(roles.features) == 3
        encoded = uploads.encode(table, Choice(roles.features, (roles.protected,)), "a", "a")
        assert encoded.data.n > 250
    german = uploads.sample_files()[1]
    assert uploads.guess_format(german.name, german.content) == TextFormat(";", ",", ".", "cp1252")
    frame = uploads.read_table(german.name, german.content).frame
    with_pandas = pd.read_csv(
        io.BytesIO(german.content), sep=";", decimal=",", thousands=".", encoding="cp1252"
    )
    pd.testing.assert_frame_equal(frame, with_pandas, check_dtype=False)
