"""Maps against scikit-learn's PCA and against the nearest centre."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from antidote_core import load_dataset
from antidote_core.geometry import nearest_center
from antidote_core.projection import cluster_cells, fit_plane, map_rows


@pytest.mark.parametrize("name", ["adult", "bank", "creditcard"])
def test_the_plane_is_that_of_scikit_learn(name: str) -> None:
    data = load_dataset(name)
    plane = fit_plane(data.points, data.feature_names)
    model = PCA(2).fit(data.points)
    expected = model.transform(data.points)
    places = plane.place(data.points)
    for axis in range(2):
        sign = np.sign(places[:, axis] @ expected[:, axis])
        np.testing.assert_allclose(places[:, axis], sign * expected[:, axis], atol=1e-8)
    assert plane.share == pytest.approx(model.explained_variance_ratio_.sum())
    assert not plane.exact


def test_the_same_map_whatever_the_order_of_the_points() -> None:
    data = load_dataset("adult")
    shuffled = data.points[np.random.default_rng(0).permutation(data.n)]
    axes = fit_plane(data.points, data.feature_names).axes
    np.testing.assert_allclose(axes, fit_plane(shuffled, data.feature_names).axes, atol=1e-9)


def test_two_features_are_kept_and_one_is_drawn_on_a_line() -> None:
    points = np.random.default_rng(0).normal(size=(20, 2))
    np.testing.assert_array_equal(fit_plane(points, ("x", "y")).place(points), points)
    line = fit_plane(points[:, :1], ("x",)).place(points[:, :1])
    np.testing.assert_allclose(line[:, 0], points[:, 0] - points[:, 0].mean())
    assert not line[:, 1].any()
    constant = fit_plane(np.ones((5, 3)), ("a", "b", "c"))
    assert not constant.place(np.ones((5, 3))).any()


@pytest.mark.parametrize("k", [2, 3, 7])
def test_cells_hold_the_points_nearest_to_their_centre(k: int) -> None:
    rng = np.random.default_rng(k)
    centers = rng.normal(size=(k, 2))
    lower, upper = np.array([-2.0, -1.5]), np.array([2.0, 1.5])
    points = rng.uniform(lower, upper, size=(500, 2))
    cells = cluster_cells(centers, lower, upper)
    inside = np.array([[_contains(cell, point) for cell in cells] for point in points])
    assert (inside.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(inside.argmax(axis=1), nearest_center(points, centers)[0])


def test_a_centre_without_room_has_no_corners() -> None:
    cells = cluster_cells(np.array([[0.0, 0.0], [9.0, 0.0]]), np.full(2, -1.0), np.ones(2))
    assert len(cells[1]) == 0
    assert len(cells[0]) == 4


def test_rows_of_the_map_are_seeded_and_limited() -> None:
    rows = map_rows(45_211, seed=3)
    assert len(rows) == len(set(rows.tolist())) == 10_000
    assert (np.diff(rows) > 0).all()
    np.testing.assert_array_equal(rows, map_rows(45_211, seed=3))
    assert (rows != map_rows(45_211, seed=4)).any()
    assert len(map_rows(45_211, limit=None)) == 45_211


def _contains(polygon: np.ndarray, point: np.ndarray) -> bool:
    """Whether a counter-clockwise convex polygon holds the point."""
    if len(polygon) == 0:
        return False
    edges = np.roll(polygon, -1, axis=0) - polygon
    to_point = point - polygon
    return bool((edges[:, 0] * to_point[:, 1] - edges[:, 1] * to_point[:, 0] >= 0).all())
