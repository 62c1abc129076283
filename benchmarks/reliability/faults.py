"""Faults made on purpose: how often, and what was lost.

A run counts as lost when its result after recovery is not the undisturbed one, or when a round that
its log had confirmed is missing.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from antidote_core import run
from antidote_core.algorithms.record import RunView
from antidote_core.engine import RunError, Runner, RunState
from antidote_core.engine.limits import Limits
from antidote_core.engine.log import read
from antidote_core.engine.settings import worker_environment
from antidote_core.types import RunSpec

SPEC = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=2,
    start_size=2, budget=40, max_rounds=6, target=-2.0,
)  # fmt: skip
ENDLESS = replace(SPEC, budget=200, max_rounds=None, max_size=100_000)
NO_LIMITS = Limits(runs_per_visitor=0, free_gigabytes=0)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    fault: str
    times: int
    lost: int
    said: str


def main(only: str | None) -> None:
    print("| fault | times | lost | what is said |\n|---|---|---|---|")
    for name, fault in FAULTS.items():
        if only in (None, name):
            row = fault()
            print(f"| {row.fault} | {row.times} | {row.lost} | {row.said} |", flush=True)


def result(view: Any) -> tuple[Any, ...]:
    """What must be the same after a recovery."""
    return view.cost, view.reached, view.rounds, view.evaluations, view.antidote.tolist()


def confirmed(runner: Runner, run_id: str) -> int:
    return sum(event.kind == "round" for event in runner.events(run_id)[0])


@contextmanager
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition did not come true in time")
        time.sleep(0.01)


def _worker(runner: Runner, run_id: str) -> subprocess.Popen[bytes]:
    until(lambda: run_id in runner._scheduler._workers)
    return runner._scheduler._workers[run_id].process


def _first_round(runner: Runner, run_id: str) -> None:
    until(lambda: confirmed(runner, run_id) >= 1)


def killed_workers(times: int = 50) -> Row:
    """SIGKILL at a random moment between the start of the process and the end of the run."""
    lost, hit, moments = 0, 0, random.Random(1)
    whole = {seed: result(run(replace(SPEC, seed=seed))) for seed in range(5)}
    with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
        while hit < times:
            seed = hit % 5
            run_id = runner.submit(replace(SPEC, seed=seed), owner=f"ann-{hit}")
            if runner.status(run_id).state is RunState.FINISHED:
                runner.delete(run_id, f"ann-{hit}")
                continue
            worker = _worker(runner, run_id)
            time.sleep(moments.uniform(0.0, 3.0))
            before = confirmed(runner, run_id)
            if worker.poll() is None:
                os.kill(worker.pid, signal.SIGKILL)
                hit += 1
            status = runner.wait(run_id, 60)
            kept = confirmed(runner, run_id) >= before
            if status.state is RunState.DEAD:
                runner.restart(run_id)
                status = runner.wait(run_id, 120)
            same = status.state is RunState.FINISHED and result(runner.view(run_id)) == whole[seed]
            lost += not (kept and same)
            for owner in {f"ann-{hit}", f"ann-{hit - 1}"}:
                try:
                    runner.delete(run_id, owner)
                except RunError:
                    continue
    return Row("worker killed -9 at a random moment, restarted", hit, lost, "Lost: … (signal 9 …)")


def killed_servers(times: int = 10) -> Row:
    """The whole server is killed in mid-run; another one takes over."""
    lost, moments = 0, random.Random(2)
    whole = result(run(SPEC))
    code = """
        import sys, time
        from antidote_core.engine import Runner
        from antidote_core.types import RunSpec
        runner = Runner(sys.argv[1], slots=1)
        print(runner.submit(RunSpec.from_json(sys.argv[2]), owner="ann"), flush=True)
        time.sleep(600)
    """
    for _ in range(times):
        with home() as folder:
            server = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(code), str(folder), SPEC.to_json()],
                stdout=subprocess.PIPE, text=True, env=worker_environment(),
            )  # fmt: skip
            assert server.stdout is not None
            run_id = server.stdout.readline().strip()
            time.sleep(moments.uniform(0.2, 3.0))
            server.kill()
            server.wait()
            server.stdout.close()
            before = sum(
                e.kind == "round" for e in read(folder / "runs" / run_id / "events.jsonl")[0]
            )
            with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                status = runner.wait(run_id, 60)
                if status.state is RunState.DEAD:
                    kept = confirmed(runner, run_id) >= before
                    runner.restart(run_id)
                    status = runner.wait(run_id, 120)
                else:
                    kept = True
                same = status.state is RunState.FINISHED and result(runner.view(run_id)) == whole
                lost += not (kept and same)
    return Row("server killed -9 in mid-run, another takes over", times, lost,
               "Lost: the server ended while the run was working; …")  # fmt: skip


def full_disk(times: int = 5) -> Row:
    """A tmpfs of 512 kB fills up while a run writes its log; then there is room again."""
    if os.geteuid() != 0:
        return Row("disk full (NOT RUN: needs root to mount a small tmpfs)", 0, 0, "")
    lost, said = 0, ""
    for seed in range(times):
        with home() as folder:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], check=True
            )
            try:
                with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                    finished = runner.submit(replace(SPEC, seed=seed), owner="ann")
                    kept = result(_finished(runner, finished))
                    run_id = runner.submit(replace(ENDLESS, seed=seed), owner="ann")
                    _first_round(runner, run_id)
                    ballast = folder / "ballast"
                    _fill(ballast)
                    before = confirmed(runner, run_id)
                    status = runner.wait(run_id, 60)
                    said = status.message
                    ballast.unlink()
                    lost += status.live or confirmed(runner, run_id) < before
                    lost += result(runner.view(finished)) != kept
                    again = runner.submit(replace(SPEC, seed=seed + 100), owner="ann")
                    lost += _finished(runner, again).state != "finished"
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=True)
    return Row("disk full while a run writes, then freed", times, lost, said)


def _fill(path: Path) -> None:
    """Write until nothing more fits."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(handle, bytes(1024))
    except OSError:
        os.close(handle)


