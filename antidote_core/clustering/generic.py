"""Evaluate any centre-based clustering on U ∪ V by simply running it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from antidote_core.clustering.kmeans import check_k, with_antidote
from antidote_core.fairness.cost import cluster_counts, group_means
from antidote_core.geometry import nearest_center
from antidote_core.types import Clustering, Floats, Ints

Fit = Callable[..., Clustering]


class GenericEvaluator:
    """C(U ∪ V) by a fit from scratch; the labels of U are those of the nearest centre."""

    def __init__(
        self,
        fit: Fit,
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

    def solve(self, antidote: Floats) -> Clustering:
        """C(U ∪ V) with the labels of all points of U."""
        fitted = self._fitted(antidote)
        labels, _ = nearest_center(self._points, fitted.centers)
        return Clustering(fitted.centers, labels, fitted.objective)

    def statistics(self, antidote: Floats) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and group costs (g,) of U under C(U ∪ V)."""
        fitted = self._fitted(antidote)
        labels, squared = nearest_center(self._points, fitted.centers)
        g = int(self._groups.max()) + 1
        counts = cluster_counts(labels, self._groups, self._settings["k"], g, self._weights)
        return fitted.centers, counts, group_means(squared, self._groups, g, self._weights)
