"""Every notion against its definition written out slowly, and against the report of notions."""

import itertools
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import rel_entr

import antidote_core as ac
from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.fairness.bounded_representation import DELTA

tables = st.integers(0, 10**6).map(
    lambda seed: np.random.default_rng(seed).integers(
        1, 40, np.random.default_rng(seed + 1).integers(2, 5, 2)
    )
)


def of_counts(name, counts):
    counts = np.asarray(counts, dtype=np.float64)
    return FAIRNESS[name].statistic(counts, np.zeros(counts.shape[1]))


def cells(counts):
    """(share in the cluster, share of all) of every cluster and group, by counting."""
    total = counts.sum()
    for cluster, group in np.ndindex(counts.shape):
        yield (
            cluster,
            counts[cluster, group] / counts[cluster].sum(),
            counts[:, group].sum() / total,
        )


@given(tables)
def test_mean_balance(counts):
    worst = [1.0] * len(counts)
    for cluster, here, overall in cells(counts):
        worst[cluster] = min(worst[cluster], here / overall, overall / here)
    assert of_counts("mean-balance", counts) == pytest.approx(-sum(worst) / len(worst))
    assert -1.0 <= of_counts("mean-balance", counts) <= of_counts("balance", counts) <= 0.0


@given(tables)
def test_pairwise_balance(counts):
    ratios = [a / b for row in counts.tolist() for a, b in itertools.permutations(row, 2)]
    assert of_counts("pairwise-balance", counts) == pytest.approx(-min(ratios))
    groups = np.repeat(np.arange(counts.shape[1]), counts.sum(axis=0))
    lowest = get_fairness("pairwise-balance").lower_bound(np.zeros((len(groups), 1)), groups, 2)
    assert of_counts("pairwise-balance", counts) >= lowest - 1e-12


@given(tables)
def test_bounded_representation(counts):
    beyond = [0.0]
    for cluster, here, overall in cells(counts):
        people = counts[cluster].sum()
        beyond += [people * (overall * (1 - DELTA) - here), people * (here - overall / (1 - DELTA))]
    assert of_counts("bounded", counts) == pytest.approx(max(beyond), abs=1e-9)


@given(tables)
def test_kl_error(counts):
    overall = counts.sum(axis=0) / counts.sum()
    mixes = counts / counts.sum(axis=1, keepdims=True)
    slowly = sum(rel_entr(overall, mix).sum() for mix in mixes)
    assert of_counts("kl", counts) == pytest.approx(slowly, abs=1e-12)


def test_kl_error_of_a_missing_group_is_that_of_half_a_person():
    missing = of_counts("kl", [[10, 0], [10, 20]])
    assert missing == pytest.approx(of_counts("kl", [[10, 0.5], [10, 20]]), rel=0.02)
    assert math.isfinite(missing)
    assert missing > of_counts("kl", [[10, 1], [10, 19]])


@given(tables)
def test_total_variation(counts):
    spread = counts / counts.sum(axis=0)
    apart = [
        np.maximum(spread[:, a] - spread[:, b], 0).sum()
        for a, b in itertools.permutations(range(counts.shape[1]), 2)
    ]
    assert of_counts("variation", counts) == pytest.approx(max(apart))
    assert 0.0 <= of_counts("variation", counts) <= 1.0


@given(tables)
def test_minimum_representation(counts):
    strongest = (counts / counts.sum(axis=1, keepdims=True)).max(axis=0)
    assert of_counts("representation", counts) == pytest.approx(max(0.5 - strongest.min(), 0.0))


