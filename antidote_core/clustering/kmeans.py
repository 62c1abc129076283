"""Plain k-means, and its exact evaluation on U ∪ V.

C(U ∪ V) is the lowest-inertia fixpoint of Lloyd's algorithm over a fixed, deterministic set of
starts (the *portfolio*): the distinct optima of U that the restarts find, and, where V might take a
centre for itself, the (k-1)-means centres of U with one more centre at V. Such a run is dropped
once U outnumbers V by 20 to 1 around the extra centre: V does not hold it then, and the run is a
clustering of U in its own right, for which the restarts on U stand. With `restarts=1`, the paper's
way, the only start is the one optimum found on U.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from antidote_core.checks import check_weights
from antidote_core.errors import SpecError
from antidote_core.geometry import nearest_center
from antidote_core.types import Clustering, Floats, Ints

MAX_BASINS = 5
SAME_BASIN = 1e-3  # optima whose inertia differs by less than 0.1% count as one
SAME_INERTIA = 1e-12
MORE_STARTS = 3  # times as many starts again where the best two disagree
ANCHOR_BYTES = 512 * 2**20  # memory limit of all anchors together
MAX_ANCHORS = 32
HELD = 20  # points of U per point of V beyond which V does not hold a centre
QUICK_NUMBERS = 300_000  # coordinates; ten starts on so many take about a tenth of a second
MAX_ITERATIONS = 300
TOLERANCE = 1e-4  # scikit-learn's own, of the variance
MAX_PAIRED = 6000  # points of which all pairs are held in memory
BUILD_LOOKS = 8  # building an anchor costs about as much as looking 8 times at every point


def fit_kmeans(
    points: Floats,
    k: int,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> Clustering:
    """Scikit-learn's k-means with k-means++ starts; the best of `restarts` runs.

    >>> fit_kmeans(np.array([[0.0], [1.0], [8.0], [9.0]]), k=2).objective
    1.0
    """
    from sklearn.cluster import KMeans

    check_k(points, k)
    tol = TOLERANCE if sample_weight is None else _tolerance(points, sample_weight)
    model = KMeans(k, n_init=restarts, random_state=seed, tol=tol)
    model.fit(points, sample_weight=sample_weight)
    return Clustering(model.cluster_centers_, model.labels_.astype(np.int64), float(model.inertia_))


def _tolerance(points: Floats, weights: Floats) -> float:
    """The tolerance with which weighted rows stop where repeated rows would.

    Scikit-learn measures it by the variance of the rows, whatever they weigh.
    """
    middle = np.average(points, axis=0, weights=weights)
    weighted = np.average((points - middle) ** 2, axis=0, weights=weights).mean()
    return TOLERANCE * float(weighted / points.var(axis=0).mean())


def fit_kmeans_by_starts(
    points: Floats,
    k: int,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> Iterator[Clustering]:
    """`fit_kmeans` with a pause after each start: the best so far, at the end the same answer.

    Few points need no pause: there all starts are one step, which saves preparing each of them.

    >>> points = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> [fit.objective for fit in fit_kmeans_by_starts(points, k=2, restarts=3)]
    [1.0]
    """
    from sklearn.cluster import KMeans

    if points.size <= QUICK_NUMBERS:
        yield fit_kmeans(points, k, restarts, seed, sample_weight)
        return
    check_k(points, k)
    tol = TOLERANCE if sample_weight is None else _tolerance(points, sample_weight)
    draws = np.random.RandomState(seed)  # one stream for all starts, as scikit-learn has it
    best: Clustering | None = None
    for _ in range(restarts):
        model = KMeans(k, n_init=1, random_state=draws, tol=tol)
        model.fit(points, sample_weight=sample_weight)
        inertia = float(model.inertia_)
        if best is None or (
            inertia < best.objective and not _same_clusters(model.labels_, best.labels, k)
        ):
            labels = model.labels_.astype(np.int64)
            best = Clustering(model.cluster_centers_, labels, inertia)
        yield best


def _same_clusters(first: Ints, second: Ints, k: int) -> bool:
    """Whether two labellings are one but for the numbers of the clusters."""
    table = np.bincount(first.astype(np.int64) * k + second, minlength=k * k).reshape(k, k) > 0
    return bool((table.sum(axis=1) <= 1).all())


def check_k(points: Floats, k: int) -> None:
    """Refuse k below 2 or above the number of distinct points."""
    if k < 2:
        raise SpecError(f"k must be at least 2 clusters; got {k}.")
    if k > len(points):
        raise SpecError(f"k must be at most the number of points ({len(points)}); got {k}.")
    distinct = len(np.unique(points[: 50 * k], axis=0))
    if distinct < k:
        distinct = len(np.unique(points, axis=0))
    if distinct < k:
        raise SpecError(
            f"k must be at most the number of distinct points ({distinct}); got {k}. "
            "Choose a smaller k or more features."
        )


def check_all_pairs(title: str, points: Floats) -> None:
    """Refuse more points than a clustering that compares all pairs of them can hold."""
    if len(points) > MAX_PAIRED:
        raise SpecError(
            f"{title} compares all pairs of points and takes at most {MAX_PAIRED}; "
            f"got {len(points)}. Use a sample, for example sample=2000."
        )


class Fixpoint(NamedTuple):
    """Where Lloyd ended: inertia on U ∪ V, and centres, counts and group costs of U."""

    inertia: float
    centers: Floats
    counts: Floats
    group_costs: Floats


class KMeansEvaluator:
    """Exact C(U ∪ V) for k-means by anchors (see `anchors`).

    points (n, d), groups (n,) in 0..g-1. Every result is that of full Lloyd runs from the same
    starts; the anchors only save looking at points whose label cannot change. With `sample_weight`
    (n,) sums, counts, averages and inertia are weighted; points of V weigh 1 each.
    """

    def __init__(
        self,
        points: Floats,
        groups: Ints,
        k: int,
        restarts: int,
        seed: int,
        sample_weight: Floats | None = None,
    ) -> None:
        check_k(points, k)
        # Copies: numba compiles anew for arrays that cannot be written to.
        self._points = np.array(points, dtype=np.float64, order="C")
        self._groups = np.array(groups, dtype=np.int64)
        self.k = k
        n = len(points)
        squares = np.einsum("ij,ij->i", points, points)
        # What kernels get besides: nothing without weights, so that they are compiled without.
        self._weights: Floats | None = None
        self._weighted: tuple[Floats, ...] = ()
        if sample_weight is not None:
            self._weights = check_weights(sample_weight, n)
            self._weighted = (self._weights,)
            squares = squares * self._weights
        self._squares = np.bincount(groups, weights=squares)
        self._get_ready()

        optima = self._optima(k, restarts, seed)
        basins: list[Floats] = []
        kept: list[float] = []
        for inertia, centers in optima:
            if len(basins) < MAX_BASINS and all(
                abs(inertia - other) > SAME_BASIN * other for other in kept
            ):
                basins.append(centers)
                kept.append(inertia)
        self.basins = np.stack(basins)
        self.basin_inertias = np.array(kept)
        self._capture = self._optima(k - 1, restarts, seed)[0][1] if restarts > 1 else None
        self._add_anchors()
        self.vanilla = self.solve(self._points[:0])

    def _get_ready(self) -> None:
        """Kernels, and room for what they remember."""
        from antidote_core.clustering import anchors

        self._kernels = anchors
        k, (n, d), g = self.k, self._points.shape, len(self._squares)
        per_anchor = (k - 1) * n * 12
        capacity = int(np.clip(ANCHOR_BYTES // per_anchor, 2, MAX_ANCHORS))
        self._used = 0
        self._anchors = np.zeros((capacity, k, d))
        self._bare = np.zeros(capacity, dtype=np.bool_)
        self._offsets = np.zeros((capacity, k + 1), dtype=np.int64)
        self._order = np.empty((capacity, k - 1, n), dtype=np.int32)
        self._keys = np.empty((capacity, k - 1, n))
        self._sums = np.zeros((capacity, k, g, d))
        self._counts = np.zeros((capacity, k, g))
        self._uses = np.zeros(capacity, dtype=np.int64)
        self._debt = 0
        self._lengths = np.zeros((k, k - 1), dtype=np.int64)
        self._best_lengths = np.zeros((k, k - 1), dtype=np.int64)
        self._costliest = np.empty((k, d))
        self._margins = np.empty(n)
        self._labels = np.empty(n, dtype=np.int64)

    def _add_anchors(self) -> None:
        """The centres from which most runs of Lloyd start."""
        if self._capture is not None:
            self._add_anchor(self._capture)
        self._home = self._used
        for centers in self.basins[: len(self._anchors) - self._used]:
            self._add_anchor(centers)

    def copy(self) -> KMeansEvaluator:
        """One in the same state; what either does from here on, the other does not see."""
        twin = copy.copy(self)
        for name in ("_anchors", "_bare", "_offsets", "_sums", "_counts", "_uses"):
            setattr(twin, name, getattr(self, name).copy())
        for name in ("_order", "_keys"):  # large, and filled no further than the anchors in use
            array = getattr(self, name)
            setattr(twin, name, np.empty_like(array))
            getattr(twin, name)[: self._used] = array[: self._used]
        for name in (
            "_lengths", "_best_lengths", "_costliest", "_margins", "_labels",
        ):  # fmt: skip
            setattr(twin, name, np.empty_like(getattr(self, name)))
        return twin

    def _optima(self, k: int, restarts: int, seed: int) -> list[tuple[float, Floats]]:
        """Fixpoints of Lloyd on U alone from `restarts` seeded starts, best first.

        So that plain clustering is the same for every seed, two starts that know no seed join in
        where they come lower, and where the best two starts disagree there are as many starts
        again. With one start, the paper's way, there is none but that.
        """
        if k == 1:
            center = np.average(self._points, axis=0, weights=self._weights, keepdims=True)
            away = ((self._points - center) ** 2).sum(axis=1)
            return [(self._total(away), center)]
        seeds = np.random.SeedSequence(seed).generate_state(restarts * (1 + MORE_STARTS))
        found = [self._start(k, random_state=int(s)) for s in seeds[:restarts]]
        if restarts == 1:
            return found
        lowest = min(inertia for inertia, _ in found) * (1.0 - SAME_BASIN)
        fixed = [
            self._start(k, init=start) for start in fixed_starts(self._points, k, self._weights)
        ]
        found += [optimum for optimum in fixed if optimum[0] < lowest]
        found.sort(key=_inertia)
        for more in range(1, 1 + MORE_STARTS):
            if found[1][0] <= found[0][0] * (1.0 + SAME_BASIN) or any(found[0] is f for f in fixed):
                break
            again = seeds[more * restarts : (more + 1) * restarts]
            found += [self._start(k, random_state=int(s)) for s in again]
            found.sort(key=_inertia)
        return found

    def _start(self, k: int, **options: Any) -> tuple[float, Floats]:
        """The fixpoint of Lloyd on U that one start of scikit-learn's k-means leads to."""
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(k, n_init=1, **options)
            model.fit(self._points, sample_weight=self._weights)
        return self._fixpoint(model.cluster_centers_)

    def _fixpoint(self, centers: Floats) -> tuple[float, Floats]:
        """Lloyd on U alone until nothing moves; the same centres to the last bit on every run."""
        g = len(self._squares)
        centers = np.ascontiguousarray(centers)
        sums = np.empty((*centers.shape[:1], g, centers.shape[1]))
        counts = np.empty((len(centers), g))
        for _ in range(MAX_ITERATIONS):
            self._full_statistics(centers, sums, counts)
            totals = counts.sum(axis=1, keepdims=True)
            moved = np.where(
                totals > 0, sums.sum(axis=1) / np.where(totals > 0, totals, 1.0), centers
            )
            if np.array_equal(moved, centers):
                break
            centers = moved
        return self._group_costs(centers, sums, counts, np.empty(g)), centers

    def _full_statistics(self, centers: Floats, sums: Floats, counts: Floats) -> None:
        self._kernels.full_statistics(
            self._points, self._groups, centers, sums, counts, *self._weighted
        )

    def _group_costs(self, centers: Floats, sums: Floats, counts: Floats, costs: Floats) -> float:
        """Fill in the average cost of every group (g,); the inertia on U."""
        return float(self._kernels.group_costs(centers, sums, counts, self._squares, costs))

    def _total(self, squared: Floats) -> float:
        """The sum over U of squared distances (n,), weighted where rows have weights."""
        return float(squared.sum() if self._weights is None else squared @ self._weights)

    def _add_anchor(self, centers: Floats) -> None:
        if self._used < len(self._anchors):
            a = self._used
            self._used += 1
        else:
            a = int(np.argmin(self._uses))
            self._uses //= 2
        known = len(centers)
        self._anchors[a, :known] = centers
        self._bare[a] = known < self.k
        _, self._offsets[a], self._keys[a], self._order[a] = self._kernels.anchor_lists(
            self._points, self._anchors[a, :known], self.k
        )
        self._sums[a] = 0.0
        self._counts[a] = 0.0
        self._full_statistics(
            self._anchors[a, :known], self._sums[a, :known], self._counts[a, :known]
        )
        self._uses[a] = int(self._uses[: self._used].max()) + 1
        # Looks after which another anchor pays; evicting one must pay for losing it as well.
        full = self._used == len(self._anchors)
        self._build_looks = BUILD_LOOKS * len(self._points) * (4 if full else 1)

    def _lloyd(
        self, antidote: Floats, start: Floats, hint: int, most_held: float = np.inf
    ) -> Fixpoint | None:
        """The fixpoint reached from `start`, or None if the run was dropped."""
        k, g, d = self._sums.shape[1:]
        centers = np.empty((k, d))
        sums = np.empty((k, g, d))
        counts = np.empty((k, g))
        costs = np.empty(g)
        looks, outcome, inertia = self._kernels.lloyd(
            self._points, self._groups, antidote, start, self._used, self._anchors, self._bare,
            self._offsets, self._order, self._keys, self._sums, self._counts, self._uses, hint,
            most_held, centers, sums, counts, self._lengths, self._best_lengths, self._costliest,
            self._margins, self._labels, self._squares, costs, *self._weighted,
        )  # fmt: skip
        if outcome == self._kernels.DROPPED:
            return None
        self._debt += looks
        if self._debt > self._build_looks:
            self._debt = 0
            self._add_anchor(self._costliest)
        if outcome == self._kernels.EMPTIED:
            union = np.vstack([self._points, antidote])
            centers = _scikit_lloyd(union, start, with_antidote(self._weights, len(antidote)))
            self._full_statistics(centers, sums, counts)
            inertia = self._group_costs(centers, sums, counts, costs)
            inertia += self._kernels.antidote_inertia(antidote, centers)
        return Fixpoint(inertia, centers, counts, costs)

    def descend(self, antidote: Floats, start: Floats) -> Fixpoint:
        """Where Lloyd's algorithm on U ∪ V ends from the centres `start` (k, d)."""
        found = self._lloyd(np.array(antidote, order="C"), np.array(start, order="C"), -1)
        assert found is not None  # only runs with a limit are dropped
        return found

    def at(self, centers: Floats) -> tuple[Floats, Floats]:
        """Counts (k, g) and group costs (g,) of U, every point at the nearest of these centres."""
        k, g, d = self.k, len(self._squares), self._points.shape[1]
        sums, counts, costs = np.empty((k, g, d)), np.empty((k, g)), np.empty(g)
        centers = np.array(centers, order="C")
        self._full_statistics(centers, sums, counts)
        self._group_costs(centers, sums, counts, costs)
        return counts, costs

    @property
    def capture_centers(self) -> Floats | None:
        """The (k-1)-means centres of U that the portfolio uses; None with `restarts=1`."""
        return self._capture

    def statistics(
        self, antidote: Floats, weight: Floats | None = None, start: Floats | None = None
    ) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V).

        `weight` (m,) of the points of V, 1 each where it is left out; `start` (k, d) joins the
        fixed starts.
        """
        joining = [] if start is None else [(np.array(start, order="C"), np.inf)]
        if weight is not None:
            centers = self._weighted_centers(antidote, weight, joining)
            return centers, *self.at(centers)
        best = self._lloyd(antidote, self.basins[0], self._home)
        assert best is not None
        for other, most_held in [*self._other_starts(antidote), *joining]:
            candidate = self._lloyd(antidote, other, -1, most_held)
            if candidate is not None and candidate.inertia < best.inertia * (1.0 - SAME_INERTIA):
                best = candidate
        return best.centers, best.counts, best.group_costs

    def _weighted_centers(
        self, antidote: Floats, weight: Floats, joining: list[tuple[Floats, float]]
    ) -> Floats:
        """C(U ∪ V) with weights (m,) of the points of V, from the same starts."""
        union = np.vstack([self._points, antidote])
        weights = with_antidote(self._weights, len(antidote), weight, len(self._points))
        assert weights is not None
        starts = other_starts(self.basins, self._capture, antidote, weight)
        lowest, best = np.inf, self.basins[0]
        for start, most_held in [(best, np.inf), *starts, *joining]:
            centers = self._weighted_lloyd(union, weights, start, most_held)
            if centers is None:
                continue
            inertia = float(nearest_center(union, centers)[1] @ weights)
            if inertia < lowest * (1.0 - SAME_INERTIA):
                lowest, best = inertia, centers
        return best

    def _weighted_lloyd(
        self, union: Floats, weights: Floats, start: Floats, most_held: float
    ) -> Floats | None:
        """As the kernel `lloyd`, with a weight for every point of U ∪ V; None if dropped."""
        n, k, centers = len(self._points), len(start), start
        for _ in range(MAX_ITERATIONS):
            labels, _ = nearest_center(union, centers)
            if weights[:n] @ (labels[:n] == k - 1) > most_held:
                return None
            totals = np.bincount(labels, weights, k)
            if not totals.all():
                return _scikit_lloyd(union, start, weights)
            sums = [np.bincount(labels, weights * column, k) for column in union.T]
            moved = np.stack(sums, axis=1) / totals[:, None]
            if np.array_equal(moved, centers):
                break
            centers = moved
        return centers

    def _other_starts(self, antidote: Floats) -> list[tuple[Floats, float]]:
        return other_starts(self.basins, self._capture, antidote)

    def solve(
        self, antidote: Floats, weight: Floats | None = None, start: Floats | None = None
    ) -> Clustering:
        """C(U ∪ V) with the labels of all points of U; `weight` and `start` as in `statistics`."""
        centers, _, _ = self.statistics(antidote, weight, start)
        labels = np.empty(len(self._points), dtype=np.int64)
        squared = np.empty(len(self._points))
        self._kernels.assign(self._points, centers, labels, squared)
        if weight is None:
            added = self._kernels.antidote_inertia(antidote, centers)
        else:
            added = nearest_center(antidote, centers)[1] @ weight
        inertia = self._total(squared) + added
        return Clustering(centers, labels, float(inertia))


class NumpyKMeansEvaluator(KMeansEvaluator):
    """The same C(U ∪ V) up to rounding with nothing compiled: a page need not wait for that.

    Every step of Lloyd looks at every point, so that this is for few evaluations or few points.

    >>> points, groups = np.array([[0.0], [1.0], [8.0], [9.0]]), np.array([0, 1, 0, 1])
    >>> NumpyKMeansEvaluator(points, groups, 2, 10, 0).vanilla.objective
    1.0
    """

    def _get_ready(self) -> None:
        """Nothing is remembered."""

    def _add_anchors(self) -> None:
        self._home = -1

    def copy(self) -> NumpyKMeansEvaluator:
        """One in the same state, which nothing changes."""
        return self

    def _full_statistics(self, centers: Floats, sums: Floats, counts: Floats) -> None:
        labels, _ = nearest_center(self._points, centers)
        g = len(self._squares)
        cells = labels * g + self._groups
        counts[:] = np.bincount(cells, self._weights, counts.size).reshape(counts.shape)
        for a, column in enumerate(self._points.T):
            weighted = column if self._weights is None else column * self._weights
            sums[:, :, a] = np.bincount(cells, weighted, counts.size).reshape(counts.shape)

    def _group_costs(self, centers: Floats, sums: Floats, counts: Floats, costs: Floats) -> float:
        norms = (centers**2).sum(axis=1) @ counts
        totals = self._squares + norms - 2.0 * np.einsum("cd,cgd->g", centers, sums)
        np.maximum(totals, 0.0, out=totals)
        sizes = counts.sum(axis=0)
        costs[:] = np.where(sizes > 0.0, totals / np.where(sizes > 0.0, sizes, 1.0), 0.0)
        return float(totals.sum())

    def _lloyd(
        self, antidote: Floats, start: Floats, hint: int, most_held: float = np.inf
    ) -> Fixpoint | None:
        k, g, d = self.k, len(self._squares), self._points.shape[1]
        sums, counts, costs = np.empty((k, g, d)), np.empty((k, g)), np.empty(g)
        centers = start
        for iteration in range(MAX_ITERATIONS + 1):
            self._full_statistics(centers, sums, counts)
            labels, squared = nearest_center(antidote, centers)
            held = counts.sum(axis=1)
            if iteration == MAX_ITERATIONS:
                break
            if held[-1] > most_held:
                return None
            totals = held + np.bincount(labels, minlength=k)
            if not totals.all():
                union = np.vstack([self._points, antidote])
                centers = _scikit_lloyd(union, start, with_antidote(self._weights, len(antidote)))
                self._full_statistics(centers, sums, counts)
                _, squared = nearest_center(antidote, centers)
                break
            moved = sums.sum(axis=1)
            np.add.at(moved, labels, antidote)
            moved /= totals[:, None]
            if np.array_equal(moved, centers):
                break
            centers = moved
        inertia = self._group_costs(centers, sums, counts, costs) + float(squared.sum())
        return Fixpoint(inertia, centers, counts, costs)

    def solve(
        self, antidote: Floats, weight: Floats | None = None, start: Floats | None = None
    ) -> Clustering:
        """C(U ∪ V) with the labels of all points of U; `weight` and `start` as in `statistics`."""
        centers, _, _ = self.statistics(antidote, weight, start)
        labels, squared = nearest_center(self._points, centers)
        added = nearest_center(antidote, centers)[1]
        inertia = self._total(squared) + float(added.sum() if weight is None else added @ weight)
        return Clustering(centers, labels, inertia)


def with_antidote(
    weights: Floats | None, size: int, added: Floats | None = None, n: int = 0
) -> Floats | None:
    """The weights of U ∪ V, (n + size,): those of U, and 1 for every point of V, or `added`.

    None where all are 1; the n rows of U weigh 1 each where they have no weights.

    >>> with_antidote(np.array([2.0, 0.5]), 1).tolist()
    [2.0, 0.5, 1.0]
    >>> with_antidote(None, 1, np.array([0.5]), n=2).tolist()
    [1.0, 1.0, 0.5]
    """
    if weights is None and added is None:
        return None
    own = np.ones(n) if weights is None else weights
    return np.concatenate([own, np.ones(size) if added is None else added])


def fixed_starts(points: Floats, k: int, weights: Floats | None = None) -> list[Floats]:
    """Two starts (k, d) that depend on no seed: the points that lie farthest off, beginning at the
    middle of all; and the means of k equal parts along the direction of largest variance.

    Random starts often miss a small cluster far off, and seldom the large ones.

    >>> [start.ravel().tolist() for start in fixed_starts(np.array([[0.0], [1.0], [8.0]]), 2)]
    [[3.0, 8.0], [0.5, 8.0]]
    """
    middle = np.average(points, axis=0, weights=weights)
    far = [middle]
    away = ((points - middle) ** 2).sum(axis=1)
    for _ in range(k - 1):
        far.append(points[away.argmax()])
        away = np.minimum(away, ((points - far[-1]) ** 2).sum(axis=1))
    main = np.linalg.eigh(np.atleast_2d(np.cov(points.T, aweights=weights)))[1][:, -1]
    main = main * np.sign(main[np.abs(main).argmax()])  # the same on every machine
    order = np.argsort((points - middle) @ main, kind="stable")
    if weights is not None:
        return [np.array(far), _means_of_parts(points[order], weights[order], k)]
    parts = np.array_split(order, k)
    return [np.array(far), np.array([points[part].mean(axis=0) for part in parts])]


def _means_of_parts(points: Floats, weights: Floats, k: int) -> Floats:
    """Means (k, d) of k parts of equal weight, rows in this order; a row may be divided.

    A whole weight is divided as so many rows would be, none of them in two.
    """
    ends = np.concatenate([[0.0], np.cumsum(weights)])
    sums = np.vstack([np.zeros(points.shape[1]), np.cumsum(points * weights[:, None], axis=0)])
    first = np.arange(k + 1)
    size, more = divmod(ends[-1], k)
    whole = more.is_integer() and size >= 1.0
    cuts = size * first + np.minimum(first, more) if whole else ends[-1] * first / k
    at_cuts = np.stack([np.interp(cuts, ends, column) for column in sums.T], axis=1)
    return np.asarray(np.diff(at_cuts, axis=0) / np.diff(cuts)[:, None])


def _inertia(optimum: tuple[float, Floats]) -> float:
    return optimum[0]


def other_starts(
    basins: Floats, capture: Floats | None, antidote: Floats, weight: Floats | None = None
) -> list[tuple[Floats, float]]:
    """The starts of the portfolio besides basins[0], each with the most points of U it may hold.

    `weight` (m,) of the points of V, 1 each where it is left out.
    """
    starts = [(centers, np.inf) for centers in basins[1:]]
    if capture is not None and len(antidote):
        squared = ((antidote[:, None, :] - capture) ** 2).sum(axis=2).min(axis=1)
        size = len(antidote) if weight is None else weight.sum()
        for location in (np.average(antidote, axis=0, weights=weight), antidote[squared.argmax()]):
            held = float(HELD * size)
            starts.append((np.vstack([capture, location]), held))
    return starts


def _scikit_lloyd(points: Floats, start: Floats, weights: Floats | None = None) -> Floats:
    """A run in which a cluster empties follows scikit-learn's rule: it takes the farthest point."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(len(start), init=start, n_init=1, tol=0.0)
        model.fit(points, sample_weight=weights)
    return np.ascontiguousarray(model.cluster_centers_)
