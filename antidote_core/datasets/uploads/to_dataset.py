"""From a table and a choice of columns to a Dataset: groups, and what was dropped and filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import Levels, crossed, read_feature, read_levels
from antidote_core.datasets.frame import (
    MAX_GROUPS,
    MAX_LEVELS,
    MIN_GROUP,
    as_written,
    check_protected,
    dataset_from_frame,
    two_roles,
)
from antidote_core.datasets.uploads.names import clean_text, confusable_names, each_once
from antidote_core.datasets.uploads.table import MAX_NUMBERS, Table
from antidote_core.errors import DataError
from antidote_core.types import Dataset, Origin, left_out_table

SMALL_GROUP = 30  # below this, a share or an average is mostly chance
MANY_GROUPS = 8  # beyond this, charts are hard to read
SHOWN = 5  # names in a sentence
MOST_SHOWN = 10  # bars in a chart


class Groups(Levels):
    """A group for every row: codes (n,) into `names`, -1 where none is known."""

    @property
    def sizes(self) -> dict[str, int]:
        """Rows per group."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        return dict(zip(self.names, counts.tolist(), strict=True))

    @property
    def unknown(self) -> int:
        """Rows without a group."""
        return int(self.missing.sum())

    def as_column(self) -> pd.Series:
        """The groups as a column that keeps their order."""
        return pd.Series(pd.Categorical.from_codes(self.codes, pd.Index(self.names)))


def find_groups(
    frame: pd.DataFrame, protected: Sequence[str], join_below: int = 0, ranges: int = 0
) -> Groups:
    """The groups by one protected column, or the intersections of several.

    Columns of numbers with many values are cut into `ranges` of about as many rows each; groups of
    fewer rows than `join_below` become one group, "other".

    >>> frame = pd.DataFrame({"sex": list("fmfmx")})
    >>> find_groups(frame, ["sex"], join_below=2).sizes
    {'f': 2, 'm': 2, 'other': 1}
    >>> find_groups(pd.DataFrame({"age": range(9)}), ["age"], ranges=2).sizes
    {'up to 4': 5, 'over 4': 4}
    """
    check_protected(protected)
    both = crossed([_levels(frame[name], name, ranges) for name in protected])
    groups = Groups(both.name, tuple(each_once(both.names)), both.codes).take(slice(None))
    return groups.joined(join_below)


def _levels(series: pd.Series, name: str, ranges: int) -> Levels:
    if ranges >= 2 and can_be_cut(series):
        return _cut(series, name, ranges)
    if series.dtype.kind not in "iufb":
        words = {text: clean_text(str(text)) for text in pd.unique(series.dropna())}
        series = series.map(words).astype(object)
    return read_levels(series, name)


def can_be_cut(series: pd.Series) -> bool:
    """Whether the column has so many numbers that ranges make better groups."""
    return series.dtype.kind in "iuf" and series.nunique() > MANY_GROUPS


def _cut(series: pd.Series, name: str, ranges: int) -> Levels:
    values = series.to_numpy(dtype=np.float64)
    known = values[np.isfinite(values)]
    edges = np.unique(np.quantile(known, np.arange(1, ranges) / ranges, method="higher"))
    edges = edges[edges < known.max()]
    codes = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
    if not len(edges):
        return Levels(name, ("all",), codes)
    texts = [f"{edge:g}" for edge in edges]
    middle = [f"over {a} up to {b}" for a, b in pairwise(texts)]
    return Levels(name, (f"up to {texts[0]}", *middle, f"over {texts[-1]}"), codes)


def helpful_minimum(sizes: dict[str, int]) -> int:
    """The size below which to join groups so that all can be used; 0 where joining does not help.

    >>> helpful_minimum({"a": 50, "b": 40, "c": 1}), helpful_minimum({"a": 50, "b": 40})
    (41, 0)
    >>> helpful_minimum({"a": 50, "b": 40, "c": 1, "d": 1})
    2
    """
    counts = list(sizes.values())
    too_many = len(counts) > MAX_GROUPS
    if not too_many and min(counts, default=MIN_GROUP) >= MIN_GROUP:
        return 0
    most = MANY_GROUPS if too_many else MAX_GROUPS
    for below in sorted({count + 1 for count in counts}):
        kept = [count for count in counts if count >= below]
        if 1 <= len(kept) < most and sum(counts) - sum(kept) >= MIN_GROUP:
            return below
    return 0


