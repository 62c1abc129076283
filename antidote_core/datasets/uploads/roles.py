"""What the columns of a table seem to be, and which to cluster by and which to compare."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import DATES
from antidote_core.datasets.frame import MAX_FEATURES, MAX_GROUPS, MAX_LEVELS
from antidote_core.datasets.uploads.names import clean_text

ColumnKind = Literal[
    "numbers", "categories", "texts", "dates", "row number", "always the same", "empty"
]
# Words by which attributes that are protected by law or custom usually go, in a few languages.
PROTECTED_WORDS = frozenset(
    {
        "sex", "gender", "race", "ethnicity", "ethnic", "religion", "marital", "nationality",
        "citizenship", "disability", "disabled", "caste", "skin", "orientation", "minority",
        "foreign", "foreigner", "migration", "veteran", "group",
        "geschlecht", "herkunft", "familienstand", "nationalität", "behinderung", "gruppe",
        "sexe", "genre", "ethnie", "nationalité", "handicap", "groupe",
        "sexo", "género", "raza", "etnia", "religión", "nacionalidad", "discapacidad", "grupo",
    }
)  # fmt: skip
IDENTIFIER_WORDS = frozenset({"id", "index", "nr", "no", "number", "row", "key", "uuid", "name"})
GUESSED_GROUPS = 12


@dataclass(frozen=True)
class ColumnFacts:
    """One column: its kind, its distinct values, its empty cells and some values."""

    name: str
    kind: ColumnKind
    distinct: int
    missing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Roles:
    """Columns to cluster by, and the one whose groups are compared; empty without a candidate.

    `ids` are columns that say who a row is.
    """

    features: tuple[str, ...]
    protected: str
    ids: tuple[str, ...] = ()


def column_facts(frame: pd.DataFrame) -> tuple[ColumnFacts, ...]:
    """What every column holds.

    >>> frame = pd.DataFrame({"id": [1, 2, 3, 4], "sex": list("fmfm"), "age": [30.0, 31, 30, None]})
    >>> [(facts.kind, facts.distinct, facts.missing) for facts in column_facts(frame)]
    [('row number', 4, 0), ('categories', 2, 0), ('numbers', 2, 1)]
    """
    return tuple(_facts(str(name), frame[name]) for name in frame.columns)


def _facts(name: str, series: pd.Series) -> ColumnFacts:
    present = series.dropna()
    values = pd.unique(present)
    examples = tuple(_shown(value) for value in values[:3])
    kind = _kind(name, present, len(values))
    return ColumnFacts(name, kind, len(values), int(series.isna().sum()), examples)


def _kind(name: str, present: pd.Series, distinct: int) -> ColumnKind:
    if not distinct:
        return "empty"
    if distinct == 1:
        return "always the same"
    kind = present.dtype.kind
    if kind in "mM" or isinstance(present.iloc[0], DATES):
        return "dates"
    if kind in "iuf":
        return "row number" if _counts_rows(name, present, distinct) else "numbers"
    if kind == "b":
        return "categories"
    return "categories" if distinct <= MAX_LEVELS else "texts"


def _counts_rows(name: str, present: pd.Series, distinct: int) -> bool:
    values = present.to_numpy(dtype=np.float64)
    if distinct < len(values) or not np.array_equal(values, np.round(values)):
        return False
    named = bool(IDENTIFIER_WORDS & _words(name))
    return named or bool(len(values) > 2 and (np.diff(values) == 1).all())


def guess_roles(facts: tuple[ColumnFacts, ...]) -> Roles:
    """The columns of numbers as features; as protected a column that is named like one.

    Other columns that are named like a protected attribute are not guessed as features.
    """
    numbers = [f for f in facts if f.kind == "numbers"]
    categories = [f for f in facts if f.kind == "categories"]
    grouping = [
        f for f in (*categories, *numbers) if 2 <= f.distinct <= min(GUESSED_GROUPS, MAX_GROUPS)
    ]
    named = [f for f in grouping if _words(f.name) & PROTECTED_WORDS]
    others = sorted((f for f in grouping if f.kind == "categories"), key=lambda f: f.distinct)
    protected = next((f.name for f in (*named, *others)), "")
    sensitive = {f.name for f in facts if _words(f.name) & PROTECTED_WORDS} | {protected}
    features = [f.name for f in numbers if f.name not in sensitive]
    if not features:
        features = [f.name for f in categories if f.name not in sensitive]
    ids = [f.name for f in facts if f.kind == "row number" or _is_identifier(f)]
    return Roles(tuple(features[:MAX_FEATURES]), protected, tuple(ids))


def _is_identifier(facts: ColumnFacts) -> bool:
    return facts.kind == "texts" and bool(IDENTIFIER_WORDS & _words(facts.name))


def _words(name: str) -> set[str]:
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return set(re.split(r"[\W_\d]+", parted.casefold()))


def _shown(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 30 else text[:29] + "…"


MOST_COLUMNS = 30
MOST_SIGNS = 60


def preview(frame: pd.DataFrame, rows: int = 6) -> pd.DataFrame:
    """The first rows of the first columns as texts; empty where a value is missing.

    >>> preview(pd.DataFrame({"a": [1.0, None], "b": ["x", "y"]})).to_dict("list")
    {'a': ['1', ''], 'b': ['x', 'y']}
    """
    shown = frame.iloc[:rows, :MOST_COLUMNS]
    return pd.DataFrame({str(name): [_text(v) for v in shown[name]] for name in shown.columns})


def facts_table(facts: tuple[ColumnFacts, ...]) -> pd.DataFrame:
    """One line per column: what it holds, how many values, how many gaps."""
    return pd.DataFrame(
        {
            "column": [f.name for f in facts],
            "holds": [f.kind for f in facts],
            "different values": [f.distinct for f in facts],
            "gaps": [f.missing for f in facts],
            "for instance": [clean_text(", ".join(f.examples)) for f in facts],
        }
    )


def sizes_table(sizes: Mapping[str, int]) -> pd.DataFrame:
    """One line per group: its rows and its share of those with a group."""
    whole = max(sum(sizes.values()), 1)
    return pd.DataFrame(
        {
            "group": list(sizes),
            "rows": list(sizes.values()),
            "share": [f"{size / whole:.1%}" for size in sizes.values()],
        }
    )


def _text(value: object) -> str:
    if value is None or value != value or value is pd.NaT or value is pd.NA:
        return ""
    text = f"{value:.10g}" if isinstance(value, float) else clean_text(str(value))
    return text if len(text) <= MOST_SIGNS else text[: MOST_SIGNS - 1] + "…"
