"""Guessing how a file is written: its kind by content, its encoding, separator and signs."""

from __future__ import annotations

import codecs
import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from antidote_core.datasets.uploads.limits import MAX_HEADER, check_size
from antidote_core.errors import DataError

Kind = Literal["text", "parquet", "excel"]
KINDS: dict[str, Kind] = {
    ".csv": "text", ".tsv": "text", ".txt": "text", ".parquet": "parquet", ".xlsx": "excel",
}  # fmt: skip
KIND_WORDS = {"text": "a text file", "parquet": "a Parquet file", "excel": "an Excel workbook"}
SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
DECIMALS = {".": "point", ",": "comma"}
THOUSANDS = {"": "none", ",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
ENCODINGS = {
    "utf-8": "Unicode (UTF-8)",
    "utf-16": "Unicode (UTF-16)",
    "cp1252": "Western European (Windows)",
    "cp1250": "Central European (Windows)",
    "cp1251": "Cyrillic (Windows)",
    "iso8859-15": "Western European (ISO)",
    "shift_jis": "Japanese (Shift JIS)",
    "gb18030": "Chinese (GB 18030)",
}
SAMPLE = 200_000  # characters looked at
SAMPLE_LINES = 200

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
_DIGITS = re.compile(r"[+-]?\d[\d.,' \u00a0\u202f’]*")
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "’": "'"})


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written: `decimal` and `thousands` are signs, `thousands` may be none."""

    separator: str = ","
    decimal: str = "."
    thousands: str = ""
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        if self.separator not in SEPARATORS or self.encoding not in ENCODINGS:
            raise DataError(
                f"The format names the separator {self.separator!r} and the encoding "
                f"{self.encoding!r}; wanted one of {', '.join(SEPARATORS.values())} and one of "
                f"{', '.join(ENCODINGS)}."
            )
        if self.decimal not in DECIMALS or self.thousands not in THOUSANDS:
            raise DataError(
                f"The format names the decimal sign {self.decimal!r} and the thousands sign "
                f"{self.thousands!r}; wanted a point or a comma, and none, a comma, a point, a "
                "space or an apostrophe."
            )
        if self.decimal == self.thousands:
            raise DataError(
                f"The {DECIMALS[self.decimal]} is both the decimal and the thousands sign; wanted "
                "two different ones: change one of them."
            )


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


def decode(name: str, content: bytes, encoding: str) -> str:
    """The text of the file; a sentence where the encoding does not fit."""
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not written in {ENCODINGS[encoding]} (byte {error.start + 1:,}); choose "
            "another encoding."
        ) from None
    return text.removeprefix("\ufeff")


def guess_format(name: str, content: bytes) -> TextFormat:
    """How this text file seems to be written.

    >>> guess_format("a.csv", "größe;sex\\n1,75;f\\n1,82;m".encode("cp1252"))
    TextFormat(separator=';', decimal=',', thousands='', encoding='cp1252')
    """
    encoding = _guess_encoding(content)
    text = decode(name, content, encoding)[:SAMPLE]
    separator = _guess_separator(text)
    cells = _cells(text.splitlines()[: SAMPLE_LINES + 1], separator)
    decimal, thousands = _guess_signs(cells, separator)
    return TextFormat(separator, decimal, thousands, encoding)


def _cells(lines: list[str], separator: str) -> list[str]:
    """All values below the first line, up to one that is too long to be one."""
    cells: list[str] = []
    try:
        for number, row in enumerate(csv.reader(lines, delimiter=separator)):
            cells += row if number else []
    except csv.Error:  # reading the table says what is wrong with it
        pass
    return cells


def _guess_encoding(content: bytes) -> str:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        try:
            content.decode("cp1252")
        except UnicodeDecodeError:
            return "iso8859-15"  # has a character for every byte
        return "cp1252"
    return "utf-8"


def stated_separator(text: str) -> str:
    """The separator of a first line such as "sep=;", which spreadsheets write; else nothing."""
    first = text[:8].splitlines()[0] if text else ""
    sign = first[4:5] if first.casefold().startswith("sep=") and len(first) <= 5 else ""
    return sign if sign in SEPARATORS else ""


def _guess_separator(text: str) -> str:
    """The sign that gives most lines as many values as the first one names columns."""
    stated = stated_separator(text)
    if stated:
        return stated
    lines = [line for line in text.splitlines()[:SAMPLE_LINES] if line.strip()]
    best, found = (0.0, 0), ","
    for sign in SEPARATORS:
        try:
            counts = [len(row) for row in csv.reader(lines, delimiter=sign)]
        except csv.Error:
            continue
        if not counts or counts[0] < 2:
            continue
        agreeing = counts.count(counts[0]) / len(counts)
        if (agreeing, counts[0]) > best:
            best, found = (agreeing, counts[0]), sign
    return found


def _guess_signs(cells: list[str], separator: str) -> tuple[str, str]:
    """Decimal and thousands sign, by the cells that can be read in one way only.

    "1,5" has a decimal comma, "1,234,567" and "1,234.5" have commas between thousands; "1,234"
    could be both.
    """
    votes: Counter[tuple[str, str]] = Counter()
    unclear: Counter[str] = Counter()
    for cell in cells:
        number = cell.strip().translate(_SPACES)
        if not _DIGITS.fullmatch(number):
            continue
        signs = [sign for sign in number if sign in ".,' "]
        kinds = list(dict.fromkeys(signs))
        if not kinds:
            continue
        last, tail = signs[-1], len(number) - number.rindex(signs[-1]) - 1
        if len(kinds) == 2 and last in DECIMALS and signs.count(last) == 1:
            votes[last, kinds[0]] += 1
        elif (len(kinds) == 1 and last in " '" and tail == 3) or (
            len(kinds) == 1 and len(signs) > 1 and tail == 3
        ):
            votes["", last] += 1
        elif len(signs) == 1 and last in DECIMALS and tail != 3:
            votes[last, ""] += 1
        elif len(signs) == 1 and last in DECIMALS:
            unclear[last] += 1
    thousands = _most({sign: _count(votes, 1, sign) for sign in ("'", " ", ".", ",")}, "")
    decimals = {sign: _count(votes, 0, sign) for sign in DECIMALS if sign != thousands}
    decimal = _most(decimals, "")
    if not decimal and thousands in DECIMALS:
        decimal = "," if thousands == "." else "."
    if not decimal and unclear[","] and not unclear["."]:
        # Nothing but "1,234": a quoted one in a comma file has thousands, else it is decimal.
        return (".", ",") if separator == "," else (",", "")
    return decimal or ".", thousands


def _count(votes: Counter[tuple[str, str]], place: int, sign: str) -> int:
    return sum(count for signs, count in votes.items() if signs[place] == sign)


def _most(counts: dict[str, int], default: str) -> str:
    best = max(counts, key=lambda sign: counts[sign], default=default)
    return best if counts.get(best) else default


def header_line(name: str, text: str) -> str:
    """The first line, refused when no end of it is in sight."""
    line, end, _ = text[: MAX_HEADER + 1].partition("\n")
    if not end and len(text) > MAX_HEADER:
        raise DataError(
            f"The first line of {name} has more than {MAX_HEADER:,} characters; wanted the names "
            "of the columns there and one line per row below."
        )
    return line.rstrip("\r")
