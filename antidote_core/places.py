"""Where antidote points may lie: on the rows of U themselves, or anywhere in a box."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antidote_core.checks import is_number
from antidote_core.errors import SpecError
from antidote_core.geometry import quantile
from antidote_core.types import Floats, Ints

ROWS = "rows"
BOXES = {
    "plausible": "percentiles 1 to 99 of every feature",
    "minmax": "smallest to largest value of every feature",
    "wide": "ten times the range of every feature: antidote points no real point resembles",
}
PLACES = {ROWS: "copies of rows that are there: no value is made up", **BOXES}
EQUAL = "equal"  # in the place of groups: every group gives its share
EQUAL_SHARES = (EQUAL,)
TREE_DIMENSIONS = 15  # with more, looking at every row is quicker
NEIGHBOURS = 8  # rows looked up beyond those that a clump needs

Mask = NDArray[np.bool_]


class Place:
    """A box: antidote points lie anywhere between `lower` and `upper` (d,)."""

    def __init__(self, name: str, lower: Floats, upper: Floats) -> None:
        self.name = name
        self.lower, self.upper = lower, upper

    def snap(self, antidote: Floats) -> Floats:
        """V (m, d) moved to where it may lie; inside the box it stays as it is."""
        return antidote

    def rows_of(self, antidote: Floats) -> Ints | None:
        """Which rows of U the points of V are, (m,); None where they are made up."""
        return None


class Rows(Place):
    """The rows of U that may be copied, each at most `max_copies` times.

    >>> place = Rows(np.array([[0.0], [1.0], [1.0], [5.0]]), np.ones(4, dtype=bool), max_copies=1)
    >>> place.snap(np.array([[0.9], [0.9], [0.9]])).ravel().tolist()
    [1.0, 1.0, 0.0]
    >>> place.rows_of(np.array([[1.0], [1.0], [0.0]])).tolist()
    [1, 2, 0]
    """

    def __init__(self, points: Floats, allowed: Mask, max_copies: int) -> None:
        self.allowed = allowed
        self.max_copies = max_copies
        rows = np.flatnonzero(allowed)
        chosen = points[rows]
        super().__init__(ROWS, chosen.min(axis=0), chosen.max(axis=0))
        # Equal rows are one place with room for the copies of all of them.
        self.atoms, where = np.unique(chosen, axis=0, return_inverse=True)
        order = np.argsort(where.ravel(), kind="stable")
        self._rows = rows[order]
        self._begins = np.searchsorted(where.ravel()[order], np.arange(len(self.atoms) + 1))
        self.room = max_copies * np.diff(self._begins)

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import cKDTree

        return cKDTree(self.atoms)

    def _nearest(self, places: Floats, count: int) -> Ints:
        """The `count` atoms nearest to each place, (m, count), nearest first."""
        if places.shape[1] <= TREE_DIMENSIONS:
            found = self._tree.query(places, count)[1]
            return np.asarray(found).reshape(len(places), count)
        squares = np.einsum("ij,ij->i", self.atoms, self.atoms)
        apart = squares - 2.0 * places @ self.atoms.T
        if count == 1:
            return np.asarray(apart.argmin(axis=1)[:, None])
        return np.asarray(apart.argsort(axis=1, kind="stable")[:, :count])

    @property
    def most(self) -> int:
        """The largest V there can be."""
        return int(self.room.sum())

    def snap(self, antidote: Floats) -> Floats:
        """Every point of V as a copy of the nearest row that has room for it."""
        if len(antidote) > self.most:
            raise SpecError(
                f"{len(antidote):,} copies do not fit: {len(self._rows):,} rows may be copied, at "
                f"most {self.max_copies} times each; allow more copies or wider percentiles."
            )
        nearest = self._nearest(antidote, 1)[:, 0]
        used, counts = np.unique(nearest, return_counts=True)
        if (counts <= self.room[used]).all():
            return np.asarray(self.atoms[nearest])
        places, counts = np.unique(antidote, axis=0, return_counts=True)
        taken: dict[int, int] = {}
        found: list[int] = []
        for place, count in zip(places, counts.tolist(), strict=True):
            near = math.ceil(count / self.max_copies) + NEIGHBOURS
            while count:
                near = min(near, len(self.atoms))
                for i in self._nearest(place[None], near)[0].tolist():
                    free = min(count, int(self.room[i]) - taken.get(i, 0))
                    if free > 0:
                        taken[i] = taken.get(i, 0) + free
                        found += [i] * free
                        count -= free
                near *= 2
        return np.asarray(self.atoms[found])

    def rows_of(self, antidote: Floats) -> Ints:
        """The rows (m,) that the points of V are copies of; equal rows take turns."""
        where = self._nearest(antidote, 1)[:, 0]
        if not np.array_equal(self.atoms[where], antidote):
            raise SpecError("Some antidote points are no copies of rows that may be copied.")
        rows = np.empty(len(antidote), dtype=np.int64)
        for i in np.unique(where):
            members = np.flatnonzero(where == i)
            equal = self._rows[self._begins[i] : self._begins[i + 1]]
            rows[members] = np.repeat(equal, self.max_copies)[: len(members)]
        return rows


class MixedRows(Rows):
    """Rows of which every group gives its share of V, give or take a copy: V is mixed like U.

    `groups` (n,) of all rows, and the `shares` (g,) of the groups in U.

    >>> points, groups = np.array([[0.0], [1.0], [5.0], [6.0]]), np.array([0, 0, 1, 1])
    >>> place = MixedRows(points, np.ones(4, dtype=bool), 5, groups, np.array([0.5, 0.5]))
    >>> place.snap(np.zeros((4, 1))).ravel().tolist()
    [0.0, 0.0, 5.0, 5.0]
    """

    def __init__(
        self, points: Floats, allowed: Mask, max_copies: int, groups: Ints, shares: Floats
    ) -> None:
        super().__init__(points, allowed, max_copies)
        self.shares = shares
        self._parts = {
            int(j): Rows(points, allowed & (groups == j), max_copies)
            for j in np.flatnonzero(shares > 0)
        }
        self._groups_at: dict[bytes, list[int]] = {}  # which groups have a row there
        for j, part in self._parts.items():
            for atom in part.atoms:
                self._groups_at.setdefault(atom.tobytes(), []).append(j)

    @property
    def most(self) -> int:
        """The largest V there can be."""
        rooms = {j: int(part.room.sum()) for j, part in self._parts.items()}
        most = int(min((room + 1) / self.shares[j] for j, room in rooms.items()))
        while any(self._quotas(most)[j] > room for j, room in rooms.items()):
            most -= 1
        return most

    def _quotas(self, size: int) -> Ints:
        """Copies (g,) that each group gives to a V of this size, largest remainders first."""
        exact = size * self.shares
        quotas = np.floor(exact + 1e-9).astype(np.int64)
        missing = size - int(quotas.sum())
        quotas[np.argsort(quotas - exact, kind="stable")[:missing]] += 1
        return quotas

    def _blocks(self, size: int) -> Ints:
        """The group (m,) of every point of a V that was snapped: group by group."""
        return np.repeat(np.arange(len(self.shares)), self._quotas(size))

    def _givers(self, antidote: Floats) -> Ints:
        """The group (m,) that gives each point: its own for copies, the others in turn."""
        known = [self._groups_at.get(point.tobytes(), ()) for point in antidote]
        blocks = self._blocks(len(antidote))
        if all(j in groups for j, groups in zip(blocks.tolist(), known, strict=True)):
            return blocks
        left, givers = self._quotas(len(antidote)), np.full(len(antidote), -1)
        for i in sorted(range(len(known)), key=lambda i: len(known[i])):
            giver = next((j for j in known[i] if left[j] > 0), -1)
            if giver >= 0:
                givers[i] = giver
                left[giver] -= 1
        # In turn: the c-th of the q copies of a group comes at (c + 1/2) / q of the way.
        turns = [((c + 0.5) / q, j) for j, q in enumerate(left.tolist()) for c in range(q)]
        givers[givers < 0] = [j for _, j in sorted(turns)]
        return givers

    def snap(self, antidote: Floats) -> Floats:
        """V as copies of the nearest rows that have room, group by group.

        What is mixed already, in that order, stays as it is.
        """
        if len(antidote) > self.most:
            raise SpecError(
                f"{len(antidote):,} copies do not fit: with every group giving its share, at most "
                f"{self.most:,} may be made; allow more copies or wider percentiles."
            )
        givers = self._givers(antidote)
        found = [part.snap(antidote[givers == j]) for j, part in self._parts.items()]
        return np.vstack(found)

    def rows_of(self, antidote: Floats) -> Ints:
        """The rows (m,) that the points of V, as `snap` gives them, are copies of."""
        blocks, rows = self._blocks(len(antidote)), np.empty(len(antidote), dtype=np.int64)
        for j, part in self._parts.items():
            rows[blocks == j] = part.rows_of(antidote[blocks == j])
        return rows


def allowed_rows(
    points: Floats, percentiles: tuple[float, float] = (1, 99), weights: Floats | None = None
) -> Mask:
    """The rows (n,) of points (n, d) whose every feature lies within these percentiles.

    Where rows have weights, the percentiles are those of people.

    >>> allowed_rows(np.array([[0.0], [1.0], [2.0], [50.0]]), (0, 75)).tolist()
    [True, True, True, False]
    """
    low, high = check_percentiles(percentiles)
    lower, upper = _percentiles(points, low, high, weights)
    allowed = ((points >= lower) & (points <= upper)).all(axis=1)
    if not allowed.any():
        raise SpecError(
            f"No row has every feature within percentiles {low:g} to {high:g}; "
            "widen the percentiles or use fewer features."
        )
    return np.asarray(allowed)


def _percentiles(
    points: Floats, low: float, high: float, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Two percentiles (d,) of every feature."""
    if weights is None:
        lower, upper = np.percentile(points, [low, high], axis=0)
        return lower, upper
    lower, upper = (
        np.array([quantile(column, part / 100.0, weights) for column in points.T])
        for part in (low, high)
    )
    return lower, upper


