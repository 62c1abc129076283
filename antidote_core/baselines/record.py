"""What every fair algorithm returns, so that tables and charts treat them alike.

Each result is scored twice, always under these two names: by its "own assignment" (the labels it
returns) and by "nearest centre" (only its centres are kept, as the paper's F does).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from antidote_core.fairness import balance_cost, balance_table, social_cost, social_table
from antidote_core.quality import Quality, quality
from antidote_core.types import Floats, Ints

OWN = "own assignment"
NEAREST = "nearest centre"


class BaselineWarning(UserWarning):
    """Something in the data makes a result doubtful; the same sentence stands in its notes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BaselineResult:
    """A fair clustering of n points: labels (n,), centers (k, d), scores, and how far to trust it.

    `cost` is what the algorithm itself minimises. Balance and social costs are lower when fairer,
    and NaN where they cannot be computed. `certificate` is the number that vouches for the result,
    named by `certificate_name`. `notes` are sentences for the reader.
    """

    name: str
    labels: Ints
    centers: Floats
    cost: float
    balance_own: float
    social_own: float
    balance_nearest: float
    social_nearest: float
    certificate_name: str
    certificate: float
    seconds: float
    notes: tuple[str, ...]
    points: Floats | None = field(repr=False)

    @cached_property
    def quality(self) -> Quality:
        """Quality scores of the own assignment, computed when first asked for."""
        if self.points is None:
            return Quality(math.nan, math.nan, math.nan, 0)
        return quality(self.points, self.labels)

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The four costs, by the name of the scoring and then of the cost."""
        return {
            OWN: {"balance": self.balance_own, "social": self.social_own},
            NEAREST: {"balance": self.balance_nearest, "social": self.social_nearest},
        }

    def summary(self) -> dict[str, Any]:
        """Everything but the arrays, as plain JSON values; what is not a number becomes None."""
        return {
            "name": self.name,
            "cost": self.cost,
            "scores": {
                scoring: {key: _finite(value) for key, value in costs.items()}
                for scoring, costs in self.scores.items()
            },
            "quality": {key: _finite(value) for key, value in asdict(self.quality).items()},
            "certificate": {"name": self.certificate_name, "value": _finite(self.certificate)},
            "seconds": self.seconds,
            "notes": list(self.notes),
        }


def four_scores(
    labels: Ints, centers: Floats, points: Floats, attributes: Sequence[Ints]
) -> dict[str, float]:
    """Both costs in both scorings, by field name; of several attributes the worst decides."""
    k = len(centers)
    return {
        "balance_own": max(
            balance_table(labels, codes, k, int(codes.max()) + 1).cost for codes in attributes
        ),
        "social_own": max(
            social_table(labels, centers, points, codes).cost for codes in attributes
        ),
        "balance_nearest": max(balance_cost(centers, points, codes) for codes in attributes),
        "social_nearest": max(social_cost(centers, points, codes) for codes in attributes),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
