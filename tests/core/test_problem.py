"""Problem: f(V) for every clustering and cost of the registries, and what it refuses."""

import numpy as np
import pytest

from antidote_core import DataError, Problem, SpecError, balance_cost, load_dataset, social_cost
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.places import BOXES

NONE = np.empty((0, 2))


@pytest.fixture(scope="module")
def blobs():
    return load_dataset("blobs")


def few_points(data, size=8):
    low, high = data.points.min(axis=0), data.points.max(axis=0)
    return np.random.default_rng(1).uniform(low, high, (size, data.points.shape[1]))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fairness", list(FAIRNESS))
@pytest.mark.parametrize("clustering", list(CLUSTERINGS))
def test_every_pair_is_consistent(blobs, clustering, fairness, k):
    if FAIRNESS[fairness].statistic is None and not CLUSTERINGS[clustering].by_nearest_center:
        with pytest.raises(SpecError, match="defined by centres alone; choose another pair"):
            Problem(blobs, clustering=clustering, fairness=fairness, k=k)
        return
    problem = Problem(blobs, clustering=clustering, fairness=fairness, k=k, restarts=3, seed=1)
    assert problem.evaluate(NONE) == problem.vanilla.cost
    assert problem.vanilla.centers.shape == (k, 2)
    assert problem.vanilla.labels.shape == (blobs.n,)
    antidote = few_points(blobs)
    solution = problem.cluster(antidote)
    assert problem.evaluate(antidote) == solution.cost
    assert isinstance(solution.cost, float)
    assert solution.labels.shape == (blobs.n,)
    entry = FAIRNESS[fairness]
    by_labels = entry.of_labels(solution.labels, solution.centers, blobs.points, blobs.groups)
    assert solution.cost == pytest.approx(by_labels, rel=1e-9, abs=1e-12)
    if CLUSTERINGS[clustering].by_nearest_center:
        by_centers = entry.of_centers(solution.centers, blobs.points, blobs.groups)
        assert solution.cost == pytest.approx(by_centers, rel=1e-9, abs=1e-12)
    tables = problem.tables(antidote)
    named = {"balance": tables.balance.cost, "social": tables.social.cost}
    assert solution.cost == pytest.approx(named.get(fairness, solution.cost), rel=1e-9)
    assert tables.balance.counts.sum() == blobs.n


@pytest.mark.parametrize("clustering", [name for name in CLUSTERINGS if name != "kmeans"])
def test_cost_is_that_of_a_fit_on_the_union(blobs, clustering):
    entry = CLUSTERINGS[clustering]
    problem = Problem(blobs, clustering=clustering, fairness="social", k=3, restarts=3, seed=4)
    antidote = few_points(blobs)
    fitted = entry.fit(np.vstack([blobs.points, antidote]), k=3, restarts=3, seed=4)
    if entry.by_nearest_center:
        expected = social_cost(fitted.centers, blobs.points, blobs.groups)
    else:
        labels, centers = fitted.labels[: blobs.n], fitted.centers
        if clustering == "spectral":  # its centres are the means of U alone
            centers = np.stack([blobs.points[labels == c].mean(axis=0) for c in range(3)])
        expected = FAIRNESS["social"].of_labels(labels, centers, blobs.points, blobs.groups)
    assert problem.evaluate(antidote) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("clustering", list(CLUSTERINGS))
def test_same_seed_same_costs_in_any_order_of_asking(blobs, clustering):
    first = Problem(blobs, clustering=clustering, k=3, restarts=3, seed=2)
    second = Problem(blobs, clustering=clustering, k=3, restarts=3, seed=2)
    several = [few_points(blobs, size) for size in (1, 5, 20)]
    costs = [first.evaluate(antidote) for antidote in several]
    assert [second.evaluate(antidote) for antidote in reversed(several)] == costs[::-1]
    assert [first.evaluate(antidote) for antidote in several] == costs


def test_order_of_antidote_points_does_not_matter(blobs):
    problem = Problem(blobs, fairness="social", k=3)
    antidote = few_points(blobs, 12)
    assert problem.evaluate(antidote[::-1]) == pytest.approx(problem.evaluate(antidote), rel=1e-12)


def test_public_costs_agree_with_the_problem(blobs):
    for fairness, cost in (("balance", balance_cost), ("social", social_cost)):
        problem = Problem(blobs, fairness=fairness)
        own = cost(problem.vanilla.centers, blobs.points, blobs.groups)
        assert problem.vanilla.cost == pytest.approx(own, rel=1e-12)


def test_lists_do_as_well_as_arrays(blobs):
    problem = Problem(blobs)
    antidote = few_points(blobs)
    assert problem.evaluate(antidote.tolist()) == problem.evaluate(antidote)


@pytest.mark.parametrize("ask", ["evaluate", "cluster", "tables"])
@pytest.mark.parametrize(
    ("antidote", "sentence"),
    [
        (np.zeros((3, 5)), r"a table with 2 columns, one row per point; got shape \(3, 5\)"),
        (np.zeros(2), r"a table with 2 columns, one row per point; got shape \(2,\)"),
        (np.zeros((1, 2, 2)), r"a table with 2 columns, one row per point; got shape \(1, 2, 2\)"),
        (np.zeros((0, 3)), r"a table with 2 columns, one row per point; got shape \(0, 3\)"),
        (np.array([[0.0, np.nan]]), "antidote points must be finite numbers"),
        (np.array([[np.inf, 0.0]]), "antidote points must be finite numbers"),
    ],
)
def test_bad_antidote_points_get_a_sentence(blobs, ask, antidote, sentence):
    with pytest.raises(DataError, match=sentence):
        getattr(Problem(blobs), ask)(antidote)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"clustering": "optics"}, r"clustering must be one of 'kmeans', .*; got 'optics'"),
        ({"fairness": "equal"}, r"fairness must be one of 'balance', .*; got 'equal'"),
        ({"k": 1}, "k must be a whole number of at least 2; got 1"),
        ({"k": 2.0}, "k must be a whole number of at least 2; got 2.0"),
        ({"k": 201}, r"k must be at most the number of points \(200\); got 201"),
        ({"restarts": 0}, "restarts must be a whole number of at least 1; got 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        ({"seed": True}, "seed must be a whole number of at least 0; got True"),
    ],
)
def test_bad_setting_gets_a_sentence(blobs, setting, sentence):
    with pytest.raises(SpecError, match=sentence):
        Problem(blobs, **setting)


def test_boxes_lie_inside_each_other(blobs):
    problem = Problem(blobs)
    plausible, minmax, wide = (problem.box(name) for name in ("plausible", "minmax", "wide"))
    assert set(BOXES) == {"plausible", "minmax", "wide"}
    np.testing.assert_array_equal(minmax[0], blobs.points.min(axis=0))
    np.testing.assert_array_equal(minmax[1], blobs.points.max(axis=0))
    np.testing.assert_allclose((blobs.points < plausible[0]).mean(axis=0), 0.01)
    np.testing.assert_allclose((blobs.points > plausible[1]).mean(axis=0), 0.01)
    np.testing.assert_allclose(wide[1] - wide[0], 10 * (minmax[1] - minmax[0]))
    np.testing.assert_allclose(wide[1] + wide[0], minmax[1] + minmax[0], atol=1e-12)


def test_unknown_box_lists_the_known(blobs):
    with pytest.raises(SpecError, match="one of 'rows', 'plausible', 'minmax', 'wide'; got 'huge'"):
        Problem(blobs).box("huge")
