"""CSV for spreadsheets: no text becomes a formula, no column of a table hides one of ours."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

# Signs with which a spreadsheet begins a formula, also in the wide forms of East Asian keyboards.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_csv(frame: pd.DataFrame) -> str:
    """CSV in which no text can be taken for a formula by a spreadsheet; numbers stay numbers.

    >>> print(safe_csv(pd.DataFrame({"a": ["=1+1", " @b", "c"], "-d": [-1, 2, 3]})).strip())
    a,'-d
    '=1+1,-1
    ' @b,2
    c,3
    """
    safe = frame.copy()
    for name in frame.select_dtypes(exclude="number").columns:
        safe[name] = frame[name].map(_harmless)
    return str(safe.rename(columns=_harmless).to_csv(index=False))


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return "'" + value
    return value


def set_apart(frame: pd.DataFrame, ours: Iterable[str]) -> pd.DataFrame:
    """The table with other names for columns that are named like one of ours.

    >>> set_apart(pd.DataFrame({"copies": [1], "age": [2]}), ["copies"]).columns.tolist()
    ['copies (table)', 'age']
    """
    names = {}
    for name in ours:
        names[name] = f"{name} (table)"
        while names[name] in frame.columns:
            names[name] += " (table)"
    return frame.rename(columns=names)
