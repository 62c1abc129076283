"""The rows of the paper on their way into the store: each is a run that opens in Explore."""

from __future__ import annotations

import traceback
from typing import Any

from antidote_core.analysis.comparison import ANTIDOTE, VANILLA, solution_row
from antidote_core.engine.store.log import read
from antidote_core.engine.sweep.pool_work import Outcome, PoolWork, Task
from antidote_core.errors import SolverError, sentence
from antidote_core.paper.fairness_rows import PaperRun
from antidote_core.paper.recompute import compute_row, in_order, is_current
from antidote_core.paper.rows import Cell, all_cells
from antidote_core.problem import Problem
from antidote_core.runs.events import (
    Activity,
    Closed,
    Compared,
    Event,
    PaperRow,
    PaperStarted,
    Queued,
)
from antidote_core.runs.kinds import PAPER
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.sweep_view import DONE, FAILED
from antidote_core.runs.view import fold


class PaperWork(PoolWork[PaperView]):
    """Computes the rows that are not there yet."""

    kind = PAPER

    def _work(self) -> None:
        spec = self._folder.read_spec()
        assert isinstance(spec, PaperSpec)
        cells = in_order(all_cells(spec.tables, spec.datasets, spec.modes))
        expected = {cell.key: seconds for cell, seconds in cells.items()}
        self._emit(PaperStarted(paper=spec.to_json(), id=spec.id, expected=expected))
        self._keep_known({cell.key: cell for cell in cells})
        left = [cell for cell in cells if cell.key not in self._view.rows]
        tasks = [
            Task(cell.key, turn, compute_paper_row, (cell, spec.seed))
            for turn, cell in enumerate(left)
        ]
        self._compute((lambda pool: tasks) if tasks else None)

    def _keep_known(self, cells: dict[str, Cell]) -> None:
        """Rows of an earlier part of this log hold as before, if they are of the data here."""
        found = {e.key: e for e in read(self._folder.events)[0] if isinstance(e, PaperRow)}
        for key, event in found.items():
            if key in cells and is_current(cells[key], dict(event.row)):
                self._emit(PaperRow(key=key, row=event.row, run=event.run, known=True))

    def _task_begun(self, tag: str) -> None:
        self._emit(Activity(text=f"computing {tag}"))

    def _task_done(self, tag: str, outcome: Outcome) -> None:
        if outcome["state"] == FAILED:
            raise SolverError(f"{tag}: {outcome['reason']}")
        run_id = ""
        if outcome["events"]:
            events: list[Event] = [Queued(), *outcome["events"]]
            events.append(Closed(seconds=events[-1].seconds))
            run_id = self._store.keep_cell(
                outcome["spec"], outcome["row"]["data"], self._id, events, fold(events)
            )
        self._emit(PaperRow(key=tag, row=outcome["row"], run=run_id))

    def _finish_reason(self) -> str:
        return f"all {len(self._view.keys)} numbers are there"


def compute_paper_row(cell: Cell, seed: int) -> dict[str, Any]:
    """One row and the events of the run that answers it; runs on any machine."""
    try:
        row, answer = compute_row(cell, seed)
        if answer is None:
            return {"state": DONE, "row": row, "events": [], "spec": None}
        events = [*answer.happened, *_comparison(cell, answer)]
        return {"state": DONE, "row": row, "events": events, "spec": answer.asked}
    except Exception as error:
        return {"state": FAILED, "reason": sentence(error), "trace": traceback.format_exc()}


def _comparison(cell: Cell, answer: PaperRun) -> list[Event]:
    """The run beside plain clustering, as rows of comparison."""
    data, seconds = cell.load(), answer.happened[-1].seconds
    problem = Problem.of(answer.asked, data)
    rows = [solution_row(problem, VANILLA, data.points[:0], 0.0)]
    if answer.view.size:
        rows.append(solution_row(problem, ANTIDOTE, answer.view.antidote, answer.view.seconds))
    return [Compared(seconds=seconds, row=row.to_dict()) for row in rows]
