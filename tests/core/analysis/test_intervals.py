"""Intervals of the numbers of a group: how often they hold the truth, and when they warn."""

from dataclasses import replace

import numpy as np
import pytest

import antidote_core as ac
from antidote_core.analysis.snapshots import RESAMPLED, group_intervals
from antidote_core.fairness import balance_table, social_table
from antidote_core.reporting.figures.tables import FEW_MARK, cost_interval_table, interval_table
from antidote_core.reporting.text.words import few_people

CENTERS = np.array([[-1.0], [1.0]])
SHARES = np.array([[0.35, 0.05], [0.40, 0.20]])  # of the population: cluster x group
SPREADS = np.array([0.5, 1.5])  # of the points of each group around their centre


def drawn(n: int, seed: int) -> tuple[ac.Dataset, np.ndarray]:
    """People from a known population, around two centres, and the cluster of each."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(4, n, p=SHARES.ravel())
    labels, groups = cells // 2, cells % 2
    points = CENTERS[labels] + rng.exponential(SPREADS[groups])[:, None]
    plain = ac.load_dataset("blobs")
    data = replace(
        plain, points=points, groups=groups, group_names=("a", "b"), feature_names=("x",),
        shift=np.zeros(1), scale=np.ones(1), columns=(ac.types.Column("x"),),
    )  # fmt: skip
    return data, labels


def held(ends: np.ndarray, truth: np.ndarray) -> np.ndarray:
    return (ends[..., 0] <= truth) & (truth <= ends[..., 1])


@pytest.mark.parametrize("n", [400, 6_000])
def test_they_hold_the_truth_about_as_often_as_they_say(n: int) -> None:
    shares = SHARES / SHARES.sum(axis=1, keepdims=True)
    relative = shares / SHARES.sum(axis=0)
    ratios, costs = np.minimum(relative, 1 / relative), 2 * SPREADS**2
    hits = []
    for seed in range(150):
        data, labels = drawn(n, seed)
        found = group_intervals(data, labels, CENTERS, seed)
        hits.append(
            np.concatenate(
                [
                    held(found.shares, shares).ravel(),
                    held(found.ratios, ratios).ravel(),
                    held(found.costs, costs),
                ]
            )
        )
    covered = np.mean(hits, axis=0)
    assert (covered[:8] > 0.89).all(), covered  # 0.95 less four standard errors of 150 trials
    assert (covered[8:] > 0.84).all(), covered  # averages of skewed distances need more people
    assert covered[:8].mean() < 0.99, covered


def test_an_average_of_many_is_that_of_the_draws() -> None:
    data, labels = drawn(int(RESAMPLED / 0.8), 1)  # both ways for nearly the same people
    few = group_intervals(data, labels, CENTERS, 0).costs[0]
    doubled = replace(data, points=np.tile(data.points, (2, 1)), groups=np.tile(data.groups, 2))
    many = group_intervals(doubled, np.tile(labels, 2), CENTERS, 0).costs[0]
    assert (many[1] - many[0]) * np.sqrt(2) == pytest.approx(few[1] - few[0], rel=0.08)
    assert many.mean() == pytest.approx(few.mean(), rel=0.01)


def test_same_seed_same_intervals() -> None:
    data, labels = drawn(300, 2)
    first, again = (group_intervals(data, labels, CENTERS, 5) for _ in range(2))
    assert np.array_equal(first.shares, again.shares)
    assert np.array_equal(first.costs, again.costs)


def test_an_empty_cell_is_bounded_and_warned_of() -> None:
    data, labels = drawn(300, 3)
    labels = np.where(data.groups == 1, 1, labels)  # nobody of b in cluster 1
    found = group_intervals(data, labels, CENTERS, 0)
    size = int(found.people[0].sum())
    assert found.shares[0, 1].tolist() == [0.0, 1 - 0.025 ** (1 / size)]
    assert 0.0 < found.ratios[0, 1, 1] < 0.2
    names = data.group_names
    table = interval_table(found, balance_table(labels, data.groups, 2, 2), names)
    assert table[""].tolist() == ["", FEW_MARK, "", ""]
    assert "“b” in cluster 1 (0)" in few_people(found.people, names, 10)
    paid = social_table(labels, CENTERS, data.points, data.groups)
    assert (cost_interval_table(found, paid, names)[""] == "").all()


def test_equal_weights_change_little_and_unequal_ones_widen() -> None:
    data, labels = drawn(1_000, 4)
    plain = group_intervals(data, labels, CENTERS, 0)
    same = group_intervals(replace(data, weights=np.full(1_000, 3.0)), labels, CENTERS, 0)
    np.testing.assert_allclose(same.shares, plain.shares, atol=0.01)
    np.testing.assert_allclose(same.costs, plain.costs, rtol=0.02)
    uneven = np.random.default_rng(0).choice([0.2, 5.0], 1_000)
    wide = group_intervals(replace(data, weights=uneven), labels, CENTERS, 0)
    assert (np.diff(wide.shares) > 1.2 * np.diff(plain.shares)).all()
