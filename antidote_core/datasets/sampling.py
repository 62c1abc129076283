"""A seeded subsample of a data set that keeps every group."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from antidote_core.errors import DataError
from antidote_core.types import Dataset, Ints

SMALLEST_SHARE = 2


def subsample(data: Dataset, size: int, seed: int) -> Dataset:
    """`size` rows of `data` drawn without replacement, stratified by group, in the original order.

    Each group gets its share of the rows by largest remainder, but at least two rows. The points
    keep the standardisation of all rows, so that costs and antidote points stay in the same units.
    """
    counts = data.group_sizes
    smallest = int(np.minimum(counts, SMALLEST_SHARE).sum())
    if not smallest <= size <= data.n:
        raise DataError(
            f"sample = {size} does not fit {data.title or data.name}: wanted between {smallest} "
            f"(two rows of each of its {len(counts)} groups) and {data.n} (all rows)."
        )
    if size == data.n:
        return data
    rng = np.random.default_rng(seed)
    taken = [
        rng.choice(np.flatnonzero(data.groups == group), share, replace=False)
        for group, share in enumerate(_shares(counts, size))
    ]
    rows = np.sort(np.concatenate(taken))
    note = (
        f"A sample of {size:,} of {data.n:,} rows (seed {seed}), drawn in proportion to the group "
        "sizes with at least two rows of each group; units are those of all rows."
    )
    return replace(
        data,
        points=data.points[rows],
        groups=data.groups[rows],
        source=f"{data.source}, a sample of {size:,} (seed {seed})",
        notes=(*data.notes, note),
    )


def _shares(counts: Ints, size: int) -> Ints:
    """Rows per group, (g,): proportional by largest remainder, two at least, `size` in all.

    >>> _shares(np.array([90, 9, 1]), 20).tolist()
    [17, 2, 1]
    """
    least = np.minimum(counts, SMALLEST_SHARE)
    ideal = counts * (size / counts.sum())
    shares = np.maximum(np.floor(ideal).astype(np.int64), least)
    while shares.sum() < size:
        shares[np.argmax(np.where(shares < counts, ideal - shares, -np.inf))] += 1
    while shares.sum() > size:
        shares[np.argmax(np.where(shares > least, shares - ideal, -np.inf))] -= 1
    return shares
