"""Faults made on purpose: how often, and what was lost.

A run counts as lost when its result after recovery is not the undisturbed one, or when a round that
its log had confirmed is missing.
"""

import asyncio
import json
import os
import random
import re
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

from antidote_core import load_dataset, run
from antidote_core.engine import JobState, RunError, Runner
from antidote_core.engine.job_folder import Follower, read_log
from antidote_core.engine.settings import Limits, worker_environment
from antidote_core.runs import kinds
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from benchmarks.reliability.load import RUN, Visitor, serving
from benchmarks.reliability.processes import workers

SPEC = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=2,
    start_size=2, budget=40, max_rounds=6, target=0.8,
)  # fmt: skip
LONGER = replace(SPEC, max_rounds=40)  # some seconds
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
            print(f"| {row.fault} (`{name}`) | {row.times} | {row.lost} | {row.said} |", flush=True)


def result(view: Any) -> tuple[Any, ...]:
    """What must be the same after a recovery."""
    return view.cost, view.reached, view.rounds, view.evaluations, view.antidote.tolist()


def _rounds(runner: Runner, run_id: str, owner: str | None = None) -> list[Event]:
    """The rounds that the log has confirmed."""
    return [event for event in runner.events(run_id, owner=owner)[0] if event.kind == "round"]


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
    until(lambda: len(_rounds(runner, run_id)) >= 1)


def _said(message: str) -> str:
    """The sentence without what differs from run to run."""
    return re.sub(r"run [\w-]{22}", "run …", message)


def killed_workers(times: int = 50) -> Row:
    """SIGKILL at a random moment between the start of the process and the end of the run."""
    lost, hit, moments, said = 0, 0, random.Random(1), set()
    after_a_round = 0
    whole = {seed: result(run(replace(SPEC, seed=seed))) for seed in range(5)}
    with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
        while hit < times:
            seed = hit % 5
            run_id = runner.submit(replace(SPEC, seed=seed), owner="ann")
            worker = _worker(runner, run_id)
            time.sleep(moments.uniform(0.0, 3.0))
            before = _rounds(runner, run_id)
            if worker.poll() is None:
                os.kill(worker.pid, signal.SIGKILL)
                hit += 1
                after_a_round += bool(before)
            status = runner.wait(run_id, 60)
            kept = _rounds(runner, run_id)[: len(before)] == before
            if status.state is JobState.DEAD:
                said.add(_said(status.message))
                runner.restart(run_id)
                status = runner.wait(run_id, 120)
            same = status.state is JobState.FINISHED and result(runner.view(run_id)) == whole[seed]
            lost += not (kept and same)
            runner.delete(run_id, "ann")
        lost += bool(workers(folder))
    return Row(
        f"worker killed -9 at a random moment ({after_a_round} times after a confirmed round), "
        "restarted", hit, lost, " / ".join(sorted(said)),
    )  # fmt: skip


def killed_servers(times: int = 10) -> Row:
    """The whole server is killed in mid-run; its worker goes with it, another server takes over."""
    lost, moments, said = 0, random.Random(2), set()
    whole = result(run(SPEC))
    code = """
        import sys, time
        from antidote_core.engine import Runner
        from antidote_core.types import RunSpec
        runner = Runner(sys.argv[1], slots=1)
        print(runner.submit(RunSpec.from_json(sys.argv[2]), owner="ann"), flush=True)
        time.sleep(600)
    """
    hit = 0
    while hit < times:
        with home() as folder:
            server = subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(code), str(folder), SPEC.to_json()],
                stdout=subprocess.PIPE, text=True, env=worker_environment(),
            )  # fmt: skip
            assert server.stdout is not None
            run_id = server.stdout.readline().strip()
            log = folder / "runs" / run_id / "events.jsonl"
            until(lambda log=log: any(e.kind == "started" for e in read_log(log)[0]))
            time.sleep(moments.uniform(0.0, 1.5))
            server.kill()
            server.wait()
            server.stdout.close()
            until(lambda folder=folder: not workers(folder), 10)
            before = [event for event in read_log(log)[0] if event.kind == "round"]
            with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                status = runner.wait(run_id, 60)
                kept = _rounds(runner, run_id)[: len(before)] == before
                if status.state is JobState.DEAD:
                    hit += 1  # else the run had ended before the server did
                    said.add(_said(status.message))
                    runner.restart(run_id)
                    status = runner.wait(run_id, 120)
                same = status.state is JobState.FINISHED and result(runner.view(run_id)) == whole
                lost += not (kept and same)
    return Row(
        "engine killed -9 in mid-run, another takes over", hit, lost, " / ".join(sorted(said))
    )


