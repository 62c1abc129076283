"""From tables too large to load to data in parts: two passes, one portion in memory at a time.

The first pass finds means, deviations and groups, the second writes the standardised rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.checks import check_whole, did_you_mean
from antidote_core.datasets.columns import Levels, in_order, read_feature, read_levels
from antidote_core.datasets.frame import MAX_GROUPS, MIN_GROUP, constant
from antidote_core.datasets.parts.folder import Parts, write_chunks
from antidote_core.errors import DataError
from antidote_core.types import Column, Dataset, Floats, Ints

ROWS = 1_000_000
ENDINGS = (".parquet", ".csv", ".csv.gz")


def parts_from_files(
    source: Path | str,
    features: Sequence[str],
    protected: str,
    out: Path | str,
    rows: int = ROWS,
) -> Parts:
    """Write a CSV or Parquet file, or a folder of them, into `out` in parts of at most `rows` rows.

    `features` are columns of numbers, standardised over all files (mean 0, population deviation 1);
    `protected` is the column of the groups. Rows with a missing value are left out and counted in
    the notes.

    >>> import tempfile
    >>> frame = pd.DataFrame({"age": [20, 30, 40, 50], "sex": ["f", "m", "m", "f"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table, out = f"{folder}/people.csv", f"{folder}/parts"
    ...     frame.to_csv(table, index=False)
    ...     parts = parts_from_files(table, ["age"], "sex", out, rows=3)
    >>> parts.n, [file.rows for file in parts.files], parts.group_sizes.tolist()
    (4, [3, 1], [2, 2])
    """
    check_whole("rows", rows, 1, DataError)
    features = list(features)
    if not features or len(set(features)) < len(features) or protected in features:
        raise DataError(
            f"features are {features} and the protected attribute is {protected!r}; wanted at "
            "least one feature, each once, and the protected attribute not among them."
        )
    files = _files(Path(source))
    for path in files:
        _check_columns(path, [*features, protected])
    summary = _Summary(len(features))
    for values, levels in _portions(files, features, protected, rows):
        summary.add(values, levels)
    shift, scale = summary.standardisation(features)
    names = summary.groups(protected)
    head = Dataset(
        name=Path(source).name.split(".")[0],
        points=np.empty((0, len(features))),
        groups=np.empty(0, dtype=np.int64),
        group_names=names,
        feature_names=tuple(features),
        protected=protected,
        source=f"{Path(source).name}, {summary.count:,} rows",
        shift=shift,
        scale=scale,
        columns=tuple(Column(feature) for feature in features),
        title=Path(source).name,
        notes=summary.notes(),
    )
    code = {name: j for j, name in enumerate(names)}

    def chunks() -> Iterator[tuple[Floats, Ints]]:
        for values, levels in _portions(files, features, protected, rows):
            keep = _complete(values, levels)
            if keep.any():
                codes = np.array([*(code.get(name, -1) for name in levels.names), -1])
                yield (values[keep] - shift) / scale, codes[levels.codes[keep]]

    return write_chunks(head, chunks(), out)


def _portions(
    files: list[Path], features: list[str], protected: str, rows: int
) -> Iterator[tuple[Floats, Levels]]:
    """Values (m, d) with NaN where missing, and the groups, of so many rows at a time."""
    for path in files:
        for frame in _frames(path, [*features, protected], rows):
            columns = [_numbers(frame[name], path) for name in features]
            yield np.column_stack(columns), read_levels(frame[protected], protected)


def _frames(path: Path, wanted: list[str], rows: int) -> Iterator[pd.DataFrame]:
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=rows, columns=wanted):
                if len(batch):
                    yield batch.to_pandas()
        return
    with pd.read_csv(path, usecols=wanted, chunksize=rows, skipinitialspace=True) as reader:
        yield from (frame for frame in reader if len(frame))


def _numbers(series: pd.Series, path: Path) -> Floats:
    if series.isna().all():
        return np.full(len(series), np.nan)
    column = read_feature(series, str(series.name), False)
    if isinstance(column, Levels):
        raise DataError(
            f"Column {column.name!r} of {path.name} holds texts ({column.names[0]!r}, for "
            "instance); wanted numbers in a feature of data in parts: write categories as 0/1 "
            "columns first, or leave it out."
        )
    if np.isinf(column.values).any():
        raise DataError(
            f"Column {column.name!r} of {path.name} holds values that are not finite; wanted "
            "finite numbers: correct them or leave them empty."
        )
    return column.values


class _Summary:
    """Means and deviations of the complete rows, and how many of each group there are."""

    def __init__(self, d: int) -> None:
        self.count = 0
        self._left_out = 0
        self._mean = np.zeros(d)
        self._squares = np.zeros(d)  # of the differences from the mean
        self._groups: Counter[str] = Counter()

    def add(self, values: Floats, levels: Levels) -> None:
        keep = _complete(values, levels)
        self._left_out += int((~keep).sum())
        if not keep.any():
            return
        values, codes = values[keep], levels.codes[keep]
        # Two means become one by their weights, and the deviation between them is added.
        m = len(values)
        mean = values.mean(axis=0)
        away = mean - self._mean
        total = self.count + m
        self._squares += ((values - mean) ** 2).sum(axis=0) + away**2 * self.count * m / total
        self._mean += away * m / total
        self.count = total
        for name, size in zip(
            levels.names, np.bincount(codes, minlength=len(levels.names)), strict=True
        ):
            self._groups[name] += int(size)

    def standardisation(self, features: list[str]) -> tuple[Floats, Floats]:
        if not self.count:
            raise DataError(
                "No row has a value in every wanted column; leave out the emptiest one."
            )
        scale = np.sqrt(self._squares / self.count)
        still = np.flatnonzero(scale <= 8 * np.finfo(np.float64).eps * np.abs(self._mean))
        if len(still):
            raise constant(features[still[0]], f"{self._mean[still[0]]:g}")
        return self._mean, scale

    def groups(self, protected: str) -> tuple[str, ...]:
        names = tuple(in_order([name for name, size in self._groups.items() if size]))
        if not 2 <= len(names) <= MAX_GROUPS:
            raise DataError(
                f"Column {protected!r} has {len(names):,} different values; wanted 2 to "
                f"{MAX_GROUPS} groups: choose another column, or join values into broader groups."
            )
        small = [
            f"{name} ({self._groups[name]})" for name in names if self._groups[name] < MIN_GROUP
        ]
        if small:
            raise DataError(
                f"Column {protected!r} has groups of fewer than {MIN_GROUP} rows: "
                f"{', '.join(small)}; wanted more rows of each: join them with another group."
            )
        return names

    def notes(self) -> tuple[str, ...]:
        if not self._left_out:
            return ()
        everything = self.count + self._left_out
        return (f"{self._left_out:,} of {everything:,} rows left out because a value is missing.",)


def _complete(values: Floats, levels: Levels) -> Any:
    return ~(np.isnan(values).any(axis=1) | levels.missing)


def _files(source: Path) -> list[Path]:
    if source.is_file():
        if not source.name.endswith(ENDINGS):
            raise DataError(f"{source} is neither Parquet nor CSV; wanted {', '.join(ENDINGS)}.")
        return [source]
    if not source.is_dir():
        raise DataError(f"There is no file or folder {source}; wanted a table to read.")
    files = sorted(path for path in source.iterdir() if path.name.endswith(ENDINGS))
    if not files:
        raise DataError(
            f"The folder {source} holds no table; wanted files ending in {', '.join(ENDINGS)}."
        )
    return files


def _check_columns(path: Path, wanted: list[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if path.suffix == ".parquet":
            found = pq.read_schema(path).names
        else:
            found = list(pd.read_csv(path, nrows=0, skipinitialspace=True).columns)
    except (pa.ArrowException, ValueError, OSError):
        raise DataError(
            f"{path} cannot be read as {'Parquet' if path.suffix == '.parquet' else 'CSV'}."
        ) from None
    lost = [name for name in wanted if name not in found]
    if lost:
        hint = did_you_mean(lost[0], found)
        raise DataError(
            f"{path} has no column {lost[0]!r}{hint}; wanted the same columns in every file: "
            f"{', '.join(map(repr, wanted))}."
        )
