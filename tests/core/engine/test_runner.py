"""Runs as a whole: processes, queue, stop, death of worker and server, recovery, idle runs."""

import contextlib
import dataclasses
import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import weakref

import pytest

from antidote_core import load_dataset
from antidote_core.algorithms.algorithm2.grow import run
from antidote_core.engine import JobState, RunError, Runner
from antidote_core.engine.job_folder import read_log
from antidote_core.engine.settings import (
    LEASE_SECONDS,
    LOOK_SECONDS,
    default_slots,
    worker_environment,
)
from antidote_core.runs.kinds import RUN
from antidote_core.runs.spec import RunSpec
from tests.core.engine.runs import LONG, SMALL, other, plain, until, worker_pid, workers_under

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")


@pytest.fixture
def home(tmp_path):
    """A home folder that must be without processes when the test is over."""
    yield tmp_path
    until(lambda: not workers_under(tmp_path), 60)


@pytest.fixture
def runner(home):
    with Runner(home, slots=1) as runner:
        yield runner


def has_round(runner, run_id):
    return lambda: runner.view(run_id).rounds >= 1


def test_a_run_to_its_end_is_the_run_in_process_and_is_replayed_at_once(runner, home):
    spec = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=2, seed=1)
    run_id = runner.submit(spec, owner="ann")
    status = runner.wait(run_id, 60)
    view = runner.view(run_id)
    assert status.state is JobState.FINISHED
    assert view.closed
    assert plain(view) == plain(run(spec))
    assert view.reached
    assert status.summary["cost"] == view.cost
    assert status.summary["size"] == view.size
    assert status.started < status.ended
    assert status.message == "Finished: target reached."

    again = runner.submit(spec, owner="bob")
    assert again == run_id
    assert runner.status(again).state is JobState.FINISHED
    assert plain(runner.view(again)) == plain(view)
    assert not workers_under(home)  # nothing is computed again

    events, offset = runner.events(run_id)
    assert [e.kind for e in events[:2]] == ["queued", "stage"]
    assert runner.events(run_id, offset) == ([], offset)
    assert runner.data(run_id).content_hash == load_dataset("blobs").content_hash


def test_stop_keeps_the_best_so_far(runner):
    run_id = runner.submit(LONG)
    until(has_round(runner, run_id))
    assert runner.stop(run_id)
    status = runner.wait(run_id, 20)
    view = runner.view(run_id)
    assert status.state is JobState.STOPPED
    assert (view.state, view.reason) == ("stopped", "stopped by you")
    assert view.size >= 2
    assert view.cost < view.vanilla_cost
    assert view.cost == min(r.cost for r in view.history)
    assert runner.stop(run_id)  # once more does no harm
    assert runner.status(run_id).state is JobState.STOPPED


def test_a_worker_that_does_not_listen_is_ended_and_the_best_is_kept(runner):
    run_id = runner.submit(LONG)
    until(has_round(runner, run_id))
    os.kill(worker_pid(runner, run_id), signal.SIGSTOP)  # deaf to the stop file and to TERM
    best = runner.view(run_id).cost
    runner.stop(run_id)
    status = runner.wait(run_id, 15)
    view = runner.view(run_id)
    assert (status.state, status.reason) == (JobState.STOPPED, "stopped by you")
    assert view.cost <= best < view.vanilla_cost
    assert status.summary["size"] == view.size > 0


def test_a_killed_worker_is_reported_within_5_seconds_and_restarts_to_the_same_result(runner):
    """Killed at three random moments, from the first library to the last round."""
    spec = dataclasses.replace(SMALL, max_rounds=12, max_stalled=None)
    expected = plain(run(spec))
    moments = random.Random(5)
    run_id = runner.submit(spec)
    for _ in range(3):
        pid = worker_pid(runner, run_id)
        time.sleep(moments.uniform(0.0, 2.5))
        if not runner.status(run_id).live:
            break
        with contextlib.suppress(ProcessLookupError):  # it came to its end in this very moment
            os.kill(pid, signal.SIGKILL)
        noticed = until(lambda: not runner.status(run_id).live, 5)
        assert noticed < 5
        status, view = runner.status(run_id), runner.view(run_id)
        if status.state is JobState.FINISHED:  # the kill came after its last line
            break
        assert status.state is JobState.DEAD
        assert (view.state, view.closed) == ("dead", True)
        assert "signal 9" in status.reason
        assert status.can_restart
        assert runner.restart(run_id) == run_id
        assert runner.status(run_id).live
    assert runner.wait(run_id, 60).state is JobState.FINISHED
    assert plain(runner.view(run_id)) == expected


