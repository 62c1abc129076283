"""Results as a versioned JSON file."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from antidote_core.errors import DataError

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
