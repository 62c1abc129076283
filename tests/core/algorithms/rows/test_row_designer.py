"""Designs of rows: the claims against scikit-learn, the sizes against a brute force."""

import dataclasses
import itertools
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.algorithms.rows.row_design import fewest_copies
from antidote_core.algorithms.rows.row_designer import RowDesigner
from antidote_core.algorithms.steps import finish
from antidote_core.baselines import fair_lloyd
from antidote_core.errors import SpecError
from antidote_core.places import allowed_rows
from antidote_core.problem import Problem


def table(points, groups):
    frame = pd.DataFrame(points, columns=[f"x{a}" for a in range(points.shape[1])])
    frame["group"] = [f"g{j}" for j in groups]
    return ac.dataset_from_frame(frame, features=list(frame.columns[:-1]), protected="group")


def cross(seed=0, n=600):
    """Two ways to split: the wide one parts the groups, the other, hardly worse, mixes them."""
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=n)
    height = rng.integers(2, size=n)
    points = np.stack([2.2 * side, 1.9 * height], axis=1) + rng.normal(0.0, 0.5, (n, 2))
    groups = (rng.random(n) < np.where(side == 1, 0.8, 0.2)).astype(np.int64)
    return table(points, groups)


@pytest.fixture(scope="module")
def problem():
    return Problem(cross(), fairness="balance", k=2)


@pytest.fixture(scope="module")
def design(problem):
    return finish(RowDesigner(problem, allowed_rows(problem.points)).smallest(-0.8))


def fresh_costs(problem, weights, seeds=range(900, 908)):
    cost = ac.balance_cost if problem.fairness.name == "balance" else ac.social_cost
    fits = [
        KMeans(problem.k, n_init=10, random_state=seed).fit(problem.points, sample_weight=weights)
        for seed in seeds
    ]
    return [cost(fit.cluster_centers_, problem.points, problem.groups) for fit in fits]


def test_plain_clustering_parts_the_groups(problem):
    assert problem.vanilla.cost > -0.6


def test_a_target_is_met_by_copies_of_ordinary_rows(problem, design):
    assert design.reached
    assert design.checks == 8
    assert design.share == 1.0
    assert design.copies.dtype == np.int64
    assert design.copies.max() <= 5
    assert not design.copies[~allowed_rows(problem.points)].any()
    assert 0 < design.size <= 0.2 * len(problem.points)
    assert design.people == (design.copies > 0).sum()
    assert design.bound <= design.size + 1e-6
    assert max(fresh_costs(problem, design.weights)) <= -0.8


def test_reasons_name_a_rival_and_a_centre_for_every_copied_row(design):
    reasons = design.reasons
    assert np.array_equal(reasons.rows, np.flatnonzero(design.copies))
    assert (reasons.rival_of_row < len(reasons.rivals)).all()
    assert set(reasons.cluster_of_row) <= {0, 1}
    why = design.why(int(reasons.rows[0]))
    assert why["copies"] >= 1
    assert design.why(int(np.flatnonzero(design.copies == 0)[0])) is None


def test_same_seed_same_copies_and_steps_are_plain_values(problem, design):
    steps = RowDesigner(problem, allowed_rows(problem.points)).smallest(-0.8)
    kinds = set()
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            again = end.value
            break
        kinds.add(step.kind)
        assert {"size", "best", "start", "step", "cost", "cuts", "lead"} <= set(step.data)
        json.dumps(step.data, allow_nan=False)
    assert kinds <= {"pass", "hunt", "cut", "check"}
    assert np.array_equal(again.copies, design.copies)
    json.dumps(again.summary(), allow_nan=False)


def test_a_margin_in_standard_errors_takes_more_copies(problem, design):
    loose = finish(RowDesigner(problem, allowed_rows(problem.points), lasting=0.0).smallest(-0.8))
    assert loose.reached
    assert loose.size < design.size
    assert loose.lead > design.lead