def test_queue_with_one_slot(runner):
    ids = [runner.submit(other(LONG, seed), owner="ann") for seed in range(3)]
    until(lambda: runner.status(ids[0]).state is JobState.RUNNING)
    assert [runner.status(i).position for i in ids] == [0, 1, 2]
    assert runner.view(ids[2]).state == "queued"
    assert runner.submit(other(LONG, 2), owner="bob") == ids[2]  # joined where it stands
    runner.stop(ids[1])
    assert runner.status(ids[1]).state is JobState.STOPPED
    assert runner.view(ids[1]).closed
    assert runner.status(ids[2]).position == 1
    until(has_round(runner, ids[0]))
    assert runner.status(ids[2]).state is JobState.QUEUED
    runner.stop(ids[0])
    until(has_round(runner, ids[2]))
    assert len(runner._scheduler._workers) == 1
    assert not runner.stop(ids[2], owner="ann")  # bob has just joined it
    assert runner.status(ids[2]).state is JobState.RUNNING
    assert [s.run_id for s in runner.jobs("ann", RUN)] == ids[::-1]
    assert [s.run_id for s in runner.jobs("bob", RUN)] == [ids[2]]


def test_a_failed_run_says_why_and_keeps_its_log(runner):
    run_id = runner.submit(dataclasses.replace(SMALL, optimizer="magic"))
    status = runner.wait(run_id, 60)
    assert status.state is JobState.FAILED
    assert "optimizer must be one of" in status.message
    assert "Traceback" in runner.worker_log(run_id)


def test_an_upload_runs_on_its_own_rows(runner):
    blobs = load_dataset("blobs")
    data = dataclasses.replace(
        blobs, name="mine", points=blobs.points[::2].copy(), groups=blobs.groups[::2].copy()
    )
    spec = dataclasses.replace(SMALL, dataset="mine")
    run_id = runner.submit(spec, data=data, owner="ann")
    assert runner.wait(run_id, 60, "ann").state is JobState.FINISHED
    assert plain(runner.view(run_id, "ann")) == plain(run(spec, data))
    assert runner.status(run_id, "ann").private
    assert runner.data(run_id, "ann").content_hash == data.content_hash
    for owner in ("bob", "", None):
        for ask in (
            lambda: runner.status(run_id, owner),  # noqa: B023
            lambda: runner.view(run_id, owner),  # noqa: B023
            lambda: runner.events(run_id, owner=owner),  # noqa: B023
            lambda: runner.data(run_id, owner),  # noqa: B023
            lambda: runner.worker_log(run_id, owner=owner),  # noqa: B023
            lambda: runner.layouts(run_id, owner),  # noqa: B023
            lambda: runner.stop(run_id, owner),  # noqa: B023
            lambda: runner.restart(run_id, owner),  # noqa: B023
        ):
            with pytest.raises(RunError, match="only in the browser that started it"):
                ask()


def test_a_temporary_run_goes_with_its_owner_even_while_it_works(runner, home):
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(LONG, dataset="mine")
    kept = runner.submit(dataclasses.replace(SMALL, dataset="mine"), data, "ann")
    run_id = runner.submit(spec, data, "ann", temporary=True)
    worker_pid(runner, run_id)
    assert runner.forget("bob") == 0
    assert runner.forget("ann", "other") == 0
    assert runner.forget("ann", "mine") == 1
    with pytest.raises(RunError, match="There is no run"):
        runner.view(run_id, "ann")
    until(lambda: not any(run_id in command for command in workers_under(home)))
    assert [path.name for path in (home / "runs").iterdir()] == [kept]
    later = runner.submit(SMALL)  # the place of the removed run is free again
    assert runner.wait(later, 60).state is JobState.FINISHED


def test_a_temporary_run_is_removed_when_nobody_renews_it(runner, home):
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(SMALL, dataset="mine")
    ids = [runner.submit(other(spec, n), data, f"owner {n}", temporary=True) for n in range(2)]
    for n, run_id in enumerate(ids):
        runner.wait(run_id, 60, f"owner {n}")
        lease = home / "runs" / run_id / "lease"
        os.utime(lease, (time.time() - LEASE_SECONDS + 90,) * 2)
    runner.renew("owner 0")
    assert runner.store.expired(LEASE_SECONDS - 100) == [ids[1]]
    os.utime(home / "runs" / ids[1] / "lease", (0, 0))
    until(lambda: [path.name for path in (home / "runs").iterdir()] == [ids[0]])
    assert runner.view(ids[0], "owner 0").rounds
    with pytest.raises(RunError, match="data of one's own"):
        runner.submit(SMALL, owner="ann", temporary=True)


