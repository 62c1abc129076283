"""Would V pass for data? Distances against scipy, spreads against their definition."""

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

import antidote_core as ac
from antidote_core.algorithms.algorithm2.realism import (
    nearest_real_distance,
    neighbour_distances,
    plausibility,
    spread_out,
    spreads,
)
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.reporting.figures.tables import DISTANCE, TIMES_USUAL, antidote_table
from antidote_core.reporting.text.design_words import clump_sentence, extreme_sentence
from antidote_core.runs.spec import RunSpec


def drained(steps):
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def never():
    return False


def test_distances_are_those_of_scipy():
    rng = np.random.default_rng(0)
    points, antidote = rng.normal(size=(400, 3)), rng.normal(size=(7, 3))
    assert nearest_real_distance(points, antidote) == pytest.approx(
        cdist(antidote, points).min(axis=1)
    )
    assert nearest_real_distance(points, antidote[:0]).shape == (0,)
    between = cKDTree(points).query(points, k=2)[0][:, 1]
    usual, neighbour_p99 = neighbour_distances(points)
    assert usual == pytest.approx(np.median(between))
    assert neighbour_p99 == pytest.approx(np.quantile(between, 0.99))


def test_copies_do_not_make_the_usual_distance_zero():
    points = np.repeat(np.arange(5.0)[:, None], 4, axis=0)
    usual, neighbour_p99 = neighbour_distances(points)
    assert np.isnan(usual)
    assert neighbour_p99 == 0.0
    mixed = np.vstack([points, [[9.0], [10.5]]])
    assert neighbour_distances(mixed)[0] == 1.5  # from 9 to 10.5 and back
    assert plausibility(points, np.array([[4.5]])).remote == 1


def test_a_sentence_only_for_extreme_points():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(500, 3))
    assert extreme_sentence(points, points[:5]) == ""
    far = np.vstack([points[:1], np.full((2, 3), 40.0)])
    sentence = extreme_sentence(points, far)
    assert "2 of 3 antidote points" in sentence
    usual = np.median(cKDTree(points).query(points, k=2)[0][:, 1])
    farthest = cdist(far, points).min(axis=1).max()
    assert f"{farthest:.3g} standard deviations, {farthest / usual:,.0f} times" in sentence


def test_a_sentence_for_clumps():
    antidote = np.repeat([[1.0, 2.0], [3.0, 4.0]], [3, 4], axis=0)
    assert "The 7 antidote points are copies at 2 places" in clump_sentence(antidote)
    assert "copies at one place" in clump_sentence(antidote[:3])
    assert clump_sentence(np.array([[1.0, 2.0], [3.0, 4.0]])) == ""


def test_the_table_of_v_has_both_distances():
    data = ac.load_dataset("blobs")
    antidote = np.array([[30.0, 0.0], [30.0, 0.0], data.points[3]])
    table = antidote_table(data, antidote)
    assert table["copies"].tolist() == [2, 1]
    assert table[DISTANCE].tolist() == pytest.approx(
        cdist([[30.0, 0.0], data.points[3]], data.points).min(axis=1).tolist()
    )
    usual = neighbour_distances(data.points)[0]
    assert table[TIMES_USUAL].tolist() == pytest.approx((table[DISTANCE] / usual).tolist())


@pytest.mark.parametrize("box", ["plausible", "minmax", "wide"])
def test_spreads_keep_means_box_and_cells(box):
    problem = Problem(ac.load_dataset("blobs"), fairness="social")
    lower, upper = problem.box(box)
    centers = problem.vanilla.centers
    antidote = np.repeat([centers[0], (lower + 3 * centers[1]) / 4], [12, 30], axis=0)
    labels, _ = nearest_center(antidote, centers)
    scales = []
    for scale, scattered in spreads(problem.points, antidote, centers, (lower, upper)):
        scales.append(scale)
        assert scattered.shape == antidote.shape
        order = nearest_center(scattered, np.unique(antidote, axis=0))[0]
        assert (scattered >= lower - 1e-9).all()
        assert (scattered <= upper + 1e-9).all()
        assert len(np.unique(order)) <= 2
        assert scattered.mean(axis=0) == pytest.approx(antidote.mean(axis=0))
        assert sorted(nearest_center(scattered, centers)[0]) == sorted(labels)
    assert scales == sorted(scales, reverse=True)


def test_spreading_out_keeps_the_cost_or_says_that_it_cannot():
    problem = Problem(ac.load_dataset("blobs"), fairness="social")
    box = problem.box("minmax")
    antidote = np.repeat(problem.points[:2], [8, 12], axis=0)
    cost = problem.evaluate(antidote)
    found = drained(spread_out(problem, antidote, box, cost + 0.05, False, never))
    assert len(np.unique(found.antidote, axis=0)) > 2
    assert problem.evaluate(found.antidote) <= cost + 0.05
    assert "2 clumps are spread out into 20 points" in found.sentence
    stuck = drained(spread_out(problem, np.tile(box[1], (9, 1)), (box[1], box[1]), -1, True, never))
    assert stuck.antidote is None or np.array_equal(stuck.antidote, np.tile(box[1], (9, 1)))
    different = drained(spread_out(problem, problem.points[:3], box, cost, False, never))
    assert different.antidote is None
    assert "all different" in different.sentence
    stopped = drained(spread_out(problem, antidote, box, cost + 0.05, False, lambda: True))
    assert stopped.antidote is None
    assert "Stopped" in stopped.sentence


def test_runs_spread_on_request():
    spec = RunSpec(
        dataset="blobs", fairness="social", optimizer="design", target="lowest", max_size=20,
        spread=True, place="minmax",
    )  # fmt: skip
    view = ac.run(spec)
    clumped = view.history[-1].antidote
    assert len(np.unique(view.antidote, axis=0)) > len(np.unique(clumped, axis=0))
    assert view.antidote.mean(axis=0) == pytest.approx(clumped.mean(axis=0))
    assert any("spread out into" in note for note in view.notes)
    again = Problem(ac.load_dataset("blobs"), fairness="social").evaluate(view.antidote)
    assert view.cost == pytest.approx(again, rel=1e-12)
    assert view.verification.share >= 0.75
