"""Clusterings and costs of plugins: known in every process, and a broken one costs a line."""

import os
import subprocess
import sys

import pytest

import antidote_core as ac
from antidote_core import plugins
from antidote_core.clustering import CLUSTERINGS
from antidote_core.engine import JobState, Runner
from antidote_core.errors import SpecError
from antidote_core.fairness import FAIRNESS
from antidote_core.runs.kinds import SWEEP
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE

MODULE = """
import numpy as np
from sklearn.cluster import BisectingKMeans

import antidote_core as ac


def largest(counts, group_costs):
    return float(counts.sum(axis=1).max() / counts.sum())


ac.register_clustering(BisectingKMeans, name="bisecting", title="Bisecting", sentence="Halves.")
ac.register_fairness(ac.FairnessCost("largest", "Largest", "None is large.", statistic=largest))
"""
ASKED = {
    "clustering": "bisecting", "fairness": "largest", "optimizer": "random", "restarts": 2,
    "start_size": 4, "budget": 15, "max_rounds": 1,
}  # fmt: skip
OPTIONS = [f"--{key.replace('_', '-')}={value}" for key, value in ASKED.items()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the path of this and all further processes, without a trace afterwards."""
    before = [(register, dict(register)) for register in (CLUSTERINGS, FAIRNESS)]
    path = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_problems", {})
    yield tmp_path
    for register, entries in before:
        register.clear()
        register.update(entries)


@pytest.fixture
def plugin(folder, monkeypatch):
    name = "plugin_of_a_stranger"
    (folder / f"{name}.py").write_text(MODULE)
    monkeypatch.setenv(plugins.VARIABLE, name)
    yield name
    sys.modules.pop(name, None)


def command(*arguments):
    called = [sys.executable, "-m", "antidote_core", *arguments]
    return subprocess.run(called, capture_output=True, text=True, check=False)


def test_a_name_is_looked_for_among_the_plugins(plugin):
    assert "bisecting" not in CLUSTERINGS
    result = ac.run("blobs", **ASKED)
    assert result.spec["clustering"] == "bisecting"
    assert result.cost <= result.vanilla_cost


def test_runs_and_sweeps_of_the_engine_know_plugins(plugin, tmp_path):
    """A run in a process of its own, and a sweep, whose cells dask workers compute."""
    spec = ac.RunSpec("blobs", **ASKED)
    sweep = SweepSpec(
        "blobs", combinations=(("bisecting", "largest"),), optimizers=("random",), sizes=(2,),
        seeds=(0,), restarts=2, budget=10,
    )  # fmt: skip
    with Runner(tmp_path / "home") as runner:
        run_id, sweep_id = runner.submit(spec), runner.submit(sweep)
        assert runner.wait(run_id, 180).state is JobState.FINISHED
        assert runner.view(run_id).cost == ac.run(spec).cost
        assert runner.wait(sweep_id, 180).state is JobState.FINISHED
        view = runner.view(sweep_id, kind=SWEEP)
    assert view.workers >= 1
    assert [row.state for row in view.rows] == [DONE]


def test_the_command_line_knows_what_an_installed_package_brings(folder):
    """By an entry point, as pip writes it."""
    (folder / "installed_plugin.py").write_text(MODULE)
    info = folder / "strangers-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{plugins.GROUP}]\nmore = installed_plugin\n")
    called = command("run", "--dataset", "blobs", *OPTIONS)
    assert called.returncode in (0, 3), called.stderr
    assert "plain clustering" in called.stdout
    assert called.stderr == ""


def test_a_broken_plugin_is_one_line_and_all_else_works(plugin, folder, monkeypatch):
    (folder / "broken_plugin.py").write_text("raise RuntimeError('half\\nwritten')")
    monkeypatch.setenv(plugins.VARIABLE, f"broken_plugin, no_such_plugin, {plugin}")
    called = command("run", "--dataset", "blobs", *OPTIONS)
    assert called.returncode in (0, 3)
    assert called.stderr.splitlines() == [
        "antidote: The plugin 'broken_plugin' of ANTIDOTE_PLUGINS cannot be loaded (RuntimeError: "
        "half written); mend it or take it out.",
        "antidote: The plugin 'no_such_plugin' of ANTIDOTE_PLUGINS cannot be loaded "
        "(ModuleNotFoundError: No module named 'no_such_plugin'); install it, or put its folder on "
        "PYTHONPATH.",
    ]
    with pytest.warns(plugins.PluginWarning) as told, pytest.raises(SpecError) as unknown:
        ac.run("blobs", clustering="bisectin")
    assert len(told) == 2
    assert "did you mean 'bisecting'?" in str(unknown.value)
    assert "'no_such_plugin'" in str(unknown.value)


def test_own_entries_may_be_replaced_and_ours_may_not(folder):
    first = ac.FairnessCost("mine", "Mine", "First.", cost=lambda c, p, g: 1.0)
    second = ac.FairnessCost("mine", "Mine", "Second.", cost=lambda c, p, g: 2.0)
    ac.register_fairness(first)
    with pytest.raises(SpecError, match=r"'mine' exists already; choose .* replace=True"):
        ac.register_fairness(second)
    frames = [ac.sweep("blobs", fairness="mine", sizes=2, seeds=0, budget=2, restarts=1)]
    assert ac.register_fairness(second, replace=True) is FAIRNESS["mine"]
    frames.append(ac.sweep("blobs", fairness="mine", sizes=2, seeds=0, budget=2, restarts=1))
    assert [frame["vanilla_cost"].item() for frame in frames] == [1.0, 2.0]
    for register, name in ((ac.register_fairness, "balance"), (ac.register_clustering, "kmeans")):
        entry = FAIRNESS.get(name) or CLUSTERINGS[name]
        with pytest.raises(SpecError, match=f"{name!r} comes with the software"):
            register(entry, replace=True)
