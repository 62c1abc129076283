"""Algorithm 1: the three forms of its program, what exact clustering makes of it, direct search."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import antidote_core as ac
from antidote_core.algorithms.algorithm1.solve import (
    ProgramAnswer,
    grow_convex,
    literal_program,
    pull,
    social_of_u,
    solve_convex,
    surrogate,
)
from antidote_core.analysis.convex_runs import (
    PAPER_LAMBDAS,
    clusterpath,
    fusing_lambdas,
    lambda_sweep,
    paper_sample,
)
from antidote_core.clustering.son import lambda_of_one_cluster, son_clustering


def instance(n=18, d=3, g=2, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % g
    points = rng.normal(size=(n, d)) * (1.0 + 0.6 * groups[:, None])
    points[:, 0] += 1.5 * groups
    return points, groups


def promise(points, groups, gamma, antidote):
    """The surrogate's cost of any V, from mu = X - c L mu solved as the linear system it is."""
    union = np.vstack([points, antidote])
    m = len(union)
    c = (1 - gamma) / gamma
    laplacian = m * np.eye(m) - 1.0
    mu = np.linalg.solve(np.eye(m) + c * laplacian, union)
    squared = ((points - mu[: len(points)]) ** 2).sum(axis=1)
    return max(squared[groups == j].mean() for j in np.unique(groups))


def reduced_program(points, groups, gamma, size):
    """V alone: with mu_i = (1 - s) x_i + s x̄, group j pays s^2 times the average of |x_i - x̄|^2."""
    import cvxpy as cp

    m = len(points) + size
    antidote = cp.Variable((size, points.shape[1]))
    mean = (points.sum(axis=0) + cp.sum(antidote, axis=0)) / m
    costs = []
    for j in np.unique(groups):
        own = points[groups == j]
        within = ((own - own.mean(axis=0)) ** 2).sum(axis=1).mean()
        costs.append(within + cp.sum_squares(mean - own.mean(axis=0)))
    problem = cp.Problem(cp.Minimize(cp.maximum(*costs)))
    problem.solve(solver=cp.CLARABEL)
    return ProgramAnswer(antidote.value, pull(gamma, m) ** 2 * float(problem.value))


@pytest.mark.parametrize(
    ("n", "d", "g", "gamma", "size"),
    [(18, 3, 2, 0.99, 4), (18, 2, 3, 0.99, 3), (12, 2, 2, 0.5, 1), (12, 1, 4, 0.9, 2),
     (12, 2, 2, 0.0, 2), (12, 2, 2, 1.0, 2)],
)  # fmt: skip
def test_literal_reduced_and_closed_forms_agree(n, d, g, gamma, size):
    points, groups = instance(n, d, g)
    antidote, promised = surrogate(points, groups, gamma, size)
    literal = literal_program(points, groups, gamma, size)
    reduced = reduced_program(points, groups, gamma, size)
    assert literal.promised == pytest.approx(promised, rel=1e-6, abs=1e-8)
    assert reduced.promised == pytest.approx(promised, rel=1e-6, abs=1e-8)
    assert literal.antidote.shape == reduced.antidote.shape == antidote.shape == (size, d)
    if 0 < gamma < 1:
        for found in (antidote, literal.antidote, reduced.antidote):
            assert promise(points, groups, gamma, found) == pytest.approx(promised, rel=1e-6)


@pytest.mark.parametrize("g", [1, 2, 3])
def test_no_other_antidote_promises_less(g):
    points, groups = instance(15, 2, g, seed=4)
    antidote, promised = surrogate(points, groups, 0.95, 3)
    assert promise(points, groups, 0.95, antidote) == pytest.approx(promised, rel=1e-9)
    found = minimize(
        lambda x: promise(points, groups, 0.95, x.reshape(3, 2)),
        antidote.ravel() + 0.3,
        method="Nelder-Mead",
        options={"maxiter": 2000, "xatol": 1e-8, "fatol": 1e-12},
    )
    assert found.fun >= promised - 1e-9


def test_only_the_mean_of_v_matters_to_the_surrogate():
    points, groups = instance()
    antidote, promised = surrogate(points, groups, 0.99, 4)
    spread = np.random.default_rng(0).normal(size=antidote.shape)
    spread -= spread.mean(axis=0)
    assert promise(points, groups, 0.99, antidote + 9 * spread) == pytest.approx(promised)


