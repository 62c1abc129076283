"""CSV and TSV: how a file is written is guessed, then cells are read as texts and numbers."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from charset_normalizer import from_bytes

from antidote_core.datasets.uploads.names import clean_names
from antidote_core.datasets.uploads.table import (
    MAX_HEADER,
    MAX_TEXT,
    Table,
    check_shape,
    without_blanks,
)
from antidote_core.errors import DataError
from antidote_core.types import Dialect

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
SAMPLE_BYTES = 20_000  # from the first that is not UTF-8, to guess another encoding by
ANOTHER_LENGTH = "another number of values than the first line"
ODD_LINES = 0.01  # lines of another length: so many are left out and counted, more are refused
PROBED = 1_000
MAX_LINE = 8 * 1024**2  # bytes; for each column Arrow sets aside as much as it reads at a time
_BLANK_LINES = re.compile(r"\A(?: *\r?\n)+")  # above the names
_DIGITS = re.compile(r"[+-]?\d[\d.,' \u00a0\u202f’]*")
_CELL_ENDS = re.compile(rb'[;,\t\r\n"]')  # none of them is a part of a character of two bytes
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "’": "'"})


@dataclass(frozen=True)
class TextFormat(Dialect):
    """How a text file is written."""

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


def guess_format(name: str, content: bytes) -> TextFormat:
    """How this text file seems to be written.

    >>> guess_format("a.csv", "größe;sex\\n1,75;f\\n1,82;m".encode("cp1252"))
    TextFormat(separator=';', decimal=',', thousands='', encoding='cp1252')
    """
    encoding = _guess_encoding(content)
    text = _decode(name, content, encoding)[:SAMPLE]
    separator = _guess_separator(text)
    cells = _sample_cells(text.splitlines()[: SAMPLE_LINES + 1], separator)
    decimal, thousands = _guess_signs(cells, separator)
    return TextFormat(separator, decimal, thousands, encoding)


def _sample_cells(lines: list[str], separator: str) -> list[str]:
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
    except UnicodeDecodeError as error:
        start = content.rfind(b"\n", 0, error.start) + 1
    else:
        return "utf-8"
    for encoding in (*_by_letters(content[start : start + SAMPLE_BYTES]), "cp1252"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    return "iso8859-15"  # has a character for every byte


def _by_letters(sample: bytes) -> list[str]:
    """Encodings that fit other alphabets than the Latin one; none where its letters prevail.

    Accents stand alone in Latin words, and charset-normalizer takes short ones for anything.
    """
    whole = sample.rpartition(b"\n")[0] or sample  # the last character may be cut
    cells = b" ".join(cell for cell in _CELL_ENDS.split(whole) if not cell.isascii())
    latin, other = re.findall(rb"[A-Za-z]", cells), re.findall(rb"[\x80-\xff]{2,}", cells)
    if len(b"".join(other)) <= len(latin):
        return []
    offered = [encoding for encoding in ENCODINGS if not encoding.startswith("utf")]
    matches = from_bytes(cells, cp_isolation=offered, preemptive_behaviour=False)
    best = sorted(
        (match.chaos, -match.coherence, offered.index(encoding))
        for match in matches
        for encoding in offered
        if encoding.replace("-", "_") in match.could_be_from_charset
    )
    return [offered[place] for _, _, place in best]


def _stated_separator(text: str) -> str:
    """The separator of a first line such as "sep=;", which spreadsheets write; else nothing."""
    first = text[:8].splitlines()[0] if text else ""
    sign = first[4:5] if first.casefold().startswith("sep=") and len(first) <= 5 else ""
    return sign if sign in SEPARATORS else ""


def _guess_separator(text: str) -> str:
    """The sign that gives most lines as many values as the first one names columns."""
    stated = _stated_separator(text)
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
    thousands = _most(votes, 1, ("'", " ", ".", ","))
    decimal = _most(votes, 0, [sign for sign in DECIMALS if sign != thousands])
    if not decimal and thousands in DECIMALS:
        decimal = "," if thousands == "." else "."
    if not decimal and unclear[","] and not unclear["."]:
        # Nothing but "1,234": a quoted one in a comma file has thousands, else it is decimal.
        return (".", ",") if separator == "," else (",", "")
    return decimal or ".", thousands


def _most(votes: Counter[tuple[str, str]], place: int, signs: Sequence[str]) -> str:
    """The sign with most votes; none where nobody voted for any."""
    counts = {
        sign: sum(count for voted, count in votes.items() if voted[place] == sign) for sign in signs
    }
    best = max(signs, key=lambda sign: counts[sign])
    return best if counts[best] else ""


def read_text(name: str, content: bytes, form: TextFormat, blanks: Sequence[str] = ()) -> Table:
    """The table of a text file.

    A column whose cells all spell numbers becomes float64, with NaN where a cell is blank; the
    others stay text, with None there. Blank are empty cells, "?", "nan" and the texts in `blanks`.
    """
    text = _decode(name, content, form.encoding)
    if _stated_separator(text):
        text = text.partition("\n")[2]
    if not text.strip():
        raise DataError(f"{name} holds nothing but blanks; wanted column names and rows.")
    text = _BLANK_LINES.sub("", text)
    raw = _header(name, text, form.separator)
    check_shape(name, text.rstrip().count("\n"), len(raw))
    names, notes = clean_names(raw, name)
    columns, lost = _cells(name, text, form.separator, len(names))
    odd = len(lost)
    if len(columns) != len(names):
        raise DataError(
            f"The first line of {name} can be read as {len(names):,} names or as {len(columns):,}; "
            "wanted one line of names: look at its quotation marks and line ends."
        )
    rows = len(columns[0]) if columns else 0
    if not rows:
        raise DataError(
            f"{name} has a line of column names and no rows below it; wanted at least two rows of "
            "each of two groups."
        )
    if odd > ODD_LINES * (rows + odd):
        raise DataError(
            f"{odd:,} of {rows + odd:,} lines of {name} have another number of values than the "
            f"{len(names):,} columns of the first line; choose another separator, or correct them."
        )
    if odd:
        notes.append(
            f"{odd:,} of {rows + odd:,} lines left out because they have another number of values "
            "than the first line."
        )
    frame: dict[str, Any] = {}
    written: dict[str, Any] = {}
    for label, cells in zip(names, columns, strict=True):
        frame[label], texts, note = _column(name, label, cells, form, blanks)
        notes += [note] if note else []
        written |= {} if texts is None else {label: texts}
    return Table(
        name,
        pd.DataFrame(frame),
        tuple(notes),
        pd.DataFrame(written),
        Dialect(form.separator, form.decimal, form.thousands),
        tuple(("row", str(number), ANOTHER_LENGTH) for number in lost),
    )


def _header(name: str, text: str, separator: str) -> list[str]:
    """The names in the first line, refused when no end of it is in sight."""
    if len(text) > MAX_HEADER and "\n" not in text[: MAX_HEADER + 1]:
        raise DataError(
            f"The first line of {name} has more than {MAX_HEADER:,} characters; wanted the names "
            "of the columns there and one line per row below."
        )
    try:
        return next(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise DataError(
            f"The line of column names of {name} cannot be read ({error}); wanted short names, "
            "with quotation marks in pairs."
        ) from None


def _cells(name: str, text: str, separator: str, width: int) -> tuple[list[Any], list[int]]:
    """Every column as an array of texts, without the header; and the rows of another length."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    odd: list[int] = []

    def leave_out(row: Any) -> str:
        odd.append(row.number - 1)  # the names are the first
        return "skip"

    raw = f"{text}\n".encode()  # without a line end, a last line alone counts as nothing
    labels = [f"f{index}" for index in range(width)]
    try:
        table = arrow.read_csv(
            pa.BufferReader(raw),
            read_options=arrow.ReadOptions(
                use_threads=False, block_size=MAX_LINE, autogenerate_column_names=True
            ),
            parse_options=arrow.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=leave_out
            ),
            convert_options=arrow.ConvertOptions(
                column_types=dict.fromkeys(labels, pa.large_string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise DataError(
            f"{name} cannot be read as a table ({str(error).splitlines()[0]}); look at the "
            "quotation marks and the separator."
        ) from None
    return [column.combine_chunks() for column in table.slice(1).columns], odd


def _column(
    name: str, label: str, cells: Any, form: TextFormat, blanks: Sequence[str]
) -> tuple[Any, Any, str]:
    """The column as numbers or texts; numbers as they are written, and None beside texts.

    And a sentence when most of it, not all, spells numbers.
    """
    import pyarrow.compute as pc

    longest = pc.max(pc.utf8_length(cells)).as_py()
    if longest > MAX_TEXT:
        raise DataError(
            f"A cell of the column {label!r} of {name} has {longest:,} characters; wanted at most "
            f"{MAX_TEXT:,}: look at the quotation marks, or leave the column out."
        )
    cells = without_blanks(cells, blanks)
    present = cells.drop_null()
    if not len(present):
        return np.full(len(cells), np.nan), None, ""
    probed = _numbers(present[:PROBED], form)
    numbers = None if probed is None else _numbers(cells, form)
    if numbers is not None:
        values = np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)
        if form.thousands:  # one of several signs that look alike
            cells = pc.replace_substring_regex(cells, _thousands(form), form.thousands)
        return values, cells.to_pandas(), ""
    return cells.to_pandas(), None, _nearly_numbers(label, present, form)


def _decode(name: str, content: bytes, encoding: str) -> str:
    """The text of the file; a sentence where the encoding does not fit."""
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{name} is not written in {ENCODINGS[encoding]} (byte {error.start + 1:,}); choose "
            "another encoding."
        ) from None
    return text.removeprefix("\ufeff")


