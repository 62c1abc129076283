"""The worker: stages, errors as sentences, the stop sign, the lifeline."""

import dataclasses
import errno
import io
import subprocess
import sys
import threading

import pytest

from antidote_core.algorithms.algorithm2.grow import run
from antidote_core.clustering import compiled
from antidote_core.engine import job_folder as folder_module
from antidote_core.engine import work as work_module
from antidote_core.engine.job_folder import Follower, Lock, RunFolder, is_held, read_log
from antidote_core.engine.process import worker
from antidote_core.engine.process.scheduler import _how_it_ended
from antidote_core.engine.settings import DISK_FULL, worker_environment
from antidote_core.errors import SolverError
from antidote_core.runs.events import Activity, Compared
from antidote_core.runs.view import RunView
from tests.core.engine.runs import LONG, SMALL, plain, until


@pytest.fixture
def folder(tmp_path):
    folder = RunFolder(tmp_path / "run")
    folder.create(SMALL, None)
    return folder


def work(folder):
    code = worker.main([str(folder.path)])
    return code, Follower(folder.events, RunView()).view()


def kinds(folder):
    return [event.kind for event in read_log(folder.events)[0]]


def test_the_log_of_a_run_is_the_run(folder):
    code, view = work(folder)
    assert code == worker.DONE
    assert view.closed
    assert plain(view) == plain(run(SMALL))
    written = kinds(folder)
    assert written[-1] == "closed"
    assert set(written[written.index("finished") + 1 : -1]) == {"stage", "comparison"}
    finished = next(e for e in read_log(folder.events)[0] if e.kind == "finished")
    assert view.seconds == finished.seconds  # the comparison has seconds of its own
    assert [row["name"] for row in view.comparison] == ["vanilla", "antidote"]
    assert all(row["seconds"] > 0 for row in view.comparison)
    assert view.comparison[1]["social"] == pytest.approx(view.cost)


def test_a_bad_spec_fails_with_its_sentence(folder):
    folder.spec.write_text('{"dataset": "atlantis"}')
    code, view = work(folder)
    assert code == worker.FAILED
    assert view.state == "failed"
    assert "atlantis" in view.reason
    assert view.closed


def test_an_unexpected_error_fails_with_a_sentence_and_a_traceback(folder, monkeypatch, capsys):
    def broken(spec, data, cancel):
        yield Activity(text="soon")
        raise ZeroDivisionError("the details")

    monkeypatch.setattr(work_module, "grow", broken)
    code, view = work(folder)
    assert code == worker.FAILED
    assert view.reason == (
        "Something unexpected went wrong (ZeroDivisionError); the log of the worker has the "
        "details."
    )
    assert "the details" in capsys.readouterr().err


def test_lack_of_memory_is_said(folder, monkeypatch):
    def hungry(spec, data, cancel):
        raise MemoryError
        yield

    monkeypatch.setattr(work_module, "grow", hungry)
    assert "memory" in work(folder)[1].reason


def test_a_full_disk_is_said_by_the_exit_code(folder, monkeypatch):
    def full(log, event):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(worker.LogWriter, "append", full)
    assert worker.main([str(folder.path)]) == DISK_FULL
    assert "the disk was full" in _how_it_ended(DISK_FULL)
    assert not is_held(folder.lock)


def test_the_comparison_comes_after_the_verdict_and_may_fail(folder, monkeypatch):
    def broken(spec, data, view, cancel):
        assert view.state == "finished"
        yield Activity(text="comparing")
        yield Compared(row={"rows": data.n, "cost": view.cost})
        raise SolverError("The solver gave up; choose fewer rows.")

    monkeypatch.setattr(work_module, "comparison_events", broken)
    code, view = work(folder)
    assert code == worker.DONE
    assert view.state == "finished"
    assert view.notes[-1] == "The solver gave up; choose fewer rows."
    assert kinds(folder)[-5:] == ["finished", "stage", "comparison", "note", "closed"]
    seconds = [
        e.seconds for e in read_log(folder.events)[0] if e.kind in ("finished", "comparison")
    ]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0


def test_a_stop_in_the_comparison_means_the_run_is_not_finished(folder, monkeypatch):
    def slow(spec, data, view, cancel):
        folder.ask_to_stop("stopped by you")
        until(cancel)
        return
        yield

    monkeypatch.setattr(work_module, "comparison_events", slow)
    _, view = work(folder)
    assert view.state == "stopped"
    assert view.verification is not None
    assert view.size > 0


