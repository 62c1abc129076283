"""From a table and a choice of columns to a Dataset, with what was dropped and filled counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import Levels, read_feature, read_levels
from antidote_core.datasets.frame import MAX_LEVELS, dataset_from_frame
from antidote_core.datasets.uploads.groups import find_groups
from antidote_core.datasets.uploads.limits import MAX_NUMBERS
from antidote_core.datasets.uploads.names import clean_text, confusable_names
from antidote_core.datasets.uploads.table import Table
from antidote_core.errors import DataError
from antidote_core.types import Dataset

Categories = Literal["levels", "share", "leave out"]
CATEGORIES: dict[Categories, str] = {
    "levels": "one 0/1 feature per category",
    "share": "one number: how common the category is",
    "leave out": "leave such columns out",
}


@dataclass(frozen=True)
class Choice:
    """What to make of a table: columns, groups, categories and gaps."""

    features: tuple[str, ...]
    protected: tuple[str, ...]
    missing: Literal["drop", "impute"] = "drop"
    categories: Categories = "levels"
    categorical: tuple[str, ...] = ()
    join_below: int = 0
    ranges: int = 0


@dataclass(frozen=True)
class Gaps:
    """Empty cells of the chosen columns: rows with one, rows without a group, cells per column."""

    rows: int
    with_gap: int
    without_group: int
    cells: dict[str, int]

    @property
    def dropped(self) -> int:
        """Rows that go when rows with gaps are left out."""
        return self.with_gap

    @property
    def filled(self) -> int:
        """Cells that are filled in otherwise; rows without a group go all the same."""
        return sum(self.cells.values())


@dataclass(frozen=True)
class Encoded:
    """A data set, and how many rows and cells it took or left."""

    data: Dataset
    rows: int
    dropped: int
    filled: int


def count_gaps(frame: pd.DataFrame, features: Sequence[str], protected: Sequence[str]) -> Gaps:
    """What each way to treat gaps would do to these columns.

    >>> frame = pd.DataFrame({"a": [1.0, None, 3.0], "g": ["x", "y", None]})
    >>> gaps = count_gaps(frame, ["a"], ["g"])
    >>> gaps.dropped, gaps.without_group, gaps.filled
    (2, 1, 1)
    """
    ungrouped = frame[list(protected)].isna().any(axis=1)
    empty = frame[list(features)].isna()
    cells = empty[~ungrouped].sum()
    return Gaps(
        rows=len(frame),
        with_gap=int((ungrouped | empty.any(axis=1)).sum()),
        without_group=int(ungrouped.sum()),
        cells={str(name): int(count) for name, count in cells.items() if count},
    )


def encode(table: Table, choice: Choice, name: str, title: str) -> Encoded:
    """The data set that `choice` makes of `table`; what cannot be used is refused in one sentence.

    >>> from antidote_core.datasets.uploads.reading import read_table
    >>> table = read_table("a.csv", b"x;g\\n1,5;a\\n2,5;b\\n;a\\n3,5;a\\n4,5;b\\n")
    >>> encoded = encode(table, Choice(("x",), ("g",)), "my-a", "a")
    >>> encoded.dropped, encoded.data.group_sizes.tolist()
    (1, [2, 2])
    """
    frame = table.frame
    both = [column for column in choice.protected if column in choice.features]
    if both:
        raise DataError(
            f"Column {both[0]!r} is both a feature and the protected attribute; wanted it in one "
            "place: take it out of the features, or choose another protected attribute."
        )
    groups = find_groups(frame, choice.protected, choice.join_below, choice.ranges)
    columns: dict[str, Any] = {}
    categorical, notes, width = [], [], 0
    left_out = []
    for label in choice.features:
        column = _cleaned(frame[label])
        read = read_feature(column, label, label in choice.categorical)
        if not isinstance(read, Levels):
            columns[label] = column
            width += 1
        elif choice.categories == "leave out":
            left_out.append(label)
        elif choice.categories == "share":
            columns[f"{label} (share)"] = _shares(column, label)
            width += 1
        else:
            columns[label] = column
            categorical.append(label)
            width += len(read.names)
        if isinstance(read, Levels) and label not in left_out and len(read.names) <= MAX_LEVELS:
            notes += [f"Values of {label!r}: {said}" for said in confusable_names(read.names)]
    if left_out:
        notes.append(f"Left out because they hold categories: {', '.join(left_out)}.")
    if left_out and not columns:
        raise DataError(
            f"All chosen features hold categories ({', '.join(left_out)}) and categories are to be "
            "left out; wanted at least one column of numbers, or another way to treat categories."
        )
    if width * len(frame) > MAX_NUMBERS:
        raise DataError(
            f"The table has {len(frame):,} rows by {width:,} features once encoded; wanted at most "
            f"{MAX_NUMBERS:,} numbers in all: take fewer columns, or a sample of the rows."
        )
    if groups.what in columns:
        raise DataError(
            f"Column {groups.what!r} has the name of the groups; leave it out of the features."
        )
    data = dataset_from_frame(
        pd.DataFrame({**columns, groups.what: groups.as_column()}),
        list(columns),
        groups.what,
        name=name,
        missing=choice.missing,
        categorical=categorical,
    )
    gaps = count_gaps(frame, [f for f in choice.features if f not in left_out], choice.protected)
    source = f"your own table {table.name}, {data.n:,} of {len(frame):,} rows"
    data = replace(data, title=title, source=source, notes=(*table.notes, *data.notes, *notes))
    filled = gaps.filled if choice.missing == "impute" else 0
    return Encoded(data, len(frame), len(frame) - data.n, filled)


def _cleaned(series: pd.Series) -> pd.Series:
    """Texts without invisible characters; everything else as it is."""
    if series.dtype.kind in "iufbmM":
        return series
    words = {v: clean_text(v) if isinstance(v, str) else v for v in pd.unique(series.dropna())}
    return series.map(words).astype(object)


def _shares(series: pd.Series, label: str) -> np.ndarray:
    """For every row the share of the rows that have the same value, NaN where it has none."""
    levels = read_levels(series, label)
    known = levels.codes >= 0
    counts = np.bincount(levels.codes[known], minlength=len(levels.names))
    shares = np.full(len(series), np.nan)
    shares[known] = counts[levels.codes[known]] / known.sum()
    return shares
