"""One UMAP layout of U and V together, computed in a process of its own."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import numpy as np

from antidote_core.projection.layout import Layout, layout_path, run_umap, sample_rows
from antidote_core.types import Dataset, Floats

LIMIT = 2000  # antidote points that take part


def joint_path(data: Dataset, antidote: Floats, folder: Path) -> Path:
    """Where the joint layout of this U and this V is kept below `folder`."""
    digest = hashlib.sha256(antidote.astype(np.float32).tobytes()).hexdigest()[:16]
    return folder / f"joint-{digest}-{layout_path(data, folder).name}"


def find_joint(data: Dataset, antidote: Floats, folder: Path) -> Layout | None:
    """The layout computed before; rows of -1 are the antidote points, in order."""
    path = joint_path(data, antidote, folder)
    if not path.is_file():
        return None
    with np.load(path, allow_pickle=False) as stored:
        return Layout(stored["rows"].astype(np.int64), stored["positions"].astype(np.float64))


def start_joint(data: Dataset, antidote: Floats, folder: Path) -> subprocess.Popen[bytes]:
    """Compute it in the background; `find_joint` sees it when the process ends."""
    rows = sample_rows(data.groups)
    shown = antidote[:LIMIT]
    return run_umap(
        np.concatenate([rows, np.full(len(shown), -1)]),
        np.vstack([data.points[rows], shown]),
        joint_path(data, antidote, folder),
    )
