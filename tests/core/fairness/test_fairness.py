"""Fairness costs against the paper's definitions, written out slowly and in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import DataError, SpecError, balance_cost, social_cost
from antidote_core.clustering.compiled import compiled
from antidote_core.fairness import (
    FAIRNESS,
    FairnessCost,
    balance_from_counts,
    balance_table,
    cluster_counts,
    get_fairness,
    group_means,
    register_fairness,
    social_table,
)
from antidote_core.geometry import nearest_center

EXAMPLES = settings(max_examples=80, deadline=None)


def distances(x, centers):
    """Squared distances of one point with whole coordinates to all centres, without rounding."""
    return [sum((int(a) - int(b)) ** 2 for a, b in zip(x, mu, strict=True)) for mu in centers]


def paper_balance(centers, points, groups):
    """Definition 2.2; a cluster without a point of U counts as 0."""
    labels = [int(np.argmin(distances(x, centers))) for x in points]
    ratios = []
    for i in range(len(centers)):
        cluster = [n for n, label in enumerate(labels) if label == i]
        for j in set(groups.tolist()):
            in_all = sum(group == j for group in groups.tolist())
            in_cluster = sum(groups[n] == j for n in cluster)
            if in_cluster == 0:
                ratios.append(Fraction(0))
                continue
            r = Fraction(in_all, len(points)) / Fraction(int(in_cluster), len(cluster))
            ratios.append(min(r, 1 / r))
    return -min(ratios)


def paper_group_costs(centers, points, groups):
    """Δ(μ, ψ(U, j)) / |ψ(U, j)| of Definition 2.1 for every group j that has points."""
    costs = []
    for j in sorted(set(groups.tolist())):
        own = [min(distances(x, centers)) for x, group in zip(points, groups, strict=True)
               if group == j]  # fmt: skip
        costs.append(Fraction(sum(own), len(own)))
    return costs


@st.composite
def grids(draw):
    """A few points and centres with small whole coordinates: ties and duplicates are common."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    d, g = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    coordinates = st.lists(st.integers(-3, 3), min_size=d, max_size=d)
    points = draw(st.lists(coordinates, min_size=n, max_size=n))
    centers = draw(st.lists(coordinates, min_size=k, max_size=k))
    groups = draw(st.lists(st.integers(0, g - 1), min_size=n, max_size=n))
    return np.array(centers, float), np.array(points, float), np.array(groups)


