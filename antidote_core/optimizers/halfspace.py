"""A linear cost over a box cut by one halfspace: solved by sorting."""

from __future__ import annotations

import numpy as np

from antidote_core.types import Floats


def lowest_in_cut_box(
    cost: Floats, normal: Floats, limit: float, lower: Floats, upper: Floats
) -> Floats | None:
    """The point x (d,) with lower <= x <= upper and normal·x <= limit of least cost·x.

    None when no point of the box lies in the halfspace. This is the fractional knapsack: from the
    best corner, go back in the coordinates that give up least cost per unit of normal·x.

    >>> x = lowest_in_cut_box(np.array([-2.0, -1.0]), np.ones(2), 1.5, np.zeros(2), np.ones(2))
    >>> x.tolist()
    [1.0, 0.5]
    """
    # Where the cost does not care, the side that helps the constraint.
    wants_upper = (cost < 0.0) | ((cost == 0.0) & (normal < 0.0))
    x = np.where(wants_upper, upper, lower)
    excess = float(normal @ x - limit)
    if excess <= 0.0:
        return x
    back = np.where(wants_upper, lower, upper)
    relief = normal * (x - back)
    useful = np.flatnonzero(relief > 0.0)
    price = cost[useful] * (back - x)[useful] / relief[useful]
    for i in useful[np.argsort(price, kind="stable")]:
        if relief[i] >= excess:
            x[i] += (back[i] - x[i]) * (excess / relief[i])
            return x
        x[i] = back[i]
        excess -= float(relief[i])
    return None