def test_a_group_that_always_pays_more_decides_alone():
    points = np.array([[0.0], [10.0], [-10.0], [1.0], [1.2]])
    groups = np.array([0, 0, 0, 1, 1])
    antidote, _ = surrogate(points, groups, 0.99, 2)
    everything = np.vstack([points, antidote])
    np.testing.assert_allclose(
        everything.mean(axis=0), points[groups == 0].mean(axis=0), atol=1e-12
    )


def test_pull_goes_from_all_to_nothing():
    assert pull(0.0, 50) == 1.0
    assert pull(1.0, 50) == 0.0
    c = 0.01 / 0.99
    assert pull(0.99, 110) == pytest.approx(c * 110 / (1 + c * 110))


def test_the_result_is_what_exact_clustering_gives():
    points, groups = instance(30, 2)
    found = solve_convex(points, groups, lam=0.02, size=3)
    after = son_clustering(np.vstack([points, found.antidote]), 0.02)
    assert found.cost == ac.social_cost(after.centers, points, groups)
    assert found.vanilla_cost == ac.social_cost(
        son_clustering(points, 0.02).centers, points, groups
    )
    assert found.difference == found.vanilla_cost - found.cost
    assert found.table.group_costs.max() == found.cost
    assert found.method == "surrogate"
    assert found.promised == surrogate(points, groups, 0.99, 3)[1]
    assert any("whatever λ is" in note for note in found.notes)


def test_where_all_centres_are_one_the_surrogate_is_exact():
    # At γ = 0 the surrogate puts every centre at the mean, as clustering does from some λ on.
    points, groups = instance(20, 2)
    antidote, _ = surrogate(points, groups, 0.0, 5)
    lam = lambda_of_one_cluster(np.vstack([points, antidote]))
    found = solve_convex(points, groups, lam=lam, gamma=0.0, size=5)
    assert found.after.clusters == 1
    assert found.cost == pytest.approx(found.promised, rel=1e-6)
    assert found.difference > 0


@pytest.mark.parametrize("name", ["adult", "bank", "creditcard"])
def test_on_the_papers_range_the_surrogate_does_harm(name):
    data = paper_sample(ac.load_dataset(name))
    assert data.n == 100
    assert len(data.group_names) == 2
    sweep = lambda_sweep(data.points, data.groups, (0.001, 0.004, 0.01))
    assert [point.lam for point in sweep] == [0.001, 0.004, 0.01]
    assert all(point.difference < 0 for point in sweep)
    assert all(point.vanilla_clusters > 95 for point in sweep)
    alone = solve_convex(data.points, data.groups, lam=0.004)
    assert sweep[1].difference == pytest.approx(alone.difference, rel=1e-4)


def test_the_paper_range_and_the_fusing_range():
    assert PAPER_LAMBDAS == (0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.007, 0.008, 0.009, 0.01)
    points, groups = instance(30, 2)
    sweep = lambda_sweep(points, groups, fusing_lambdas(points, 6), size=3)
    assert len(sweep) == 6
    assert sweep[0].vanilla_clusters > sweep[-1].vanilla_clusters == 1
    lambdas, path = clusterpath(points, 5)
    assert len(lambdas) == len(path) == 5
    assert path[-1].clusters == 1


def test_direct_search_is_seeded_and_stays_in_its_box():
    data = paper_sample(ac.load_dataset("bank"), 50)
    settings = {"lam": 0.02, "size": 3, "method": "direct", "budget": 40, "widen": 3.0}
    one = solve_convex(data.points, data.groups, **settings)
    two = solve_convex(data.points, data.groups, **settings)
    np.testing.assert_array_equal(one.antidote, two.antidote)
    assert one.antidote.shape == (3, 3)
    assert one.evaluations == 40
    assert one.promised is None
    lower, upper = data.points.min(axis=0), data.points.max(axis=0)
    room = (upper - lower) + 1e-9
    assert (one.antidote >= lower - room).all()
    assert (one.antidote <= upper + room).all()
    assert len(np.unique(one.antidote, axis=0)) <= 2


def test_direct_search_helps_where_the_surrogate_harms():
    data = paper_sample(ac.load_dataset("bank"), 50)
    settings = {"lam": 0.02, "size": 5}
    surrogate_found = solve_convex(data.points, data.groups, **settings)
    direct = solve_convex(data.points, data.groups, **settings, method="direct", budget=40)
    assert surrogate_found.difference < 0 < direct.difference