def test_a_damaged_run_does_not_keep_the_others_of_its_owner_from_being_renewed(runner, home):
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(SMALL, dataset="mine")
    ids = [runner.submit(other(spec, n), data, "ann", temporary=True) for n in range(3)]
    for run_id in ids:
        runner.wait(run_id, 60, "ann")
        os.utime(home / "runs" / run_id / "lease", (time.time() - LEASE_SECONDS + 90,) * 2)
    (home / "runs" / ids[1] / "events.jsonl").unlink()
    runner.renew("ann")
    assert runner.store.expired(LEASE_SECONDS - 100) == []


def test_views_of_removed_runs_are_let_go(runner, home):
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(SMALL, dataset="mine")
    run_id = runner.submit(spec, data, "ann", temporary=True)
    runner.wait(run_id, 60, "ann")
    view = weakref.ref(runner.view(run_id, "ann"))
    os.utime(home / "runs" / run_id / "lease", (0, 0))  # long ago: the owner is gone
    until(lambda: not (home / "runs" / run_id).exists())
    runner.drop_removed()
    gc.collect()
    assert view() is None


def test_a_run_that_nobody_looks_at_is_stopped_and_says_so(home):
    with Runner(home, slots=2, idle_seconds=3) as runner:
        watched, forgotten = runner.submit(LONG, owner="ann"), runner.submit(other(LONG, 2))

        def looked_at_both():
            runner.touch(watched, "ann")
            runner.touch(forgotten)
            return runner.view(forgotten).rounds >= 1

        until(looked_at_both)
        until(lambda: runner.touch(watched, "ann") or not runner.status(forgotten).live)
        assert runner.status(forgotten).state is JobState.STOPPED
        assert "nobody looked" in runner.view(forgotten).reason
        assert runner.view(forgotten).size > 0
        assert runner.status(watched).state is JobState.RUNNING


@pytest.mark.parametrize("hours", [30, -30])
def test_a_clock_that_jumps_stops_and_removes_nothing(runner, home, monkeypatch, hours):
    data = dataclasses.replace(load_dataset("blobs"), name="mine")
    spec = dataclasses.replace(LONG, dataset="mine")
    run_id = runner.submit(spec, data, "ann", temporary=True)
    until(lambda: runner.view(run_id, "ann").rounds >= 1)
    real, lease = time.time, home / "runs" / run_id / "lease"
    renewed = lease.stat().st_mtime
    monkeypatch.setattr(time, "time", lambda: real() + 3600 * hours)
    until(lambda: lease.stat().st_mtime == pytest.approx(renewed + 3600 * hours, abs=5))
    rounds = runner.view(run_id, "ann").rounds
    time.sleep(2 * LOOK_SECONDS)  # time for the looks at what is idle, late or without its owner
    until(lambda: runner.view(run_id, "ann").rounds > rounds)
    status = runner.status(run_id, "ann")
    assert status.state is JobState.RUNNING
    assert abs(time.time() - status.started) < 60
    assert runner.store.watchers(run_id, "bob", 60) == 1


def test_a_folder_that_vanishes_is_a_sentence_and_frees_its_slot(runner):
    run_id = runner.submit(LONG)
    until(has_round(runner, run_id))
    folder = runner.store.folder(run_id).path
    folder.rename(folder.with_name("elsewhere"))
    for ask in (runner.view, runner.events, runner.data, runner.worker_log, runner.stop):
        if runner.status(run_id).live or ask != runner.stop:
            with pytest.raises(RunError, match=r"folder of run .* cannot be"):
                ask(run_id)
    status = runner.wait(run_id, 5)
    assert status.state is JobState.DEAD
    assert "folder" in status.reason
    with pytest.raises(RunError, match="its log is missing"):
        runner.restart(run_id)
    until(lambda: not runner._scheduler._workers, 5)


def test_a_log_that_cannot_be_written_is_a_sentence(home):
    with Runner(home, slots=0) as runner:
        run_id = runner.submit(SMALL)
        events = runner.store.folder(run_id).events
        events.unlink()
        events.mkdir()
    with Runner(home, slots=1) as runner:
        status = runner.wait(run_id, 5)
        assert not status.live
        assert "folder of the run cannot be used" in status.reason
        with pytest.raises(RunError):
            runner.view(run_id)


