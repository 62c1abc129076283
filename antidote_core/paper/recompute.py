"""One row of the paper, computed anew."""

from __future__ import annotations

from collections.abc import Iterable

from antidote_core.paper import algorithm1_rows, fairness_rows, seconds_rows
from antidote_core.paper.results import STORED, Row, stored_results
from antidote_core.paper.rows import CONVEX, SECONDS, TWIN, Cell, form_of

USUAL_SECONDS = 20.0  # of a row that was never measured


def compute_row(cell: Cell, seed: int) -> tuple[Row, fairness_rows.PaperRun | None]:
    """The row of one cell, in this process, and the run of Algorithm 2 that answers it, if any."""
    if cell.table == SECONDS:
        return seconds_rows.compute(cell, seed), None
    if cell.table == CONVEX:
        return algorithm1_rows.compute(cell, seed), None
    return fairness_rows.compute(cell, seed)


def in_order(cells: Iterable[Cell]) -> dict[Cell, float]:
    """The cells in the order in which to compute them, and the seconds each may take.

    The longest begin. Seconds are compared with seconds: these cells come last, when all processes
    do the same.
    """
    known = stored_results().rows if STORED.exists() else {}
    took = {cell: float(known.get(cell.key, {}).get("seconds", USUAL_SECONDS)) for cell in cells}
    order = sorted(took, key=lambda cell: (cell.table == SECONDS, -took[cell]))
    return {cell: took[cell] for cell in order}


def is_current(cell: Cell, row: Row) -> bool:
    """Whether the row is of the form of the data that is here now."""
    return bool(row["real"] == (form_of(cell.dataset) != TWIN))
