"""A run with its data, and the files of data that it gives to take away; needs no Plotly."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from antidote_core.analysis.snapshots import GroupIntervals, Snapshot, group_intervals, snapshot
from antidote_core.clustering import CLUSTERINGS
from antidote_core.projection import Layout, fit_plane
from antidote_core.reporting.figures.tables import COPIES, set_apart
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from antidote_core.types import PLAIN, Dataset, Dialect, Floats, Ints

if TYPE_CHECKING:
    from antidote_core.reporting.figures.maps import Picture

MARK = "antidote"
ROW, WEIGHT, GROUP = "row", "weight", "group"
SURE_DIGITS = 12  # of a value that was standardised and back
SPELLED = re.compile(r"[+-]?\d[\d.,' ]*([eE][+-]?\d+)?")  # a number, in whatever dialect
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass(frozen=True, eq=False)
class RunRecord:
    """A run that has ended, with its data; `layout` is the UMAP layout of U where there is one."""

    data: Dataset
    spec: RunSpec
    view: RunView
    layout: Layout | None = None
    run_id: str = ""
    name: str = ""

    @cached_property
    def shot(self) -> Snapshot | None:
        """The clustering with the antidote points of the answer; None before plain clustering."""
        if not self.view.vanilla:
            return None
        return snapshot(self.data, self.spec, self.view, self.view.answer_index)

    @cached_property
    def intervals(self) -> GroupIntervals:
        """How sure the numbers of every group are in that clustering."""
        assert self.shot is not None
        return group_intervals(self.data, self.shot.labels, self.shot.centers, self.spec.seed)

    @cached_property
    def picture(self) -> Picture:
        """The map on which the report and the slides show the answer."""
        from antidote_core.reporting.figures import maps  # the only one that draws

        assert self.shot is not None
        if self.layout is not None and self.data.points.shape[1] > 2:
            return maps.layout_picture(self.data, self.shot, self.layout)
        plane = fit_plane(self.data.points, self.data.feature_names)
        return maps.flat_picture(self.data, self.spec, self.shot, plane)


def assignments_csv(record: RunRecord, shot: Snapshot) -> str:
    """Every row of U: its number and IDs, group, cluster before and after, and whether it changed.

    Where V consists of copies, also how often the row is copied.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=1)
    >>> record = RunRecord(load_dataset("blobs"), spec, run(spec))
    >>> assignments_csv(record, record.shot).splitlines()[0]
    'row,group,cluster before,cluster after,changed,copies'
    """
    data, copies = record.data, record.view.copies
    ours: dict[str, Any] = {
        GROUP: [data.group_names[code] for code in data.groups],
        "cluster before": shot.old_labels + 1,
        "cluster after": shot.labels + 1,
        "changed": np.where(shot.changed == 1, "yes", "no"),
        **({} if copies is None else {COPIES: copies}),
    }
    frame = set_apart(_numbered(data), ours)
    return csv_of(frame.assign(**ours), data)


def left_out_files(data: Dataset) -> dict[str, str]:
    """left_out.csv, where something of somebody's own table is not used."""
    if data.origin is None or data.origin.left_out.empty:
        return {}
    return {"left_out.csv": csv_of(data.origin.left_out, data)}


def csv_of(frame: pd.DataFrame, data: Dataset) -> str:
    """The table in the dialect of the file that the data came from."""
    return safe_csv(frame) if data.origin is None else safe_csv(frame, data.origin.dialect)


def _numbered(data: Dataset) -> pd.DataFrame:
    """The number of every row from 1, in the table it came from, and its IDs there."""
    origin = data.origin
    if origin is None:
        return pd.DataFrame({ROW: np.arange(1, data.n + 1)})
    ids = set_apart(origin.written[list(origin.ids)], (ROW,))
    ids.insert(0, ROW, origin.rows)
    return ids


def antidote_csv(data: Dataset, antidote: Floats) -> str:
    """V in original units, one row per point."""
    return csv_of(data.to_original(antidote), data)


def union_csv(data: Dataset, antidote: Floats) -> str:
    """U ∪ V in original units, with the group of every real point; antidote points have none."""
    real, added = data.to_original(data.points), data.to_original(antidote)
    real[data.protected] = [data.group_names[code] for code in data.groups]
    added[data.protected] = ""
    both = [
        set_apart(rows, [MARK]).assign(**{MARK: mark}) for mark, rows in enumerate((real, added))
    ]
    return csv_of(pd.concat(both, ignore_index=True), data)


def weight_files(record: RunRecord) -> dict[str, str]:
    """What a run on copies of rows gives to take away, by file name; empty where V is made up.

    Weights are left out where the clustering takes none, and the lines of Python where they would
    not be k-means.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", fairness="social", start_size=3, budget=60, max_rounds=1)
    >>> files = weight_files(RunRecord(load_dataset("blobs"), spec, run(spec)))
    >>> list(files)
    ['copies.csv', 'weights.csv', 'data_with_weights.csv', 'use_weights.py']
    >>> files["weights.csv"].splitlines()[:2]
    ['row,weight', '1,1']
    """
    data, copies = record.data, record.view.copies
    if copies is None or not record.view.size:
        return {}
    files = {"copies.csv": copies_csv(data, copies)}
    clustering = CLUSTERINGS.get(record.spec.clustering)
    if clustering is not None and clustering.weighted:
        files["weights.csv"] = weights_csv(data, copies)
        files["data_with_weights.csv"] = weighted_csv(data, copies)
    lines = weight_lines(record)
    return {**files, "use_weights.py": f"{lines}\n"} if lines else files


