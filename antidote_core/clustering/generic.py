"""Clusterings of others: their results checked, estimators as fits, C(U ∪ V) by running them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from antidote_core.clustering.kmeans import check_k, with_antidote
from antidote_core.errors import AntidoteError, SolverError, SpecError
from antidote_core.fairness.cost import assigned_squared, cluster_counts, group_means
from antidote_core.geometry import nearest_center
from antidote_core.types import Clustering, Floats, Ints

Fit = Callable[..., Clustering | Ints]


class GenericEvaluator:
    """C(U ∪ V) by a fit from scratch; the labels of U are those of the nearest centre, or its own.

    `fit` returns what is `checked_clustering`.
    """

    def __init__(
        self,
        fit: Callable[..., Clustering],
        by_nearest_center: bool,
        points: Floats,
        groups: Ints,
        k: int,
        restarts: int,
        seed: int,
        sample_weight: Floats | None = None,
    ) -> None:
        check_k(points, k)
        self._weights = sample_weight
        self._fit = fit
        self._by_nearest_center = by_nearest_center
        self._points = points
        self._groups = groups
        self._settings = {"k": k, "restarts": restarts, "seed": seed}
        self._latest: tuple[bytes, Clustering] | None = None
        self.vanilla = self.solve(np.empty((0, points.shape[1])))

    def _fitted(self, antidote: Floats) -> Clustering:
        """The fit on U ∪ V; asked twice in a row for the same V, it is made once."""
        key = antidote.tobytes()
        if self._latest is None or self._latest[0] != key:
            union = np.vstack([self._points, antidote])
            weights = with_antidote(self._weights, len(antidote))
            weighing = {} if weights is None else {"sample_weight": weights}
            self._latest = (key, self._fit(union, **self._settings, **weighing))
        return self._latest[1]

    def _labels(self, fitted: Clustering) -> tuple[Ints, Floats]:
        """Labels (n,) of U and the squared distances (n,) to the centres they name."""
        if self._by_nearest_center:
            return nearest_center(self._points, fitted.centers)
        labels = fitted.labels[: len(self._points)]
        return labels, assigned_squared(labels, fitted.centers, self._points)

    def solve(self, antidote: Floats) -> Clustering:
        """C(U ∪ V) with the labels of all points of U."""
        fitted = self._fitted(antidote)
        return Clustering(fitted.centers, self._labels(fitted)[0], fitted.objective)

    def statistics(self, antidote: Floats) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V)."""
        fitted = self._fitted(antidote)
        labels, squared = self._labels(fitted)
        g = int(self._groups.max()) + 1
        counts = cluster_counts(labels, self._groups, self._settings["k"], g, self._weights)
        return fitted.centers, counts, group_means(squared, self._groups, g, self._weights)


# -- what others wrote ----------------------------------------------------------------------------


def checked_fit(
    title: str, fit: Fit, points: Floats, k: int, restarts: int, seed: int, **weighing: Floats
) -> Clustering:
    """What a fit returns, or a sentence about what is wrong with it.

    A fit returns a `Clustering`, or the labels (n,) alone: then the centres are their means. Where
    it says no objective, that is the sum of the squared distances to the own centres.
    """
    try:
        found = fit(points, k=k, restarts=restarts, seed=seed, **weighing)
    except AntidoteError:
        raise
    except Exception as error:
        said = " ".join(str(error).split())
        raise SolverError(
            f"The clustering {title!r} failed on {len(points):,} points with k = {k} "
            f"({type(error).__name__}: {said}); try other settings, or mend it."
        ) from error
    weights = weighing.get("sample_weight")
    if isinstance(found, Clustering):
        centers, labels = np.asarray(found.centers), np.asarray(found.labels)
    else:
        labels = np.asarray(found)
        centers = np.empty(0)
    return _checked(
        title, centers, labels, getattr(found, "objective", math.nan), points, k, weights
    )


