"""The guard: what a clustering of U must keep to be of use, however fair it is.

Balance can be bought by emptying a cluster, and any cost by centres that fit nobody. So a V counts
only if every cluster keeps a share of U (`min_share`), and if the price of fairness, the part by
which the inertia on U rises over plain clustering, stays small (`max_price`). Inertia is the sum of
the squared distances of all points of U to the centres of their clusters, for every clustering.
Where the points have weights, counts, shares and inertia are weighted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.checks import is_number
from antidote_core.errors import SpecError
from antidote_core.types import Floats

DEFAULT_PART = 0.1  # of an equal share
MAX_PRICE = 0.10
ROUNDING = 1e-9


@dataclass(frozen=True)
class Guard:
    """Every cluster holds at least `least` points of U, and the inertia on U is at most `most`.

    `n` points of U have the inertia `plain` in plain clustering.
    """

    least: float
    most: float
    n: float
    plain: float

    @classmethod
    def around(
        cls, counts: Floats, group_costs: Floats, min_share: float | None, max_price: float | None
    ) -> Guard:
        """The guard around plain clustering with counts (k, g) and average group costs (g,).

        `min_share=None` asks for a tenth of an equal share, or for plain clustering's own smallest
        share where that is less; `max_price=None` for nothing.

        >>> counts, costs = np.array([[60.0, 20.0], [10.0, 10.0]]), np.array([1.0, 2.0])
        >>> Guard.around(counts, costs, None, 0.1)
        Guard(least=5.0, most=143.0, n=100.0, plain=130.0)
        >>> Guard.around(counts, costs, 0, None).most
        inf
        """
        smallest, plain = sizes(counts, group_costs)
        n = float(counts.sum())
        if min_share is None:
            least = min(DEFAULT_PART / len(counts) * n, smallest)
        else:
            least = min_share * n
        most = np.inf if max_price is None else (1.0 + max_price) * plain
        return cls(least, most, n, plain)

    def violation(self, counts: Floats, group_costs: Floats) -> float:
        """How far a clustering of U is from keeping the guard, as a part; 0 when it keeps it."""
        return float(violation(counts, group_costs, self.least, self.most))

    def keeps(self, counts: Floats, group_costs: Floats) -> bool:
        """Whether a clustering of U with these counts and group costs keeps the guard."""
        return self.violation(counts, group_costs) == 0.0

    def smallest_share(self, counts: Floats) -> float:
        """The smallest cluster's share of U."""
        return float(counts.sum(axis=1).min() / self.n)

    def price(self, counts: Floats, group_costs: Floats) -> float:
        """The price of fairness: by which part the inertia on U is above that of plain clustering.

        Where plain clustering has no inertia at all, any is beyond price.
        """
        inertia = sizes(counts, group_costs)[1]
        if self.plain > 0.0:
            return round(inertia / self.plain - 1.0, 12) + 0.0  # rounding is no price
        return 0.0 if inertia == 0.0 else np.inf


def sizes(counts: Floats, group_costs: Floats) -> tuple[float, float]:
    """Points of U in the smallest cluster, and the inertia on U."""
    return float(counts.sum(axis=1).min()), float(counts.sum(axis=0) @ group_costs)


def violation(counts: Floats, group_costs: Floats, least: float, most: float) -> float:
    """`Guard.violation` in scalar loops that numba can compile.

    The part of the points that the smallest cluster lacks, plus the part by which the inertia is
    too large: both fall steadily on the way back to a clustering of use.
    """
    k, g = counts.shape
    smallest = np.inf
    inertia = 0.0
    for c in range(k):
        size = 0.0
        for j in range(g):
            size += counts[c, j]
            inertia += counts[c, j] * group_costs[j]
        smallest = min(smallest, size)
    beyond = 0.0
    if smallest < least * (1.0 - ROUNDING):
        beyond += (least - smallest) / least
    if inertia > most * (1.0 + ROUNDING):
        beyond += inertia / most - 1.0 if most > 0.0 else inertia
    return beyond


def check_guard(min_share: object, max_price: object, k: int) -> None:
    """Refuse limits that are no shares, or that no clustering can keep."""
    if min_share is not None and not (is_number(min_share) and 0 <= min_share <= 1 / k):  # type: ignore[operator]
        raise SpecError(
            f"min_share must be a share of the data from 0 (no guard) to 1/k = {1 / k:.3g}, which "
            f"is all that {k} clusters can have each, or None for a tenth of that; "
            f"got {min_share!r}."
        )
    if max_price is not None and not (is_number(max_price) and max_price >= 0):  # type: ignore[operator]
        raise SpecError(
            "max_price must be the part by which the inertia may rise, 0 or more (0.1 for 10 %), "
            f"or None for no limit; got {max_price!r}."
        )
