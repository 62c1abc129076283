"""Clusterings behind one protocol: plain fits, and evaluators of C(U ∪ V)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from antidote_core.clustering.generic import Fit, GenericEvaluator
from antidote_core.clustering.kmeans import KMeansEvaluator, NumpyKMeansEvaluator, fit_kmeans
from antidote_core.clustering.kmedian import fit_kmedian
from antidote_core.clustering.kmedoids import fit_kmedoids
from antidote_core.clustering.minibatch import fit_minibatch
from antidote_core.clustering.spectral import SpectralEvaluator, fit_spectral
from antidote_core.errors import SpecError
from antidote_core.types import Clustering, Floats, Ints


class Evaluator(Protocol):
    """C(U ∪ V) for one U, k, number of restarts and seed."""

    @property
    def vanilla(self) -> Clustering:
        """C(U)."""

    def statistics(self, antidote: Floats) -> tuple[Floats, Floats, Floats]:
        """Centres (k, d), counts (k, g) and average group costs (g,) of U under C(U ∪ V)."""

    def solve(self, antidote: Floats) -> Clustering:
        """Centres and labels of U under C(U ∪ V)."""


@dataclass(frozen=True)
class ClusteringMethod:
    """A clustering: `fit(points, k=, restarts=, seed=)` is the plain one, from scratch.

    `evaluator(points, groups, k, restarts, seed)` may know a faster way to the same C(U ∪ V);
    without one, `fit` is run on U ∪ V each time. `by_nearest_center` is false where the labels of U
    do not come from the nearest centre. `weighted` says that fit and evaluator take the weights of
    the points as `sample_weight`. Where the evaluator needs a compiler, `uncompiled` is one that
    does not.

    >>> entry = CLUSTERINGS["kmeans"]
    >>> entry.title, entry.weighted, entry.by_nearest_center
    ('k-means', True, True)
    """

    name: str
    title: str
    sentence: str
    fit: Fit
    evaluator: Callable[..., Evaluator] | None = None
    by_nearest_center: bool = True
    weighted: bool = False
    uncompiled: Callable[..., Evaluator] | None = None

    def make_evaluator(
        self,
        points: Floats,
        groups: Ints,
        k: int,
        restarts: int,
        seed: int,
        sample_weight: Floats | None = None,
        compiled: bool = True,
    ) -> Evaluator:
        """The evaluator of C(U ∪ V) for this U."""
        chosen = self.evaluator if compiled else self.uncompiled or self.evaluator
        build = chosen or partial(GenericEvaluator, self.fit)
        return build(points, groups, k, restarts, seed, **self.weighing(sample_weight))

    def weighing(self, sample_weight: Floats | None) -> dict[str, Floats]:
        """What a fit is called with besides: nothing, or the weights, if it takes them.

        >>> import numpy as np
        >>> CLUSTERINGS["spectral"].weighing(np.ones(3))
        Traceback (most recent call last):
        antidote_core.errors.SpecError: Spectral (unnormalised) takes no weights, and these rows \
have them; choose 'kmeans', 'kmedian' or 'minibatch', or take rows without weights.
        """
        if sample_weight is None:
            return {}
        if not self.weighted:
            *others, last = (repr(e.name) for e in CLUSTERINGS.values() if e.weighted)
            raise SpecError(
                f"{self.title} takes no weights, and these rows have them; choose "
                f"{', '.join(others)} or {last}, or take rows without weights."
            )
        return {"sample_weight": sample_weight}


CLUSTERINGS: dict[str, ClusteringMethod] = {}


def register_clustering(entry: ClusteringMethod) -> ClusteringMethod:
    """Make a clustering available under its name, in the library and on the screens.

    >>> import numpy as np
    >>> def halves(points, k, restarts, seed):
    ...     edges = np.quantile(points, (np.arange(k) + 0.5) / k, axis=0)
    ...     return Clustering(edges, np.zeros(len(points), dtype=np.int64))
    >>> entry = ClusteringMethod("halves", "Halves", "Centres at quantiles.", halves)
    >>> _ = register_clustering(entry)
    >>> get_clustering("halves").title
    'Halves'
    >>> del CLUSTERINGS["halves"]
    """
    if entry.name in CLUSTERINGS:
        raise SpecError(f"A clustering named {entry.name!r} exists already; choose another name.")
    CLUSTERINGS[entry.name] = entry
    return entry


def get_clustering(name: str) -> ClusteringMethod:
    """The clustering of that name, or a sentence that lists the names."""
    if name not in CLUSTERINGS:
        known = ", ".join(repr(key) for key in CLUSTERINGS)
        raise SpecError(f"clustering must be one of {known}; got {name!r}.")
    return CLUSTERINGS[name]


for _entry in (
    ClusteringMethod(
        "kmeans",
        "k-means",
        "Centres that minimise the squared distance of every point to its nearest centre.",
        fit_kmeans,
        KMeansEvaluator,
        weighted=True,
        uncompiled=NumpyKMeansEvaluator,
    ),
    ClusteringMethod(
        "spectral",
        "Spectral (unnormalised)",
        "Cuts the graph that joins each point to its 10 nearest neighbours where it is thinnest.",
        fit_spectral,
        SpectralEvaluator,
        by_nearest_center=False,
    ),
    ClusteringMethod(
        "kmedoids",
        "k-medoids",
        "Like k-means with plain distances, and every centre must be one of the points.",
        fit_kmedoids,
    ),
    ClusteringMethod(
        "kmedian",
        "k-median",
        "Like k-means with absolute differences, and centres at the medians.",
        fit_kmedian,
        weighted=True,
    ),
    ClusteringMethod(
        "minibatch",
        "Mini-batch k-means",
        "k-means on small random portions of the data: faster, less exact.",
        fit_minibatch,
        weighted=True,
    ),
):
    register_clustering(_entry)

__all__ = [
    "CLUSTERINGS",
    "ClusteringMethod",
    "Evaluator",
    "fit_kmeans",
    "get_clustering",
    "register_clustering",
]
