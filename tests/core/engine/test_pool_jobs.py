"""Sweeps on dask: lost workers, killed and resumed sweeps, failing cells, stopping."""

import dataclasses
import os
import signal
import socket
import subprocess
import sys

import pytest

from antidote_core import load_dataset, run
from antidote_core.engine import JobState, RunError, Runner
from antidote_core.engine.settings import worker_environment
from antidote_core.engine.sweep.worker_pool import GREET_SECONDS, PROBE_SECONDS, probe
from antidote_core.runs.kinds import RUN, SWEEP
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, RUNNING, STOPPED, WAITING
from tests.core.engine.runs import until, worker_pid

# k-median needs no compiled kernels, which keeps the start of a worker short.
SPEC = SweepSpec(
    "blobs",
    combinations=(("kmedian", "social"),),
    optimizers=("random",),
    sizes=(2, 4, 8),
    seeds=(0, 1),
    restarts=2,
    budget=20,
)
PATIENCE = 120.0
WORKER = "--host 127.0.0.1 --nthreads 1 --no-nanny --no-dashboard"


def dask(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments],
        env=worker_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


class DaskCluster:
    """A scheduler and workers, each a process of its own that can be killed."""

    def __init__(self, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.folder = folder
        self.address = f"tcp://127.0.0.1:{port}"
        self.scheduler = dask(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
        )
        self.workers = []
        until(self._listens, PATIENCE)

    def _listens(self):
        try:
            probe(self.address)
        except RunError:
            return False
        return True

    def add_worker(self):
        self.workers.append(
            dask("worker", self.address, *WORKER.split(), "--local-directory", str(self.folder))
        )

    def kill_worker(self):
        lost = self.workers.pop()
        lost.send_signal(signal.SIGKILL)
        lost.wait()

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    try:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def runner(tmp_path):
    with Runner(tmp_path / "home", slots=1) as runner:
        yield runner


def figures(view):
    """What a sweep found, without ids and times."""
    return [
        (row.setting, row.size, row.seed, row.state, row.cost, row.vanilla, row.checks, row.passed)
        for row in view.rows
    ]


@pytest.fixture(scope="module")
def expected():
    """Every cell computed here, one after the other: no dask, no engine."""
    return [(view.cost, view.verification.costs) for view in (run(c.spec) for c in SPEC.cells)]


def found(view):
    return [(row.cost, row.checks) for row in view.rows]


def test_a_lost_worker_changes_nothing(runner, cluster, expected, tmp_path):
    undisturbed = runner.submit(SPEC, scheduler=cluster.address, owner="ann")
    assert runner.wait(undisturbed, PATIENCE).state is JobState.FINISHED
    whole = runner.view(undisturbed, kind=SWEEP)
    assert whole.workers == 2
    assert whole.scheduler == cluster.address
    assert found(whole) == expected

    # A sweep may take longer than nobody looks at it.
    with Runner(tmp_path / "another", slots=1, idle_seconds=0.5) as other:
        disturbed = other.submit(SPEC, scheduler=cluster.address)

        def in_the_middle():
            view = other.view(disturbed, kind=SWEEP)
            return view.count(DONE) >= 1 and view.count(RUNNING) == 2

        until(in_the_middle, PATIENCE)
        cluster.kill_worker()
        assert other.wait(disturbed, PATIENCE).state is JobState.FINISHED
        assert figures(other.view(disturbed, kind=SWEEP)) == figures(whole)
        assert other.view(disturbed, kind=SWEEP).references == whole.references
    cluster.add_worker()


def test_a_killed_sweep_goes_on_where_it_was(runner, cluster, expected):
    sweep = runner.submit(SPEC, scheduler=cluster.address)
    until(lambda: runner.view(sweep, kind=SWEEP).count(DONE) >= 2, PATIENCE)
    os.kill(worker_pid(runner, sweep), signal.SIGKILL)
    assert runner.wait(sweep, PATIENCE).state is JobState.DEAD
    lost = runner.view(sweep, kind=SWEEP)
    kept = {row.index for row in lost.rows if row.done}
    assert lost.count(RUNNING) == 0
    assert runner.submit(SPEC, scheduler=cluster.address) == sweep  # the same goes on
    assert runner.wait(sweep, PATIENCE).state is JobState.FINISHED
    view = runner.view(sweep, kind=SWEEP)
    assert kept <= {row.index for row in view.rows if row.reused}
    assert not all(row.reused for row in view.rows)
    assert found(view) == expected


def test_stop_frees_the_workers_and_keeps_what_is_done(runner, cluster):
    endless = dataclasses.replace(SPEC, budget=10_000_000)
    sweep = runner.submit(endless, scheduler=cluster.address)
    until(lambda: runner.view(sweep, kind=SWEEP).count(RUNNING) == 2, PATIENCE)
    single = runner.submit(dataclasses.replace(SPEC.cells[0].spec, budget=5))
    assert runner.wait(single, PATIENCE).state is JobState.FINISHED  # the sweep is not in its way
    assert runner.status(sweep).live
    assert runner.stop(sweep)
    status = runner.wait(sweep, PATIENCE)
    assert (status.state, status.reason) == (JobState.STOPPED, "stopped by you")
    states = {row.state for row in runner.view(sweep, kind=SWEEP).rows}
    assert states == {STOPPED, WAITING}
    assert status.can_restart
    # The workers would be busy for hours if their cells had not ended.
    after = runner.submit(SPEC, scheduler=cluster.address)
    assert runner.wait(after, PATIENCE).state is JobState.FINISHED
    assert runner.view(after, kind=SWEEP).count(DONE) == len(SPEC.cells)


def test_a_cell_that_fails_says_why_and_does_not_sink_the_sweep(runner, cluster):
    spec = dataclasses.replace(SPEC, optimizers=("random", "design"), sizes=(2,))
    sweep = runner.submit(spec, scheduler=cluster.address)
    status = runner.wait(sweep, PATIENCE)
    assert status.state is JobState.FINISHED
    assert status.reason == "2 of 4 cells, 2 failed"
    assert (status.summary["done"], status.summary["failed"]) == (2, 2)
    for row in runner.view(sweep, kind=SWEEP).rows:
        assert row.state == (FAILED if row.setting.optimizer == "design" else DONE)
        assert ("k-means" in row.reason) == (row.state == FAILED)
    assert "Traceback" in runner.worker_log(sweep)
    assert status.can_restart is False
    runner.restart(sweep)  # a finished sweep may: the failed cells are tried again
    assert runner.wait(sweep, PATIENCE).reason == "2 of 4 cells, 2 failed"
    assert sum(row.reused for row in runner.view(sweep, kind=SWEEP).rows) == 2


def test_without_a_cluster_the_cores_of_this_machine_work(runner, monkeypatch):
    monkeypatch.delenv("ANTIDOTE_SCHEDULER", raising=False)
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(SPEC, dataset="mine", sizes=(2,), budget=20)
    sweep = runner.submit(spec, data, owner="ann")
    assert runner.wait(sweep, PATIENCE, "ann").state is JobState.FINISHED
    view = runner.view(sweep, "ann", SWEEP)
    assert view.workers >= 1
    assert view.scheduler == ""
    # Cells are runs: in Explore by their id, for their owner alone, not on the list of runs.
    assert runner.jobs("ann", RUN) == []
    assert [status.run_id for status in runner.jobs("ann", SWEEP)] == [sweep]
    for row, cell in zip(view.rows, spec.cells, strict=True):
        shown = runner.view(row.run, "ann")
        alone = run(cell.spec, data)
        assert shown.antidote.tolist() == alone.antidote.tolist()
        assert (shown.cost, shown.state, shown.closed) == (alone.cost, "finished", True)
        assert [r["name"] for r in shown.comparison] == ["vanilla", "antidote"]
        assert (row.price, row.smallest_share) == (shown.price, shown.smallest_share)
        assert row.kept == shown.verification.kept
        assert all({"price", "smallest_share"} <= set(r) for r in shown.comparison)
        assert runner.data(row.run, "ann").content_hash == data.content_hash
        with pytest.raises(RunError, match="opens only in the browser that started it"):
            runner.view(row.run, "eve")
    with pytest.raises(RunError, match="link of a sweep; open it on the page Frontier"):
        runner.view(sweep, "ann")
    with pytest.raises(RunError, match="link of a run; open it on the page Explore"):
        runner.view(view.rows[0].run, "ann", SWEEP)

    # Another target asks nothing new of the cells.
    other = runner.submit(dataclasses.replace(spec, target=1.0), data, owner="ann")
    assert runner.wait(other, PATIENCE, "ann").state is JobState.FINISHED
    reused = runner.view(other, "ann", SWEEP).rows
    assert all(row.reused for row in reused)
    assert [row.run for row in reused] == [row.run for row in view.rows]

    # The index is rebuilt from the folders, cells with their sweeps included.
    runner.store.rebuild()
    assert [status.run_id for status in runner.jobs("ann", SWEEP)] == [other, sweep]
    runner.delete(sweep, "ann")
    assert runner.view(view.rows[0].run, "ann").state == "finished"  # the other sweep has it too
    runner.delete(other, "ann")
    with pytest.raises(RunError, match="There is no run"):
        runner.view(view.rows[0].run, "ann")
    assert list((runner.store.home / "runs").iterdir()) == []


def test_a_bad_address_is_a_sentence_at_once(runner):
    assert PROBE_SECONDS + GREET_SECONDS < 10
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        for address, sentence in (
            (closed, "No dask scheduler can be reached at tcp://127.0.0.1"),
            ("tcp://nowhere.invalid:8786", "No dask scheduler can be reached"),
            ("localhost", "it must look like tcp://host:port"),
            ("tcp://localhost:port", "it must look like tcp://host:port"),
        ):
            with pytest.raises(RunError, match=sentence):
                runner.submit(SPEC, scheduler=address)
    assert runner.store.ids(JobState.QUEUED) == []


def test_the_variable_names_the_cluster(runner, monkeypatch):
    monkeypatch.setenv("ANTIDOTE_SCHEDULER", "tcp://127.0.0.1")
    with pytest.raises(RunError, match="must look like tcp"):
        runner.submit(SPEC)


def test_something_else_at_the_address_fails_within_seconds_and_runs_go_on(runner):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        sweep = runner.submit(SPEC, scheduler=address)
        status = runner.wait(sweep, PATIENCE)
        assert status.state is JobState.FAILED
        assert f"What answers at {address} is no dask scheduler" in status.reason
        view = runner.view(sweep, kind=SWEEP)
        assert view.seconds < 10
    quick = dataclasses.replace(SPEC.cells[0].spec, budget=5)
    assert runner.wait(runner.submit(quick), PATIENCE).state is JobState.FINISHED


def test_names_that_nobody_knows_are_refused_before_anything_starts(runner):
    with pytest.raises(ValueError, match="optimizer must be one of"):
        runner.submit(dataclasses.replace(SPEC, optimizers=("guess",)))
    with pytest.raises(RunError, match="with an owner, can be temporary"):
        runner.submit(SPEC, load_dataset("blobs"), temporary=True)
    assert runner.store.ids(JobState.QUEUED) == []
