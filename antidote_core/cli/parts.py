"""`python -m antidote_core parts`: a large table written as data in parts."""

from __future__ import annotations

from pathlib import Path

from antidote_core.datasets.parts.from_files import ROWS, parts_from_files


def parts(*, data: Path, features: str, protected: str, out: Path, rows: int = ROWS) -> int:
    """Write a large table as Parquet parts."""
    names = [name.strip() for name in features.split(",") if name.strip()]
    written = parts_from_files(data, names, protected, out, rows)
    print(f"{out}: {written.n:,} rows in {len(written.files)} parts")
    for name, size in zip(written.group_names, written.group_sizes, strict=True):
        print(f"  {name}: {size:,}")
    for note in written.notes:
        print(note)
    return 0
