"""The checks for authors: everything of ours passes them, and what is wrong gets its sentence."""

import dataclasses
import functools
import math

import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans
from sklearn.mixture import GaussianMixture

from antidote_core import FairnessCost
from antidote_core.baselines import RIVALS
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.optimizers.protocol import Minimum
from antidote_core.testing import (
    check_clustering,
    check_fair_algorithm,
    check_fairness,
    check_optimizer,
)
from antidote_core.types import Clustering


@pytest.mark.parametrize("name", CLUSTERINGS)
def test_our_clusterings(name):
    check_clustering(name)


@pytest.mark.parametrize("name", FAIRNESS)
def test_our_costs(name):
    check_fairness(name)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_our_optimizers(name):
    check_optimizer(OPTIMIZERS[name])


@pytest.mark.parametrize("name", RIVALS)
def test_our_fair_algorithms(name):
    check_fair_algorithm(name)


@pytest.mark.parametrize(
    "estimator",
    [BisectingKMeans, GaussianMixture(covariance_type="diag"), AgglomerativeClustering()],
    ids=lambda x: getattr(x, "__name__", type(x).__name__),
)
def test_clusterers_of_scikit_learn(estimator):
    check_clustering(estimator)


def parts(points, k, shift=0):
    order = np.argsort(np.argsort(points[:, 0]))
    return order * k // len(points) + shift


WRONG_CLUSTERINGS = {
    "does not find 2 clouds": lambda points, k: np.arange(len(points)) % k,
    "labels from 0 to 1 for k = 2; got 1 to 2": lambda points, k: parts(points, k, 1),
    "one whole label for each of the 80 points": lambda points, k: parts(points, k)[:-1],
    "centres and labels are not in the same order": lambda points, k: turned(points, k),
    "another result for the same seed": lambda points, k: restless(points, k),
    "failed on 80 points": lambda points, k: points[k, 99],
}


def turned(points, k):
    found = CLUSTERINGS["kmeans"].fit(points, k=k, restarts=3, seed=0)
    return Clustering(found.centers[::-1], found.labels)


def restless(points, k):
    found = CLUSTERINGS["kmeans"].fit(points, k=k, restarts=3, seed=0)
    return Clustering(found.centers + 1e-9 * np.random.default_rng().random(), found.labels)


@pytest.mark.parametrize("sentence", WRONG_CLUSTERINGS)
def test_a_wrong_clustering_is_told(sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_clustering(WRONG_CLUSTERINGS[sentence])


WRONG_COSTS = {
    "must return one finite number; got nan": lambda centers, points, groups: math.nan,
    "in another order of the points": lambda centers, points, groups: points[0, 0],
    "in another order of the clusters": lambda centers, points, groups: centers[0, 0],
    r"failed \(ValueError": lambda centers, points, groups: points.sort(),
}


@pytest.mark.parametrize("sentence", WRONG_COSTS)
def test_a_wrong_cost_is_told(sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_fairness(WRONG_COSTS[sentence])


def test_bounds_and_words_of_a_cost_are_held_against_it():
    largest = FairnessCost("x", "X", "X.", statistic=lambda counts, _: counts.sum(axis=1).max())
    check_fairness(largest)
    with pytest.raises(AssertionError, match="above its worst value 1"):
        check_fairness(dataclasses.replace(largest, worst=1.0))
    with pytest.raises(AssertionError, match="below its lowest value 1e"):
        check_fairness(dataclasses.replace(largest, perfect=1e9))
    with pytest.raises(AssertionError, match="sentence of cost 'x' must end as one"):
        check_fairness(dataclasses.replace(largest, sentence="no end"))


def searched(f, box, budget, rng, on_eval=None, cancel=None, start=None, *, wrong=""):
    """Random search, written out, with one mistake."""
    points = list(np.atleast_2d(box.lower if start is None or wrong == "start" else start))
    points += list(rng.uniform(box.lower, box.upper, (budget, box.dim)))
    points = [*points[: budget - 1], box.upper + 1.0] if wrong == "box" else points[:budget]
    if wrong == "budget":
        points = points[: budget // 2]
    if wrong == "seed":
        points = [*points[:-1], np.random.default_rng().uniform(box.lower, box.upper)]
    tried = []
    for x in points:
        if wrong != "cancel" and cancel is not None and cancel():
            break
        tried.append((f(x), x))
    value, x = (tried or [(math.inf, box.lower)])[-1 if wrong == "best" else 0]
    if wrong != "best":
        value, x = min(tried, key=lambda pair: pair[0], default=(math.inf, box.lower))
    return Minimum(x, value, len(tried), len(tried) < len(points))


def test_a_right_optimizer_passes():
    check_optimizer(searched)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("start", "does not try the start first"), ("box", "leaves the box"),
        ("budget", "evaluations of a budget of"), ("seed", "other points for the same seed"),
        ("cancel", "asked to stop after 10 evaluations and made 80"),
        ("best", "loses the best value"),
    ],
)  # fmt: skip
def test_a_wrong_optimizer_is_told(wrong, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_optimizer(functools.partial(searched, wrong=wrong))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"balance_own": 0.5}, "says balance_own = 0.5; its labels and centres give"),
        ({"labels": np.zeros(3, dtype=int)}, "every one of 120 points a label from 0 to 1"),
        ({"centers": np.zeros((2, 9))}, r"finite centres of the shape \(2, 2\)"),
    ],
)
def test_a_wrong_fair_algorithm_is_told(change, sentence):
    right = RIVALS["fair_lloyd"]

    def wrong(points, groups, k, seed):
        return dataclasses.replace(right.solve(points, groups, k, seed=seed), **change)

    with pytest.raises(AssertionError, match=sentence):
        check_fair_algorithm(dataclasses.replace(right, solve=wrong))