def test_only_one_runner_schedules_and_the_other_takes_over(home):
    first = Runner(home, slots=1)
    second = Runner(home, slots=1)
    assert (first._scheduler._lock.held, second._scheduler._lock.held) == (True, False)
    run_id = second.submit(LONG)  # asked of one, worked on by the other
    until(has_round(second, run_id))
    assert run_id in first._scheduler._workers
    assert not second._scheduler._workers
    first.close()
    assert second.status(run_id).state is JobState.DEAD
    assert "server ended" in second.status(run_id).message
    until(lambda: second._scheduler._lock.held, 5)
    second.restart(run_id)
    until(has_round(second, run_id))
    second.stop(run_id)
    assert second.wait(run_id, 20).state is JobState.STOPPED
    second.close()


SERVER = textwrap.dedent(
    """
    import sys, time
    from antidote_core.engine import Runner
    from antidote_core.runs.spec import RunSpec
    runner = Runner(sys.argv[1], slots=1)
    for text in sys.argv[2:]:
        print(runner.submit(RunSpec.from_json(text)), flush=True)
    time.sleep(600)
    """
)


def test_workers_die_with_a_killed_server_and_a_new_one_recovers(home):
    specs = [dataclasses.replace(SMALL, max_rounds=400), other(SMALL, 3)]
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(home), *(spec.to_json() for spec in specs)],
        stdout=subprocess.PIPE,
        text=True,
        env=worker_environment(),
    )
    working, waiting = (server.stdout.readline().strip() for _ in range(2))
    log = home / "runs" / working / "events.jsonl"
    until(lambda: any(e.kind == "round" for e in read_log(log)[0]))
    assert len(workers_under(home)) == 1
    server.kill()
    server.wait()
    server.stdout.close()
    assert until(lambda: not workers_under(home), 5) < 5

    with Runner(home, slots=1) as runner:
        until(lambda: not runner.status(working).live, 5)
        status, view = runner.status(working), runner.view(working)
        assert status.state is JobState.DEAD
        assert "server ended" in status.message
        assert view.rounds >= 1  # what was found is still there
        assert runner.wait(waiting, 60).state is JobState.FINISHED  # its turn came after all
        runner.restart(working)
        until(has_round(runner, working))
        assert runner.view(working).history[0].cost == view.history[0].cost


def test_there_is_always_a_slot():
    assert 1 <= default_slots() <= max(1, (os.cpu_count() or 1))


@pytest.mark.parametrize("bad", ["../../etc/passwd", "", "x" * 500])
def test_bad_ids_are_refused(runner, bad):
    for ask in (runner.status, runner.view, runner.events, runner.stop, runner.restart,
                runner.touch, runner.data, runner.worker_log, runner.wait):  # fmt: skip
        with pytest.raises(RunError, match="is not the id of a run"):
            ask(bad)


@pytest.fixture
def spare(runner):
    """The process in wait for a run."""
    runner.get_ready()
    until(lambda: runner._scheduler._spares)
    return runner._scheduler._spares[0]


def test_a_run_gets_the_process_that_waits_for_it_and_the_same_result(runner, spare):
    run_id = runner.submit(SMALL)
    assert worker_pid(runner, run_id) == spare.pid
    assert runner.wait(run_id, 60).state is JobState.FINISHED
    assert plain(runner.view(run_id)) == plain(run(SMALL))
    until(lambda: runner._scheduler._spares)
    assert runner._scheduler._spares[0].pid != spare.pid


def test_a_process_in_wait_prints_into_the_log_of_its_run(runner, spare):
    run_id = runner.submit(dataclasses.replace(SMALL, clustering="atlantis"))
    assert worker_pid(runner, run_id) == spare.pid
    assert runner.wait(run_id, 60).state is JobState.FAILED
    assert "Traceback" in runner.worker_log(run_id)


def test_while_all_slots_work_nobody_waits_and_stop_works_as_ever(runner, spare):
    run_id = runner.submit(LONG)
    until(has_round(runner, run_id))
    assert not runner._scheduler._spares
    runner.stop(run_id)
    assert runner.wait(run_id, 30).state is JobState.STOPPED


def test_a_process_in_wait_that_is_killed_is_not_missed(runner, spare, caplog):
    spare.kill()
    spare.wait()
    run_id = runner.submit(SMALL)
    assert runner.wait(run_id, 60).state is JobState.FINISHED


def test_processes_in_wait_go_when_nobody_has_been_there_for_long(runner, spare):
    runner._scheduler._ready_until = time.monotonic()
    until(lambda: spare.poll() is not None)
    assert not runner._scheduler._spares


def test_processes_in_wait_go_with_the_runner(runner, spare):
    runner.close()
    assert spare.poll() is not None


def test_without_visitors_no_process_waits(runner):
    run_id = runner.submit(SMALL)
    assert runner.wait(run_id, 60).state is JobState.FINISHED
    assert not runner._scheduler._spares
