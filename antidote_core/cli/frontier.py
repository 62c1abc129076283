"""`python -m antidote_core frontier`: a sweep from the shell, resumed by the same command."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

from antidote_core.analysis.frontier_curves import Curve, curves
from antidote_core.cli.follow import Follow
from antidote_core.engine import RunError, Runner
from antidote_core.engine.limits import Limits
from antidote_core.errors import SpecError
from antidote_core.reporting.figures.frontier_table import cell_table, problem_title, setting_title
from antidote_core.reporting.text.frontier_words import (
    before_sentence,
    cells_sentence,
    curve_sentence,
    sure_sentences,
)
from antidote_core.reporting.text.words import duration
from antidote_core.runs.events import Event
from antidote_core.runs.kinds import SWEEP
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, SweepView
from antidote_core.types import jsonable

REACHED, NOT_REACHED, INTERRUPTED = 0, 3, 130  # as for `run`
STOP_SECONDS = 15.0


def add_command(commands: Any) -> None:
    """The subcommand `frontier`."""
    parser = commands.add_parser(
        "frontier", help="cost against the number of antidote points, over seeds"
    )
    parser.set_defaults(call=_frontier)
    parser.add_argument("--dataset", required=True, help="adult, bank, creditcard, lfw, ...")
    parser.add_argument("--protected", help="another protected column")
    parser.add_argument("--rows", help="which rows or form of the data set")
    parser.add_argument("--sample", type=int, help="use a seeded sample of this many rows")
    parser.add_argument("--sample-seed", type=int, default=0, help="which sample")
    for name, default, what in (
        ("--clustering", "kmeans", "clusterings"),
        ("--fairness", "balance", "costs; every clustering goes with every cost"),
        ("--optimizer", "structured", "optimizers, design among them"),
        ("--box", "minmax", "where V may lie: plausible, minmax, wide"),
        ("--k", "2", "numbers of clusters"),
        ("--sizes", "10,20,50,100", "numbers of antidote points"),
    ):
        parser.add_argument(
            name, action="append", metavar="A,B,...", help=f"{what} (default: {default})"
        )
    parser.add_argument("--seeds", default="5", help="how many, or which: 0,1,7")
    parser.add_argument("--target", default="vanilla", help="α: vanilla, sota or a number")
    parser.add_argument("--restarts", type=int, default=10, help="1 is the paper's way")
    parser.add_argument("--budget", type=int, default=1000, help="evaluations per cell")
    parser.add_argument("--embed-dim", default="100", help="n′ of SRE, or none")
    parser.add_argument("--scheduler", default="", metavar="ADDRESS", help="tcp://host:port")
    parser.add_argument("--json", action="store_true", help="one JSON event per line")
    parser.add_argument("--out", type=Path, help="folder for events, cells and curves")


def _frontier(options: argparse.Namespace) -> int:
    spec = _spec(options)
    # What limits visitors of a server does not limit who runs this.
    with Runner(limits=Limits(run_minutes=0, runs_per_visitor=0)) as runner:
        sweep_id = runner.submit(spec, scheduler=options.scheduler)
        follow = Follow(runner, sweep_id, SWEEP, _print_event if options.json else _Lines())
        interrupted = False
        try:
            follow.until_end()
        except KeyboardInterrupt:
            interrupted = True
            runner.stop(sweep_id)
            follow.until_end(STOP_SECONDS)
        view, lines = follow.view, follow.lines
    if view.state in ("failed", "dead"):
        raise RunError(view.reason)
    found = curves(view)
    if options.json:
        print(json.dumps({"kind": "result", **_result(view, found)}, separators=(",", ":")))
    else:
        _print_result(view, found)
    if options.out is not None:
        _write(options.out, spec, view, found, lines)
    if interrupted:
        print("antidote: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    return REACHED if all(x.smallest is not None for x in found) else NOT_REACHED


def _spec(options: argparse.Namespace) -> SweepSpec:
    embed: Any = options.embed_dim
    return SweepSpec(
        dataset=options.dataset,
        combinations=tuple(
            product(_list(options.clustering, "kmeans"), _list(options.fairness, "balance"))
        ),
        optimizers=_list(options.optimizer, "structured"),
        boxes=_list(options.box, "minmax"),
        ks=_whole("--k", _list(options.k, "2")),
        sizes=_whole("--sizes", _list(options.sizes, "10,20,50,100")),
        seeds=_seeds(options.seeds),
        target=_number_or_name(options.target),
        restarts=options.restarts,
        budget=options.budget,
        embed_dim=None if embed == "none" else _whole("--embed-dim", (embed,))[0],
        protected=options.protected,
        rows=options.rows,
        sample=options.sample,
        sample_seed=options.sample_seed,
    )


def _list(given: list[str] | None, default: str) -> tuple[str, ...]:
    return tuple(
        part.strip() for text in given or [default] for part in text.split(",") if part.strip()
    )


def _whole(name: str, texts: tuple[str, ...]) -> tuple[int, ...]:
    try:
        return tuple(int(text) for text in texts)
    except ValueError:
        raise SpecError(f"{name} must be whole numbers; got {','.join(texts)}.") from None


def _seeds(text: str) -> tuple[int, ...]:
    given = _whole("--seeds", _list([text], ""))
    if "," in text or not given:
        return given
    if given[0] < 1:
        raise SpecError(f"--seeds must be at least 1, or a list of seeds; got {text}.")
    return tuple(range(given[0]))


def _number_or_name(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _print_event(event: Event, view: SweepView) -> None:
    print(event.to_json(), flush=True)


class _Lines:
    """Events as lines for people."""

    def __call__(self, event: Event, view: SweepView) -> None:
        """Print what is worth a line."""
        data = event.data
        if event.type == "stage":
            print(f"{data['text']} …", flush=True)
        elif event.type == "workers" and data["count"]:
            where = f"on the cluster at {data['scheduler']}" if data["scheduler"] else "here"
            print(f"{data['count']} worker processes {where}", flush=True)
        elif event.type == "note":
            print(data["text"], flush=True)
        elif event.type == "reference":
            problem = (data["problem"][0], data["problem"][1], data["problem"][2])
            print(f"{problem_title(problem)}: {_plain(before_sentence(view, problem))}", flush=True)
        elif event.type == "cell" and data["state"] in (DONE, FAILED):
            self._cell(data, view)

    def _cell(self, data: Any, view: SweepView) -> None:
        assert view.spec is not None
        row = view.rows[data["index"]]
        left = f", about {duration(view.left)} left" if view.left > 0 else ""
        what = f"cost {row.cost:.6g}" if row.done else f"failed: {row.reason}"
        if row.done and row.verified is not None:
            what += f", {row.verified:.0%} of checks reach the target"
        known = " (known from before)" if row.reused else ""
        print(
            f"[{view.settled}/{len(view.rows)}{left}] {_title(view, row.setting)}, "
            f"|V| = {row.size}, seed {row.seed}: {what}{known}",
            flush=True,
        )


def _title(view: SweepView, setting: Any) -> str:
    assert view.spec is not None
    return f"{problem_title(setting.problem)}, {setting_title(setting, view.spec)}"


def _print_result(view: SweepView, found: tuple[Curve, ...]) -> None:
    print()
    print(_plain(cells_sentence(view)))
    for curve in found:
        print(f"\n{_title(view, curve.setting)}")
        print(f"  {'|V|':>8}{'% of U':>10}{'median cost':>14}{'band':>14}{'':12}  seeds that reach")
        for level in curve.levels:
            mark = "  <- smallest" if curve.smallest and curve.smallest.size == level.size else ""
            print(
                f"  {level.size:8d}{100 * level.share:10.3g}{level.median:14.6g}{level.low:14.6g}"
                f"{level.high:12.6g}  {level.passed} of {level.judged}{mark}"
            )
        for sentence in (curve_sentence(view, curve), *sure_sentences(view, curve)):
            print(f"  {_plain(sentence)}")


def _plain(text: str) -> str:
    """Without the spaces that keep words together on a page."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def _result(view: SweepView, found: tuple[Curve, ...]) -> dict[str, Any]:
    return {
        "state": view.state,
        "reason": view.reason,
        "points": view.points,
        "cells": len(view.rows),
        "done": view.count(DONE),
        "failed": view.count(FAILED),
        "curves": [_curve(curve) for curve in found],
    }


def _curve(curve: Curve) -> dict[str, Any]:
    levels = []
    for level in curve.levels:
        values = asdict(level)
        values["rows"] = [row.index for row in level.rows]
        levels.append(values)
    found: dict[str, Any] = jsonable(
        {
            "setting": asdict(curve.setting),
            "target": curve.reference.target if curve.reference else None,
            "levels": levels,
            "smallest": asdict(curve.smallest) if curve.smallest else None,
            "sureness": asdict(curve.sureness) if curve.sureness else None,
        }
    )
    return found


def _write(
    folder: Path, spec: SweepSpec, view: SweepView, found: tuple[Curve, ...], lines: list[str]
) -> None:
    """events.jsonl, sweep.json, frontier.json and cells.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "sweep.json").write_text(spec.to_json() + "\n", encoding="utf-8")
    result = json.dumps(_result(view, found), indent=1)
    (folder / "frontier.json").write_text(result + "\n", encoding="utf-8")
    cell_table(view).to_csv(folder / "cells.csv", index=False)
