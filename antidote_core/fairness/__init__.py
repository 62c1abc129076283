"""Fairness costs: pure functions of (centres, points, groups); lower is fairer."""

from __future__ import annotations

from functools import partial

from antidote_core.errors import SpecError
from antidote_core.fairness.balance import (
    BALANCE,
    BalanceTable,
    balance_cost,
    balance_from_counts,
    balance_table,
)
from antidote_core.fairness.bounded_representation import BOUNDED
from antidote_core.fairness.combined import by_name, combined
from antidote_core.fairness.cost import FairnessCost, assigned_squared, cluster_counts, group_means
from antidote_core.fairness.distances.individual import INDIVIDUAL
from antidote_core.fairness.distances.proportionality import PROPORTIONALITY
from antidote_core.fairness.distances.relative_social import RELATIVE_SOCIAL
from antidote_core.fairness.gap import GAP
from antidote_core.fairness.kl_error import KL_ERROR
from antidote_core.fairness.mean_balance import MEAN_BALANCE
from antidote_core.fairness.minimum_representation import MINIMUM_REPRESENTATION
from antidote_core.fairness.pairwise_balance import PAIRWISE_BALANCE
from antidote_core.fairness.social import (
    SOCIAL,
    SocialTable,
    social_cost,
    social_from_costs,
    social_table,
)
from antidote_core.fairness.social_ratio import SOCIAL_RATIO
from antidote_core.fairness.total_variation import TOTAL_VARIATION
from antidote_core.plugins import Register

FAIRNESS: Register[FairnessCost] = Register("fairness")


def register_fairness(entry: FairnessCost, replace: bool = False) -> FairnessCost:
    """Make a cost available under its name, in the library and on the screens.

    Other processes know it where a plugin registers it; see `plugins`. `replace` puts it in the
    place of one registered before.

    >>> import numpy as np
    >>> from antidote_core.geometry import nearest_center
    >>> def spread(centers, points, groups):
    ...     labels, squared = nearest_center(points, centers)
    ...     return float(np.std([squared[groups == j].mean() for j in set(groups)]))
    >>> entry = FairnessCost("spread", "Spread", "Spread of the group costs.", cost=spread)
    >>> _ = register_fairness(entry)
    >>> get_fairness("spread").of_centers(np.zeros((2, 1)), np.ones((4, 1)), np.array([0, 0, 1, 1]))
    0.0
    >>> del FAIRNESS["spread"]
    """
    if not isinstance(entry, FairnessCost):
        raise SpecError(
            "register_fairness takes a FairnessCost(name, title, sentence, cost=...); got "
            f"{entry!r}."
        )
    return FAIRNESS.add(as_fairness(entry), replace)


def combined_fairness(
    first: object,
    second: object,
    *,
    weights: tuple[float, float] | None = None,
    tolerance: float | None = None,
) -> FairnessCost:
    """Two notions as one cost: their weighted sum, or with a `tolerance` the first and then the
    second. Each is brought to 0, its ideal, to 1 first; see `fairness.combined`.

    `first` and `second` are what `fairness=` takes. A name does the same: "balance+gap",
    "0.7*balance+0.3*gap", "balance-then-gap", "balance-then-gap@0.1".

    >>> combined_fairness("balance", "social").name
    'balance+social'
    >>> get_fairness("balance-then-gap@0.1") == combined_fairness("balance", "gap", tolerance=0.1)
    True
    >>> del FAIRNESS["balance-then-gap@0.1"]
    """
    return combined(as_fairness(first), as_fairness(second), weights, tolerance)


def get_fairness(name: str) -> FairnessCost:
    """The cost of that name, or a sentence that lists the names."""
    return FAIRNESS.named(name)


def as_fairness(given: object) -> FairnessCost:
    """The cost that is meant: a name, an entry, or a function of (centres, points, groups).

    >>> def widest(centers, points, groups):
    ...     return float(centers.max())
    >>> as_fairness(widest).name, as_fairness("social").title
    ('widest', 'Social fairness')
    """
    if isinstance(given, FairnessCost):
        if (given.statistic is None) == (given.cost is None):
            raise SpecError(
                f"The fairness cost {given.name!r} must have either a statistic or a cost function."
            )
        return given
    if callable(given):
        name = getattr(given, "__name__", type(given).__name__).strip("<>")
        return FairnessCost(name, name, "A cost of your own; lower is fairer.", cost=given)
    return FAIRNESS.named(given)


for _entry in (
    BALANCE, SOCIAL, GAP, MEAN_BALANCE, PAIRWISE_BALANCE, BOUNDED, KL_ERROR, TOTAL_VARIATION,
    SOCIAL_RATIO, MINIMUM_REPRESENTATION, PROPORTIONALITY, INDIVIDUAL, RELATIVE_SOCIAL,
):  # fmt: skip
    register_fairness(_entry)
FAIRNESS.close()
FAIRNESS.made = partial(by_name, named=FAIRNESS.named)

__all__ = [
    "FAIRNESS",
    "BalanceTable",
    "FairnessCost",
    "SocialTable",
    "as_fairness",
    "assigned_squared",
    "balance_cost",
    "balance_from_counts",
    "balance_table",
    "cluster_counts",
    "combined_fairness",
    "get_fairness",
    "group_means",
    "register_fairness",
    "social_cost",
    "social_from_costs",
    "social_table",
]
