"""Files of any kind through everything the upload page calls: a usable data set, or a sentence."""

import csv
import io
import random
import re
import sys
import zipfile
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as some

from antidote_core.datasets import uploads
from antidote_core.engine.job_folder import read_dataset, write_dataset
from antidote_core.errors import DataError
from antidote_core.reporting.documents.report import antidote_csv, union_csv
from pages._ui.shared.own_tables import choosable_name

from .inputs import tries

NAMES = ("a.csv", "a.tsv", "a.txt", "a.parquet", "a.xlsx", "../a.csv", "<b>.csv", "a.pkl", "a")
CELLS = (
    "", " ", "?", "nan", "NA", "inf", "-inf", "1e999", "1", "2", "3", "-4.5", "1,5", "1.234,5",
    "1'000", "１２", "9" * 400, "a", "b", "f", "m", "=1+1", "@SUM(A1)", "+1", "-a", "\t=1", "|",
    "<script>alert(1)</script>", "![p](//evil.example/p.png)", "](", "$x$", "\u202egpj.exe",
    "a\u200bb", "e\u0301", "é", "ﬁ", "\ud7ff", "\U0001f600", "\x07", "\u2028", '"', "'", "a\nb",
    "2020-01-01", "true", "TRUE", "(missing)", "(others)", "a × b", "a" * 11_000,
    "a" * 140_000,
)  # fmt: skip
ODD = (None, 0, 1, -1, 2**63, 10**400, 0.5, float("nan"), float("inf"), 1e308, -1e308, 5e-324, True)
LABELS = (
    "x", "y", "sex", "group", "id", "", " ", "x", "X", "x (2)", "x (share)", "x\u200b", "\u202ex",
    "e\u0301", "é", "=1", "<b>", "![p](//evil.example/p.png)", "a" * 250, "f0", "column 2", "x × y",
)  # fmt: skip
FORBIDDEN = {
    "pickle.find_class",
    "os.system",
    "subprocess.Popen",
    "socket.connect",
}
_watched: list[str] | None = None


def _watch(event, arguments):
    if _watched is not None and (
        event in FORBIDDEN or (event == "open" and "w" in str(arguments[1]))
    ):
        _watched.append(event)


sys.addaudithook(_watch)


@contextmanager
def nothing_executed():
    """What the interpreter itself reports: no pickle, no process, no network, no file written."""
    global _watched
    _watched = []
    try:
        yield
        assert _watched == []
    finally:
        _watched = None


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("uploads")


def people(rows: int = 16) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows).astype(float),
            "pay": rng.normal(2000.5, 300, rows).round(2),
            "job": rng.choice(["clerk", "nurse", "smith"], rows),
            "sex": np.tile(["f", "m"], rows)[:rows],
        }
    )


def as_parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


def as_excel(rows: list[list[object]]) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    for row in rows:
        sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def many_types() -> pa.Table:
    rows = 6
    return pa.table(
        {
            "i": pa.array(range(rows), pa.int8()),
            "u": pa.array([2**64 - 1, 0, 1, 2, 3, None], pa.uint64()),
            "h": pa.array(np.arange(rows, dtype=np.float16)),
            "d": pa.array([Decimal("1.5"), None, Decimal(2), Decimal(3), Decimal(4), Decimal(5)]),
            "t": pa.array(["a", "b", "a", "b", None, "a"]).dictionary_encode(),
            "s": pa.array(["f", "m"] * 3),
            "b": pa.array([True, False, None] * 2),
            "when": pa.array(np.arange(rows), pa.timestamp("us", "UTC")),
            "day": pa.array(np.arange(rows, dtype=np.int32), pa.date32()),
            "long": pa.array(np.arange(rows), pa.duration("s")),
            "list": pa.array([[1]] * rows),
            "raw": pa.array([b"\x80\x04."] * rows),
            "none": pa.nulls(rows),
        }
    )


