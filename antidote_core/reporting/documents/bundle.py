"""Everything about a run in one ZIP file: the report, tables as CSV, records as JSON."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Sequence
from typing import Any

from antidote_core.reporting.documents.exports import (
    antidote_csv,
    python_lines,
    safe_csv,
    union_csv,
)
from antidote_core.reporting.documents.report import RunRecord, run_report
from antidote_core.reporting.figures.comparison_chart import comparison_table
from antidote_core.reporting.figures.curve import step_table
from antidote_core.reporting.figures.tables import cluster_table, group_cost_table
from antidote_core.reporting.text.verdict import verdict
from antidote_core.runs.events import Event

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
    listed = [f"{name}: {CONTENTS[name]}" for name in CONTENTS if name in files]
    files["README.txt"] = "\n".join([verdict(record.view).text, "", *listed]) + "\n"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
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
        "vanilla_cost": _known(view.vanilla_cost),
        "cost": _known(view.cost),
        "target": _known(view.target),
        "reached": view.reached,
        "size": view.size,
        "points": view.points,
        "noise": [_known(cost) for cost in view.noise],
        "verification": None
        if checks is None
        else {
            "costs": [_known(cost) for cost in checks.costs],
            "best_cost": _known(checks.best_cost),
            "share": checks.share,
            "confirmed": checks.confirmed,
        },
        "rounds": view.rounds,
        "evaluations": view.evaluations,
        "seconds": _known(view.seconds),
        "antidote": view.antidote.tolist(),
        "antidote_original": record.data.to_original(view.antidote).to_dict("records")
        if view.size
        else [],
        "comparison": [
            {key: _known(value) for key, value in row.items()} for row in view.comparison
        ],
        "notes": list(view.notes),
    }


def _known(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
