"""Which way should the centres move? Gradients of the fairness costs with respect to the centres.

Every point pays the distance to its nearest centre, so a label that flips changes nothing to first
order and the group costs have exact gradients: d cost_j / d M_c = 2 (n_cj M_c - sum_cj x) / n_j.
Balance counts heads and has none; it is smoothed by soft assignments at a small temperature.
"""

from __future__ import annotations

import numpy as np

from antidote_core.fairness import FairnessCost
from antidote_core.fairness.balance import balance_table
from antidote_core.fairness.cost import group_means
from antidote_core.geometry import nearest_center, quantile
from antidote_core.types import Floats, Ints

SOFT_SHARE = 0.05  # share of the points that the soft assignment treats as undecided
RATIO_WIDTH = 0.02  # cells whose ratio is within this of the worst one count as deciding too
NUMERIC_STEP = 0.05


def descent_directions(
    cost: FairnessCost,
    centers: Floats,
    points: Floats,
    groups: Ints,
    sample_weight: Floats | None = None,
) -> list[Floats]:
    """Gradients (k, d) of the cost at centres (k, d), the most literal one first.

    More than one where the cost has a kink close by, such as two groups that pay almost the same.
    """
    if cost.name == "balance":
        return _balance(centers, points, groups, sample_weight)
    if cost.name in ("social", "gap"):
        gradients, costs = _group_gradients(centers, points, groups, sample_weight)
        ranked = np.argsort(-costs)
        if cost.name == "gap":
            return [gradients[ranked[0]] - gradients[ranked[-1]]]
        if len(ranked) == 1:
            return [gradients[0]]
        worst, second = gradients[ranked[0]], gradients[ranked[1]]
        return [worst, (worst + second) / 2]
    return [_numeric(cost, centers, points, groups, sample_weight)]


def _group_gradients(
    centers: Floats, points: Floats, groups: Ints, weights: Floats | None
) -> tuple[Floats, Floats]:
    """Gradient (g, k, d) of every group's average cost, and the costs (g,)."""
    k, d = centers.shape
    g = int(groups.max()) + 1
    labels, squared = nearest_center(points, centers)
    cell = labels * g + groups
    counts = np.bincount(cell, weights=weights, minlength=k * g).reshape(k, g)
    parts = points if weights is None else points * weights[:, None]
    sums = np.stack(
        [np.bincount(cell, weights=parts[:, a], minlength=k * g) for a in range(d)], axis=-1
    ).reshape(k, g, d)
    sizes = counts.sum(axis=0)
    sizes = np.where(sizes > 0, sizes, 1)
    gradients = 2.0 * (counts[:, :, None] * centers[:, None, :] - sums) / sizes[:, None]
    return gradients.transpose(1, 0, 2), group_means(squared, groups, g, weights)


def _balance(centers: Floats, points: Floats, groups: Ints, weights: Floats | None) -> list[Floats]:
    k = len(centers)
    g = int(groups.max()) + 1
    squared = np.stack([((points - c) ** 2).sum(axis=1) for c in centers], axis=1)
    labels = squared.argmin(axis=1)
    table = balance_table(labels, groups, k, g, weights)
    ordered = np.sort(squared, axis=1)
    leads = ordered[:, 1] - ordered[:, 0]
    temperature = max(quantile(leads, SOFT_SHARE, weights), 1e-9)
    soft = np.exp(-(squared - ordered[:, :1]) / temperature)
    soft /= soft.sum(axis=1, keepdims=True)

    shares = np.bincount(groups, weights=weights, minlength=g) / table.counts.sum()
    weight = np.exp(-(table.ratios - table.ratios.min()) / RATIO_WIDTH)
    only_worst = np.zeros_like(weight)
    only_worst[table.cluster, table.group] = 1.0
    return [
        _soft_gradient(soft, temperature, cells / cells.sum(), table.counts, shares, centers,
                       points, groups, weights)
        for cells in (only_worst, weight)
    ]  # fmt: skip


def _soft_gradient(
    soft: Floats,
    temperature: float,
    cells: Floats,
    counts: Floats,
    shares: Floats,
    centers: Floats,
    points: Floats,
    groups: Ints,
    weights: Floats | None,
) -> Floats:
    """Gradient of the weighted sum over cells (c, j) of -min(s, 1/s), s = relative share of j."""
    k, g = counts.shape
    totals = counts.sum(axis=1)
    totals = np.where(totals > 0.0, totals, 1.0)
    # pull[c, j]: how much the cost changes when one more head of group j joins cluster c.
    pull = np.zeros((k, g))
    for c in range(k):
        for j in range(g):
            if cells[c, j] == 0.0 or shares[j] == 0.0:
                continue
            part = counts[c, j] / totals[c]
            relative = part / shares[j]
            slope = -1.0 if relative < 1.0 else 1.0 / relative**2
            change = -part * np.ones(g)
            change[j] += 1.0
            pull[c] += cells[c, j] * slope * change / (totals[c] * shares[j])
    value = pull[:, groups].T
    mean = (soft * value).sum(axis=1, keepdims=True)
    strength = soft * (value - mean) * (2.0 / temperature)
    if weights is not None:
        strength *= weights[:, None]
    gradient = strength.T @ points - strength.sum(axis=0)[:, None] * centers
    return np.asarray(gradient)


def _numeric(
    cost: FairnessCost, centers: Floats, points: Floats, groups: Ints, weights: Floats | None
) -> Floats:
    """Central differences for a cost that is only known as a function of the centres."""
    gradient = np.zeros_like(centers)
    for index in np.ndindex(*centers.shape):
        ahead, behind = centers.copy(), centers.copy()
        ahead[index] += NUMERIC_STEP
        behind[index] -= NUMERIC_STEP
        difference = cost.of_centers(ahead, points, groups, weights) - cost.of_centers(
            behind, points, groups, weights
        )
        gradient[index] = difference / (2 * NUMERIC_STEP)
    return gradient
