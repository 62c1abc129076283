"""A teaching set that is clustered again and again, each time with other antidote points."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from antidote_core.datasets import load_dataset
from antidote_core.fairness import (
    BalanceTable,
    SocialTable,
    balance_table,
    cluster_counts,
    social_table,
)
from antidote_core.problem import Problem, Tables
from antidote_core.types import Dataset, Floats, Ints, Solution

HEIGHT = 0.7  # of the width of the plane
GRID = 1  # decimals of a place on the plane


@dataclass(frozen=True, eq=False)
class Position:
    """C(U ∪ V) for one V: centres (k, 2), labels (n,) of U and the tables behind both costs.

    Clusters carry the numbers of the plain clusters they overlap most, so that a cluster keeps its
    number and colour while its border moves. `moved` (n,) marks the points that changed cluster;
    `captured` says that a cluster holds antidote points only.
    """

    antidote: Floats
    centers: Floats
    labels: Ints
    balance: BalanceTable
    social: SocialTable
    moved: np.ndarray

    @property
    def captured(self) -> bool:
        """Whether V has a centre for itself."""
        return bool((self.balance.counts.sum(axis=1) == 0).any())

    def cost(self, fairness: str) -> float:
        """The balance or the social cost."""
        return self.balance.cost if fairness == "balance" else self.social.cost


class PlanarProblem:
    """One teaching set with k-means on it, safe to share between visitors.

    >>> planar = planar_problem("two-optima", "balance")
    >>> planar.position(np.empty((0, 2))).cost("balance") == planar.problem.vanilla.cost
    True
    """

    def __init__(self, dataset: str, fairness: str, k: int = 2) -> None:
        self.data: Dataset = load_dataset(dataset)
        self.problem = Problem(self.data, "kmeans", fairness, k)
        # The evaluator remembers what it has seen, and visitors come on threads of their own.
        self.lock = threading.RLock()
        self.vanilla = self._position(np.empty((0, 2)), self.problem.vanilla.labels)

    def position(self, antidote: Floats) -> Position:
        """The clustering with these antidote points (m, 2) beside the data."""
        with self.lock:
            return self._position(antidote, self.vanilla.labels)

    def evaluate(self, antidote: Floats) -> float:
        """F(C(U ∪ V), U)."""
        with self.lock:
            return self.problem.evaluate(antidote)

    def _position(self, antidote: Floats, before: Ints) -> Position:
        solution = self.problem.cluster(antidote)
        k, groups = self.problem.k, self.problem.groups
        order = _same_numbers(before, solution.labels, k)
        labels, centers = order[solution.labels], np.empty_like(solution.centers)
        centers[order] = solution.centers
        return Position(
            np.asarray(antidote),
            centers,
            labels,
            balance_table(labels, groups, k, len(self.data.group_names)),
            social_table(labels, centers, self.problem.points, groups),
            labels != before,
        )

    def frame(self, reach: float) -> tuple[Floats, Floats]:
        """Lower and upper corner (2,) of a plane `reach` times as wide as the data."""
        lower, upper = self.data.points.min(axis=0), self.data.points.max(axis=0)
        middle = (lower + upper) / 2
        half = reach * float((upper - lower).max()) / 2 * np.array([1.0, HEIGHT])
        return np.round(middle - half, GRID), np.round(middle + half, GRID)


def _same_numbers(before: Ints, after: Ints, k: int) -> Ints:
    """The number `before` of the cluster that each cluster `after` overlaps most, (k,)."""
    from scipy.optimize import linear_sum_assignment

    shared = cluster_counts(after, before, k, k)
    _, order = linear_sum_assignment(-shared)
    return np.asarray(order, dtype=np.int64)


@lru_cache(maxsize=16)
def planar_problem(dataset: str, fairness: str, k: int = 2) -> PlanarProblem:
    """The planar of that name; made once."""
    return PlanarProblem(dataset, fairness, k)


DATASET = "two-optima"
SIZE = 12
SIDE = 21  # places tried along each side of the box


@dataclass(frozen=True, eq=False)
class Story:
    """The same clustering twice: on U alone, and on U with the antidote points beside it."""

    data: Dataset
    antidote: Floats
    before: Solution
    after: Solution
    tables_before: Tables
    tables_after: Tables
    places_tried: int


def tell_story(seed: int = 0) -> Story:
    """Put one clump of antidote points at the best of 21 x 21 places among the data.

    A place is as good as F(C(U ∪ V), U) says; of equally good ones the one nearest to the middle.

    >>> story = tell_story()
    >>> story.after.cost < story.before.cost
    True
    """
    data = load_dataset(DATASET, seed=seed)
    problem = Problem(data, "kmeans", "balance", k=2, restarts=10, seed=seed)
    lower, upper = problem.box("plausible")
    middle = (lower + upper) / 2
    steps = np.linspace(lower, upper, SIDE)
    places = [np.array([x, y]) for x in steps[:, 0] for y in steps[:, 1]]
    places.sort(key=lambda place: float(((place - middle) ** 2).sum()))
    best = min(places, key=lambda place: round(problem.evaluate(clump(place)), 9))
    antidote = clump(best)
    return Story(
        data,
        antidote,
        problem.vanilla,
        problem.cluster(antidote),
        problem.tables(antidote[:0]),
        problem.tables(antidote),
        len(places),
    )


def clump(place: Floats, size: int = SIZE, radius: float = 0.5) -> Floats:
    """`size` points (size, 2) on a spiral around `place`, so that each of them can be seen.

    Their mean is `place`.
    """
    turns = 2.4 * np.arange(size)  # the golden angle spreads the points evenly
    reach = radius * np.sqrt((np.arange(size) + 0.5) / size)
    offsets = np.column_stack([np.cos(turns), np.sin(turns)]) * reach[:, None]
    return np.asarray(place + offsets - offsets.mean(axis=0))
