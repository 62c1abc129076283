"""What every fair algorithm takes and returns, so that tables and charts treat them alike.

Each result is scored twice, always under these two names: by its "own assignment" (the labels it
returns) and by "nearest centre" (only its centres are kept, as the paper's F does).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from antidote_core.checks import check_whole
from antidote_core.errors import DataError, SpecError
from antidote_core.fairness import balance_cost, balance_table, social_cost, social_table
from antidote_core.geometry import check_points
from antidote_core.quality import Quality, quality
from antidote_core.types import Floats, Ints

OWN = "own assignment"
NEAREST = "nearest centre"


class BaselineWarning(UserWarning):
    """Something in the data makes a result doubtful; the same sentence stands in its notes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BaselineResult:
    """A fair clustering of n points: labels (n,), centers (k, d), scores, and how far to trust it.

    `cost` is what the algorithm itself minimises. Balance and social costs are lower when fairer,
    and NaN where they cannot be computed. `certificate` is the number that vouches for the result,
    named by `certificate_name`. `notes` are sentences for the reader.
    """

    name: str
    labels: Ints
    centers: Floats
    cost: float
    balance_own: float
    social_own: float
    balance_nearest: float
    social_nearest: float
    certificate_name: str
    certificate: float
    seconds: float
    notes: tuple[str, ...]
    points: Floats | None = field(repr=False)
    sample_weight: Floats | None = field(default=None, repr=False)

    @cached_property
    def quality(self) -> Quality:
        """Quality scores of the own assignment, computed when first asked for."""
        if self.points is None:
            return Quality(math.nan, math.nan, math.nan, 0)
        return quality(self.points, self.labels, sample_weight=self.sample_weight)

    @property
    def scores(self) -> dict[str, dict[str, float]]:
        """The four costs, by the name of the scoring and then of the cost."""
        return {
            OWN: {"balance": self.balance_own, "social": self.social_own},
            NEAREST: {"balance": self.balance_nearest, "social": self.social_nearest},
        }


def four_scores(
    labels: Ints,
    centers: Floats,
    points: Floats,
    attributes: Sequence[Ints],
    weights: Floats | None = None,
) -> dict[str, float]:
    """Both costs in both scorings, by field name; of several attributes the worst decides."""
    k = len(centers)
    return {
        "balance_own": max(
            balance_table(labels, codes, k, int(codes.max()) + 1, weights).cost
            for codes in attributes
        ),
        "social_own": max(
            social_table(labels, centers, points, codes, weights).cost for codes in attributes
        ),
        "balance_nearest": max(
            balance_cost(centers, points, codes, weights) for codes in attributes
        ),
        "social_nearest": max(social_cost(centers, points, codes, weights) for codes in attributes),
    }


def check_groups_present(codes: Ints) -> int:
    """The number of groups, when every code 0..g-1 is carried by a point."""
    sizes = np.bincount(codes)
    if (sizes == 0).any():
        absent = int(np.argmin(sizes))
        raise DataError(
            f"Group {absent} is absent: no point carries this code, though codes go up to "
            f"{len(sizes) - 1}. Renumber the groups 0, 1, ... without gaps."
        )
    return len(sizes)


def check_instance(points: object, groups: object, k: int) -> tuple[Floats, Ints, int]:
    """Points (n, d), groups (n,) and the number of groups, fit for k clusters."""
    points, codes, _ = check_points(points, groups)
    g = check_groups_present(codes)
    check_k(k, len(points))
    return points, codes, g


def check_k(k: int, n: int) -> None:
    """k must be a whole number from 1 to n."""
    check_whole("k", k, 1)
    if k > n:
        raise SpecError(f"k must be at most the number of points ({n}); got {k}.")


def check_centers(centers: object, k: int, d: int, name: str) -> Floats:
    """Centres (k, d) of finite numbers."""
    array = np.asarray(centers, dtype=np.float64)
    if array.shape != (k, d):
        raise DataError(f"{name} must have shape ({k}, {d}); got {array.shape}.")
    if not np.isfinite(array).all():
        raise DataError(f"{name} must be finite numbers; a value is missing or infinite.")
    return array


def check_labels(labels: object, k: int, n: int) -> Ints:
    """Labels (n,) in 0..k-1."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise DataError(f"labels must hold one label per point ({n}); got shape {array.shape}.")
    if not np.issubdtype(array.dtype, np.integer) or array.min() < 0 or array.max() >= k:
        raise DataError(f"labels must be whole numbers from 0 to {k - 1}.")
    return array.astype(np.int64)


def check_delta(delta: object) -> float:
    """How far shares may stray from those of the data: from 0 to below 1."""
    if isinstance(delta, bool) or not isinstance(delta, int | float | np.number):
        raise SpecError(f"delta must be a number from 0 to below 1; got {delta!r}.")
    if not 0 <= float(delta) < 1:
        raise SpecError(f"delta must be at least 0 and below 1; got {delta}.")
    return float(delta)


def plain_kmeans(
    points: Floats, k: int, seed: int, weights: Floats | None = None
) -> tuple[Ints, Floats]:
    """Labels (n,) and centres (k, d) of k-means: the best of ten seeded starts of scikit-learn."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        # Fewer distinct points than clusters: the empty clusters are noted where they matter.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(k, n_init=10, random_state=seed)
        model.fit(points, sample_weight=weights)
    return model.labels_.astype(np.int64), np.asarray(model.cluster_centers_)


def cluster_means(points: Floats, labels: Ints, k: int, before: Floats) -> Floats:
    """Means (k, d) of the clusters; one without points keeps its centre of `before` (k, d)."""
    centers = before.copy()
    for cluster in np.unique(labels):
        centers[cluster] = points[labels == cluster].mean(axis=0)
    return centers


def squared_distances(points: Floats, centers: Floats) -> Floats:
    """Squared distances (n, k), written out so that near points lose no digits."""
    return np.stack([((points - center) ** 2).sum(axis=1) for center in centers], axis=1)
