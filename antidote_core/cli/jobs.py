"""`python -m antidote_core frontier` and `paper`: jobs of the store, followed and resumed."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from json import dumps
from pathlib import Path
from typing import Any

from antidote_core.analysis.frontier_curves import Curve, curves
from antidote_core.cli import INTERRUPTED, NOT_REACHED, ONE_BY_ONE, REACHED
from antidote_core.cli.run import check_out, read_settings, write_texts
from antidote_core.engine import RunError, Runner
from antidote_core.engine.settings import Limits
from antidote_core.errors import DataError, SpecError
from antidote_core.paper.rows import (
    all_cells,
    new_results,
    read_results,
    stored_results,
    write_results,
)
from antidote_core.paper.tables import all_markdown, fill
from antidote_core.reporting.figures.frontier_table import cell_table, problem_title, setting_title
from antidote_core.reporting.text.frontier_words import (
    before_sentence,
    cells_sentence,
    curve_sentence,
    sure_sentences,
)
from antidote_core.reporting.text.words import duration
from antidote_core.runs.events import Event, PaperRow, Workers
from antidote_core.runs.kinds import PAPER, SWEEP, JobKind
from antidote_core.runs.paper_spec import PaperSpec, PaperView
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.state import JobState
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, SweepView
from antidote_core.types import jsonable

OUT = Path("paper-results.json")
LOOK_SECONDS = 0.2
STOP_SECONDS = 15.0


def frontier(
    settings: dict[str, Any], *, scheduler: str = "", json: bool = False, out: Path | None = None
) -> int:
    """Cost against the number of antidote points, over seeds."""
    spec = _sweep_spec(settings)
    if out is not None:
        check_out(out)
    tell = (lambda event, _: print(event.to_json(), flush=True)) if json else _tell_sweep
    with unlimited_runner() as runner:
        follow = Follow(runner, runner.submit(spec, scheduler=scheduler), SWEEP, tell)
        interrupted = follow.until_end()
    view: SweepView = follow.view
    if view.state in ("failed", "dead"):
        raise RunError(view.reason)
    found = curves(view)
    if json:
        print(dumps({"kind": "result", **_result(view, found)}, separators=(",", ":")))
    else:
        _print_result(view, found)
    if out is not None:
        result = dumps(_result(view, found), indent=1)
        log = "\n".join(follow.lines)
        texts = {"events.jsonl": log, "sweep.json": spec.to_json(), "frontier.json": result}
        write_texts(out, texts)
        cell_table(view).to_csv(out / "cells.csv", index=False)
    if interrupted:
        print("antidote: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    return REACHED if all(x.smallest is not None for x in found) else NOT_REACHED


def _sweep_spec(settings: dict[str, Any]) -> SweepSpec:
    if settings.get("embed_dim", "none") != "none":
        whole_numbers("embed-dim", (settings["embed_dim"],))
    given = read_settings(settings)
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = (
                whole_numbers(name, split_names(*value))
                if name in ("k", "sizes")
                else split_names(*value)
            )
    if "seeds" in given:
        given["seeds"] = read_seeds(given["seeds"])
    pairs = product(*(given.pop(x, (getattr(RunSpec, x),)) for x in ("clustering", "fairness")))
    for field in ("optimizers", "boxes", "ks"):
        if ONE_BY_ONE[field][0] in given:
            given[field] = given.pop(ONE_BY_ONE[field][0])
    return SweepSpec(combinations=tuple(pairs), **given)


def split_names(*texts: str) -> tuple[str, ...]:
    """What an option lists, with commas or by being repeated."""
    return tuple(part.strip() for text in texts for part in text.split(",") if part.strip())


def whole_numbers(name: str, texts: tuple[str, ...]) -> tuple[int, ...]:
    """The numbers that an option lists, or a sentence."""
    try:
        return tuple(int(text) for text in texts)
    except ValueError:
        raise SpecError(f"--{name} must be whole numbers; got {','.join(texts)}.") from None


def read_seeds(text: str) -> tuple[int, ...]:
    """The seeds that are listed, or so many from 0 on."""
    given = whole_numbers("seeds", split_names(text))
    if "," in text or not given:
        return given
    if given[0] < 1:
        raise SpecError(f"--seeds must be at least 1, or a list of seeds; got {text}.")
    return tuple(range(given[0]))


def _tell_sweep(event: Event, view: SweepView) -> None:
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
        print(f"{problem_title(problem)}: {as_typed(before_sentence(view, problem))}", flush=True)
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
    print(as_typed(cells_sentence(view)))
    for curve in found:
        print(f"\n{_title(view, curve.setting)}")
        print(f"  {'|V|':>8}{'% of U':>10}{'median cost':>14}{'band':>14}{'':12}"
              f"{'price':>10}{'min. share':>12}  seeds that reach")  # fmt: skip
        for level in curve.levels:
            mark = "  <- smallest" if curve.smallest and curve.smallest.size == level.size else ""
            print(
                f"  {level.size:8d}{100 * level.share:10.3g}{level.median:14.6g}{level.low:14.6g}"
                f"{level.high:12.6g}{level.price:10.3g}{level.smallest_share:12.3g}"
                f"  {level.passed} of {level.judged}{mark}"
            )
        for sentence in (curve_sentence(view, curve), *sure_sentences(view, curve)):
            print(f"  {as_typed(sentence)}")


def as_typed(text: str) -> str:
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
    levels = [{**asdict(x), "rows": [row.index for row in x.rows]} for x in curve.levels]
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
    check_out(out.parent)
    begun = time.monotonic()
    with unlimited_runner() as runner:
        if fresh:
            runner.discard(spec)
        job_id = runner.submit(spec)
        there = not runner.status(job_id).live
        follow = Follow(runner, job_id, PAPER, (lambda *_: None) if there else _tell_paper)
        if follow.until_end():
            raise KeyboardInterrupt
    view = follow.view
    if view.state != JobState.FINISHED:
        raise RunError(view.reason)
    write_results(out, new_results(spec.seed, view.rows))
    print(f"{len(view.keys)} numbers in {minutes(time.monotonic() - begun)}; results in {out}")
    return 0


def _tell_paper(event: Event, view: PaperView) -> None:
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
        f"({event.row['seconds']:.0f} s); about {minutes(view.left)} left"
    )


def minutes(seconds: float) -> str:
    """About how long something takes."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def unlimited_runner() -> Runner:
    """What limits visitors of a server does not limit who runs this."""
    return Runner(limits=Limits(run_minutes=0, runs_per_visitor=0))


