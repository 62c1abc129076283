"""V on people it has not seen: the margin, the halves, and the check, each done by hand."""

import dataclasses
import math

import numpy as np
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.algorithms.algorithm2.verification import for_half, halves
from antidote_core.algorithms.design.contest import MARGIN, Contest, lead_error
from antidote_core.algorithms.design.designer import Designer
from antidote_core.algorithms.steps import finish
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.reporting.text.run_words import reasons
from antidote_core.runs.events import Event, Half, HeldOut
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.verdict import few_members
from antidote_core.runs.view import RunView

SPEC = RunSpec(dataset="blobs", fairness="social", start_size=5, budget=60)


# -- the margin -----------------------------------------------------------------------------------


def test_the_error_of_a_lead_is_what_drawing_people_anew_shows():
    rng = np.random.default_rng(0)
    ours, theirs = rng.gamma(2.0, 1.0, 400), rng.gamma(2.0, 1.2, 400)
    leads = []
    for _ in range(4000):
        people = rng.integers(400, size=400)
        leads.append(sum(theirs[people]) - sum(ours[people]))
    assert lead_error(theirs, ours) == pytest.approx(np.std(leads), rel=0.05)


@pytest.mark.parametrize("lasting", [0.0, 1.0, 40.0])
def test_every_cut_asks_for_so_many_standard_errors_of_its_lead(lasting):
    problem = Problem(ac.load_dataset("blobs"))
    contest = Contest(problem, lasting)
    centers = problem.vanilla.centers + 0.5
    checked = 0
    for cut in contest.cuts_against(centers, [], wider=2.0):
        leads = [
            min(((x - c) ** 2).sum() for c in cut.centers)
            - min(((x - c) ** 2).sum() for c in centers)
            for x in problem.points
        ]
        mean, n = sum(leads) / len(leads), len(leads)
        error = math.sqrt(n) * math.sqrt(sum((lead - mean) ** 2 for lead in leads) / n)
        inertia = nearest_center(problem.points, centers)[1].sum()
        assert cut.margin == pytest.approx(2.0 * max(MARGIN, lasting * error / inertia))
        checked += 1
    assert checked >= 3


def test_a_design_in_a_box_keeps_the_margin_from_plain_clustering():
    problem = Problem(ac.load_dataset("two-optima"))
    wins = {}
    for lasting in (0.0, 2.0):
        designer = Designer(problem, problem.box("minmax"), lasting=lasting)
        design = finish(designer.design(30, -0.8))
        assert design.holds
        union = np.vstack([problem.points, design.antidote])
        fair = KMeans(2, n_init=10, random_state=5).fit(union)
        plain = KMeans(2, init=problem.vanilla.centers, n_init=1).fit(union)
        errors = lead_error(
            nearest_center(problem.points, plain.cluster_centers_)[1],
            nearest_center(problem.points, fair.cluster_centers_)[1],
        )
        wins[lasting] = (plain.inertia_ - fair.inertia_) / errors
    assert wins[2.0] >= 1.0  # half of the margin: rivals follow V, the cut does not
    assert wins[2.0] > wins[0.0]


# -- the halves -----------------------------------------------------------------------------------


def test_halves_are_disjoint_and_hold_half_of_every_group():
    groups = np.random.default_rng(3).choice(4, size=501, p=[0.6, 0.3, 0.08, 0.02])
    first, second = halves(groups, seed=7)
    assert sorted(np.concatenate([first, second]).tolist()) == list(range(501))
    for group in range(4):
        sizes = [(groups[half] == group).sum() for half in (first, second)]
        assert abs(sizes[0] - sizes[1]) <= 1
    again, other = halves(groups, seed=7)[0], halves(groups, seed=8)[0]
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_half_of_the_data_gets_half_of_the_points():
    half = for_half(dataclasses.replace(SPEC, start_size=5, step=1, max_size=8, holdout=True))
    assert (half.start_size, half.step, half.max_size, half.holdout) == (3, 1, 4, False)


# -- the check ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tried():
    return ac.run(dataclasses.replace(SPEC, holdout=True))


def test_the_check_is_what_scikit_learn_finds_by_hand(tried):
    data = ac.load_dataset("blobs")
    parts = [data.take(rows) for rows in halves(data.groups, SPEC.seed)]
    for half, seen, unseen in zip(tried.holdout, parts, parts[::-1], strict=True):
        found = ac.run(for_half(SPEC), seen)
        assert (half.points, half.size) == (seen.n, found.size)
        costs = []
        for antidote in (found.antidote[:0], found.antidote):
            union = np.vstack([unseen.points, antidote])
            fits = [KMeans(2, n_init=10, random_state=seed).fit(union) for seed in range(4)]
            best = min(fits, key=lambda fit: fit.inertia_)
            costs.append(ac.social_cost(best.cluster_centers_, unseen.points, unseen.groups))
        inertia = [
            nearest_center(unseen.points, centers)[1].sum()
            for centers in (Problem(unseen).vanilla.centers, best.cluster_centers_)
        ]
        if inertia[1] > 1.1 * inertia[0]:  # the guard: nothing is gained
            costs[1] = max(costs)
        assert half.unseen_plain == pytest.approx(costs[0])
        assert half.unseen_cost == pytest.approx(costs[1])
    gained = sum(half.plain - half.cost for half in tried.holdout)
    kept = sum(half.unseen_plain - half.unseen_cost for half in tried.holdout)
    assert tried.gain_kept == pytest.approx(kept / gained)


