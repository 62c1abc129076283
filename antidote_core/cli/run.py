"""`python -m antidote_core run`, `compare` and `parts`: computed here, nothing is stored."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from json import dumps
from pathlib import Path
from typing import Any

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.analysis.comparison import compare as comparison
from antidote_core.cli import NOT_REACHED, REACHED
from antidote_core.datasets import load_for
from antidote_core.datasets.parts.from_files import ROWS, parts_from_files
from antidote_core.reporting.text.design_words import (
    cut_sentence,
    design_sentences,
    extreme_sentence,
)
from antidote_core.reporting.text.run_words import guard_sentence
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

# Settings that may be a number or none at all.
OR_NONE = ("embed_dim", "max_price", "max_rounds", "max_seconds", "max_stalled")


def read_settings(given: dict[str, Any]) -> dict[str, Any]:
    """With `target` as a number or a name, and numbers or None where these are meant."""
    for name in {"target", *OR_NONE} & given.keys():
        with suppress(ValueError):
            given[name] = float(given[name])
    for name in {*OR_NONE} & given.keys():
        value = given[name]
        if isinstance(value, float) and value.is_integer():
            given[name] = int(value)
        elif value == "none":
            given[name] = None
    for name in {"percentiles", "copy_groups"} & given.keys():
        given[name] = tuple(part for text in given[name] for part in str(text).split(","))
    if "percentiles" in given:
        with suppress(ValueError):
            given["percentiles"] = tuple(float(value) for value in given["percentiles"])
    return given


def run(settings: dict[str, Any], *, json: bool = False, out: Path | None = None) -> int:
    """Find antidote points by Algorithm 2."""
    spec = RunSpec(**read_settings(settings))
    data = load_for(spec)
    view = RunView()
    log = []
    for event in grow(spec, data):
        view = view.apply_event(event)
        log.append(event.to_json())
        if json:
            print(log[-1], flush=True)
        else:
            _tell(event, view)
    result = view.to_dict()
    if json:
        print(dumps({"kind": "result", **result}, separators=(",", ":")))
    else:
        extreme = extreme_sentence(data.points, view.antidote)
        said = (*view.notes[len(data.notes) :], *design_sentences(view), extreme)
        for sentence in (view.verdict.text, guard_sentence(spec), *said):
            if sentence:
                print(sentence.replace("\N{NO-BREAK SPACE}", " "))
    if out is not None:
        texts = {"spec.json": spec.to_json(), "result.json": dumps(result, indent=1)}
        write_texts(out, {"events.jsonl": "\n".join(log), **texts})
        if view.antidote_weights is None:  # part of a point is no point
            data.to_original(view.antidote).to_csv(out / "antidote.csv", index=False)
        _write_tables(out, data, spec, view)
    return REACHED if view.reached else NOT_REACHED


def _write_tables(out: Path, data: Dataset, spec: RunSpec, view: RunView) -> None:
    """Who is in which cluster; and the same as weights, where V consists of copies of rows."""
    from antidote_core.reporting.documents import report  # charts are slow

    record = report.RunRecord(data, spec, view)
    files = report.weight_files(record)
    if record.shot is not None:
        files["assignments.csv"] = report.assignments_csv(record, record.shot)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")


def compare(settings: dict[str, Any], *, json: bool = False) -> int:
    """Plain clustering, fair algorithms in both scorings, antidote data."""
    spec = RunSpec(**read_settings(settings))
    heads = (
        "balance", "social", "price", "min. share", "silhouette", "Davies-B.", "Calinski-H.",
        "seconds", "|V|",
    )  # fmt: skip
    if not json:
        print(f"{spec.dataset}, {spec.clustering}, k = {spec.k}; costs: lower is fairer")
        print(
            "price: part by which inertia rises over plain; min. share: U in the smallest cluster"
        )
        print(f"{'':24}{'scoring':16}" + "".join(f"{head:>12}" for head in heads))
    for row in comparison(spec):
        if json:
            print(dumps(row.to_dict(), separators=(",", ":")), flush=True)
            continue
        scores = row.quality
        values = (
            row.balance, row.social, row.price, row.smallest_share, scores.silhouette,
            scores.davies_bouldin, scores.calinski_harabasz, row.seconds, row.size,
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


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the texts under their names into a folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def parts(*, data: Path, features: str, protected: str, out: Path, rows: int = ROWS) -> int:
    """Write a large table as Parquet parts."""
    names = [name.strip() for name in features.split(",") if name.strip()]
    written = parts_from_files(data, names, protected, out, rows)
    print(f"{out}: {written.n:,} rows in {len(written.files)} parts")
    for name, size in zip(written.group_names, written.group_sizes, strict=True):
        print(f"  {name}: {size:,}")
    for note in written.notes:
        print(note)
    return 0
