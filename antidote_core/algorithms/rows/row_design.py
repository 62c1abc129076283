"""What a design of rows comes to: the copies, how they hold, and why each row is among them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from antidote_core.algorithms.design.contest import RowContest
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints, jsonable


@dataclass(frozen=True, eq=False)
class Reasons:
    """Why rows were copied; one entry per copied row, in the order of `rows`.

    `rival_of_row`: index into `rivals` of the clustering that the copies help to defeat most, or -1
    where they only move a centre; `cluster_of_row`: the cluster whose centre they move. `rivals`
    are (centres (k, d), cost on U) pairs.
    """

    rows: Ints
    rival_of_row: Ints
    cluster_of_row: Ints
    rivals: tuple[tuple[Floats, float], ...] = ()


def no_reasons() -> Reasons:
    """Nothing was copied."""
    none = np.empty(0, dtype=np.int64)
    return Reasons(none, none, none)


@dataclass(frozen=True, eq=False)
class RowDesign:
    """V as copies of rows of U.

    `copies` (n,), whole or (on request) fractional. `centers` (k, d) are those that V leads to from
    the centres aimed at, which `start` names, and `cost` is what U pays there; where V does not
    win, both are those of C(U ∪ V) as it is. `agrees`: the fixed starts of C(U ∪ V) come to that
    cost too. `lead` of the strongest rival over the aim in inertia on U ∪ V (negative: the aim
    wins); `lead_before` that of plain clustering without V, where V does not win.

    `share` of `checks` independent clusterings with fresh seeds meet the target, or come to the
    cost without one; `best_cost` is that of the best of them, NaN before they ran. It `holds` when
    all agree, or, where that cannot be had, the best of them and seven of eight; it has `reached`
    the target when that is what they come to. `chance`: that k-means with ten starts comes to the
    clustering, estimated from single starts. `bound` is a proven lower bound on the copies for the
    last aim and the rivals known then, None where there is none.
    """

    copies: Ints | Floats
    cost: float
    start: str
    centers: Floats
    agrees: bool = True
    lead: float = -math.inf
    lead_before: float = math.nan
    holds: bool = False
    reached: bool = False
    share: float = math.nan
    checks: int = 0
    best_cost: float = math.nan
    chance: float = math.nan
    bound: float | None = None
    notes: tuple[str, ...] = ()
    reasons: Reasons = field(default_factory=no_reasons)

    @property
    def size(self) -> int:
        """|V|; of fractional copies the next whole number."""
        return math.ceil(float(self.copies.sum()) - 1e-9)

    @property
    def people(self) -> int:
        """Number of distinct rows that are copied."""
        return int((self.copies > 0).sum())

    @property
    def weights(self) -> Floats:
        """Sample weights (n,) that stand for U ∪ V where rows of U weigh 1: 1 + copies."""
        return 1.0 + self.copies.astype(np.float64)

    def antidote(self, points: Floats) -> Floats:
        """V (m, d): the rows of points (n, d), each as often as it is copied."""
        return copied(points, self.copies)

    def why(self, row: int) -> dict[str, Any] | None:
        """What the copies of this row do, as plain values; None for a row that is not copied."""
        places = np.flatnonzero(self.reasons.rows == row)
        if not len(places):
            return None
        rival = int(self.reasons.rival_of_row[places[0]])
        return {
            "row": int(row),
            "copies": float(self.copies[row]),
            "cluster": int(self.reasons.cluster_of_row[places[0]]),
            "rival": None if rival < 0 else rival,
            "rival_cost": None if rival < 0 else jsonable(self.reasons.rivals[rival][1]),
        }

    def summary(self) -> dict[str, Any]:
        """Everything but the copies, fit for JSON."""
        names = (
            "cost", "start", "agrees", "lead", "lead_before", "holds", "reached", "share", "checks",
            "best_cost", "chance", "bound",
        )  # fmt: skip
        kept = {name: getattr(self, name) for name in names}
        plain: dict[str, Any] = jsonable(
            {**kept, "size": self.size, "people": self.people, "notes": list(self.notes)}
        )
        return plain


def copied(points: Floats, copies: Ints | Floats) -> Floats:
    """The rows of points (n, d), each as often as it is copied.

    >>> copied(np.array([[0.0], [7.0]]), np.array([0, 2])).tolist()
    [[7.0], [7.0]]
    """
    rows = np.flatnonzero(copies)
    return points[np.repeat(rows, np.ceil(copies[rows]).astype(np.int64))]


MOST_TRIES = 3000
LARGEST = 3
OFFERED = 8


def fewest_copies(
    contest: RowContest, rows: Ints, max_copies: int, target: float
) -> list[RowDesign]:
    """Designs of the smallest size that meets the target by C(U ∪ V), the fairest first.

    Empty where none does, or there are too many to try.
    """
    points = contest.problem.points
    tries = 0
    found: list[tuple[float, int, RowDesign]] = []
    for size in range(1, LARGEST + 1):
        tries += math.comb(len(rows) + size - 1, size)
        if tries > MOST_TRIES:
            break
        for chosen in combinations_with_replacement(rows.tolist(), size):
            copies = np.bincount(chosen, minlength=len(points))
            if copies.max() > max_copies:
                continue
            cost = contest.cost_of(points[list(chosen)])
            if cost <= target:
                found.append((cost, len(found), _design(contest, copies, cost)))
    found.sort(key=lambda entry: (entry[2].size, entry[:2]))
    return [design for _, _, design in found[:OFFERED]]


def _design(contest: RowContest, copies: Ints, cost: float) -> RowDesign:
    rows = np.flatnonzero(copies)
    points = contest.problem.points
    centers = contest.evaluator.statistics(points[np.repeat(rows, copies[rows])])[0]
    labels, _ = nearest_center(points[rows], centers)
    reasons = Reasons(rows, np.full(len(rows), -1), labels)
    return RowDesign(copies, cost, "every V of a few copies", centers, reasons=reasons)
