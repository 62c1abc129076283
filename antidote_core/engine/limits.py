"""How much one run, one visitor and all runs together may take, so that a class of thirty fits.

Each limit can be set by an environment variable; 0 takes it away.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from antidote_core.errors import RunError
from antidote_core.runs.kinds import JobKind

GIGABYTE = 1024**3
_MEMORY, _MINUTES, _LIVE, _QUEUE, _DISK = (
    "ANTIDOTE_WORKER_GB",
    "ANTIDOTE_RUN_MINUTES",
    "ANTIDOTE_RUNS_PER_VISITOR",
    "ANTIDOTE_QUEUE",
    "ANTIDOTE_FREE_GB",
)


def _setting(name: str, default: float) -> float:
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
    """The limits in force; 0 is none.

    >>> Limits(queue=2).queue
    2.0
    """

    worker_gigabytes: float = field(
        default_factory=lambda: _setting(_MEMORY, round(_machine_gigabytes() / 3, 1))
    )
    run_minutes: float = field(default_factory=lambda: _setting(_MINUTES, 60))
    runs_per_visitor: float = field(default_factory=lambda: _setting(_LIVE, 5))
    queue: float = field(default_factory=lambda: _setting(_QUEUE, 100))
    free_gigabytes: float = field(default_factory=lambda: _setting(_DISK, 0.2))

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
