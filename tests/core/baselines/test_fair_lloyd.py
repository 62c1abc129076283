"""Fair-Lloyd: the centre step against a conic solver, the whole against all partitions."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.cluster import KMeans

from antidote_core.baselines import BaselineResult, fair_lloyd, fair_lloyd_centers
from antidote_core.baselines.fair_lloyd import LabelledGroups, fair_centre_step
from antidote_core.datasets import load_dataset
from antidote_core.errors import DataError, SpecError
from antidote_core.fairness import social_cost, social_table


def draw(seed, n=None, g=None, k=None):
    rng = np.random.default_rng(seed)
    g, k = g or int(rng.integers(2, 7)), k or int(rng.integers(2, 7))
    n, d = n or int(rng.integers(30, 120)), int(rng.integers(1, 5))
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    labels = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    points = rng.normal(size=(n, d)) * rng.uniform(0.3, 3, d) + rng.normal(size=(g, d))[groups]
    return points, groups, labels, k


def conic_optimum(points, groups, labels, k):
    """Squared distances to the means of (cluster, group) cells, plus the scatter around them."""
    import cvxpy as cp

    centers, worst = cp.Variable((k, points.shape[1])), cp.Variable()
    limits = []
    for group in range(groups.max() + 1):
        size, terms, scatter = (groups == group).sum(), [], 0.0
        for cluster in np.unique(labels[groups == group]):
            cell = points[(groups == group) & (labels == cluster)]
            scatter += ((cell - cell.mean(axis=0)) ** 2).sum() / size
            pull = np.sqrt(len(cell) / size)
            terms.append(pull * (centers[cluster] - cell.mean(axis=0)))
        limits.append(cp.sum_squares(cp.hstack(terms)) + scatter <= worst)
    return cp.Problem(cp.Minimize(worst), limits).solve(solver=cp.CLARABEL)


def two_group_optimum(points, groups, labels):
    """max over w in [0, 1] of the weighted cost at its best centres: one variable, any solver."""

    def dual(w):
        weights = np.where(groups == 0, w / (groups == 0).sum(), (1 - w) / (groups == 1).sum())
        total = 0.0
        for cluster in np.unique(labels):
            inside = labels == cluster
            mass = weights[inside].sum()
            if mass > 0:
                mean = weights[inside] @ points[inside] / mass
                total += weights[inside] @ ((points[inside] - mean) ** 2).sum(axis=1)
        return total

    best = minimize_scalar(lambda w: -dual(w), bounds=(0, 1), method="bounded")
    return max(-best.fun, dual(0.0), dual(1.0))


def partitions(n, k):
    """Labels of all partitions of n points into at most k clusters, each once."""

    def grow(labels, used):
        if len(labels) == n:
            yield np.array(labels)
            return
        for label in range(min(used + 1, k)):
            yield from grow([*labels, label], max(used, label + 1))

    return grow([0], 1)


@pytest.mark.parametrize("seed", range(32))
def test_centre_step_equals_the_conic_solver(seed):
    points, groups, labels, k = draw(seed)
    centers = fair_lloyd_centers(points, groups, labels, k)
    cost = social_table(labels, centers, points, groups).cost
    assert cost == pytest.approx(conic_optimum(points, groups, labels, k), rel=1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_the_gap_is_a_proof(seed):
    points, groups, labels, k = draw(seed)
    g = groups.max() + 1
    step = fair_centre_step(LabelledGroups.of(points, groups, labels, k, g))
    assert step.cost == pytest.approx(social_table(labels, step.centers, points, groups).cost)
    assert 0 <= step.gap <= 1e-10 * step.cost
    # Weights on the groups give a lower bound that no centres can pass.
    bound = step.cost - step.gap
    rng = np.random.default_rng(seed)
    for size in (1e-4, 1e-2, 1.0):
        other = step.centers + size * rng.normal(size=step.centers.shape)
        assert social_table(labels, other, points, groups).cost >= bound


@pytest.mark.parametrize(("seed", "n", "k"), [(0, 11, 2), (1, 10, 2), (2, 8, 3), (3, 8, 3)])
def test_two_groups_equal_the_best_of_all_partitions(seed, n, k):
    points, groups, _, k = draw(seed, n=n, g=2, k=k)
    best = min(two_group_optimum(points, groups, labels) for labels in partitions(n, k))
    fair = fair_lloyd(points, groups, k, restarts=100)
    assert fair.cost == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_three_groups_equal_the_best_of_all_partitions(seed):
    points, groups, _, k = draw(seed, n=8, g=3, k=2)
    best = min(
        fair_centre_step(LabelledGroups.of(points, groups, labels, k, 3)).cost
        for labels in partitions(8, k)
    )
    assert fair_lloyd(points, groups, k, restarts=100).cost == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_never_above_plain_k_means(seed):
    points, groups, _, k = draw(seed)
    vanilla = KMeans(k, n_init=10, random_state=seed).fit(points).cluster_centers_
    fair = fair_lloyd(points, groups, k, restarts=1, seed=seed)
    assert fair.cost <= social_cost(vanilla, points, groups)
    assert fair_lloyd(points, groups, k, restarts=5, seed=seed).cost <= fair.cost


@pytest.mark.parametrize(
    ("name", "costs"),
    [("bank", (2.302, 1.778, 1.275)), ("creditcard", (19.00, 16.34, 15.31))],
)
def test_real_data(name, costs):
    data = load_dataset(name)
    for k, cost in zip((2, 3, 4), costs, strict=True):
        fair = fair_lloyd(data.points, data.groups, k, restarts=1)
        assert fair.cost <= cost * 1.001
        assert fair.gap <= 1e-9 * fair.cost
        assert fair.social_nearest == pytest.approx(fair.cost, rel=1e-12)


def test_record_init_and_seed():
    points, groups, _, k = draw(7, n=60)
    fair = fair_lloyd(points, groups, k, seed=3)
    assert isinstance(fair, BaselineResult)
    assert fair.certificate == fair.gap
    assert fair.social_own == pytest.approx(fair.cost)
    np.testing.assert_array_equal(fair.labels, fair_lloyd(points, groups, k, seed=3).labels)
    start = points[:k]
    assert fair_lloyd(points, groups, k, init=start, restarts=1).cost <= social_cost(
        start, points, groups
    )
    # A fixpoint stays where it is.
    again = fair_lloyd(points, groups, k, init=fair.centers, restarts=1)
    assert again.cost == pytest.approx(fair.cost, rel=1e-9)


def test_one_group_is_plain_k_means():
    points = np.random.default_rng(0).normal(size=(50, 2))
    groups = np.zeros(50, dtype=int)
    vanilla = KMeans(3, n_init=10, random_state=0, tol=0).fit(points)
    fair = fair_lloyd(points, groups, 3, restarts=1)
    assert fair.cost <= vanilla.inertia_ / 50 + 1e-9


def test_fewer_distinct_points_than_clusters():
    points = np.array([[0.0], [0.0], [1.0], [1.0]])
    fair = fair_lloyd(points, np.array([0, 1, 0, 1]), k=3)
    assert fair.cost == 0
    assert fair.notes == ("1 of 3 clusters hold no point.",)


def test_unused_label_gets_the_mean():
    points = np.array([[0.0], [2.0], [4.0]])
    centers = fair_lloyd_centers(points, np.array([0, 1, 0]), np.array([0, 0, 0]), k=2)
    assert centers[1] == pytest.approx(points.mean(axis=0))


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"k": 5}, SpecError, r"k must be at most the number of points \(4\); got 5"),
        ({"k": True}, SpecError, "k must be a whole number"),
        ({"groups": np.array([0, 2, 0, 2])}, DataError, "Group 1 is absent"),
        ({"groups": np.array([0, 1, 1])}, DataError, "one code per point"),
        ({"points": np.array([[0.0], [np.inf], [1.0], [2.0]])}, DataError, "finite"),
        ({"init": np.zeros((3, 1))}, DataError, r"init must have shape \(2, 1\)"),
        ({"restarts": 0}, SpecError, "restarts must be a whole number of at least 1"),
    ],
)
def test_refusals(change, error, words):
    call = {"points": np.arange(4.0)[:, None], "groups": np.array([0, 1, 0, 1]), "k": 2, **change}
    with pytest.raises(error, match=words):
        fair_lloyd(**call)


@pytest.mark.parametrize("labels", [[0, 1, 2, 0], [0, 1, 1], [0.0, 1.0, 1.0, 0.0], [-1, 0, 1, 0]])
def test_bad_labels(labels):
    points, groups = np.arange(4.0)[:, None], np.array([0, 1, 0, 1])
    with pytest.raises(DataError, match="labels must"):
        fair_lloyd_centers(points, groups, np.array(labels), 2)