@pytest.mark.parametrize(
    "name", [name for name, cost in FAIRNESS.items() if cost.statistic is not None]
)
@settings(max_examples=40)
@given(counts=tables, seed=st.integers(0, 99))
def test_names_of_clusters_and_groups_do_not_matter_and_nothing_is_below_the_best(
    name, counts, seed
):
    rng = np.random.default_rng(seed)
    cost, paid = FAIRNESS[name], rng.uniform(0.5, 2.0, counts.shape[1])
    counts = counts.astype(np.float64)
    rows, columns = (rng.permutation(length) for length in counts.shape)
    value = cost.statistic(counts, paid)
    shuffled = cost.statistic(counts[rows][:, columns], paid[columns])
    assert value == pytest.approx(shuffled, abs=1e-12)
    if cost.perfect is not None:
        assert value >= cost.perfect - 1e-12
    even = np.outer(counts.sum(axis=1), counts.sum(axis=0))
    if cost.by_mix and cost.perfect is not None and name != "representation":
        assert cost.statistic(even, paid) == pytest.approx(cost.perfect, abs=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_proportionality_and_individual_fairness_by_trying_all(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(4, 9)), int(rng.integers(1, 4))
    points, centers = rng.normal(size=(n, 2)), rng.normal(size=(k, 2))
    paid = [min(math.dist(x, c) for c in centers) for x in points]
    size = math.ceil(n / k)
    best = 1.0
    for place in points:
        for coalition in itertools.combinations(range(n), size):
            away = [math.dist(points[i], place) for i in coalition]
            gains = [paid[i] / d if d else math.inf for i, d in zip(coalition, away, strict=True)]
            best = max(best, min(gains))
    groups = np.zeros(n, dtype=np.int64)
    found = get_fairness("proportionality").of_centers(centers, points, groups)
    assert found == pytest.approx(best)

    radius = [sorted(math.dist(x, y) for y in points)[size - 1] for x in points]
    ratios = [
        0.0 if p == 0 else p / r if r else math.inf for p, r in zip(paid, radius, strict=True)
    ]
    assert get_fairness("individual").of_centers(centers, points, groups) == pytest.approx(
        max(ratios)
    )


def test_the_report_of_notions_agrees_with_the_costs():
    rng = np.random.default_rng(3)
    points, groups, labels = rng.normal(size=(90, 2)), rng.integers(0, 3, 90), np.arange(90) % 3
    points[labels == 1] += 4.0
    points[labels == 2, 1] -= 4.0
    centers = np.stack([points[labels == c].mean(axis=0) for c in range(3)])
    report = ac.fairness_report(points, labels, sensitive_features=groups)["value"]
    signs = {
        "balance": ("balance", -1), "mean balance": ("mean-balance", -1),
        "pairwise balance": ("pairwise-balance", -1), "KL error": ("kl", 1),
        "total variation": ("variation", 1), "social": ("social", 1), "gap": ("gap", 1),
        "social ratio": ("social-ratio", 1),
    }  # fmt: skip
    for notion, (name, sign) in signs.items():
        cost = get_fairness(name).of_labels(labels, centers, points, groups)
        assert report[notion] == pytest.approx(sign * cost), notion
    beyond = get_fairness("bounded").of_labels(labels, centers, points, groups)
    assert report["bounded representation"] == math.ceil(beyond - 1e-9)


@pytest.mark.parametrize("name", FAIRNESS)
def test_every_optimizer_that_searches_accepts_it(name):
    spec = ac.RunSpec(
        dataset="two-optima", fairness=name, start_size=10, step=10, max_rounds=1, budget=30,
        restarts=2, target="lowest",
    )  # fmt: skip
    result = ac.run(spec)
    assert result.cost <= result.vanilla_cost
    assert result.verdict.text


def test_the_page_of_notions_names_every_cost():
    page = (Path(__file__).parents[3] / "docs" / "notions.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `([\w-]+)` \|", page, re.M)) == sorted(FAIRNESS)


@pytest.mark.parametrize("seed", range(3))
def test_relative_social_is_the_cost_over_the_best_split_of_each_group(seed):
    """The best 2-means of a few numbers by trying every cut."""
    rng = np.random.default_rng(seed)
    values, groups = rng.normal(size=14), np.arange(14) % 2
    centers = rng.normal(size=2)

    def scatter(part):
        return ((part - part.mean()) ** 2).sum()

    ratios = []
    for group in (0, 1):
        mine = np.sort(values[groups == group])
        best = min(scatter(mine[:cut]) + scatter(mine[cut:]) for cut in range(1, len(mine)))
        ratios.append((np.abs(mine[:, None] - centers).min(axis=1) ** 2).sum() / best)
    found = get_fairness("relative-social").of_centers(centers[:, None], values[:, None], groups)
    assert found == pytest.approx(max(ratios))


def test_a_group_that_could_lie_on_its_centres_is_left_out_of_relative_social():
    points = np.array([[0.0], [2.0], [8.0], [10.0], [5.0], [5.0]])
    groups = np.array([0, 0, 0, 0, 1, 1])
    cost = get_fairness("relative-social")
    assert cost.of_centers(np.array([[1.0], [9.0]]), points, groups) == 1.0
    assert cost.of_centers(np.array([[1.0], [9.0]]), points[4:], np.zeros(2, dtype=int)) == 1.0


def test_relative_social_takes_no_weights_and_no_labels_of_its_own():
    data = ac.load_dataset("blobs")
    with pytest.raises(ac.SpecError, match="rows have weights"):
        ac.Problem(replace(data, weights=np.ones(data.n)), fairness="relative-social")
    with pytest.raises(ac.SpecError, match="defined by centres alone"):
        ac.Problem(data, clustering="gaussian-mixture", fairness="relative-social")
