"""`python -m antidote_core paper`: recompute the paper's tables, go on where it was interrupted."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from antidote_core.cli.follow import Follow
from antidote_core.engine import RunError, Runner
from antidote_core.engine.settings import Limits
from antidote_core.errors import DataError, SpecError
from antidote_core.paper.results import new_results, read_results, stored_results, write_results
from antidote_core.paper.rows import all_cells
from antidote_core.paper.tables import all_markdown, fill
from antidote_core.runs.events import Event, PaperRow, Workers
from antidote_core.runs.kinds import PAPER
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.state import JobState

OUT = Path("paper-results.json")


def paper(
    settings: dict[str, Any],
    *,
    processes: int = 2,
    out: Path | None = None,
    fresh: bool = False,
    markdown: bool = False,
    into: Path | None = None,
) -> int:
    """Recompute the paper's tables beside its numbers."""
    if markdown:
        return _show(out, into)
    if into is not None:
        raise SpecError("--into goes with --markdown: it renews a page from results that exist.")
    seed = settings.get("seed", PaperSpec.seed)
    for name, value, least in (("seed", seed, 0), ("processes", processes, 1)):
        if value < least:
            raise SpecError(f"--{name} must be at least {least}; got {value}.")
    tables, datasets, modes = (tuple(settings.get(x, ())) for x in ("table", "dataset", "mode"))
    all_cells(tables, datasets, modes)  # a wrong name is said before work
    spec = PaperSpec(tables, datasets, modes, seed)
    os.environ["ANTIDOTE_PROCESSES"] = str(processes)
    out = out or OUT
    begun = time.monotonic()
    with Runner(limits=Limits(run_minutes=0, runs_per_visitor=0)) as runner:
        if fresh:
            runner.discard(spec)
        job_id = runner.submit(spec)
        there = not runner.status(job_id).live
        follow = Follow(runner, job_id, PAPER, (lambda *_: None) if there else _tell)
        if follow.until_end():
            raise KeyboardInterrupt
        view = follow.view
    if view.state != JobState.FINISHED:
        raise RunError(view.reason)
    write_results(out, new_results(spec.seed, view.rows))
    print(f"{len(view.keys)} numbers in {_minutes(time.monotonic() - begun)}; results in {out}")
    return 0


def _tell(event: Event, view: PaperView) -> None:
    if isinstance(event, Workers) and view.known:
        print(f"{len(view.known)} of {len(view.keys)} were there already")
    if isinstance(event, PaperRow) and not event.known:
        print(_line(event, view), flush=True)


def _show(out: Path | None, into: Path | None) -> int:
    results = read_results(out) if out else stored_results()
    if into is None:
        print(all_markdown(results))
        return 0
    try:
        page = into.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"The page {into} cannot be read: {error}.") from None
    into.write_text(fill(page, results), encoding="utf-8")
    print(f"renewed {into}", file=sys.stderr)
    return 0


def _line(event: PaperRow, view: PaperView) -> str:
    answer = event.row["answer"]
    if "cost" in answer:
        what = f"{event.row['vanilla']:.5g} -> {answer['cost']:.5g}, |V| = {answer['size']:,}"
    else:
        what = f"{answer['ratio']:.3g} times"
    return (
        f"[{len(view.rows)}/{len(view.keys)}] {event.key}: {what} "
        f"({event.row['seconds']:.0f} s); about {_minutes(view.left)} left"
    )


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
