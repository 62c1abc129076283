"""Answers that ship with the package: they are there, and they are what would be computed."""

import math

import pytest

from antidote_core import load_dataset
from antidote_core.analysis import known
from antidote_core.analysis.comparison import baseline_scores
from antidote_core.analysis.snapshots import vanilla_report


def test_every_bundled_data_set_has_its_answers():
    for data in known.bundled():
        for k in known.KS:
            asked = (k, known.RESTARTS, known.SEED)
            assert known.known_vanilla(data, known.CLUSTERING, *asked), (data.name, data.protected)
            for fairness in known.COSTS:
                assert known.known_baseline(data, known.CLUSTERING, fairness, *asked)


@pytest.mark.parametrize(("name", "k"), [("two-optima", 2), ("blobs", 3), ("bank", 2)])
def test_an_answer_is_what_would_be_computed(name, k):
    data = load_dataset(name)
    asked = (k, known.RESTARTS, known.SEED)
    found = known.known_vanilla(data, "kmeans", *asked)
    fresh = vanilla_report(data, "kmeans", *asked)
    assert (found.solution.labels == fresh.solution.labels).all()
    assert found.solution.cost == pytest.approx(fresh.solution.cost, abs=1e-12)
    assert found.balance.cost == pytest.approx(fresh.balance.cost, abs=1e-12)
    assert found.social.cost == pytest.approx(fresh.social.cost, rel=1e-12)
    assert found.quality.silhouette == pytest.approx(fresh.quality.silhouette, rel=1e-9)
    assert not math.isnan(found.quality.davies_bouldin)
    fair = known.known_baseline(data, "kmeans", "social", *asked)
    assert fair == pytest.approx(baseline_scores(data, "kmeans", "social", *asked), rel=1e-6)


def test_other_data_and_other_questions_have_no_answer():
    data = load_dataset("two-optima")
    assert known.known_vanilla(data, "kmeans", 2, 10, seed=1) is None
    assert known.known_vanilla(load_dataset("two-optima", seed=5), "kmeans", 2, 10, 0) is None
    assert known.known_baseline(data, "spectral", "balance", 2, 10, 0) is None
