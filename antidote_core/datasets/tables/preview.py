"""A table as texts for a screen: its first rows, and one line per column."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from antidote_core.datasets.tables.names import clean_text
from antidote_core.datasets.tables.roles import ColumnFacts

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
