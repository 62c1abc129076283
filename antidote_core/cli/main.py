"""The command line: the library for scripts and for people without a browser."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.analysis.comparison import compare
from antidote_core.cli.frontier import add_command as add_frontier
from antidote_core.cli.paper import add_command as add_paper
from antidote_core.cli.parts import add_command as add_parts
from antidote_core.datasets import load_for
from antidote_core.errors import AntidoteError
from antidote_core.reporting.text.design_words import (
    cut_sentence,
    design_sentences,
    extreme_sentence,
)
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

REACHED, BAD_INPUT, NOT_REACHED, INTERRUPTED = 0, 2, 3, 130


class _Parser(argparse.ArgumentParser):
    """Bad arguments are answered in one line."""

    def error(self, message: str) -> Any:
        self.exit(BAD_INPUT, f"{self.prog}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    parser = _Parser(prog="python -m antidote_core", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    _add_run(commands)
    _add_compare(commands)
    add_paper(commands)
    add_frontier(commands)
    add_parts(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.call(options)
        return code
    except AntidoteError as error:
        print(f"antidote: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("antidote: interrupted", file=sys.stderr)
        return INTERRUPTED


def _add_run(commands: Any) -> None:
    parser = commands.add_parser("run", help="find antidote points by Algorithm 2")
    parser.set_defaults(call=_run)
    _add_problem(parser)
    _add_search(parser)
    parser.add_argument("--json", action="store_true", help="one JSON event per line")
    parser.add_argument("--out", type=Path, help="folder for events, result and antidote points")


def _add_compare(commands: Any) -> None:
    parser = commands.add_parser(
        "compare", help="plain clustering, fair algorithms in both scorings, antidote data"
    )
    parser.set_defaults(call=_compare)
    _add_problem(parser)
    _add_search(parser)
    parser.add_argument("--json", action="store_true", help="one JSON row per line")


def _add_problem(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dataset", required=True, help="adult, bank, creditcard, lfw, ...")
    parser.add_argument("--protected", help="another protected column")
    parser.add_argument("--rows", help="which rows or form of the data set")
    parser.add_argument("--sample", type=int, help="use a seeded sample of this many rows")
    parser.add_argument("--sample-seed", type=int, default=0, help="which sample")
    parser.add_argument("--clustering", default="kmeans")
    parser.add_argument("--fairness", default="balance")
    parser.add_argument("--k", type=int, default=2, help="number of clusters")
    parser.add_argument("--restarts", type=int, default=10, help="1 is the paper's way")
    parser.add_argument("--seed", type=int, default=0)


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--start-size", type=int, default=10, help="V_s, first size of V")
    parser.add_argument("--step", type=int, default=1, help="ξ, points added per round")
    parser.add_argument(
        "--target", default="vanilla", help="α: vanilla, sota, lowest (at --max-size) or a number"
    )
    parser.add_argument("--embed-dim", default="100", help="n′ of SRE, or none")
    parser.add_argument("--optimizer", default="structured")
    parser.add_argument("--growth", default="extend", help="extend, restart (paper) or bisect")
    parser.add_argument("--budget", type=int, default=1000, help="evaluations per round")
    parser.add_argument("--max-size", type=int)
    parser.add_argument("--max-rounds", type=int)
    parser.add_argument("--max-seconds", type=float)
    parser.add_argument("--box", default="minmax", help="plausible, minmax or wide")
    parser.add_argument("--shrink", action="store_true", help="drop points once reached")
    parser.add_argument("--spread", action="store_true", help="scatter clumps of points at the end")


def _number_or_name(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _spec(options: argparse.Namespace) -> RunSpec:
    settings = {
        name: value
        for name, value in vars(options).items()
        if name not in ("command", "call", "json", "out")
    }
    settings["target"] = _number_or_name(options.target)
    embed = _number_or_name(options.embed_dim)
    if isinstance(embed, float) and embed == math.floor(embed):
        embed = int(embed)
    settings["embed_dim"] = None if embed == "none" else embed
    return RunSpec(**settings)


def _run(options: argparse.Namespace) -> int:
    spec = _spec(options)
    data = load_for(spec)
    view = RunView()
    log = []
    for event in grow(spec, data):
        view = view.apply_event(event)
        log.append(event.to_json())
        if options.json:
            print(log[-1], flush=True)
        else:
            _tell(event, view)
    result = view.to_dict()
    if options.json:
        print(json.dumps({"kind": "result", **result}, separators=(",", ":")))
    else:
        extreme = extreme_sentence(data.points, view.antidote)
        for sentence in (*view.notes[len(data.notes) :], *design_sentences(view), extreme):
            if sentence:
                print(sentence)
    if options.out is not None:
        _write(options.out, spec, data, view, log, result)
    return REACHED if view.reached else NOT_REACHED


def _compare(options: argparse.Namespace) -> int:
    spec = _spec(options)
    heads = ("balance", "social", "silhouette", "Davies-B.", "Calinski-H.", "seconds", "|V|")
    if not options.json:
        print(f"{spec.dataset}, {spec.clustering}, k = {spec.k}; costs: lower is fairer")
        print(f"{'':24}{'scoring':16}" + "".join(f"{head:>12}" for head in heads))
    for row in compare(spec):
        if options.json:
            print(json.dumps(row.to_dict(), separators=(",", ":")), flush=True)
            continue
        scores = row.quality
        values = (
            row.balance, row.social, scores.silhouette, scores.davies_bouldin,
            scores.calinski_harabasz, row.seconds, row.size,
        )  # fmt: skip
        print(
            f"{row.name:24}{row.scoring:16}" + "".join(f"{value:12.5g}" for value in values),
            flush=True,
        )
        for note in row.notes:
            print(f"    {note}")
    return REACHED


def _tell(event: Event, view: RunView) -> None:
    """One line a person can read, for the events that matter."""
    data = event.data
    lines = {
        "vanilla": lambda: f"plain clustering: cost {data['cost']:.6g}",
        "target": lambda: (
            f"target: {'below' if data['strict'] else 'at most'} {data['target']:.6g}"
            + (f" ({data['sota']['name']}, {data['sota']['scoring']})" if data["sota"] else "")
        ),
        "noise": lambda: (
            f"plain clustering over other seeds: {min(data['costs']):.6g} "
            f"to {max(data['costs']):.6g}"
        ),
        "round": lambda: (
            f"round {data['index'] + 1}: |V| = {data['size']} "
            f"({100 * data['size'] / view.points:.3g}% of U), cost {data['cost']:.6g}, "
            f"{data['evaluations']} evaluations, {event.seconds:.1f} s"
        ),
        "cut": lambda: f"  {cut_sentence(data)}",
        "spread": lambda: f"spread out: cost {data['cost']:.6g}",
        "shrunk": lambda: f"shrunk to |V| = {view.size}, cost {data['cost']:.6g}",
        "verified": lambda: (
            f"independent clusterings that meet the target: {data['share']:.0%} "
            f"(best one: cost {data['best_cost']:.6g})"
        ),
        "finished": lambda: f"finished: {data['reason']}; {view.seconds:.1f} s",
        "stopped": lambda: f"stopped: {data['reason']}",
    }
    if event.type in lines:
        print(lines[event.type](), flush=True)


def _write(
    folder: Path, spec: RunSpec, data: Dataset, view: RunView, log: list[str], result: Any
) -> None:
    """events.jsonl, spec.json, result.json and antidote.csv (original units)."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.jsonl").write_text("\n".join(log) + "\n", encoding="utf-8")
    (folder / "spec.json").write_text(spec.to_json() + "\n", encoding="utf-8")
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    data.to_original(view.antidote).to_csv(folder / "antidote.csv", index=False)
