"""A data set as one file: arrays and names, no code, the same content hash when read again."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from antidote_core.errors import DataError
from antidote_core.types import Column, DataCard, Dataset

_ARRAYS = ("points", "groups", "shift", "scale")


def write_dataset(path: Path, data: Dataset) -> None:
    """Write `data` as npz."""
    header = {
        "name": data.name,
        "group_names": data.group_names,
        "feature_names": data.feature_names,
        "protected": data.protected,
        "source": data.source,
        "columns": [asdict(column) for column in data.columns],
        "title": data.title,
        "notes": data.notes,
        "card": asdict(data.card) if data.card else None,
    }
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=text, **{name: getattr(data, name) for name in _ARRAYS})


def read_dataset(path: Path) -> Dataset:
    """Read what `write_dataset` wrote."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            header: dict[str, Any] = json.loads(file["header"].tobytes())
            arrays: dict[str, Any] = {name: file[name] for name in _ARRAYS}
        columns = tuple(Column(c["name"], tuple(c["levels"])) for c in header.pop("columns"))
        card = header.pop("card")
        for name in ("group_names", "feature_names", "notes"):
            header[name] = tuple(header[name])
        return Dataset(**arrays, **header, columns=columns, card=DataCard(**card) if card else None)
    except (OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise DataError(
            f"The data file of this run cannot be read ({type(error).__name__}); start the run "
            "again from the original table."
        ) from error
