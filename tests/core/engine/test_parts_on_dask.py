"""Parts on two real dask workers: the same answers as on one machine, also when a worker dies."""

import logging
import os
import shutil
import signal

import numpy as np
import pytest
from distributed import Client, LocalCluster

from antidote_core import Problem, load_dataset
from antidote_core.datasets.parts.folder import write_parts
from antidote_core.engine import RunError
from antidote_core.engine.sweep import parts_on_dask as module
from antidote_core.engine.sweep.parts_on_dask import DaskPartWorkers
from antidote_core.problem_in_parts import PartitionedProblem
from tests.core.clustering.test_kmeans_exact import random_antidotes


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    cluster = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
        local_directory=str(tmp_path_factory.mktemp("dask")),
    )
    with cluster, Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def creditcard(tmp_path_factory):
    data = load_dataset("creditcard")
    return data, write_parts(data, tmp_path_factory.mktemp("creditcard"), parts=4)


def test_two_workers_agree_with_one_machine_and_one_of_them_may_die(client, creditcard):
    data, parts = creditcard
    part_workers = DaskPartWorkers(parts, client)
    held = part_workers.call_all("memory")
    assert len(held) == 2
    assert min(held) > 0.9 * data.points.nbytes / 2  # both hold their half of the points
    parted = PartitionedProblem(parts, fairness="social", k=2, part_workers=part_workers)
    whole = Problem(data, fairness="social", k=2)
    assert np.array_equal(parted.vanilla.labels, whole.vanilla.labels)
    antidotes = list(random_antidotes(data.points, 3, seed=0))
    before = parted.evaluate_many(antidotes)
    for antidote, cost in zip(antidotes, before, strict=True):
        expected = whole.cluster(antidote)
        assert cost == pytest.approx(expected.cost, rel=1e-9)
        assert np.array_equal(parted.cluster(antidote).labels, expected.labels)

    workers = client.run(os.getpid)
    actors = list(part_workers._actors)
    os.kill(min(workers.values()), signal.SIGKILL)
    assert np.array_equal(parted.evaluate_many(antidotes), before)  # to the last bit
    assert any(now is not then for now, then in zip(part_workers._actors, actors, strict=True))


def test_more_workers_than_parts(client, tmp_path):
    data = load_dataset("blobs")
    parts = write_parts(data, tmp_path, parts=1)
    parted = PartitionedProblem(parts, part_workers=DaskPartWorkers(parts, client), restarts=2)
    assert parted.vanilla.cost == Problem(data, restarts=2).vanilla.cost


def test_a_folder_that_workers_do_not_see(client, tmp_path):
    parts = write_parts(load_dataset("blobs"), tmp_path / "parts", parts=2)
    shutil.rmtree(tmp_path / "parts")
    with pytest.raises(RunError, match=r"A worker finds no .*parts; put the parts into a folder"):
        DaskPartWorkers(parts, client)


def test_no_workers_is_a_sentence(creditcard, monkeypatch, tmp_path):
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.2)
    with (
        LocalCluster(
            n_workers=0,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            local_directory=str(tmp_path),
        ) as empty,
        Client(empty) as client,
        pytest.raises(RunError, match=r"at tcp://127.0.0.1:[0-9]+ has no workers; start at least"),
    ):
        DaskPartWorkers(creditcard[1], client)
