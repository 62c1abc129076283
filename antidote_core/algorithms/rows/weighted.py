"""Independent clusterings of U with sample weights, for copies that are not whole."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np

from antidote_core.algorithms.design.contest import RESTARTS
from antidote_core.algorithms.rows.guarded_contest import GuardedContest
from antidote_core.types import Floats

_FRESH = 205


def weighted_checks(
    contest: GuardedContest, weights: Floats, checks: int, stopped: Callable[[], bool]
) -> Iterator[tuple[Floats, float, float]]:
    """Centres, inertia and cost of k-means with 10 restarts on U with weights (n,)."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    problem = contest.problem
    for seed in np.random.default_rng([problem.seed, _FRESH]).integers(2**31, size=checks):
        if stopped():
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = KMeans(problem.k, n_init=RESTARTS, random_state=int(seed))
            model.fit(problem.points, sample_weight=weights)
        cost = contest.cost(*contest.evaluator.at(model.cluster_centers_))
        yield model.cluster_centers_, float(model.inertia_), cost
