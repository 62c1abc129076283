"""Fair k-center: the centres are people, and every group has its number of them.

The problem is that of Kleindessner, Awasthi and Morgenstern (2019): choose k of the points as
centres, so many of each group, such that the largest distance of a point to its nearest centre is
small. The way is that of Jones, Nguyen and Nguyen (2020): take points one by one, each the farthest
from those before. As long as every one of the first i can be replaced by a person of a group that
has a place left, nearer than half the smallest distance between them, no two share a replacement;
the largest such i is found by matchings, and for it the matching whose farthest replacement is
nearest. The places that are left go to the farthest points of their groups. The largest distance is
at most 3 times the best possible.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import BaselineResult, check_instance, four_scores
from antidote_core.checks import is_whole
from antidote_core.errors import SpecError
from antidote_core.geometry import nearest_center
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class FairKCenterResult(BaselineResult):
    """`rows` (k,) are the points that are centres; `cost` is the largest distance to one.

    `places` says how many centres each group has.
    """

    rows: Ints
    places: tuple[int, ...]


def fair_kcenter(
    points: Floats,
    groups: Ints,
    k: int,
    places: Sequence[int] | None = None,
    seed: int = 0,
) -> FairKCenterResult:
    """k of the points (n, d) as centres, `places[j]` of them of group j; the seed draws the first.

    Without `places`, a group has its share of the k centres, rounded by largest remainders.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = fair_kcenter(points, np.array([0, 0, 1, 0, 0, 1]), k=2, places=(1, 1))
    >>> sorted(fair.centers.ravel().tolist()), fair.cost
    ([0.0, 9.0], 2.0)
    """
    started = time.perf_counter()
    points, groups, _ = check_instance(points, groups, k)
    wanted = _check_places(places, np.bincount(groups), k)
    rows = _choose(points, groups, wanted, k, seed)
    centers = points[rows]
    labels, squared = nearest_center(points, centers)
    cost = float(np.sqrt(squared.max()))
    told = ", ".join(f"{count} of group {group}" for group, count in enumerate(wanted))
    return FairKCenterResult(
        name="fair_kcenter",
        labels=labels,
        centers=centers,
        cost=cost,
        certificate_name="largest distance over the best, at most",
        certificate=3.0,
        seconds=time.perf_counter() - started,
        notes=(f"Centres: {told}. The mix of the clusters themselves is not looked at.",),
        points=points,
        sample_weight=None,
        rows=rows,
        places=tuple(int(count) for count in wanted),
        **four_scores(labels, centers, points, [groups]),
    )


def _check_places(places: object, sizes: Ints, k: int) -> Ints:
    """Centres per group (g,)."""
    if places is None:
        exact = k * sizes / sizes.sum()
        wanted = np.floor(exact).astype(np.int64)
        rest = np.argsort(wanted - exact, kind="stable")[: k - wanted.sum()]
        wanted[rest] += 1
        return wanted
    given = list(places) if isinstance(places, list | tuple | np.ndarray) else [None]
    if len(given) != len(sizes) or not all(is_whole(count, 0) for count in given):
        raise SpecError(
            f"places must hold a whole number for each of {len(sizes)} groups; got {places!r}."
        )
    wanted = np.array(given, dtype=np.int64)
    if wanted.sum() != k:
        raise SpecError(f"places must add up to k = {k}; got {int(wanted.sum())}.")
    if (wanted > sizes).any():
        group = int(np.argmax(wanted > sizes))
        raise SpecError(
            f"places asks for {wanted[group]} centres of group {group}, which has {sizes[group]} "
            "points; ask for fewer."
        )
    return wanted


def _choose(points: Floats, groups: Ints, wanted: Ints, k: int, seed: int) -> Ints:
    """The rows (k,) of the centres."""
    first = int(np.random.default_rng(seed).integers(len(points)))
    rows, gaps = [first], [np.inf]
    away = _distances(points, first)
    reach = [_nearest_of_groups(away, groups, len(wanted))]
    while len(rows) < k:
        rows.append(int(away.argmax()))
        gaps.append(float(away.max()))
        own = _distances(points, rows[-1])
        away = np.minimum(away, own)
        reach.append(_nearest_of_groups(own, groups, len(wanted)))
    rank = np.stack([nearest for nearest, _ in reach])  # (k, g) rows
    far = np.stack([distance for _, distance in reach])
    chosen: list[int] = []
    for count in range(k, 0, -1):
        match = _nearest_match(far[:count], gaps[count - 1] / 2, wanted)
        if match is not None:
            chosen = rank[np.arange(count), match].tolist()
            break
    left = wanted - np.bincount(groups[chosen], minlength=len(wanted))
    away = np.full(len(points), np.inf)
    for row in chosen:
        away = np.minimum(away, _distances(points, row))
    while left.any():
        open_to = (left[groups] > 0) & ~np.isin(np.arange(len(points)), chosen)
        row = int(np.argmax(np.where(open_to, away, -1.0)))
        chosen.append(row)
        left[groups[row]] -= 1
        away = np.minimum(away, _distances(points, row))
    return np.array(chosen)


def _distances(points: Floats, row: int) -> Floats:
    return np.asarray(np.sqrt(((points - points[row]) ** 2).sum(axis=1)))


def _nearest_of_groups(away: Floats, groups: Ints, g: int) -> tuple[Ints, Floats]:
    """The nearest point of every group (g,), and its distance."""
    order = np.lexsort((away, groups))
    starts = np.searchsorted(groups[order], np.arange(g))
    return order[starts], away[order[starts]]


def _nearest_match(far: Floats, below: float, wanted: Ints) -> Ints | None:
    """A group (i,) with a place for every one of (i, g), the farthest as near as can be.

    None where there is none with all distances `far` below the limit.
    """
    radii = np.unique(far[far < below])
    low, high, best = 0, len(radii), None
    while low < high:
        middle = (low + high) // 2
        match = _match(far <= radii[middle], wanted)
        if match is None:
            low = middle + 1
        else:
            high, best = middle, match
    return best


def _match(within: NDArray[np.bool_], wanted: Ints) -> Ints | None:
    """A group with a place for every one (i,), among those that `within` (i, g) allows."""
    from scipy.optimize import linear_sum_assignment

    slots = np.repeat(np.arange(len(wanted)), wanted)
    one, slot = linear_sum_assignment(within[:, slots], maximize=True)
    return np.asarray(slots[slot]) if within[one, slots[slot]].all() else None


FAIR_KCENTER = FairAlgorithm(
    "fair_kcenter",
    "Fair k-center",
    "Chooses people as centres, so many of each group, and looks at the farthest person only.",
    Paper("Jones, Nguyen and Nguyen", 2020),
    fair_kcenter,
    needs_groups=False,
    changes="algorithm",
    serves=(),
    options=(Option("places", None, "Centres per group; without them, each group's share of k."),),
)
