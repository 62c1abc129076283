"""What a driver and the holders of the parts of U say to each other: never a row, only sums."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from antidote_core.types import Floats, Ints

LIST_SHARE = 8  # an anchor's lists of one kind together hold one entry per this many points
MAX_ANCHORS = 8  # that a part remembers


class Steps(NamedTuple):
    """A question about b sets of centres (b, k, d), one Lloyd step each.

    `places` are sets of centres worth remembering; `anchor` and `reference` (b,) say which of them
    is near, -1 for none. A step that finds more than `most_held` (b,) points at its last centre may
    stop looking: its answer then says no more than that.
    """

    centers: Floats
    places: tuple[Floats, ...]
    anchor: np.ndarray
    reference: np.ndarray
    most_held: Floats


class Sums(NamedTuple):
    """The answer: sums (b, k, g, d) and counts (b, k, g) of U, and the points looked at (b,)."""

    sums: Floats
    counts: Floats
    looks: Ints


class PartWorkers(Protocol):
    """Whoever holds the parts of U: n points with d features in g groups.

    `call_all` calls one method of `PartWorker` on every worker and returns the answers in the order
    of the parts.
    """

    n: int
    d: int
    g: int

    def call_all(self, method: str, *arguments: Any) -> list[Any]:
        """The answers of all part_workers to one question."""
