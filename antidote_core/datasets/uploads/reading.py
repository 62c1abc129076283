"""One door for every kind of file: bytes in, a table with notes out. Nothing is ever executed.

Beside it, small made-up tables to try an upload with, written the way people's files are.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

import numpy as np
import pandas as pd

from antidote_core.datasets.uploads.parquet import read_parquet
from antidote_core.datasets.uploads.table import Table, check_size, too_little_memory
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
            table = read_excel(name, content, sheet, blanks)
        elif kind == "parquet":
            table = read_parquet(name, content, blanks)
        else:
            table = read_text(name, content, form or guess_format(name, content), blanks)
    except MemoryError:
        raise too_little_memory(name) from None
    if len(table.frame.columns) < 2:
        raise DataError(
            f"{name} has one column only ({table.frame.columns[0]!r}); wanted at least one to "
            "cluster by and one with the groups: look at the separator."
        )
    return table


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


SEED = 7


@dataclass(frozen=True)
class Sample:
    """A file and one sentence about it."""

    name: str
    sentence: str
    content: bytes


def sample_files() -> tuple[Sample, ...]:
    """The files, the same ones every time.

    >>> [sample.name for sample in sample_files()]
    ['applicants.csv', 'messwerte.csv', 'towns.csv']
    """
    return (
        Sample("applicants.csv", "commas, decimal points, no gaps", _as_csv(_people(300))),
        Sample(
            "messwerte.csv", "semicolons, decimal commas, umlauts and gaps", _with_decimal_commas()
        ),
        Sample("towns.csv", "thirty groups, more than can be compared", _many_groups()),
    )


def _people(rows: int) -> pd.DataFrame:
    """Two bunches of people; men are more often in the better-off one."""
    rng = np.random.default_rng(SEED)
    well = rng.random(rows) < 0.45
    woman = rng.random(rows) < np.where(well, 0.3, 0.6)
    return pd.DataFrame(
        {
            "age": np.clip(rng.normal(np.where(well, 46, 33), 7), 18, 80).round().astype(int),
            "income": np.clip(rng.normal(np.where(well, 4200, 2300), 420), 800, None).round(2),
            "height": rng.normal(np.where(woman, 1.66, 1.79), 0.07).round(2),
            "housing": np.where(rng.random(rows) < np.where(well, 0.7, 0.2), "owner", "tenant"),
            "sex": np.where(woman, "female", "male"),
            "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.35, 0.15]),
        }
    )


def _with_decimal_commas() -> bytes:
    people = _people(320)
    rng = np.random.default_rng(SEED + 1)
    table = pd.DataFrame(
        {
            "Nr": [str(number) for number in range(1, len(people) + 1)],
            "Alter": [str(value) for value in people["age"]],
            "Größe (m)": [f"{value:.2f}".replace(".", ",") for value in people["height"]],
            "Einkommen": [_german(value) for value in people["income"]],
            "Wohnung": people["housing"].map({"owner": "Eigentümer", "tenant": "Mieter"}),
            "Geschlecht": people["sex"].map({"female": "weiblich", "male": "männlich"}),
        }
    )
    for column, share, blank in (
        ("Alter", 0.04, ""), ("Einkommen", 0.06, "NA"), ("Wohnung", 0.03, ""),
        ("Geschlecht", 0.01, ""),
    ):  # fmt: skip
        table.loc[rng.random(len(table)) < share, column] = blank
    return table.to_csv(index=False, sep=";", lineterminator="\r\n").encode("cp1252")


def _german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def _many_groups() -> bytes:
    people = _people(600)
    rng = np.random.default_rng(SEED + 2)
    weights = 1.0 / np.arange(1, 31)
    towns = rng.choice(30, len(people), p=weights / weights.sum())
    towns[:30] = np.arange(30)
    people.insert(0, "town", [f"town {number + 1:02d}" for number in towns])
    return _as_csv(people.drop(columns=["sex", "region"]))


def _as_csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()
