"""How few points could do it? A lower bound on |V| for a social target, by a relaxation.

With everybody's cluster kept, V acts by the shares p_c = m_c / (n_c + m_c) and the shifts u_c only,
however its points are scattered: their mean lies in the box too. Without the rivals, and whether V
stays in its cells, what remains is convex:

    minimise    sum_c m_c
    subject to  F(x + u) <= target,
                p_c (lower - x_c) <= u_c <= p_c (upper - x_c),
                (n_c + m_c) (1 - p_c) >= n_c.

The bound is the value of its dual, so the solver's rounding cannot raise it.
"""

from __future__ import annotations

import math

import numpy as np

from antidote_core.algorithms.design.cluster_sums import Cells
from antidote_core.algorithms.design.conic import ConeProgram
from antidote_core.algorithms.design.fair_constraints import SocialModel
from antidote_core.types import Floats

ROUNDING = 1e-6  # relative; a bound that close below a whole number does not count as above it


def fewest_points(
    cells: Cells, model: SocialModel, box: tuple[Floats, Floats], target: float
) -> int | None:
    """No V of fewer points, anywhere in the box, gives these cells the target; None: not known.

    0 where the cells meet the target as they are.
    """
    lower, upper = box
    k, d = cells.means.shape
    shares, points = k * d, k * d + k
    t = points + k
    program = ConeProgram(t + 1)
    unit = float(cells.sizes.sum())

    def shift(c: int) -> slice:
        return slice(c * d, (c + 1) * d)

    for c in range(k):
        inside = np.zeros((2 * d, program.variables))
        inside[:d, shift(c)], inside[:d, shares + c] = np.eye(d), cells.means[c] - upper
        inside[d:, shift(c)], inside[d:, shares + c] = -np.eye(d), lower - cells.means[c]
        program.at_most(inside, np.zeros(2 * d))
        # With n and m as parts of U: |(2 sqrt(n), (n + m) - (1 - p))| <= (n + m) + (1 - p).
        part = float(cells.sizes[c]) / unit
        cone = np.zeros((3, program.variables))
        cone[0, points + c], cone[0, shares + c] = 1.0, -1.0
        cone[2, points + c], cone[2, shares + c] = 1.0, 1.0
        offsets = [part + 1.0, 2.0 * math.sqrt(part), part - 1.0]
        program.norm_at_most(cone, offsets)
    limits = np.zeros((k + 1, program.variables))
    limits[:k, shares : shares + k] = -np.eye(k)
    limits[k, t] = 1.0
    program.at_most(limits, np.append(np.zeros(k), target / model.unit))
    model.constrain(program, cells, shift, t)
    cost = np.zeros(program.variables)
    cost[points : points + k] = 1.0
    answer = program.minimise(cost)
    if answer is None:
        return None
    return max(0, math.ceil(answer.bound * unit * (1.0 - ROUNDING) - ROUNDING))