def check_percentiles(percentiles: object) -> tuple[float, float]:
    """The two percentiles, or a sentence about them."""
    if (
        not isinstance(percentiles, tuple | list)
        or len(percentiles) != 2
        or not all(is_number(value) for value in percentiles)
        or not 0 <= percentiles[0] < percentiles[1] <= 100
    ):
        raise SpecError(
            "percentiles must be two numbers from 0 to 100, the smaller one first; "
            f"got {percentiles!r}."
        )
    return float(percentiles[0]), float(percentiles[1])


def check_allowed(allowed: object, n: int) -> Mask:
    """The mask as an array (n,), or a sentence about it."""
    mask = np.asarray(allowed)
    if mask.shape != (n,) or mask.dtype != np.bool_:
        raise SpecError(
            f"allowed must hold true or false for each of the {n} rows; "
            f"got shape {mask.shape} of {mask.dtype}."
        )
    if not mask.any():
        raise SpecError("allowed names no row that may be copied; allow some rows.")
    return mask


def box(name: str, points: Floats, weights: Floats | None = None) -> Place:
    """The box of that name around points (n, d)."""
    if name not in BOXES:
        known = ", ".join(repr(key) for key in PLACES)
        raise SpecError(f"place must be one of {known}; got {name!r}.")
    if name == "plausible":
        return Place(name, *_percentiles(points, 1, 99, weights))
    return ranged(name, points.min(axis=0), points.max(axis=0))


def ranged(name: str, lower: Floats, upper: Floats) -> Place:
    """The box "minmax" or "wide" of data between these corners (d,)."""
    if name == "wide":
        middle, half = (lower + upper) / 2, (upper - lower) / 2
        lower, upper = middle - 10 * half, middle + 10 * half
    return Place(name, lower, upper)
