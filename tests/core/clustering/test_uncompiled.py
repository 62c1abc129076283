"""What pages show before a run, computed without a compiler: the same as with one."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from antidote_core import Problem, load_dataset
from antidote_core.quality import silhouette

NO_COMPILER = """
import sys
sys.modules["numba"] = None  # any import of it is an error from here on
from antidote_core import load_dataset
from antidote_core.analysis.comparison import baseline_scores
from antidote_core.analysis.snapshots import vanilla_report
from antidote_core.teaching.lessons import LESSONS
from antidote_core.teaching.planar import tell_story
from antidote_core.teaching.playground import get_game

assert tell_story().steps[-1].balance.cost < -0.9
for lesson in LESSONS:
    lesson.show(lesson.default, False)
game = get_game("easy", "social")
assert game.score_to_beat < game.planar.vanilla.cost("social")
get_game("easy", "balance").algorithm_try
data = load_dataset("needs-distance")
for clustering in ("kmeans", "spectral"):
    vanilla_report(data, clustering, 3, 2, 1)
for fairness in ("balance", "social"):
    assert baseline_scores(data, "kmeans", fairness, 2, 2, 1)
"""


def test_pages_before_a_run_need_no_compiler():
    done = subprocess.run([sys.executable, "-c", NO_COMPILER], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("restarts", [1, 10])
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_clusterings_with_and_without_the_compiler(restarts, k, weighted):
    data = load_dataset("two-optima")
    rng = np.random.default_rng(k)
    if weighted:
        weights = rng.integers(1, 4, data.n).astype(float)
        data = replace(data, weights=weights)
    quick = Problem(data, "kmeans", "social", k, restarts, seed=3)
    plain = Problem(data, "kmeans", "social", k, restarts, seed=3, compiled=False)
    assert (quick.vanilla.labels == plain.vanilla.labels).all()
    for size in (0, 1, 5, 40):
        far = rng.choice([1.0, 3.0, 30.0])  # far away, points take a centre or empty a cluster
        antidote = rng.normal(size=(size, 2)) * far
        first, second = quick.cluster(antidote), plain.cluster(antidote)
        assert (first.labels == second.labels).all()
        assert second.centers == pytest.approx(first.centers, rel=1e-9, abs=1e-12)
        assert second.cost == pytest.approx(first.cost, rel=1e-12)
        assert second.objective == pytest.approx(first.objective, rel=1e-12)
        assert plain.rank(antidote) == pytest.approx(quick.rank(antidote), rel=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_same_silhouette_with_and_without_the_compiler(weighted):
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(1200, 3)), rng.integers(0, 4, 1200)
    weights = rng.integers(1, 5, 1200).astype(float) if weighted else None
    plain = silhouette(points, labels, weights, compiled=False)
    assert plain == pytest.approx(silhouette(points, labels, weights), rel=1e-9)