def _numbers(cells: Any, form: TextFormat) -> Any:
    """The numbers that all cells spell; None when one of them spells none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spelled = _pattern(form)
    if not pc.all(pc.match_substring_regex(cells, spelled)).as_py():
        return None
    plain = pc.replace_substring_regex(cells, r"^\+", "")
    if form.thousands:
        plain = pc.replace_substring_regex(plain, _thousands(form), "")
    if form.decimal != ".":
        plain = pc.replace_substring(plain, form.decimal, ".")
    try:
        return pc.cast(plain, pa.float64())
    except pa.ArrowInvalid:
        return None


def _thousands(form: TextFormat) -> str:
    return {" ": "[ \u00a0\u202f]", "'": "['’]"}.get(form.thousands, re.escape(form.thousands))


def _pattern(form: TextFormat) -> str:
    """What a number looks like with these signs; thousands stand in groups of three."""
    whole = r"\d+"
    if form.thousands:
        whole = rf"(\d{{1,3}}({_thousands(form)}\d{{3}})+|\d+)"
    point = re.escape(form.decimal)
    number = rf"({whole}({point}\d*)?|{point}\d+)([eE][+-]?\d+)?"
    return rf"^[+-]?({number}|inf|Inf|infinity|Infinity)$"


def _nearly_numbers(label: str, present: Any, form: TextFormat) -> str:
    import pyarrow.compute as pc

    fits = pc.match_substring_regex(present, _pattern(form))
    share = pc.mean(pc.cast(fits, "float64")).as_py()
    if not 0.5 <= share < 1:
        return ""
    word = present.filter(pc.invert(fits))[0].as_py()[:40]
    return (
        f"{label!r} is read as text because of values such as {word!r}, though {share:.0%} of its "
        "values are numbers; name them as missing if that is what they mean."
    )