def killed_dashboards(times: int = 10) -> Row:
    """Streamlit itself is killed in mid-run; a visitor of the next one opens the link again."""
    lost, hit, moments, said = 0, 0, random.Random(4), set()
    whole: dict[str, tuple[Any, ...]] = {}
    while hit < times:
        with home() as folder:
            with serving(folder) as (address, server):
                asyncio.run(_start_a_run(address))
                [log] = (folder / "runs").glob("*/events.jsonl")
                until(lambda log=log: any(e.kind == "started" for e in read_log(log)[0]))
                time.sleep(moments.uniform(0.0, 4.0))
                os.kill(server, signal.SIGKILL)
            until(lambda folder=folder: not workers(folder), 10)
            before = [event for event in read_log(log)[0] if event.kind == "round"]
            if any(event.kind == "closed" for event in read_log(log)[0]):
                continue  # it had ended before the server did
            hit += 1
            spec = (log.parent / "spec.json").read_text()
            if spec not in whole:
                whole[spec] = result(run(RunSpec.from_json(spec)))
            with serving(folder) as (address, _):
                said |= asyncio.run(_run_again(address, log))
            with Runner(folder, slots=0, limits=NO_LIMITS) as runner:
                kept = _rounds(runner, log.parent.name)[: len(before)] == before
                same = result(runner.view(log.parent.name)) == whole[spec]
            lost += not (kept and same)
    return Row(
        "dashboard killed -9 in mid-run, started again, its page opened again",
        hit, lost, " / ".join(sorted(said)),
    )  # fmt: skip


async def _start_a_run(address: str) -> None:
    visitor = Visitor(address, 0)
    await visitor.arrive()
    await visitor.open(RUN.format(seed=1))
    await visitor.click("▶ Run")
    await visitor.leave()


async def _run_again(address: str, log: Path) -> set[str]:
    """What the page of the run says; comes back when the run has ended after a click on it."""
    visitor = Visitor(address, 1, heeds="did not finish")
    await visitor.arrive()
    await visitor.open(f"explore?run={log.parent.name}")
    await visitor.click("Run again")  # from here on the log goes on after the end of its first part
    end = time.monotonic() + 120
    while read_log(log)[0][-1].kind != "closed" and time.monotonic() < end:
        await asyncio.sleep(0.1)
    await visitor.leave()
    if visitor.errors:
        raise RuntimeError("a page showed an exception")
    return {text.replace("\\", "") for text in visitor.texts}


