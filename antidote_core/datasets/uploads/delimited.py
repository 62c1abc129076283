"""Reading CSV and TSV: every cell as text first, then columns of numbers by the chosen signs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import BLANKS
from antidote_core.datasets.uploads.limits import MAX_TEXT, check_shape
from antidote_core.datasets.uploads.names import clean_names
from antidote_core.datasets.uploads.sniffing import (
    TextFormat,
    decode,
    header_line,
    stated_separator,
)
from antidote_core.errors import DataError

ODD_LINES = 0.01  # lines of another length: so many are left out and counted, more are refused
PROBED = 1_000
MAX_LINE = 8 * 1024**2  # bytes; for each column Arrow sets aside as much as it reads at a time
_BLANK_LINES = re.compile(r"\A(?: *\r?\n)+")  # above the names


def read_text(
    name: str, content: bytes, form: TextFormat, blanks: Sequence[str] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """The table of a text file, and sentences about what was changed on the way.

    A column whose cells all spell numbers becomes float64, with NaN where a cell is blank; the
    others stay text, with None there. Blank are empty cells, "?", "nan" and the texts in `blanks`.
    """
    text = decode(name, content, form.encoding)
    if stated_separator(text):
        text = text.partition("\n")[2]
    if not text.strip():
        raise DataError(f"{name} holds nothing but blanks; wanted column names and rows.")
    text = _BLANK_LINES.sub("", text)
    header_line(name, text)
    raw = _header(name, text, form.separator)
    check_shape(name, text.rstrip().count("\n"), len(raw))
    names, notes = clean_names(raw, name)
    columns, odd = _cells(name, text, form.separator, len(names))
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
    for label, cells in zip(names, columns, strict=True):
        frame[label], note = _column(name, label, cells, form, blanks)
        notes += [note] if note else []
    return pd.DataFrame(frame), notes


def _header(name: str, text: str, separator: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise DataError(
            f"The line of column names of {name} cannot be read ({error}); wanted short names, "
            "with quotation marks in pairs."
        ) from None


def _cells(name: str, text: str, separator: str, width: int) -> tuple[list[Any], int]:
    """Every column as an array of texts, without the header; and the lines of another length."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    odd = 0

    def leave_out(row: Any) -> str:
        nonlocal odd
        odd += 1
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
) -> tuple[Any, str]:
    """The column as numbers or texts, and a sentence when most of it, not all, spells numbers."""
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
        return np.full(len(cells), np.nan), ""
    probed = _numbers(present[:PROBED], form)
    numbers = None if probed is None else _numbers(cells, form)
    if numbers is not None:
        return np.asarray(numbers.to_numpy(zero_copy_only=False), dtype=np.float64), ""
    return cells.to_pandas(), _nearly_numbers(label, present, form)


def without_blanks(cells: Any, blanks: Sequence[str]) -> Any:
    """Texts of an Arrow array, trimmed; empty ones, "?", "nan" and those in `blanks` are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = pc.utf8_trim_whitespace(cells)
    empty = sorted({*BLANKS, *(blank.strip().casefold() for blank in blanks)})
    is_blank = pc.is_in(pc.utf8_lower(cells), value_set=pa.array(empty, pa.large_string()))
    return pc.if_else(is_blank, pa.scalar(None, pa.large_string()), cells)


def _numbers(cells: Any, form: TextFormat) -> Any:
    """The numbers that all cells spell; None when one of them spells none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spelled = _pattern(form)
    if not pc.all(pc.match_substring_regex(cells, spelled)).as_py():
        return None
    plain = pc.replace_substring_regex(cells, r"^\+", "")
    if form.thousands:
        signs = {" ": "[ \u00a0\u202f]", "'": "['’]"}.get(form.thousands, re.escape(form.thousands))
        plain = pc.replace_substring_regex(plain, signs, "")
    if form.decimal != ".":
        plain = pc.replace_substring(plain, form.decimal, ".")
    try:
        return pc.cast(plain, pa.float64())
    except pa.ArrowInvalid:
        return None


def _pattern(form: TextFormat) -> str:
    """What a number looks like with these signs; thousands stand in groups of three."""
    whole = r"\d+"
    if form.thousands:
        sign = {" ": "[ \u00a0\u202f]", "'": "['’]"}.get(form.thousands, re.escape(form.thousands))
        whole = rf"(\d{{1,3}}({sign}\d{{3}})+|\d+)"
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
