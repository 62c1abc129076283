"""Gaussian mixture of scikit-learn: k normal distributions with full covariance matrices."""

from __future__ import annotations

import warnings

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.types import Clustering, Floats

MAX_ITERATIONS = 300


def fit_gaussian_mixture(points: Floats, k: int, restarts: int = 10, seed: int = 0) -> Clustering:
    """Expectation maximisation from `restarts` k-means starts; the most likely mixture is taken.

    Centres are the means of the components, a label names the component that a point most likely
    comes from; one that is nobody's most likely is a cluster without points. The objective is minus
    the log-likelihood of all points.

    >>> points = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]])
    >>> np.sort(fit_gaussian_mixture(points, k=2).centers.ravel()).round(3).tolist()
    [1.0, 9.0]
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    check_k(points, k)
    model = GaussianMixture(
        k, covariance_type="full", n_init=restarts, random_state=seed, max_iter=MAX_ITERATIONS
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit_predict(points)
    objective = -float(model.score_samples(points).sum())
    return Clustering(np.asarray(model.means_), labels.astype(np.int64), objective)