PEOPLE = people()
GRID = [list(PEOPLE.columns), *PEOPLE.to_numpy(dtype=object).tolist()]
WHOLE = {
    "a.csv": PEOPLE.to_csv(index=False).encode(),
    "b.csv": PEOPLE.to_csv(index=False, sep=";", decimal=",").encode("cp1252"),
    "a.tsv": PEOPLE.to_csv(index=False, sep="\t").encode("utf-16"),
    "a.parquet": as_parquet(pa.Table.from_pandas(PEOPLE)),
    "b.parquet": as_parquet(many_types()),
    "a.xlsx": as_excel(GRID),
}
with zipfile.ZipFile(io.BytesIO(WHOLE["a.xlsx"])) as _book:
    PARTS = {part: _book.read(part) for part in _book.namelist()}


def through_the_page(name: str, content: bytes, chance: random.Random, folder: Path) -> str:
    """All that the page does with a file, in its order; the sentence where it ends, else ''."""
    try:
        with nothing_executed():
            data = _through(name, content, chance)
    except DataError as error:
        said = str(error)
        assert said.endswith("."), said
        assert len(said) < 2_000
        return said
    if data is not None:
        _usable(data, folder)
    return ""


def _through(name, content, chance):
    kind = uploads.file_kind(name, content)
    form = sheet = None
    if kind == "text":
        form = uploads.guess_format(name, content)
        if chance.random() < 0.15:
            form = uploads.TextFormat(
                chance.choice(list(uploads.SEPARATORS)), chance.choice(list(uploads.DECIMALS)),
                chance.choice(list(uploads.THOUSANDS)), chance.choice(list(uploads.ENCODINGS)),
            )  # fmt: skip
    elif kind == "excel":
        sheet = chance.choice(uploads.sheet_names(name, content))
    table = uploads.read_table(name, content, form, sheet, ("NA", chance.choice(CELLS)))
    frame = table.frame
    assert all(isinstance(label, str) and label.isprintable() for label in frame.columns)
    assert len(set(frame.columns)) == len(frame.columns)
    uploads.preview(frame)
    facts = uploads.column_facts(frame)
    uploads.facts_table(facts)
    guess = uploads.guess_roles(facts)
    labels = list(frame.columns)
    protected = (guess.protected,) if guess.protected and chance.random() < 0.5 else None
    protected = protected or tuple(chance.sample(labels, chance.choice([1, 1, 2])))
    ranges = chance.choice([2, 3, 6]) if any(uploads.can_be_cut(frame[p]) for p in protected) else 0
    groups = uploads.find_groups(frame, protected, chance.choice([0, 0, 2, 5]), ranges)
    warnings = uploads.group_warnings(groups)
    assert all(warning.endswith(".") for warning in warnings)
    uploads.sizes_table(groups.sizes)
    below = uploads.helpful_minimum(groups.sizes)
    offered = [label for label in labels if label not in protected]
    features = [label for label in guess.features if label in offered]
    if not features or chance.random() < 0.5:
        features = chance.sample(offered, chance.randint(1, len(offered))) if offered else []
    if not features:
        return None
    uploads.count_gaps(frame, features, protected)
    numbers = [f.name for f in facts if f.kind == "numbers" and f.name in features]
    choice = uploads.Choice(
        tuple(features), protected, chance.choice(["drop", "impute"]),
        chance.choice(list(uploads.CATEGORIES)),
        tuple(label for label in numbers if chance.random() < 0.2),
        below if chance.random() < 0.7 else 0, ranges,
    )  # fmt: skip
    title = uploads.clean_text(name[:40]) or "table"
    encoded = uploads.encode(table, choice, choosable_name(title), title)
    assert encoded.data.n == encoded.rows - encoded.dropped
    return encoded.data


def _usable(data, folder):
    assert np.isfinite(data.points).all()
    assert (data.group_sizes >= 2).all()
    assert len(data.group_names) >= 2
    assert len(set(data.group_names)) == len(data.group_names)
    for text in (*data.group_names, *data.feature_names, data.protected, data.title):
        assert text.isprintable()
        assert "](" not in text
        assert not re.search(r"<[A-Za-z/!?]", text), text
    write_dataset(folder / "data.npz", data)
    assert read_dataset(folder / "data.npz").content_hash == data.content_hash
    for text in (antidote_csv(data, data.points[:2]), union_csv(data, data.points[:2])):
        for cell in (cell for row in csv.reader(io.StringIO(text)) for cell in row):
            assert not cell.startswith(("=", "@", "\t", "\r")), cell
            assert not cell.startswith(("+", "-")) or _is_number(cell), cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# One number, from which everything else is drawn: ten times quicker than to draw each part, and a
