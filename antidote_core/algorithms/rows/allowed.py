"""Which rows may be copied: those whose every feature is ordinary."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antidote_core.errors import SpecError
from antidote_core.types import Floats

Mask = NDArray[np.bool_]


def allowed_rows(points: Floats, percentiles: tuple[float, float] = (1, 99)) -> Mask:
    """The rows (n,) of points (n, d) whose every feature lies within these percentiles.

    >>> allowed_rows(np.array([[0.0], [1.0], [2.0], [50.0]]), (0, 75)).tolist()
    [True, True, True, False]
    """
    low, high = percentiles
    if not 0 <= low < high <= 100:
        raise SpecError(
            "percentiles must be two numbers from 0 to 100, the smaller one first; "
            f"got {low:g} and {high:g}."
        )
    lower, upper = np.percentile(points, [low, high], axis=0)
    allowed = ((points >= lower) & (points <= upper)).all(axis=1)
    if not allowed.any():
        raise SpecError(
            f"No row has every feature within percentiles {low:g} to {high:g}; "
            "widen the percentiles or use fewer features."
        )
    return np.asarray(allowed)


def check_allowed(allowed: object, n: int) -> Mask:
    """The mask as an array (n,), or a sentence about it."""
    mask = np.asarray(allowed)
    if mask.shape != (n,) or mask.dtype != np.bool_:
        raise SpecError(
            f"allowed must hold true or false for each of the {n} rows; "
            f"got shape {mask.shape} of {mask.dtype}."
        )
    if not mask.any():
        raise SpecError("allowed names no row that may be copied; allow some rows.")
    return mask