def test_too_few_copies_bring_the_contest_closer(problem):
    designer = RowDesigner(problem, allowed_rows(problem.points), lasting=0.0)
    few, more = finish(designer.best(3, -0.8)), finish(designer.best(6, -0.8))
    assert not few.reached
    assert 0 < more.lead < few.lead < few.lead_before
    assert few.size <= 3
    assert few.cost == problem.evaluate(few.antidote(problem.points))
    assert any("do not tip the contest" in note for note in few.notes)


def test_more_copies_are_never_less_fair(problem):
    designer = RowDesigner(problem, allowed_rows(problem.points), lasting=0.0)
    designs = designer.frontier([150, 60])
    assert [d.size <= size for d, size in zip(designs, (60, 150), strict=True)] == [True, True]
    assert designs[1].best_cost <= designs[0].best_cost
    assert designs[1].best_cost < problem.vanilla.cost - 0.2


def test_the_frontier_of_a_spec_is_made_of_rows():
    data = cross(n=300)
    spec = ac.RunSpec(place="rows", dataset="cross", optimizer="design", lasting=0.0)
    designs = ac.design_frontier(spec, [60, 20], data)
    assert [d.size <= most for d, most in zip(designs, (20, 60), strict=True)] == [True, True]
    assert designs[1].best_cost <= designs[0].best_cost
    rows = {tuple(row) for row in Problem(data).points}
    assert all(tuple(v) in rows for d in designs for v in d.antidote(Problem(data).points))
    assert ac.design_frontier(spec, [20], data, cancel=lambda: True) == []


def test_seven_of_eight_hold_only_when_all_cannot_be_had(problem, monkeypatch):
    designer = RowDesigner(problem, allowed_rows(problem.points), lasting=0.0)
    plain = designer.contest.fresh_checks

    def one_astray(antidote, checks, stopped):
        for i, (centers, inertia, cost) in enumerate(plain(antidote, checks, stopped)):
            astray = i < spoilt
            yield centers, inertia + astray, problem.vanilla.cost if astray else cost

    monkeypatch.setattr(designer.contest, "fresh_checks", one_astray)
    spoilt = 1
    design = finish(designer.smallest(-0.8))
    assert design.reached
    assert design.share == 0.875
    assert any("7 of 8 independent clusterings agree" in note for note in design.notes)
    spoilt = 2
    assert not finish(designer.smallest(-0.8)).reached


def test_aims_are_alike_for_all_seeds():
    aims = []
    for seed in (0, 1):
        one = Problem(cross(), fairness="balance", k=2, seed=seed)
        aims.append(list(RowDesigner(one, allowed_rows(one.points))._aims.of(-0.8)))
    assert [aim.name for aim in aims[0]] == [aim.name for aim in aims[1]]
    for first, second in zip(*aims, strict=True):
        assert first.cost == pytest.approx(second.cost, abs=1e-6)


def test_weights_need_not_be_whole(problem):
    designer = RowDesigner(problem, allowed_rows(problem.points))
    fractional = finish(designer.smallest(-0.8, whole=False))
    assert fractional.reached
    assert (fractional.copies != fractional.copies.round()).any()
    assert max(fresh_costs(problem, fractional.weights)) <= -0.8


def test_the_guard_is_kept(design):
    loose = Problem(cross(), fairness="balance", k=2, max_price=0.0005)
    tight = finish(RowDesigner(loose, allowed_rows(loose.points)).smallest(-0.8))
    assert not tight.reached
    assert tight.notes
    people = np.bincount(KMeans(2, n_init=10, random_state=1).fit(
        loose.points, sample_weight=design.weights).labels_)  # fmt: skip
    asked = int(people.min()) // 2 / len(loose.points)
    roomy = Problem(cross(), fairness="balance", k=2, min_share=asked)
    assert finish(RowDesigner(roomy, allowed_rows(roomy.points)).smallest(-0.8)).reached