def group_warnings(groups: Groups, least: int = SMALL_GROUP) -> list[str]:
    """Sentences about groups that make a comparison impossible or shaky; none when all is well.

    Groups of fewer rows than `least` are small.
    """
    sizes, what = groups.sizes, groups.name
    if not sizes:
        return [f"No row has a value of {what!r}: choose another column for the groups."]
    if len(sizes) == 1:
        return [
            f"All rows belong to one group ({next(iter(sizes))}): there is nothing to compare. "
            "Choose another column for the groups."
        ]
    warnings = []
    if len(sizes) > MAX_GROUPS:
        warnings.append(
            f"{what!r} gives {len(sizes):,} groups; at most {MAX_GROUPS} can be compared. Join the "
            "small ones, or choose another column."
        )
    elif len(sizes) > MANY_GROUPS:
        warnings.append(
            f"{len(sizes)} groups are many: the worst-off of so many small groups is often chance, "
            "and the charts get crowded. Joining the small ones makes them easier to read."
        )
    single = _listed(sizes, 0, MIN_GROUP)
    if single:
        warnings.append(
            f"Groups of fewer than {MIN_GROUP} rows cannot be compared: {single}. Join the small "
            "ones."
        )
    small = _listed(sizes, MIN_GROUP, least)
    if small:
        warnings.append(
            f"Small groups, fewer than {least} rows: {small}. What is found for them rests "
            "on few people and may be chance."
        )
    return warnings + (confusable_names(groups.names) if len(sizes) <= MAX_GROUPS else [])


def _listed(sizes: dict[str, int], low: int, high: int) -> str:
    found = [f"{name} ({size})" for name, size in sizes.items() if low <= size < high]
    more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more


Categories = Literal["levels", "share", "leave out"]
CATEGORIES: dict[Categories, str] = {
    "levels": "one 0/1 feature per category",
    "share": "one number: how common the category is",
    "leave out": "leave such columns out",
}


@dataclass(frozen=True)
class Choice:
    """What to make of a table: columns, groups, categories and gaps.

    `weights` names the column that says how many people a row stands for, if there is one; `ids`
    are columns for joining only.
    """

    features: tuple[str, ...]
    protected: tuple[str, ...]
    missing: Literal["drop", "impute"] = "drop"
    categories: Categories = "levels"
    categorical: tuple[str, ...] = ()
    join_below: int = 0
    ranges: int = 0
    weights: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gaps:
    """Empty cells of the chosen columns: rows with one, rows without a group, cells per column.

    Rows with one are those that go when rows with gaps are left out.
    """

    rows: int
    dropped: int
    without_group: int
    cells: dict[str, int]

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
        dropped=int((ungrouped | empty.any(axis=1)).sum()),
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
    for both in choice.protected:
        if both in choice.features:
            raise two_roles(both)
    _check_ids(choice)
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
    weighing = {}
    if choice.weights is not None:
        if choice.weights in (*choice.features, *choice.protected, *columns):
            raise DataError(
                f"Column {choice.weights!r} is to hold the weights and is a feature or the "
                "protected attribute as well; wanted it in one place."
            )
        weighing = {choice.weights: _cleaned(frame[choice.weights])}
    if groups.name in columns or groups.name in weighing:
        raise DataError(
            f"Column {groups.name!r} has the name of the groups; leave it out of the features."
        )
    data = dataset_from_frame(
        pd.DataFrame({**columns, **weighing, groups.name: groups.as_column()}),
        list(columns),
        groups.name,
        name=name,
        missing=choice.missing,
        categorical=categorical,
        weights=choice.weights,
    )
    gaps = count_gaps(frame, [f for f in choice.features if f not in left_out], choice.protected)
    source = f"your own table {table.name}, {data.n:,} of {len(frame):,} rows"
    data = replace(
        data,
        title=title,
        source=source,
        notes=(*table.notes, *data.notes, *notes),
        origin=_origin(table, choice, data, left_out),
    )
    filled = gaps.filled if choice.missing == "impute" else 0
    return Encoded(data, len(frame), len(frame) - data.n, filled)


def _check_ids(choice: Choice) -> None:
    used = (*choice.features, *choice.protected, choice.weights)
    for name in choice.ids:
        if name in used:
            raise DataError(
                f"Column {name!r} is to be kept for joining and is a feature, the protected "
                "attribute or the weights as well; wanted it in one place."
            )


def _origin(table: Table, choice: Choice, data: Dataset, categories: Sequence[str]) -> Origin:
    """Which rows of the file these are, as they were written there, and what of it is not here."""
    assert data.origin is not None
    places = data.origin.rows - 1  # in the frame
    numbers = [column.name for column in data.columns if column.name in table.written.columns]
    written = {
        name: table.written[name].iloc[places].fillna("").reset_index(drop=True)
        if name in table.written.columns
        else as_written(table.frame[name].iloc[places])
        for name in (*choice.ids, *numbers)
    }
    rows = table.rows
    used = {*choice.features, *choice.protected, *choice.ids, choice.weights}
    dropped = data.origin.left_out[data.origin.left_out["what"] == "row"]
    lines = [
        *table.left_out,
        *(("column", name, "holds categories") for name in categories),
        *(("column", name, "not chosen") for name in table.frame.columns if name not in used),
        *(
            ("row", str(rows[int(which) - 1]), reason)
            for which, reason in zip(dropped["which"], dropped["reason"], strict=True)
        ),
    ]
    lines.sort(key=lambda line: (line[0], int(line[1]) if line[0] == "row" else 0))
    return Origin(
        rows[places], pd.DataFrame(written), choice.ids, left_out_table(lines), table.dialect
    )


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