def _checked(
    title: str, centers: Any, labels: Any, objective: float, points: Floats, k: int,
    weights: Floats | None,
) -> Clustering:  # fmt: skip
    who = f"The clustering {title!r} must return"
    n, d = points.shape
    if labels.shape != (n,) or labels.dtype.kind not in "iu":
        raise SpecError(
            f"{who} a Clustering, or one whole label for each of the {n:,} points; got labels of "
            f"the shape {labels.shape} and the type {labels.dtype}."
        )
    if labels.min() < 0 or labels.max() >= k:
        raise SpecError(
            f"{who} labels from 0 to {k - 1} for k = {k}; got {labels.min()} to {labels.max()}."
        )
    labels = labels.astype(np.int64)
    if not centers.size:
        sizes = np.bincount(labels, weights, k)
        if not sizes.all():
            raise SpecError(
                f"{who} {k} clusters with points in each, because it says no centres; cluster "
                f"{int(np.argmin(sizes))} is empty."
            )
        centers = means_of(labels, points, k, weights)
    if centers.shape != (k, d) or centers.dtype.kind not in "iuf":
        raise SpecError(
            f"{who} centres of the shape ({k}, {d}), one for each of k = {k} clusters; got the "
            f"shape {centers.shape} and the type {centers.dtype}."
        )
    if not np.isfinite(centers).all():
        raise SpecError(f"{who} finite centres; got {centers[~np.isfinite(centers)][0]}.")
    centers = centers.astype(np.float64)
    if not math.isfinite(objective):
        squared = assigned_squared(labels, centers, points)
        objective = float(squared.sum() if weights is None else squared @ weights)
    return Clustering(centers, labels, float(objective))


def means_of(labels: Ints, points: Floats, k: int, weights: Floats | None = None) -> Floats:
    """The mean (k, d) of the points of every label; none may be without points.

    >>> means_of(np.array([0, 1, 1]), np.array([[5.0], [1.0], [3.0]]), 2).tolist()
    [[5.0], [2.0]]
    """
    paid = points if weights is None else points * weights[:, None]
    sums = np.stack([np.bincount(labels, column, k) for column in paid.T], axis=1)
    return np.asarray(sums / np.bincount(labels, weights, k)[:, None])


@dataclass(frozen=True, eq=False)
class EstimatorFit:
    """A clusterer in scikit-learn's conventions, class or instance, as a fit.

    The run says how many clusters (`n_clusters` or `n_components`), how many starts (`n_init`) and
    which seed (`random_state`), where the estimator has these parameters; all others stay. Centres
    are its `cluster_centers_`, its `means_`, or the means of its labels; labels its own.
    """

    estimator: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EstimatorFit) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def identity(self) -> str:
        """The same for equal parameters of the same class."""
        import joblib

        kind = self.estimator if isinstance(self.estimator, type) else type(self.estimator)
        return f"{kind.__module__}.{kind.__qualname__} {joblib.hash(self._fresh().get_params())}"

    def _fresh(self) -> Any:
        from sklearn.base import clone

        return self.estimator() if isinstance(self.estimator, type) else clone(self.estimator)

    @property
    def weighted(self) -> bool:
        """Whether its `fit` takes weights."""
        return "sample_weight" in inspect.signature(self.estimator.fit).parameters

    def __call__(
        self, points: Floats, k: int, restarts: int, seed: int, **weighing: Floats
    ) -> Clustering | Ints:
        """Fit a fresh one."""
        model = self._fresh()
        has = model.get_params()
        ours = {"n_clusters": k, "n_components": k, "n_init": restarts, "random_state": seed}
        model.set_params(**{name: value for name, value in ours.items() if name in has})
        model.fit(points, **weighing)
        labels = np.asarray(model.labels_ if hasattr(model, "labels_") else model.predict(points))
        for name in ("cluster_centers_", "means_"):
            if hasattr(model, name):
                objective = float(getattr(model, "inertia_", math.nan))
                return Clustering(np.asarray(getattr(model, name)), labels, objective)
        return labels


@dataclass(frozen=True)
class FunctionFit:
    """A function of (points, k) and, where it takes them, restarts, seed and sample_weight."""

    function: Callable[..., Any]

    def takes(self, name: str) -> bool:
        """Whether the function has such a parameter."""
        parameters = inspect.signature(self.function).parameters.values()
        return any(x.name == name or x.kind is inspect.Parameter.VAR_KEYWORD for x in parameters)

    def __call__(self, points: Floats, k: int, restarts: int, seed: int, **weighing: Floats) -> Any:
        """Call it with what it takes."""
        more = {"restarts": restarts, "seed": seed, **weighing}
        return self.function(points, k, **{x: v for x, v in more.items() if self.takes(x)})
