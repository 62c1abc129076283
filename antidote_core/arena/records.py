"""Every entry of an arena, computed once and kept: data set x k x method x seed.

The record of an entry is a line of JSON in a file of its own, named by what was asked and of which
rows. It is written whole or not at all, so whatever ends the work, what is there is there.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from antidote_core import __version__
from antidote_core.algorithms.algorithm2.grow import Cancel
from antidote_core.arena.methods import DATA, Found, arena_methods, plain_problem
from antidote_core.baselines import NEAREST, OWN
from antidote_core.clustering import compiled
from antidote_core.datasets import DATASETS, dataset_info, load_dataset
from antidote_core.datasets.registry import subsample
from antidote_core.errors import AntidoteError, DataError, SpecError
from antidote_core.fairness import FAIRNESS, assigned_squared, get_fairness
from antidote_core.geometry import nearest_center
from antidote_core.paper.rows import form_of
from antidote_core.plugins import load_plugins
from antidote_core.runs.arena_spec import ArenaSpec
from antidote_core.types import Clustering, Dataset, Floats, Ints, jsonable

FORMAT = 1
SHIPPED = Path(__file__).with_name("shipped.jsonl.gz")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "zoopt", "cvxpy", "highspy")
SCORINGS = {"own": OWN, "nearest": NEAREST}  # of a record, and in words

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """One method on one data set with one k and one seed."""

    dataset: str
    k: int
    method: str
    seed: int
    sample: int | None = None

    @property
    def key(self) -> str:
        """Its name in logs and results.

        >>> Entry("bank", 2, "antidote:social", 0).key
        'bank/k2/antidote:social/0'
        """
        return f"{self.dataset}/k{self.k}/{self.method}/{self.seed}"

    def id_on(self, data: Dataset) -> str:
        """What names the file of its record: all that was asked, and the rows."""
        asked = [FORMAT, self.k, self.method, self.seed, data.content_hash]
        return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def entries(spec: ArenaSpec) -> tuple[Entry, ...]:
    """What the spec asks for, in order; a sentence where a name is not known."""
    methods = arena_methods(spec.methods)
    asked_notions(spec)
    real = tuple(name for name, info in DATASETS.items() if info.kind == "real" and _is_here(name))
    return tuple(
        Entry(dataset, k, method.name, seed, spec.sample)
        for dataset in spec.datasets or real
        for k in spec.ks
        for method in methods
        for seed in spec.seeds
    )


def _is_here(name: str) -> bool:
    return any(form.available for form in dataset_info(name).forms() if form.name != "download")


def asked_notions(spec: ArenaSpec) -> tuple[str, ...]:
    """The costs that are measured: those that are named, else all that are registered."""
    if spec.notions:
        return tuple(get_fairness(name).name for name in spec.notions)
    load_plugins()
    return tuple(FAIRNESS)


@lru_cache(maxsize=2)
def load_entry_data(dataset: str, sample: int | None = None) -> Dataset:
    """The rows of a data set of the registry, in the form that is here."""
    if dataset not in DATASETS:
        raise DataError(f"The data of {dataset!r} are not here; hand them over with the arena.")
    return sampled(load_dataset(dataset, rows=form_of(dataset)), sample)


def sampled(data: Dataset, sample: int | None) -> Dataset:
    """So many rows of the data, drawn by seed 0; all where there are no more."""
    return data if sample is None or sample >= data.n else subsample(data, sample, 0)


# -- one entry ------------------------------------------------------------------------------------


def compute_entry(
    entry: Entry, data: Dataset, notions: tuple[str, ...], cancel: Cancel = lambda: False
) -> dict[str, Any]:
    """The record of one entry, in this process; a method that refuses says why in its record."""
    [method] = arena_methods([entry.method])
    record: dict[str, Any] = {
        "format": FORMAT,
        "key": entry.key,
        "dataset": entry.dataset,
        "title": data.title or data.name,
        "source": data.source,
        "data": data.content_hash,
        "n": data.n,
        "protected": data.protected,
        "groups": list(data.group_names),
        "k": entry.k,
        "method": method.name,
        "method_title": method.title,
        "needs_groups": method.needs_groups,
        "changes": method.changes,
        "serves": list(method.serves),
        "seed": entry.seed,
        "refused": "",
    }
    plain = _plain(data, entry.k, entry.seed)  # also: what is imported once is no part of seconds
    if method.changes == DATA:
        compiled.warm_runs(data.weights is not None)
    begun = time.perf_counter()
    try:
        found = method.solve(data, entry.k, entry.seed, cancel)
        _check(found, data, entry.k)
    except (AntidoteError, MemoryError) as error:
        record["refused"] = str(error) or "It needs more memory than there is here."
        found = None
    seconds = time.perf_counter() - begun
    if found is not None:
        record |= _figures(found, data, plain, notions)
    record |= {
        "seconds": round(seconds, 4),
        "versions": installed_versions(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }
    values: dict[str, Any] = jsonable(record)
    return values


def _check(found: Found, data: Dataset, k: int) -> None:
    """Whoever wrote the method: a label for every row, and centres that can be measured from."""
    if found.labels.shape != (data.n,) or found.centers.shape[1:] != data.points.shape[1:]:
        raise SpecError(
            f"The method gave labels of shape {found.labels.shape} and centres of shape "
            f"{found.centers.shape}; wanted ({data.n},) and ({k}, {data.points.shape[1]})."
        )


@lru_cache(maxsize=2)
def _plain(data: Dataset, k: int, seed: int) -> Clustering:
    return plain_problem(data, k, seed, compiled=False).vanilla


def _figures(
    found: Found, data: Dataset, plain: Clustering, notions: tuple[str, ...]
) -> dict[str, Any]:
    """What is measured of a clustering: every notion in both scorings, and what it cost."""
    nearest, _ = nearest_center(data.points, found.centers)
    weights = np.ones(data.n) if data.weights is None else data.weights
    sizes = np.bincount(found.labels, weights=weights, minlength=len(found.centers))
    paid, before = (
        float(weights @ assigned_squared(one.labels, one.centers, data.points))
        for one in (found, plain)
    )
    moved = _moved(found.labels, plain.labels)
    return {
        "own": _notions(found.labels, found.centers, data, notions),
        "nearest": _notions(nearest, found.centers, data, notions),
        "price": paid / before - 1.0 if before > 0 else None,
        "smallest_share": float(sizes.min() / sizes.sum()),
        "clusters": len(found.centers),
        "moved": float(weights @ moved / weights.sum()),
        "size": found.size,
        "copied": found.copied,
        "outcome": found.outcome,
        "notes": list(found.notes),
    }


def _notions(
    labels: Ints, centers: Floats, data: Dataset, notions: tuple[str, ...]
) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    for name in notions:
        try:
            values[name] = get_fairness(name).of_labels(
                labels, centers, data.points, data.groups, data.weights
            )
        except AntidoteError:  # a cost that cannot be had for these rows
            values[name] = None
    return values


def _moved(labels: Ints, before: Ints) -> Ints:
    """1 for every row (n,) whose cluster is another one, clusters matched as well as they can be.

    >>> _moved(np.array([1, 1, 0, 0]), np.array([0, 0, 1, 0])).tolist()
    [0, 0, 0, 1]
    """
    from scipy.optimize import linear_sum_assignment

    k = int(max(labels.max(), before.max())) + 1
    together = np.zeros((k, k))
    np.add.at(together, (labels, before), 1.0)
    rows, columns = linear_sum_assignment(-together)
    same = np.empty(k, dtype=np.int64)
    same[rows] = columns
    return (same[labels] != before).astype(np.int64)


def installed_versions() -> dict[str, str]:
    """The versions that results depend on."""
    found = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return {**found, "antidote-core": __version__, "python": platform.python_version()}


# -- all of them ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CellFiles:
    """Records in a folder, one file each."""

    folder: Path

    def read(self, entry: Entry, data: Dataset, notions: tuple[str, ...]) -> dict[str, Any] | None:
        """The record of an entry; None where there is none, or none with all of these notions."""
        try:
            record = json.loads(self._path(entry, data).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if record.get("refused"):
            return dict(record)
        return dict(record) if set(notions) <= set(record.get("own", ())) else None

    def write(self, entry: Entry, data: Dataset, record: Record) -> None:
        """Keep a record: another process sees all of it or nothing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=self.folder, suffix=".part", delete=False
        ) as file:
            file.write(text)
        os.replace(file.name, self._path(entry, data))

    def _path(self, entry: Entry, data: Dataset) -> Path:
        return self.folder / f"{entry.id_on(data)}.jsonl"


