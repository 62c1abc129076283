"""The data sets that the benchmarks run on."""

import sys

from antidote_core import DataError, Dataset, load_dataset

NAMES = ("adult", "bank", "creditcard", "lfw")


def available(name: str) -> Dataset | None:
    """The data set, or None (and a line on stderr) where its file is not on this machine."""
    try:
        return load_dataset(name)
    except DataError as error:
        print(f"left out: {error}", file=sys.stderr)
        return None
