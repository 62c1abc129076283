"""Sum-of-norms (convex) clustering, exactly, with a certificate.

    minimise over mu (n, d)   1/2 sum_j |x_j - mu_j|^2 + lambda sum_{i<j} |mu_i - mu_j|

Every point has a centre of its own, and centres that end up in the same place are one cluster. The
dual has one multiplier per pair, |zeta_ij| <= lambda, and with
theta_i = sum_{j>i} zeta_ij - sum_{j<i} zeta_ji it maximises <X, theta> - 1/2 |theta|^2; then
mu = X - theta. Its gradient in zeta_ij is mu_i - mu_j, with Lipschitz constant n, and projecting on
the balls is a scaling: an accelerated projected gradient solves it. The objective is strongly
convex, so a duality gap proves more than the objective value: |mu - mu*|^2 <= 2 gap.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from antidote_core.errors import DataError, SolverError, SpecError
from antidote_core.types import Floats, Ints

RELATIVE_GAP = 1e-10
# Centres closer than this part of the spread of the points (root mean square distance from their
# mean) are one cluster.
FUSE = 1e-4
MAX_ITERATIONS = 100_000
MAX_NUMBERS = 30_000_000  # multipliers of all pairs, in numbers: 240 MB, held three times


@dataclass(frozen=True, eq=False)
class SonClustering:
    """Centres (n, d), one per point, and labels (n,) of the points whose centres fuse.

    `objective` is at most `gap` above the smallest possible one; centres within `tolerance` of each
    other are fused. `multipliers` (n(n-1)/2, d) warm-start a similar problem.
    """

    centers: Floats
    labels: Ints
    objective: float
    gap: float
    tolerance: float
    iterations: int
    seconds: float
    multipliers: Floats = field(repr=False)

    @property
    def clusters(self) -> int:
        """Number of distinct centres."""
        return int(self.labels.max()) + 1


def son_clustering(
    points: Floats,
    lam: float,
    *,
    relative_gap: float = RELATIVE_GAP,
    fuse: float = FUSE,
    start: Floats | None = None,
) -> SonClustering:
    """Exact sum-of-norms clustering of points (n, d) at λ = `lam`.

    Stops when the duality gap is at most `relative_gap` times the objective. `start` may hold the
    multipliers of a similar problem of the same size; they change the time it takes, not the
    result beyond the gap.

    >>> found = son_clustering(np.array([[0.0], [1.0], [10.0]]), lam=0.6)
    >>> found.centers.round(6).tolist(), found.labels.tolist()
    ([[1.1], [1.1], [8.8]], [0, 0, 1])
    """
    begun = time.perf_counter()
    points = check_table(points)
    check_lambda(lam)
    _check_part("relative_gap", relative_gap)
    _check_part("fuse", fuse)
    n, d = points.shape
    pairs = n * (n - 1) // 2
    if pairs * d > MAX_NUMBERS:
        raise DataError(
            f"Convex clustering works on every pair of points, and {n:,} points with {d} features "
            f"are too many for it; wanted at most about {_most_points(d):,}. Take a sample."
        )
    first = np.zeros((pairs, d)) if start is None else _within(start, pairs, d, float(lam))
    from antidote_core.clustering.son_kernels import ascend

    middle = points.mean(axis=0)
    multipliers, centers, objective, gap, iterations = ascend(
        points - middle, float(lam), first, relative_gap, MAX_ITERATIONS
    )
    if gap > relative_gap * objective:
        raise SolverError(
            f"Convex clustering stopped after {iterations:,} steps with a relative gap of "
            f"{gap / objective:.1e} instead of {relative_gap:.1e}; allow a larger relative_gap."
        )
    gap = max(float(gap), 0.0)  # rounding can leave a sum of terms >= 0 a little below 0
    centers = centers + middle
    spread = math.sqrt(((points - middle) ** 2).sum() / n)
    # Two centres that are equal in truth are at most 2 sqrt(gap) apart here.
    tolerance = max(fuse * spread, 2.0 * math.sqrt(gap))
    return SonClustering(
        centers=centers,
        labels=fused(centers, tolerance),
        objective=float(objective),
        gap=gap,
        tolerance=tolerance,
        iterations=int(iterations),
        seconds=time.perf_counter() - begun,
        multipliers=multipliers,
    )


def son_path(
    points: Floats, lambdas: Sequence[float], *, relative_gap: float = RELATIVE_GAP
) -> Iterator[SonClustering]:
    """The clusterpath: one clustering per λ, each started from the one before.

    >>> points = np.array([[0.0], [1.0], [10.0]])
    >>> [found.clusters for found in son_path(points, [0.1, 0.6, 4.0])]
    [3, 2, 1]
    """
    start = None
    last = 1.0
    for lam in lambdas:
        check_lambda(lam)
        if start is not None:
            start = start * (lam / last)
        found = son_clustering(points, lam, relative_gap=relative_gap, start=start)
        yield found
        start, last = found.multipliers, lam


def lambda_of_one_cluster(points: Floats) -> float:
    """A λ at which all centres are equal: the largest distance of two points, divided by n.

    There zeta_ij = (x_i - x_j) / n lies inside every ball and makes each centre the mean. The
    smallest such λ may be lower.

    >>> lambda_of_one_cluster(np.array([[0.0], [1.0], [10.0]])).__round__(4)
    3.3333
    """
    points = check_table(points)
    largest = max(float(((points - x) ** 2).sum(axis=1).max()) for x in points)
    return math.sqrt(largest) / len(points)


def fused(centers: Floats, tolerance: float) -> Ints:
    """Labels (n,): centres joined by steps of at most `tolerance`, numbered as they first appear.

    >>> fused(np.array([[0.0], [5.0], [0.1]]), 0.2).tolist()
    [0, 1, 0]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    pairs = cKDTree(centers).query_pairs(tolerance, output_type="ndarray")
    n = len(centers)
    graph = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    return np.asarray(labels, dtype=np.int64)


def check_lambda(lam: object) -> None:
    """λ must be a positive number."""
    if isinstance(lam, bool) or not isinstance(lam, int | float | np.number):
        raise SpecError(f"λ (lam) must be a number above 0; got {lam!r}.")
    if not 0 < lam < math.inf:
        raise SpecError(
            f"λ (lam) must be a finite number above 0; got {float(lam):g}. At λ = 0 every point "
            "is its own centre and nothing is clustered."
        )


def check_table(points: object) -> Floats:
    """Points as a table (n, d) of finite numbers, or a sentence about them."""
    table = np.ascontiguousarray(points, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise DataError(
            f"points must be a table of numbers with one row per point; got shape {table.shape}."
        )
    if not np.isfinite(table).all():
        raise DataError("points must be finite numbers; a value is missing or infinite.")
    return table


def _check_part(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise SpecError(f"{name} must be a number between 0 and 1; got {value!r}.")


def _most_points(d: int) -> int:
    return int(math.sqrt(2 * MAX_NUMBERS / d))


def _within(start: Floats, pairs: int, d: int, lam: float) -> Floats:
    """The multipliers of another problem, pulled back into the balls of this one."""
    start = np.asarray(start, dtype=np.float64)
    if start.shape != (pairs, d):
        raise SpecError(
            f"start must hold one row per pair of points, shape ({pairs}, {d}); got {start.shape}."
        )
    norms = np.sqrt(np.einsum("pa,pa->p", start, start))
    return start * np.minimum(1.0, lam / np.maximum(norms, 1e-300))[:, None]
