"""Rows with weights: whole weights do what repeating the rows does, everywhere."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

import antidote_core as ac
from antidote_core import DataError, Problem, RunSpec, SpecError
from antidote_core.algorithms.design.contest import RowContest
from antidote_core.algorithms.design.fair_constraints import cells_at
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.fair_shifts import fair_shifts
from antidote_core.algorithms.rows.row_limits import RowLimits
from antidote_core.analysis.comparison import baseline_scores, run_comparison
from antidote_core.analysis.convex_runs import paper_sample
from antidote_core.analysis.snapshots import numbered_as, vanilla_report
from antidote_core.baselines import fair_lloyd
from antidote_core.baselines.fair_lloyd import LabelledGroups
from antidote_core.checks import check_weights
from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.datasets.registry import subsample
from antidote_core.datasets.uploads.reading import read_table
from antidote_core.datasets.uploads.to_dataset import Choice, encode
from antidote_core.engine.job_folder import read_dataset, write_dataset
from antidote_core.fairness import FAIRNESS, FairnessCost, cluster_counts, group_means
from antidote_core.fairness.gradients import descent_directions
from antidote_core.geometry import nearest_center, weighted_median
from antidote_core.types import Column, Dataset

CLOSE = 1e-10
seeds = st.integers(0, 2**32 - 1)


def dataset(points, groups, weights=None):
    d, g = points.shape[1], int(groups.max()) + 1
    names = tuple(f"x{a}" for a in range(d))
    return Dataset(
        name="rows", points=points, groups=groups, group_names=tuple("abcd"[:g]),
        feature_names=names, protected="group", source="a test", shift=np.zeros(d),
        scale=np.ones(d), columns=tuple(Column(name) for name in names), weights=weights,
    )  # fmt: skip


class Twins:
    """The same data twice: once with whole weights, once with every row repeated."""

    def __init__(self, seed, n=40):
        self.rng = rng = np.random.default_rng(seed)
        d = int(rng.integers(1, 4))
        points, groups = rng.normal(size=(n, d)), rng.integers(0, 3, n)
        groups[:3] = 0, 1, 2
        self.weights = rng.integers(1, 6, n).astype(float)
        self.rows = np.repeat(np.arange(n), self.weights.astype(int))
        self.weighted = dataset(points, groups, self.weights)
        self.repeated = dataset(points[self.rows], groups[self.rows])

    def antidote(self, most=8):
        return self.rng.normal(size=(int(self.rng.integers(0, most)), self.d))

    @property
    def d(self):
        return self.weighted.points.shape[1]

    def problems(self, **settings):
        return Problem(self.weighted, **settings), Problem(self.repeated, **settings)

    def same_clusters(self, weighted, repeated, centers):
        """Whether labels are the same; which cluster has which number is chance."""
        again, _ = numbered_as(weighted[self.rows], repeated, centers)
        return np.array_equal(weighted[self.rows], again)


WEIGHABLE = sorted(name for name, cost in FAIRNESS.items() if cost.statistic is not None)


# -- the problem --------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(seeds, st.integers(2, 4), st.sampled_from(WEIGHABLE))
def test_a_problem_is_that_of_repeated_rows(seed, k, fairness):
    twins = Twins(seed)
    weighted, repeated = twins.problems(k=k, fairness=fairness)
    for antidote in (twins.antidote(), twins.antidote(), twins.weighted.points[:5]):
        assert weighted.evaluate(antidote) == pytest.approx(repeated.evaluate(antidote), abs=CLOSE)
        assert weighted.rank(antidote) == pytest.approx(repeated.rank(antidote), rel=CLOSE)
        a, b = weighted.cluster(antidote), repeated.cluster(antidote)
        assert a.objective == pytest.approx(b.objective, rel=CLOSE)
        assert twins.same_clusters(a.labels, b.labels, b.centers)
        tables = weighted.tables(antidote), repeated.tables(antidote)
        assert tables[0].balance.counts.sum() == len(twins.rows)
        assert tables[0].balance.cost == pytest.approx(tables[1].balance.cost, abs=CLOSE)


@settings(max_examples=25, deadline=None)
@given(seeds, st.integers(2, 4), st.sampled_from(WEIGHABLE))
def test_guard_and_independent_clusterings_are_those_of_repeated_rows(seed, k, fairness):
    twins = Twins(seed)
    weighted, repeated = twins.problems(k=k, fairness=fairness)
    for name in ("least", "most", "n", "plain"):
        ours, theirs = getattr(weighted.guard, name), getattr(repeated.guard, name)
        assert ours == pytest.approx(theirs, rel=CLOSE)
    antidote = twins.antidote()
    ours, theirs = weighted.independent(antidote, 10, 3), repeated.independent(antidote, 10, 3)
    for name in ("objective", "cost", "smallest_share", "price"):
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name), rel=CLOSE, abs=CLOSE)
    assert (ours.antidote_only, ours.kept) == (theirs.antidote_only, theirs.kept)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 4), st.booleans())
def test_from_one_start_it_is_scikit_learn_with_sample_weight(seed, k, whole):
    twins = Twins(seed)
    points, groups = twins.weighted.points, twins.weighted.groups
    weights = twins.weights if whole else twins.rng.uniform(0.1, 5.0, len(points))
    problem = Problem(dataset(points, groups, weights), k=k, restarts=1, fairness="social")
    antidote = twins.antidote()
    union = np.vstack([points, antidote])
    model = KMeans(k, init=problem.vanilla.centers, n_init=1, tol=0.0)
    model.fit(union, sample_weight=np.concatenate([weights, np.ones(len(antidote))]))
    solution = problem.cluster(antidote)
    assert np.array_equal(solution.labels, model.labels_[: len(points)])
    assert solution.objective == pytest.approx(model.inertia_, rel=CLOSE)
    expected = ac.social_cost(model.cluster_centers_, points, groups, weights)
    assert solution.cost == pytest.approx(expected, rel=CLOSE)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 4))
def test_counts_of_odd_weights_are_exact_after_any_number_of_moves(seed, k):
    """A cell that everybody has left weighs 0, not nearly 0."""
    twins = Twins(seed, n=120)
    points, groups = twins.weighted.points, twins.weighted.groups
    weights = check_weights(twins.rng.lognormal(size=len(points)), len(points))
    evaluator = KMeansEvaluator(points, groups, k, 5, 0, weights)
    for _ in range(12):
        centers, counts, group_costs = evaluator.statistics(twins.antidote(30))
        labels, squared = nearest_center(points, centers)
        assert np.array_equal(counts, cluster_counts(labels, groups, k, 3, weights))
        np.testing.assert_allclose(
            group_costs, group_means(squared, groups, 3, weights), rtol=1e-9, atol=1e-12
        )


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from(WEIGHABLE))
def test_weights_of_one_change_nothing(seed, fairness):
    points, groups = Twins(seed).repeated.points, Twins(seed).repeated.groups
    plain = Problem(dataset(points, groups), fairness=fairness)
    ones = Problem(dataset(points, groups, np.ones(len(points))), fairness=fairness)
    antidote = Twins(seed).antidote()
    assert ones.evaluate(antidote) == plain.evaluate(antidote)
    assert np.array_equal(ones.cluster(antidote).labels, plain.cluster(antidote).labels)


@pytest.mark.parametrize("scale", [1e-6, 0.01, 1e6])
def test_only_the_proportions_of_the_weights_matter_without_antidote_points(scale):
    twins = Twins(4)
    scaled = dataset(twins.weighted.points, twins.weighted.groups, scale * twins.weights)
    for fairness in set(WEIGHABLE) - {"bounded", "kl"}:  # they count people
        plain = Problem(twins.weighted, fairness=fairness)
        assert Problem(scaled, fairness=fairness).vanilla.cost == pytest.approx(
            plain.vanilla.cost, rel=CLOSE
        )


@settings(max_examples=20, deadline=None)
@given(seeds, st.sampled_from(WEIGHABLE))
def test_gradients_are_those_of_repeated_rows(seed, fairness):
    twins = Twins(seed)
    centers = twins.rng.normal(size=(3, twins.d))
    found = [
        descent_directions(FAIRNESS[fairness], centers, data.points, data.groups, data.weights)
        for data in (twins.weighted, twins.repeated)
    ]
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(seeds, st.floats(0.0, 40.0), st.floats(60.0, 100.0))
def test_places_are_those_of_repeated_rows(seed, low, high):
    twins = Twins(seed)
    weighted, repeated = twins.problems()
    spec = RunSpec(dataset="rows", percentiles=(low, high))
    try:
        theirs = repeated.place_for(spec).allowed
    except SpecError:  # nobody is within them
        return
    assert np.array_equal(weighted.place_for(spec).allowed[twins.rows], theirs)
    for name in ("plausible", "minmax", "wide"):
        np.testing.assert_allclose(weighted.box(name), repeated.box(name), atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(seeds)
def test_bounds_on_the_cost_are_those_of_repeated_rows(seed):
    twins = Twins(seed)
    for cost in FAIRNESS.values():
        ours, theirs = (
            cost.lower_bound(data.points, data.groups, 2, data.weights)
            for data in (twins.weighted, twins.repeated)
        )
        assert ours == pytest.approx(theirs, abs=CLOSE)


@settings(max_examples=15, deadline=None)
@given(seeds, st.integers(2, 4))
def test_k_median_is_that_of_repeated_rows(seed, k):
    twins = Twins(seed)
    weighted, repeated = twins.problems(clustering="kmedian", k=k, fairness="social")
    antidote = twins.antidote()
    assert weighted.evaluate(antidote) == pytest.approx(repeated.evaluate(antidote), abs=CLOSE)


def test_mini_batches_take_weights():
    """A heavy row draws a centre to itself."""
    points = np.array([[0.0], [1.0], [8.0], [9.0]])
    heavy = Problem(
        dataset(points, np.array([0, 1, 0, 1]), np.array([1.0, 1.0, 1.0, 1e6])), "minibatch"
    )
    assert abs(heavy.vanilla.centers - 9.0).min() < 1e-3


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 4)), min_size=1, max_size=9))
def test_the_weighted_median_is_that_of_repeated_values(pairs):
    values, times = (np.array(column) for column in zip(*pairs, strict=True))
    expected = np.median(np.repeat(values, times))
    assert weighted_median(values.astype(float), times.astype(float)) == expected


# -- fair algorithms and scores -----------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, 4))
def test_fair_lloyd_from_one_start_is_that_of_repeated_rows(seed, k):
    twins = Twins(seed)
    init = twins.rng.normal(size=(k, twins.d))
    ours, theirs = (
        fair_lloyd(d.points, d.groups, k, init=init, restarts=1, sample_weight=d.weights)
        for d in (twins.weighted, twins.repeated)
    )
    assert np.array_equal(ours.labels[twins.rows], theirs.labels)
    # Either centre step may stop short of the best centres, by no more than its certificate says.
    short = CLOSE + ours.gap + theirs.gap
    assert short < 1e-7
    assert ours.cost == pytest.approx(theirs.cost, abs=short)
    for scoring, costs in ours.scores.items():
        assert costs == pytest.approx(theirs.scores[scoring], abs=10 * short)


@settings(max_examples=20, deadline=None)
@given(seeds, st.integers(2, 4))
def test_what_the_centre_step_sees_is_that_of_repeated_rows(seed, k):
    twins = Twins(seed)
    labels = twins.rng.integers(0, k, twins.weighted.n)
    ours, theirs = (
        LabelledGroups.of(d.points, d.groups, found, k, 3, d.weights)
        for d, found in ((twins.weighted, labels), (twins.repeated, labels[twins.rows]))
    )
    for name in ("shares", "means", "within"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(2, 5))
def test_quality_is_scikit_learns_on_repeated_rows(seed, k):
    twins = Twins(seed)
    points, labels = twins.weighted.points, twins.rng.integers(0, k, twins.weighted.n)
    labels[:k] = np.arange(k)
    found = ac.quality(points, labels, sample_weight=twins.weights)
    repeated = points[twins.rows], labels[twins.rows]
    # With exact distances: scikit-learn's own of a point to its copy are 1e-8 and not 0.
    expected = silhouette_score(cdist(repeated[0], repeated[0]), repeated[1], metric="precomputed")
    assert found.silhouette == pytest.approx(expected, abs=CLOSE)
    assert found.davies_bouldin == pytest.approx(davies_bouldin_score(*repeated), rel=CLOSE)
    assert found.calinski_harabasz == pytest.approx(calinski_harabasz_score(*repeated), rel=CLOSE)


def test_rows_of_the_comparison_are_those_of_repeated_rows():
    twins = Twins(5)
    spec = RunSpec(dataset="rows", fairness="social")
    antidote = twins.rng.normal(size=(4, twins.d))
    ours, theirs = (
        list(run_comparison(spec, d, antidote, 0.0)) for d in (twins.weighted, twins.repeated)
    )
    assert len(ours) == len(theirs) == 4
    for mine, yours in zip(ours, theirs, strict=True):
        for name in ("balance", "social", "price", "smallest_share"):
            assert getattr(mine, name) == pytest.approx(getattr(yours, name), abs=CLOSE)
        assert mine.quality.silhouette == pytest.approx(yours.quality.silhouette, abs=CLOSE)
    reports = [vanilla_report(d, "kmeans", 2, 10, 0) for d in (twins.weighted, twins.repeated)]
    assert reports[0].balance.cost == pytest.approx(reports[1].balance.cost, abs=CLOSE)
    assert reports[0].social.cost == pytest.approx(reports[1].social.cost, abs=CLOSE)


def test_a_search_on_weighted_rows_is_checked_by_weighted_clusterings():
    data = ac.load_dataset("two-optima")
    weighted = replace(data, weights=np.full(data.n, 2.0))
    twice = replace(data, points=np.repeat(data.points, 2, 0), groups=np.repeat(data.groups, 2))
    spec = RunSpec(
        dataset="two-optima", place="minmax", optimizer="structured", start_size=40, step=10,
        target=-0.5, budget=200,
    )  # fmt: skip
    ours, theirs = ac.run(spec, weighted), ac.run(spec, twice)
    assert ours.cost == pytest.approx(theirs.cost, abs=CLOSE)
    assert ours.size == theirs.size
    assert ours.verification.costs == pytest.approx(theirs.verification.costs, abs=CLOSE)
    assert ours.weight == 2.0 * data.n
    assert theirs.weight is None


def test_the_weights_of_a_result_include_those_of_the_rows():
    data = replace(ac.load_dataset("blobs"), weights=np.resize([1.0, 2.0], 200))
    spec = RunSpec(dataset="blobs", fairness="social", start_size=3, budget=60, max_rounds=1)
    result = ac.run(spec, data)
    assert result.copies.sum() == 3
    start = result.answer.centers
    model = KMeans(2, init=start, n_init=1, tol=0.0)
    model.fit(data.points, sample_weight=data.weights + result.copies)
    cost = ac.social_cost(model.cluster_centers_, data.points, data.groups, data.weights)
    assert cost == pytest.approx(result.cost, abs=1e-9)
    with pytest.raises(SpecError, match=r"data\.weights \+ result\.copies"):
        _ = result.sample_weight


# -- data ---------------------------------------------------------------------------------------


def survey(n=60, seed=1):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "town": rng.choice(["north", "south", "west"], n),
            "sex": np.resize(["f", "m"], n),
            "weight": rng.integers(1, 5, n),
        }
    )


def loaded(frame, weights="weight", **more):
    return ac.dataset_from_frame(frame, ["age", "town"], "sex", weights=weights, **more)


@pytest.mark.parametrize("missing", ["drop", "impute"])
def test_a_table_with_weights_is_standardised_like_one_with_repeated_rows(missing):
    frame = survey()
    frame.loc[3, "age"] = np.nan
    rows = np.repeat(np.arange(len(frame)), frame["weight"])
    weighted = loaded(frame, missing=missing)
    repeated = loaded(frame.iloc[rows].reset_index(drop=True), weights=None, missing=missing)
    again = np.repeat(np.arange(weighted.n), weighted.weights.astype(int))
    np.testing.assert_allclose(weighted.points[again], repeated.points, atol=CLOSE)
    np.testing.assert_allclose(weighted.shift, repeated.shift, atol=CLOSE)
    np.testing.assert_allclose(weighted.scale, repeated.scale, atol=CLOSE)
    assert not any("weight" in name for name in weighted.feature_names)
    assert any("weight in 'weight'" in note for note in weighted.notes)


def test_rows_of_weight_zero_are_left_out():
    frame = survey()
    frame.loc[[2, 5], "weight"] = 0
    data = loaded(frame)
    assert data.n == len(frame) - 2
    assert "2 rows of weight 0 left out." in data.notes
    expected = loaded(frame.drop(index=[2, 5]))
    np.testing.assert_array_equal(data.points, expected.points)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda w: w.where(w.index != 7), r"no value in 1 of 60 rows, the first in row 8"),
        (lambda w: w.where(w.index != 4, -2.0), r"the value -2 in row 5; wanted finite numbers"),
        (lambda w: w.where(w.index != 4, np.inf), r"the value inf in row 5"),
        (lambda w: 0 * w, r"add up to 0"),
        (lambda w: w.astype(str) + " people", r"has texts such as '1 people'"),
    ],
)
def test_weights_that_cannot_be_used_are_refused_in_a_sentence(change, words):
    frame = survey()
    frame["weight"] = change(frame["weight"].astype(float if words[0] == "t" else object))
    with pytest.raises(DataError, match=words):
        loaded(frame)


def test_the_column_of_weights_has_one_role_and_exists():
    with pytest.raises(DataError, match="wanted it in one place"):
        loaded(survey(), weights="age")
    with pytest.raises(DataError, match=r"no column 'wieght' to use as weights \(did you mean"):
        loaded(survey(), weights="wieght")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (np.ones(3), r"one weight per row \(40\); got shape \(3,\)"),
        (np.array(["a"] * 40), "must be numbers"),
        (np.r_[0.0, np.ones(39)], "got 0 in row 1"),
        (np.r_[np.nan, np.ones(39)], "got nan in row 1"),
        (np.r_[1e-30, np.ones(39)], "too far for exact sums"),
    ],
)
def test_a_data_set_refuses_weights_that_are_none(weights, words):
    data = Twins(0).weighted
    with pytest.raises(DataError, match=words):
        replace(data, weights=weights)


def test_the_content_hash_knows_weights_and_without_them_is_as_ever():
    data = ac.load_dataset("two-optima")
    # Recorded before data sets had weights.
    assert data.content_hash.startswith("bb01200a032855f6")
    ones, twos = (replace(data, weights=np.full(data.n, w)) for w in (1.0, 2.0))
    assert len({data.content_hash, ones.content_hash, twos.content_hash}) == 3


def test_a_sample_and_a_stored_copy_keep_the_weights(tmp_path):
    data = replace(ac.load_dataset("blobs"), weights=np.arange(1.0, 201.0))
    sample = subsample(data, 50, seed=0)
    rows = [int(np.flatnonzero((data.points == p).all(axis=1))[0]) for p in sample.points]
    assert np.array_equal(sample.weights, data.weights[rows])
    write_dataset(tmp_path / "data.npz", data)
    again = read_dataset(tmp_path / "data.npz")
    assert np.array_equal(again.weights, data.weights)
    assert again.content_hash == data.content_hash


# -- what takes no weights says so ---------------------------------------------------------------


@pytest.mark.parametrize(
    "clustering",
    ["spectral", "kmedoids", "gaussian-mixture", "ward", "average-linkage", "complete-linkage",
     "dbscan"],
)  # fmt: skip
def test_clusterings_without_weights_name_those_that_have_them(clustering):
    named = "choose 'kmeans', 'kmedian', 'minibatch', 'bisecting-kmeans' or 'fuzzy-cmeans'"
    with pytest.raises(SpecError, match=named):
        Problem(Twins(0).weighted, clustering)


def test_a_cost_of_ones_own_without_a_statistic_is_refused():
    FAIRNESS["own"] = FairnessCost("own", "Own", "A test.", cost=lambda c, p, g: 0.0)
    try:
        with pytest.raises(SpecError, match="give it a statistic"):
            Problem(Twins(0).weighted, fairness="own")
    finally:
        del FAIRNESS["own"]


def test_designs_in_boxes_count_every_row_once():
    spec = RunSpec(dataset="rows", optimizer="design", place="minmax")
    with pytest.raises(SpecError, match="choose place='rows', or an optimizer that searches"):
        ac.run(spec, Twins(0).weighted)


@given(seeds)
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("fairness", ["balance", "social"])
def test_the_program_of_rows_is_that_of_repeated_rows(fairness, seed):
    """Rivals, trust, fairness, guard and draws: coefficients of every row, and all limits."""
    twins = Twins(seed, n=120)
    found = []
    for data in (twins.weighted, twins.repeated):
        problem = Problem(data, fairness=fairness, k=2, max_price=0.3)
        contest = RowContest(problem, lasting=1.0)
        rows = np.arange(len(problem.points))
        limits = RowLimits(contest, fair_shifts(problem), rows)
        centers = twins.weighted.points[:2] + 0.01
        cells = cells_at(centers, problem.points, problem.groups, problem.weights)
        if cells is None:
            return
        rivals = [Cut(c, contest._inertia(c)) for c in (centers + 0.5, centers[::-1] * 1.5)]
        found.append(
            limits.at(cells, rivals, 0.4, 0.1, np.array([3.0, 1.0]), 1.0, 1.0, np.array([1.0, 1.2]))
        )
    weighted, repeated = found
    first = np.concatenate([[0], np.cumsum(twins.weights[:-1])]).astype(int)
    for name, of_repeated in (
        ("matrix", repeated.matrix[:, first]), ("lower", repeated.lower),
        ("upper", repeated.upper), ("relief", repeated.relief),
    ):  # fmt: skip
        np.testing.assert_allclose(getattr(weighted, name), of_repeated, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("fairness", ["balance", "social"])
def test_designs_of_rows_go_by_weight(fairness, whole):
    """What they promise is what scikit-learn does with the weights of U and the copies together."""
    rng = np.random.default_rng(3)
    n = 400
    side, height = rng.integers(2, size=n), rng.integers(2, size=n)
    points = np.stack([2.2 * side, 1.9 * height], axis=1) + rng.normal(0.0, 0.5, (n, 2))
    points /= points.std(axis=0)
    groups = (rng.random(n) < np.where(side == 1, 0.8, 0.2)).astype(np.int64)
    data = dataset(points, groups, rng.uniform(0.3, 3.0, n))
    problem = Problem(data, fairness=fairness)
    target = -0.7
    if fairness == "social":
        fair = fair_lloyd(points, groups, 2, sample_weight=data.weights)
        target = 0.5 * (problem.vanilla.cost + fair.cost)
    assert problem.vanilla.cost > target
    spec = RunSpec(
        "rows", fairness=fairness, target=target, optimizer="design", growth="bisect", whole=whole,
        max_size=150,
    )  # fmt: skip
    result = ac.run(spec, data)
    assert result.reached
    assert result.copies.max() <= 5
    for seed in range(900, 904):
        model = KMeans(2, n_init=10, random_state=seed)
        model.fit(points, sample_weight=data.weights + result.copies)
        cost = problem.fairness.of_centers(model.cluster_centers_, points, groups, data.weights)
        assert cost <= target + 1e-9


def test_fair_algorithms_that_assign_whole_points_stand_aside():
    data = Twins(0).weighted
    assert baseline_scores(data, "kmeans", "balance", 2, 3, 0) == {}
    assert baseline_scores(data, "kmeans", "social", 2, 3, 0)
    with pytest.raises(SpecError, match="on rows with weights; choose target"):
        ac.run(RunSpec(dataset="rows", target="sota"), data)


def test_parts_and_algorithm_1_refuse_weights(tmp_path):
    with pytest.raises(DataError, match="Data in parts have no weights"):
        ac.write_parts(Twins(0).weighted, tmp_path / "parts")
    with pytest.raises(SpecError, match="Algorithm 1 counts every row once"):
        paper_sample(Twins(0).weighted)


def test_an_uploaded_table_may_name_its_weights():
    text = survey().to_csv(index=False).encode()
    table = read_table("survey.csv", text)
    chosen = Choice(("age", "town"), ("sex",), weights="weight")
    data = encode(table, chosen, "my-survey", "Survey").data
    expected = loaded(survey())
    assert np.array_equal(data.weights, expected.weights)
    np.testing.assert_allclose(data.points, expected.points, atol=1e-12)
    for column in ("age", "sex"):
        with pytest.raises(DataError, match="wanted it in one place"):
            encode(table, replace(chosen, weights=column), "my-survey", "Survey")


def test_weights_that_add_up_to_one_are_remarked_upon():
    frame = survey()
    assert not any("a point of V weighs 1" in note for note in loaded(frame).notes)
    frame["weight"] = frame["weight"] / frame["weight"].sum()
    assert any("as much as 60 rows" in note for note in loaded(frame).notes)
