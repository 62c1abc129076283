"""All cells in a few processes: a journal remembers what is done, so that a run can go on later."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

from antidote_core.errors import AntidoteError, SolverError
from antidote_core.paper import algorithm1_rows, fairness_rows, seconds_rows
from antidote_core.paper.results import Journal, Row
from antidote_core.paper.rows import CONVEX, SECONDS, TWIN, Cell, form_of

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
USUAL_SECONDS = 20.0  # of a cell that was never measured


@dataclass(frozen=True)
class Done:
    """A finished cell, how many are done and how many there are, and the seconds left, about."""

    cell: Cell
    row: Row
    done: int
    total: int
    seconds_left: float
    resumed: bool = False


def compute_cell(cell: Cell, seed: int) -> Row:
    """The row of one cell, in this process."""
    if cell.table == SECONDS:
        return seconds_rows.compute(cell, seed)
    if cell.table == CONVEX:
        return algorithm1_rows.compute(cell, seed)
    return fairness_rows.compute(cell, seed)


def run_cells(
    cells: Iterable[Cell],
    journal: Journal,
    processes: int = 2,
    known: Mapping[str, Row] | None = None,
) -> Iterator[Done]:
    """Compute what the journal does not hold yet; yields every cell as it is there.

    `known` are rows of an earlier run: their seconds say which cells to begin with, the longest,
    and how long it will take. Leaving the loop begins no more cells.
    """
    wanted = list(cells)
    finished = journal.rows()
    there = [cell for cell in wanted if _is_current(cell, finished.get(cell.key))]
    left = [cell for cell in wanted if cell not in there]
    cost = {
        cell: float((known or {}).get(cell.key, {}).get("seconds", USUAL_SECONDS)) for cell in left
    }
    total = len(wanted)
    for done, cell in enumerate(there, start=1):
        yield Done(cell, finished[cell.key], done, total, sum(cost.values()) / processes, True)
    if not left:
        return
    # Seconds are compared with seconds: these cells come last, when all processes do the same.
    left.sort(key=lambda cell: (cell.table == SECONDS, -cost[cell]))
    begun, spent = time.monotonic(), 0.0
    with _one_thread_each():
        pool = ProcessPoolExecutor(
            processes, mp_context=get_context("spawn"), initializer=_die_of_interrupts
        )
        try:
            running: dict[Future[Row], Cell] = {}
            waiting = iter(left)
            done = len(there)
            while True:
                for cell in islice(waiting, processes - len(running)):
                    running[pool.submit(compute_cell, cell, journal.seed)] = cell
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    cell = running.pop(future)
                    row = _result(future, cell)
                    journal.append(cell.key, row)
                    done += 1
                    spent += cost.pop(cell)
                    pace = (time.monotonic() - begun) / spent if spent else 1.0 / processes
                    yield Done(cell, row, done, total, pace * sum(cost.values()))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _is_current(cell: Cell, row: Row | None) -> bool:
    """Whether the row is there and of the form of the data that is here now."""
    return row is not None and row["real"] == (form_of(cell.dataset) != TWIN)


def _result(future: Future[Row], cell: Cell) -> Row:
    try:
        return future.result()
    except AntidoteError as error:
        raise type(error)(f"{cell.key}: {error}") from None
    except BrokenExecutor:
        raise SolverError(
            f"{cell.key}: a process of the computation was lost, perhaps for want of memory; run "
            "the same command again to go on, with --processes 1 if it happens again."
        ) from None


def _die_of_interrupts() -> None:
    """Ctrl-C ends a process at once and without a word: the journal has what is done."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Processes started here use one thread each; the settings of this one come back."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
