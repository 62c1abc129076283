"""What the engine's tests share: small specs, long ones, and ways to look at a run."""

import dataclasses
import os
import time
from pathlib import Path

import numpy as np

from antidote_core.runs.spec import RunSpec

# k-median runs without compiled kernels, which keeps the start of a worker short.
SMALL = RunSpec(
    dataset="blobs",
    clustering="kmedian",
    fairness="social",
    optimizer="random",
    restarts=2,
    start_size=2,
    budget=25,
    max_rounds=3,
    target=1.0,
    seed=1,
)
LONG = dataclasses.replace(SMALL, budget=100, max_rounds=None, max_stalled=None, max_size=100_000)


def other(spec, seed):
    return dataclasses.replace(spec, seed=seed)


def until(condition, seconds=60.0):
    """Wait for a condition; the time it took."""
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > seconds:
            raise AssertionError("the condition did not come true in time")
        time.sleep(0.01)
    return time.monotonic() - begun


def worker_pid(runner, run_id):
    """The process that works on the run, once it is there; not one that has just ended."""

    def living():
        worker = runner._scheduler._workers.get(run_id)
        return worker is not None and worker.process.poll() is None

    until(living)
    return runner._scheduler._workers[run_id].process.pid


def workers_under(home):
    """Command lines of the worker processes of that home folder that exist now."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().decode()
            except OSError:
                continue
            if "antidote_core.engine.process.worker" in command and str(home) in command:
                found.append(command)
    return found


def plain(value):
    """Records and arrays as nested lists that `==` compares; times and later stages aside."""
    if dataclasses.is_dataclass(value):
        ignored = {"seconds", "search_began", "activity", "closed", "comparison"}
        return {
            f.name: plain(getattr(value, f.name))
            for f in dataclasses.fields(value)
            if f.name not in ignored
        }
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "seconds"}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value
