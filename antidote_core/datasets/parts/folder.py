"""Data in parts: a folder of Parquet files, each with some of the rows, and what they are together.

    parts.json            names, standardisation, groups of each part, range of features
    part-00000.parquet    one column per feature (standardised), and last the group's code
    part-00001.parquet    ...

The rows in the order of the parts are the data set. `parts.json` is written last, so a folder
without it was never finished.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from antidote_core.checks import is_whole
from antidote_core.errors import DataError
from antidote_core.types import Column, Dataset, Floats, Ints

MANIFEST = "parts.json"
GROUP_COLUMN = "group (code)"
BATCH = 1 << 16  # rows read at a time, so that a part is in memory once


@dataclass(frozen=True)
class PartFile:
    """One file of the folder: its name, its rows, the rows of each group, a hash of its content."""

    file: str
    rows: int
    group_sizes: tuple[int, ...]
    digest: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parts(Dataset):
    """A data set whose rows lie in parts on disk: `points` and `groups` are empty.

    `lower` and `upper` (d,) are the smallest and largest value of every feature.

    >>> import tempfile, antidote_core as ac
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = ac.write_parts(ac.load_dataset("blobs"), folder, parts=2)
    >>> parts.n, len(parts.points), [file.rows for file in parts.files]
    (200, 0, [100, 100])
    """

    folder: Path
    files: tuple[PartFile, ...]
    lower: Floats
    upper: Floats

    @property
    def n(self) -> int:
        """Number of points in all parts."""
        return sum(file.rows for file in self.files)

    @property
    def d(self) -> int:
        """Number of features."""
        return len(self.shift)

    @property
    def group_sizes(self) -> Ints:
        """Points per group in all parts, (g,)."""
        sizes: Ints = np.array([file.group_sizes for file in self.files], dtype=np.int64)
        return sizes.sum(axis=0)

    @property
    def paths(self) -> list[Path]:
        """The files, in order."""
        return [self.folder / file.file for file in self.files]

    @cached_property
    def content_hash(self) -> str:
        """Changes whenever a coordinate, a group or a name changes."""
        return hashlib.sha256(_manifest(self).encode()).hexdigest()


def write_parts(data: Dataset, folder: Path | str, parts: int = 4) -> Parts:
    """Write a data set as `parts` files of nearly equal size.

    >>> import tempfile
    >>> from antidote_core.datasets import load_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_parts(load_dataset("blobs"), folder, parts=3)
    ...     [file.rows for file in open_parts(folder).files] == [f.rows for f in written.files]
    True
    """
    if data.weights is not None:
        raise DataError(
            "Data in parts have no weights, and these rows have; keep them in memory as one "
            "Dataset, or repeat rows of whole weight."
        )
    if not is_whole(parts, 1) or parts > data.n:
        raise DataError(
            f"parts must be a whole number from 1 to the number of rows ({data.n:,}); "
            f"got {parts!r}."
        )
    edges = np.linspace(0, data.n, parts + 1).round().astype(np.int64)
    chunks = ((data.points[a:b], data.groups[a:b]) for a, b in pairwise(edges))
    head = replace(data, points=data.points[:0], groups=data.groups[:0], origin=None)
    return write_chunks(head, chunks, folder)


def write_chunks(head: Dataset, chunks: Iterable[tuple[Floats, Ints]], folder: Path | str) -> Parts:
    """Write a stream of (points (m, d), groups (m,)) as one part each; never more than one at once.

    `head` is the data set without rows: names, groups and standardisation of what the stream gives.
    """
    folder = _new_folder(folder)
    d, g = len(head.shift), len(head.group_names)
    files = []
    lower, upper = np.full(d, np.inf), np.full(d, -np.inf)
    for index, (points, groups) in enumerate(chunks):
        name = f"part-{index:05d}.parquet"
        points, groups = _checked_chunk(points, groups, d, g, name)
        _write_part(folder / name, points, groups, _column_names(head))
        digest = hashlib.sha256(points.tobytes())
        digest.update(groups.tobytes())
        sizes = tuple(np.bincount(groups, minlength=g).tolist())
        files.append(PartFile(name, len(points), sizes, digest.hexdigest()))
        lower, upper = np.minimum(lower, points.min(axis=0)), np.maximum(upper, points.max(axis=0))
    if not files:
        raise DataError(f"There are no rows to write into {folder}; wanted at least one part.")
    told = {field.name: getattr(head, field.name) for field in fields(Dataset)}
    parts = Parts(**told, folder=folder, files=tuple(files), lower=lower, upper=upper)
    unfinished = folder / f"{MANIFEST}.unfinished"
    unfinished.write_text(_manifest(parts), encoding="utf-8")
    unfinished.rename(folder / MANIFEST)
    return parts


def open_parts(folder: Path | str) -> Parts:
    """The parts in a folder; a sentence says what is wrong with it otherwise.

    Every file must be there, with the rows and the columns that `parts.json` names.

    >>> open_parts("no-such-folder")
    Traceback (most recent call last):
    antidote_core.errors.DataError: There is no folder no-such-folder; wanted one written by \
`python -m antidote_core parts`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(folder)
    parts = _read_manifest(folder)
    wanted = _column_names(parts)
    for file, path in zip(parts.files, parts.paths, strict=True):
        if not path.is_file():
            raise DataError(
                f"The folder {folder} lacks {file.file}, one of its {len(parts.files)} parts; copy "
                "the whole folder, or write the parts again."
            )
        try:
            found = pq.read_metadata(path)
            names = pq.read_schema(path).names
        except (pa.ArrowException, OSError):
            raise DataError(
                f"{path} is not a readable Parquet file; write the parts again."
            ) from None
        if names != wanted:
            raise _other_columns(path, names, wanted)
        if found.num_rows != file.rows:
            raise DataError(
                f"{path} holds {_rows(found.num_rows)}; wanted the {_rows(file.rows)} that "
                f"{MANIFEST} names: write the parts again."
            )
    return parts