def contest(
    spec: ArenaSpec,
    folder: Path | None = None,
    data: Dataset | None = None,
    cancel: Cancel = lambda: False,
) -> Iterator[dict[str, Any]]:
    """The records of an arena as they are ready, in this process.

    `folder` keeps them, and what is there already is not computed again; `data` are rows of one's
    own, which the spec names. `cancel` is asked between entries, and inside of searches.
    """
    files = None if folder is None else CellFiles(folder)
    notions = asked_notions(spec)
    for entry in entries(spec):
        if cancel():
            return
        if data is None:
            rows = load_entry_data(entry.dataset, entry.sample)
        else:
            rows = sampled(data, entry.sample)
        record = files.read(entry, rows, notions) if files else None
        if record is None:
            record = compute_entry(entry, rows, notions, cancel)
            if cancel():  # cut short, so no answer
                return
            if files:
                files.write(entry, rows, record)
        yield record


def write_records(path: Path, records: Iterable[Record]) -> None:
    """All records in one packed file, a line each; the same records give the same bytes."""
    lines = [json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n" for record in records]
    path.write_bytes(gzip.compress("".join(lines).encode(), 9, mtime=0))


def read_records(path: Path) -> tuple[dict[str, Any], ...]:
    """What `write_records` wrote, or a sentence."""
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = tuple(json.loads(line) for line in file)
    except (OSError, ValueError, EOFError) as error:
        raise DataError(
            f"The results at {path} cannot be read ({error}); compute them by `antidote arena`."
        ) from None
    if any(record.get("format") != FORMAT for record in records):
        raise DataError(
            f"The results at {path} have another format than {FORMAT}; compute them again."
        )
    return records


@cache
def shipped_records() -> tuple[dict[str, Any], ...]:
    """The records that come with the software, as `antidote arena` wrote them."""
    return read_records(SHIPPED)