def test_a_target_that_plain_clustering_meets_needs_nothing(problem):
    design = finish(RowDesigner(problem, allowed_rows(problem.points)).smallest(-0.01))
    assert design.size == 0
    assert design.reached


def test_social_cost_falls_to_the_target():
    rng = np.random.default_rng(5)
    points = np.vstack([rng.normal(0.0, 1.0, (300, 2)), rng.normal((4.0, 1.0), 1.5, (300, 2))])
    groups = (rng.random(600) < np.where(points[:, 1] > 1.0, 0.7, 0.1)).astype(np.int64)
    social = Problem(table(points, groups), fairness="social", k=2)
    fair = fair_lloyd(social.points, social.groups, 2, init=social.vanilla.centers)
    target = 0.7 * social.vanilla.cost + 0.3 * fair.cost
    design = finish(RowDesigner(social, allowed_rows(social.points)).smallest(target))
    assert design.reached
    assert max(fresh_costs(social, design.weights)) <= target


def test_stopping_gives_the_best_so_far(problem):
    asked = itertools.count()
    designer = RowDesigner(problem, allowed_rows(problem.points), cancel=lambda: next(asked) > 3)
    stopped = finish(designer.smallest(-0.8))
    assert not stopped.reached
    assert "Stopped early" in " ".join(stopped.notes)


def test_sentences_for_what_cannot_be_designed(problem):
    allowed = allowed_rows(problem.points)
    with pytest.raises(SpecError, match="lasting must be a number of at least 0"):
        RowDesigner(problem, allowed, lasting=-1.0)
    with pytest.raises(SpecError, match="max_copies must be a whole number of at least 1"):
        RowDesigner(problem, allowed, max_copies=0)
    gap = Problem(cross(n=60), fairness="gap", k=2)
    with pytest.raises(SpecError, match="'social' and 'balance', not for 'gap'"):
        RowDesigner(gap, np.ones(60, dtype=bool))
    other = Problem(cross(n=60), clustering="kmedian", k=2)
    with pytest.raises(SpecError, match="designed for k-means"):
        RowDesigner(other, np.ones(60, dtype=bool))


def brute_force(problem, target, largest=3):
    """The smallest number of copies with which C(U ∪ V) meets the target, None beyond `largest`.

    Independent clusterings have to agree, as they have to with a design.
    """
    rows = range(len(problem.points))
    for size in range(1, largest + 1):
        for chosen in itertools.combinations_with_replacement(rows, size):
            antidote = problem.points[list(chosen)]
            if problem.evaluate(antidote) <= target and all(
                problem.independent(antidote, 10, seed).cost <= target for seed in range(8)
            ):
                return size
    return None


