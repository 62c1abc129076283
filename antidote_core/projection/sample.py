"""Which points are drawn when a map cannot hold them all."""

from __future__ import annotations

import numpy as np

from antidote_core.types import Ints

MAP_LIMIT = 10_000  # beyond this, dragging a map in the browser stutters


def map_rows(n: int, seed: int = 0, limit: int | None = MAP_LIMIT) -> Ints:
    """Rows to draw of n, in order: all of them up to `limit` (None: always), else a seeded sample.

    >>> len(map_rows(50)), map_rows(50, seed=1, limit=3).tolist() == map_rows(50, 1, 3).tolist()
    (50, True)
    """
    if limit is None or n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, limit, replace=False))
