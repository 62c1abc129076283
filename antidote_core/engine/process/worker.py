"""One job in a process of its own: `python -m` of this module, with the folder of the job.

Reads what was asked (and the data, if they came with the job), does the work of that kind of job
and
appends what happens to the log. Stops when the file `stop` appears in the folder.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antidote_core.engine.job_folder import Lock, LogWriter, RunFolder
from antidote_core.engine.settings import DISK_FULL, cap_memory, die_with
from antidote_core.engine.sweep.pool_jobs import PaperWork, SweepWork
from antidote_core.engine.work import RunWork, Work
from antidote_core.runs.kinds import RUN, JobKind, kind_in

DONE, FAILED, TAKEN = 0, 1, 2
WORK: dict[str, type[Work[Any]]] = {
    work.kind.name: work for work in (RunWork, SweepWork, PaperWork)
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on the run in the folder named on the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="antidote_core.engine.process.worker", description=__doc__
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--server", type=int, help="end when this parent process ends")
    parser.add_argument("--memory", type=float, default=0.0, help="gigabytes, 0 for no limit")
    options = parser.parse_args(arguments)
    cap_memory(options.memory)
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
