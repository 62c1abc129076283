"""Runs and sweeps as rows of a list: what each is, what it found, when, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pandas as pd

from antidote_core.engine.job_folder import JobStatus
from antidote_core.reporting.text.settings_text import combination, dataset_title
from antidote_core.reporting.text.words import UNKNOWN, number, percent, share_of_data
from antidote_core.runs.kinds import kind_of
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec

STATES = {
    "queued": "waiting",
    "running": "working",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
    "dead": "lost",
}


@dataclass(frozen=True)
class RunRow:
    """One line of the list; `kind` is "run" or "sweep", `at` seconds since 1970."""

    run_id: str
    kind: str
    name: str
    data: str
    combination: str
    cost: str
    size: str
    checks: str
    at: float
    state: str
    private: bool
    live: bool

    @property
    def title(self) -> str:
        """The name its owner gave it, else what it is."""
        return self.name or f"{self.data}: {self.combination}"

    def matches(self, text: str) -> bool:
        """Whether every word of a filter occurs in this line, in any order, in any case."""
        said = f"{self.title} {self.data} {self.combination} {self.state} {self.kind}".casefold()
        return all(word in said for word in text.casefold().split())


def run_rows(statuses: Sequence[JobStatus]) -> list[RunRow]:
    """A row for each, latest first."""
    return sorted((_row(status) for status in statuses), key=lambda row: -row.at)


def list_table(rows: Sequence[RunRow], zone: tzinfo = UTC) -> pd.DataFrame:
    """The list as a table for people, times as clocks in that zone show them."""
    return pd.DataFrame(
        {
            "name": [row.name or UNKNOWN for row in rows],
            "data set": [row.data for row in rows],
            "combination": [row.combination for row in rows],
            "best cost (plain)": [row.cost for row in rows],
            "|V| (of the data)": [row.size for row in rows],
            "checks that agree": [row.checks for row in rows],
            "when": [clock(row.at, zone) for row in rows],
            "state": [row.state for row in rows],
        }
    )


def clock(seconds: float, zone: tzinfo = UTC) -> str:
    """A moment as people write it.

    >>> clock(0.0)
    '1970-01-01 00:00'
    """
    return datetime.fromtimestamp(seconds, zone).strftime("%Y-%m-%d %H:%M")


def zone_of(offset_minutes: int | None) -> tzinfo:
    """The zone of a browser whose clock is so many minutes behind UTC.

    >>> clock(0.0, zone_of(-60))
    '1970-01-01 01:00'
    """
    return timezone(timedelta(minutes=-(offset_minutes or 0)))


def _row(status: JobStatus) -> RunRow:
    spec, found = status.spec, status.summary
    if isinstance(spec, SweepSpec):
        what, cost = _sweep(spec), UNKNOWN
        size = f"{min(spec.sizes):,} to {max(spec.sizes):,}"
        checks = f"{found.get('done', 0)} of {len(spec.cells)} runs done"
    elif isinstance(spec, RunSpec):
        what, cost, size, checks = combination(spec), UNKNOWN, UNKNOWN, UNKNOWN
        if found:
            cost = f"{number(found['cost'], 4)} ({number(found['vanilla_cost'], 4)})"
            size = f"{found['size']:,} ({share_of_data(found['size'], found['points'])})"
        if found.get("share") is not None:
            checks = percent(found["share"])
    else:
        what, cost, size = "the paper's tables", UNKNOWN, UNKNOWN
        checks = f"{found.get('done', 0)} of {found.get('rows', 0)} numbers"
    data = dataset_title(spec.data_spec) if spec.data_spec else "adult, bank, creditcard, lfw"
    return RunRow(
        run_id=status.run_id,
        kind=kind_of(spec).name,
        name=status.name,
        data=f"{data} (your own)" if status.private else data,
        combination=what,
        cost=cost,
        size=size,
        checks=checks,
        at=status.submitted,
        state=_state(status),
        private=status.private,
        live=status.live,
    )


def _state(status: JobStatus) -> str:
    said = STATES[status.state]
    if status.state == "finished" and "reached" in status.summary:
        said += ", target reached" if status.summary["reached"] else ", target not reached"
    return said


def _sweep(spec: SweepSpec) -> str:
    first = combination(spec.cells[0].spec)
    more = len(spec.settings) - 1
    others = f" and {more} more" if more else ""
    return f"frontier: {first}{others}, {len(spec.sizes)} sizes, {len(spec.seeds)} seeds"
