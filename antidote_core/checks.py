"""Checks where input enters: numbers, and names that nearly match."""

from __future__ import annotations

import difflib
import math
import sys
from collections.abc import Iterable
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from antidote_core.errors import AntidoteError, DataError, SpecError


def is_number(value: object) -> bool:
    """Whether it is a finite number; true and false are none."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return abs(value) <= sys.float_info.max


def is_whole(value: object, minimum: int) -> bool:
    """Whether it is a whole number of at least `minimum`, NumPy too; true and false are none."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= minimum


def check_whole(
    name: str, value: object, minimum: int, error: type[AntidoteError] = SpecError
) -> None:
    """Refuse what is not a whole number of at least `minimum`.

    >>> check_whole("k", 1, 2)
    Traceback (most recent call last):
    antidote_core.errors.SpecError: k must be a whole number of at least 2; got 1.
    """
    if not is_whole(value, minimum):
        raise error(f"{name} must be a whole number of at least {minimum}; got {value!r}.")


def check_weights(weights: object, n: int, name: str = "sample_weight") -> NDArray[np.float64]:
    """Weights (n,) of n rows, positive and finite, or a sentence about them.

    They come back rounded to a grid of 2^-52 of their sum, on which sums and differences of weights
    are exact: a cluster that all rows have left weighs 0 and not nearly 0. Whole numbers stay as
    they are.

    >>> check_weights([1, 2, 0.5], 3).tolist()
    [1.0, 2.0, 0.5]
    >>> check_weights([1, -2], 2)
    Traceback (most recent call last):
    antidote_core.errors.DataError: sample_weight must be positive finite numbers; got -2 in row 2.
    """
    array = np.asarray(weights)
    if array.dtype.kind not in "iuf":
        raise DataError(f"{name} must be numbers; got values of the type {array.dtype}.")
    if array.shape != (n,):
        raise DataError(f"{name} must hold one weight per row ({n:,}); got shape {array.shape}.")
    array = array.astype(np.float64)
    wrong = np.flatnonzero(~(np.isfinite(array) & (array > 0.0)))
    if len(wrong):
        raise DataError(
            f"{name} must be positive finite numbers; got {array[wrong[0]]:g} in row "
            f"{wrong[0] + 1:,}."
        )
    if not n:
        return array
    with np.errstate(over="ignore"):
        total = float(array.sum())
    step = math.ldexp(1.0, math.frexp(total)[1] - 52) if math.isfinite(total) else math.inf
    if array.min() < step or array.max() < np.finfo(np.float64).tiny:
        raise DataError(
            f"{name} range from {array.min():g} to {array.max():g}, too far for exact sums; wanted "
            "weights of ordinary size: leave out rows that hardly count."
        )
    return np.asarray(np.round(array / step) * step)


def did_you_mean(wanted: object, names: Iterable[str]) -> str:
    """A hint to put behind a name that nobody knows; empty where none is near.

    >>> did_you_mean("bnk", ["adult", "bank"])
    " (did you mean 'bank'?)"
    """
    close = difflib.get_close_matches(str(wanted).casefold(), list(names), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
