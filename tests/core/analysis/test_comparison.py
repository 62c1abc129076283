"""The rows of a comparison: price of fairness and smallest cluster, written out slowly."""

import numpy as np
import pytest

from antidote_core import Problem, load_dataset
from antidote_core.analysis.comparison import (
    VANILLA,
    baseline_rows,
    run_comparison,
    solution_row,
)
from antidote_core.baselines import OWN, baseline_result
from antidote_core.runs.spec import RunSpec

DATA = load_dataset("two-optima")


def slow(points, labels, centers):
    """Inertia and smallest share of given labels and centres."""
    inertia = sum(
        float(((point - centers[label]) ** 2).sum())
        for point, label in zip(points, labels, strict=True)
    )
    sizes = [int((labels == c).sum()) for c in range(len(centers))]
    return inertia, min(sizes) / len(points)


@pytest.mark.parametrize("clustering", ["kmeans", "kmedian", "spectral"])
def test_antidote_is_priced_by_inertia_over_plain(clustering):
    problem = Problem(DATA, clustering, "balance", 2, restarts=4)
    antidote = np.tile(DATA.points.max(axis=0), (20, 1))
    row = solution_row(problem, "antidote", antidote, 0.0)
    plain, found = problem.vanilla, problem.cluster(antidote)
    before, _ = slow(DATA.points, plain.labels, plain.centers)
    after, smallest = slow(DATA.points, found.labels, found.centers)
    assert row.price == pytest.approx(after / before - 1, abs=1e-9)
    assert row.smallest_share == pytest.approx(smallest)


def test_fair_algorithms_are_priced_in_both_scorings():
    problem = Problem(DATA, "kmeans", "balance", 2, restarts=4)
    result = baseline_result(problem)
    before, _ = slow(DATA.points, problem.vanilla.labels, problem.vanilla.centers)
    squared = ((DATA.points[:, None] - result.centers) ** 2).sum(axis=2)
    for row in baseline_rows(problem, result):
        labels = result.labels if row.scoring == OWN else squared.argmin(axis=1)
        after, smallest = slow(DATA.points, labels, result.centers)
        assert row.price == pytest.approx(after / before - 1, abs=1e-9)
        assert row.smallest_share == pytest.approx(smallest)


def test_plain_clustering_has_no_price_and_json_has_both():
    [plain, *others] = run_comparison(
        RunSpec("two-optima", restarts=4), DATA, DATA.points[:0], seconds=1.0
    )
    assert (plain.name, plain.price) == (VANILLA, 0.0)
    for row in (plain, *others):
        assert {"price", "smallest_share"} <= set(row.to_dict())
