"""What there is to recompute, one cell per printed number and mode, and the file of the results.

A cell says which table, data, clustering, cost and k, and in which of two modes it is computed:

- as-published: RACOS in SRE, one start of k-means, V_s = 10, n' = 100, ξ = 1, every size anew;
- ours: the better of the structured search and the design, C the best of ten starts.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from antidote_core.checks import did_you_mean
from antidote_core.datasets import available_forms, load_dataset
from antidote_core.errors import DataError, SpecError
from antidote_core.paper import paper_row, paper_tables
from antidote_core.runs.spec import RunSpec
from antidote_core.types import Dataset

PUBLISHED, OURS = "as-published", "ours"
MODES = (PUBLISHED, OURS)
DATASETS = ("adult", "bank", "creditcard", "lfw")
COMBINATIONS = (("kmeans", "balance"), ("kmeans", "social"), ("spectral", "balance"))
FAIRNESS_TABLES = {"vanilla_k2": 2, "sota_k2": 2, "vanilla_k3": 3, "vanilla_k4": 4}
SECONDS = "seconds_algorithm2_one_point_k2"
CONVEX = "seconds_algorithm1"
TABLES = (*FAIRNESS_TABLES, SECONDS, CONVEX)
SPECTRAL_SAMPLE = int(paper_tables()["settings"]["spectral_subsample"])
TWIN = "twin"


@dataclass(frozen=True)
class Cell:
    """One number to compute; `key` names it in logs and results."""

    table: str
    dataset: str
    clustering: str
    fairness: str
    k: int
    mode: str

    @property
    def key(self) -> str:
        """The cell's name.

        >>> Cell("vanilla_k2", "bank", "kmeans", "social", 2, "ours").key
        'vanilla_k2/bank/kmeans+social/ours'
        """
        return f"{self.table}/{self.dataset}/{self.clustering}+{self.fairness}/{self.mode}"

    @property
    def against_sota(self) -> bool:
        """Whether the paper compares with the fair algorithm here, else with plain clustering."""
        return self.table == "sota_k2"

    @property
    def sample(self) -> int | None:
        """Rows that are drawn, None for all: the paper's sample for spectral clustering."""
        return SPECTRAL_SAMPLE if self.clustering == "spectral" else None

    def load(self) -> Dataset:
        """The data of this cell, the sample drawn by seed 0."""
        return load_dataset(self.dataset, rows=form_of(self.dataset), sample=self.sample)

    def asks(self, seed: int, **settings: Any) -> RunSpec:
        """A run on the data of this cell, by these settings, in the freedom of the paper."""
        return RunSpec.unguarded(
            dataset=self.dataset,
            clustering=self.clustering,
            fairness=self.fairness,
            k=self.k,
            rows=TWIN if form_of(self.dataset) == TWIN else None,
            sample=self.sample,
            seed=seed,
            **settings,
        )

    def head(self, data: Dataset) -> dict[str, Any]:
        """What every row of results begins with: the cell and the data it was computed on."""
        return {
            **asdict(self),
            "source": data.source,
            "real": form_of(self.dataset) != TWIN,
            "data": data.content_hash,
            "n": data.n,
        }


def form_of(dataset: str) -> str:
    """The first form of a data set that is here: for LFW the real file, else the twin."""
    return next(form.name for form in available_forms(dataset) if form.name == TWIN or (
        form.available and form.name != "download"
    ))  # fmt: skip


def all_cells(
    tables: Sequence[str] = (), datasets: Sequence[str] = (), modes: Sequence[str] = ()
) -> tuple[Cell, ...]:
    """The cells of these tables, data sets and modes; an empty choice is all of them.

    >>> len(all_cells(tables=["vanilla_k2", "sota_k2", "vanilla_k3", "vanilla_k4"]))
    96
    """
    _check("table", tables, TABLES)
    _check("dataset", datasets, DATASETS)
    _check("mode", modes, MODES)
    cells = []
    for table in tables or TABLES:
        combinations = (("son", "social"),) if table == CONVEX else COMBINATIONS
        k = 0 if table == CONVEX else FAIRNESS_TABLES.get(table, 2)
        for clustering, fairness in combinations:
            for dataset in datasets or DATASETS:
                for mode in modes or MODES:
                    cells.append(Cell(table, dataset, clustering, fairness, k, mode))
    return tuple(cells)


