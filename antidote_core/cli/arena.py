"""`antidote arena`: every method on every data set by every notion, kept and resumed."""

from __future__ import annotations

import os
import sys
from json import dumps
from pathlib import Path
from typing import Any

from antidote_core.arena.records import SCORINGS, entries, write_records
from antidote_core.arena.standings import standings
from antidote_core.checks import did_you_mean
from antidote_core.cli import INTERRUPTED, ONE_BY_ONE, REACHED
from antidote_core.cli.jobs import (
    Follow,
    as_typed,
    minutes,
    read_seeds,
    split_names,
    unlimited_runner,
    whole_numbers,
)
from antidote_core.cli.run import check_out, own_table, write_texts
from antidote_core.datasets import dataset_info
from antidote_core.engine import RunError
from antidote_core.errors import SpecError, optional_packages
from antidote_core.fairness import FairnessCost, get_fairness
from antidote_core.reporting.text.arena_words import by_dataset, dataset_sentence, headline
from antidote_core.runs.arena_spec import ArenaSpec, ArenaView
from antidote_core.runs.events import ArenaRow, Event, Workers
from antidote_core.runs.kinds import ARENA
from antidote_core.types import Dataset

EXPORTS = ("csv", "latex")
OWNER = "command line"  # whose arenas on tables of one's own are found again


def arena(
    settings: dict[str, Any],
    *,
    data: Path | None = None,
    features: str = "",
    protected: str = "",
    weights: str = "",
    fairness: str = "balance",
    scoring: str = "own",
    workers: int = 0,
    scheduler: str = "",
    out: Path | None = None,
    export: str = "",
    json: bool = False,
) -> int:
    """Plain clustering, every fair algorithm and antidote data, by every notion, over seeds."""
    if export and export not in EXPORTS:
        raise SpecError(f"--export must be one of {', '.join(EXPORTS)}; got {export!r}.")
    if scoring not in SCORINGS:
        hint = did_you_mean(scoring, SCORINGS)
        raise SpecError(f"--scoring must be one of {', '.join(SCORINGS)}; got {scoring!r}{hint}.")
    if workers < 0:
        raise SpecError(f"--workers must be at least 1, or 0 for one per core; got {workers}.")
    cost = get_fairness(fairness)
    own = _own(settings, data, features, protected, weights)
    if own is None:
        for name in split_names(*settings.get("dataset", ())):
            dataset_info(name)
    spec = _spec(settings)
    keys = entries(spec)  # a wrong name is said before work
    if spec.notions and fairness not in spec.notions:
        raise SpecError(
            f"--fairness {fairness} is not among the --notions {','.join(spec.notions)} that are "
            "measured; add it there."
        )
    if out is not None:
        check_out(out)
    if workers:
        os.environ["ANTIDOTE_PROCESSES"] = str(workers)
    if not json:
        print(f"{len(keys)} entries", file=sys.stderr)
    with unlimited_runner() as runner:
        job_id = runner.submit(spec, own, OWNER, scheduler=scheduler)
        follow = Follow(runner, job_id, ARENA, _tell_json if json else _tell, OWNER)
        interrupted = follow.until_end()
    view: ArenaView = follow.view
    if view.state in ("failed", "dead"):
        raise RunError(view.reason)
    records = [dict(view.rows[key]) for key in view.keys if key in view.rows]
    if export:
        print(_exported(records, cost, scoring, export), end="")
    elif not json:
        _print_standings(records, cost, scoring)
    if out is not None:
        _write(out, spec, records, cost, scoring)
    for key, reason in view.failed.items():
        print(f"antidote: {key} failed: {reason}", file=sys.stderr)
    if interrupted:
        print("antidote: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    return REACHED


def _own(
    settings: dict[str, Any], data: Path | None, features: str, protected: str, weights: str
) -> Dataset | None:
    """The table of one's own, named in the settings from then on; None where none is given."""
    if data is None:
        if features or protected or weights:
            raise SpecError(
                "--features, --protected and --weights go with --data FILE, a table of your own."
            )
        return None
    named = settings.pop("dataset", None)
    asked: dict[str, Any] = {"protected": protected, "dataset": ",".join(named or ())}
    table = own_table(asked, data, features, "", weights)
    settings["dataset"] = [table.name]
    return table


def _spec(settings: dict[str, Any]) -> ArenaSpec:
    given: dict[str, Any] = {}
    for field in ("datasets", "ks", "methods", "notions"):
        name = ONE_BY_ONE.get(field, (field,))[0]
        if name in settings:
            texts = split_names(*settings[name])
            given[field] = whole_numbers(name, texts) if field == "ks" else texts
    if "seeds" in settings:
        given["seeds"] = read_seeds(settings["seeds"])
    if settings.get("sample") is not None:
        given["sample"] = settings["sample"]
    return ArenaSpec(**given)


def _tell_json(event: Event, view: ArenaView) -> None:
    if isinstance(event, ArenaRow) and not event.reason:
        print(dumps(event.row, separators=(",", ":"), ensure_ascii=False), flush=True)


def _tell(event: Event, view: ArenaView) -> None:
    """Progress, on the standard error: what is asked for goes to the standard output."""
    if isinstance(event, Workers) and view.known:
        print(f"{len(view.known)} of {len(view.keys)} were there already", file=sys.stderr)
    if not isinstance(event, ArenaRow) or event.known:
        return
    what = event.reason or event.row["refused"]
    what = f"no result: {what}" if what else f"{event.row['seconds']:.3g} s"
    left = f"; about {minutes(view.left)} left" if view.left > 0 else ""
    place = f"[{view.settled}/{len(view.keys)}]"
    print(f"{place} {event.key}: {what}{left}", file=sys.stderr, flush=True)


def _print_standings(records: list[dict[str, Any]], cost: FairnessCost, scoring: str) -> None:
    rows = standings(records, cost.name, scoring)
    print(as_typed(headline(rows, cost)))
    for mine in by_dataset(rows).values():
        print(as_typed(dataset_sentence(mine, cost)))
    print(f"\n{'':40}{'k':>3}{cost.label:>26}{'price':>10}{'seconds':>10}{'|V|':>8}{'moved':>8}")
    for mine in by_dataset(rows).values():
        print(mine[0].title)
        for row in mine:
            if not row.measured:
                print(f"  {row.method_title[:36]:38}{row.k:3}  no result: {row.refused}")
                continue
            print(
                f"  {row.method_title[:36]:38}{row.k:3}{row.cost:26.4f}{row.price:10.1%}"
                f"{row.seconds:10.3g}{row.size:8.0f}{row.moved:8.1%}"
            )


def _exported(records: list[dict[str, Any]], cost: FairnessCost, scoring: str, export: str) -> str:
    with optional_packages():
        from antidote_core.reporting.documents.arena_report import arena_csv, arena_latex

    if export == "csv":
        return arena_csv(records)
    return arena_latex(standings(records, cost.name, scoring), cost)


def _write(
    out: Path, spec: ArenaSpec, records: list[dict[str, Any]], cost: FairnessCost, scoring: str
) -> None:
    write_records(out / "arena.jsonl.gz", records)
    write_texts(out, {
        "arena.json": spec.to_json(),
        "arena.csv": _exported(records, cost, scoring, "csv").rstrip("\n"),
        "arena.tex": _exported(records, cost, scoring, "latex").rstrip("\n"),
    })  # fmt: skip
