"""`python -m antidote_core frontier`: a sweep from the shell, resumed by the same command."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import product
from json import dumps
from pathlib import Path
from typing import Any

from antidote_core.analysis.frontier_curves import Curve, curves
from antidote_core.cli.follow import Follow
from antidote_core.cli.options import INTERRUPTED, NOT_REACHED, ONE_BY_ONE, REACHED
from antidote_core.cli.run import read_settings
from antidote_core.engine import RunError, Runner
from antidote_core.engine.limits import Limits
from antidote_core.errors import SpecError
from antidote_core.reporting.figures.frontier_table import cell_table, setting_title
from antidote_core.reporting.text.frontier_words import (
    before_sentence,
    cells_sentence,
    curve_sentence,
    sure_sentences,
)
from antidote_core.reporting.text.run_words import problem_title
from antidote_core.reporting.text.words import duration
from antidote_core.runs.events import Event
from antidote_core.runs.kinds import SWEEP
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, SweepView
from antidote_core.types import jsonable


def frontier(
    settings: dict[str, Any], *, scheduler: str = "", json: bool = False, out: Path | None = None
) -> int:
    """Cost against the number of antidote points, over seeds."""
    spec = _spec(settings)
    # What limits visitors of a server does not limit who runs this.
    with Runner(limits=Limits(run_minutes=0, runs_per_visitor=0)) as runner:
        sweep_id = runner.submit(spec, scheduler=scheduler)
        tell = (lambda event, _: print(event.to_json(), flush=True)) if json else _tell
        follow = Follow(runner, sweep_id, SWEEP, tell)
        interrupted = follow.until_end()
        view, lines = follow.view, follow.lines
    if view.state in ("failed", "dead"):
        raise RunError(view.reason)
    found = curves(view)
    if json:
        print(dumps({"kind": "result", **_result(view, found)}, separators=(",", ":")))
    else:
        _print_result(view, found)
    if out is not None:
        _write(out, spec, view, found, lines)
    if interrupted:
        print("antidote: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    return REACHED if all(x.smallest is not None for x in found) else NOT_REACHED


def _spec(settings: dict[str, Any]) -> SweepSpec:
    if settings.get("embed_dim", "none") != "none":
        _whole("embed-dim", (settings["embed_dim"],))
    given = read_settings(settings)
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = _whole(name, _split(*value)) if name in ("k", "sizes") else _split(*value)
    if "seeds" in given:
        given["seeds"] = _seeds(given["seeds"])
    pairs = product(*(given.pop(x, (getattr(RunSpec, x),)) for x in ("clustering", "fairness")))
    for field in ("optimizers", "boxes", "ks"):
        if ONE_BY_ONE[field][0] in given:
            given[field] = given.pop(ONE_BY_ONE[field][0])
    return SweepSpec(combinations=tuple(pairs), **given)


def _split(*texts: str) -> tuple[str, ...]:
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def _whole(name: str, texts: tuple[str, ...]) -> tuple[int, ...]:
    try:
        return tuple(int(text) for text in texts)
    except ValueError:
        raise SpecError(f"--{name} must be whole numbers; got {','.join(texts)}.") from None


def _seeds(text: str) -> tuple[int, ...]:
    given = _whole("seeds", _split(text))
    if "," in text or not given:
        return given
    if given[0] < 1:
        raise SpecError(f"--seeds must be at least 1, or a list of seeds; got {text}.")
    return tuple(range(given[0]))


def _tell(event: Event, view: SweepView) -> None:
    """One line a person can read, for the events that matter."""
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
        _print_cell(data, view)


def _print_cell(data: Any, view: SweepView) -> None:
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
    result = dumps(_result(view, found), indent=1)
    (folder / "frontier.json").write_text(result + "\n", encoding="utf-8")
    cell_table(view).to_csv(folder / "cells.csv", index=False)
