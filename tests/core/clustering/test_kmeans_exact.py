"""The anchor evaluator gives what full Lloyd runs from the same starts give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans

from antidote_core import Problem, load_dataset, social_cost
from antidote_core.clustering.kmeans import SAME_INERTIA, KMeansEvaluator, _scikit_lloyd
from antidote_core.fairness import balance_table, social_table
from antidote_core.geometry import nearest_center
from tests.conftest import real_dataset

MAX_ITERATIONS = 300


def full_lloyd(points, antidote, start, most_held=np.inf):
    """Textbook Lloyd on U ∪ V, all points in every step; None when dropped."""
    union = np.vstack([points, antidote])
    centers = start
    for _ in range(MAX_ITERATIONS):
        labels, _ = nearest_center(union, centers)
        if np.count_nonzero(labels[: len(points)] == len(start) - 1) > most_held:
            return None
        if len(np.unique(labels)) < len(start):
            return _scikit_lloyd(union, start)
        moved = np.stack([union[labels == c].mean(axis=0) for c in range(len(start))])
        if np.allclose(moved, centers, rtol=0, atol=1e-13):
            break
        centers = moved
    return centers


def full_portfolio(evaluator, points, antidote):
    """The lowest-inertia fixpoint over the evaluator's own starts."""
    starts = [(evaluator.basins[0], np.inf), *evaluator._other_starts(antidote)]
    best = None
    for start, most_held in starts:
        centers = full_lloyd(points, antidote, start, most_held)
        if centers is None:
            continue
        inertia = nearest_center(np.vstack([points, antidote]), centers)[1].sum()
        if best is None or inertia < best[0] * (1 - SAME_INERTIA):
            best = (inertia, centers)
    return best[1]


def check_equal(evaluator, points, groups, antidote):
    k = evaluator.k
    centers, counts, group_costs = evaluator.statistics(antidote)
    expected = full_portfolio(evaluator, points, antidote)
    labels, _ = nearest_center(points, expected)
    assert np.array_equal(evaluator.solve(antidote).labels, labels)
    table = balance_table(labels, groups, k, int(groups.max()) + 1)
    assert np.array_equal(counts, table.counts)
    social = social_table(labels, expected, points, groups)
    np.testing.assert_allclose(group_costs, social.group_costs, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(centers, expected, rtol=1e-9, atol=1e-9)


def random_antidotes(points, count, seed):
    """V of different sizes: uniform in the box, near real points, and in one clump."""
    rng = np.random.default_rng(seed)
    low, high = points.min(axis=0), points.max(axis=0)
    for index in range(count):
        size = int(rng.choice([1, 5, 10, 50]))
        if index % 3 == 0:
            yield rng.uniform(low, high, (size, points.shape[1]))
        elif index % 3 == 1:
            yield points[rng.choice(len(points), size)] + rng.normal(size=(size, points.shape[1]))
        else:
            yield np.repeat(rng.uniform(low, high, (1, points.shape[1])), size, axis=0)


@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("name", ["adult", "bank", "creditcard", "lfw"])
def test_real_data_equal_to_full_lloyd(name, k):
    data = real_dataset(name)
    evaluator = KMeansEvaluator(data.points, data.groups, k, restarts=4, seed=1)
    for antidote in random_antidotes(data.points, 8, seed=k):
        check_equal(evaluator, data.points, data.groups, antidote)


@pytest.mark.parametrize("name", ["adult", "bank", "creditcard"])
def test_paper_mode_equal_to_scikit_learn_from_the_same_start(name):
    data = load_dataset(name)
    problem = Problem(data, k=3, restarts=1, fairness="social")
    for antidote in random_antidotes(data.points, 6, seed=5):
        union = np.vstack([data.points, antidote])
        start = problem.vanilla.centers
        model = KMeans(3, init=start, n_init=1, tol=0.0).fit(union)
        solution = problem.cluster(antidote)
        assert np.array_equal(solution.labels, model.labels_[: data.n])
        expected = social_cost(model.cluster_centers_, data.points, data.groups)
        assert solution.cost == pytest.approx(expected, rel=1e-9)


grids = hnp.arrays(
    np.float64,
    st.tuples(st.integers(10, 40), st.integers(1, 3)),
    elements=st.integers(-4, 4).map(float),
)


@settings(max_examples=150, deadline=None)
@given(points=grids, k=st.integers(2, 4), data=st.data())
def test_ties_duplicates_and_empty_clusters(points, k, data):
    if len(np.unique(points, axis=0)) < k:
        return
    groups = np.arange(len(points)) % 3
    antidote = data.draw(
        hnp.arrays(
            np.float64,
            st.tuples(st.integers(0, 4), st.just(points.shape[1])),
            elements=st.integers(-6, 6).map(float),
        )
    )
    restarts = data.draw(st.sampled_from([1, 3]))
    evaluator = KMeansEvaluator(points, groups, k, restarts, seed=0)
    _, counts, group_costs = evaluator.statistics(antidote)
    solution = evaluator.solve(antidote)
    labels, squared = nearest_center(points, solution.centers)
    # Whatever the ties, counts and costs are those of the returned centres on U.
    assert np.array_equal(solution.labels, labels)
    assert counts.sum() == len(points)
    sizes = np.bincount(groups)
    np.testing.assert_allclose(
        group_costs, np.bincount(groups, weights=squared) / sizes, rtol=1e-9, atol=1e-9
    )
    # And the result is a fixpoint of Lloyd on U ∪ V that is at least as good as any start's.
    union = np.vstack([points, antidote])
    expected = full_portfolio(evaluator, points, antidote)
    best = nearest_center(union, expected)[1].sum()
    assert solution.objective <= best * (1 + 1e-9) + 1e-9


def test_every_size_from_ten_points_on():
    rng = np.random.default_rng(0)
    for n in (10, 11, 37):
        points = rng.normal(size=(n, 2))
        groups = np.arange(n) % 2
        evaluator = KMeansEvaluator(points, groups, 3, restarts=3, seed=0)
        for antidote in random_antidotes(points, 6, seed=n):
            check_equal(evaluator, points, groups, antidote)


def test_ten_clusters_and_many_groups():
    data = load_dataset("adult")
    groups = np.arange(data.n) % 12
    evaluator = KMeansEvaluator(data.points, groups, 10, restarts=2, seed=0)
    for antidote in random_antidotes(data.points, 6, seed=3):
        check_equal(evaluator, data.points, groups, antidote)


@pytest.mark.parametrize("fairness", ["balance", "social"])
def test_the_cost_at_given_centres_is_that_of_its_definition(fairness):
    problem = Problem(load_dataset("bank", sample=3000), fairness=fairness, k=3)
    centers = problem.points[[5, 50, 500]]
    counts, costs = problem.evaluator.at(centers)
    expected = problem.fairness.of_centers(centers, problem.points, problem.groups)
    assert problem.fairness.statistic(counts, costs) == pytest.approx(expected, rel=1e-12)
