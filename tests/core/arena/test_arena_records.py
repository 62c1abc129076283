"""One entry against definitions written out here, and what is kept against what ends the work."""

import math
import os
import signal

import numpy as np
import pytest
from sklearn.cluster import KMeans

import antidote_core as ac
from antidote_core.arena import (
    CellFiles,
    Entry,
    arena_methods,
    compute_entry,
    contest,
    entries,
    read_records,
    shipped_records,
    write_records,
)
from antidote_core.arena.records import load_entry_data
from antidote_core.baselines import RIVALS
from antidote_core.engine import Runner
from antidote_core.errors import DataError, SpecError
from antidote_core.fairness import FAIRNESS, FairnessCost, register_fairness
from antidote_core.runs.arena_spec import ArenaSpec
from antidote_core.runs.kinds import ARENA
from tests.core.engine.runs import until, worker_pid

BUNDLED = ("adult", "bank", "creditcard", "diabetes")  # which are here on every machine
SMALL = ArenaSpec(("blobs",), ks=(2,), methods=("plain", "bera"), notions=("balance",), seeds=(0,))


def worst_share(labels, groups):
    """Balance as it is defined: every cluster, every group, min(r, 1/r)."""
    found = []
    for cluster in np.unique(labels):
        for group in np.unique(groups):
            here = np.mean(groups[labels == cluster] == group)
            found.append(min(here / np.mean(groups == group), np.mean(groups == group) / here))
    return min(found)


def test_plain_clustering_is_that_of_scikit_learn():
    data = ac.load_dataset("blobs")
    record = compute_entry(Entry("blobs", 2, "plain", 0), data, ("balance", "social"))
    model = KMeans(2, n_init=10, random_state=0).fit(data.points)
    squared = ((data.points - model.cluster_centers_[model.labels_]) ** 2).sum(axis=1)
    assert record["own"]["balance"] == pytest.approx(-worst_share(model.labels_, data.groups))
    paid = [squared[data.groups == j].mean() for j in range(2)]
    assert record["own"]["social"] == pytest.approx(max(paid))
    assert record["price"] == 0.0
    assert record["moved"] == 0.0
    assert record["nearest"] == record["own"]


def test_a_fair_algorithm_is_measured_as_it_assigns_and_by_nearest_centre():
    data = ac.load_dataset("blobs")
    record = compute_entry(Entry("blobs", 2, "bera", 0), data, ("balance",))
    found = ac.baselines.bera(data.points, data.groups, 2, seed=0)
    assert record["own"]["balance"] == pytest.approx(-worst_share(found.labels, data.groups))
    nearest = np.argmin(((data.points[:, None] - found.centers[None]) ** 2).sum(axis=2), axis=1)
    assert record["nearest"]["balance"] == pytest.approx(-worst_share(nearest, data.groups))
    plain = KMeans(2, n_init=10, random_state=0).fit(data.points)
    paid = ((data.points - found.centers[found.labels]) ** 2).sum()
    assert record["price"] == pytest.approx(paid / plain.inertia_ - 1)
    same = max(np.mean(found.labels == plain.labels_), np.mean(found.labels != plain.labels_))
    assert record["moved"] == pytest.approx(1 - same)
    assert record["needs_groups"] is True


def test_antidote_data_are_those_of_a_run():
    data = ac.load_dataset("two-optima")
    record = compute_entry(Entry("two-optima", 2, "antidote:balance", 0), data, ("balance",))
    model = ac.run(
        data, fairness="balance", k=2, seed=0, target="lowest", max_size=40, optimizer="design"
    )
    fresh = KMeans(2, n_init=10, random_state=5).fit(data.points, sample_weight=model.sample_weight)
    assert record["size"] == model.size
    assert record["own"]["balance"] == pytest.approx(-worst_share(fresh.labels_, data.groups))
    assert record["changes"] == "data"
    assert record["needs_groups"] is False


def test_who_refuses_says_why():
    data = ac.load_dataset("blobs")
    weighted = ac.dataset_from_arrays(data.points, data.groups, sample_weight=np.full(data.n, 2.0))
    record = compute_entry(Entry("own", 2, "bera", 0), weighted, ("balance",))
    assert "takes no weights" in record["refused"]
    assert "own" not in record


def test_usual_methods_are_plain_all_fair_algorithms_and_ours():
    names = [method.name for method in arena_methods()]
    assert names[0] == "plain"
    assert set(RIVALS) <= set(names)
    assert {"antidote:balance", "antidote:social", "loop:balance", "loop:social"} <= set(names)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"methods": ("berra",)}, "no method named 'berra' .did you mean 'bera'"),
        ({"methods": ("antidote:balanse",)}, "did you mean 'balance'"),
        ({"notions": ("fame",)}, "fairness must be one of"),
    ],
)
def test_wrong_names_get_a_sentence(asked, words):
    with pytest.raises(SpecError, match=words):
        entries(ArenaSpec(("blobs",), **asked))


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"ks": (1,)}, "ks must be"),
        ({"seeds": ()}, "seeds must be a list"),
        ({"datasets": "bank"}, "datasets must be a list"),
        ({"datasets": ("bank", "mine")}, "ask for it alone"),
    ],
)
def test_wrong_settings_get_a_sentence(asked, words):
    with pytest.raises(SpecError, match=words):
        ArenaSpec(**asked)