def test_without_the_flag_nothing_changes(tried):
    plain = list(ac.grow(SPEC))
    asked = list(ac.grow(dataclasses.replace(SPEC, holdout=True)))
    kinds = [event.type for event in asked]
    assert kinds[-3:] == ["stage", "holdout", "finished"]
    same = [event for event in asked if event.type not in ("stage", "holdout", "started")]
    before = [event for event in plain if event.type != "started"]
    assert [event.data for event in same] == [event.data for event in before]
    view = RunView.fold(plain)
    assert view.holdout == ()
    assert math.isnan(view.gain_kept)
    assert "not seen" not in view.verdict.text
    assert "holdout" not in view.to_dict()
    assert tried.to_dict()["holdout"]["halves"][0]["size"] == tried.holdout[0].size


def test_the_flag_is_in_the_json_only_where_it_asks_for_something():
    assert "holdout" not in SPEC.to_json()
    asked = dataclasses.replace(SPEC, holdout=True)
    assert RunSpec.from_json(asked.to_json()) == asked
    assert asked.id != SPEC.id
    with pytest.raises(ac.SpecError, match="holdout must be true or false"):
        RunSpec(dataset="blobs", holdout=1)


def test_the_event_survives_the_log(tried):
    event = HeldOut(halves=list(tried.holdout), seconds=2.0)
    assert Event.from_json(event.to_json()) == event


@pytest.mark.parametrize(
    ("unseen_cost", "met", "said"),
    [
        (-0.75, (True, True), "90 % of the gain is kept (target met on both halves)."),
        (-0.32, (False, True), "96 % of the gain is lost (target met on one of two halves)."),
        (-0.20, (False, False), "all of the gain is lost (target met on neither half)."),
        (-0.90, (True, True), "all of the gain is kept (target met on both halves)."),
    ],
)
def test_the_verdict_says_what_is_left_of_the_gain(tried, unseen_cost, met, said):
    tries = tuple(
        Half(
            points=50, size=4, plain=-0.3, cost=-0.8, unseen_plain=-0.3, unseen_cost=unseen_cost,
            share=1.0, met=one,
        )
        for one in met
    )  # fmt: skip
    view = dataclasses.replace(tried, holdout=tries)
    text = view.verdict.text.replace("\N{NO-BREAK SPACE}", " ")
    assert f"On people it has not seen: {said}" in text
    against = " ".join(reasons(view)).replace("\N{NO-BREAK SPACE}", " ")
    assert (said in against) == (not view.lasts)


def test_a_group_that_cannot_be_halved_is_named():
    data = ac.load_dataset("two-optima")
    groups = data.groups.copy()
    groups[3] = 2
    data = dataclasses.replace(data, groups=groups, group_names=("a", "b", "c"))
    spec = RunSpec(
        dataset="mine", start_size=2, budget=10, max_rounds=1, fairness="social", holdout=True
    )
    view = ac.run(spec, data)
    assert view.holdout == ()
    assert any("'c' is too small to halve" in note for note in view.notes)


# -- handfuls of people ---------------------------------------------------------------------------


def test_the_smallest_group_in_the_smallest_cluster():
    counts = np.array([[400.0, 60.0, 0.0], [100.0, 12.0, 0.0]])
    assert few_members(counts, ("A", "B", "nobody")) == ""  # 72 * 112 / 572 = 14
    few = np.array([[400.0, 16.0], [100.0, 4.0]])
    assert few_members(few, ("A", "B")).startswith("About 4 members of 'B' are expected")
    one = np.array([[400.0, 4.0], [100.0, 1.0]])
    assert few_members(one, ("A", "B")).startswith("About 1 member of 'B' is expected")
    none = np.array([[400.0, 2.0], [50.0, 1.0]])
    assert few_members(none, ("A", "B")).startswith("Less than 1 member of 'B' is expected")


def test_the_verdict_names_handfuls_for_costs_of_the_mix_only():
    spec = RunSpec(dataset="bank", sample=200, start_size=4, budget=30, max_rounds=1)
    for fairness in ("balance", "social"):
        view = ac.run(dataclasses.replace(spec, fairness=fairness))
        assert ("counts this small are chance" in view.verdict.text) == (fairness == "balance")
