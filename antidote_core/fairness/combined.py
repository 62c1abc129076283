"""Two notions in one cost: a weighted sum of both, or one first and the other where that ties.

Notions have scales of their own, so each is brought to 0 (could not be fairer) to 1 first: linearly
where its worst value is known, by x / (1 + x) of what it is above its ideal where it has no end.
Both keep the order of clusterings.

By name: "balance+gap" with equal weights, "0.7*balance+0.3*gap", "balance-then-gap" with a
tolerance of 0.05, "balance-then-gap@0.1".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.checks import is_number
from antidote_core.errors import SpecError
from antidote_core.fairness.cost import FairnessCost
from antidote_core.types import Floats, Ints

TOLERANCE = 0.05
_STEP = 1e-9  # of a step of the tolerance: less is rounding
_NUMBER = r"(\d*\.?\d+(?:e-?\d+)?)"
_SUM = re.compile(rf"(?:{_NUMBER}\*)?([^+*@]+)\+(?:{_NUMBER}\*)?([^+*@]+)")
_THEN = re.compile(rf"([^+*@]+)-then-([^+*@]+?)(?:@{_NUMBER})?")


def normalised(cost: FairnessCost, value: float) -> float:
    """A value of that cost from 0, its ideal, to 1.

    >>> from antidote_core.fairness import get_fairness
    >>> normalised(get_fairness("balance"), -0.8), normalised(get_fairness("gap"), 3.0)
    (0.19999999999999996, 0.75)
    """
    ideal = (-1.0 if cost.worst == 0.0 else 0.0) if cost.perfect is None else cost.perfect
    above, span = max(value - ideal, 0.0), cost.worst - ideal
    return above / span if math.isfinite(span) else above / (1.0 + above)


@dataclass(frozen=True)
class _Both:
    """The combination of what two costs give for the same arguments."""

    costs: tuple[FairnessCost, FairnessCost]
    weights: tuple[float, float] | None
    tolerance: float

    def _combine(self, first: float, second: float) -> float:
        first, second = normalised(self.costs[0], first), normalised(self.costs[1], second)
        if self.weights is not None:
            return self.weights[0] * first + self.weights[1] * second
        steps = math.floor(first / self.tolerance + _STEP)
        return self.tolerance * (steps + min(second, 1.0 - _STEP))


@dataclass(frozen=True)
class _OfTables(_Both):
    def __call__(self, counts: Floats, group_costs: Floats) -> float:
        one, two = (c.statistic(counts, group_costs) for c in self.costs if c.statistic)
        return self._combine(float(one), float(two))


@dataclass(frozen=True)
class _OfCenters(_Both):
    def __call__(self, centers: Floats, points: Floats, groups: Ints) -> float:
        one, two = (c.of_centers(centers, points, groups) for c in self.costs)
        return self._combine(one, two)


def combined(
    first: FairnessCost,
    second: FairnessCost,
    weights: tuple[float, float] | None = None,
    tolerance: float | None = None,
) -> FairnessCost:
    """The weighted sum of two costs; with a `tolerance`, the first one before the second.

    `weights` are positive and count by their proportion, equal where they are left out. With a
    tolerance t, clusterings whose first cost lies in the same step of t, from 0 to 1, are ordered
    by the second. Weights of people, and labels that are not the nearest centre's, are taken where
    both costs take them.

    >>> from antidote_core.fairness import get_fairness
    >>> combined(get_fairness("balance"), get_fairness("gap"), weights=(3, 1)).name
    '0.75*balance+0.25*gap'
    """
    if first.name == second.name:
        raise SpecError(f"fairness must combine two different notions; got {first.name!r} twice.")
    if weights is not None and tolerance is not None:
        raise SpecError("fairness takes weights or a tolerance, not both; leave one out.")
    names, titles = (first.name, second.name), (first.title, second.title.lower())
    if tolerance is None:
        given = (1.0, 1.0) if weights is None else weights
        if len(given) != 2 or not all(is_number(w) and w > 0 for w in given):
            raise SpecError(f"weights must be two positive numbers; got {weights!r}.")
        parts = tuple(float(f"{w / sum(given):g}") for w in given)
        shares: tuple[float, float] | None = (parts[0], parts[1])
        equal = parts[0] == parts[1]
        name = "+".join(
            names if equal else (f"{w:g}*{n}" for w, n in zip(parts, names, strict=True))
        )
        title = f"{titles[0]} and {titles[1]}"
        how = (
            f"their weighted sum ({parts[0]:.0%} and {parts[1]:.0%}), each from 0, its ideal, to 1"
        )
    else:
        if not is_number(tolerance) or not 0.0 < tolerance < 1.0:
            raise SpecError(f"tolerance must be a number between 0 and 1; got {tolerance!r}.")
        tolerance, shares = float(f"{tolerance:g}"), None
        name = f"{names[0]}-then-{names[1]}"
        name += "" if tolerance == TOLERANCE else f"@{tolerance:g}"
        title = f"{titles[0]}, then {titles[1]}"
        how = (
            f"the first in steps of {tolerance:g} of its way from its ideal, 0, to 1, and among "
            "equals the second"
        )
    both = ((first, second), shares, tolerance or TOLERANCE)
    of_tables = first.statistic is not None and second.statistic is not None
    return FairnessCost(
        name,
        title,
        f"Two notions at once: {first.sentence} {second.sentence}",
        statistic=_OfTables(*both) if of_tables else None,
        cost=None if of_tables else _OfCenters(*both),
        perfect=0.0,
        lowest=_nothing,
        meaning=f"{title}: {how}. {first.meaning} {second.meaning}".strip(),
        best="0: both are ideal, which they may not be at once.",
        by_mix=first.by_mix and second.by_mix,
        usual_target=0.1,
    )


def _nothing(points: Floats, groups: Ints, k: int, sample_weight: Floats | None = None) -> float:
    return 0.0


def by_name(name: str, named: Callable[[str], FairnessCost]) -> FairnessCost | None:
    """The combination that a name asks for, or None where it asks for none."""
    compact = name.replace(" ", "")
    if found := _SUM.fullmatch(compact):
        left, first, right, second = found.groups()
        if (left is None) != (right is None):
            raise SpecError(
                f"fairness {name!r} has a weight for one notion only; give both or none, as in "
                "'0.7*balance+0.3*gap'."
            )
        weights = None if left is None else (float(left), float(right))
        return combined(named(first), named(second), weights)
    if found := _THEN.fullmatch(compact):
        first, second, tolerance = found.groups()
        return combined(
            named(first), named(second), tolerance=float(tolerance) if tolerance else TOLERANCE
        )
    return None
