"""`python -m antidote_core paper`: recompute the paper's tables, go on where it was interrupted."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from antidote_core.cli.follow import Follow
from antidote_core.engine import RunError, Runner
from antidote_core.engine.limits import Limits
from antidote_core.errors import DataError, SpecError
from antidote_core.paper.results import new_results, read_results, stored_results, write_results
from antidote_core.paper.rows import MODES, TABLES, all_cells
from antidote_core.paper.tables import all_markdown, fill
from antidote_core.runs.events import Event, PaperRow, Workers
from antidote_core.runs.kinds import PAPER
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.state import JobState

STOP_SECONDS = 15.0
OUT = Path("paper-results.json")


def add_command(commands: Any) -> None:
    """The subcommand `paper`."""
    parser = commands.add_parser("paper", help="recompute the paper's tables beside its numbers")
    parser.set_defaults(call=_paper)
    parser.add_argument("--table", action="append", default=[], help=", ".join(TABLES))
    parser.add_argument("--dataset", action="append", default=[], help="adult, bank, ...")
    parser.add_argument("--mode", action="append", default=[], help=" or ".join(MODES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", type=Path, help=f"the results; {OUT} by default")
    parser.add_argument("--fresh", action="store_true", help="forget what was computed before")
    parser.add_argument(
        "--markdown", action="store_true",
        help="compute nothing: print the results of --out, or those that come with the software",
    )  # fmt: skip
    parser.add_argument(
        "--into", type=Path, help="with --markdown: renew the blocks of results in this page"
    )


def _paper(options: argparse.Namespace) -> int:
    if options.markdown:
        return _show(options)
    if options.into is not None:
        raise SpecError("--into goes with --markdown: it renews a page from results that exist.")
    for name, least in (("seed", 0), ("processes", 1)):
        if getattr(options, name) < least:
            raise SpecError(f"--{name} must be at least {least}; got {getattr(options, name)}.")
    all_cells(options.table, options.dataset, options.mode)  # a wrong name is said before work
    spec = PaperSpec(
        tuple(options.table), tuple(options.dataset), tuple(options.mode), options.seed
    )
    os.environ["ANTIDOTE_PROCESSES"] = str(options.processes)
    out = options.out or OUT
    begun = time.monotonic()
    with Runner(limits=Limits(run_minutes=0, runs_per_visitor=0)) as runner:
        if options.fresh:
            runner.discard(spec)
        job_id = runner.submit(spec)
        there = not runner.status(job_id).live
        follow = Follow(runner, job_id, PAPER, _nothing if there else _tell)
        try:
            follow.until_end()
        except KeyboardInterrupt:
            runner.stop(job_id)
            follow.until_end(STOP_SECONDS)
            raise
        view = follow.view
    if view.state != JobState.FINISHED:
        raise RunError(view.reason)
    write_results(out, new_results(options.seed, view.rows))
    print(f"{len(view.keys)} numbers in {_minutes(time.monotonic() - begun)}; results in {out}")
    return 0


def _nothing(event: Event, view: PaperView) -> None:
    """All of it was there before."""


def _tell(event: Event, view: PaperView) -> None:
    if isinstance(event, Workers) and view.known:
        print(f"{len(view.known)} of {len(view.keys)} were there already")
    if isinstance(event, PaperRow) and not event.known:
        print(_line(event, view), flush=True)


def _show(options: argparse.Namespace) -> int:
    results = read_results(options.out) if options.out else stored_results()
    if options.into is None:
        print(all_markdown(results))
        return 0
    try:
        page = options.into.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"The page {options.into} cannot be read: {error}.") from None
    options.into.write_text(fill(page, results), encoding="utf-8")
    print(f"renewed {options.into}", file=sys.stderr)
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
