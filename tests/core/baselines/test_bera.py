"""Bera: the LP against the textbook LP, the exact mode against enumeration, and every refusal."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import antidote_core.baselines.assignment.whole_assignment
from antidote_core.baselines import NEAREST, OWN, BaselineResult, BaselineWarning, bera
from antidote_core.baselines.assignment.highs import TimeUp
from antidote_core.datasets import load_dataset
from antidote_core.errors import DataError, SolverError, SpecError
from antidote_core.fairness import balance_table, social_table


def draw(seed, n=None, g=None, k=None):
    rng = np.random.default_rng(seed)
    g, k = g or int(rng.integers(2, 7)), k or int(rng.integers(2, 7))
    n = n or int(rng.integers(40, 160))
    groups = np.r_[np.arange(g), rng.choice(g, n - g, p=rng.dirichlet(np.full(g, 2.0)))]
    points = rng.normal(size=(n, 2)) * rng.uniform(0.2, 4, 2) + rng.normal(size=(g, 2))[groups]
    return points, groups, k, float(rng.uniform(0, 0.5))


def squared_distances(points, centers):
    return ((points[:, None] - centers[None]) ** 2).sum(axis=2)


def share_bounds(codes, delta):
    shares = np.bincount(codes) / len(codes)
    return (1 - delta) * shares, shares / (1 - delta)


def textbook_lp(costs, attributes, delta):
    """One variable per point and cluster, one row per point, two per cluster and group."""
    n, k = costs.shape
    rows = []
    for codes in attributes:
        lower, upper = share_bounds(codes, delta)
        for cluster in range(k):
            for group in range(len(lower)):
                for sign, bound in ((1.0, upper[group]), (-1.0, lower[group])):
                    row = np.zeros((n, k))
                    row[:, cluster] = sign * ((codes == group) - bound)
                    rows.append(sparse.csr_array(row.reshape(1, -1)))
    result = linprog(
        costs.ravel(),
        A_ub=sparse.vstack(rows),
        b_ub=np.zeros(len(rows)),
        A_eq=sparse.kron(sparse.eye_array(n), np.ones((1, k))),
        b_eq=np.ones(n),
    )
    assert result.status == 0
    return result.fun


def violation(labels, attributes, k, delta):
    worst = 0.0
    for codes in attributes:
        lower, upper = share_bounds(codes, delta)
        for cluster in range(k):
            inside = labels == cluster
            for group in range(len(lower)):
                count = (inside & (codes == group)).sum()
                worst = max(worst, lower[group] * inside.sum() - count)
                worst = max(worst, count - upper[group] * inside.sum())
    return worst


def cheapest_by_enumeration(costs, attributes, delta, allow_empty=True):
    n, k = costs.shape
    best = np.inf
    for choice in itertools.product(range(k), repeat=n):
        labels = np.array(choice)
        cost = costs[np.arange(n), labels].sum()
        if cost >= best or (not allow_empty and len(set(choice)) < k):
            continue
        if violation(labels, attributes, k, delta) < 1e-9:
            best = cost
    return best


@pytest.mark.parametrize("seed", range(36))
def test_lp_optimum_is_that_of_the_textbook_program(seed):
    points, groups, k, delta = draw(seed)
    fair = bera(points, groups, k, delta=delta, seed=seed)
    expected = textbook_lp(squared_distances(points, fair.centers), [groups], delta)
    assert fair.lp_cost == pytest.approx(expected, rel=1e-7)
    assert fair.cost <= fair.lp_cost * (1 + 1e-9)
    assert fair.violation < 2
    assert fair.violation == pytest.approx(violation(fair.labels, [groups], k, delta), abs=1e-9)


@pytest.mark.parametrize("delta", [0.0, 0.3])
def test_lp_optimum_with_prices_from_samples(delta):
    points, groups, k, _ = draw(3, n=4500, g=3, k=3)
    fair = bera(points, groups, k, delta=delta)
    expected = textbook_lp(squared_distances(points, fair.centers), [groups], delta)
    assert fair.lp_cost == pytest.approx(expected, rel=1e-7)
    assert fair.violation < 2


@pytest.fixture(params=["cuts", "whole"])
def program(request, monkeypatch):
    """Both forms of the exact program, whatever the number of points."""
    columns = 0 if request.param == "cuts" else 10**9
    monkeypatch.setattr(antidote_core.baselines.assignment.whole_assignment, "FEW_COLUMNS", columns)


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("seed", range(12))
def test_exact_mode_equals_enumeration(seed):
    n, g, k = (9, 2, 2) if seed % 2 else (7, 2 + seed % 3, 3)
    points, groups, k, delta = draw(seed, n=n, g=g, k=k)
    fair = bera(points, groups, k, delta=delta, exact=True)
    expected = cheapest_by_enumeration(squared_distances(points, fair.centers), [groups], delta)
    assert fair.violation == 0
    assert violation(fair.labels, [groups], k, delta) < 1e-9
    assert fair.cost == pytest.approx(expected, rel=1e-9)
    assert fair.cost >= fair.lp_cost * (1 - 1e-9)


@pytest.mark.usefixtures("program")
def test_exact_mode_without_empty_clusters_equals_enumeration():
    solved = 0
    for seed in range(20, 30):
        points, groups, k, delta = draw(seed, n=8, g=2, k=2)
        centers = points[:k]
        costs = squared_distances(points, centers)
        expected = cheapest_by_enumeration(costs, [groups], delta, allow_empty=False)
        call = {"delta": delta, "centers": centers, "exact": True, "allow_empty": False}
        if np.isinf(expected):
            with pytest.raises(SpecError, match="infeasible"):
                bera(points, groups, k, **call)
            continue
        fair = bera(points, groups, k, **call)
        assert fair.cost == pytest.approx(expected, rel=1e-9)
        assert np.bincount(fair.labels, minlength=k).min() > 0
        solved += 1
    assert 0 < solved < 10


@pytest.mark.parametrize("seed", range(6))
def test_overlapping_attributes(seed):
    points, groups, k, delta = draw(seed, g=3)
    other = np.random.default_rng(seed).integers(0, 2, len(points))
    attributes = [groups, other]
    fair = bera(points, attributes, k, delta=delta)
    expected = textbook_lp(squared_distances(points, fair.centers), attributes, delta)
    assert fair.lp_cost == pytest.approx(expected, rel=1e-7)
    assert fair.cost <= fair.lp_cost * (1 + 1e-9)
    assert fair.violation <= 4 * len(attributes) + 3
    worst = max(balance_table(fair.labels, codes, k, codes.max() + 1).cost for codes in attributes)
    assert fair.balance_own == worst


@pytest.mark.usefixtures("program")
def test_overlapping_attributes_exactly():
    points, groups, k, _ = draw(5, n=8, g=2, k=2)
    other = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    fair = bera(points, [groups, other], k, delta=0.4, exact=True)
    costs = squared_distances(points, fair.centers)
    assert fair.cost == pytest.approx(cheapest_by_enumeration(costs, [groups, other], 0.4))
    assert violation(fair.labels, [groups, other], k, 0.4) < 1e-9


def test_record_holds_both_scorings():
    points, groups, k, _ = draw(1, g=2, k=3)
    fair = bera(points, groups, k)
    assert isinstance(fair, BaselineResult)
    assert fair.labels.shape == (len(points),)
    assert fair.centers.shape == (k, 2)
    assert fair.scores[OWN]["balance"] == balance_table(fair.labels, groups, k, 2).cost
    own = social_table(fair.labels, fair.centers, points, groups).cost
    assert fair.scores[OWN]["social"] == own
    nearest = squared_distances(points, fair.centers).argmin(axis=1)
    assert fair.scores[NEAREST]["balance"] == balance_table(nearest, groups, k, 2).cost
    assert fair.scores[NEAREST]["social"] <= own
    assert set(fair.scores) == {"own assignment", "nearest centre"}
    assert fair.quality.davies_bouldin > 0


def test_bank_own_assignment_and_nearest_centre_differ():
    data = load_dataset("bank")
    fair = bera(data.points, data.groups, k=2)
    assert fair.violation < 2
    assert fair.balance_own == pytest.approx(-0.80, abs=0.005)
    assert fair.balance_nearest == pytest.approx(-0.31, abs=0.01)


def test_adult_needs_the_exact_mode():
    data = load_dataset("adult")
    rounded = bera(data.points, data.groups, k=2)
    exact = bera(data.points, data.groups, k=2, exact=True)
    assert rounded.balance_own == 0
    assert exact.violation == 0
    assert exact.balance_own <= -0.8
    assert 1.10 < exact.cost / exact.lp_cost < 1.18


def test_exact_mode_out_of_time_says_how_far_it_got(monkeypatch):
    """The clock is stopped after one round, where adult needs three to prove its optimum."""
    exact_module = antidote_core.baselines.assignment.whole_assignment
    solve, rounds = exact_module._Master.solve, []

    def solve_once(master, gap):
        if rounds:
            raise TimeUp(120.0)
        rounds.append(gap)
        return solve(master, gap)

    data = load_dataset("adult")
    finished = bera(data.points, data.groups, k=2, exact=True)
    monkeypatch.setattr(exact_module._Master, "solve", solve_once)
    with pytest.warns(BaselineWarning, match="stopped after 120 seconds: no violation") as caught:
        stopped = bera(data.points, data.groups, k=2, exact=True)
    assert stopped.notes[-1] == str(caught[0].message)
    assert stopped.violation == 0
    claimed = float(stopped.notes[-1].split("up to ")[1].split(" %")[0]) / 100
    assert 0 <= (stopped.cost - finished.cost) / stopped.cost <= claimed * 1.05


def test_scale_and_seed():
    points, groups, k, delta = draw(8, n=4200, g=3, k=3)
    fair = bera(points, groups, k, delta=delta, seed=4)
    again = bera(points, groups, k, delta=delta, seed=4)
    np.testing.assert_array_equal(fair.labels, again.labels)
    large = bera(points * 1e4, groups, k, delta=delta, centers=fair.centers * 1e4)
    assert large.lp_cost == pytest.approx(fair.lp_cost * 1e8, rel=1e-7)


def test_points_on_their_centres():
    points = np.array([[0.0], [0.0], [5.0], [5.0]])
    fair = bera(points, np.array([0, 1, 0, 1]), k=2, delta=0)
    assert fair.cost == 0
    assert fair.balance_own == -1


def test_empty_cluster_is_noted():
    points = np.array([[0.0], [0.1], [0.2]])
    fair = bera(points, np.array([0, 1, 1]), k=2, delta=0, exact=True)
    assert fair.violation == 0
    assert len(np.unique(fair.labels)) == 1
    assert any("empty" in note for note in fair.notes)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"delta": 1.0}, SpecError, "delta must be at least 0 and below 1; got 1.0"),
        ({"delta": -0.1}, SpecError, "delta must be"),
        ({"delta": float("nan")}, SpecError, "delta must be"),
        ({"delta": "a"}, SpecError, "delta must be a number"),
        ({"k": 7}, SpecError, r"k must be at most the number of points \(6\); got 7"),
        ({"k": 0}, SpecError, "k must be a whole number of at least 1"),
        ({"groups": np.array([0, 0, 2, 2, 0, 2])}, DataError, "Group 1 is absent"),
        ({"groups": np.array([0, 1])}, DataError, "one code per point"),
        ({"groups": np.zeros((6, 2), dtype=int)}, DataError, "list of such vectors"),
        ({"points": np.full((6, 1), np.nan)}, DataError, "finite"),
        ({"centers": np.zeros((3, 1))}, DataError, r"centers must have shape \(2, 1\)"),
        ({"centers": np.full((2, 1), np.inf)}, DataError, "centers must be finite"),
        ({"delta": 0, "exact": True, "allow_empty": False}, SpecError, "bounds are infeasible"),
        ({"time_limit": 1e-9}, SolverError, "did not finish within 1e-09 seconds"),
    ],
)
def test_refusals(change, error, words):
    call = {
        "points": np.arange(6.0)[:, None],
        "groups": np.array([0, 1, 1, 1, 1, 1]),
        "k": 2,
        **change,
    }
    with pytest.raises(error, match=words) as caught:
        bera(**call)
    assert "\n" not in str(caught.value)