def copies_csv(data: Dataset, copies: Ints | Floats) -> str:
    """The rows that are copied as they came, with their number from 1, IDs, group and copies."""
    rows = np.flatnonzero(copies)
    numbered = _numbered(data).iloc[rows]
    frame = set_apart(_real_rows(data).iloc[rows], (*numbered.columns, COPIES))
    frame = pd.concat([numbered, frame], axis=1)
    return csv_of(frame.assign(**{COPIES: _as_they_came(pd.Series(copies[rows])).array}), data)


def weights_csv(data: Dataset, copies: Ints | Floats) -> str:
    """Number from 1, IDs and weight of every row of U."""
    weights = _as_they_came(pd.Series(_weights_with(data, copies)))
    return csv_of(set_apart(_numbered(data), (WEIGHT,)).assign(**{WEIGHT: weights}), data)


def weighted_csv(data: Dataset, copies: Ints | Floats) -> str:
    """U as it came, with the group and the weight of every row."""
    return csv_of(_weighted_rows(data, copies), data)


def _weighted_rows(data: Dataset, copies: Ints | Floats) -> pd.DataFrame:
    weights = _as_they_came(pd.Series(_weights_with(data, copies)))
    return set_apart(_real_rows(data), (WEIGHT,)).assign(**{WEIGHT: weights})


def _weights_with(data: Dataset, copies: Ints | Floats) -> Floats:
    return (1.0 if data.weights is None else data.weights) + copies.astype(np.float64)


def _real_rows(data: Dataset) -> pd.DataFrame:
    """U with the group of every row: numbers as the table has them, else in original units.

    What was filled in stands there as a number.
    """
    frame = data.to_original(data.points).apply(_as_they_came)
    if data.origin is not None:
        for column in data.columns:
            if not column.levels and column.name in data.origin.written:
                texts = data.origin.written[column.name]
                known = frame[column.name].map(str).str.replace(".", data.origin.dialect.decimal)
                frame[column.name] = texts.where(texts != "", known)
    return set_apart(frame, (data.protected,)).assign(
        **{data.protected: [data.group_names[code] for code in data.groups]}
    )


def _as_they_came(column: pd.Series) -> pd.Series:
    """Numbers to as many digits as are sure, whole numbers as such; texts as they are."""
    if not pd.api.types.is_numeric_dtype(column):
        return column
    largest = float(column.abs().max())
    digits = SURE_DIGITS - (math.ceil(math.log10(largest)) if largest > 0.0 else 0)
    rounded = column.round(digits)
    whole = largest < 2**53 and bool((rounded == rounded.round()).all())
    return rounded.astype(np.int64) if whole else rounded


def weight_lines(record: RunRecord) -> str:
    """The lines that cluster data_with_weights.csv by k-means; empty where they would not do."""
    data, view, spec = record.data, record.view, record.spec
    if view.copies is None or not view.size or spec.clustering != "kmeans":
        return ""
    *names, group, _ = map(harmless, _weighted_rows(data, view.copies).columns)
    columns = {
        name: [harmless(level) for level in column.levels]
        for name, column in zip(names, data.columns, strict=True)
    }
    texts = [name for name, levels in columns.items() if levels]
    return f"""\
import numpy as np
import pandas as pd
from sklearn.cluster import KMeans

# What is clustered, and the values of each column that holds categories.
columns = {columns!r}
shift = {data.shift.tolist()!r}
scale = {data.scale.tolist()!r}

texts = dict.fromkeys({texts!r}, str)
table = pd.read_csv("data_with_weights.csv", dtype=texts, keep_default_na=False{_signs(data)})
features = [
    np.column_stack([table[name] == level for level in levels]) if levels else table[[name]]
    for name, levels in columns.items()
]
points = (np.hstack(features) - shift) / scale
model = KMeans({spec.k}, n_init=10, random_state=0)
table["cluster"] = model.fit_predict(points, sample_weight=table["weight"])
print(pd.crosstab(table["cluster"], table[{group!r}]))"""


def _signs(data: Dataset) -> str:
    """The arguments by which pandas reads the dialect of the data."""
    if data.origin is None or data.origin.dialect == PLAIN:
        return ""
    found = data.origin.dialect
    signs = {"sep": found.separator, "decimal": found.decimal, "thousands": found.thousands}
    return "".join(f", {name}={sign!r}" for name, sign in signs.items() if sign)


def safe_csv(frame: pd.DataFrame, dialect: Dialect = PLAIN) -> str:
    """CSV in which no text can be taken for a formula by a spreadsheet; numbers stay numbers.

    >>> print(safe_csv(pd.DataFrame({"a": ["=1+1", " @b", "c"], "-d": [-1, 2, 3]})).strip())
    a,'-d
    '=1+1,-1
    ' @b,2
    c,3
    """
    safe = frame.copy()
    for name in frame.select_dtypes(exclude="number").columns:
        safe[name] = frame[name].map(harmless)
    safe = safe.rename(columns=harmless)
    return str(safe.to_csv(index=False, sep=dialect.separator, decimal=dialect.decimal))


def harmless(value: object) -> object:
    """A cell that a spreadsheet takes for no formula.

    >>> harmless("=1"), harmless("a"), harmless("-1,50"), harmless("-1+1")
    ("'=1", 'a', '-1,50', "'-1+1")
    """
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return value if SPELLED.fullmatch(value) else "'" + value
    return value
