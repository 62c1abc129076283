"""Where should V lie? One convex program per pass.

Let cluster c hold n_c points of U with mean x_c, and let m_c antidote points sit at b_c. With
N_c = n_c + m_c (from the last pass) the unknowns are the share p_c = m_c / N_c and the shift
u_c = p_c (b_c - x_c), so that k-means puts the centre at M_c = x_c + u_c. Then

- the inertia of the target on U ∪ V is I(U; x) + sum_c N_c (|u_c|^2 / p_c - |u_c|^2);
- rival centres C pay I(U; C) + sum_c N_c (|u_c|^2 / p_c + q_c), where
  q_c = min_e 2 (x_c - C_e) · u_c + p_c |x_c - C_e|^2.

The terms |u_c|^2 / p_c cancel, so "the target beats C" is linear in (u, p) but for the concave
-N_c |u_c|^2, whose tangent errs on the safe side. A rival of k - 1 centres that gives its last
centre to the antidote points of cluster c pays nothing for them: there the term stays, as a cone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.conic import ConeProgram
from antidote_core.algorithms.design.fair_constraints import Cells, FairnessModel
from antidote_core.types import Floats, Ints

CELL_ROOM = 0.02  # antidote points keep this far (relative) from the border of their cell
SLACK_PRICE = 1000.0
SLACK_UNIT = 0.01  # of the inertia: a rival ahead by 1% costs as much as t = 1000
SIZE_PRICE = 1e-6  # among equals, fewer points
BINDS = 1e-4
PRICE_ROOM = 1e-6  # where the labels of the pass alone cost more than allowed


@dataclass(frozen=True, eq=False)
class Cut:
    """Rival centres and their inertia on U.

    `captured` is None for k centres; else there are k - 1, and the last one follows the antidote
    points of that cluster. `margin` is what the target must win by, relative to the inertia.
    """

    centers: Floats
    inertia: float
    captured: int | None = None
    margin: float = 0.0


@dataclass(frozen=True, eq=False)
class Placement:
    """Antidote points `counts` (k,) at `atoms` (k, d), the centres (k, d) they should lead to.

    `t` is what the fairness model promises, `slack` by how much (relative to the inertia) the best
    rival could not be beaten; `binding` names the constraints that hold the cost up.
    """

    atoms: Floats
    counts: Ints
    centers: Floats
    t: float
    slack: float
    binding: tuple[str, ...]

    @property
    def antidote(self) -> Floats:
        """V (m, d)."""
        return np.repeat(self.atoms, self.counts, axis=0)


def place(
    cells: Cells,
    cuts: Sequence[Cut],
    model: FairnessModel,
    box: tuple[Floats, Floats],
    size: int,
    present: Ints,
    most: float = math.inf,
    radius: float = math.inf,
    floor: Floats | None = None,
) -> Placement | None:
    """The fairest placement of at most `size` points that beats every cut; None on solver failure.

    `present` (k,) are the antidote counts of the last pass, `most` limits the inertia on U (at the
    labels of the pass), `radius` how far a centre moves, and `floor` (k,) asks for at least so many
    points in each cluster.
    """
    lower, upper = box
    k, d = cells.means.shape
    means, centers = cells.means, cells.centers
    totals = cells.sizes + present
    shares, share_cone_at = k * d, k * d + k
    rival_gain_at = share_cone_at + k
    t = rival_gain_at + k * len(cuts)
    slack = t + 1
    program = ConeProgram(slack + 1)

    def shift(c: int) -> slice:
        return slice(c * d, (c + 1) * d)

    def rows(count: int) -> Floats:
        return np.zeros((count, program.variables))

    boxed = []
    for c in range(k):
        inside = rows(2 * d)
        inside[:d, shift(c)], inside[:d, shares + c] = np.eye(d), means[c] - upper
        inside[d:, shift(c)], inside[d:, shares + c] = -np.eye(d), lower - means[c]
        boxed.append(program.at_most(inside, np.zeros(2 * d)))
        own_cell = rows(k - 1)
        for row, e in zip(own_cell, (e for e in range(k) if e != c), strict=True):
            across = centers[e] - centers[c]
            room = CELL_ROOM * (across @ across)
            reach = centers[e] @ centers[e] - centers[c] @ centers[c] - room
            row[shift(c)] = 2.0 * across
            row[shares + c] = 2.0 * across @ means[c] - reach
            row /= np.abs(row).max()
        boxed.append(program.at_most(own_cell, np.zeros(k - 1)))
        # bow_c >= |u_c|^2 / p_c, as |(2 u, p - bow)| <= p + bow
        cone = rows(d + 2)
        cone[0, shares + c] = cone[0, share_cone_at + c] = 1.0
        cone[1 : d + 1, shift(c)] = 2.0 * np.eye(d)
        cone[d + 1, shares + c], cone[d + 1, share_cone_at + c] = 1.0, -1.0
        program.norm_at_most(cone, np.zeros(d + 2))

    contests = [
        _beat(program, cells, totals, cut, shares, share_cone_at, rival_gain_at + k * i, slack)
        for i, cut in enumerate(cuts)
    ]

    least = rows(k + 1)
    least[:k, shares : shares + k] = -np.diag(totals) / size
    least[k, slack] = -1.0
    wanted = np.zeros(k) if floor is None else np.asarray(floor, dtype=np.float64)
    program.at_most(least, np.append(-wanted / size, 0.0))
    total = rows(1)
    total[0, shares : shares + k] = totals / size
    sized = program.at_most(total, 1.0)

    model.constrain(program, cells, shift, t)
    if most < math.inf:  # I(U; M) = I(U; x) + sum_c n_c |u_c|^2
        room = max(most - cells.inertia, PRICE_ROOM * most)
        dear = rows(k * d + 1)
        dear[0, slack] = 1.0
        for c in range(k):
            dear[1 + c * d : 1 + (c + 1) * d, shift(c)] = math.sqrt(cells.sizes[c] / room) * np.eye(
                d
            )
        program.norm_at_most(dear, np.append(1.0, np.zeros(k * d)))
    if radius < math.inf:
        for c in range(k):
            ball = rows(d + 1)
            ball[1:, shift(c)] = np.eye(d) / radius
            ball[0, slack] = 1.0
            program.norm_at_most(ball, np.append(1.0, -cells.shifts[c] / radius))

    cost = np.zeros(program.variables)
    cost[t], cost[slack] = 1.0, SLACK_PRICE
    cost[shares : shares + k] = SIZE_PRICE * totals / size
    answer = program.minimise(cost)
    if answer is None:
        return None

    moved = answer.x[: k * d].reshape(k, d)
    share = np.maximum(answer.x[shares : shares + k], 0.0)
    counts = _rounded(share * totals, size)
    atoms = np.clip(means + moved / np.maximum(share, 1e-12)[:, None], lower, upper)
    prices = {
        "box": sum(float(np.abs(answer.duals[part]).max(initial=0.0)) for part in boxed),
        "size": float(answer.duals[sized].max()),
    }
    for cut, part in zip(cuts, contests, strict=True):
        name = "competitor" if cut.captured is None else "capture"
        prices[name] = max(prices.get(name, 0.0), float(answer.duals[part].max()))
    binding = tuple(sorted((n for n in prices if prices[n] > BINDS), key=lambda n: -prices[n]))
    return Placement(
        atoms,
        counts,
        means + moved,
        float(answer.x[t]),
        max(float(answer.x[slack]), 0.0) * SLACK_UNIT,
        binding,
    )


def _beat(
    program: ConeProgram,
    cells: Cells,
    totals: Floats,
    cut: Cut,
    shares: int,
    share_cone_at: int,
    rival_gain_at: int,
    slack: int,
) -> slice:
    """The target's inertia, plus the margin, is at most the rival's; elastic by the slack."""
    k, d = cells.means.shape
    shifts = cells.shifts
    contest = np.zeros(program.variables)
    for c in range(k):
        block = slice(c * d, (c + 1) * d)
        contest[block] = -2.0 * totals[c] * shifts[c]
        if c == cut.captured:
            contest[share_cone_at + c] = totals[c]
            continue
        contest[rival_gain_at + c] = -totals[c]
        away = cells.means[c] - cut.centers
        rows = np.zeros((len(away), program.variables))
        rows[:, rival_gain_at + c] = 1.0
        rows[:, block] = -2.0 * away
        rows[:, shares + c] = -(away**2).sum(axis=1)
        program.at_most(rows, np.zeros(len(away)))
    lead = cut.inertia - (1.0 + cut.margin) * cells.inertia
    lead -= float((totals * (shifts**2).sum(axis=1)).sum())
    unit = SLACK_UNIT * cells.inertia
    contest /= unit
    contest[slack] = -1.0
    return program.at_most(contest, lead / unit)


def _rounded(wanted: Floats, size: int) -> Ints:
    """Whole numbers near `wanted` (k,), at most `size` in all: down, then up where most is lost."""
    counts = np.floor(wanted + 1e-6).astype(np.int64)
    for c in np.argsort(counts - wanted):
        if counts.sum() < size and wanted[c] - counts[c] > 0.05:
            counts[c] += 1
    while counts.sum() > size:
        counts[counts.argmax()] -= 1
    return counts
