"""Logs of every kind of run and sweep, as the engine writes them, and all that follows from them.

`python -m tests.golden.record_runs` makes everything anew: it runs the engine in a folder of its
own, which takes some minutes. `python -m tests.golden.record_runs expected` keeps the logs and
writes anew what is read out of them, `... cli` what the command line prints: do that when a change
of words or figures is meant, and say in the commit why. Logs that are there must stay readable.
"""

import dataclasses
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import pandas as pd

from antidote_core import dataset_from_frame
from antidote_core.algorithms.algorithm2 import grow as grow_module
from antidote_core.datasets import load_for
from antidote_core.engine import Runner
from antidote_core.engine.job_folder import LogWriter, read_dataset, read_log
from antidote_core.engine.settings import Limits
from antidote_core.runs.events import Closed, Event, event_of
from antidote_core.runs.kinds import RUN
from antidote_core.runs.kinds import SWEEP as SWEEP_KIND
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE
from tests.golden.commands import every, outcome
from tests.golden.documents import bundle_file, record_of, report_file
from tests.golden.views import plain, run_words, side_by_side_words, sweep_words, view_file

FOLDER = Path(__file__).with_name("runs")
CLI = Path(__file__).with_name("cli.json")
HOME = Path(__file__).with_name("home.json")
BESIDE = Path(__file__).with_name("side_by_side.json")

TWO = RunSpec(dataset="two-optima", start_size=3, budget=60, restarts=4)
BANK = RunSpec(dataset="bank", sample=200, start_size=4, budget=60, restarts=4)
DESIGN = dataclasses.replace(TWO, optimizer="design", growth="bisect", start_size=2)
SLOW = RunSpec(
    dataset="blobs", clustering="kmedian", fairness="social", optimizer="random", restarts=2,
    start_size=2, budget=150, max_rounds=5, target=0.8, seed=1,
)  # fmt: skip
ENDLESS = dataclasses.replace(SLOW, budget=100, max_rounds=None, max_stalled=None, max_size=100_000)


def but(spec, **changes):
    """The spec with some settings changed."""
    return dataclasses.replace(spec, **changes)


RUNS = {
    "balance-extend": but(TWO, target=-0.9, max_rounds=50, max_seconds=600.0),
    "restart-racos": but(
        BANK, optimizer="racos", embed_dim=4, growth="restart", step=3, target=-0.97, max_rounds=4
    ),
    "bisect-cmaes": but(TWO, optimizer="cmaes", growth="bisect", start_size=2, embed_dim=None),
    "sre-structured-box": but(BANK, box="plausible", target=-0.95, max_rounds=2, k=3, seed=5),
    "random-wide": but(TWO, optimizer="random", box="wide", target=-0.5, max_rounds=3, step=5),
    "social": but(TWO, fairness="social", target=2.6, step=4, max_rounds=3),
    "gap": but(BANK, fairness="gap", max_rounds=2),
    "design": DESIGN,
    "design-social-spread": but(
        DESIGN, dataset="bank", sample=200, fairness="social", spread=True, target=2.3,
        start_size=8, max_rounds=1,
    ),
    "design-plain-suffices": but(
        DESIGN, dataset="bank", sample=200, fairness="social", spread=True, target=3.0
    ),
    "design-lowest": but(DESIGN, target="lowest", start_size=20, max_size=20, spread=True),
    "design-missed": but(DESIGN, dataset="blobs", target=-0.99, max_size=12),
    "shrink": but(TWO, shrink=True, start_size=20),
    "sota": but(TWO, dataset="blobs", target="sota", start_size=10, max_rounds=2),
    "sota-missed": but(
        TWO, dataset="blobs", fairness="social", target="sota", start_size=10, max_rounds=2
    ),
    "lowest": but(TWO, target="lowest", start_size=10, max_size=10),
    "spectral": but(TWO, clustering="spectral", start_size=4, budget=30, max_rounds=2),
    "kmedoids": but(TWO, clustering="kmedoids", start_size=4, budget=30, max_rounds=2),
    "kmedian": but(SLOW, budget=25, max_rounds=2),
    "minibatch": but(TWO, clustering="minibatch", budget=20, max_rounds=1),
    "three-clusters": but(
        BANK, dataset="adult", sample=300, k=3, protected="sex", sample_seed=2, max_rounds=3
    ),
    "limit-rounds": but(TWO, dataset="blobs", target=-0.9, max_rounds=4),
    "limit-seconds": but(SLOW, max_rounds=None, max_seconds=0.4),
    "limit-size": but(TWO, dataset="blobs", target=-0.9, start_size=4, max_size=5),
    "plain-suffices": but(TWO, target=-0.2),
    "failed": but(SLOW, optimizer="design"),
    "failed-name": but(SLOW, optimizer="magic"),
}  # fmt: skip
SWEEP = SweepSpec(
    "two-optima", combinations=(("kmeans", "balance"), ("kmeans", "social")),
    optimizers=("structured", "design"), sizes=(4, 8, 16), seeds=(0, 1, 2), restarts=3, budget=40,
)  # fmt: skip
QUICK = SweepSpec(
    "blobs", combinations=(("kmedian", "social"),), optimizers=("random",), sizes=(2, 4, 8),
    seeds=(0, 1), restarts=2, budget=20,
)  # fmt: skip
SWEEPS = {
    "sweep": SWEEP,
    "sweep-sota": but(
        SWEEP, dataset="blobs", optimizers=("structured",), target="sota", sizes=(5, 10),
        seeds=(0, 1), boxes=("minmax", "plausible"),
    ),
    "sweep-number": but(QUICK, target=1.2, ks=(2, 3), sizes=(4,)),
    "sweep-failed-cell": but(QUICK, optimizers=("random", "design"), sizes=(2,)),
}  # fmt: skip
REPORTED = ("balance-extend", "design-social-spread", "spectral", "failed", "uploaded", "sweep")
SIDES = {
    "same data": ("balance-extend", "bisect-cmaes", "shrink", "lowest"),
    "other cost": ("balance-extend", "social"),
    "other data": ("sota", "design", "stopped", "failed"),
}


