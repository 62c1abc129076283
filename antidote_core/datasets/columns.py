"""Reading one column of somebody's table: as numbers or as named levels, or refusing it."""

from __future__ import annotations

import datetime
import decimal
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from antidote_core.errors import DataError
from antidote_core.geometry import weighted_median
from antidote_core.types import Floats, Ints

# Texts that stand for "no value" besides the missing markers of pandas itself.
BLANKS = frozenset({"", "?", "nan"})
MISSING_LEVEL = "(missing)"
OTHER = "other"  # the level that small ones are joined into
DATES = (datetime.date, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period)


@dataclass(frozen=True, eq=False)
class Numbers:
    """A numeric column: values (n,) with NaN where missing; `note` says how it was read."""

    name: str
    values: Floats
    note: str = ""

    @property
    def missing(self) -> np.ndarray:
        """Where no value is given, (n,) bool."""
        return np.isnan(self.values)

    def take(self, rows: np.ndarray) -> Numbers:
        """The column at `rows`."""
        return replace(self, values=self.values[rows])

    def imputed(self, weights: Floats | None = None) -> tuple[Numbers, str]:
        """The column with the median where a value is missing, and the words for that."""
        known = ~self.missing
        if weights is None:
            middle = float(np.nanmedian(self.values))
        else:
            middle = weighted_median(self.values[known], weights[known])
        filled = replace(self, values=np.where(self.missing, middle, self.values))
        return filled, f"the median, {middle:g}"


@dataclass(frozen=True, eq=False)
class Levels:
    """A categorical column: codes (n,) into `names`, -1 where missing."""

    name: str
    names: tuple[str, ...]
    codes: Ints
    note: str = ""

    @property
    def missing(self) -> np.ndarray:
        """Where no value is given, (n,) bool."""
        return self.codes < 0

    def take(self, rows: np.ndarray | slice) -> Self:
        """The column at `rows`, without the levels that no longer occur."""
        codes = self.codes[rows]
        kept = np.unique(codes[codes >= 0])
        position = np.full(len(self.names) + 1, -1, dtype=np.int64)
        position[kept] = np.arange(len(kept))
        return replace(self, names=tuple(self.names[i] for i in kept), codes=position[codes])

    def joined(self, below: int) -> Self:
        """The column with its levels of fewer rows than `below` as one, "other".

        >>> Levels("x", ("a", "b", "c"), np.array([0, 0, 1, 2])).joined(2).names
        ('a', 'other')
        """
        counts = np.bincount(self.codes[~self.missing], minlength=len(self.names))
        small = counts < below
        if not small.any():
            return self
        kept = [name for name, is_small in zip(self.names, small, strict=True) if not is_small]
        other = OTHER
        while other in kept:
            other = f"({other})"
        position = np.append(np.where(small, len(kept), np.cumsum(~small) - 1), -1)
        return replace(self, names=(*kept, other), codes=position[self.codes])

    def imputed(self, weights: Floats | None = None) -> tuple[Levels, str]:
        """The column with a level of its own where a value is missing, and the words for that."""
        names = tuple(dict.fromkeys((*self.names, MISSING_LEVEL)))
        code = names.index(MISSING_LEVEL)
        filled = replace(self, names=names, codes=np.where(self.missing, code, self.codes))
        return filled, f"a level of its own, '{MISSING_LEVEL}'"


def read_feature(series: pd.Series, name: str, as_category: bool) -> Numbers | Levels:
    """A feature column: numbers, or levels when it is text, a pandas categorical or asked for."""
    dtype = series.dtype
    if as_category or isinstance(dtype, pd.CategoricalDtype):
        return read_levels(series, name)
    if pd.api.types.is_bool_dtype(dtype):
        return Numbers(name, _floats(series), f"{name!r}: false and true are read as 0 and 1.")
    if _is_time(dtype):
        raise _date_error(name)
    if pd.api.types.is_complex_dtype(dtype):
        raise _kind_error(name, "complex numbers")
    if pd.api.types.is_numeric_dtype(dtype):
        return Numbers(name, _floats(series))
    if pd.api.types.is_object_dtype(dtype) or pd.api.types.is_string_dtype(dtype):
        return _read_objects(series, name)
    raise _kind_error(name, f"values of the type {dtype}")


def read_levels(series: pd.Series, name: str) -> Levels:
    """Any column as named levels: categories in their order, numbers by size, texts by alphabet."""
    if isinstance(series.dtype, pd.CategoricalDtype):
        codes, values = series.cat.codes.to_numpy(), list(series.cat.categories)
        return _merge_levels(name, codes, [level_name(v) for v in values], lambda names: names)
    codes, values = _factorise(series, name)
    return _merge_levels(name, codes, [level_name(v) for v in values], in_order)


