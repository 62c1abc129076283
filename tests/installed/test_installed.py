"""The package as pip installs it, without extras: what a stranger tries first.

Nothing of the repository is imported, so that `.ci/matrix` can run this file elsewhere, under other
versions of Python.
"""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.cluster import BisectingKMeans, KMeans

import antidote_core as ac
from antidote_core.clustering import CLUSTERINGS

QUICK = {"start_size": 4, "step": 4, "budget": 40, "restarts": 3, "target": -0.9}


def test_a_run_on_arrays_is_confirmed_and_its_weights_do_the_same_in_scikit_learn():
    data = ac.load_dataset("two-optima")
    result = ac.run(data.points, sensitive_features=data.groups, standardise=False, **QUICK)
    assert result.verdict.outcome == "confirmed"
    model = KMeans(2, n_init=10, random_state=0)
    model.fit(data.points, sample_weight=result.sample_weight)
    cost = ac.balance_cost(model.cluster_centers_, data.points, data.groups)
    assert cost == pytest.approx(result.cost)
    assert cost <= -0.9 < result.vanilla_cost


def test_the_estimator_fits_and_predicts():
    data = ac.load_dataset("two-optima")
    model = ac.AntidoteKMeans(2, target=-0.9, budget=40)
    model.fit(data.points, sensitive_features=data.groups)
    assert model.cost_ <= -0.9 < model.vanilla_cost_
    assert np.array_equal(model.predict(data.points), model.labels_)


def test_the_command_line_writes_events_and_files(tmp_path):
    asked = "run --dataset two-optima --start-size 4 --step 4 --budget 40 --target=-0.9"
    command = [sys.executable, "-m", "antidote_core", *asked.split(), "--json", "--out"]
    called = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert called.returncode == 0, called.stderr
    lines = [json.loads(line) for line in called.stdout.splitlines()]
    assert (lines[0]["kind"], lines[-1]["kind"]) == ("started", "result")
    assert (tmp_path / "weights.csv").exists()


@pytest.mark.parametrize("clustering", list(CLUSTERINGS))
def test_every_clustering_clusters(clustering):
    problem = ac.Problem(ac.load_dataset("blobs"), clustering=clustering, restarts=3)
    assert problem.evaluate(problem.points[:0]) == problem.vanilla.cost
    assert len(set(problem.vanilla.labels.tolist())) == 2


def test_a_clusterer_of_scikit_learn_is_taken_as_it_is():
    problem = ac.Problem(ac.load_dataset("blobs"), clustering=BisectingKMeans, restarts=3)
    plain = BisectingKMeans(2, n_init=3, random_state=0).fit(problem.points)
    assert np.array_equal(problem.vanilla.labels, plain.labels_)
