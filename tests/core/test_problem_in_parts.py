"""k-means on data in parts gives what it gives on the whole: labels, tables and costs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans

from antidote_core import Problem, RunSpec, SpecError, load_dataset, run
from antidote_core.clustering.parts.evaluator import PartitionedEvaluator
from antidote_core.clustering.parts.part_worker import Part, PartWorker
from antidote_core.datasets.parts.folder import open_parts, write_parts
from antidote_core.fairness import FAIRNESS, FairnessCost, balance_table, social_table
from antidote_core.geometry import nearest_center
from antidote_core.problem_in_parts import PartitionedProblem
from tests.core.clustering.test_kmeans_exact import full_portfolio, random_antidotes


class MemoryShelves:
    """Parts that were never in a file, one part_worker each."""

    def __init__(self, points, groups, cuts):
        self.n, self.d = points.shape
        self.g = int(groups.max()) + 1
        self.counts = {}
        self._part_workers = []
        edges = [0, *cuts, len(points)]
        for start, stop in pairwise(edges):
            part_worker = PartWorker([], self.d, self.g)
            codes = groups[start:stop].astype(np.int16)
            part_worker.parts = [Part(points[start:stop].copy(), codes, self.g)]
            part_worker._made_of[0].append(_Name(f"{start}"))
            self.counts[f"{start}"] = stop - start
            self._part_workers.append(part_worker)

    def call_all(self, method, *arguments):
        return [getattr(part_worker, method)(*arguments) for part_worker in self._part_workers]


class _Name(str):
    @property
    def name(self):
        return str(self)


@pytest.fixture(scope="module")
def creditcard(tmp_path_factory):
    data = load_dataset("creditcard")
    return data, write_parts(data, tmp_path_factory.mktemp("creditcard"), parts=4)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("fairness", ["balance", "social", "gap"])
def test_creditcard_in_four_parts_equal_to_the_whole(creditcard, fairness, k):
    data, written = creditcard
    whole = Problem(data, fairness=fairness, k=k)
    parted = PartitionedProblem(open_parts(written.folder), fairness=fairness, k=k)
    assert np.array_equal(parted.vanilla.labels, whole.vanilla.labels)
    assert parted.vanilla.cost == pytest.approx(whole.vanilla.cost, rel=1e-9)
    antidotes = list(random_antidotes(data.points, 6, seed=k))
    together = parted.evaluate_many(antidotes)
    for antidote, cost in zip(antidotes, together, strict=True):
        expected = whole.cluster(antidote)
        found = parted.cluster(antidote)
        assert np.array_equal(found.labels, expected.labels)
        np.testing.assert_allclose(found.centers, expected.centers, rtol=1e-9, atol=1e-9)
        assert found.objective == pytest.approx(expected.objective, rel=1e-9)
        if fairness == "balance":  # counts are whole numbers: nothing to round
            assert found.cost == expected.cost == cost == parted.evaluate(antidote)
        assert cost == pytest.approx(expected.cost, rel=1e-9, abs=1e-9)
        tables, reference = parted.tables(antidote), whole.tables(antidote)
        assert np.array_equal(tables.balance.counts, reference.balance.counts)
    for box in ("plausible", "minmax", "wide"):
        np.testing.assert_allclose(parted.box(box), whole.box(box))


def test_one_start_equal_to_scikit_learn(creditcard):
    data, written = creditcard
    parted = PartitionedProblem(written, fairness="social", k=3, restarts=1)
    for antidote in random_antidotes(data.points, 4, seed=8):
        union = np.vstack([data.points, antidote])
        model = KMeans(3, init=parted.vanilla.centers, n_init=1, tol=0.0).fit(union)
        assert np.array_equal(parted.cluster(antidote).labels, model.labels_[: data.n])


def test_starts_from_a_sample_lead_to_fixpoints_of_all_points(creditcard):
    data, written = creditcard
    parted = PartitionedProblem(written, k=2, sample=3000)
    assert len(parted.points) == 3000
    model = KMeans(2, init=parted.vanilla.centers, n_init=1, tol=0.0).fit(data.points)
    np.testing.assert_allclose(parted.vanilla.centers, model.cluster_centers_, rtol=1e-9)
    assert model.n_iter_ <= 2
    whole = Problem(data, k=2)
    assert parted.vanilla.objective == pytest.approx(whole.vanilla.objective, rel=1e-9)
    assert parted.vanilla.cost == whole.vanilla.cost
    again = PartitionedProblem(written, k=2, sample=3000)
    assert np.array_equal(again.points, parted.points)


def test_a_long_search_learns_anchors_and_stays_exact(creditcard):
    data, written = creditcard
    whole = Problem(data, k=2)
    parted = PartitionedProblem(written, k=2)
    evaluator = parted.evaluator
    before = len(evaluator._anchors)
    rng = np.random.default_rng(0)
    corner = data.points.max(axis=0)
    for _ in range(30):
        antidote = np.repeat(corner * rng.uniform(0.5, 1.0, (1, len(corner))), 400, axis=0)
        assert parted.evaluate(antidote) == whole.evaluate(antidote)
    assert len(evaluator._anchors) > before


def test_a_group_in_one_part_only(tmp_path):
    data = load_dataset("bank")
    order = np.argsort(data.groups == 0, kind="stable")
    points, groups = data.points[order], data.groups[order]
    edge = int((data.groups != 0).sum())
    part_workers = MemoryShelves(points, groups, [edge // 2, edge])
    parted = PartitionedEvaluator(part_workers, part_workers.counts, 2, 3, 0)
    whole = Problem(load_dataset("bank"), k=2, restarts=3)
    _, counts, costs = parted.statistics(points[:5])
    assert counts.sum() == data.n
    expected = balance_table(nearest_center(points, parted.basins[0])[0], groups, 2, part_workers.g)
    _, plain, _ = parted.statistics(np.empty((0, part_workers.d)))
    assert np.array_equal(plain, expected.counts)
    assert plain.sum(axis=0).tolist() == np.bincount(data.groups).tolist()
    assert parted.basin_inertias[0] == pytest.approx(whole.vanilla.objective, rel=1e-9)
    assert (costs > 0).all()


grids = hnp.arrays(
    np.float64,
    st.tuples(st.integers(10, 40), st.integers(1, 3)),
    elements=st.integers(-4, 4).map(float),
)


@settings(max_examples=60, deadline=None)
@given(points=grids, k=st.integers(2, 4), data=st.data())
def test_ties_duplicates_and_emptied_clusters(points, k, data):
    if len(np.unique(points, axis=0)) < k:
        return
    groups = np.arange(len(points)) % 3
    elements = st.integers(-6, 6).map(float)
    shape = st.tuples(st.integers(0, 4), st.just(points.shape[1]))
    antidotes = [data.draw(hnp.arrays(np.float64, shape, elements=elements)) for _ in range(2)]
    cuts = sorted(data.draw(st.sets(st.integers(1, len(points) - 1), max_size=3)))
    part_workers = MemoryShelves(points, groups, cuts)
    evaluator = PartitionedEvaluator(
        part_workers, part_workers.counts, k, data.draw(st.sampled_from([1, 3])), 0
    )
    for antidote, found in zip(antidotes, evaluator.fixpoints(antidotes), strict=True):
        labels, _ = nearest_center(points, found.centers)
        assert np.array_equal(evaluator.labels(found.centers), labels)
        assert np.array_equal(found.counts, balance_table(labels, groups, k, 3).counts)
        social = social_table(labels, found.centers, points, groups)
        np.testing.assert_allclose(found.group_costs, social.group_costs, rtol=1e-9, atol=1e-9)
        union = np.vstack([points, antidote])
        assert found.inertia == pytest.approx(
            nearest_center(union, found.centers)[1].sum(), abs=1e-9
        )
        evaluator._other_starts = lambda v: _others(evaluator, v)
        expected = full_portfolio(evaluator, points, antidote)
        best = nearest_center(union, expected)[1].sum()
        assert found.inertia <= best * (1 + 1e-9) + 1e-9


def _others(evaluator, antidote):
    from antidote_core.clustering.kmeans import other_starts

    return other_starts(evaluator.basins, evaluator.capture_centers, antidote)


def test_a_part_read_again_answers_the_same_to_the_last_bit(creditcard):
    data, written = creditcard
    parted = PartitionedProblem(written, k=3, fairness="social")
    antidotes = list(random_antidotes(data.points, 8, seed=1))
    first = parted.evaluate_many(antidotes)
    part_worker = parted.evaluator._part_workers._part_worker
    part_worker.parts = PartWorker(*part_worker._made_of).parts  # forgets every anchor
    assert np.array_equal(parted.evaluate_many(antidotes), first)


def test_settings_that_cannot_be_are_refused_in_a_sentence(creditcard, monkeypatch):
    written = creditcard[1]
    with pytest.raises(SpecError, match="k must be a whole number of at least 2; got 1"):
        PartitionedProblem(written, k=1)
    with pytest.raises(SpecError, match="fairness must be one of"):
        PartitionedProblem(written, fairness="magic")
    everything = FairnessCost("every", "Every", "Looks at all.", cost=lambda c, p, g: 0.0)
    monkeypatch.setitem(FAIRNESS, "every", everything)
    with pytest.raises(SpecError, match=r"'every' looks at every point; .* give it a statistic"):
        PartitionedProblem(written, fairness="every")


def test_a_run_in_parts_finds_what_a_run_on_the_whole_finds(creditcard):
    data, written = creditcard
    spec = RunSpec("creditcard", k=2, restarts=3, start_size=30, budget=60, max_rounds=1)
    whole = run(spec, data)
    parted = PartitionedProblem(written, k=2, restarts=3)
    result = run(spec, parted)
    # The sample is all of U here, so the search takes the same way but for rounding.
    np.testing.assert_allclose(result.antidote, whole.antidote, rtol=1e-6, atol=1e-6)
    assert result.vanilla_cost == whole.vanilla_cost
    assert result.cost == pytest.approx(whole.cost, abs=1e-6)
    assert result.evaluations == whole.evaluations
    assert result.reached
    assert result.verification.share == whole.verification.share
    assert result.verification.costs == pytest.approx(whole.verification.costs, abs=1e-2)
    assert Problem(data, k=2, restarts=3).evaluate(result.antidote) == result.cost


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"optimizer": "design"}, r"'design' looks at every point, .* such as 'structured'"),
        ({"target": "sota"}, r"fair algorithms look at every point, .* 'vanilla' or a number"),
        ({"k": 3}, r"asks for k = 3, .* made with 2; make both with the same settings"),
    ],
)
def test_runs_that_parts_cannot_serve_say_so(creditcard, settings, sentence):
    parted = PartitionedProblem(creditcard[1], k=2, restarts=1)
    with pytest.raises(SpecError, match=sentence):
        run(RunSpec("creditcard", **{"k": 2, "restarts": 1, **settings}), parted)