def level_name(value: object) -> str:
    """A value as people write it; whole numbers without a decimal point.

    >>> level_name(1.0), level_name(" yes "), level_name(True), level_name(0.5)
    ('1', 'yes', 'True', '0.5')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value).strip()


def crossed(columns: Sequence[Levels]) -> Levels:
    """The columns as one: a level for every combination there is, missing where one of them is."""
    codes, names = columns[0].codes, columns[0].names
    for column in columns[1:]:
        width = len(column.names)
        both = np.where((codes < 0) | column.missing, -1, codes * width + column.codes)
        # Only those that occur: all combinations of a few columns may be more than memory holds.
        known = np.unique(both[both >= 0])
        names = tuple(f"{names[pair // width]} × {column.names[pair % width]}" for pair in known)
        codes = np.where(both < 0, -1, np.searchsorted(known, both))
    return Levels(" × ".join(column.name for column in columns), names, codes)


def _read_objects(series: pd.Series, name: str) -> Numbers | Levels:
    """Text, or Python objects of any kind: decided on the distinct values."""
    codes, values = _factorise(series, name)
    texts = [v.strip() for v in values if isinstance(v, str)]
    rest = [v for v in values if not isinstance(v, str)]
    for value in rest:
        if isinstance(value, DATES):
            raise _date_error(name)
        if not isinstance(value, numbers.Real | decimal.Decimal | np.bool_):
            raise _kind_error(name, f"values of the type {type(value).__name__}")
    parsed = _parse(texts)
    words = [
        text
        for text, number in zip(texts, parsed, strict=True)
        if np.isnan(number) and text.casefold() not in BLANKS
    ]
    if words and rest:
        raise DataError(
            f"Column {name!r} mixes numbers and texts ({rest[0]!r} and {words[0]!r}, for "
            "instance); wanted one kind: clean it, or name it as categorical."
        )
    if words:
        note = ""
        if np.isfinite(parsed).sum() > len(words):
            note = (
                f"{name!r} is read as categorical because of values such as {words[0]!r}, though "
                "most of its values are numbers."
            )
        return replace(read_levels(series, name), note=note)
    spelled = iter(parsed)
    by_value = [next(spelled) if isinstance(v, str) else _float(v) for v in values]
    note = f"{name!r}: numbers written as text are read as numbers." if texts else ""
    if rest and all(isinstance(v, bool | np.bool_) for v in rest) and not texts:
        note = f"{name!r}: false and true are read as 0 and 1."
    return Numbers(name, np.array([*by_value, np.nan])[codes], note)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond 1.8e308
        return np.inf


def _parse(texts: Sequence[str]) -> Floats:
    """The numbers that `texts` spell, NaN where they spell none."""
    parsed = np.full(len(texts), np.nan)
    for i, text in enumerate(texts):
        # Python also reads "1_000" and digits of other scripts; tables mean words by those.
        if text.isascii() and "_" not in text:
            try:
                parsed[i] = float(text)
            except ValueError:
                continue
    return parsed


def _factorise(series: pd.Series, name: str) -> tuple[Ints, list[Any]]:
    """Codes (n,) with -1 for missing, and the distinct values."""
    try:
        # Objects as a plain array: pandas would guess a type for the distinct ones otherwise.
        plain = pd.api.types.is_object_dtype(series.dtype)
        codes, values = pd.factorize(series.to_numpy() if plain else series)
    except TypeError:
        present = series[series.notna()]
        raise _kind_error(name, f"values of the type {type(present.iloc[0]).__name__}") from None
    return codes.astype(np.int64), list(values)


def _merge_levels(
    name: str, codes: np.ndarray, names: list[str], order: Callable[[list[str]], list[str]]
) -> Levels:
    """Levels of equal name become one, blanks become missing, levels that never occur go."""
    occurring = set(np.unique(codes).tolist())
    distinct = dict.fromkeys(
        level for i, level in enumerate(names) if i in occurring and level.casefold() not in BLANKS
    )
    ordered = order(list(distinct))
    position = {level: i for i, level in enumerate(ordered)}
    new_code = np.array([*(position.get(level, -1) for level in names), -1], dtype=np.int64)
    return Levels(name, tuple(ordered), new_code[codes])


def in_order(names: list[str]) -> list[str]:
    """Numbers by size when all are numbers, else by alphabet."""
    parsed = _parse(names)
    if np.isfinite(parsed).all():
        return [names[i] for i in np.argsort(parsed, kind="stable")]
    return sorted(names)


def _floats(series: pd.Series) -> Floats:
    return series.to_numpy(dtype=np.float64, na_value=np.nan)


def _is_time(dtype: Any) -> bool:
    return (
        pd.api.types.is_datetime64_any_dtype(dtype)
        or pd.api.types.is_timedelta64_dtype(dtype)
        or isinstance(dtype, pd.PeriodDtype)
        or str(dtype).startswith(("date", "time", "duration"))
    )


def _date_error(name: str) -> DataError:
    return DataError(
        f"Column {name!r} holds dates or times; wanted numbers or categories: turn it into a "
        "number first, such as a year or an age in days, or leave it out."
    )


def _kind_error(name: str, came: str) -> DataError:
    return DataError(
        f"Column {name!r} holds {came}; wanted numbers, texts or categories: convert it or leave "
        "it out."
    )
