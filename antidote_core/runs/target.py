"""When a target is met, and whether independent clusterings agree."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

KEPT = 0.9


@dataclass(frozen=True)
class Verification:
    """Plain clusterings of U ∪ V with fresh seeds.

    `costs` of each; `best_cost` that of the run with the best objective, which judges; `share` of
    the runs that meet the target and keep the guard; `antidote_only` clusters of the best run hold
    no point of U, `smallest_share` of U is in its smallest cluster, and `price` is the part by
    which its inertia on U is above that of plain clustering. `kept` says whether it keeps the
    guard. Logs of version 0.1 know nothing of the last three.
    """

    costs: tuple[float, ...]
    best_cost: float
    share: float
    confirmed: bool
    antidote_only: int
    restarts: int
    smallest_share: float = math.nan
    price: float = math.nan
    kept: bool = True

    @property
    def checks(self) -> int:
        """How many clusterings there were."""
        return len(self.costs)

    @property
    def agreeing(self) -> int:
        """How many of them meet the target."""
        return round(self.share * self.checks)

    @property
    def agreement(self) -> str:
        """How many of the clusterings agree, as "4 of 4"."""
        return f"{self.agreeing} of {self.checks}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values fit for JSON."""
        return {**asdict(self), "costs": list(self.costs)}


def meets(cost: float, target: float, strict: bool) -> bool:
    """Cost at most the target; strictly below it when `strict`, by more than rounding."""
    room = 1e-9 * max(1.0, abs(target))
    return cost < target - room if strict else cost <= target + room


def kept_gain(cost: float, vanilla: float) -> float:
    """The cost at which nine tenths of a gain over plain clustering are kept.

    >>> round(kept_gain(-0.9, -0.4), 9)
    -0.85
    """
    return cost + (1.0 - KEPT) * max(vanilla - cost, 0.0)
