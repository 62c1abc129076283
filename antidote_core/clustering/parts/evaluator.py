"""Exact C(U ∪ V) for k-means where U lies in parts elsewhere.

The same portfolio as in `kmeans`, and the same fixpoints, but every Lloyd step is one exchange: the
driver sends centres, the holders of the parts answer with sums and counts per (cluster, group).
Runs that need a step at the same time, the starts of one evaluation or those of many, share the
exchange.

The starts come from a seeded sample of U, whose optima are carried on to fixpoints on all of U.
Up to SAMPLE points the sample is U itself, and the starts are those of `KMeansEvaluator`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from antidote_core.clustering.kmeans import (
    BUILD_LOOKS,
    SAME_BASIN,
    SAME_INERTIA,
    Fixpoint,
    KMeansEvaluator,
    other_starts,
)
from antidote_core.clustering.parts import LIST_SHARE, MAX_ANCHORS, PartWorkers, Steps, Sums
from antidote_core.types import Clustering, Floats, Ints

SAMPLE = 200_000
ROUNDING = 9  # digits in which two inertias must differ to be two


@dataclass(eq=False)
class _Run:
    """Lloyd's algorithm on U ∪ V on its way; the last cluster of a dropped run grew too large."""

    antidote: Floats
    centers: Floats
    most_held: float = np.inf
    reference: Floats | None = None
    sums: Floats = field(default_factory=lambda: np.empty(0))
    counts: Floats = field(default_factory=lambda: np.empty(0))
    done: bool = False
    dropped: bool = False
    costliest: tuple[int, Floats] | None = None  # most looks of a step, and its centres