def test_a_stop_sign_from_before_the_start_ends_the_run_at_once(folder):
    folder.ask_to_stop("nobody looked")
    folder.ask_to_stop("a second reason")
    code, view = work(folder)
    assert code == worker.DONE
    assert (view.state, view.reason, view.rounds) == ("stopped", "nobody looked", 0)


def test_the_stop_sign_is_looked_up_rarely_and_stays(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(folder_module.time, "monotonic", lambda: now[0])
    sign = folder_module.StopSign(tmp_path / "stop")
    assert not sign()
    (tmp_path / "stop").write_text("enough")
    assert not sign()
    now[0] += folder_module.CANCEL_SECONDS
    assert sign()
    (tmp_path / "stop").unlink()
    now[0] += 1
    assert sign()


def test_two_workers_never_write_one_log(folder, capsys):
    lock = Lock(folder.lock)
    assert lock.acquire()
    assert worker.main([str(folder.path)]) == worker.TAKEN
    assert "already working" in capsys.readouterr().err
    assert not folder.events.exists()
    lock.release()


def test_a_worker_ends_when_the_pipe_from_its_server_ends(tmp_path):
    """The way that works on every platform; the parent of this worker lives on."""
    folder = RunFolder(tmp_path / "run")
    folder.create(LONG, None)
    code = "import os, sys; from antidote_core.engine.process import worker; "
    code += "worker.main([sys.argv[1], '--server', str(os.getppid())])"
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)],
        stdin=subprocess.PIPE,
        env=worker_environment(),
    )
    until(lambda: folder.events.exists() and b'"round"' in folder.events.read_bytes())
    process.stdin.close()
    assert process.wait(5) == 1
    assert not Follower(folder.events, RunView()).view().closed


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells only on Linux")
def test_a_worker_whose_server_is_gone_before_it_begins_writes_nothing(folder):
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "antidote_core.engine.process.worker",
            str(folder.path),
            "--server",
            "1",
        ],
        stdin=subprocess.PIPE,
        env=worker_environment(),
    )
    assert process.wait(60) == 1
    process.stdin.close()
    assert not folder.events.exists()


def test_the_compiler_is_noticed_once_and_only_if_it_works(monkeypatch):
    numba = pytest.importorskip("numba")

    def compile_twice(weighted):
        numba.njit(lambda x: x + 1)(1)
        numba.njit(lambda x: x + 2)(1)

    said = []
    monkeypatch.setattr(compiled, "warm_runs", compile_twice)
    compiled.prepare(lambda: said.append("compiling"))
    assert said == ["compiling"]
    monkeypatch.setattr(compiled, "warm_runs", lambda weighted: None)
    compiled.prepare(lambda: said.append("again"))
    assert said == ["compiling"]


def test_a_machine_that_must_compile_says_so(folder, monkeypatch):
    folder.spec.write_text(dataclasses.replace(SMALL, clustering="kmeans").to_json())
    folder.ask_to_stop("that is enough")
    monkeypatch.setattr(compiled, "prepare", lambda on_compile, weighted: on_compile())
    monkeypatch.setattr(work_module, "grow", lambda spec, data, cancel: iter(()))
    work(folder)
    stages = [e.data["text"] for e in read_log(folder.events)[0] if e.kind == "stage"]
    assert stages == [
        "reading the data",
        "loading the fast clustering",
        "compiling the fast clustering (once per machine)",
    ]


def test_a_run_that_comes_while_its_process_still_compiles_is_told_so(folder, monkeypatch):
    monkeypatch.setattr(worker, "end_with_input", lambda: None)
    monkeypatch.setattr(worker.sys, "stdin", io.StringIO(f"{folder.path}\n"))
    monkeypatch.setattr(worker.os, "dup2", lambda *handles: None)

    def compile_slowly(on_compile):
        on_compile()
        threads[0].start()
        threads[0].join()

    threads = []

    class Later(threading.Thread):  # the folder is named in the midst of compiling
        def start(self):
            threads.append(self) if not threads else super().start()

    monkeypatch.setattr(worker.threading, "Thread", Later)
    monkeypatch.setattr(compiled, "prepare", compile_slowly)
    assert worker.Spare().awaited().path == folder.path
    assert [e.text for e in read_log(folder.events)[0]] == [work_module.COMPILING]
