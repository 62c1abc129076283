"""Designed antidote data: the program against cvxpy, the claims against scikit-learn."""

import dataclasses
import itertools
import json
import math
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.algorithms.algorithm2 import grow as grow_module
from antidote_core.algorithms.algorithm2.grow import grow, run
from antidote_core.algorithms.design import designer as design_module
from antidote_core.algorithms.design.contest import Contest, best_of_odds
from antidote_core.algorithms.design.designer import Designer
from antidote_core.algorithms.design.fair_constraints import (
    BalanceModel,
    SocialModel,
    cells_at,
    fewest_points,
)
from antidote_core.algorithms.design.program import Cut, place
from antidote_core.algorithms.steps import finish
from antidote_core.cli.main import main
from antidote_core.errors import SpecError
from antidote_core.fairness.social import lowest_social_cost
from antidote_core.geometry import apart, nearest_center
from antidote_core.problem import Problem
from antidote_core.reporting.text.design_words import binding_sentence, bound_sentence
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import fold
from benchmarks.conic import cvxpy_cost, group_parts


def table(points, groups):
    frame = pd.DataFrame(points, columns=[f"x{a}" for a in range(points.shape[1])])
    frame["group"] = [f"g{j}" for j in groups]
    return ac.dataset_from_frame(frame, features=list(frame.columns[:-1]), protected="group")


