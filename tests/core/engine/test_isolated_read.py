"""Reading a visitor's file elsewhere: the same table, and a sentence however the reader ends."""

import datetime
import io
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import openpyxl
import pandas as pd
import pytest

from antidote_core.datasets import uploads
from antidote_core.engine.process import isolated_read
from antidote_core.errors import DataError

SMALL = b"age,sex\n30,f\n40,m\n50,f\n60,m\n"


def read(content: bytes, name: str = "a.csv") -> uploads.Table:
    return isolated_read.read_isolated(name, content, None, None, ())


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "people"
    for row in (
        ["age", "when", "mixed", "sex"],
        [30, datetime.datetime(2020, 1, 1, 12), 5, "f"],
        [40, datetime.datetime(2021, 1, 1), "five", "m"],
        [None, None, True, "f"],
    ):
        book.active.append(row)
    book.create_sheet("other").append(["nothing here"])
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def parquet() -> bytes:
    sink = io.BytesIO()
    pd.DataFrame(
        {"age": [1, 2, None], "sex": ["f", " m ", "?"], "b": [True, False, True]}
    ).to_parquet(sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", SMALL), ("a.xlsx", workbook()), ("a.parquet", parquet())],
)
def test_the_same_table_as_read_here(name, content):
    here = uploads.read_table(name, content, blanks=())
    elsewhere = read(content, name)
    pd.testing.assert_frame_equal(elsewhere.frame, here.frame)
    assert (elsewhere.name, elsewhere.notes) == (here.name, here.notes)


def test_settings_go_with_the_file():
    form = uploads.TextFormat(";", ",", ".", "cp1252")
    content = "größe;g\n1.000,5;f\n-;m\n".encode("cp1252")
    frame = isolated_read.read_isolated("a.csv", content, form, None, ("-",)).frame
    assert frame["größe"].tolist()[0] == 1000.5
    assert frame["größe"].isna().tolist() == [False, True]
    assert isolated_read.sheet_names_isolated("a.xlsx", workbook()) == ["people", "other"]
    with pytest.raises(DataError, match="no sheet 'third'"):
        isolated_read.read_isolated("a.xlsx", workbook(), None, "third", ())


def test_a_refusal_comes_back_word_for_word():
    with pytest.raises(DataError) as here:
        uploads.read_table("ä\n.csv", b"x\n1\n")
    with pytest.raises(DataError) as elsewhere:
        read(b"x\n1\n", "ä\n.csv")
    assert str(elsewhere.value) == str(here.value)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can cap the memory of a process")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_more_memory_than_allowed(monkeypatch, kind):
    monkeypatch.setenv("ANTIDOTE_WORKER_GB", "0.3")
    read(SMALL)  # a small one fits
    frame = pd.DataFrame({f"c{column}": range(200_000) for column in range(100)}).astype(float)
    sink = io.BytesIO()
    if kind == "csv":
        content = b",".join(b"c%d" % i for i in range(100)) + (b"\n" + b"7," * 99 + b"7") * 200_000
    else:
        frame.to_parquet(sink)
        content = sink.getvalue()
    with pytest.raises(DataError, match=r"needs more memory .* take a sample of its rows"):
        read(content, f"a.{kind}")


def test_more_time_than_allowed(monkeypatch):
    monkeypatch.setattr(isolated_read, "READ_SECONDS", 0.01)
    with pytest.raises(DataError, match=r"could not be read within 0\.01 seconds"):
        read(SMALL)


@pytest.mark.parametrize(
    ("signal", "sentence"), [("SEGV", r"broke off the program that read it \(exit code -11\)"),
                             ("KILL", "needs more memory than reading one file may use")],
)  # fmt: skip
def test_a_reader_that_dies(monkeypatch, tmp_path, capfd, signal, sentence):
    reader = tmp_path / "python"
    reader.write_text(f"#!/bin/sh\necho trouble >&2\nkill -{signal} $$\n")
    reader.chmod(0o700)
    monkeypatch.setattr(isolated_read.sys, "executable", str(reader))
    with pytest.raises(DataError, match=sentence):
        read(SMALL)
    assert ("trouble" in capfd.readouterr().err) == (signal == "SEGV")  # for the server's log


def test_all_tables_together_have_a_limit_and_those_let_go_do_not_count(monkeypatch):
    held = read(SMALL)
    monkeypatch.setattr(isolated_read, "MAX_HELD", sum(isolated_read._held.values()) + 10)
    with pytest.raises(DataError, match="as many tables of its visitors as it can"):
        read(SMALL)
    del held
    assert len(read(SMALL).frame) == 4


def test_no_more_readers_at_once_than_allowed(monkeypatch, tmp_path):
    """Each reader leaves a file while it works; never are there more of them than READERS."""
    reader = tmp_path / "python"
    reader.write_text(
        f"#!/bin/sh\ntouch {tmp_path}/$$.here\nsleep 0.3\nrm {tmp_path}/$$.here\nexit 1\n"
    )
    reader.chmod(0o700)
    monkeypatch.setattr(isolated_read.sys, "executable", str(reader))
    most = 0
    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(read, SMALL) for _ in range(6)]
        while not all(one.done() for one in asked):
            most = max(most, sum(name.endswith(".here") for name in os.listdir(tmp_path)))
            time.sleep(0.02)
    assert most == isolated_read.READERS
    assert all(isinstance(one.exception(), DataError) for one in asked)