def _check(what: str, names: Iterable[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise SpecError(f"{what} must be one of {', '.join(known)}; got {name!r}{hint}.")


@dataclass(frozen=True)
class Printed:
    """What the paper prints for a cell of a fairness table.

    `points` is the |V| that the printed share stands for; `whole` says that the share can only
    be one of the whole data set, because of the sample it would be less than a point.
    """

    before: float
    after: float
    share: float
    points: int
    whole: bool

    @property
    def gain(self) -> float:
        """Cost before minus cost after."""
        return self.before - self.after

    @property
    def rounding(self) -> float:
        """Half a unit of the last digit that is printed of the cost before.

        >>> Printed(18.998, 18.998, 0.19, 5700, False).rounding
        0.0005
        """
        return float(f"5e-{len(repr(self.before).partition('.')[2]) + 1}")


def printed(cell: Cell) -> Printed:
    """The paper's row of this cell; |V| is the whole number nearest to the share times |U|.

    >>> printed(Cell("vanilla_k2", "bank", "kmeans", "balance", 2, "ours")).points
    5
    """
    row = paper_row(cell.table, cell.dataset, cell.fairness, cell.clustering)
    share = row["antidote_ratio"]
    full = paper_tables()["datasets"][cell.dataset]["n"]
    n = cell.sample or full
    # Of the sample of 1,000 the shares of Table 1 are one point or less; of all rows they are 10.
    whole = n < full and share * n <= 1.0
    counted = full if whole else n
    before = row["sota" if cell.against_sota else "vanilla"]
    return Printed(before, row["algorithm2"], share, max(round(share * counted), 1), whole)


FORMAT = 1
STORED = Path(__file__).parent / "results.json"
PACKAGES = ("antidote-core", "numpy", "scipy", "scikit-learn", "numba", "zoopt", "cvxpy", "highspy")

Row = dict[str, Any]


@dataclass(frozen=True)
class Results:
    """Rows by the key of their cell, the seed, and the versions and the day they come from."""

    seed: int
    date: str
    versions: Mapping[str, str]
    rows: Mapping[str, Row] = field(default_factory=dict)

    def to_json(self) -> str:
        """The file's text: one row per line, so that a change shows as the lines it changes."""
        head = {
            "format": FORMAT,
            "seed": self.seed,
            "date": self.date,
            "versions": dict(self.versions),
        }
        line = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
        lines = [f"{json.dumps(key)}: {line(row)}" for key, row in sorted(self.rows.items())]
        body = ",\n".join(lines)
        return f'{json.dumps(head)[:-1]},\n"rows": {{\n{body}\n}}}}\n'


def new_results(seed: int, rows: Mapping[str, Row]) -> Results:
    """Results of now, with the versions that are installed here."""
    versions = {}
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    versions["python"] = platform.python_version()
    return Results(seed, datetime.now(UTC).strftime("%Y-%m-%d"), versions, rows)


def read_results(path: Path = STORED) -> Results:
    """What `to_json` wrote; a sentence says what is wrong with anything else."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"There are no results at {path}; compute them by `python -m antidote_core paper`."
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(f"The results at {path} cannot be read: {error}.") from None
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise DataError(
            f"The results at {path} have another format than {FORMAT}; compute them again."
        )
    return Results(values["seed"], values["date"], values["versions"], values["rows"])


@cache
def stored_results() -> Results:
    """The results that come with the software."""
    return read_results(STORED)


def write_results(path: Path, results: Results) -> None:
    """Write the file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".part")
    partial.write_text(results.to_json(), encoding="utf-8")
    os.replace(partial, path)
