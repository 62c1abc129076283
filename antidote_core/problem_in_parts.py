"""f(V) = F(C(U ∪ V), U) for data in parts: on this machine, or wherever the parts are held.

The same face as `Problem`, so that searches and `grow` run on it. `points` and `groups` are a
sample of U that searches take directions from; costs, tables and labels are those of all of U.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from antidote_core.clustering import get_clustering
from antidote_core.clustering.kmeans import Fixpoint
from antidote_core.clustering.parts import PartWorkers
from antidote_core.clustering.parts.evaluator import SAMPLE, PartitionedEvaluator
from antidote_core.datasets.parts.folder import Parts, shares
from antidote_core.errors import SpecError
from antidote_core.fairness import get_fairness
from antidote_core.guard import MAX_PRICE, violation
from antidote_core.places import BOXES, Place, ranged
from antidote_core.problem import Independent, Problem, check_settings
from antidote_core.types import Floats, Ints, Solution


class LocalPartWorkers:
    """All parts in the memory of this process."""

    def __init__(self, parts: Parts) -> None:
        from antidote_core.clustering.parts.part_worker import PartWorker

        self.parts = parts
        self.n, self.d, self.g = parts.n, parts.d, len(parts.group_names)
        self._part_worker = PartWorker(parts.paths, self.d, self.g)

    def call_all(self, method: str, *arguments: Any) -> list[Any]:
        """The answer of the one part_worker."""
        return [getattr(self._part_worker, method)(*arguments)]


class PartitionedSolution(Solution):
    """A solution whose labels (n,) are fetched from the parts when they are asked for."""

    def __init__(
        self, evaluator: PartitionedEvaluator, centers: Floats, objective: float, cost: float
    ) -> None:
        values = {"centers": centers, "objective": objective, "cost": cost, "_evaluator": evaluator}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @cached_property
    def labels(self) -> Ints:
        """Nearest centre of every point of U, in the order of the parts."""
        evaluator: PartitionedEvaluator = self.__dict__["_evaluator"]
        return evaluator.labels(self.centers)


class PartitionedProblem(Problem):
    """f(V) for k-means on data in parts; exact, for V of any size.

    `part_workers` hold the parts (see `engine.sweep.parts_on_dask`); without them the parts are
    read into this process. `sample` rows give the starts of the portfolio.

    >>> import tempfile
    >>> from antidote_core.datasets import load_dataset
    >>> from antidote_core.datasets.parts.folder import write_parts
    >>> data = load_dataset("blobs")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     problem = PartitionedProblem(write_parts(data, folder, parts=3), fairness="social")
    >>> bool(abs(problem.vanilla.cost - Problem(data, fairness="social").vanilla.cost) < 1e-9)
    True
    """

    def __init__(
        self,
        parts: Parts,
        fairness: str = "balance",
        k: int = 2,
        restarts: int = 10,
        seed: int = 0,
        part_workers: PartWorkers | None = None,
        sample: int = SAMPLE,
        min_share: float | None = None,
        max_price: float | None = MAX_PRICE,
    ) -> None:
        check_settings(k, restarts, seed)
        self.parts = parts
        self.data = parts
        self.clustering = get_clustering("kmeans")
        self.fairness = get_fairness(fairness)
        if self.fairness.statistic is None:
            raise SpecError(
                f"The cost {fairness!r} looks at every point; data in parts need one that follows "
                "from the counts per cluster and group and the costs per group: give it a "
                "statistic."
            )
        self.k, self.restarts, self.seed = k, restarts, seed
        given = dict(zip((f.file for f in parts.files), shares(parts, sample), strict=True))
        self.evaluator: PartitionedEvaluator = PartitionedEvaluator(
            part_workers if part_workers is not None else LocalPartWorkers(parts),
            given,
            k,
            restarts,
            seed,
        )
        self.points, self.groups = self.evaluator.sample_points, self.evaluator.sample_groups
        self.weights = None
        self._statistic, self._violation = self.fairness.statistic, violation
        self._finer = self.fairness.finer
        self.vanilla = self.cluster(np.empty((0, parts.d)))
        self.set_guard(min_share, max_price)

    def evaluate_many(self, antidotes: Sequence[Floats]) -> Floats:
        """f of many V, (b,): a little dearer than one evaluation where the parts are far away."""
        found = self.evaluator.fixpoints([self._checked(antidote) for antidote in antidotes])
        return np.array([self._cost(point) for point in found])

    def cluster(self, antidote: Floats, **how: Floats | None) -> Solution:
        """Centres and cost under C(U ∪ V); the labels of U are fetched when asked for."""
        assert not how  # nothing is designed on parts
        found = self.evaluator.fixpoints([self._checked(antidote)])[0]
        return PartitionedSolution(self.evaluator, found.centers, found.inertia, self._cost(found))

    def _cost(self, found: Fixpoint) -> float:
        assert self._statistic is not None
        return float(self._statistic(found.counts, found.group_costs))

    def independent(
        self, antidote: Floats, restarts: int, seed: int, weight: Floats | None = None
    ) -> Independent:
        """U ∪ V clustered anew: scikit-learn on a fresh sample and V, then Lloyd on all of U ∪ V.

        A row of the sample stands for as many points as it was drawn from, a point of V for itself.
        """
        from sklearn.cluster import KMeans

        assert weight is None  # as in `cluster`
        antidote = self._checked(antidote)
        sample, _ = self.evaluator.draw(seed)
        weights = np.ones(len(sample) + len(antidote))
        weights[: len(sample)] = self.parts.n / len(sample)
        model = KMeans(self.k, n_init=restarts, random_state=seed)
        model.fit(np.vstack([sample, antidote]), sample_weight=weights)
        found = self.evaluator.descend(antidote, model.cluster_centers_)
        return self._judged(found.inertia, self._cost(found), found.counts, found.group_costs)

    def _box(self, name: str) -> Place:
        """As of a `Problem`; the percentiles of "plausible" are those of the sample."""
        if name not in BOXES or name == "plausible":
            return super()._box(name)
        return ranged(name, self.parts.lower, self.parts.upper)