def clouds(seed=0, n=240, d=2):
    """Two clouds with unequal shares of two groups."""
    rng = np.random.default_rng(seed)
    points = np.vstack([rng.normal(0.0, 1.0, (n // 2, d)), rng.normal(3.0, 1.3, (n - n // 2, d))])
    groups = (rng.random(n) < np.where(np.arange(n) < n // 2, 0.25, 0.6)).astype(np.int64)
    return table(points, groups)


def independent_costs(problem, antidote, seeds):
    """Costs of scikit-learn's k-means on U ∪ V, and that of the run with the lowest inertia."""
    fits = [
        KMeans(problem.k, n_init=10, random_state=seed).fit(np.vstack([problem.points, antidote]))
        for seed in seeds
    ]
    cost = ac.balance_cost if problem.fairness.name == "balance" else ac.social_cost
    costs = [cost(fit.cluster_centers_, problem.points, problem.groups) for fit in fits]
    return costs, costs[int(np.argmin([fit.inertia_ for fit in fits]))]


# The program


def tilted_rivals(problem):
    """Rivals of every kind: captures, an optimum of U, and centres next to it."""
    rival = problem.vanilla.centers + np.linspace(-0.6, 0.5, problem.vanilla.centers.size).reshape(
        problem.vanilla.centers.shape
    )
    near = Cut(rival, float(nearest_center(problem.points, rival)[1].sum()), margin=1e-3)
    return [*Contest(problem).cuts, near]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", [3, 4])
def test_program_reaches_the_optimum_that_cvxpy_finds(seed, k):
    pytest.importorskip("cvxpy")
    problem = Problem(clouds(seed), fairness="social", k=k)
    box, size = problem.box("minmax"), 12
    model = SocialModel(problem.points, problem.groups, problem.vanilla.cost)
    centers, present = problem.vanilla.centers, np.arange(k)
    for _ in range(2):  # the second pass starts off the means of U
        cells = cells_at(centers, problem.points, problem.groups)
        cuts = tilted_rivals(problem)
        placed = place(cells, cuts, model, box, size, present)
        parts = group_parts(problem, cells)
        expected = cvxpy_cost(problem.vanilla.cost, parts, cells, cuts, box, size, present)
        assert placed.slack == 0.0
        assert model.cost(placed.t) == pytest.approx(expected, rel=1e-6)
        assert model.cost(placed.t) < problem.vanilla.cost
        centers, present = placed.centers, placed.counts


def test_inertias_of_the_program_are_those_of_the_points():
    """I(U ∪ V; target) and I(U ∪ V; C) as the program writes them, against plain sums."""
    problem = Problem(clouds(1), fairness="social", k=2)
    cells = cells_at(problem.vanilla.centers, problem.points, problem.groups)
    rng = np.random.default_rng(0)
    atoms, counts = cells.means + rng.normal(0, 0.3, (2, 2)), np.array([3, 5])
    totals = cells.sizes + counts
    shares = counts / totals
    shifts = shares[:, None] * (atoms - cells.means)
    union = np.vstack([problem.points, np.repeat(atoms, counts, axis=0)])
    labels = np.concatenate([cells.labels, np.repeat([0, 1], counts)])
    squares = (shifts**2).sum(axis=1)
    own = cells.inertia + (totals * (squares / shares - squares)).sum()
    direct = sum(
        ((union[labels == c] - union[labels == c].mean(axis=0)) ** 2).sum() for c in range(2)
    )
    assert own == pytest.approx(direct)
    rival = rng.normal(1.5, 1.0, (2, 2))
    rival_gain_at = [
        min(2 * (cells.means[c] - e) @ shifts[c] + shares[c] * ((cells.means[c] - e) ** 2).sum()
            for e in rival)
        for c in range(2)
    ]  # fmt: skip
    paid = nearest_center(problem.points, rival)[1].sum()
    paid += (totals * (squares / shares + rival_gain_at)).sum()
    assert paid == pytest.approx(nearest_center(union, rival)[1].sum())


def test_flow_over_the_boundary_predicts_the_counts():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40_000, 2))
    groups = (points[:, 1] + rng.normal(size=40_000) > 0).astype(np.int64)
    centers = np.array([[-1.0, 0.3], [0.8, -0.2]])
    moved = centers + np.array([[0.02, 0.01], [0.03, -0.02]])
    flow = BalanceModel(points, groups)._flow(centers)
    before = cells_at(centers, points, groups).counts
    after = cells_at(moved, points, groups).counts
    predicted = np.einsum("cjea,ea->cj", flow, moved - centers)
    assert np.abs(predicted - (after - before)).max() < 0.12 * np.abs(after - before).max()


def test_placement_stays_in_the_box_and_within_the_size():
    problem = Problem(clouds(2), fairness="social", k=2)
    box = problem.box("plausible")
    model = SocialModel(problem.points, problem.groups, problem.vanilla.cost)
    cells = cells_at(problem.vanilla.centers, problem.points, problem.groups)
    for size in (1, 7, 60):
        placed = place(cells, Contest(problem).cuts, model, box, size, np.zeros(2, dtype=int))
        assert placed.counts.sum() <= size
        assert (placed.antidote >= box[0]).all()
        assert (placed.antidote <= box[1]).all()
    assert "size" in place(cells, [], model, box, 1, np.zeros(2, dtype=int)).binding


def test_odds_of_the_best_draw():
    rng = np.random.default_rng(0)
    draws = rng.integers(6, size=(40_000, 10)).min(axis=1)
    assert np.allclose(np.bincount(draws, minlength=6) / 40_000, best_of_odds(6, 10), atol=0.01)
    assert sum(best_of_odds(16, 10)) == pytest.approx(1.0)
    assert best_of_odds(0, 10) == []


# Designs


@pytest.mark.parametrize(
    ("fairness", "gain"), [("social", 0.985), ("balance", 1.15)], ids=["social", "balance"]
)
def test_designs_hold_for_independent_clusterings(fairness, gain):
    problem = Problem(clouds(5, n=600), fairness=fairness, k=2)
    target = gain * problem.vanilla.cost
    box = problem.box("minmax")
    found = finish(Designer(problem, box).design(60, target))
    assert found.reached
    assert found.share >= design_module.AGREEMENT
    assert found.size <= 60
    assert (found.antidote >= box[0]).all()
    assert (found.antidote <= box[1]).all()
    costs, best = independent_costs(problem, found.antidote, range(500, 508))
    assert best <= target
    assert sum(cost <= target for cost in costs) >= 7
    assert problem.evaluate(found.antidote) <= target


def test_a_basin_switch_is_designed():
    """The second optimum is fair: a few points make k-means prefer it."""
    problem = Problem(ac.load_dataset("two-optima"), fairness="balance", k=2)
    basins = problem.evaluator.basins
    fair = ac.balance_cost(basins[1], problem.points, problem.groups)
    assert fair < problem.vanilla.cost - 0.5
    found = finish(Designer(problem, problem.box("minmax")).design(40, fair + 0.05))
    assert found.reached
    costs, best = independent_costs(problem, found.antidote, range(8))
    assert best <= fair + 0.05
    assert sum(cost <= fair + 0.05 for cost in costs) >= 7


def test_same_problem_same_design():
    designs = [
        finish(Designer(p, p.box("minmax")).design(20))
        for p in (Problem(clouds(5), fairness="social", k=2) for _ in range(2))
    ]
    assert np.array_equal(designs[0].antidote, designs[1].antidote)
    assert designs[0].share == designs[1].share


def test_rounds_report_what_was_promised_and_what_came():
    problem = Problem(clouds(5), fairness="social", k=2)
    steps = list(Designer(problem, problem.box("minmax")).design(20))
    cuts = [step.data for step in steps if step.kind == "cut"]
    assert cuts
    for data in cuts:
        assert data["used"] <= 20
        assert math.isfinite(data["promised"])
        assert math.isfinite(data["target_cost"])
    assert any("rival" in data for data in cuts)
    assert json.loads(json.dumps(cuts)) == cuts


def test_stopping_gives_the_best_so_far():
    problem = Problem(clouds(5, n=600), fairness="balance", k=2)
    for limit in (0, 1, 3, 10, 30):
        asked = itertools.count()
        designer = Designer(problem, problem.box("minmax"), lambda n=asked, m=limit: next(n) >= m)
        found = finish(designer.design(30, -0.999999))
        assert found.cost <= problem.vanilla.cost
        assert found.size <= 30
        assert not found.reached


def test_the_papers_single_start_can_be_designed_for_too():
    problem = Problem(clouds(5, n=600), fairness="social", k=2, restarts=1)
    found = finish(Designer(problem, problem.box("minmax")).design(30))
    assert found.best_cost < problem.vanilla.cost
    assert found.checks == 8


def test_unreached_target_says_what_was_reached_and_what_binds():
    data = clouds(5)
    problem = Problem(data, fairness="social", k=2)
    found = finish(Designer(problem, problem.box("minmax")).design(5, 1e-6))
    assert not found.reached
    assert found.cost < problem.vanilla.cost
    assert "size" in found.binding
    spec = RunSpec(
        place="minmax", dataset="clouds", fairness="social", optimizer="design", growth="bisect",
        start_size=5, max_size=5, target=lowest_social_cost(data.points, data.groups, 2),
    )  # fmt: skip
    sentence = binding_sentence(run(spec, clouds(5)))
    assert "With 5 points the cost came to" in sentence
    assert "wanted was at most " in sentence
    assert "What holds it up: " in sentence
    assert "the number of points allowed" in sentence


def test_a_box_that_gives_no_leverage_binds():
    """All of V at the mean of one cluster: no push on that centre, however many points."""
    problem = Problem(clouds(5), fairness="social", k=2)
    centre = problem.vanilla.centers[0]
    found = finish(Designer(problem, (centre, centre)).design(30, 0.9 * problem.vanilla.cost))
    assert not found.reached
    assert "box" in found.binding


def test_solver_failure_is_a_sentence(monkeypatch):
    monkeypatch.setattr(design_module, "place", lambda *a, **k: None)
    problem = Problem(clouds(5), fairness="social", k=2)
    found = finish(Designer(problem, problem.box("minmax")).design(60, 1e-6))
    assert found.size == 0
    assert any("solver found no placement" in note for note in found.notes)
    assert any("No antidote points were better than none" in note for note in found.notes)


def test_a_failing_solver_keeps_the_best_so_far(monkeypatch):
    problem = Problem(clouds(5, n=600), fairness="social", k=2)
    solved = itertools.count()

    def breaks(*arguments, **settings):
        return place(*arguments, **settings) if next(solved) < 25 else None

    monkeypatch.setattr(design_module, "place", breaks)
    found = finish(Designer(problem, problem.box("minmax")).design(60))
    assert found.size > 0
    assert found.best_cost < problem.vanilla.cost
    assert any("solver found no placement" in note for note in found.notes)


def test_more_copies_than_distinct_points_are_refused_or_designed_for():
    """k-means with duplicates: as many distinct points as clusters."""
    places = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 1.0], [6.0, 1.0]])
    points = np.repeat(places, 6, axis=0)
    groups = np.tile([0, 1, 1], 8)
    for k in (2, 3, 4):
        problem = Problem(table(points, groups), fairness="social", k=k)
        found = finish(Designer(problem, problem.box("minmax")).design(4, 1e-9))
        assert found.cost <= problem.vanilla.cost
        assert found.reached == (problem.vanilla.cost <= 1e-9)
    with pytest.raises(SpecError, match="number of distinct points"):
        Problem(table(points, groups), fairness="social", k=5)


def test_box_without_room_duplicates_and_groups_of_one_point():
    rng = np.random.default_rng(0)
    base = np.round(rng.normal(size=(40, 2)), 1)
    groups = np.r_[np.zeros(20), np.ones(19), 2].astype(np.int64)
    twice, codes = np.repeat(base, 3, axis=0), np.repeat(groups % 2, 3)
    duplicated = Problem(table(twice, codes), fairness="balance", k=3)
    middle = duplicated.points.mean(axis=0)
    stuck = finish(Designer(duplicated, (middle, middle)).design(12, -0.9999))
    assert stuck.size <= 12
    assert np.array_equal(stuck.antidote, np.tile(middle, (stuck.size, 1)))
    outside = duplicated.points.max(axis=0) + 1.0
    far = finish(Designer(duplicated, (outside, outside + 1.0)).design(5, -0.9999))
    assert far.size == 0 or (far.antidote >= outside).all()
    with pytest.raises(SpecError, match="box of the design is empty: feature 'x0'"):
        Designer(duplicated, (outside, outside - 1.0))
    neighbour_p99 = Problem(
        dataclasses.replace(table(base, groups % 2), groups=groups, group_names=("a", "b", "c")),
        fairness="balance",
        k=2,
    )
    found = finish(Designer(neighbour_p99, neighbour_p99.box("minmax")).design(3, -0.5))
    assert not found.reached
    assert any("fewer points (1) than there are clusters (2)" in note for note in found.notes)


def test_other_clusterings_and_costs_are_refused():
    data = ac.load_dataset("blobs")
    for settings, words in (
        ({"clustering": "kmedoids"}, "works for k-means"),
        ({"fairness": "gap"}, "'social' and 'balance'"),
    ):
        problem = Problem(data, k=2, **settings)
        with pytest.raises(SpecError, match=words):
            Designer(problem, problem.box("minmax"))


# Against brute force


def tiny(seed, n=24):
    rng = np.random.default_rng(seed)
    points = np.vstack([rng.normal([0, 0], 1, (n // 2, 2)), rng.normal([3.5, 1], 1, (n // 2, 2))])
    groups = (rng.random(n) < 0.2 + 0.5 * (points[:, 0] > 1.7)).astype(np.int64)
    groups[:2] = 0, 1
    return table(points, groups)


def smallest_by_enumeration(problem, most, seeds=range(4)):
    """(size, cost) of the best V on a 5 x 5 grid that independent clusterings confirm."""
    lower, upper = problem.box("minmax")
    grid = np.array(
        list(itertools.product(*(np.linspace(lower[a], upper[a], 5) for a in range(2))))
    )
    for size in range(1, most + 1):
        sets = [list(s) for s in itertools.combinations_with_replacement(range(25), size)]
        ranked = sorted((problem.evaluate(grid[rows]), rows) for rows in sets)
        for cost, rows in ranked[:5]:
            costs, _ = independent_costs(problem, grid[rows], seeds)
            if cost < problem.vanilla.cost - 1e-6 and max(costs) <= cost + 1e-9:
                yield size, cost
                break


@pytest.mark.parametrize("fairness", ["balance", "social"])
@pytest.mark.parametrize("seed", [2, 3, 5, 8])
def test_at_most_one_point_more_than_brute_force(seed, fairness):
    problem = Problem(tiny(seed), fairness=fairness, k=2)
    cases = list(smallest_by_enumeration(problem, 2))
    assert cases
    for size, cost in cases:
        designer = Designer(problem, problem.box("minmax"))
        found = (finish(designer.design(s, cost + 1e-9)) for s in range(1, size + 2))
        assert any(design.reached for design in found)


# Lower bound


def test_no_scattered_v_beats_the_lower_bound():
    """The bound against scattered V of many sizes, and against the design itself."""
    problem = Problem(clouds(5, n=600), fairness="social", k=2)
    model = SocialModel(problem.points, problem.groups, problem.vanilla.cost)
    box = problem.box("minmax")
    designer = Designer(problem, box)
    found = finish(designer.design(60))
    bound = designer.fewest(found, None)
    assert 0 < bound <= found.size
    rng = np.random.default_rng(0)
    tight = 0
    for size in rng.integers(1, 120, size=60):
        drawn = found.antidote[rng.integers(found.size, size=size)]
        antidote = np.clip(drawn + rng.normal(0.0, 0.2, drawn.shape), *box)
        solution = problem.cluster(antidote)
        cells = cells_at(solution.centers, problem.points, problem.groups)
        least = fewest_points(cells, model, box, solution.cost)
        assert least <= size
        tight += least > size // 4
    assert tight
    own = cells_at(problem.vanilla.centers, problem.points, problem.groups)
    assert fewest_points(own, model, box, problem.vanilla.cost * (1 + 1e-6)) == 0


def test_the_lower_bound_is_said():
    spec = RunSpec(
        place="minmax",
        dataset="blobs",
        fairness="social",
        optimizer="design",
        target="lowest",
        max_size=20,
    )
    view = run(spec)
    fewest = view.history[-1].design["fewest"]
    assert 0 < fewest <= view.size
    assert f"with fewer than {fewest} points; here it has {view.size}" in bound_sentence(view)
    balance = run(dataclasses.replace(spec, fairness="balance"))
    assert bound_sentence(balance) == ""


# Frontier


def test_frontier_is_verified_and_never_rises():
    data = clouds(5, n=600)
    problem = Problem(data, fairness="social", k=2)
    spec = RunSpec(place="minmax", dataset="clouds", fairness="social", optimizer="design")
    designs = ac.design_frontier(spec, [30, 6, 60], data)
    assert all(design.holds for design in designs)
    assert all(design.checks == 8 for design in designs)
    assert all(design.size <= size for design, size in zip(designs, (6, 30, 60), strict=True))
    costs = [design.best_cost for design in designs]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < problem.vanilla.cost
    for design in designs:
        _, best = independent_costs(problem, design.antidote, range(900, 904))
        assert best == pytest.approx(design.best_cost, rel=2e-3)


def test_frontier_refuses_bad_sizes_and_stops():
    spec = RunSpec(place="minmax", dataset="blobs", fairness="social")
    for sizes in ([0], [2.5], [True]):
        with pytest.raises(SpecError, match="sizes must be whole numbers"):
            ac.design_frontier(spec, sizes)
    assert ac.design_frontier(spec, [5, 10], cancel=lambda: True) == []


# As an optimizer of runs


def test_runs_with_design_bisect_to_a_small_size():
    data = clouds(5, n=600)
    plain = Problem(data, fairness="social", k=2).vanilla.cost
    spec = RunSpec(
        place="minmax", dataset="clouds", fairness="social", optimizer="design", growth="bisect",
        target=0.985 * plain, start_size=4, max_size=80,
    )  # fmt: skip
    events = list(grow(spec, data))
    view = fold(events)
    kinds = {event.kind for event in events}
    assert {"cut", "progress", "round", "verified", "finished"} <= kinds
    assert view.reached
    assert view.cuts
    assert len(view.verification.costs) == 8
    assert view.verification.share >= design_module.AGREEMENT
    assert view.history[-1].design["checks"] in (0, *range(1, 9))
    assert any(not r.reached for r in view.history)
    assert view.size == min(r.size for r in view.history if r.reached) < 80
    for event in events:
        json.loads(event.to_json())


def test_same_spec_same_events_but_for_signs_of_life():
    spec = RunSpec(
        place="minmax",
        dataset="blobs",
        optimizer="design",
        target="lowest",
        start_size=6,
        max_size=6,
        seed=4,
    )
    first, second = (
        [(event.kind, event.data) for event in grow(spec) if event.kind != "alive"]
        for _ in range(2)
    )
    assert first == second


def test_signs_of_life_say_what_is_being_done(monkeypatch):
    monkeypatch.setattr(grow_module, "ALIVE_SECONDS", 1e-4)
    spec = RunSpec(
        place="minmax",
        dataset="blobs",
        optimizer="design",
        target="lowest",
        start_size=6,
        max_size=6,
    )
    events = list(grow(spec))
    said = [event.data["doing"] for event in events if event.kind == "alive"]
    assert "clustering the data as it is" in said
    assert set(said) <= set(grow_module.DOING.values())
    assert fold(events).state == "finished"
    assert fold(events[:2]).activity in ("", *said)


@pytest.mark.parametrize("optimizer", ["design", "structured"])
def test_the_lowest_cost_at_a_size(optimizer):
    spec = RunSpec(
        place="minmax",
        dataset="blobs", fairness="social", optimizer=optimizer, target="lowest", max_size=20,
        budget=300,
    )  # fmt: skip
    view = run(spec)
    problem = Problem(ac.load_dataset("blobs"), fairness="social")
    assert view.reached
    assert view.rounds == 1
    assert 10 < view.size <= 20
    assert view.reason == "lowest cost found"
    assert view.target == view.vanilla_cost
    assert view.cost == problem.evaluate(view.antidote) < view.vanilla_cost
    # A check agrees when it keeps nine tenths of the gain.
    limit = view.cost + 0.1 * (view.vanilla_cost - view.cost)
    met = [cost <= limit for cost in view.verification.costs]
    assert view.verification.share == sum(met) / len(met)


def test_stopping_while_the_result_is_checked():
    spec = RunSpec(
        place="minmax",
        dataset="blobs",
        optimizer="design",
        target="lowest",
        start_size=6,
        max_size=6,
    )
    checking = threading.Event()
    kinds = []
    for event in grow(spec, cancel=checking.is_set):
        kinds.append(event.kind)
        if event.kind == "round":
            checking.set()
    assert kinds[-1] == "stopped"


def test_design_runs_can_be_cancelled():
    asked = itertools.count()
    spec = RunSpec(place="minmax", dataset="blobs", optimizer="design", target=-1.0, start_size=5)
    view = run(spec, cancel=lambda: next(asked) > 4)
    assert view.state == "stopped"
    assert view.cost <= view.vanilla_cost


def test_command_line_takes_design(capsys):
    code = main(
        ["run", "--dataset", "two-optima", "--place", "minmax",
         "--optimizer", "design", "--growth", "bisect",
         "--target", "vanilla", "--start-size", "4", "--max-size", "40", "--json"]
    )  # fmt: skip
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 0
    assert lines[-1]["kind"] == "result"
    assert any(line["kind"] == "cut" for line in lines)


def test_command_line_says_how_sure_a_design_is(capsys):
    code = main(
        ["run", "--dataset", "two-optima", "--place", "minmax",
         "--optimizer", "design", "--target", "lowest",
         "--max-size", "12", "--spread"]
    )  # fmt: skip
    said = capsys.readouterr().out
    assert code == 0
    assert "points (optimum 1): promised" in said
    assert "of 8 clusterings of the data with the antidote points keep nine tenths" in said
    assert "pread out" in said


def test_apart_and_cells():
    centers = np.array([[0.0, 0.0], [4.0, 0.0]])
    assert apart(centers, centers[::-1]) == 0.0
    points = np.array([[0.0, 1.0], [0.0, -1.0], [4.0, 0.0]])
    cells = cells_at(centers, points, np.array([0, 1, 0]))
    assert cells.inertia == pytest.approx(2.0)
    assert cells_at(np.array([[0.0, 0.0], [99.0, 0.0]]), points, np.array([0, 1, 0])) is None