def test_direct_search_can_be_cancelled():
    points, groups = instance(15, 2)
    calls = []
    found = solve_convex(
        points, groups, lam=0.05, size=2, method="direct",
        cancel=lambda: bool(calls.append(1)) or len(calls) > 5,
    )  # fmt: skip
    assert found.evaluations == 5


def test_growing_stops_at_the_target_and_at_the_limit():
    points, groups = instance(20, 2)
    lam = 2 * lambda_of_one_cluster(points)
    seen = []
    growth = grow_convex(points, groups, lam=lam, max_size=9, on_round=seen.append)
    assert growth.reached
    assert len(growth.rounds) == len(seen) == 1
    assert growth.best.cost < growth.target == growth.rounds[0].vanilla_cost
    hopeless = grow_convex(points, groups, lam=lam, start_size=2, step=3, max_size=9, target=0.0)
    assert not hopeless.reached
    assert [len(found.antidote) for found in hopeless.rounds] == [2, 5, 8]
    assert hopeless.best.cost == min(found.cost for found in hopeless.rounds)


def test_social_of_u_takes_the_nearest_of_all_centres():
    points, groups = instance(20, 2)
    clustering = son_clustering(points, 0.03)
    assert social_of_u(clustering, points, groups).cost == ac.social_cost(
        clustering.centers, points, groups
    )


def test_the_sample_keeps_the_two_largest_groups():
    whole = ac.load_dataset("bank")
    data = paper_sample(whole, 100)
    assert data.group_names == ("married", "single")
    assert "Only the two largest groups" in " ".join(data.notes)
    assert len(paper_sample(whole, 100, two_groups=False).group_names) == 3
    np.testing.assert_array_equal(data.points, paper_sample(whole, 100).points)
    assert (data.points != paper_sample(whole, 100, seed=1).points).any()
    rows = {tuple(row) for row in whole.points[whole.groups != 0]}
    assert all(tuple(row) in rows for row in data.points)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"lam": 0.0}, r"λ \(lam\) must be a finite number above 0; got 0"),
        ({"lam": -1}, r"λ \(lam\) must be a finite number above 0; got -1"),
        ({"gamma": -0.1}, r"γ \(gamma\) must be a number from 0 to 1; got -0.1"),
        ({"gamma": 1.5}, r"γ \(gamma\) must be a number from 0 to 1; got 1.5"),
        ({"gamma": math.nan}, r"γ \(gamma\) must be"),
        ({"gamma": "x"}, r"γ \(gamma\) must be"),
        ({"size": 0}, r"size \(\|V\|\) must be a whole number of at least 1; got 0"),
        ({"size": 2.5}, r"size \(\|V\|\) must be a whole number"),
        ({"method": "magic"}, "method must be 'surrogate' or 'direct'; got 'magic'"),
        ({"method": "direct", "atoms": 0}, "atoms must be a whole number"),
        ({"method": "direct", "widen": 0.0}, "widen must be a number above 0"),
        ({"method": "direct", "budget": 0}, "budget must be a whole number"),
    ],
)
def test_bad_settings_get_one_sentence(settings, words):
    points, groups = instance(6, 1)
    with pytest.raises(ac.SpecError, match=words):
        solve_convex(points, groups, **settings)


def test_bad_growth_gets_one_sentence():
    points, groups = instance(6, 1)
    for settings, words in [
        ({"start_size": 0}, "start_size"),
        ({"step": 0}, "step"),
        ({"start_size": 4, "max_size": 3}, "max_size must be at least"),
        ({"target": "sota"}, "target"),
    ]:
        with pytest.raises(ac.SpecError, match=words):
            grow_convex(points, groups, **settings)


def test_too_many_points_for_the_literal_program_get_a_sentence():
    points, groups = instance(2000, 5)
    with pytest.raises(ac.SpecError, match="2,000 points with 5 features are too many"):
        literal_program(points, groups, 0.99, 10)


def test_groups_with_a_gap_get_a_sentence():
    with pytest.raises(ac.DataError, match="Group 1 is absent"):
        solve_convex(np.ones((3, 1)), np.array([0, 2, 2]))


def test_lfw_or_its_twin_can_be_swept():
    data = paper_sample(ac.load_dataset("lfw", rows="twin"), 40)
    assert all(p.difference < 0 for p in lambda_sweep(data.points, data.groups, (0.001, 0.01)))
