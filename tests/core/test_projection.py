"""UMAP layouts: shipped ones fit the bundled data, new ones are computed and placed."""

import numpy as np
import pytest

from antidote_core import load_dataset
from antidote_core.projection import (
    SAMPLE,
    Layout,
    find_layout,
    sample_rows,
)


@pytest.mark.parametrize("name", ["adult", "bank", "creditcard"])
def test_shipped_layout_belongs_to_the_bundled_data(name, tmp_path):
    data = load_dataset(name)
    layout = find_layout(data, tmp_path)
    assert layout is not None
    assert np.array_equal(layout.rows, sample_rows(data.groups))
    assert len(layout.rows) <= SAMPLE + 30 * len(data.group_names)
    # A sampled point lands on its own position.
    placed = layout.place(data.points, data.points[layout.rows[:50]])
    spread = np.ptp(layout.positions, axis=0).max()
    assert np.median(np.linalg.norm(placed - layout.positions[:50], axis=1)) < 0.05 * spread


def test_placing_is_a_weighted_mean_of_the_nearest():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [50.0, 50.0]])
    layout = Layout(np.arange(4), points * 2.0)
    placed = layout.place(points, np.array([[50.0, 50.0]]))
    assert np.linalg.norm(placed - [[100.0, 100.0]]) < 1.0
    assert layout.place(points, np.empty((0, 2))).shape == (0, 2)


def test_sample_keeps_small_groups():
    groups = np.array([0] * 9000 + [1] * 25)
    rows = sample_rows(groups)
    assert (groups[rows] == 1).sum() == 25
    assert np.array_equal(rows, sample_rows(groups))