@pytest.mark.parametrize("by_program", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_on_tiny_sets_hardly_more_copies_than_a_brute_force(seed, by_program, monkeypatch):
    """With the trial of every small V, and by the programs alone."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 2)) * [1.0, 1.3]
    groups = np.arange(12) % 2
    tiny = Problem(table(points, groups), fairness="balance", k=2, seed=seed)
    for target in (-0.75, -0.6, -0.5):
        smallest = brute_force(tiny, target)
        if tiny.vanilla.cost <= target or smallest is None:
            continue
        if by_program:
            monkeypatch.setattr(
                "antidote_core.algorithms.rows.row_designer.fewest_copies", lambda *_: []
            )
        designer = RowDesigner(tiny, np.ones(12, dtype=bool), max_copies=3, lasting=0.0)
        design = finish(designer.smallest(target))
        if not by_program:
            assert design.reached
        if design.reached:
            assert design.size <= smallest + 1


def test_every_small_set_is_tried_only_where_there_are_few(problem):
    designer = RowDesigner(problem, allowed_rows(problem.points))
    rows = np.flatnonzero(designer.allowed)
    assert fewest_copies(designer.contest, rows, 5, -0.99) == []


def test_weights_that_need_not_be_whole():
    """The sum of fractional weights is no more than that of copies, and k-means keeps to them."""
    data = cross()
    spec = ac.RunSpec("cross", target=-0.8, optimizer="design", growth="bisect")
    whole = ac.run(spec, data)
    result = ac.run(dataclasses.replace(spec, whole=False), data)
    assert result.reached
    assert result.verdict.outcome.value == "confirmed"
    assert not np.array_equal(result.copies, np.round(result.copies))
    assert result.added == pytest.approx(result.copies.sum())
    assert result.added <= whole.size + 1e-9
    assert result.size == int(np.ceil(result.added))
    assert result.people == len(result.antidote) == (result.copies > 0).sum()
    assert "weighting" in result.verdict.text
    problem = Problem(data)
    assert max(fresh_costs(problem, result.sample_weight)) <= -0.8
    assert result.to_dict()["antidote_weights"] == result.antidote_weights.tolist()


def test_fractional_weights_go_through_a_log_and_grow_by_sizes():
    spec = ac.RunSpec(
        "cross", target="lowest", optimizer="design", max_size=70, start_size=70, whole=False
    )
    happened = list(ac.grow(spec, cross()))
    result = ac.RunView.fold(happened)
    again = ac.RunView.fold(ac.Event.from_json(event.to_json()) for event in happened)
    assert again.sample_weight.tolist() == result.sample_weight.tolist()
    assert 0 < result.added <= 70
    assert result.cost < result.vanilla_cost


@pytest.mark.parametrize(
    "other", [{"optimizer": "structured"}, {"place": "minmax"}, {"shrink": True}]
)
def test_only_designs_of_rows_have_fractional_weights(other):
    with pytest.raises(SpecError, match="Choose these, or whole=True"):
        ac.RunSpec("bank", **{"optimizer": "design", "whole": False, **other})


def test_whole_copies_are_asked_for_by_silence():
    """What was written before there was a choice is the same specification."""
    spec = ac.RunSpec("bank", optimizer="design")
    assert "whole" not in json.loads(spec.to_json())
    loose = dataclasses.replace(spec, whole=False)
    assert loose.id != spec.id
    assert ac.RunSpec.from_json(loose.to_json()) == loose


@pytest.mark.parametrize("seed", range(8))
def test_points_of_whole_weight_are_points_repeated(seed):
    rng = np.random.default_rng(seed)
    data = table(rng.normal(size=(60, 2)), rng.integers(2, size=60))
    problem = Problem(data, fairness="social", k=3, seed=seed)
    rows = rng.choice(60, 5, replace=False)
    weight = rng.integers(1, 6, 5).astype(float)
    antidote = problem.points[rows]
    repeated = np.repeat(antidote, weight.astype(int), axis=0)
    once, often = problem.cluster(antidote, weight=weight), problem.cluster(repeated)
    assert once.cost == pytest.approx(often.cost, abs=1e-10)
    assert once.objective == pytest.approx(often.objective, abs=1e-9)
    assert np.array_equal(once.labels, often.labels)
    alone = problem.independent(antidote, 10, seed, weight)
    assert alone.objective <= once.objective * (1 + 1e-6)


def test_a_start_joins_the_fixed_ones_where_it_leads_lower():
    """As the centres of a design do, which ten random starts find and the fixed ones miss."""
    problem = Problem(cross(), fairness="balance", k=2, restarts=1)
    design = finish(RowDesigner(Problem(cross()), allowed_rows(problem.points)).smallest(-0.8))
    antidote = design.antidote(problem.points)
    problem.evaluator.basins = problem.evaluator.basins[:1]
    missed, found = problem.cluster(antidote), problem.cluster(antidote, start=design.centers)
    assert missed.cost > -0.8 >= found.cost
    assert found.objective < missed.objective
    unfair = problem.vanilla.centers
    assert problem.evaluate(antidote, start=design.centers) <= -0.8
    assert problem.evaluate(antidote, start=unfair) == missed.cost
