"""One clustering and one fairness cost on one data set: the function f(V) = F(C(U ∪ V), U)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from antidote_core.checks import check_whole, did_you_mean
from antidote_core.clustering import as_clustering
from antidote_core.clustering.kmeans import KMeansEvaluator, with_antidote
from antidote_core.errors import DataError, SpecError
from antidote_core.fairness import (
    BalanceTable,
    SocialTable,
    as_fairness,
    assigned_squared,
    balance_from_counts,
    cluster_counts,
    group_means,
    social_from_costs,
)
from antidote_core.geometry import check_points, nearest_center, numbers
from antidote_core.guard import MAX_PRICE, Guard, check_guard, violation
from antidote_core.places import (
    EQUAL,
    EQUAL_SHARES,
    ROWS,
    Mask,
    MixedRows,
    Place,
    Rows,
    allowed_rows,
    box,
)
from antidote_core.types import Dataset, Floats, Solution

if TYPE_CHECKING:
    from antidote_core.runs.spec import RunSpec


@dataclass(frozen=True, eq=False)
class Tables:
    """What stands behind the costs of one clustering of U."""

    balance: BalanceTable
    social: SocialTable


@dataclass(frozen=True)
class Independent:
    """A plain clustering of U ∪ V from scratch: its objective, its cost scored on U alone.

    `antidote_only` clusters hold no point of U; `smallest_share` of U is in the smallest cluster,
    and `price` is the part by which the inertia on U is above that of plain clustering. `kept` says
    whether the guard allows both.
    """

    objective: float
    cost: float
    antidote_only: int
    smallest_share: float
    price: float
    kept: bool


def check_settings(k: int, restarts: int, seed: int) -> None:
    """Refuse settings that are not whole numbers, or too small."""
    for name, value, minimum in (("k", k, 2), ("restarts", restarts, 1), ("seed", seed, 0)):
        check_whole(name, value, minimum)


# A V that breaks the guard ranks behind every V that keeps it, whatever their costs are.
OUTSIDE = 1e12


class Problem:
    """f(V) = F(C(U ∪ V), U), exact, for V of any size.

    `min_share` and `max_price` are the guard (see `guard`): which V count at all. `evaluate` gives
    the cost of any V; `rank`, which searches minimise, puts those that break the guard last.

    Where the data have weights, clustering, costs and guard go by weight: whole weights do what
    repeating the rows would. A point of V weighs 1, a copy of a row adds 1 to that row's weight.

    k-means is `compiled`, which the first process on a machine waits for; without that, the same is
    computed in NumPy, which is slower where many V are tried.

    `clustering` and `fairness` are names, or clusterings and costs of your own (`as_clustering`,
    `as_fairness`).

    >>> from antidote_core.datasets import load_dataset
    >>> problem = Problem(load_dataset("blobs"), fairness="social")
    >>> bool(problem.evaluate(np.empty((0, 2))) == problem.vanilla.cost)
    True
    """

    def __init__(
        self,
        data: Dataset,
        clustering: Any = "kmeans",
        fairness: Any = "balance",
        k: int = 2,
        restarts: int = 10,
        seed: int = 0,
        min_share: float | None = None,
        max_price: float | None = MAX_PRICE,
        compiled: bool = True,
    ) -> None:
        if not isinstance(data, Dataset):
            raise DataError(
                f"Problem takes a Dataset first; got {type(data).__name__}. Make one by "
                "load_dataset('bank'), dataset_from_frame(df, features, protected) or "
                "dataset_from_arrays(X, sensitive_features)."
            )
        self.data = data
        self.clustering = as_clustering(clustering)
        self.fairness = as_fairness(fairness)
        if self.fairness.statistic is None and not self.clustering.by_nearest_center:
            raise SpecError(
                f"{self.clustering.title} gives labels that are not those of the nearest centre, "
                f"and the cost {self.fairness.name!r} is defined by centres alone; choose another "
                "pair."
            )
        check_settings(k, restarts, seed)
        points, groups, _ = check_points(data.points, data.groups)
        self.points, self.groups = points, groups
        self.weights = data.weights
        self.fairness.check_weighable(self.weights)
        self.k, self.restarts, self.seed = k, restarts, seed
        self.evaluator = self.clustering.make_evaluator(
            points, groups, k, restarts, seed, self.weights, compiled
        )
        self._statistic, self._violation = self.fairness.statistic, violation
        self._finer = self.fairness.finer
        if self.fairness.compiles and compiled and isinstance(self.evaluator, KMeansEvaluator):
            from antidote_core.clustering.compiled import compiled as compile_once

            self._statistic = compile_once(self.fairness.statistic)
            self._violation = compile_once(violation)
            self._finer = compile_once(self._finer) if self._finer is not None else None
        self.vanilla = self.cluster(np.empty((0, points.shape[1])))
        self.set_guard(min_share, max_price)

    def set_guard(self, min_share: float | None, max_price: float | None) -> None:
        """Judge by another guard from now on."""
        check_guard(min_share, max_price, self.k)
        self.guard = Guard.around(*self._plain_statistics, min_share, max_price)

    def __repr__(self) -> str:
        return (
            f"<Problem: {self.clustering.title} + {self.fairness.title.lower()}, k = {self.k}, on "
            f"{self.data.name}, plain cost {self.vanilla.cost:.4g}>"
        )

    @cached_property
    def _plain_statistics(self) -> tuple[Floats, Floats]:
        _, counts, group_costs = self.evaluator.statistics(self.points[:0])
        return counts, group_costs

    @classmethod
    def of(cls, spec: RunSpec, data: Dataset, compiled: bool = True) -> Self:
        """The problem that a run is about."""
        return cls(
            data, spec.clustering, spec.fairness, spec.k, spec.restarts, spec.seed,
            spec.min_share, spec.max_price, compiled,
        )  # fmt: skip

    def _checked(self, antidote: Floats) -> Floats:
        antidote = np.array(numbers(antidote, "antidote points"), order="C")
        d = self.points.shape[1]
        if antidote.ndim != 2 or antidote.shape[1] != d:
            raise DataError(
                f"antidote points must be a table with {d} columns, one row per point; "
                f"got shape {antidote.shape}."
            )
        flat = antidote.ravel()
        if not math.isfinite(flat @ flat):
            raise DataError("antidote points must be finite numbers.")
        return antidote

    def evaluate(self, antidote: Floats, **how: Floats | None) -> float:
        """F(C(U ∪ V), U) for V = antidote (m, d) in the space of the points; m may be 0.

        For k-means, here and below: `weight` (m,) of the points of V, if they do not weigh 1 each,
        and a `start` (k, d) that joins the fixed starts of C.
        """
        return self._cost_of(*self._statistics(antidote, how))

    def _statistics(
        self, antidote: Floats, how: dict[str, Floats | None]
    ) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V)."""
        if not how:
            return self.evaluator.statistics(self._checked(antidote))
        assert isinstance(self.evaluator, KMeansEvaluator)
        return self.evaluator.statistics(self._checked(antidote), **how)

    def _cost_of(self, centers: Floats, counts: Floats, group_costs: Floats) -> float:
        if self._statistic is None:
            return self.fairness.of_centers(centers, self.points, self.groups, self.weights)
        return self.fairness.value_of(self._statistic, counts, group_costs)

    def rank(self, antidote: Floats, **how: Floats | None) -> float:
        """What a search minimises: the cost, where V keeps the guard and the cost tells V apart.

        Clusterings of the worst cost there is follow in the order of the cost's `finer` statistic,
        and behind all of them those that break the guard, least violation first.
        """
        return self.rank_of(*self._statistics(antidote, how))

    def rank_of(self, centers: Floats, counts: Floats, group_costs: Floats) -> float:
        """The rank of a clustering of U."""
        beyond = self._violation(counts, group_costs, self.guard.least, self.guard.most)
        if beyond > 0.0:
            return OUTSIDE * (1.0 + beyond)
        cost = self._cost_of(centers, counts, group_costs)
        if cost == self.fairness.worst and self._finer is not None:
            return cost + float(self._finer(counts, group_costs))
        return cost

    def cost_at_rank(self, rank: float) -> float:
        """The cost that a rank stands for; that of plain clustering where the guard is broken."""
        if rank >= OUTSIDE:
            return self.vanilla.cost
        return min(rank, self.fairness.worst)

    def keeps_guard(self, antidote: Floats) -> bool:
        """Whether C(U ∪ V) keeps the guard."""
        _, counts, group_costs = self._statistics(antidote, {})
        return self.guard.keeps(counts, group_costs)

    def cluster(self, antidote: Floats, **how: Floats | None) -> Solution:
        """Centres, labels of U and cost under C(U ∪ V)."""
        if how:
            assert isinstance(self.evaluator, KMeansEvaluator)
            solved = self.evaluator.solve(self._checked(antidote), **how)
        else:
            solved = self.evaluator.solve(self._checked(antidote))
        cost = self.evaluate(antidote, **how)
        return Solution(solved.centers, solved.labels, solved.objective, cost)

    def independent(
        self, antidote: Floats, restarts: int, seed: int, weight: Floats | None = None
    ) -> Independent:
        """U ∪ V clustered anew by the plain clustering, without the evaluator."""
        union = np.vstack([self.points, antidote])
        weights = with_antidote(self.weights, len(antidote), weight, len(self.points))
        weighing = self.clustering.weighing(weights)
        fit = self.clustering.fitted(union, self.k, restarts, seed, **weighing)
        if self.clustering.by_nearest_center:
            labels, _ = nearest_center(self.points, fit.centers)
        else:
            labels = np.asarray(fit.labels[: len(self.points)])
        cost = self.fairness.of_labels(labels, fit.centers, self.points, self.groups, self.weights)
        g = int(self.groups.max()) + 1
        counts = cluster_counts(labels, self.groups, self.k, g, self.weights)
        squared = assigned_squared(labels, fit.centers, self.points)
        group_costs = group_means(squared, self.groups, g, self.weights)
        return self._judged(fit.objective, cost, counts, group_costs)

    def _judged(
        self, objective: float, cost: float, counts: Floats, group_costs: Floats
    ) -> Independent:
        return Independent(
            objective,
            cost,
            int((counts.sum(axis=1) == 0).sum()),
            self.guard.smallest_share(counts),
            self.guard.price(counts, group_costs),
            self.guard.keeps(counts, group_costs),
        )

    def tables(self, antidote: Floats, **how: Floats | None) -> Tables:
        """The cluster x group table and the group costs behind the cost of V."""
        _, counts, group_costs = self._statistics(antidote, how)
        return Tables(balance_from_counts(counts), social_from_costs(group_costs))

    def outcome(self, antidote: Floats, **how: Floats | None) -> dict[str, Any]:
        """C(U ∪ V) as plain values: its cost, its centres and the tables behind the cost."""
        solution, tables = self.cluster(antidote, **how), self.tables(antidote, **how)
        return {
            "cost": solution.cost,
            "centers": solution.centers.tolist(),
            "counts": tables.balance.counts.tolist(),
            "group_costs": tables.social.group_costs.tolist(),
            "balance": tables.balance.cost,
            "social": tables.social.cost,
        }

    def box(self, name: str) -> tuple[Floats, Floats]:
        """Lower and upper corner (d,) of a box in which antidote points may lie."""
        place = self._box(name)
        return place.lower, place.upper

    def _box(self, name: str) -> Place:
        return box(name, self.points, self.weights)

    def place_for(self, spec: RunSpec) -> Place:
        """Where the antidote points of a run may lie."""
        if spec.place != ROWS:
            return self._box(spec.place)
        allowed = allowed_rows(self.points, spec.percentiles, self.weights)
        names = self.data.group_names
        if spec.copy_groups == EQUAL_SHARES and EQUAL not in names:
            return self._mixed_rows(allowed, spec.max_copies)
        if spec.copy_groups is not None:
            unknown = [name for name in spec.copy_groups if name not in names]
            if unknown:
                raise SpecError(
                    f"copy_groups names {unknown[0]!r}{did_you_mean(unknown[0], names)}; "
                    f"the groups are {', '.join(map(repr, names))}."
                )
            chosen = [names.index(name) for name in spec.copy_groups]
            allowed = allowed & np.isin(self.groups, chosen)
            if not allowed.any():
                raise SpecError(
                    f"No row of {', '.join(map(repr, spec.copy_groups))} may be copied; widen the "
                    "percentiles or choose more groups."
                )
        return Rows(self.points, allowed, spec.max_copies)

    def _mixed_rows(self, allowed: Mask, max_copies: int) -> MixedRows:
        """Rows of which every group gives as many copies as its part of U asks for."""
        sizes = np.bincount(self.groups, self.weights, len(self.data.group_names))
        offered = np.bincount(self.groups[allowed], minlength=len(sizes))
        for name, size, rows in zip(self.data.group_names, sizes, offered, strict=True):
            if size and not rows:
                raise SpecError(
                    f"No row of {name!r} may be copied, and every group is to give its share; "
                    "widen the percentiles, or copy without equal shares."
                )
        return MixedRows(self.points, allowed, max_copies, self.groups, sizes / sizes.sum())
