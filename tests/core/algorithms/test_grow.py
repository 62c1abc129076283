"""Algorithm 2: events, growth policies, limits, cancelling, verification, reproducibility."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from sklearn.cluster import KMeans

from antidote_core import (
    RunSpec,
    SpecError,
    balance_cost,
    fold,
    grow,
    load_dataset,
    run,
    social_cost,
)
from antidote_core.algorithms.algorithm2 import search
from antidote_core.algorithms.algorithm2.grow import _shrunk
from antidote_core.algorithms.algorithm2.sizes import Sizes, tipping_size
from antidote_core.algorithms.algorithm2.verification import noise, verify
from antidote_core.fairness.social import lowest_social_cost
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.problem import Problem
from antidote_core.runs.target import meets
from antidote_core.runs.view import pack, unpack

SMALL = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=2, seed=1)


def without_times(spec):
    """All events but those that a busy machine says more often."""
    return [(event.kind, dict(event.data)) for event in grow(spec) if event.kind != "alive"]


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("growth", ["extend", "restart", "bisect"])
def test_same_spec_same_events(optimizer, growth):
    spec = dataclasses.replace(SMALL, optimizer=optimizer, growth=growth, target=-1.0, embed_dim=4)
    assert without_times(spec) == without_times(spec)


def test_other_seed_other_events():
    spec = dataclasses.replace(SMALL, optimizer="random", target=-1.0)
    assert without_times(spec) != without_times(dataclasses.replace(spec, seed=2))


def test_event_order_and_fold_equal_run():
    spec = dataclasses.replace(SMALL, shrink=True)
    events = list(grow(spec))
    kinds = [kind for kind, _ in itertools.groupby(event.kind for event in events)]
    assert kinds[:4] == ["started", "vanilla", "target", "noise"]
    assert kinds[-2:] == ["verified", "finished"]
    view, result = fold(events), run(spec)
    assert view.cost == result.cost
    assert np.array_equal(view.antidote, result.antidote)
    assert result.reached
    assert result.reason == "target reached"
    assert 0.0 <= result.verification.share <= 1.0


def test_result_cost_is_the_cost_of_the_returned_antidote():
    result = run(SMALL)
    problem = Problem(load_dataset("blobs"), seed=1)
    assert problem.evaluate(result.antidote) == result.cost
    assert result.vanilla_cost == problem.vanilla.cost
    assert result.cost < result.vanilla_cost


def test_growth_stops_at_the_size_limit_and_keeps_the_best():
    spec = dataclasses.replace(SMALL, target=-1.0, step=2, max_size=6, max_rounds=None, budget=20)
    result = run(spec)
    assert [r.size for r in result.history] == [3, 5]
    assert not result.reached
    assert result.cost == min(r.cost for r in result.history)
    assert result.reason.startswith("size limit of 6 points reached; try")
    assert result.verification.share == 0.0


def test_default_limit_is_a_tenth_of_the_data():
    sizes = Sizes(RunSpec(dataset="bank"), 5000)
    assert sizes.limit == 500


@pytest.mark.parametrize("factor", [1.01, 1.25, 2.0, 3.7])
def test_a_factor_takes_the_size_to_the_limit_in_few_rounds(factor):
    sizes = Sizes(RunSpec(dataset="bank", start_size=3, growth_factor=factor), 100_000)
    tried = []
    while (size := sizes.next()) is not None and len(tried) < 150:
        tried.append(size)
        sizes.record(size, reached=False, rank=-size)
    assert tried[0] == 3
    for last, size in itertools.pairwise(tried):
        assert size > last  # also where the factor adds less than one point
        assert 0 <= size - max(factor * last, last + 1) < 1
    if factor >= 1.25:
        assert factor * tried[-1] > sizes.limit
        assert len(tried) <= 1 + 2 * math.log(sizes.limit / 3) / math.log(factor)


def test_rounds_and_time_limits_are_named():
    assert "2 rounds" in run(dataclasses.replace(SMALL, target=-1.0)).reason
    hurried = dataclasses.replace(SMALL, target=-1.0, max_seconds=1e-6, max_rounds=None)
    assert "time limit" in run(hurried).reason


def test_cancel_keeps_the_best_so_far():
    spec = dataclasses.replace(SMALL, fairness="social", target=0.8, budget=10_000, max_rounds=None)
    asked = itertools.count()
    result = run(spec, cancel=lambda: next(asked) > 40)
    assert result.state == "stopped"
    assert result.reason == "stopped by you"
    assert result.size == 3
    assert result.cost < result.vanilla_cost
    assert result.evaluations <= 41


def test_leaving_the_generator_ends_its_thread():
    import threading

    before = threading.active_count()
    events = grow(dataclasses.replace(SMALL, target=-1.0, budget=100_000))
    for event in events:
        if event.kind == "progress":
            break
    events.close()
    assert threading.active_count() == before


def test_bisect_finds_a_smaller_size_than_it_started_from():
    spec = RunSpec(
        dataset="blobs", growth="bisect", start_size=1, budget=150, max_size=64, target=-0.9,
        max_price=None, box="minmax",
    )  # fmt: skip
    result = run(spec)
    assert result.reached
    sizes = [r.size for r in result.history]
    failed = [r.size for r in result.history if not r.reached]
    assert result.size == min(r.size for r in result.history if r.reached)
    assert all(size < result.size for size in failed)
    assert len(sizes) == len(set(sizes))


@pytest.mark.parametrize("works", range(1, 40))
def test_bisect_sizes_find_any_threshold(works):
    sizes = Sizes(RunSpec(dataset="bank", growth="bisect", start_size=3, max_size=100), 10_000)
    tried = []
    while (size := sizes.next()) is not None:
        tried.append(size)
        sizes.record(size, size >= works, rank=-size)
    assert min(size for size in tried if size >= works) == works
    assert len(tried) <= 14


def test_shrinking_never_loses_the_target():
    problem = Problem(load_dataset("blobs"), fairness="social")
    result = run(RunSpec(dataset="blobs", fairness="social", start_size=12, budget=100))
    smaller, spent = _shrunk(
        problem, result.antidote, problem.vanilla.cost, True, stop=lambda: False
    )
    assert len(smaller) <= len(result.antidote)
    assert spent > 0
    assert meets(problem.evaluate(smaller), problem.vanilla.cost, strict=True)


def test_named_targets_must_be_beaten_and_numbers_met():
    assert meets(1.0, 1.0, strict=False)
    assert not meets(1.0, 1.0, strict=True)
    found = run(SMALL)
    assert run(dataclasses.replace(SMALL, target=found.cost + 1e-6)).size == found.size


@pytest.mark.parametrize("optimizer", ["structured", "design", "random"])
def test_a_target_that_plain_clustering_meets_needs_nothing(optimizer):
    vanilla = Problem(load_dataset("blobs")).vanilla.cost
    view = run(dataclasses.replace(SMALL, optimizer=optimizer, target=vanilla + 0.01))
    assert view.reached
    assert (view.size, view.rounds, view.evaluations) == (0, 0, 0)
    assert view.reason == "plain clustering meets the target already"
    assert view.verdict.outcome == "nothing needed"


@pytest.mark.parametrize(("fairness", "target"), [("balance", -1.01), ("social", 0.5), ("gap", -1)])
def test_an_impossible_target_is_refused_with_the_range(fairness, target):
    with pytest.raises(SpecError, match="cannot be met: "):
        run(dataclasses.replace(SMALL, fairness=fairness, target=float(target)))


def test_no_centres_can_be_below_the_bound_of_the_social_cost():
    rng = np.random.default_rng(3)
    for k in (2, 3):
        points, groups = rng.normal(size=(60, 4)), np.arange(60) % 3
        bound = lowest_social_cost(points, groups, k)
        assert bound > 0
        for seed in range(20):  # centres for one group alone, and for all
            own = KMeans(k, n_init=3, random_state=seed).fit(points[groups == seed % 3])
            assert social_cost(own.cluster_centers_, points, groups) >= bound
            own_cost = own.inertia_ / (groups == seed % 3).sum()
            assert own_cost >= lowest_social_cost(points[groups == seed % 3], np.zeros(20, int), k)


def test_a_run_that_gets_nowhere_stops_and_says_what_to_try():
    spec = RunSpec(dataset="adult", sample=2000, start_size=2, budget=10, max_stalled=3)
    view = run(spec)
    assert view.vanilla_cost == 0.0
    assert view.rounds <= 5
    assert view.reason.startswith("3 rounds in a row brought nothing better; try")


def test_four_fifths_is_a_level_of_balance_only():
    spec = dataclasses.replace(SMALL, target="four_fifths", start_size=20, max_price=None)
    assert run(spec).target == -0.8
    with pytest.raises(SpecError, match="only balance has"):
        run(dataclasses.replace(spec, fairness="social"))


def test_sota_target_names_the_algorithm_and_its_scoring():
    events = list(grow(dataclasses.replace(SMALL, fairness="social", target="sota")))
    target = next(event.data for event in events if event.kind == "target")
    assert target["sota"]["scoring"] == "nearest centre"
    assert target["target"] == target["sota"]["cost"]
    with pytest.raises(SpecError, match="No fair algorithm"):
        run(dataclasses.replace(SMALL, fairness="gap", target="sota"))


def test_noise_and_verification_use_other_seeds_and_are_reproducible():
    problem = Problem(load_dataset("two-optima"), restarts=1)
    assert noise(problem) == noise(problem)
    found = verify(problem, problem.points[:2], target=0.0, strict=False)
    assert found == verify(problem, problem.points[:2], target=0.0, strict=False)
    assert found.share == 1.0
    assert found.restarts == 10


def test_a_cluster_of_antidote_points_alone_is_flagged():
    data = load_dataset("blobs")
    problem = Problem(data)
    far = np.full((200, 2), 1000.0)
    assert verify(problem, far, target=-0.5, strict=False).antidote_only == 1
    assert problem.evaluate(far) == 0.0


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"optimizer": "magic"}, "optimizer"),
        ({"clustering": "magic"}, "clustering must be one of"),
        ({"fairness": "magic"}, "fairness must be one of"),
        ({"box": "magic"}, "place must be one of"),
        ({"k": 10_000}, "k must be at most"),
    ],
)
def test_unknown_names_give_a_sentence(setting, sentence):
    with pytest.raises(SpecError, match=sentence):
        run(dataclasses.replace(SMALL, **setting))


def test_pack_round_trip():
    antidote = np.random.default_rng(0).normal(size=(5, 3))[[0, 1, 1, 4, 0]]
    again = unpack(pack(antidote))
    assert sorted(map(tuple, again)) == sorted(map(tuple, antidote))
    assert unpack(pack(np.empty((0, 3)))).shape == (0, 3)


@pytest.mark.parametrize("copies", [1, 3])
def test_the_tipping_size_is_where_the_other_clustering_wins(copies):
    """Copies in the order of their gain, one by one: the lead is made up at that very one."""
    data = load_dataset("two-optima")
    problem = Problem(data)
    spec = RunSpec("two-optima", max_copies=copies, percentiles=(0.0, 100.0))
    size = tipping_size(problem, problem.place_for(spec), -0.9)
    home, *others = problem.evaluator.basins
    needed = []
    for other in others:
        if problem.fairness.of_centers(other, data.points, data.groups) > -0.9:
            continue

        def inertia(centers, points):
            return ((points[:, None] - centers[None]) ** 2).sum(axis=2).min(axis=1)

        gains = inertia(home, data.points) - inertia(other, data.points)
        lead = inertia(other, data.points).sum() - inertia(home, data.points).sum()
        best = np.sort(np.repeat(gains, copies))[::-1].cumsum()
        needed.append(int(np.argmax(best >= lead)) + 1)
    assert size == min(needed)


def test_no_tipping_size_where_no_clustering_is_known_to_meet_the_target():
    problem = Problem(load_dataset("two-optima"))
    place = problem.place_for(RunSpec("two-optima"))
    assert tipping_size(problem, place, -1.5) is None
    assert tipping_size(Problem(load_dataset("blobs"), "spectral"), place, -0.1) is None


def test_the_lead_of_a_contest_is_that_of_scikit_learn_from_the_same_optima():
    data = load_dataset("two-optima")
    problem = Problem(data)
    antidote = np.tile(data.points.max(axis=0), (3, 1))
    union = np.vstack([data.points, antidote])
    inertias = {True: [], False: []}
    for start in problem.evaluator.basins:
        model = KMeans(2, init=start, n_init=1, tol=0.0).fit(union)
        cost = balance_cost(model.cluster_centers_, data.points, data.groups)
        inertias[cost <= -0.9].append(model.inertia_)
    expected = min(inertias[True]) - min(inertias[False])
    assert search.lead(problem, antidote, -0.9, False) == pytest.approx(expected, rel=1e-9)


def test_rounds_say_how_far_the_contest_is_from_tipping():
    spec = RunSpec(
        dataset="two-optima", start_size=2, step=2, target=-0.9, budget=100, place="minmax"
    )
    view = run(spec)
    leads = [step.contest["lead"] for step in view.history if step.contest]
    assert view.reached
    assert len(leads) >= 2
    assert leads[0] > 0
    assert leads[0] < view.history[0].contest["lead_before"]
    assert leads[-1] < leads[0]


def test_where_no_fair_clustering_is_known_there_is_no_contest():
    spec = RunSpec(dataset="blobs", start_size=2, target=-1.0, budget=50, max_rounds=1)
    assert not run(spec).history[0].contest