class Follow:
    """The events of a job, told one by one, and the view that they make."""

    def __init__(
        self,
        runner: Runner,
        run_id: str,
        kind: JobKind,
        tell: Callable[[Event, Any], None],
        owner: str | None = None,
    ) -> None:
        self._runner = runner
        self._owner = owner
        self._id = run_id
        self._tell = tell
        self._offset = self._latest_part()
        self.view: Any = kind.view()
        self.lines: list[str] = []

    def until_end(self) -> bool:
        """Tell every event until the last one; Ctrl-C stops the job. Returns whether it did."""
        try:
            self._follow(math.inf)
            return False
        except KeyboardInterrupt:
            self._runner.stop(self._id, self._owner)
            self._follow(STOP_SECONDS)
            return True

    def _follow(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            live = self._runner.status(self._id, self._owner).live
            events, self._offset = self._runner.events(self._id, self._offset, self._owner)
            for event in events:
                self.view = self.view.apply_event(event)
                self.lines.append(event.to_json())
                self._tell(event, self.view)
            if self.view.closed or not live:
                return
            time.sleep(LOOK_SECONDS)

    def _latest_part(self) -> int:
        """The offset of the last "queued" of the log: a resumed job begins anew there."""
        text = b"\n" + self._runner.store.folder(self._id).events.read_bytes()
        return max(0, text.rfind(b'\n{"kind":"queued"'))
