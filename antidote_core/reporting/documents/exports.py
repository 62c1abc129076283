"""What a user takes along: tables as CSV, and everything about a run in one ZIP file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from antidote_core.reporting.documents.report import RunRecord, python_lines, run_report
from antidote_core.reporting.figures.comparison_chart import comparison_table
from antidote_core.reporting.figures.curve import step_table
from antidote_core.reporting.figures.tables import cluster_table, group_cost_table, set_apart
from antidote_core.reporting.text.verdict import verdict
from antidote_core.runs.events import Event
from antidote_core.types import Dataset, Floats, jsonable

MARK = "antidote"
CONTENTS = {
    "report.html": "the report; opens in any browser, without a network",
    "spec.json": "the settings, all of them",
    "events.jsonl": "everything that happened, one event per line",
    "result.json": "the verdict and the figures of the run, antidote points included",
    "antidote.csv": "the antidote points V in original units, one row each",
    "data-with-antidote.csv": "all rows of the data with V below them, marked in the last column",
    "rounds.csv": "size and cost of every round",
    "clusters.csv": "who is in which cluster, with the antidote points",
    "group-costs.csv": "what each group pays, with the antidote points",
    "comparison.csv": "the run beside plain clustering and the fair algorithm",
    "run.py": "the lines that give the same run in Python",
}


def run_bundle(record: RunRecord, events: Sequence[Event], when: str = "") -> bytes:
    """The ZIP file; what the run does not have is not in it."""
    files = {
        "report.html": run_report(record, when),
        "spec.json": record.spec.to_json() + "\n",
        "events.jsonl": "".join(event.to_json() + "\n" for event in events),
        "result.json": json.dumps(result(record), indent=1, allow_nan=False) + "\n",
        "run.py": python_lines(record.spec) + "\n",
    }
    if record.view.size:
        files["antidote.csv"] = antidote_csv(record.data, record.view.antidote)
        files["data-with-antidote.csv"] = union_csv(record.data, record.view.antidote)
    if record.shot is not None:
        names = record.data.group_names
        files["rounds.csv"] = safe_csv(step_table(record.view))
        files["clusters.csv"] = safe_csv(cluster_table(record.shot.balance, names))
        files["group-costs.csv"] = safe_csv(group_cost_table(record.shot.social, names))
    compared = comparison_table(record.view, record.spec.fairness)
    if not compared.empty:
        files["comparison.csv"] = safe_csv(compared)
    return zipped(files, verdict(record.view).text, CONTENTS)


def zipped(files: Mapping[str, str], headline: str, contents: Mapping[str, str]) -> bytes:
    """The files in one ZIP file, with a README that lists them below the headline."""
    listed = [f"{name}: {contents[name]}" for name in contents if name in files]
    readme = "\n".join([headline, "", *listed]) + "\n"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**files, "README.txt": readme}.items():
            archive.writestr(name, text)
    return memory.getvalue()


def run_json(record: RunRecord, events: Sequence[Event]) -> str:
    """Settings, events and result in one JSON file."""
    return json.dumps(
        {
            "spec": json.loads(record.spec.to_json()),
            "result": result(record),
            "events": [json.loads(event.to_json()) for event in events],
        },
        indent=1,
        allow_nan=False,
    )


def result(record: RunRecord) -> dict[str, Any]:
    """What came out, fit for JSON: numbers that are not known are null."""
    view, found = record.view, verdict(record.view)
    checks = view.verification
    return {
        "run": record.run_id or None,
        "data": {
            "name": record.data.name,
            "rows": record.data.n,
            "content_hash": record.data.content_hash,
        },
        "state": view.state,
        "reason": view.reason,
        "verdict": found.text,
        "vanilla_cost": jsonable(view.vanilla_cost),
        "cost": jsonable(view.cost),
        "target": jsonable(view.target),
        "reached": view.reached,
        "size": view.size,
        "points": view.points,
        "noise": [jsonable(cost) for cost in view.noise],
        "verification": None
        if checks is None
        else {
            "costs": [jsonable(cost) for cost in checks.costs],
            "best_cost": jsonable(checks.best_cost),
            "share": checks.share,
            "confirmed": checks.confirmed,
        },
        "rounds": view.rounds,
        "evaluations": view.evaluations,
        "seconds": jsonable(view.seconds),
        "antidote": view.antidote.tolist(),
        "antidote_original": record.data.to_original(view.antidote).to_dict("records")
        if view.size
        else [],
        "comparison": [
            {key: jsonable(value) for key, value in row.items()} for row in view.comparison
        ],
        "notes": list(view.notes),
    }


def antidote_csv(data: Dataset, antidote: Floats) -> str:
    """V in original units, one row per point."""
    return safe_csv(data.to_original(antidote))


def union_csv(data: Dataset, antidote: Floats) -> str:
    """U ∪ V in original units, with the group of every real point; antidote points have none."""
    real, added = data.to_original(data.points), data.to_original(antidote)
    real[data.protected] = [data.group_names[code] for code in data.groups]
    added[data.protected] = ""
    both = [
        set_apart(rows, [MARK]).assign(**{MARK: mark}) for mark, rows in enumerate((real, added))
    ]
    return safe_csv(pd.concat(both, ignore_index=True))


# Signs with which a spreadsheet begins a formula, also in the wide forms of East Asian keyboards.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_csv(frame: pd.DataFrame) -> str:
    """CSV in which no text can be taken for a formula by a spreadsheet; numbers stay numbers.

    >>> print(safe_csv(pd.DataFrame({"a": ["=1+1", " @b", "c"], "-d": [-1, 2, 3]})).strip())
    a,'-d
    '=1+1,-1
    ' @b,2
    c,3
    """
    safe = frame.copy()
    for name in frame.select_dtypes(exclude="number").columns:
        safe[name] = frame[name].map(_harmless)
    return str(safe.rename(columns=_harmless).to_csv(index=False))


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return "'" + value
    return value
