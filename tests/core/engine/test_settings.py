"""What one run, one visitor and all runs together may take."""

import subprocess
import sys
import textwrap
import time

import pytest

from antidote_core.engine import JobState, RunError, Runner
from antidote_core.engine.settings import Limits
from tests.core.engine.runs import LONG, SMALL, other, until


def test_a_visitor_has_so_many_live_runs_and_others_go_on(tmp_path):
    with Runner(tmp_path, slots=0, limits=Limits(runs_per_visitor=2)) as runner:
        first = runner.submit(other(SMALL, 1), owner="ann")
        runner.submit(other(SMALL, 2), owner="ann")
        with pytest.raises(RunError, match=r"You have 2 runs that wait or work.*stop one"):
            runner.submit(other(SMALL, 3), owner="ann")
        assert runner.submit(other(SMALL, 1), owner="ann") == first  # known: nothing is added
        runner.submit(other(SMALL, 3), owner="bob")
        runner.stop(first, "ann")
        runner.submit(other(SMALL, 4), owner="ann")


def test_the_queue_has_an_end(tmp_path):
    with Runner(tmp_path, slots=0, limits=Limits(queue=2, runs_per_visitor=0)) as runner:
        runner.submit(other(SMALL, 1))
        runner.submit(other(SMALL, 2))
        with pytest.raises(RunError, match=r"2 runs are waiting already, and the limit here is 2"):
            runner.submit(other(SMALL, 3))


def test_some_disk_space_stays_free(tmp_path):
    with (
        Runner(tmp_path, slots=0, limits=Limits(free_gigabytes=1e9)) as runner,
        pytest.raises(RunError, match=r"MB of disk space are left.*ANTIDOTE_HOME"),
    ):
        runner.submit(SMALL)
    assert not list((tmp_path / "runs").iterdir())


def test_a_run_that_takes_too_long_is_stopped_with_its_best(tmp_path):
    with Runner(tmp_path, slots=1, limits=Limits(run_minutes=30)) as runner:
        run_id = runner.submit(LONG)
        until(lambda: runner.view(run_id).rounds >= 1, 120)
        runner.store._execute("UPDATE runs SET started = started - 3600")  # an hour goes by
        status = runner.wait(run_id, 120)
        assert status.state is JobState.STOPPED
        assert status.reason == "the run used its 30 minutes; the best V so far is kept"
        assert runner.view(run_id).rounds >= 1
        assert runner.view(run_id).size > 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can cap the memory of a process")
def test_memory_beyond_the_limit_is_an_error_of_the_run_not_of_the_machine():
    code = """
        import numpy as np
        from antidote_core.engine.settings import cap_memory
        cap_memory(1.0)
        np.ones(1 << 20)
        try:
            np.ones(1 << 28)
        except MemoryError:
            print("refused")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


@pytest.mark.parametrize("text", ["many", "-1", "inf", "nan"])
def test_a_limit_that_is_no_number(monkeypatch, text):
    monkeypatch.setenv("ANTIDOTE_QUEUE", text)
    with pytest.raises(RunError, match=r"ANTIDOTE_QUEUE is .*give a number, 0 for no limit"):
        Limits()


def test_processes_wait_for_runs_only_where_they_are_wanted(tmp_path):
    with Runner(tmp_path, slots=1, limits=Limits(spares=0)) as runner:
        runner.get_ready()
        runner._scheduler._keep_spares(time.monotonic())
        assert not runner._scheduler._spares
