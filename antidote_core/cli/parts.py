"""`python -m antidote_core parts`: a large table written as data in parts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from antidote_core.datasets.parts.from_files import ROWS, parts_from_files


def add_command(commands: Any) -> None:
    """The subcommand `parts`."""
    parser = commands.add_parser("parts", help="write a large table as Parquet parts")
    parser.set_defaults(call=_parts)
    parser.add_argument(
        "--data", type=Path, required=True, help="a Parquet or CSV file, or a folder of them"
    )
    parser.add_argument("--features", required=True, help="columns of numbers: age,balance,...")
    parser.add_argument("--protected", required=True, help="the column of the groups")
    parser.add_argument("--out", type=Path, required=True, help="a new folder for the parts")
    parser.add_argument("--rows", type=int, default=ROWS, help="most rows of a part")


def _parts(options: argparse.Namespace) -> int:
    features = [name.strip() for name in options.features.split(",") if name.strip()]
    parts = parts_from_files(options.data, features, options.protected, options.out, options.rows)
    print(f"{options.out}: {parts.n:,} rows in {len(parts.files)} parts")
    for name, size in zip(parts.group_names, parts.group_sizes, strict=True):
        print(f"  {name}: {size:,}")
    for note in parts.notes:
        print(note)
    return 0
