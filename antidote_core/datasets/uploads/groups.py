"""Groups from one or two columns: ranges of numbers, intersections, small ones joined, warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from antidote_core.datasets.columns import Levels, read_levels
from antidote_core.datasets.frame import MAX_GROUPS, MIN_GROUP
from antidote_core.datasets.uploads.names import clean_text, confusable_names, each_once
from antidote_core.errors import DataError
from antidote_core.types import Ints

OTHERS = "(others)"
SMALL_GROUP = 30  # below this, a share or an average is mostly chance
MANY_GROUPS = 8  # beyond this, charts are hard to read
SHOWN = 5  # names in a sentence
MOST_SHOWN = 10  # bars in a chart


@dataclass(frozen=True, eq=False)
class Groups:
    """A group for every row: codes (n,) into `names`, -1 where none is known."""

    what: str
    names: tuple[str, ...]
    codes: Ints

    @property
    def sizes(self) -> dict[str, int]:
        """Rows per group."""
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        return dict(zip(self.names, counts.tolist(), strict=True))

    @property
    def unknown(self) -> int:
        """Rows without a group."""
        return int((self.codes < 0).sum())

    def as_column(self) -> pd.Series:
        """The groups as a column that keeps their order."""
        return pd.Series(pd.Categorical.from_codes(self.codes, pd.Index(self.names)))


def find_groups(
    frame: pd.DataFrame, protected: Sequence[str], join_below: int = 0, ranges: int = 0
) -> Groups:
    """The groups by one protected column, or the intersections of two.

    Columns of numbers with many values are cut into `ranges` of about as many rows each; groups of
    fewer rows than `join_below` become one group, "(others)".

    >>> frame = pd.DataFrame({"sex": list("fmfmx")})
    >>> find_groups(frame, ["sex"], join_below=2).sizes
    {'f': 2, 'm': 2, '(others)': 1}
    >>> find_groups(pd.DataFrame({"age": range(9)}), ["age"], ranges=2).sizes
    {'up to 4': 5, 'over 4': 4}
    """
    if not 1 <= len(protected) <= 2 or len(set(protected)) < len(protected):
        raise DataError(
            f"The groups are to come from {list(protected)}; wanted one column, or two different "
            "ones for their intersections."
        )
    columns = [_levels(frame[name], name, ranges) for name in protected]
    codes = np.zeros(len(frame), dtype=np.int64)
    names = [""]
    for column in columns:
        codes = np.where((codes < 0) | column.missing, -1, codes * len(column.names) + column.codes)
        names = [f"{a} × {b}" if a else b for a in names for b in column.names]
    groups = _occurring(Groups(" × ".join(protected), tuple(each_once(names)), codes))
    return _joined(groups, join_below) if join_below > 0 else groups


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


def _occurring(groups: Groups) -> Groups:
    present = np.unique(groups.codes[groups.codes >= 0])
    position = np.full(len(groups.names) + 1, -1, dtype=np.int64)
    position[present] = np.arange(len(present))
    return Groups(groups.what, tuple(groups.names[i] for i in present), position[groups.codes])


def _joined(groups: Groups, below: int) -> Groups:
    small = [name for name, size in groups.sizes.items() if size < below]
    if not small:
        return groups
    kept = [name for name in groups.names if name not in small]
    position = [kept.index(name) if name in kept else len(kept) for name in groups.names]
    codes = np.array([*position, -1], dtype=np.int64)[groups.codes]
    return Groups(groups.what, tuple(each_once([*kept, OTHERS])), codes)


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


def group_warnings(groups: Groups) -> list[str]:
    """Sentences about groups that make a comparison impossible or shaky; none when all is well."""
    sizes, what = groups.sizes, groups.what
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
    small = _listed(sizes, MIN_GROUP, SMALL_GROUP)
    if small:
        warnings.append(
            f"Small groups, fewer than {SMALL_GROUP} rows: {small}. What is found for them rests "
            "on few people and may be chance."
        )
    return warnings + (confusable_names(groups.names) if len(sizes) <= MAX_GROUPS else [])


def _listed(sizes: dict[str, int], low: int, high: int) -> str:
    found = [f"{name} ({size})" for name, size in sizes.items() if low <= size < high]
    more = f" and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
    return ", ".join(found[:SHOWN]) + more