def full_disk(times: int = 5) -> Row:
    """A tmpfs of 512 kB fills up while a run writes its log; then there is room again."""
    if os.geteuid() != 0:
        return Row("disk full (NOT RUN: needs root to mount a small tmpfs)", 0, 0, "")
    lost, said = 0, set()
    for seed in range(times):
        spec = replace(LONGER, seed=seed)
        whole = result(run(spec))
        with home() as folder:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(folder)], check=True
            )
            try:
                with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                    finished = runner.submit(replace(SPEC, seed=seed), owner="ann")
                    kept = result(_finished(runner, finished))
                    run_id = runner.submit(spec, owner="ann")
                    _first_round(runner, run_id)
                    ballast = folder / "ballast"
                    _fill(ballast)
                    before = _rounds(runner, run_id)
                    worker = _worker(runner, run_id)
                    until(lambda worker=worker: worker.poll() is not None)
                    well = result(runner.view(finished)) == kept  # reading goes on
                    try:
                        runner.submit(replace(SPEC, seed=seed + 100), owner="ann")
                        well = False
                    except RunError as error:
                        said.add(_said(str(error)).replace(str(folder), "…"))
                    ballast.unlink()
                    status = runner.wait(run_id, 60)
                    well &= not status.live and status.state is not JobState.FINISHED
                    well &= _rounds(runner, run_id)[: len(before)] == before
                    said.add(_said(status.message))
                    runner.restart(run_id)
                    well &= result(_finished(runner, run_id)) == whole
                    well &= result(runner.view(finished)) == kept
                    lost += not well
            finally:
                subprocess.run(["umount", "-l", str(folder)], check=True)
    return Row("disk full while a run writes, then freed", times, lost, " / ".join(sorted(said)))


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
    """The clock of the server jumps by a day or a year, forth and back, while runs work."""
    lost, real = 0, time.time
    whole = result(run(LONGER))
    mine = replace(load_dataset("blobs"), name="mine")
    for jump in (86_400.0, -86_400.0, 3.2e7, -3.2e7)[:times]:
        with home() as folder, Runner(folder, slots=2, limits=NO_LIMITS) as runner:
            run_id = runner.submit(LONGER, owner="ann")
            own = runner.submit(replace(LONGER, dataset="mine"), mine, "ann", temporary=True)
            _first_round(runner, run_id)
            until(lambda runner=runner, own=own: len(_rounds(runner, own, "ann")) >= 1)
            time.time = lambda jump=jump: real() + jump  # type: ignore[misc]
            try:
                well = runner.wait(run_id, 120).state is JobState.FINISHED
                well &= runner.wait(own, 120, "ann").state is JobState.FINISHED
                listed = {status.run_id for status in runner.jobs("ann", kinds.RUN)}
            finally:
                time.time = real  # type: ignore[misc]
            well &= result(runner.view(run_id)) == whole and listed == {run_id, own}
            well &= result(runner.view(own, "ann")) == whole
            lost += not well
    return Row("clock jumps by a day or a year, forth and back", times, lost, "nothing: goes on")


def read_only(times: int = 5) -> Row:
    """Folders of runs, one finished and one about to start, can no longer be written.

    They are mounted so, since root ignores modes.
    """
    lost, said = 0, set()
    if os.geteuid() != 0:
        return Row("run folder made read-only (NOT RUN: needs root to mount)", 0, 0, "")
    for seed in range(times):
        waiting_spec = replace(SPEC, seed=seed + 20)
        whole = result(run(waiting_spec))
        with home() as folder, Runner(folder, slots=1, limits=NO_LIMITS) as runner:
            finished = runner.submit(replace(SPEC, seed=seed), owner="ann")
            kept = result(_finished(runner, finished))
            first = runner.submit(replace(ENDLESS, seed=seed), owner="ann")
            waiting = runner.submit(waiting_spec, owner="ann")
            _first_round(runner, first)
            with _not_writable(runner, finished), _not_writable(runner, waiting):
                well = result(runner.view(finished)) == kept
                try:
                    runner.rename(finished, "ann", "new")
                    well = False
                except RunError as error:
                    said.add(_said(str(error)))
                runner.stop(first)
                status = runner.wait(waiting, 60)
                well &= status.can_restart
                said.add(_said(status.message))
                other = runner.submit(replace(SPEC, seed=seed + 50), owner="ann")
                well &= _finished(runner, other).state == "finished"
            runner.restart(waiting)
            well &= result(_finished(runner, waiting)) == whole
            well &= result(runner.view(finished)) == kept
            runner.rename(finished, "ann", "new")
            lost += not well
    return Row("run folder made read-only", times, lost, " / ".join(sorted(said)))