# -- reading what is there ------------------------------------------------------------------------


class Kept:
    """One recorded folder."""

    def __init__(self, name):
        self.name, self.path = name, FOLDER / name
        self.log = self.path / "events.jsonl"
        text = (self.path / "spec.json").read_text(encoding="utf-8")
        self.sweep = json.loads(text).get("kind") == "sweep"
        self.spec = (SweepSpec if self.sweep else RunSpec).from_json(text)
        self.private = (self.path / "data.npz").exists()

    def events(self):
        """The log as the engine reads it."""
        return read_log(self.log)[0]

    def data(self):
        """The rows of the run."""
        if self.private:
            return read_dataset(self.path / "data.npz")
        return load_for(self.spec.cells[0].spec if self.sweep else self.spec)

    def record(self, view):
        """What reports are made of."""
        return record_of(self.name, self.data(), self.spec, view, self.sweep)

    def found(self):
        """What follows from the log, by the name of its file."""
        view, viewed = view_file(self.events(), self.sweep)
        record = self.record(view)
        words = (sweep_words if self.sweep else run_words)(record, self.private)
        return {"view.json": viewed, "words.json": words}

    def documents(self):
        """The report and the bundle, by the names of their files."""
        events = self.events()
        record = self.record(view_file(events, self.sweep)[0])
        return {"report.json": report_file(record), "bundle.json": bundle_file(record, events)}


def names():
    """All recorded folders."""
    return sorted(path.name for path in FOLDER.iterdir() if path.is_dir())


def golden_id(name):
    """An id of the form that the engine knows, the same for ever."""
    return f"{name:_<22}"


def statuses(home):
    """What a runner says of all recorded folders when they stand in its home folder."""
    for name in names():
        shutil.copytree(FOLDER / name, home / "runs" / golden_id(name))
    found = {}
    with Runner(home, slots=0) as runner:
        owned = {status.run_id for status in runner.jobs("ann")}
        for name in names():
            kept = Kept(name)
            status = runner.status(golden_id(name), "ann")
            kind = SWEEP_KIND if kept.sweep else RUN
            view = runner.view(golden_id(name), "ann", kind)
            found[name] = {
                "state": str(status.state),
                "reason": status.reason,
                "message": status.message,
                "position": status.position,
                "private": status.private,
                "name": status.name,
                "same spec": status.spec == kept.spec,
                "summary": status.summary,
                "listed": golden_id(name) in owned,
                "live": status.live,
                "can restart": status.can_restart,
                "view": [view.state, view.closed, view.points, view.unreadable],
                "data": runner.data(golden_id(name), "ann").n,
            }
    return plain(found)


def beside():
    """Groups of runs side by side."""
    found = {}
    for title, members in SIDES.items():
        kept = [Kept(name) for name in members]
        found[title] = side_by_side_words(
            [(one.name, one.spec, view_file(one.events(), False)[0]) for one in kept]
        )
    return found


# -- recording ------------------------------------------------------------------------------------


