"""Fairlets, after Chierichetti, Kumar, Lattanzi and Vassilvitskii (2017): two groups.

People are first put into fairlets: one of the smaller group with one to t of the larger. Whoever
clusters whole fairlets then has at least one of the smaller group for t of the larger in every
cluster. The decomposition is the cheapest flow that gives everybody of the larger group a partner
in the smaller one, at the squared distance between the two, and everybody of the smaller group one
to t partners. With t = 1 the fairlets are pairs, and this is the best matching. The fairlets are
clustered by k-means of their means, each weighing as many people as it holds, which is k-means of
the people under the condition that fairlets stay together.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_instance,
    cluster_means,
    four_scores,
    plain_kmeans,
    squared_distances,
)
from antidote_core.checks import check_whole
from antidote_core.errors import DataError, SpecError
from antidote_core.types import Floats, Ints

MOST_ROWS = 4000
Decompose = Callable[[Floats, Ints, int], Ints]


@dataclass(frozen=True, eq=False, kw_only=True)
class FairletResult(BaselineResult):
    """`fairlets` (n,) numbers the fairlet of every point, `within` is their scatter.

    `cost` is the sum of squared distances to the centres, of which no clustering of these fairlets
    can save `within`; `ratio` is the t in "one to t".
    """

    fairlets: Ints
    within: float
    ratio: int


def fairlets(
    points: Floats, groups: Ints, k: int, ratio: int | None = None, seed: int = 0
) -> FairletResult:
    """k-means of the fairlets of points (n, d) in two groups.

    `ratio` is the t above: without it the smallest possible, the sizes' ratio rounded up.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = fairlets(points, np.array([0, 0, 1, 1, 1, 0]), k=2)
    >>> fair.fairlets.tolist(), fair.balance_own, fair.ratio
    ([0, 1, 0, 1, 2, 2], -1.0, 1)
    """
    if len(points) > MOST_ROWS:
        raise SpecError(
            f"Fairlets by a flow take at most {MOST_ROWS:,} rows, and there are {len(points):,}; "
            "take a sample, or 'scalable_fairlets'."
        )
    return cluster_fairlets("fairlets", points, groups, k, ratio, seed, _by_flow)


def cluster_fairlets(
    name: str,
    points: Floats,
    groups: Ints,
    k: int,
    ratio: int | None,
    seed: int,
    decompose: Decompose,
) -> FairletResult:
    """Cluster what `decompose(points, smaller, t)` makes of points (n, d) and a mask (n,)."""
    started = time.perf_counter()
    points, groups, g = check_instance(points, groups, k)
    if g != 2:
        raise DataError(f"Fairlets are made of two groups; these rows have {g}. Join groups.")
    sizes = np.bincount(groups)
    smaller = groups == int(np.argmin(sizes))
    few, many = int(sizes.min()), int(sizes.max())
    least = -(-many // few)
    if ratio is not None:
        check_whole("ratio", ratio, 1)
        if ratio < least:
            raise SpecError(
                f"ratio must be at least {least}, since one group is {many / few:.2f} times the "
                f"other; got {ratio}."
            )
    if k > few:
        raise SpecError(
            f"k must be at most the size of the smaller group ({few}), which has as many fairlets; "
            f"got {k}."
        )
    t = least if ratio is None else int(ratio)
    number = decompose(points, smaller, t)
    _, number = np.unique(number, return_inverse=True)
    people = np.bincount(number).astype(np.float64)
    sums = np.stack([np.bincount(number, weights=column) for column in points.T], axis=1)
    middles = sums / people[:, None]
    within = float(((points - middles[number]) ** 2).sum())
    of_fairlets, centers = plain_kmeans(middles, k, seed, people)
    labels = of_fairlets[number]
    centers = cluster_means(points, labels, k, centers)
    counts = [np.bincount(labels[smaller == flag], minlength=k) for flag in (True, False)]
    filled = (counts[0] > 0) | (counts[1] > 0)
    worst = float((np.minimum(*counts)[filled] / np.maximum(*counts)[filled]).min())
    return FairletResult(
        name=name,
        labels=labels,
        centers=centers,
        cost=float(((points - centers[labels]) ** 2).sum()),
        certificate_name="smallest ratio of the groups in a cluster",
        certificate=worst,
        seconds=time.perf_counter() - started,
        notes=(
            f"{len(people):,} fairlets of one person of the smaller group and up to {t} of the "
            f"larger: no cluster has fewer than 1 for {t}.",
        ),
        points=points,
        sample_weight=None,
        fairlets=number,
        within=within,
        ratio=t,
        **four_scores(labels, centers, points, [groups]),
    )


def _by_flow(points: Floats, smaller: Ints, t: int) -> Ints:
    """The fairlet (n,) of everybody, by the cheapest flow."""
    from scipy.optimize import linear_sum_assignment

    hosts, guests = np.flatnonzero(smaller), np.flatnonzero(~smaller)
    costs = squared_distances(points[guests], points[hosts])
    # Each host has t places. A place that must be filled is made so cheap that leaving it empty
    # never pays, whatever the others cost.
    cheap = costs - (len(guests) + 1.0) * (float(costs.max()) or 1.0)
    places = np.hstack([cheap, *([costs] * (min(t, len(guests) - len(hosts) + 1) - 1))])
    guest, place = linear_sum_assignment(places)
    number = np.zeros(len(points), dtype=np.int64)
    number[hosts] = np.arange(len(hosts))
    number[guests[guest]] = place % len(hosts)
    return number


FAIRLETS = FairAlgorithm(
    "fairlets",
    "Fairlets",
    "Puts people of two groups into small balanced sets first and clusters those.",
    Paper("Chierichetti, Kumar, Lattanzi and Vassilvitskii", 2017),
    fairlets,
    needs_groups=True,
    changes="data",
    serves=("pairwise-balance", "balance", "mean-balance", "bounded", "kl", "variation"),
    most_groups=2,
    most_rows=MOST_ROWS,
    options=(Option("ratio", None, "At most so many of the larger group for one of the smaller."),),
)
