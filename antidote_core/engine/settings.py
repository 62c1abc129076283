"""What the engine and its processes may take: folders, waits, limits, and how processes end.

Each limit can be set by an environment variable; 0 takes it away (with ANTIDOTE_SPARES, no process
waits for a run). A class of thirty fits.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

import antidote_core
from antidote_core.errors import RunError
from antidote_core.runs.kinds import JobKind

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
READY_SECONDS = 15 * 60.0  # after the last visitor, processes are kept ready for so long
SPARE_SECONDS = 1.0  # after the end of a run: its page is drawn before a new process gets ready
FAILED_SPARE_SECONDS = 60.0  # before the next one, where a process could not get ready
CACHED_VIEWS = 64  # folded runs kept in memory

DISK_FULL = 3  # exit code of a worker that can no longer write its log
GIGABYTE = 1024**3

_PR_SET_PDEATHSIG = 1
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


def _limit(name: str, default: float) -> float:
    """What the variable sets the limit to; NaN, inf and anything below 0 are refused."""
    text = os.environ.get(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise RunError(f"{name} is {text!r}; give a number, 0 for no limit.")
    return value


def _machine_gigabytes() -> float:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIGABYTE
    except (AttributeError, ValueError, OSError):  # not told on this platform
        return 0.0


@dataclass(frozen=True)
class Limits:
    """The limits in force; 0 is none, but for `spares`, the processes kept ready for runs.

    >>> Limits(queue=2).queue
    2.0
    """

    worker_gigabytes: float = field(
        default_factory=lambda: _limit("ANTIDOTE_WORKER_GB", round(_machine_gigabytes() / 3, 1))
    )
    run_minutes: float = field(default_factory=lambda: _limit("ANTIDOTE_RUN_MINUTES", 60))
    runs_per_visitor: float = field(default_factory=lambda: _limit("ANTIDOTE_RUNS_PER_VISITOR", 5))
    queue: float = field(default_factory=lambda: _limit("ANTIDOTE_QUEUE", 100))
    free_gigabytes: float = field(default_factory=lambda: _limit("ANTIDOTE_FREE_GB", 0.2))
    spares: float = field(default_factory=lambda: _limit("ANTIDOTE_SPARES", default_slots()))

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            object.__setattr__(self, name, float(getattr(self, name)))

    def check_capacity(self, live_of_visitor: int, queued: int, folder: Path) -> None:
        """Raise a RunError with a sentence when one more run would be too many."""
        if self.runs_per_visitor and live_of_visitor >= self.runs_per_visitor:
            raise RunError(
                f"You have {live_of_visitor} runs that wait or work, and the limit here is "
                f"{self.runs_per_visitor:g}; wait for one to end, or stop one."
            )
        if self.queue and queued >= self.queue:
            raise RunError(
                f"{queued} runs are waiting already, and the limit here is {self.queue:g}; try "
                "again in a few minutes."
            )
        free = shutil.disk_usage(folder).free / GIGABYTE
        if self.free_gigabytes and free < self.free_gigabytes:
            raise RunError(
                f"Only {free * 1024:.0f} MB of disk space are left where runs are kept, and "
                f"{self.free_gigabytes * 1024:.0f} MB must stay free; delete runs you no longer "
                "need, or name another folder in ANTIDOTE_HOME."
            )

    def time_is_up(self, kind: JobKind) -> str:
        """Why a job that took too long was stopped."""
        kept = "resume it to go on" if kind.resumes else "the best V so far is kept"
        return f"the {kind.name} used its {self.run_minutes:g} minutes; {kept}"


def cap_memory(gigabytes: float) -> None:
    """Let this process have no more memory of its own; what goes beyond is a MemoryError."""
    if gigabytes and sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(gigabytes * GIGABYTE), hard))


def start_process(module: str, *arguments: object, output: Any) -> subprocess.Popen[bytes]:
    """Start `python -m module`; its standard input ends when we do, or by `let_go`."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=output,
        env=worker_environment(),
        start_new_session=True,  # a Ctrl-C in the terminal is for the server
    )


def let_go(process: subprocess.Popen[bytes]) -> None:
    """Close our end of the standard input of a process."""
    if process.stdin is not None:
        process.stdin.close()


def die_with(server: int) -> None:
    """End this process when the process `server`, which started it, ends.

    Linux: the kernel kills us, even inside a long call of compiled code. Everywhere: our standard
    input is a pipe from the server, and it ends when the server does.
    """
    killed_with(server)
    threading.Thread(target=end_with_input, name="lifeline", daemon=True).start()


def killed_with(server: int) -> None:
    """Let the kernel end this process when the thread of `server` that started it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != server:  # it ended before we asked to be told
            os._exit(1)


def end_with_input() -> None:
    """End this process when its standard input ends."""
    while os.read(0, 1):
        pass
    os._exit(1)