def read_part(path: Path | str, d: int) -> tuple[Floats, np.ndarray]:
    """Points (m, d) and groups (m,) int16 of one part."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        rows = file.metadata.num_rows
        points = np.empty((rows, d))
        groups = np.empty(rows, dtype=np.int16)
        start = 0
        for batch in file.iter_batches(batch_size=BATCH):
            stop = start + len(batch)
            for a in range(d):
                points[start:stop, a] = batch.column(a).to_numpy()
            groups[start:stop] = batch.column(d).to_numpy()
            start = stop
    return points, groups


def _write_part(path: Path, points: Floats, groups: np.ndarray, names: list[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [pa.array(np.ascontiguousarray(column)) for column in points.T]
    table = pa.table([*arrays, pa.array(groups)], names=names)
    pq.write_table(table, path, use_dictionary=False, row_group_size=1 << 20)


def _column_names(head: Dataset) -> list[str]:
    return [*head.feature_names, GROUP_COLUMN]


def _checked_chunk(
    points: Floats, groups: Ints, d: int, g: int, name: str
) -> tuple[Floats, np.ndarray]:
    points = np.ascontiguousarray(points, dtype=np.float64)
    groups = np.asarray(groups)
    if points.ndim != 2 or points.shape[1] != d or groups.shape != (len(points),):
        raise DataError(
            f"{name} came as points of shape {points.shape} and groups of shape {groups.shape}; "
            f"wanted {d} columns, and one group per row."
        )
    if not len(points):
        raise DataError(f"{name} came without rows; wanted at least one: leave empty parts out.")
    if not np.isfinite(points).all():
        raise DataError(f"{name} holds values that are not finite; wanted finite numbers.")
    if groups.min() < 0 or groups.max() >= g:
        stray = int(groups.max() if groups.max() >= g else groups.min())
        raise DataError(
            f"{name} holds the group code {stray}; wanted codes from 0 to {g - 1}, one per group "
            "name."
        )
    return points, groups.astype(np.int16)


def _new_folder(folder: Path | str) -> Path:
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"The folder {folder} cannot be made: {error.strerror}.") from None
    if any(folder.glob("part-*.parquet")) or (folder / MANIFEST).exists():
        raise DataError(f"The folder {folder} holds parts already; choose a new folder.")
    return folder


def head_values(head: Dataset) -> dict[str, Any]:
    """What is said of a data set besides its arrays, fit for JSON."""
    return {
        "name": head.name,
        "title": head.title,
        "source": head.source,
        "notes": head.notes,
        "protected": head.protected,
        "group_names": head.group_names,
        "feature_names": head.feature_names,
        "columns": [asdict(column) for column in head.columns],
    }


def head_fields(told: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a data set, its arrays apart, from what `head_values` told."""
    values: dict[str, Any] = {x: told[x] for x in ("name", "title", "source", "protected")}
    values |= {x: tuple(told[x]) for x in ("notes", "group_names", "feature_names")}
    columns = tuple(Column(c["name"], tuple(c["levels"])) for c in told["columns"])
    return {**values, "columns": columns}


def _manifest(parts: Parts) -> str:
    described = {
        "version": 1,
        **head_values(parts),
        "shift": parts.shift.tolist(),
        "scale": parts.scale.tolist(),
        "lower": parts.lower.tolist(),
        "upper": parts.upper.tolist(),
        "files": [asdict(file) for file in parts.files],
    }
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def _read_manifest(folder: Path) -> Parts:
    if not folder.is_dir():
        raise DataError(
            f"There is no folder {folder}; wanted one written by `python -m antidote_core parts`."
        )
    try:
        told: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        names = ("shift", "scale", "lower", "upper")
        arrays: dict[str, Any] = {name: np.array(told[name]) for name in names}
        return Parts(
            **head_fields(told),
            **arrays,
            points=np.empty((0, len(arrays["shift"]))),
            groups=np.empty(0, dtype=np.int64),
            folder=folder,
            files=tuple(_part_file(entry) for entry in told["files"]),
        )
    except FileNotFoundError:
        raise DataError(
            f"The folder {folder} has no {MANIFEST}: it holds no parts, or writing them was not "
            "finished; write them with `python -m antidote_core parts`."
        ) from None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DataError(
            f"{folder / MANIFEST} cannot be read ({error}); write the parts again."
        ) from None


def _part_file(entry: dict[str, Any]) -> PartFile:
    values = {field.name: entry[field.name] for field in fields(PartFile)}
    return PartFile(**{**values, "group_sizes": tuple(values["group_sizes"])})


def _other_columns(path: Path, came: list[str], wanted: list[str]) -> DataError:
    lost = [name for name in wanted if name not in came]
    extra = [name for name in came if name not in wanted]
    words = [f"lacks {', '.join(map(repr, lost))}"] if lost else []
    words += [f"has {', '.join(map(repr, extra))} besides"] if extra else []
    return DataError(
        f"{path} {' and '.join(words) or 'has its columns in another order'}; wanted the same "
        f"columns in every part ({', '.join(map(repr, wanted))}): write the parts again."
    )


def _rows(count: int) -> str:
    return "no rows" if count == 0 else "1 row" if count == 1 else f"{count:,} rows"


def shares(parts: Parts, count: int) -> Iterator[int]:
    """How many of `count` rows each part gives to a sample, in proportion to its size."""
    edges = np.cumsum([0, *(file.rows for file in parts.files)])
    given = np.floor(edges * min(1.0, count / parts.n) + 0.5).astype(np.int64)
    yield from (int(b - a) for a, b in pairwise(given))
