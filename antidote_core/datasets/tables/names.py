"""Column names and texts made safe to show: one spelling, nothing invisible, every name once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from antidote_core.datasets.tables.limits import MAX_NAME
from antidote_core.errors import DataError

# Controls, marks that turn the direction of writing or have no width, halves of characters.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


def clean_text(text: str) -> str:
    """The text in one spelling (NFC), without invisible characters, with single spaces.

    A bracket pair that Markdown would take for a link or a picture is set apart, and so is a sign
    that a chart would take for the beginning of a tag.

    >>> clean_text(" in\\u200bcome\\u202e \\t net "), clean_text("![x](http://a.example)")
    ('income net', '![x] (http://a.example)')
    >>> clean_text("<a href='http://a.example'>x</a>"), clean_text("<50 k")
    ("< a href='http://a.example'>x< /a>", '<50 k')
    """
    spaced = "".join(" " if sign.isspace() else sign for sign in unicodedata.normalize("NFC", text))
    kept = "".join(sign for sign in spaced if unicodedata.category(sign) not in _INVISIBLE)
    return _TAG.sub("< ", " ".join(kept.split()).replace("](", "] ("))


def clean_names(raw: Sequence[object], where: str) -> tuple[list[str], list[str]]:
    """One safe, distinct name per column, and sentences about the names that were changed.

    >>> clean_names(["age", "", "age"], "people.csv")[0]
    ['age', 'column 2', 'age (2)']
    """
    names: list[str] = []
    unnamed, altered = 0, []
    for position, value in enumerate(raw, start=1):
        text = "" if value is None else str(value)
        if len(text) > MAX_NAME:
            raise DataError(
                f"Column {position:,} of {where} has a name of {len(text):,} characters; wanted at "
                f"most {MAX_NAME}: put short column names into the first line."
            )
        name = clean_text(text)
        if not name:
            name, unnamed = f"column {position}", unnamed + 1
        elif name != text.strip():
            altered.append(name)
        names.append(name)
    once = each_once(names)
    repeated = [name for name, before in zip(once, names, strict=True) if name != before]
    notes = []
    if unnamed:
        notes.append(f"{unnamed:,} columns without a name are named by their place.")
    if altered:
        notes.append(
            f"Invisible or unusual characters were taken out of {_some(altered)}: look whether "
            "that is the column you mean."
        )
    if repeated:
        notes.append(f"Names that occur several times got a number: {_some(repeated)}.")
    return once, notes


def each_once(names: Sequence[str]) -> list[str]:
    """The names, with a number where one has occurred already.

    >>> each_once(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    once: dict[str, None] = {}
    for name in names:
        number, distinct = 2, name
        while distinct in once:
            distinct, number = f"{name} ({number})", number + 1
        once[distinct] = None
    return list(once)


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:3])
    return shown + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