def _finished(runner: Runner, run_id: str) -> RunView:
    runner.wait(run_id, 120)
    return runner.view(run_id)


def clock_jumps(times: int = 4) -> Row:
    """The clock of the server jumps by a day, forth and back, while runs work."""
    lost, whole, real = 0, result(run(SPEC)), time.time
    for jump in (86_400.0, -86_400.0, 3.2e7, -3.2e7)[:times]:
        with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
            run_id = runner.submit(SPEC, owner="ann")
            _first_round(runner, run_id)
            time.time = lambda jump=jump: real() + jump  # type: ignore[misc]
            try:
                view = _finished(runner, run_id)
                listed = [status.run_id for status in runner.runs("ann")]
            finally:
                time.time = real  # type: ignore[misc]
            if view.state != "finished":  # a jump forward looks like nobody's interest
                runner.restart(run_id)
                view = _finished(runner, run_id)
            lost += result(view) != whole or listed != [run_id]
    return Row("clock jumps by a day or a year, forth and back", times, lost, "")


def read_only(times: int = 5) -> Row:
    """The folder of a run can no longer be written (mounted so, since root ignores modes)."""
    lost, said = 0, ""
    if os.geteuid() != 0:
        return Row("run folder made read-only (NOT RUN: needs root to mount)", 0, 0, "")
    for seed in range(times):
        with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
            finished = runner.submit(replace(SPEC, seed=seed), owner="ann")
            kept = result(_finished(runner, finished))
            path = str(runner.store.folder(finished).path)
            subprocess.run(["mount", "--bind", path, path], check=True)
            subprocess.run(["mount", "-o", "remount,ro,bind", path], check=True)
            try:
                lost += result(runner.view(finished)) != kept
                try:
                    runner.rename(finished, "ann", "new")
                except RunError as error:
                    said = str(error).replace(finished, "…")
                other = runner.submit(replace(SPEC, seed=seed + 50), owner="ann")
                lost += _finished(runner, other).state != "finished"
            finally:
                subprocess.run(["umount", path], check=True)
            lost += result(runner.view(finished)) != kept
    return Row("run folder made read-only", times, lost, said)


def torn_logs(times: int = 1000) -> Row:
    """A line is cut or overwritten; every other line still counts."""
    lost, draw = 0, np.random.default_rng(3)
    with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
        run_id = runner.submit(SPEC, owner="ann")
        _finished(runner, run_id)
        path = runner.store.folder(run_id).events
        lines = path.read_bytes().splitlines(keepends=True)
        for number in range(times):
            at = int(draw.integers(len(lines)))
            line = lines[at]
            cut = int(draw.integers(len(line)))
            torn = line[:cut] if number % 2 else draw.bytes(cut).replace(b"\n", b"") + b"\n"
            path.write_bytes(b"".join([*lines[:at], torn, *lines[at + 1 :]]))
            kinds = [event.kind for event in runner.events(run_id)[0]]
            untouched = [_kind(other) for place, other in enumerate(lines) if abs(place - at) > 1]
            lost += not _holds(kinds, untouched)
            runner.view(run_id)
    return Row("log line torn or overwritten", times, lost, "a note that a part cannot be read")


def _kind(line: bytes) -> str:
    return line.split(b'"kind":"')[1].split(b'"')[0].decode()


def _holds(kinds: list[str], wanted: list[str]) -> bool:
    """Whether `wanted` stands in `kinds`, in order."""
    rest = iter(kinds)
    return all(kind in rest for kind in wanted)


def old_stores(times: int = 3) -> Row:
    """An index of an older layout, a damaged one, none at all: rebuilt from the folders."""
    lost = 0
    for way in ("older", "damaged", "missing")[:times]:
        with home() as folder:
            with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                ids = [runner.submit(replace(SPEC, seed=seed), owner="ann") for seed in range(3)]
                kept = [result(_finished(runner, run_id)) for run_id in ids]
                runner.rename(ids[0], "ann", "mine")
            index = folder / "index.sqlite"
            if way == "older":
                with sqlite3.connect(index) as connection:
                    connection.execute("PRAGMA user_version = 0")
                connection.close()
            elif way == "damaged":
                index.write_bytes(b"no database" * 1000)
            else:
                index.unlink()
            with Runner(folder, slots=0, limits=NO_LIMITS) as runner:
                listed = {status.run_id: status.name for status in runner.runs("ann")}
                lost += sorted(listed) != sorted(ids) or listed.get(ids[0]) != "mine"
                lost += [result(runner.view(run_id)) for run_id in ids] != kept
    return Row("index of an older layout, damaged or missing", times, lost, "nothing: rebuilt")


FAULTS: dict[str, Callable[[], Row]] = {
    "workers": killed_workers,
    "servers": killed_servers,
    "disk": full_disk,
    "clock": clock_jumps,
    "readonly": read_only,
    "logs": torn_logs,
    "stores": old_stores,
}