@st.composite
def clouds(draw):
    """Points and centres in general position: no point is as near to one centre as to another."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, k = draw(st.integers(2, 60)), draw(st.integers(1, 5))
    d, g = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    return rng.normal(size=(k, d)), rng.normal(size=(n, d)), rng.integers(0, g, n), rng


@EXAMPLES
@given(grids())
def test_balance_and_social_follow_the_definitions(case):
    centers, points, groups = case
    assert balance_cost(*case) == pytest.approx(float(paper_balance(*case)), abs=1e-15)
    costs = paper_group_costs(*case)
    assert social_cost(*case) == pytest.approx(float(max(costs)), rel=1e-14)
    gap = get_fairness("gap").of_centers(centers, points, groups)
    assert gap == pytest.approx(float(max(costs) - min(costs)), rel=1e-13, abs=1e-13)


@EXAMPLES
@given(clouds())
def test_ranges(case):
    centers, points, groups, _ = case
    assert -1.0 <= balance_cost(centers, points, groups) <= 0.0
    assert social_cost(centers, points, groups) >= 0.0
    gap = get_fairness("gap").of_centers(centers, points, groups)
    assert 0.0 <= gap <= social_cost(centers, points, groups)


@pytest.mark.parametrize("name", ["balance", "social", "gap"])
@EXAMPLES
@given(clouds())
def test_order_of_points_clusters_and_codes_does_not_matter(name, case):
    centers, points, groups, rng = case
    cost = get_fairness(name).of_centers
    expected = cost(centers, points, groups)
    order = rng.permutation(len(points))
    new_codes = rng.permutation(int(groups.max()) + 1)
    swapped = centers[rng.permutation(len(centers))]
    for other in (
        cost(centers, points[order], groups[order]),
        cost(swapped, points, groups),
        cost(centers, points, new_codes[groups]),
        cost(centers, np.vstack([points, points]), np.r_[groups, groups]),
    ):
        assert other == pytest.approx(expected, rel=1e-12, abs=1e-12)


@EXAMPLES
@given(clouds())
def test_tables_follow_their_rows_and_columns(case):
    centers, points, groups, rng = case
    groups = np.unique(groups, return_inverse=True)[1]
    k, g = len(centers), int(groups.max()) + 1
    labels, _ = nearest_center(points, centers)
    table = balance_table(labels, groups, k, g)
    clusters, codes = rng.permutation(k), rng.permutation(g)
    moved = balance_table(clusters[labels], codes[groups], k, g)
    np.testing.assert_array_equal(moved.counts[np.ix_(clusters, codes)], table.counts)
    np.testing.assert_allclose(moved.ratios[np.ix_(clusters, codes)], table.ratios, rtol=1e-12)
    social = social_table(labels, centers, points, groups)
    moved_social = social_table(clusters[labels], centers[np.argsort(clusters)], points,
                                codes[groups])  # fmt: skip
    np.testing.assert_allclose(moved_social.group_costs[codes], social.group_costs, rtol=1e-12)


@EXAMPLES
@given(clouds())
def test_tables_contain_their_cost(case):
    centers, points, groups, _ = case
    k, g = len(centers), int(groups.max()) + 1
    labels, _ = nearest_center(points, centers)
    balance = balance_table(labels, groups, k, g)
    assert balance.counts.sum() == len(points)
    np.testing.assert_array_equal(balance.counts.sum(axis=1), np.bincount(labels, minlength=k))
    np.testing.assert_array_equal(balance.counts.sum(axis=0), np.bincount(groups, minlength=g))
    assert balance.cost == balance_cost(centers, points, groups)
    assert balance.cost == -balance.ratios.min() == -balance.ratios[balance.cluster, balance.group]
    social = social_table(labels, centers, points, groups)
    assert social.cost == pytest.approx(social_cost(centers, points, groups), rel=1e-14)
    assert social.cost == social.group_costs.max() == social.group_costs[social.group]


@pytest.mark.parametrize("name", ["balance", "social", "gap"])
@EXAMPLES
@given(clouds())
def test_statistics_give_the_cost_of_the_tables(name, case):
    centers, points, groups, _ = case
    labels, squared = nearest_center(points, centers)
    g = int(groups.max()) + 1
    counts = cluster_counts(labels, groups, len(centers), g)
    means = group_means(squared, groups, g)
    entry = get_fairness(name)
    present = means[np.bincount(groups, minlength=g) > 0]
    expected = {
        "balance": balance_from_counts(counts).cost,
        "social": present.max(),
        "gap": present.max() - present.min(),
    }[name]
    assert entry.statistic(counts, means) == expected
    assert compiled(entry.statistic)(counts, means) == expected
    assert entry.of_labels(labels, centers, points, groups) == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore")  # of the packages that it imports
def test_balance_is_minus_that_of_holisticai():
    """200 cases of two groups; an empty cluster, of which it knows nothing, is not among them."""
    metrics = pytest.importorskip(
        "holisticai.bias.metrics",
        reason="holisticai is no dependency; pip install holisticai compares",
    )
    rng, compared = np.random.default_rng(0), 0
    while compared < 200:
        n, k = int(rng.integers(10, 300)), int(rng.integers(2, 6))
        points, centers = rng.normal(size=(n, 2)), rng.normal(size=(k, 2))
        groups = (rng.random(n) < rng.uniform(0.1, 0.9)).astype(np.int64)
        labels, _ = nearest_center(points, centers)
        if len(np.unique(labels)) == k and len(np.unique(groups)) == 2:
            theirs = metrics.cluster_balance(groups == 0, groups == 1, labels)
            assert balance_cost(centers, points, groups) == pytest.approx(-theirs, abs=1e-12)
            compared += 1


def test_equal_mix_is_perfect():
    points = np.repeat([[0.0], [9.0]], 6, axis=0)
    groups = np.tile([0, 0, 1, 1, 1, 2], 2)
    assert balance_cost([[0.0], [9.0]], points, groups) == -1.0


def test_deciding_cluster_and_group_are_named():
    # Cluster 0: 3 of group 0 and 1 of group 1; cluster 1: 1 of group 0 and 5 of group 1.
    # Group 0 is 4 of 10 points but 1 of 6 in cluster 1: (1/6) / (4/10) = 5/12 is the worst ratio.
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
    groups = np.array([0, 0, 0, 1, 0, 1, 1, 1, 1, 1])
    table = balance_table(labels, groups, k=2, g=2)
    assert (table.cluster, table.group) == (1, 0)
    assert table.cost == pytest.approx(-5 / 12)
    assert table.counts.tolist() == [[3, 1], [1, 5]]
    # Group 1 of cluster 0 has 1/4 of its cluster and 6/10 of all; group 0 has 3/4 against 4/10.
    np.testing.assert_allclose(table.ratios, [[8 / 15, 5 / 12], [5 / 12, 18 / 25]])
    points = np.array([[0.0], [0.0], [3.0], [4.0], [9.0], [9.0]])
    social = social_table(np.array([0, 0, 0, 1, 1, 1]), np.array([[0.0], [9.0]]), points,
                          np.array([0, 1, 1, 2, 2, 0]))  # fmt: skip
    assert social.group_costs.tolist() == [0.0, 4.5, 12.5]
    assert (social.group, social.cost) == (2, 12.5)


def test_group_missing_from_a_cluster_gives_zero_and_is_named():
    points = np.array([[0.0], [1.0], [8.0], [9.0], [9.5]])
    groups = np.array([0, 1, 0, 0, 0])
    assert balance_cost([[0.5], [9.0]], points, groups) == 0.0
    table = balance_table(np.array([0, 0, 1, 1, 1]), groups, k=2, g=2)
    assert (table.cost, table.cluster, table.group) == (0.0, 1, 1)


def test_cluster_without_points_of_u_gives_zero_and_is_named():
    points = np.array([[0.0], [1.0], [8.0], [9.0]])
    groups = np.array([0, 1, 0, 1])
    assert balance_cost([[0.5], [8.5]], points, groups) == -1.0
    assert balance_cost([[0.5], [1000.0], [8.5]], points, groups) == 0.0
    table = balance_table(np.array([0, 0, 2, 2]), groups, k=3, g=2)
    assert (table.cost, table.cluster) == (0.0, 1)
    assert table.ratios[1].tolist() == [0.0, 0.0]


def test_a_cost_of_zero_is_printed_without_a_minus():
    points, groups = np.array([[0.0], [9.0]]), np.array([0, 1])
    assert str(balance_cost([[0.0], [9.0]], points, groups)) == "0.0"


def test_a_code_that_no_point_carries_changes_nothing():
    rng = np.random.default_rng(3)
    centers, points = rng.normal(size=(3, 2)), rng.normal(size=(40, 2))
    groups = rng.integers(0, 2, 40)
    with_hole = np.where(groups == 1, 3, 0)
    for entry in FAIRNESS.values():
        expected = entry.of_centers(centers, points, groups)
        assert entry.of_centers(centers, points, with_hole) == pytest.approx(expected, rel=1e-12)
    labels, _ = nearest_center(points, centers)
    assert balance_table(labels, with_hole, 3, 4).group in (0, 3)


POINTS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


@pytest.mark.parametrize("cost", [balance_cost, social_cost])
@pytest.mark.parametrize(
    ("points", "groups", "sentence"),
    [
        (np.where(POINTS == 3.0, np.nan, POINTS), [0, 1, 1], "row 1 holds a missing or infinite"),
        (np.where(POINTS == 4.0, np.inf, POINTS), [0, 1, 1], "row 2 holds a missing or infinite"),
        (POINTS, [0, 1], r"one code per point \(3\); got shape \(2,\)"),
        (POINTS, [[0, 1, 1]], r"one code per point \(3\); got shape \(1, 3\)"),
        (POINTS, [0, -1, 1], "groups must be codes 0, 1, ...; got -1"),
        (POINTS, [0.0, 1.0, 1.0], "whole-number codes 0, 1, ...; got float64 values"),
        (POINTS[0], [0, 1], r"one row per point; got shape \(2,\)"),
        (POINTS[:0], [], r"one row per point; got shape \(0, 2\)"),
    ],
)
def test_bad_input_gets_a_sentence(cost, points, groups, sentence):
    with pytest.raises(DataError, match=sentence):
        cost(POINTS[:2], points, np.array(groups))


# Minimum representation asks for a cluster of its own for every group, which is another thing.
@pytest.mark.parametrize("name", [name for name in FAIRNESS if name != "representation"])
def test_every_cost_is_lower_for_the_fairer_of_two_clusterings(name):
    # Two groups side by side: centres between them serve both alike, centres at one group do not.
    points = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 4.0], [10.0, 4.0]])
    points = np.vstack([points, points + np.array([0.5, 0.0])])  # no group fits on two centres
    groups = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    fair, unfair = np.array([[0.0, 2.0], [10.0, 2.0]]), np.array([[5.0, 0.0], [5.0, 4.1]])
    cost = FAIRNESS[name].of_centers
    assert cost(fair, points, groups) < cost(unfair, points, groups)
    assert FAIRNESS[name].title
    assert FAIRNESS[name].sentence.endswith(".")


@pytest.fixture
def own_cost():
    def share_of_largest(centers, points, groups):
        labels, _ = nearest_center(points, centers)
        return np.bincount(labels).max() / len(points)

    entry = register_fairness(
        FairnessCost("largest", "Largest", "No cluster should be large.", cost=share_of_largest)
    )
    yield entry
    del FAIRNESS["largest"]


def test_own_cost_is_found_by_name(own_cost):
    assert get_fairness("largest") is own_cost
    assert own_cost.of_centers(POINTS[1:], POINTS, np.array([0, 1, 1])) == 2 / 3


def test_a_name_is_taken_once(own_cost):
    with pytest.raises(SpecError, match="'largest' exists already; choose another"):
        register_fairness(own_cost)


@pytest.mark.parametrize("functions", [{}, {"statistic": max, "cost": max}])
def test_a_cost_has_one_function(functions):
    with pytest.raises(SpecError, match="either a statistic or a cost function"):
        register_fairness(FairnessCost("half", "Half", "Half.", **functions))
    assert "half" not in FAIRNESS


def test_unknown_cost_lists_the_known():
    with pytest.raises(SpecError, match=r"one of 'balance', 'social', 'gap'.*; got 'equal'"):
        get_fairness("equal")
