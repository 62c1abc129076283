"""Curves over seeds: bands, smallest sizes and how sure they are."""

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from antidote_core.analysis.frontier_curves import (
    BAND,
    at_least,
    curves,
    median_interval,
    quality_points,
)
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from tests.core.runs.made_sweeps import PLAIN, POINTS, events


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 8, 11, 20, 41])
def test_the_band_holds_the_median_as_often_as_it_says(n):
    values = np.random.default_rng(n).permutation(n).astype(float)
    low, high, chance = median_interval(values)
    inside = int(low)  # the values are their own ranks
    assert high == n - 1 - inside
    # by definition: the median is outside when too few values lie on one side of it
    assert chance == pytest.approx(max(0.0, 1 - 2 * binom.cdf(inside, n, 0.5)))
    if inside > 0:
        assert chance >= BAND
    if inside + 1 <= (n - 1) // 2 and chance >= BAND:
        assert 1 - 2 * binom.cdf(inside + 1, n, 0.5) < BAND  # none narrower will do


def test_the_band_covers_the_median_in_a_simulation():
    rng = np.random.default_rng(0)
    draws = rng.exponential(size=(4000, 9))
    covered = [low <= math.log(2) <= high for low, high, _ in map(median_interval, draws)]
    assert np.mean(covered) == pytest.approx(median_interval(draws[0])[2], abs=0.02)


@pytest.mark.parametrize(("passed", "judged"), [(0, 5), (1, 5), (3, 5), (5, 5), (20, 20)])
def test_the_lower_bound_is_that_of_clopper_and_pearson(passed, judged):
    interval = binomtest(passed, judged, alternative="greater").proportion_ci(0.9, "exact")
    assert at_least(passed, judged) == pytest.approx(interval.low)


def test_levels_have_the_median_price_and_smallest_cluster():
    [curve] = curves(SweepView.fold(events()))
    assert [level.price for level in curve.levels] == pytest.approx([0.007, 0.012, 0.027, 0.052])
    assert [level.smallest_share for level in curve.levels] == pytest.approx([0.38, 0.36, 0.3, 0.2])
    [unknown] = curves(SweepView.fold(events(priced=False)))
    assert all(math.isnan(level.price) for level in unknown.levels)
    assert quality_points(SweepView.fold(events(priced=False)), "price") == ()


def test_a_falling_curve():
    [curve] = curves(SweepView.fold(events()))
    assert [level.size for level in curve.levels] == [10, 20, 50, 100]
    assert [level.share for level in curve.levels] == [s / POINTS for s in (10, 20, 50, 100)]
    medians = [level.median for level in curve.levels]
    assert medians == sorted(medians, reverse=True)
    for level in curve.levels:
        assert level.low <= level.median <= level.high
        assert level.coverage == pytest.approx(0.9375)
    assert curve.complete
    # seeds 0..4 at size 10: cost 0.01 above plain, minus 0.01 per seed: seeds 2, 3, 4 are below
    assert (curve.levels[0].passed, curve.levels[0].judged) == (3, 5)
    assert curve.smallest is not None
    assert (curve.smallest.size, curve.smallest.above, curve.smallest.share) == (10, 0, 0.6)


def test_the_smallest_size_lies_between_the_last_that_fails_and_the_first_that_does_not():
    passing = {20: 1, 50: 4, 100: 2}

    def cost(cell):
        return PLAIN - 0.1 if cell.seed < passing.get(cell.size, 0) else PLAIN + 0.1

    [curve] = curves(SweepView.fold(events(cost=cost)))
    found = curve.smallest
    assert found is not None
    assert (found.size, found.above, found.passed, found.judged) == (50, 20, 4, 5)
    assert found.later == (100,)
    assert found.share_of_points == 50 / POINTS
    assert curve.sureness is not None
    assert curve.sureness.size == 50
    assert curve.sureness.reaches


def test_without_a_size_that_reaches_the_target_the_lowest_median_is_reported():
    [curve] = curves(SweepView.fold(events(target=-0.99)))
    assert curve.smallest is None
    sure = curve.sureness
    assert sure is not None
    assert (sure.size, sure.reaches, sure.passed, sure.judged) == (100, False, 0, 5)
    assert sure.at_least == 0.0


def test_a_gain_inside_the_noise_is_told_from_one_outside():
    def shifted(by):
        [curve] = curves(SweepView.fold(events(cost=lambda cell: PLAIN - by - 0.001 * cell.seed)))
        assert curve.sureness is not None
        return curve.sureness

    # plain clustering goes down to -0.31 in the made sweeps
    inside, across, outside = shifted(0.001), shifted(0.0085), shifted(0.02)
    assert (inside.outside_noise, inside.band_outside) == (False, False)
    assert (across.outside_noise, across.band_outside) == (True, False)
    assert (outside.outside_noise, outside.band_outside) == (True, True)
    assert outside.gain == pytest.approx(0.022)
    assert outside.noise.low == -0.31


def test_missing_and_failed_cells_leave_the_rest_as_it_is():
    [whole] = curves(SweepView.fold(events()))
    [part] = curves(SweepView.fold(events(failed=(0,), settled=8)))
    assert not part.complete
    assert part.levels[0].failed == 1
    assert part.levels[0].judged == 1
    # cells of the second seed, in the whole sweep and in its part
    for level in part.levels:
        twin = next(x for x in whole.levels if x.size == level.size)
        costs = {row.seed: row.cost for row in twin.rows}
        assert all(row.cost == costs[row.seed] for row in level.rows)


def test_before_the_first_cell_there_is_nothing_to_say():
    assert curves(SweepView()) == ()
    [curve] = curves(SweepView.fold(events(settled=0)))
    assert curve.levels == ()
    assert curve.smallest is None
    assert curve.sureness is None


def test_one_curve_per_setting_each_with_its_own_reference():
    spec = SweepSpec(
        "blobs", combinations=(("kmeans", "balance"), ("kmeans", "social")), ks=(2, 3),
        optimizers=("random", "cmaes"), sizes=(10,), seeds=(0, 1),
    )  # fmt: skip
    found = curves(SweepView.fold(events(spec)))
    assert [curve.setting for curve in found] == list(spec.settings)
    for curve in found:
        assert curve.reference is not None
        assert curve.reference.problem == curve.setting.problem


def test_quality_against_cost_has_a_point_per_cell_that_is_done():
    view = SweepView.fold(events(failed=(2,)))
    points = quality_points(view)
    assert len(points) == len(view.rows) - 1
    assert {point.run for point in points} == {row.run for row in view.rows if row.done}
