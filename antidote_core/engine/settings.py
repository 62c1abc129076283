"""What the engine may use: where it keeps runs, how many work at once, how long it waits."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

import antidote_core

IDLE_SECONDS = 15 * 60.0  # a run that nobody has looked at for so long is stopped
STOP_SECONDS = 2.0  # between asking a worker to stop and ending its process, gently, then hard
TICK_SECONDS = 0.05  # between two looks at the workers and the queue
LOOK_SECONDS = 1.0  # between two attempts to take over the scheduling, and two looks for idle runs
CANCEL_SECONDS = 0.05  # between two looks of a worker at its stop file
BUSY_SECONDS = 10.0  # wait for another process that writes the index
LEASE_SECONDS = 5 * 60.0  # a temporary run whose owner is gone for so long is removed
JUMP_SECONDS = 5.0  # the clock goes so far another way than time: it was set, or the machine slept
TOUCH_SECONDS = 1.0  # looks closer together than this are written down once
WATCHING_SECONDS = 60.0  # who looked within this time counts as still watching
CACHED_VIEWS = 64  # folded runs kept in memory

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def default_home() -> Path:
    """The folder named by ANTIDOTE_HOME, else the place for a user's data on this platform."""
    named = os.environ.get("ANTIDOTE_HOME")
    if named:
        return Path(named).expanduser()
    return platformdirs.user_data_path("antidote", appauthor=False)


def default_scheduler() -> str:
    """Address of the dask scheduler that sweeps use unless told otherwise; empty for none."""
    return os.environ.get("ANTIDOTE_SCHEDULER", "").strip()


def cores() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def pool_processes() -> int:
    """How many processes compute the tasks of a job: ANTIDOTE_PROCESSES, else one per core."""
    text = os.environ.get("ANTIDOTE_PROCESSES", "").strip()
    return max(1, int(text)) if text.isdecimal() else cores()


def default_slots() -> int:
    """Runs that work at once: one core stays free for the screen."""
    return max(1, cores() - 1)


def worker_environment() -> dict[str, str]:
    """The environment of a worker: one thread per numerical library, and this very package."""
    package = str(Path(antidote_core.__file__).resolve().parent.parent)
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        **dict.fromkeys(_THREADS, "1"),
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
    }
