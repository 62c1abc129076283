"""Fairlets for many points, after Backurs, Indyk, Onak, Schieber, Vakilian and Wagner (2019).

The points are put into the cells of a randomly shifted grid whose width doubles from level to
level, a tree. From the smallest cells to the whole, everybody of the smaller group (a host) is
given one to t of the larger (guests) of the same cell, so that nobody looks further away than the
own cell makes necessary: a cell passes on either the guests for whom all its hosts have no room, or
the hosts for whom there are not guests enough. Near-linear in the number of points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.fairlets import FairletResult, cluster_fairlets
from antidote_core.types import Floats, Ints

LEVELS = 20
FEW = 300  # up to so many on a side are matched at the least distance


def scalable_fairlets(
    points: Floats, groups: Ints, k: int, ratio: int | None = None, seed: int = 0
) -> FairletResult:
    """k-means of fairlets that a tree makes of points (n, d) in two groups; see `fairlets`.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = scalable_fairlets(points, np.array([0, 0, 1, 1, 1, 0]), k=2)
    >>> np.bincount(fair.fairlets).tolist(), fair.balance_own
    ([2, 2, 2], -1.0)
    """

    def by_tree(points: Floats, smaller: NDArray[np.bool_], t: int) -> Ints:
        return tree_fairlets(points, smaller, t, seed)

    return cluster_fairlets("scalable_fairlets", points, groups, k, ratio, seed, by_tree)


def tree_fairlets(points: Floats, smaller: NDArray[np.bool_], t: int, seed: int) -> Ints:
    """The host (n,) of everybody, as a row number; hosts are their own."""
    rng = np.random.default_rng(seed)
    low, span = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    shift = rng.uniform(0.0, span, points.shape[1])
    # A cell is known by a random mixture of its coordinates; two that agree by chance do no harm.
    mixture = rng.integers(1, 2**63, points.shape[1], dtype=np.uint64) | np.uint64(1)
    host = np.where(smaller, np.arange(len(points)), -1)
    guests = np.zeros(len(points), dtype=np.int64)
    for level in range(LEVELS, -1, -1):
        waiting = (host < 0) | (smaller & (guests == 0))
        if not waiting.any():
            break
        if level:
            cells = np.floor((points - low + shift) / (2.0 * span) * 2.0**level).astype(np.uint64)
            key = (cells * mixture).sum(axis=1, dtype=np.uint64)
        else:
            key = np.zeros(len(points), dtype=np.uint64)
        _, cell = np.unique(key, return_inverse=True)
        order = np.argsort(cell, kind="stable")
        ends = np.cumsum(np.bincount(cell))
        for number in np.unique(cell[waiting]):
            members = order[ends[number - 1] if number else 0 : ends[number]]
            if len(members) > 1:
                _serve(points, smaller, host, guests, members, t)
    return host


def _serve(
    points: Floats, smaller: NDArray[np.bool_], host: Ints, guests: Ints, members: Ints, t: int
) -> None:
    """Find hosts and guests for those of a cell who have none; changes `host` and `guests`."""
    hosts = members[smaller[members]]
    lonely = hosts[guests[hosts] == 0]
    homeless = members[host[members] < 0]
    if not len(hosts):
        return
    # 1. Whoever has no host and whoever has no guest find each other.
    homeless = _join(points, host, guests, homeless, lonely)
    # 2. Guests without a host take the room that is left in the cell, or
    rooms = np.repeat(hosts, t - guests[hosts])
    homeless = _join(points, host, guests, homeless, rooms)
    # 3. hosts without a guest are given one that another host can spare.
    lonely = hosts[guests[hosts] == 0]
    if len(lonely):
        taken = members[~smaller[members] & (host[members] >= 0)]
        taken = taken[np.argsort(host[taken], kind="stable")]
        after_first = host[taken][1:] == host[taken][:-1]
        _join(points, host, guests, taken[1:][after_first], lonely)


def _join(points: Floats, host: Ints, guests: Ints, people: Ints, places: Ints) -> Ints:
    """People (a,) move to hosts `places` (b,), as many as can; the others are returned."""
    count = min(len(people), len(places))
    if not count:
        return people
    if max(len(people), len(places)) <= FEW:
        from scipy.optimize import linear_sum_assignment

        offset = points[people][:, None, :] - points[places][None, :, :]
        person, place = linear_sum_assignment((offset**2).sum(axis=2))
    else:
        # Both in the order of the feature that varies most, spread evenly over the longer side.
        along = int(points[np.r_[people, places]].var(axis=0).argmax())
        person, place = (
            np.argsort(points[side, along], kind="stable")[
                np.linspace(0, len(side) - 1, count).round().astype(np.int64)
            ]
            for side in (people, places)
        )
    movers, to = people[person], places[place]
    left = host[movers]
    np.subtract.at(guests, left[left >= 0], 1)
    host[movers] = to
    np.add.at(guests, to, 1)
    return np.delete(people, person)


SCALABLE_FAIRLETS = FairAlgorithm(
    "scalable_fairlets",
    "Scalable fairlets",
    "Fairlets of two groups, made along a tree of ever larger cells instead of by a flow.",
    Paper("Backurs, Indyk, Onak, Schieber, Vakilian and Wagner", 2019),
    scalable_fairlets,
    needs_groups=True,
    changes="data",
    serves=("pairwise-balance", "balance", "mean-balance", "bounded", "kl", "variation"),
    most_groups=2,
    options=(Option("ratio", None, "At most so many of the larger group for one of the smaller."),),
)
