"""Balance: does every cluster have the group mix of the whole data set?

R(i, j) = (share of group j in U) / (share of group j in cluster i);
cost = -min over clusters i and groups j of min(R, 1/R), in [-1, 0], -1 when every mix is equal.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.checks import check_weights
from antidote_core.fairness.cost import FairnessCost, cluster_counts
from antidote_core.geometry import check_points, nearest_center, numbers
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class BalanceTable:
    """Counts and ratios min(R, 1/R), both (k, g), and the cell that decides the cost.

    A cluster without any point of U has ratio 0 for every group: skipping it would let a clustering
    look perfect by giving a centre to the antidote points alone.
    """

    counts: Floats
    ratios: Floats
    cost: float
    cluster: int
    group: int


def balance_from_counts(counts: Floats) -> BalanceTable:
    """The balance table of counts (k, g); a group code that no point carries is left out."""
    counts = np.asarray(counts, dtype=np.float64)
    sizes = counts.sum(axis=0)
    present = sizes > 0
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    total = sizes.sum() if present.any() else 1.0
    relative = np.divide(shares, sizes / total, out=np.ones_like(shares), where=present[None, :])
    inverse = np.divide(1.0, relative, out=np.zeros_like(relative), where=relative > 0)
    ratios = np.where(present[None, :], np.minimum(relative, inverse), 1.0)
    cluster, group = np.unravel_index(int(np.argmin(ratios)), ratios.shape)
    return BalanceTable(
        counts, ratios, 0.0 - float(ratios[cluster, group]), int(cluster), int(group)
    )


def balance_table(
    labels: Ints, groups: Ints, k: int, g: int, sample_weight: Floats | None = None
) -> BalanceTable:
    """The balance table of labels (n,) in 0..k-1 and groups (n,) in 0..g-1."""
    return balance_from_counts(cluster_counts(labels, groups, k, g, sample_weight))


def balance_cost(
    centers: Floats, points: Floats, groups: Ints, sample_weight: Floats | None = None
) -> float:
    """Balance cost of centres (k, d) on points (n, d), each point with its nearest centre.

    With `sample_weight` (n,) shares are shares of the weight.

    >>> points = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> balance_cost(np.array([[0.5], [8.5]]), points, np.array([0, 1, 0, 1]))
    -1.0
    """
    points, groups, g = check_points(points, groups)
    if sample_weight is not None:
        sample_weight = check_weights(sample_weight, len(points))
    centers = np.atleast_2d(numbers(centers, "centers"))
    labels, _ = nearest_center(points, centers)
    return balance_table(labels, groups, len(centers), g, sample_weight).cost


def balance_statistic(counts: Floats, group_costs: Floats) -> float:
    """The cost alone, in loops that numba can compile; equal to `balance_from_counts`."""
    sizes, totals, n = counts.sum(axis=0), counts.sum(axis=1), counts.sum()
    worst = 1.0
    for j in range(len(sizes)):
        if sizes[j] == 0.0:
            continue
        for c in range(len(totals)):
            if counts[c, j] == 0.0:
                return 0.0
            relative = (counts[c, j] / totals[c]) / (sizes[j] / n)
            worst = min(worst, relative, 1.0 / relative)
    return -worst


def missing_groups(counts: Floats, group_costs: Floats) -> float:
    """How far a clustering in which a group is missing is from one in which none is.

    The number of cells (cluster, group) without a point, plus the average part by which the shares
    of the others are off.

    >>> nobody, somebody = np.array([[9.0, 0.0], [1.0, 4.0]]), np.array([[9.0, 1.0], [1.0, 3.0]])
    >>> bool(missing_groups(nobody, np.zeros(2)) > 1.0 > missing_groups(somebody, np.zeros(2)))
    True
    """
    sizes, totals, n = counts.sum(axis=0), counts.sum(axis=1), counts.sum()
    missing = 0.0
    off = 0.0
    for j in range(len(sizes)):
        if sizes[j] == 0.0:
            continue
        for c in range(len(totals)):
            if counts[c, j] == 0.0:
                missing += 1.0
            else:
                relative = (counts[c, j] / totals[c]) / (sizes[j] / n)
                off += 1.0 - min(relative, 1.0 / relative)
    return missing + off / counts.size


def fair_share(cost: float, digits: int = 3) -> str:
    r"""A balance cost as the part of its fair share that the worst-served group has.

    Decimals appear only where whole percents would hide what `digits` of the cost show.

    >>> fair_share(-0.3048), fair_share(-0.30476, digits=5)
    ('30\xa0%', '30.476\xa0%')
    """
    shown = max(digits - 2, 0) if digits > 3 else 0
    return f"{-100 * cost + 0.0:.{shown}f}\N{NO-BREAK SPACE}%"


BALANCE = FairnessCost(
    "balance",
    "Balance",
    "Every cluster should have the same mix of groups as the whole data set.",
    statistic=balance_statistic,
    compiles=True,
    worst=0.0,
    finer=missing_groups,
    perfect=-1.0,
    shown=fair_share,
    unit="of its fair share",
    headline="Fair share of the worst-served group",
    effect="lifts the worst-served group from {before} to {after} of its fair share",
    lowest=lambda points, groups, k, sample_weight=None: -1.0,
    meaning="Balance cost: look at every cluster and every group, and compare the group's share "
    "there with its share in the whole data. The worst of these ratios decides, with a minus sign: "
    "−1 means every cluster is mixed like the whole data, 0 that a group is missing somewhere. "
    "A cost of −0.31 says that the worst cluster has 31 % of the share it should have, or, "
    "where it has too many of a group, 1/0.31 times that share.",
    best="−1: every cluster has the mix of the whole data.",
    slide_note="100 % would be the same mix in every cluster; 0 % means that a group is missing "
    "from one.",
    term="balance cost",
    definition="Minus the smallest part of its fair share that any group has in any "
    "cluster: −1 when every cluster is mixed like the whole data, 0 when a group is missing "
    "from a cluster.",
    by_mix=True,
    is_share=True,
    usual_target=-0.5,
)
