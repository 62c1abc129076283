"""The bundled copies of real data: where they stand and how their columns become points."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from antidote_core.errors import DataError
from antidote_core.types import Floats, Ints

BUNDLED = Path(__file__).parent

STANDARDISED = "Every feature is standardised: mean 0 and population standard deviation 1."


def read_bundled(name: str) -> pd.DataFrame:
    """The bundled columns of `name` in the original units and row order."""
    path = BUNDLED / f"{name}.parquet"
    try:
        return pd.read_parquet(path)
    except OSError as error:
        raise DataError(
            f"The bundled file {path.name} cannot be read ({type(error).__name__}); "
            "install the package again."
        ) from None


def standardise(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Points, shift and scale of `values` (n, d): z-scores with the population deviation.

    >>> points, shift, scale = standardise(np.array([[1.0], [3.0]]))
    >>> points.ravel().tolist(), shift.tolist(), scale.tolist()
    ([-1.0, 1.0], [2.0], [1.0])
    """
    values = np.ascontiguousarray(values)  # one memory order, one order of summation
    shift, scale = values.mean(axis=0), values.std(axis=0)
    return (values - shift) / scale, shift, scale


def codes_of(values: pd.Series, names: Sequence[str]) -> Ints:
    """The position in `names` of every value, (n,)."""
    return pd.Index(names).get_indexer(pd.Index(values.astype(str))).astype(np.int64)