# file that gives a wrong answer is made again from its number.
SEEDS = some.integers(0, 2**64 - 1)


def damage(whole: bytes, chance: random.Random) -> bytes:
    """The bytes with up to four pieces cut out, doubled, or overwritten by others."""
    data = bytearray(whole)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randint(0, len(data)), chance.choice([0, 1, 2, 8, 64, 1000])
        data[at : at + length] = chance.choice(
            [
                b"", b"\n", b"{}", b'"', b"-1", b"1e999", b"\xff\xfe", b"<", b"&amp;", b"0", b",",
                chance.randbytes(chance.randint(1, 8)), bytes(data[at : at + length]) * 2,
            ]
        )  # fmt: skip
    return bytes(data)


@tries()
@given(seed=SEEDS)
def test_a_damaged_file(folder, seed):
    chance = random.Random(seed)
    name = chance.choice(sorted(WHOLE))
    through_the_page(name, damage(WHOLE[name], chance), chance, folder)


@tries()
@given(seed=SEEDS)
def test_a_workbook_with_a_damaged_part(folder, seed):
    """Damage below the checksums of the archive, so that the reader of the workbook meets it."""
    chance = random.Random(seed)
    parts = dict(PARTS)
    victim = chance.choice(sorted(parts))
    parts[victim] = damage(parts[victim], chance)
    if chance.random() < 0.3:
        del parts[chance.choice(sorted(parts))]
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for part, content in parts.items():
            archive.writestr(part, content)
    through_the_page("a.xlsx", sink.getvalue(), chance, folder)


@tries(300)
@given(seed=SEEDS, written=some.text(max_size=12))
def test_a_table_of_hostile_cells(folder, seed, written):
    chance = random.Random(seed)
    width = chance.randint(2, 4)
    palette = [chance.choice([*CELLS, written]) for _ in range(chance.randint(1, 4))]
    header = [chance.choice([*LABELS, written]) for _ in range(width)]
    kind = chance.choice(["text", "excel", "parquet"])
    # Columns of numbers beside the others, else hardly anything gets beyond the first check.
    columns = [
        [chance.choice(palette) for _ in range(12)] if chance.random() < 0.6
        else [str(chance.randint(0, 9)) for _ in range(12)]
        for _ in range(width)
    ]  # fmt: skip
    if kind == "text":
        sink = io.StringIO()
        separator = chance.choice(list(uploads.SEPARATORS))
        csv.writer(sink, delimiter=separator).writerows([header, *zip(*columns, strict=True)])
        encoding = chance.choice(list(uploads.ENCODINGS))
        content = sink.getvalue().encode(encoding, errors="replace")
    elif kind == "excel":
        odd = [[chance.choice([*ODD, *column]) for _ in column] for column in columns]
        rows = [header, *map(list, zip(*odd, strict=True))]
        content = as_excel([[_writable(cell) for cell in row] for row in rows])
    else:
        arrays = [pa.array([c.encode("utf-8", "replace").decode() for c in col]) for col in columns]
        names = [label.encode("utf-8", "replace").decode() for label in header]
        content = as_parquet(pa.Table.from_arrays(arrays, names=names))
    name = {"text": "a.csv", "excel": "a.xlsx", "parquet": "a.parquet"}[kind]
    through_the_page(name, content, chance, folder)


def _writable(cell):
    """What a workbook can hold; the writer refuses the rest itself."""
    if isinstance(cell, str):
        return openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", cell).encode(
            "utf-8", "replace"
        ).decode()  # fmt: skip
    return cell if cell is None or abs(cell) < 1e300 else str(cell)


@tries()
@given(name=some.sampled_from(NAMES), content=some.binary(max_size=400), data=some.data())
def test_any_bytes_under_any_name(folder, name, content, data):
    start = data.draw(some.sampled_from([b"", b"PAR1", b"PK\x03\x04", b"\xff\xfe", b"x,g\n"]))
    through_the_page(name, start + content, random.Random(len(content)), folder)


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_the_whole_files_are_usable(folder, name):
    """Else the damaged ones would show nothing."""
    ended = [through_the_page(name, WHOLE[name], random.Random(seed), folder) for seed in range(12)]
    assert "" in ended
