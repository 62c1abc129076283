"""Data in parts on disk: what is written is read again; a sentence for every broken folder."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from antidote_core import (
    DataError,
    dataset_from_frame,
    load_dataset,
    open_parts,
    parts_from_files,
    write_parts,
)
from antidote_core.cli.main import BAD_INPUT, main
from antidote_core.datasets.parts.folder import MANIFEST, read_part, shares, write_chunks


@pytest.fixture
def folder(tmp_path):
    write_parts(load_dataset("blobs"), tmp_path / "parts", parts=3)
    return tmp_path / "parts"


def together(parts):
    points, groups = zip(*(read_part(path, parts.d) for path in parts.paths), strict=True)
    return np.concatenate(points), np.concatenate(groups)


def test_parts_are_the_data_set_to_the_last_bit(tmp_path):
    data = load_dataset("bank")
    parts = write_parts(data, tmp_path / "a", parts=4)
    opened = open_parts(tmp_path / "a")
    points, groups = together(opened)
    assert np.array_equal(points, data.points)
    assert np.array_equal(groups, data.groups)
    assert opened.n == data.n
    assert opened.group_sizes.tolist() == data.group_sizes.tolist()
    assert opened.group_names == data.group_names
    assert np.array_equal(opened.lower, data.points.min(axis=0))
    assert np.array_equal(opened.upper, data.points.max(axis=0))
    pd.testing.assert_frame_equal(opened.to_original(points[:3]), data.to_original(data.points[:3]))
    assert opened.content_hash == parts.content_hash
    assert sum(shares(opened, 1000)) == 1000
    assert list(shares(opened, data.n + 1)) == [file.rows for file in opened.files]


def broken(folder, what):
    part = folder / "part-00001.parquet"
    table = pq.read_table(part)
    if what == "folder":
        return folder / "elsewhere"
    if what == "manifest":
        (folder / MANIFEST).unlink()
    elif what == "scribbled manifest":
        (folder / MANIFEST).write_text(json.dumps({"name": "x"}))
    elif what == "part":
        part.unlink()
    elif what == "no parquet":
        part.write_bytes(b"nonsense")
    elif what == "other columns":
        pq.write_table(table.rename_columns(["x", "z", table.column_names[2]]), part)
    elif what == "order":
        pq.write_table(table.select([1, 0, 2]), part)
    elif what == "empty":
        pq.write_table(table.slice(0, 0), part)
    return folder


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("folder", r"There is no folder .*elsewhere; wanted one written by"),
        ("manifest", r"has no parts.json: it holds no parts, or writing them was not finished"),
        ("scribbled manifest", r"parts.json cannot be read \('shift'\); write the parts again"),
        ("part", r"lacks part-00001.parquet, one of its 3 parts; copy the whole folder"),
        ("no parquet", r"part-00001.parquet is not a readable Parquet file; write"),
        ("other columns", r"part-00001.parquet lacks .* and has .*'z'.* besides; wanted the same"),
        ("order", r"part-00001.parquet has its columns in another order; wanted the same"),
        ("empty", r"part-00001.parquet holds no rows; wanted the [0-9]+ rows that parts.json"),
    ],
)
def test_a_broken_folder_is_a_sentence(folder, what, sentence):
    with pytest.raises(DataError, match=sentence):
        open_parts(broken(folder, what))


def test_what_cannot_be_written_is_a_sentence(tmp_path, folder):
    data = load_dataset("blobs")
    with pytest.raises(DataError, match="holds parts already; choose a new folder"):
        write_parts(data, folder)
    for count in (0, data.n + 1, True):
        with pytest.raises(DataError, match="parts must be a whole number from 1"):
            write_parts(data, tmp_path / "b", count)
    head = open_parts(folder)
    ones = np.ones((2, 2))
    for number, (points, groups, sentence) in enumerate(
        [
            (np.ones((0, 2)), np.zeros(0, dtype=int), "came without rows; wanted at least one"),
            (np.ones((2, 3)), np.zeros(2, dtype=int), "wanted 2 columns, and one group per row"),
            (ones * np.nan, np.zeros(2, dtype=int), "values that are not finite"),
            (ones, np.array([0, 9]), "holds the group code 9; wanted codes from 0 to 1"),
        ]
    ):
        with pytest.raises(DataError, match=sentence):
            write_chunks(head, [(points, groups)], tmp_path / f"c{number}")


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, 500),
            "income": rng.normal(3e4, 1e4, 500),
            "sex": np.where(np.arange(500) < 480, "m", "f"),  # one group at the very end
            "unused": "text",
        }
    )
    frame.loc[7, "age"] = np.nan
    frame.loc[9, "sex"] = None
    return frame


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "folder"])
def test_files_are_standardised_as_a_frame_would_be(people, kind, tmp_path):
    source = tmp_path / f"people.{kind}"
    if kind == "parquet":
        people.to_parquet(source)
    elif kind == "folder":
        source.mkdir()
        people[:300].to_csv(source / "a.csv", index=False)
        people[:0].to_csv(source / "b.csv", index=False)
        people[300:].to_parquet(source / "c.parquet")
    else:
        people.to_csv(source, index=False)
    parts = parts_from_files(source, ["age", "income"], "sex", tmp_path / "parts", rows=100)
    whole = dataset_from_frame(people, ["age", "income"], "sex")
    points, groups = together(open_parts(tmp_path / "parts"))
    np.testing.assert_allclose(points, whole.points, rtol=1e-9, atol=1e-9)
    assert np.array_equal(groups, whole.groups)
    assert parts.group_names == whole.group_names == ("f", "m")
    assert parts.files[0].group_sizes[0] == 0  # a group that appears in the last part only
    assert parts.notes == ("2 of 500 rows left out because a value is missing.",)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--data", "nowhere.csv"], "There is no file or folder"),
        (["--features", "age,incme"], "no column 'incme' (did you mean 'income'?)"),
        (["--features", "age,unused"], "Column 'unused' of people.csv holds texts ('text'"),
        (["--features", "age,sex"], "the protected attribute not among them"),
        (["--protected", "unused"], "has 1 different values; wanted 2 to"),
        (["--rows", "0"], "rows must be a whole number of at least 1"),
    ],
)
def test_the_command_refuses_in_one_line(people, options, sentence, tmp_path, capsys):
    people.to_csv(tmp_path / "people.csv", index=False)
    usual = {
        "--data": str(tmp_path / "people.csv"),
        "--features": "age,income",
        "--protected": "sex",
        "--out": str(tmp_path / "parts"),
    }
    usual[options[0]] = options[1]
    assert main(["parts", *(word for pair in usual.items() for word in pair)]) == BAD_INPUT
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_files_with_different_columns_are_named(people, tmp_path):
    people.to_csv(tmp_path / "a.csv", index=False)
    people.drop(columns="income").to_csv(tmp_path / "b.csv", index=False)
    with pytest.raises(DataError, match=r"b.csv has no column 'income'; wanted the same columns"):
        parts_from_files(tmp_path, ["age", "income"], "sex", tmp_path / "parts")
    pq.write_table(pa.table({"age": [1.0]}), tmp_path / "a.csv")
    with pytest.raises(DataError, match=r"a.csv cannot be read as CSV"):
        parts_from_files(tmp_path / "a.csv", ["age"], "sex", tmp_path / "parts")


def test_the_command_writes_parts_and_says_so(people, tmp_path, capsys):
    people.to_csv(tmp_path / "people.csv", index=False)
    arguments = ["--data", str(tmp_path / "people.csv"), "--features", "age, income"]
    out = ["--protected", "sex", "--out", str(tmp_path / "parts"), "--rows", "200"]
    assert main(["parts", *arguments, *out]) == 0
    told = capsys.readouterr().out
    assert "498 rows in 3 parts" in told
    assert "f: 20" in told
    assert open_parts(tmp_path / "parts").n == 498