def store(runner, run_id, name, owner="ann"):
    """Copy the folder of a run as it stands, with ids and times that do not tell of a machine."""
    source, target = runner.store.folder(run_id).path, FOLDER / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    shutil.copyfile(source / "spec.json", target / "spec.json")
    if (source / "data.npz").exists():
        shutil.copyfile(source / "data.npz", target / "data.npz")
    lines = (source / "events.jsonl").read_bytes().splitlines(keepends=True)
    (target / "events.jsonl").write_bytes(b"".join(map(_anonymous, lines)))
    meta = json.loads((source / "meta.json").read_text(encoding="utf-8"))
    meta["submitted"] = 1_700_000_000.0
    for entry in meta["owners"]:
        entry["added"] = meta["submitted"]
    (target / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    print(name, runner.status(run_id, owner).message, flush=True)


def _anonymous(line):
    """A line without the random id of the run of a cell."""
    event = Event.from_json(line.decode())
    if event.kind == "cell" and event.data.get("run"):
        data = {**event.data, "run": f"cell{event.data['index']:018d}"}
        return event_of(event.kind, {**data, "seconds": event.seconds}).to_json().encode() + b"\n"
    return line


def derive(name, source, change):
    """A folder beside another one, its log changed."""
    target = FOLDER / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    for file in ("spec.json", "meta.json"):
        shutil.copyfile(FOLDER / source / file, target / file)
    lines = (FOLDER / source / "events.jsonl").read_bytes().splitlines(keepends=True)
    (target / "events.jsonl").write_bytes(b"".join(change(lines)))


def damaged(lines):
    """A log with a cut line, one of no text, one of no event, two of no sense, a torn end."""
    half = len(lines) // 2
    return [
        *lines[:3],
        lines[3][: len(lines[3]) // 2] + b"\n",
        b"\xff\xfe\x00broken\n",
        *lines[4:half],
        b'["not","an","event"]\n',
        b"\n",
        b'{"kind":"round","seconds":1.0,"index":7}\n',
        b'{"kind":"cell","seconds":1.0,"index":4000,"state":"running"}\n',
        b'{"kind":"of a later version","seconds":1.0,"what":[1,2]}\n',
        *lines[half:],
        b'{"kind":"note","seconds":2.5,"te',
    ]


def until(condition, seconds=120.0):
    """Wait for a condition."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the condition did not come true in time")
        time.sleep(0.005)


def uploaded_data():
    """A small table of one's own, with a column of words."""
    count = range(60)
    frame = pd.DataFrame(
        {
            "age": [20 + (7 * i) % 41 for i in count],
            "pay": [1000.0 + (i * i * 37) % 913 for i in count],
            "town": [("north", "south", "west")[i * i % 3] for i in count],
            "sex": [("f", "m")[(i // 3) % 2] for i in count],
        }
    )
    return dataset_from_frame(frame, features=["age", "pay", "town"], protected="sex", name="mine")


def record_runs(home):
    """Runs that go to their end by themselves."""
    with Runner(home, slots=1, limits=Limits(run_minutes=0, runs_per_visitor=0)) as runner:
        ids = {name: runner.submit(spec, owner="ann") for name, spec in RUNS.items()}
        runner.rename(ids["balance-extend"], "ann", "my <first> run")
        for name, run_id in ids.items():
            runner.wait(run_id, owner="ann")
            store(runner, run_id, name)
        data = uploaded_data()
        spec = but(TWO, dataset="mine", max_rounds=2, shrink=True)
        run_id = runner.submit(spec, data=data, owner="ann")
        runner.wait(run_id, owner="ann")
        store(runner, run_id, "uploaded")


def record_endings(home):
    """Runs that are stopped, killed, started again, left waiting."""
    limits = Limits(run_minutes=0, runs_per_visitor=0)
    with Runner(home, slots=1, limits=limits) as runner:
        stopped = runner.submit(ENDLESS, owner="ann")
        until(lambda: runner.view(stopped).rounds >= 2)
        runner.stop(stopped)
        runner.wait(stopped)
        store(runner, stopped, "stopped")

        lost = runner.submit(but(ENDLESS, seed=2), owner="ann")
        until(lambda: runner.view(lost).rounds >= 2)
        os.kill(runner._scheduler._workers[lost].process.pid, signal.SIGKILL)
        runner.wait(lost)
        store(runner, lost, "lost")

        again = runner.submit(but(SLOW, seed=3, budget=1500), owner="ann")
        until(lambda: runner.view(again).rounds >= 1)
        runner.stop(again)
        runner.wait(again)
        runner.restart(again)
        runner.wait(again)
        store(runner, again, "restarted")

        gone = runner.submit(but(ENDLESS, seed=4), owner="ann")
        until(lambda: runner.view(gone).rounds >= 1)
    with Runner(home, slots=0, limits=limits) as runner:
        store(runner, gone, "server-gone")
        waiting = runner.submit(but(ENDLESS, seed=5), owner="ann")
        store(runner, waiting, "queued")
        runner.stop(waiting)
        store(runner, waiting, "stopped-in-queue")


def record_designs(home):
    """A design that was stopped, and one that shows signs of life while it is silent."""
    spec = but(DESIGN, dataset="bank", target="lowest", start_size=400, max_size=400)
    with Runner(home, slots=1) as runner:
        run_id = runner.submit(spec, owner="ann")
        until(lambda: runner.view(run_id).cuts or not runner.status(run_id).live)
        runner.stop(run_id)
        runner.wait(run_id)
        store(runner, run_id, "stopped-design")
    spec = but(DESIGN, start_size=12, max_rounds=1)
    derive("design-alive", "design", lambda lines: lines[:1])
    (FOLDER / "design-alive" / "spec.json").write_text(spec.to_json() + "\n", encoding="utf-8")
    with (
        mock.patch.object(grow_module, "ALIVE_SECONDS", 0.03),
        LogWriter(FOLDER / "design-alive" / "events.jsonl") as log,
    ):
        for event in grow_module.grow(spec):
            log.append(event)
        log.append(Closed(seconds=event.seconds))


def record_sweeps(home):
    """Sweeps that go to their end, and one that is stopped and goes on."""
    limits = Limits(run_minutes=0, runs_per_visitor=0)
    with Runner(home, slots=1, limits=limits) as runner:
        for name, spec in SWEEPS.items():
            run_id = runner.submit(spec, owner="ann")
            runner.wait(run_id)
            store(runner, run_id, name)
        spec = but(QUICK, budget=4000)
        run_id = runner.submit(spec, owner="ann")
        until(lambda: runner.view(run_id, kind=SWEEP_KIND).count(DONE) >= 2)
        runner.stop(run_id)
        runner.wait(run_id)
        store(runner, run_id, "sweep-stopped")
        runner.submit(spec, owner="ann")
        runner.wait(run_id)
        store(runner, run_id, "sweep-resumed")
        data = uploaded_data()
        mine = but(QUICK, dataset="mine", sizes=(2,))
        run_id = runner.submit(mine, data, owner="ann")
        runner.wait(run_id, owner="ann")
        store(runner, run_id, "sweep-uploaded")


def record_derived():
    """Logs cut short or damaged."""
    derive("damaged", "balance-extend", damaged)
    derive("sweep-damaged", "sweep-resumed", damaged)
    derive("running", "balance-extend", lambda lines: lines[: 2 * len(lines) // 3])
    derive("running-plain", "social", lambda lines: lines[:6])
    derive("running-design", "design", lambda lines: lines[: len(lines) // 2])
    derive("sweep-running", "sweep-sota", lambda lines: lines[: len(lines) // 2])
    derive("sweep-starting", "sweep-sota", lambda lines: lines[:2])


def write(path, value):
    """A golden file: numbers with twelve digits, short lines, so that changes can be read."""
    text = json.dumps(_twelve_digits(value), indent=0, ensure_ascii=False, allow_nan=False)
    path.write_text(_joined(text) + "\n", encoding="utf-8")


def _twelve_digits(value):
    if isinstance(value, dict):
        return {key: _twelve_digits(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_twelve_digits(item) for item in value]
    return float(f"{value:.12g}") if isinstance(value, float) else value


def _joined(text):
    """Lists of numbers on one line."""
    out, numbers = [], []
    for line in text.split("\n"):
        bare = line.rstrip(",")
        is_number = bare.lstrip("-")[:1].isdigit() or bare in ("null", "true", "false")
        if is_number or (numbers and bare == "]"):
            numbers.append(line)
            if is_number:
                continue
        if numbers:
            out[-1] += "".join(numbers)
            joined = bare == "]"
            numbers = []
            if joined:
                continue
        out.append(line)
    return "\n".join(out)


def record_expected():
    """What follows from the logs that are there."""
    for name in names():
        kept = Kept(name)
        files = kept.found()
        if name in REPORTED:
            files |= kept.documents()
        for file, value in files.items():
            write(kept.path / file, value)
    write(BESIDE, beside())
    with tempfile.TemporaryDirectory() as folder:
        write(HOME, statuses(Path(folder)))


def main(arguments):
    """Record the parts that are named (see `parts`, "expected" and "cli"); all when none is."""
    parts = {
        "runs": record_runs,
        "endings": record_endings,
        "designs": record_designs,
        "sweeps": record_sweeps,
    }
    chosen = arguments or [*parts, "expected", "cli"]
    for name, record in parts.items():
        if name in chosen:
            with tempfile.TemporaryDirectory() as folder:
                record(Path(folder))
    if "expected" in chosen:
        record_derived()
        record_expected()
    if "cli" in chosen:
        write(CLI, {name: outcome(name) for name in every()})


if __name__ == "__main__":
    main(sys.argv[1:])