def test_what_is_there_is_not_computed_again_and_a_new_notion_is(tmp_path, monkeypatch):
    first = list(contest(SMALL, tmp_path))
    assert len(list(tmp_path.glob("*.jsonl"))) == 2
    monkeypatch.setattr("antidote_core.arena.records.compute_entry", None)
    assert list(contest(SMALL, tmp_path)) == first
    monkeypatch.undo()
    wider = ArenaSpec(("blobs",), (2,), SMALL.methods, ("balance", "gap"), (0,))
    assert all(set(record["own"]) == {"balance", "gap"} for record in contest(wider, tmp_path))
    assert len(list(tmp_path.iterdir())) == 2


def test_stopped_in_the_middle_keeps_what_was_done(tmp_path):
    asked = iter((False, False, True))
    found = list(contest(SMALL, tmp_path, cancel=lambda: next(asked, True)))
    assert [record["method"] for record in found] == ["plain"]
    assert len(list(tmp_path.iterdir())) == 1
    assert len(list(contest(SMALL, tmp_path))) == 2


def test_a_damaged_file_is_computed_again(tmp_path):
    data = load_entry_data("blobs")
    [entry, _] = entries(SMALL)
    files = CellFiles(tmp_path)
    assert files.read(entry, data, ("balance",)) is None
    (tmp_path / f"{entry.id_on(data)}.jsonl").write_text('{"half')
    assert files.read(entry, data, ("balance",)) is None
    assert len(list(contest(SMALL, tmp_path))) == 2
    assert files.read(entry, data, ("balance",))["key"] == entry.key


def test_a_cost_that_somebody_registers_is_measured_without_a_further_line():
    entry = FairnessCost(
        "width", "Width", "Spread of the group costs.",
        statistic=lambda counts, costs: float(np.ptp(costs)),
    )  # fmt: skip
    register_fairness(entry)
    try:
        [record] = contest(ArenaSpec(("blobs",), (2,), ("plain",), seeds=(0,)))
        assert record["own"]["width"] == pytest.approx(record["own"]["gap"])
        assert arena_methods(["antidote:width"])[0].title == "Antidote data for width"
    finally:
        del FAIRNESS["width"]


def test_records_survive_the_file(tmp_path):
    records = list(contest(SMALL))
    write_records(tmp_path / "a.gz", records)
    write_records(tmp_path / "b.gz", records)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert list(read_records(tmp_path / "a.gz")) == records
    (tmp_path / "a.gz").write_bytes(b"no")
    with pytest.raises(DataError, match="cannot be read"):
        read_records(tmp_path / "a.gz")


def test_a_job_is_stopped_killed_and_resumed_and_loses_nothing(tmp_path, monkeypatch):
    """The second time only what is missing is computed; on one's own data files stay in the job."""
    monkeypatch.setenv("ANTIDOTE_PROCESSES", "1")
    data = ac.load_dataset("blobs")
    own = ac.dataset_from_arrays(data.points, data.groups, name="mine")
    spec = ArenaSpec(("mine",), (2,), ("plain", "fair_lloyd"), ("balance",), (0, 1, 2))
    with Runner(tmp_path) as runner:
        job = runner.submit(spec, own, "me")
        until(lambda: runner.view(job, "me", ARENA).rows, 120)
        os.kill(worker_pid(runner, job), signal.SIGKILL)
        assert runner.wait(job, 60, "me").state in ("dead", "failed")
        before = set(runner.view(job, "me", ARENA).rows)
        assert before
        assert runner.submit(spec, own, "me") == job
        assert runner.wait(job, 120, "me").state == "finished"
        view = runner.view(job, "me", ARENA)
        assert before <= view.known
        assert set(view.rows) == set(view.keys)
        assert len(list((runner.store.folder(job).path / "arena").glob("*.jsonl"))) == 6
        assert not (tmp_path / "arena").exists()
        assert not list((runner.store.folder(job).path / "arena").glob("*.part"))


def test_shipped_records_are_what_the_command_gives():
    """A sample, computed anew: plain and the quickest fair algorithm of the smallest data set."""
    found = [record for record in shipped_records() if record["dataset"] in BUNDLED]
    smallest = min(found, key=lambda record: record["n"])["dataset"]
    mine = [r for r in found if r["dataset"] == smallest and not r["refused"]]
    data = load_entry_data(smallest, mine[0]["n"])
    rivals = [r for r in mine if r["method"] in RIVALS]
    for record in (
        next(r for r in mine if r["method"] == "plain"),
        min(rivals, key=lambda record: record["seconds"]),
    ):
        entry = Entry(smallest, record["k"], record["method"], record["seed"])
        again = compute_entry(entry, data, tuple(record["own"]))
        assert again["data"] == record["data"]
        for scoring in ("own", "nearest"):
            assert again[scoring] == pytest.approx(record[scoring], rel=1e-6, abs=1e-9)
        assert again["price"] == pytest.approx(record["price"], abs=1e-9)


def test_shipped_records_are_whole():
    records = shipped_records()
    assert len({record["key"] for record in records}) == len(records)
    for record in records:
        assert record["versions"]["numpy"]
        assert record["date"]
        assert record["refused"] or all(
            value is None or math.isfinite(value) for value in record["own"].values()
        )
