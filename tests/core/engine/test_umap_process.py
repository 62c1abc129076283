"""UMAP processes: a few at a time, within limits, and nothing left of a run that is gone."""

import dataclasses
import gc
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

from antidote_core import load_dataset
from antidote_core.engine.process import umap_process
from antidote_core.engine.process.umap_process import AT_ONCE, KEPT, Layouts, start
from antidote_core.projection import find_layout, layout_path

NOTHING = (np.arange(3), np.zeros((3, 2)))


class Process:
    """A process that ends when told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stdin = None
        self.code: int | None = None

    def poll(self) -> int | None:
        return self.code

    def kill(self) -> None:
        self.code = -9


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Process]:
    """The processes that were begun; none is real."""
    found: list[Process] = []

    def begin(rows, points, path: Path) -> Process:
        found.append(Process(path))
        return found[-1]

    monkeypatch.setattr(umap_process, "start", begin)
    monkeypatch.setattr(umap_process, "LOOK_SECONDS", 0.005)
    return found


def until(true, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def folder(tmp_path: Path, name: str) -> Path:
    (tmp_path / name).mkdir()
    return tmp_path / name / "layouts"


def test_a_few_at_a_time_and_each_gets_its_turn(tmp_path, begun) -> None:
    layouts = Layouts()
    place = folder(tmp_path, "run")
    a, b, c, d = (place / name for name in "abcd")
    assert all(layouts.ask(path, lambda: NOTHING) for path in (a, b, c, d))
    until(lambda: [process.path for process in begun] == [a, b])
    assert layouts.ask(c, None)  # it waits, though nobody asks to begin it any more
    begun[0].code = 1
    until(lambda: not layouts.ask(a, None))  # ended without a file
    assert not layouts.ask(a, lambda: NOTHING)  # and is not tried again and again
    until(lambda: [process.path for process in begun] == [a, b, c])
    begun[1].code = 0
    until(lambda: [process.path for process in begun] == [a, b, c, d])  # though no page asks
    for process in begun:
        process.code = 0
    until(lambda: layouts._thread is None)


def test_one_that_cannot_be_begun_is_not_waited_for(tmp_path, monkeypatch) -> None:
    def begin(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(umap_process, "start", begin)
    layouts, path = Layouts(), folder(tmp_path, "run") / "a"
    assert layouts.ask(path, lambda: NOTHING)
    until(lambda: not layouts.ask(path, lambda: NOTHING))


def test_those_of_long_ago_are_forgotten(tmp_path, begun) -> None:
    layouts, place = Layouts(), folder(tmp_path, "run")
    for number in range(KEPT + 9):
        layouts.ask(place / str(number), lambda: NOTHING)
        until(lambda number=number: len(begun) > number)
        begun[-1].code = 0
    until(lambda: layouts._thread is None)
    assert len(layouts._ended) == KEPT


def test_what_waits_for_a_place_goes_with_its_run(tmp_path, begun) -> None:
    layouts, busy, place = Layouts(), folder(tmp_path, "busy"), folder(tmp_path, "private")
    for number in range(AT_ONCE):
        layouts.ask(busy / str(number), lambda: NOTHING)
    data = dataclasses.replace(load_dataset("blobs"), name="my-table")
    assert layouts.of(data, place) == (None, True)
    shutil.rmtree(place.parent)  # "Forget"
    rows = weakref.ref(data)
    del data
    until(lambda: not layouts._waiting)
    gc.collect()
    assert rows() is None
    for process in begun:
        process.code = 0
    until(lambda: layouts._thread is None)
    assert len(begun) == AT_ONCE
    assert not place.parent.exists()


def test_what_is_computed_for_a_run_that_goes_is_ended(tmp_path, begun) -> None:
    layouts, place = Layouts(), folder(tmp_path, "private")
    layouts.ask(place / "a", lambda: NOTHING)
    until(lambda: begun)
    shutil.rmtree(place.parent)
    until(lambda: layouts._thread is None)
    assert begun[0].code == -9


def test_the_folder_of_a_run_that_is_gone_does_not_come_back(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        start(*NOTHING, tmp_path / "gone" / "layouts" / "a.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_layout_is_computed_once_for_this_user_only_and_found(tmp_path) -> None:
    data, place = load_dataset("blobs"), folder(tmp_path, "run")
    layouts = Layouts()
    assert layouts.of(data, place) == (None, True)
    until(lambda: not layouts.of(data, place)[1], 300)
    layout = layouts.of(data, place)[0]
    assert layout is not None
    assert len(layout.rows) == data.n
    assert [path.name for path in place.iterdir()] == [layout_path(data, place).name]
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert find_layout(data, place) is not None
    # Neighbours in the plane stay neighbours: the two blobs do not mix.
    left = data.points[:, 0] < np.median(data.points[:, 0])
    middle = [layout.positions[side].mean(axis=0) for side in (left, ~left)]
    assert np.linalg.norm(middle[0] - middle[1]) > 1.0


SERVER = """
import sys, time, numpy as np
from pathlib import Path
from antidote_core.engine.process.umap_process import start
rng = np.random.default_rng(0)
print(start(np.arange(4000), rng.normal(size=(4000, 20)), Path(sys.argv[1])).pid, flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_process_has_so_much_memory_and_ends_with_its_server(tmp_path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path / "layouts" / "a.npz")],
        stdout=subprocess.PIPE, text=True, env={**os.environ, "ANTIDOTE_WORKER_GB": "1"},
    )  # fmt: skip
    with server:
        try:
            assert server.stdout is not None
            limits = Path("/proc", server.stdout.readline().strip(), "limits")
            until(lambda: f"Max data size             {1024**3} " in limits.read_text())
            assert not list(tmp_path.glob("layouts/a.npz"))
        finally:
            server.send_signal(signal.SIGKILL)
    until(lambda: not limits.exists())
    assert not list(tmp_path.glob("layouts/a.npz"))
