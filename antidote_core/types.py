"""The records that travel through the software: data sets and clusterings."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def finite_or_none(value: Any) -> Any:
    """The value, or None for a number that JSON cannot hold.

    >>> finite_or_none(1.5), finite_or_none(math.nan), finite_or_none("a")
    (1.5, None, 'a')
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


@dataclass(frozen=True)
class Column:
    """One original column and where its values stand in the standardised space.

    A numeric column fills one feature; a categorical one fills `len(levels)` 0/1 features.
    """

    name: str
    levels: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Number of features this column fills."""
        return max(1, len(self.levels))


@dataclass(frozen=True)
class DataCard:
    """What a reader must know before trusting a conclusion drawn from a data set."""

    what: str
    who: str
    licence: str
    rows: str
    groups: str
    harms: str
    url: str = ""


@dataclass(frozen=True, eq=False)
class Dataset:
    """U: standardised points with one protected group each.

    `points` (n, d) float64, `groups` (n,) codes 0..g-1 into `group_names`; `shift` and `scale` (d,)
    undo the standardisation: original = points * scale + shift. `source` says where the rows came
    from, `notes` what was changed on the way here.
    """

    name: str
    points: Floats
    groups: Ints
    group_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    protected: str
    source: str
    shift: Floats
    scale: Floats
    columns: tuple[Column, ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    card: DataCard | None = None

    def __post_init__(self) -> None:
        for array in (self.points, self.groups, self.shift, self.scale):
            array.setflags(write=False)

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def group_sizes(self) -> Ints:
        """Points per group, (g,)."""
        return np.bincount(self.groups, minlength=len(self.group_names))

    @cached_property
    def content_hash(self) -> str:
        """Changes whenever a coordinate, a group or a name changes."""
        digest = hashlib.sha256()
        for array in (self.points, self.groups, self.shift, self.scale):
            digest.update(repr((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        names = (self.name, self.group_names, self.feature_names, self.protected, self.source)
        digest.update(repr((names, self.columns)).encode())
        return digest.hexdigest()

    def to_original(self, antidote: Floats) -> pd.DataFrame:
        """Points (m, d) in the original units, one column per original column.

        A categorical column gets the level whose 0/1 feature is largest.
        """
        antidote = np.asarray(antidote, dtype=np.float64).reshape(-1, self.points.shape[1])
        original = antidote * self.scale + self.shift
        frame: dict[str, Any] = {}
        start = 0
        for column in self.columns:
            block = original[:, start : start + column.width]
            if column.levels:
                frame[column.name] = [column.levels[i] for i in block.argmax(axis=1)]
            else:
                frame[column.name] = block[:, 0]
            start += column.width
        return pd.DataFrame(frame)


@dataclass(frozen=True, eq=False)
class Clustering:
    """Centres (k, d), labels (n,) of the points asked about, and the objective value."""

    centers: Floats
    labels: Ints
    objective: float = math.nan


@dataclass(frozen=True, eq=False)
class Solution(Clustering):
    """A clustering of U together with its fairness cost; `cost` is lower when fairer."""

    cost: float = math.nan
