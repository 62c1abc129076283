"""Turn the original UCI files into the compact copies in `bundled/`.

    python -m antidote_core.datasets.bundled.build SOURCE_DIR [--out DIR]

SOURCE_DIR holds `adult.csv` (the training file, with a header line), `bank-full.csv` and
`creditcard.csv`, each plain or gzipped. Only the columns used as features or as protected
attributes are kept, in the original row order and unscaled; integers are stored in the smallest
type that holds them, texts as dictionaries. The content is the same on every machine; the bytes of
a file also depend on the version of pyarrow that wrote it.

When SOURCE_DIR also holds `lfw.npz`, the averages behind the synthetic twin are written too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from antidote_core.datasets.bundled import BUNDLED
from antidote_core.datasets.sets import lfw
from antidote_core.datasets.sets.uci import ADULT, BANK, CREDITCARD
from antidote_core.errors import DataError

CHECKSUMS = "SHA256SUMS"


@dataclass(frozen=True)
class Original:
    """An original file: its name without ending, its separator, its size, what is kept of it."""

    name: str
    stem: str
    separator: str
    rows: int
    numbers: tuple[str, ...]
    texts: tuple[str, ...] = ()


ORIGINALS = (
    Original("adult", "adult", ",", 32561, ADULT.features, tuple(ADULT.protected)),
    Original("bank", "bank-full", ";", 45211, BANK.features, tuple(BANK.protected)),
    Original("creditcard", "creditcard", ",", 30000, CREDITCARD.features),
)


def read_original(original: Original, folder: Path) -> pd.DataFrame:
    """The kept columns of an original file: whole numbers as int64, texts as text."""
    candidates = [folder / f"{original.stem}{ending}" for ending in (".csv", ".csv.gz")]
    path = next((candidate for candidate in candidates if candidate.is_file()), None)
    if path is None:
        raise DataError(
            f"{folder} holds neither {candidates[0].name} nor {candidates[1].name}; download it "
            "from the UCI repository (docs/data.md says where) and put it there."
        )
    frame = pd.read_csv(path, sep=original.separator, skipinitialspace=True)
    wanted = [*original.numbers, *original.texts]
    lost = [column for column in wanted if column not in frame]
    if lost or len(frame) != original.rows:
        raise DataError(
            f"{path.name} has {len(frame)} rows and lacks these columns: "
            f"{', '.join(lost) or 'none'}; wanted {original.rows} rows under a header line, as "
            "published by UCI."
        )
    frame = frame[wanted]
    return frame.astype(dict.fromkeys(original.numbers, np.int64))


def write_compact(frame: pd.DataFrame, original: Original, path: Path) -> None:
    """Write `frame` as Parquet: smallest integer types, dictionary texts, zstd."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays: dict[str, Any] = {
        c: pa.array(pd.to_numeric(frame[c], downcast="integer").to_numpy())
        for c in original.numbers
    }
    for column in original.texts:
        arrays[column] = pa.array(frame[column].tolist()).dictionary_encode()
    # Splitting the bytes of an integer puts its mostly-zero high bytes together: 0.7 of the size.
    pq.write_table(
        pa.table(arrays),
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=list(original.texts),
        column_encoding=dict.fromkeys(original.numbers, "BYTE_STREAM_SPLIT"),
        row_group_size=len(frame),
    )


def build(source: Path, out: Path) -> list[Path]:
    """Write the compact files into `out`; returns their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{original.name}.parquet" for original in ORIGINALS]
    for original, path in zip(ORIGINALS, paths, strict=True):
        write_compact(read_original(original, source), original, path)
    if (source / "lfw.npz").is_file():
        paths.append(out / lfw.TWIN_FILE.name)
        write_twin_statistics(source / "lfw.npz", paths[-1])
    return paths


def write_twin_statistics(source: Path, path: Path) -> None:
    """Write the averages from which the synthetic twin of the faces is drawn, as readable JSON."""
    with np.load(source, allow_pickle=False) as archive:
        statistics = lfw.twin_statistics(archive["X"], archive["sex"])
    path.write_text(json.dumps(statistics, separators=(",", ":")) + "\n", encoding="utf-8")


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 of every data file in `folder`, as `sha256sum` would."""
    files = sorted(p for p in folder.iterdir() if p.suffix in {".parquet", ".json"})
    lines = [f"{hashlib.sha256(p.read_bytes()).hexdigest()}  {p.name}\n" for p in files]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line: 0 when the files were written, 2 with one line on stderr when not."""
    parser = argparse.ArgumentParser(prog="python -m antidote_core.datasets.bundled.build")
    parser.add_argument("source", type=Path, help="folder with the original UCI files")
    parser.add_argument("--out", type=Path, default=BUNDLED, help="default: the package's own")
    options = parser.parse_args(arguments)
    try:
        paths = build(options.source, options.out)
    except DataError as error:
        print(error, file=sys.stderr)
        return 2
    write_checksums(options.out)
    for path in paths:
        print(f"{path.name}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
