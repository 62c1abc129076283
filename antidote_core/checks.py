"""Checks where input enters: numbers, and names that nearly match."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable
from numbers import Integral

from antidote_core.errors import AntidoteError, SpecError


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


def did_you_mean(wanted: object, names: Iterable[str]) -> str:
    """A hint to put behind a name that nobody knows; empty where none is near.

    >>> did_you_mean("bnk", ["adult", "bank"])
    " (did you mean 'bank'?)"
    """
    close = difflib.get_close_matches(str(wanted).casefold(), list(names), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
