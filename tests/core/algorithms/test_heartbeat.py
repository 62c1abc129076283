"""Work in a thread with signs of life; k-means start by start."""

import threading

import numpy as np
import pytest
from sklearn.cluster import KMeans

from antidote_core.algorithms.steps import with_heartbeat
from antidote_core.clustering import kmeans


def test_silence_is_filled_and_nothing_is_lost():
    go_on = threading.Event()

    def work(left):
        yield "first"
        assert go_on.wait(60)
        yield "second"

    heard = []
    for item in with_heartbeat(work, every=0.01):
        heard.append(item)
        if heard.count(None) == 3:
            go_on.set()
    assert [item for item in heard if item is not None] == ["first", "second"]
    assert heard.count(None) >= 3
    assert heard[0] == "first" or heard[0] is None


def test_errors_of_the_work_reach_the_listener():
    def work(left):
        yield 1
        raise ValueError("broken")

    listening = iter(with_heartbeat(work, every=60.0))
    assert next(listening) == 1
    with pytest.raises(ValueError, match="broken"):
        next(listening)


def test_work_ends_when_nobody_listens():
    ended = threading.Event()

    def work(left):
        try:
            while not left():
                yield "more"
        finally:
            ended.set()

    listening = iter(with_heartbeat(work, every=60.0))
    assert next(listening) == "more"
    listening.close()
    assert ended.is_set()


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("quick", [0, 10_000])
def test_starts_one_by_one_are_what_scikit_learn_gives(seed, k, quick, monkeypatch):
    monkeypatch.setattr(kmeans, "QUICK_NUMBERS", quick)
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(300, 4)) + 3.0 * rng.integers(0, 3, size=(300, 1))
    fits = list(kmeans.fit_kmeans_by_starts(points, k, 10, seed))
    expected = KMeans(k, n_init=10, random_state=seed).fit(points)
    assert len(fits) == (1 if quick else 10)
    assert np.array_equal(fits[-1].centers, expected.cluster_centers_)
    assert np.array_equal(fits[-1].labels, expected.labels_)
    assert fits[-1].objective == expected.inertia_
    objectives = [fit.objective for fit in fits]
    assert objectives == sorted(objectives, reverse=True)