@contextmanager
def _not_writable(runner: Runner, run_id: str) -> Iterator[None]:
    path = str(runner.store.folder(run_id).path)
    subprocess.run(["mount", "--bind", path, path], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", path], check=True)
        yield
    finally:
        subprocess.run(["umount", path], check=True)


def torn_logs(times: int = 1000) -> Row:
    """A line is cut or overwritten; every other line still counts."""
    lost, said, draw = 0, set(), np.random.default_rng(3)
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
            # What has no line end yet counts as being written, so the last line may be torn.
            unseen = torn in (b"", b"\n") or (at == len(lines) - 1 and not torn.endswith(b"\n"))
            notes = [note for note in Follower(path, RunView()).view().notes if "damaged" in note]
            lost += not (_holds(kinds, untouched) and (unseen or bool(notes)))
            said.update(notes)
    return Row("log line torn or overwritten", times, lost, " / ".join(sorted(said)))


def _kind(line: bytes) -> str:
    return line.split(b'"kind":"')[1].split(b'"')[0].decode()


def _holds(kinds: list[str], wanted: list[str]) -> bool:
    """Whether `wanted` stands in `kinds`, in order."""
    rest = iter(kinds)
    return all(kind in rest for kind in wanted)


# The index as the first version made it: no kinds, no sweeps, nobody who only opened a link.
_FIRST_LAYOUT = """
    DROP TABLE owners;
    DROP TABLE runs;
    CREATE TABLE runs (
        id TEXT PRIMARY KEY, key TEXT NOT NULL, spec TEXT NOT NULL, private INTEGER NOT NULL,
        state TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '', turn INTEGER NOT NULL DEFAULT 0,
        submitted REAL NOT NULL, started REAL, ended REAL, looked REAL NOT NULL,
        summary TEXT NOT NULL DEFAULT '{}');
    CREATE TABLE owners (
        run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE, owner TEXT NOT NULL,
        name TEXT NOT NULL DEFAULT '', added REAL NOT NULL, looked REAL NOT NULL,
        PRIMARY KEY (run, owner));
    PRAGMA user_version = 1;
"""


def old_stores(times: int = 3) -> Row:
    """A store of the first version, a damaged index, none at all: rebuilt from the folders."""
    lost = 0
    for way in ("older", "damaged", "missing")[:times]:
        with home() as folder:
            with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                ids = [runner.submit(replace(SPEC, seed=seed), owner="ann") for seed in range(3)]
                kept = [result(_finished(runner, run_id)) for run_id in ids]
                runner.rename(ids[0], "ann", "mine")
            index = folder / "index.sqlite"
            if way == "older":
                _make_older(folder, index)
            elif way == "damaged":
                index.write_bytes(b"no database" * 1000)
            else:
                index.unlink()
            with Runner(folder, slots=1, limits=NO_LIMITS) as runner:
                listed = {status.run_id: status.name for status in runner.jobs("ann", kinds.RUN)}
                well = sorted(listed) == sorted(ids) and listed.get(ids[0]) == "mine"
                well &= [result(runner.view(run_id)) for run_id in ids] == kept
                again = runner.submit(replace(SPEC, seed=0), owner="ann")
                well &= again == ids[0]  # the old result answers the same question
                lost += not well
    return Row("store of the first version, index damaged or missing", times, lost,
               "nothing: rebuilt")  # fmt: skip


def _make_older(folder: Path, index: Path) -> None:
    """Index and folders as the first version wrote them; later ones added names to both."""
    with sqlite3.connect(index) as connection:
        connection.executescript(_FIRST_LAYOUT)
    connection.close()
    for path in (folder / "runs").iterdir():
        meta = json.loads((path / "meta.json").read_text())
        meta["layout"] = 1
        meta["owners"] = [
            {name: owner[name] for name in ("owner", "name", "added")} for owner in meta["owners"]
        ]
        (path / "meta.json").write_text(json.dumps(meta))
        spec = json.loads((path / "spec.json").read_text())
        del spec["spread"]
        (path / "spec.json").write_text(json.dumps(spec))


FAULTS: dict[str, Callable[[], Row]] = {
    "workers": killed_workers,
    "servers": killed_servers,
    "dashboards": killed_dashboards,
    "disk": full_disk,
    "clock": clock_jumps,
    "readonly": read_only,
    "logs": torn_logs,
    "stores": old_stores,
}
