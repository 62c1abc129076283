"""Column names and texts made safe to show: one spelling, nothing invisible, every name once."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from antidote_core.datasets.uploads.table import MAX_NAME
from antidote_core.errors import DataError

# Controls, marks that turn the direction of writing or have no width, halves of characters.
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_WORD = re.compile(r"[^\W\d_]+")
# Cyrillic, then Greek letters (above) that are drawn as the Latin ones below them.
_DRAWN_AS = str.maketrans(
    "АВЕЅІЈКМНОРСТУҮХЬѴԜӀаеһіјорсԁԛѕуүхѵԝ" + "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹοϲϳν",
    "ABESIJKMHOPCTYYXbVWIaehijopcdqsyyxvw" + "ABEZHIKMNOPTYXCocjv",
)
_DRAWN_BY = frozenset(map(chr, _DRAWN_AS.values()))
# Written small or framed: x² does not look like x2.
_APART = ("<super>", "<sub>", "<circle>", "<fraction>", "<square>")


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
    return once, notes + confusable_names(once)


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


def confusable_names(names: Sequence[str]) -> list[str]:
    """Sentences about distinct names that look the same, or mix alphabets within a word.

    >>> confusable_names(["age", "аge"])  # the second begins with a Cyrillic letter
    ["'age' and 'аge' (the second has CYRILLIC SMALL LETTER A) look the same but are written with \
different letters: look which one you mean."]
    >>> confusable_names(["Age", "age", "возраст", "ηλικία", "x2", "x²"])
    []
    """
    first: dict[str, str] = {}
    pairs, twins = [], set()
    for name in names:
        other = first.setdefault(_skeleton(name), name)
        if other != name:
            pairs.append(f"{other!r} and {name!r} ({_difference(other, name)})")
            twins |= {other, name}
    strangers = {name: _foreign_letter(name) for name in names if name not in twins}
    mixed = [f"{name!r} ({_called(sign)})" for name, sign in strangers.items() if sign]
    notes = []
    if pairs:
        notes.append(
            f"{_first(pairs)} look the same but are written with different letters: look which one "
            "you mean."
        )
    if mixed:
        notes.append(
            "A letter of another alphabet that looks alike stands within a word of "
            f"{_first(mixed)}: look whether that is what you mean."
        )
    return notes


def _skeleton(name: str) -> str:
    """What is seen of a name: the same for names that look the same."""
    if name.isascii():
        return name
    plain = (
        sign
        if unicodedata.decomposition(sign).startswith(_APART)
        else unicodedata.normalize("NFKD", sign)
        for sign in name
    )
    return "".join(plain).translate(_DRAWN_AS)


def _difference(a: str, b: str) -> str:
    one, other = next((x, y) for x, y in zip(a, b, strict=False) if x != y)
    return (
        f"the first has {_called(one)}" if other.isascii() else f"the second has {_called(other)}"
    )


def _foreign_letter(name: str) -> str:
    """A letter that is drawn as one of the alphabet of its word but belongs to another; or ""."""
    for word in () if name.isascii() else _WORD.findall(name):
        latin, cyrillic, greek = (
            [sign for sign in word if _called(sign).startswith(script)]
            for script in ("LATIN", "CYRILLIC", "GREEK")
        )
        if latin and (cyrillic or greek) and all(ord(x) in _DRAWN_AS for x in cyrillic + greek):
            return (cyrillic + greek)[0]
        if latin and cyrillic and all(sign in _DRAWN_BY for sign in latin):
            return latin[0]
    return ""


def _called(sign: str) -> str:
    return unicodedata.name(sign, f"U+{ord(sign):04X}")


def _some(names: list[str]) -> str:
    return _first([repr(name) for name in names])


def _first(texts: list[str]) -> str:
    return ", ".join(texts[:3]) + (f" and {len(texts) - 3:,} more" if len(texts) > 3 else "")
