"""One job in a process of its own: `python -m` of this module, with the folder of the job.

Reads what was asked (and the data, if they came with the job), does the work of that kind of job
and appends what happens to the log. Stops when the file `stop` appears in the folder.

Without a folder the process is a spare: it loads everything a run needs, then waits for a line on
standard input that names one. A run that gets a spare begins at once.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antidote_core.clustering import compiled
from antidote_core.datasets import load_dataset
from antidote_core.engine.job_folder import Lock, LogWriter, RunFolder
from antidote_core.engine.settings import (
    DISK_FULL,
    cap_memory,
    die_with,
    end_with_input,
    killed_with,
)
from antidote_core.engine.sweep.pool_jobs import ArenaWork, PaperWork, SweepWork
from antidote_core.engine.work import COMPILING, RunWork, Work
from antidote_core.runs.events import Activity
from antidote_core.runs.kinds import RUN, JobKind, kind_in

DONE, FAILED, TAKEN = 0, 1, 2
WORK: dict[str, type[Work[Any]]] = {
    work.kind.name: work for work in (RunWork, SweepWork, PaperWork, ArenaWork)
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on the run in the folder named on the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="antidote_core.engine.process.worker", description=__doc__
    )
    parser.add_argument("folder", type=Path, nargs="?", help="left out: wait for it to be named")
    parser.add_argument("--home", help="whose runs it waits for: tells processes apart in a list")
    parser.add_argument("--server", type=int, help="end when this parent process ends")
    parser.add_argument("--memory", type=float, default=0.0, help="gigabytes, 0 for no limit")
    options = parser.parse_args(arguments)
    cap_memory(options.memory)
    if options.folder is None:
        if options.server is not None:
            killed_with(options.server)
        folder = Spare().awaited()
    else:
        if options.server is not None:
            die_with(options.server)
        folder = RunFolder(options.folder)
    lock = Lock(folder.lock)
    if not lock.acquire():
        print("Another process is already working on this run.", file=sys.stderr)
        return TAKEN
    try:
        with LogWriter(folder.events) as log:
            return DONE if WORK[_kind(folder).name](folder, log).run() else FAILED
    except OSError as error:  # the log itself cannot be written: only the exit code can say so
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return DISK_FULL
    finally:
        lock.release()


class Spare:
    """A process that gets ready before it is needed."""

    def __init__(self) -> None:
        self._compiles = False
        self._ready, self._named = threading.Event(), threading.Event()
        self._folder: RunFolder | None = None
        threading.Thread(target=self._listen, name="lifeline", daemon=True).start()

    def awaited(self) -> RunFolder:
        """Load everything, then wait for the folder of a run; what is printed goes there."""
        import sklearn.cluster  # noqa: F401 -- plain clustering and the checks use it

        load_dataset("bank")  # what reads a table is loaded with the first one
        compiled.prepare(self._compiling)
        self._ready.set()
        self._named.wait()
        assert self._folder is not None
        with self._folder.output.open("ab") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        return self._folder

    def _compiling(self) -> None:
        self._compiles = True

    def _listen(self) -> None:
        """A run that comes before all is ready is told what it waits for."""
        line = sys.stdin.readline().rstrip("\n")
        if not line:  # not needed any more
            os._exit(DONE)
        folder = RunFolder(Path(line))
        if self._compiles and not self._ready.is_set():
            with LogWriter(folder.events) as log:
                log.append(Activity(text=COMPILING))
        self._folder = folder
        self._named.set()
        end_with_input()


def _kind(folder: RunFolder) -> JobKind:
    try:
        return kind_in(folder.spec.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):  # for the work itself to say
        return RUN


if __name__ == "__main__":
    exit_code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # Log and lock are closed; taking the compiler apart in order would hold the slot for 0.5 s.
    os._exit(exit_code)
