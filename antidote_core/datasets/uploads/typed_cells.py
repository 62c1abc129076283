"""Columns of cells that already have types: blanks become missing, numbers become float64."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import BLANKS


def plain_column(values: Any, blanks: Sequence[str] = ()) -> Any:
    """A column as float64 when all cells with a value are numbers, else as it came.

    Texts are trimmed; empty ones, "?", "nan" and those in `blanks` become missing.

    >>> plain_column([1, None, "n/a"], ["n/a"]).tolist()
    [1.0, nan, nan]
    """
    series = values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)
    if not pd.api.types.is_object_dtype(series.dtype):
        if pd.api.types.is_bool_dtype(series.dtype) or series.dtype.kind not in "iuf":
            return series.array
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    empty = {*BLANKS, *(blank.strip().casefold() for blank in blanks)}
    cells = [_cell(value, empty) for value in series]
    present = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, numbers.Real) and not isinstance(cell, bool) for cell in present):
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return pd.Series(cells, dtype=object).array


def _cell(value: Any, empty: set[str]) -> Any:
    if isinstance(value, str):
        text = value.strip()
        return None if text.casefold() in empty else text
    if value is None or value is pd.NaT or (isinstance(value, float) and np.isnan(value)):
        return None
    return value.item() if isinstance(value, np.generic) else value
