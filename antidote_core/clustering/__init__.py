"""Clusterings behind one protocol: plain fits, and evaluators of C(U ∪ V)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as renewed
from functools import partial
from typing import Any, Protocol

from antidote_core.clustering.agglomerative import fit_average, fit_complete, fit_ward
from antidote_core.clustering.dbscan import fit_dbscan
from antidote_core.clustering.fuzzy_cmeans import fit_fuzzy_cmeans
from antidote_core.clustering.gaussian_mixture import fit_gaussian_mixture
from antidote_core.clustering.generic import (
    EstimatorFit,
    Fit,
    FunctionFit,
    GenericEvaluator,
    checked_fit,
)
from antidote_core.clustering.kmeans import KMeansEvaluator, NumpyKMeansEvaluator, fit_kmeans
from antidote_core.clustering.kmeans_variants import fit_bisecting, fit_minibatch
from antidote_core.clustering.kmedian import fit_kmedian
from antidote_core.clustering.kmedoids import fit_kmedoids
from antidote_core.clustering.spectral import SpectralEvaluator, fit_spectral
from antidote_core.errors import SpecError
from antidote_core.plugins import Register
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


NEAREST = "Costs count everyone for the nearest centre."
OWN = "Costs count everyone for the cluster that the clustering itself says."


@dataclass(frozen=True)
class ClusteringMethod:
    """A clustering: `fit(points, k=, restarts=, seed=)` is the plain one, from scratch.

    `evaluator(points, groups, k, restarts, seed)` may know a faster way to the same C(U ∪ V);
    without one, `fit` is run on U ∪ V each time. `by_nearest_center` is false where the labels of U
    do not come from the nearest centre, and `scored` says what costs are taken of: which centres,
    and whose labels. `weighted` says that fit and evaluator take the weights of the points as
    `sample_weight`. Where the evaluator needs a compiler, `uncompiled` is one that does not.
    `drawn` is false where restarts and seed change nothing.

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
    scored: str = ""
    drawn: bool = True

    @property
    def description(self) -> str:
        """What it does, and what costs are taken of."""
        scored = self.scored or (NEAREST if self.by_nearest_center else OWN)
        fixed = "" if self.drawn else " Nothing is drawn: restarts and seed change nothing."
        return f"{self.sentence} {scored}{fixed}"

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
        build = chosen or partial(GenericEvaluator, self.fitted, self.by_nearest_center)
        return build(points, groups, k, restarts, seed, **self.weighing(sample_weight))

    def fitted(
        self, points: Floats, k: int, restarts: int, seed: int, **weighing: Floats
    ) -> Clustering:
        """What `fit` returns, checked."""
        return checked_fit(self.title, self.fit, points, k, restarts, seed, **weighing)

    def weighing(self, sample_weight: Floats | None) -> dict[str, Floats]:
        """What a fit is called with besides: nothing, or the weights, if it takes them.

        >>> import numpy as np
        >>> CLUSTERINGS["spectral"].weighing(np.ones(3))
        Traceback (most recent call last):
        antidote_core.errors.SpecError: Spectral (unnormalised) takes no weights, and these rows \
have them; choose 'kmeans', 'kmedian', 'minibatch', 'bisecting-kmeans' or 'fuzzy-cmeans', or take \
rows without weights.
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


_UNFIT = {
    "son": "clustering cannot be 'son': with k clusters, sum-of-norms clustering is one large "
    "cluster and single points unless the data are clouds far apart; take solve_convex, which "
    "makes it fair at a λ of your own, or another clustering.",
    "hdbscan": "clustering cannot be 'hdbscan': it finds the number of clusters itself, and no "
    "setting of it gives every k; choose 'dbscan', whose radius is chosen so that there are k.",
}
CLUSTERINGS: Register[ClusteringMethod] = Register("clustering", _UNFIT)


def register_clustering(
    entry: object, replace: bool = False, *, name: str = "", title: str = "", sentence: str = ""
) -> ClusteringMethod:
    """Make a clustering available under its name, in the library and on the screens.

    `entry` is a ClusteringMethod, or what `as_clustering` makes one of, with a `name`, `title` and
    `sentence` of your own. Other processes know it where a plugin registers it; see `plugins`.
    `replace` puts it in the place of one registered before.

    >>> from sklearn.cluster import BisectingKMeans
    >>> _ = register_clustering(BisectingKMeans, name="bisecting", title="Bisecting k-means")
    >>> get_clustering("bisecting").title
    'Bisecting k-means'
    >>> del CLUSTERINGS["bisecting"]
    """
    if isinstance(entry, str):
        raise SpecError(
            "register_clustering takes a ClusteringMethod, a clusterer in scikit-learn's "
            f"conventions or a function; got the text {entry!r}."
        )
    method = as_clustering(entry)
    words = {"name": name, "title": title or name, "sentence": sentence}
    given: dict[str, Any] = {field: text for field, text in words.items() if text}
    return CLUSTERINGS.add(renewed(method, **given) if given else method, replace)


def get_clustering(name: str) -> ClusteringMethod:
    """The clustering of that name, or a sentence that lists the names."""
    return CLUSTERINGS.named(name)


def as_clustering(given: object) -> ClusteringMethod:
    """The clustering that is meant: a name, an entry, a clusterer or a function.

    A clusterer is a class or an instance in scikit-learn's conventions (see `EstimatorFit`), a
    function takes (points, k) and returns a Clustering or labels (see `FunctionFit`). Labels are
    those that they say; make a ClusteringMethod with `by_nearest_center=True` where every point of
    U shall count for its nearest centre.

    >>> import numpy as np
    >>> def halves(points, k):
    ...     order = np.argsort(np.argsort(points[:, 0]))
    ...     return order * k // len(points)
    >>> as_clustering(halves).fitted(np.array([[1.0], [9.0], [2.0], [8.0]]), 2, 1, 0).centers
    array([[1.5],
           [8.5]])
    """
    if isinstance(given, ClusteringMethod):
        return given
    if hasattr(given, "fit") and hasattr(given, "get_params"):
        own = EstimatorFit(given)
        name = given.__name__ if isinstance(given, type) else " ".join(repr(given).split())
        words = "A clusterer in scikit-learn's conventions; labels and centres are its own."
        return ClusteringMethod(
            name, name, words, own, by_nearest_center=False, weighted=own.weighted
        )
    if callable(given):
        function = FunctionFit(given)
        name = getattr(given, "__name__", type(given).__name__).strip("<>")
        return ClusteringMethod(
            name, name, "A clustering of your own.", function, by_nearest_center=False,
            weighted=function.takes("sample_weight"),
        )  # fmt: skip
    return CLUSTERINGS.named(given)


_BY_CENTROIDS = "Costs go by the means of its clusters: everyone counts for the nearest of them."
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
        scored="Costs count everyone for the side of the cut they are on; a centre is the mean of "
        "its side.",
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
    ClusteringMethod(
        "bisecting-kmeans",
        "Bisecting k-means",
        "Halves the cluster of the largest inertia by 2-means until there are k; every halving has "
        "its restarts.",
        fit_bisecting,
        by_nearest_center=False,
        weighted=True,
        scored="Costs count everyone for the half they fell into, with its mean as the centre.",
    ),
    ClusteringMethod(
        "gaussian-mixture",
        "Gaussian mixture",
        "The k normal distributions, with full covariance matrices, under which the data are most "
        "likely.",
        fit_gaussian_mixture,
        by_nearest_center=False,
        scored="Costs count everyone for the distribution they most likely come from, with its "
        "mean as the centre.",
    ),
    ClusteringMethod(
        "fuzzy-cmeans",
        "Fuzzy c-means",
        "Like k-means, but everyone belongs to every cluster in part, more to nearer ones (m = 2).",
        fit_fuzzy_cmeans,
        weighted=True,
        scored="Costs count everyone for their highest membership, that of the nearest centre.",
    ),
    ClusteringMethod(
        "ward",
        "Ward",
        "Joins the two clusters that raise the inertia least until k are left.",
        fit_ward,
        scored=_BY_CENTROIDS,
        drawn=False,
    ),
    ClusteringMethod(
        "average-linkage",
        "Average linkage",
        "Joins the two clusters whose members are nearest on average until k are left.",
        fit_average,
        scored=_BY_CENTROIDS,
        drawn=False,
    ),
    ClusteringMethod(
        "complete-linkage",
        "Complete linkage",
        "Joins the two clusters that make the least wide one until k are left.",
        fit_complete,
        scored=_BY_CENTROIDS,
        drawn=False,
    ),
    ClusteringMethod(
        "dbscan",
        "DBSCAN",
        "Dense regions: a dense place has 5 points, fewer where 5 are too many, within the largest "
        "radius at which there are k regions.",
        fit_dbscan,
        by_nearest_center=False,
        scored="Costs count everyone for their region, with its mean as the centre, and noise for "
        "the nearest centre.",
        drawn=False,
    ),
):
    register_clustering(_entry)
CLUSTERINGS.close()

__all__ = [
    "CLUSTERINGS",
    "ClusteringMethod",
    "Evaluator",
    "as_clustering",
    "fit_kmeans",
    "get_clustering",
    "register_clustering",
]
