"""The records that travel through the software: data sets and clusterings."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from antidote_core.checks import check_weights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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


@dataclass(frozen=True)
class Dialect:
    """How numbers and lines of a text file are written; `thousands` may be no sign at all."""

    separator: str = ","
    decimal: str = "."
    thousands: str = ""


PLAIN = Dialect()


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that the rows of a Dataset came from, for files that are to be joined with it.

    `rows` (n,) are the numbers of the rows in that table, from 1. `written` has a line for each of
    them and columns of the table as they came: those in `ids`, which are for joining only, and the
    texts of its numbers. `left_out` says in the columns what (row or column), which and reason what
    of the table is not here.
    """

    rows: Ints
    written: pd.DataFrame
    ids: tuple[str, ...] = ()
    left_out: pd.DataFrame = field(default_factory=lambda: left_out_table(()))
    dialect: Dialect = PLAIN

    def take(self, rows: Ints) -> Origin:
        """The same of these rows (m,); what was left out before stays listed."""
        written = self.written
        if len(written.columns):  # a table without columns has no rows either
            written = written.iloc[rows].reset_index(drop=True)
        return replace(self, rows=self.rows[rows], written=written)

    @property
    def nbytes(self) -> int:
        """Memory it takes."""
        tables = (self.written, self.left_out)
        return self.rows.nbytes + sum(
            int(each.memory_usage(index=False, deep=True).sum()) for each in tables
        )


def left_out_table(lines: Iterable[tuple[str, str, str]]) -> pd.DataFrame:
    """What of a table is not used: (what, which, reason) each.

    >>> left_out_table([("row", "7", "no value in age")]).to_dict("records")
    [{'what': 'row', 'which': '7', 'reason': 'no value in age'}]
    """
    return pd.DataFrame(list(lines), columns=["what", "which", "reason"], dtype="str")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """U: standardised points with one protected group each.

    `points` (n, d) float64, `groups` (n,) codes 0..g-1 into `group_names`; `shift` and `scale` (d,)
    undo the standardisation: original = points * scale + shift. `source` says where the rows came
    from, `notes` what was changed on the way here.

    `weights` (n,) says how many people each row stands for, as in survey data; None for one each.
    A row of whole weight w is then what w equal rows would be, in clusterings, costs, guard and
    scores alike. A point of V always weighs 1: a copy of a row adds 1 to the weight of that row.

    `origin` says which rows of somebody's own table these are; None where the data are ours.

    >>> import antidote_core as ac
    >>> data = ac.load_dataset("blobs")
    >>> data
    <Dataset blobs: 200 rows, 2 features; groups by group: group A 140, group B 60>
    >>> data.to_original(data.points[:1]).columns.tolist()
    ['x', 'y']
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
    weights: Floats | None = None
    origin: Origin | None = None

    def __post_init__(self) -> None:
        for array in (self.points, self.groups, self.shift, self.scale):
            array.setflags(write=False)
        if self.weights is not None:
            weights = check_weights(self.weights, len(self.points), "weights")
            weights.setflags(write=False)
            object.__setattr__(self, "weights", weights)

    def __repr__(self) -> str:
        groups = ", ".join(
            f"{name} {size:,}"
            for name, size in zip(self.group_names, self.group_sizes, strict=True)
        )
        return (
            f"<{type(self).__name__} {self.name}: {self.n:,} rows, {len(self.feature_names)} "
            f"features; groups by {self.protected}: {groups}>"
        )

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.points)

    @property
    def group_sizes(self) -> Ints:
        """Rows per group, (g,), whatever they weigh."""
        return np.bincount(self.groups, minlength=len(self.group_names))

    @property
    def nbytes(self) -> int:
        """Memory of the points and of what is kept of the table they came from."""
        return self.points.nbytes + (0 if self.origin is None else self.origin.nbytes)

    def take(self, rows: Ints) -> Self:
        """These rows (m,), in the same standardised space."""
        return replace(
            self,
            points=self.points[rows],
            groups=self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
            origin=None if self.origin is None else self.origin.take(rows),
        )

    @cached_property
    def content_hash(self) -> str:
        """Changes whenever a coordinate, a group, a weight, a name or an ID changes."""
        digest = hashlib.sha256()
        weights = () if self.weights is None else (self.weights,)  # without them as ever
        for array in (self.points, self.groups, self.shift, self.scale, *weights):
            digest.update(repr((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        names = (self.name, self.group_names, self.feature_names, self.protected, self.source)
        digest.update(repr((names, self.columns)).encode())
        if self.origin is not None and len(self.origin.written.columns):
            origin = self.origin  # files of a run carry it, so another one is another run
            digest.update(repr((origin.ids, origin.dialect)).encode())
            digest.update(np.ascontiguousarray(origin.rows).tobytes())
            hashed = pd.util.hash_pandas_object(origin.written, index=False)
            digest.update(np.ascontiguousarray(hashed).tobytes())
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


@dataclass(frozen=True, eq=False, repr=False)
class Clustering:
    """Centres (k, d), labels (n,) of the points asked about, and the objective value.

    >>> found = Clustering(np.array([[0.5], [8.0]]), np.array([0, 0, 1]), objective=0.5)
    >>> found.centers[found.labels].tolist()
    [[0.5], [0.5], [8.0]]
    """

    centers: Floats
    labels: Ints
    objective: float = math.nan

    def __repr__(self) -> str:
        sizes = np.bincount(self.labels, minlength=len(self.centers)).tolist()
        return f"<{type(self).__name__}: clusters of {sizes}, objective {self.objective:.6g}>"


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Clustering):
    """A clustering of U together with its fairness cost; `cost` is lower when fairer."""

    cost: float = math.nan


def jsonable(value: Any) -> Any:
    """The same as plain values that JSON knows; what is no number is None.

    >>> jsonable({"a": (1.0, math.nan), "b": np.arange(2)})
    {'a': [1.0, None], 'b': [0, 1]}
    """
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return jsonable(value.tolist())
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