class PartitionedEvaluator:
    """C(U ∪ V) for k-means over the parts that `part_workers` hold.

    `counts` says how many rows each part gives to the sample, by file name.
    """

    def __init__(
        self, part_workers: PartWorkers, counts: Mapping[str, int], k: int, restarts: int, seed: int
    ) -> None:
        from antidote_core.clustering import anchors

        self._kernels = anchors
        self._part_workers = part_workers
        self._counts = counts
        self.k = k
        self._squares = np.sum(part_workers.call_all("squares"), axis=0)
        self._anchors: list[Floats] = []
        self._uses: list[int] = []
        self._debt = 0
        self.exchanges = 0

        self.sample_points, self.sample_groups = self.draw(seed)
        sampled = KMeansEvaluator(self.sample_points, self.sample_groups, k, restarts, seed)
        self.basins, self.basin_inertias = self._carried_on(sampled.basins)
        self._capture: Floats | None = None
        if restarts > 1:
            assert sampled.capture_centers is not None
            self._capture = self._carried_on(sampled.capture_centers[None])[0][0]
        for centers in self.basins:
            self._add_anchor(centers)
        self._fixed = len(self._anchors)  # anchors that stay

    def draw(self, seed: int) -> tuple[Floats, Ints]:
        """A seeded sample of U: points (s, d) and groups (s,); all of U where it is small."""
        drawn = self._part_workers.call_all("sample", dict(self._counts), seed)
        points, groups = zip(*drawn, strict=True)
        return np.concatenate(points), np.concatenate(groups)

    def _carried_on(self, starts: Floats) -> tuple[Floats, Floats]:
        """The distinct fixpoints on U from the starts (b, k, d), best first, and their inertias."""
        none = np.empty((0, self._part_workers.d))
        found = []
        for start in starts:  # one at a time: a part remembers one reference
            run = _Run(none, np.array(start))
            self._settle([run])
            found.append(self._fixpoint(run))
        best = min(point.inertia for point in found)
        # Optima equal but for rounding stay in the order in which the sample ranks them.
        found.sort(key=lambda point: round(point.inertia / best, ROUNDING) if best else 0.0)
        distinct = found[:1]
        for point in found[1:]:
            if all(abs(point.inertia - o.inertia) > SAME_BASIN * o.inertia for o in distinct):
                distinct.append(point)
        return np.stack([p.centers for p in distinct]), np.array([p.inertia for p in distinct])

    @property
    def capture_centers(self) -> Floats | None:
        """The (k-1)-means centres of U that the portfolio uses; None with `restarts=1`."""
        return self._capture

    @property
    def vanilla(self) -> Clustering:
        """The clustering of U alone."""
        return self.solve(np.empty((0, self._part_workers.d)))

    def statistics(self, antidote: Floats) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V)."""
        best = self.fixpoints([antidote])[0]
        return best.centers, best.counts, best.group_costs

    def fixpoints(self, antidotes: Sequence[Floats]) -> list[Fixpoint]:
        """C(U ∪ V) for many V at once; every exchange serves them all."""
        portfolio = []
        for antidote in antidotes:
            runs = [_Run(antidote, self.basins[0])]
            runs += [
                _Run(antidote, *other)
                for other in other_starts(self.basins, self._capture, antidote)
            ]
            portfolio.append(runs)
        self._settle([run for runs in portfolio for run in runs])
        self._learn([run for runs in portfolio for run in runs])
        chosen = []
        for runs in portfolio:
            ended = [self._fixpoint(run) for run in runs if not run.dropped]
            best = ended[0]
            for candidate in ended[1:]:
                if candidate.inertia < best.inertia * (1.0 - SAME_INERTIA):
                    best = candidate
            chosen.append(best)
        return chosen

    def descend(self, antidote: Floats, start: Floats) -> Fixpoint:
        """Where Lloyd's algorithm on U ∪ V ends from the centres `start` (k, d)."""
        run = _Run(np.array(antidote, order="C"), np.array(start, order="C"))
        self._settle([run])
        return self._fixpoint(run)

    def solve(self, antidote: Floats) -> Clustering:
        """C(U ∪ V) with the labels of all points of U, fetched from the parts."""
        best = self.fixpoints([antidote])[0]
        return Clustering(best.centers, self.labels(best.centers), best.inertia)

    def labels(self, centers: Floats) -> Ints:
        """Nearest centre of every point of U, in the order of the parts."""
        return np.concatenate(self._part_workers.call_all("labels", centers)).astype(np.int64)

    def _fixpoint(self, run: _Run) -> Fixpoint:
        costs = np.empty(self._part_workers.g)
        inertia = self._kernels.group_costs(run.centers, run.sums, run.counts, self._squares, costs)
        inertia += self._kernels.antidote_inertia(run.antidote, run.centers)
        return Fixpoint(float(inertia), run.centers, run.counts, costs)

    def _settle(self, runs: list[_Run]) -> None:
        """All runs to their fixpoints, step by step together."""
        for iteration in range(self._kernels.MAX_ITERATIONS + 1):
            active = [run for run in runs if not run.done]
            if not active:
                break
            told = self._exchange(active)
            for run, sums, counts, looks in zip(active, *told, strict=True):
                run.sums, run.counts = sums, counts
                self._note_looks(run, int(looks))
                run.done = iteration == self._kernels.MAX_ITERATIONS or not self._moved(run)

    def _exchange(self, runs: list[_Run]) -> Sums:
        places: list[Floats] = []
        where: dict[int, int] = {}

        def place(centers: Floats | None) -> int:
            if centers is None:
                return -1
            if id(centers) not in where:
                where[id(centers)] = len(places)
                places.append(centers)
            return where[id(centers)]

        question = Steps(
            centers=np.stack([run.centers for run in runs]),
            anchor=np.array([place(self._nearest_anchor(run)) for run in runs], dtype=np.int16),
            reference=np.array([place(run.reference) for run in runs], dtype=np.int16),
            most_held=np.array([run.most_held for run in runs]),
            places=tuple(places),
        )
        self.exchanges += 1
        answers = self._part_workers.call_all("step", question)
        return Sums(*(np.sum(column, axis=0) for column in zip(*answers, strict=True)))

    def _nearest_anchor(self, run: _Run) -> Floats | None:
        """The anchor whose centres have moved least; the bare one for a run with a limit."""
        if np.isfinite(run.most_held):
            return self._capture
        if not self._anchors or run.centers.shape != self._anchors[0].shape:
            return None
        away = np.linalg.norm(np.stack(self._anchors) - run.centers, axis=2).sum(axis=1)
        nearest = int(np.argmin(away))
        self._uses[nearest] += 1
        return self._anchors[nearest]

    def _note_looks(self, run: _Run, looks: int) -> None:
        n = self._part_workers.n
        if looks > n // LIST_SHARE:  # no anchor was near enough
            if run.reference is None:
                run.reference = run.centers
            elif looks > n // 3:
                run.reference = None
        if not np.isfinite(run.most_held):
            self._debt += looks
            if run.costliest is None or looks > run.costliest[0]:
                run.costliest = looks, run.centers

    def _learn(self, runs: list[_Run]) -> None:
        """Remember the centres that took most looks, once looking has cost as much as that."""
        full = len(self._anchors) == MAX_ANCHORS - 1  # the bare one is not in the list
        # Evicting an anchor must pay for losing it as well.
        if self._debt <= BUILD_LOOKS * self._part_workers.n * (4 if full else 1):
            return
        self._debt = 0
        seen = [run.costliest for run in runs if run.costliest is not None]
        self._add_anchor(max(seen, key=lambda pair: pair[0])[1])

    def _add_anchor(self, centers: Floats) -> None:
        if len(self._anchors) == MAX_ANCHORS - 1:
            least = min(range(self._fixed, len(self._anchors)), key=self._uses.__getitem__)
            del self._anchors[least], self._uses[least]
            self._uses = [uses // 2 for uses in self._uses]
        self._anchors.append(centers)
        self._uses.append(max(self._uses, default=0) + 1)

    def _moved(self, run: _Run) -> bool:
        """Move the centres to the means; false when nothing moves, or the run is dropped."""
        count, total = run.counts.sum(axis=1), run.sums.sum(axis=1)
        if count[-1] > run.most_held:
            run.dropped = True
            return False
        labels = np.empty(len(run.antidote), dtype=np.int64)
        squared = np.empty(len(run.antidote))
        self._kernels.assign(run.antidote, run.centers, labels, squared)
        count += np.bincount(labels, minlength=len(count))
        total += (labels == np.arange(len(count))[:, None]).astype(np.float64) @ run.antidote
        if (count == 0.0).any():
            self._refill(run, count, total, run.antidote, labels, squared)
        centers = total / count[:, None]
        if np.array_equal(centers, run.centers):
            return False
        run.centers = centers
        return True

    def _refill(
        self,
        run: _Run,
        count: Floats,
        total: Floats,
        antidote: Floats,
        labels: Ints,
        squared: Floats,
    ) -> None:
        """Scikit-learn's rule: an emptied cluster takes the point farthest from its centre.

        The one case in which points travel: as many as there are empty clusters.
        """
        run.most_held = np.inf
        empty = np.flatnonzero(count == 0.0)
        told = self._part_workers.call_all("farthest", run.centers, len(empty))
        points, owners, away = (
            np.concatenate(column)
            for column in zip(*told, (antidote, labels, squared), strict=True)
        )
        far = np.argsort(-away, kind="stable")[: len(empty)]
        for cluster, row in zip(empty, far, strict=True):
            if away[far[0]] == 0.0:  # fewer distinct points than clusters
                total[cluster], count[cluster] = run.centers[cluster], 1.0
                continue
            total[cluster], count[cluster] = points[row], 1.0
            total[owners[row]] -= points[row]
            count[owners[row]] -= 1.0
