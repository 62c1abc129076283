"""A run in words: what was asked, its line in a list, and what it has not shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pandas as pd

from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS, available_forms
from antidote_core.engine.job_folder import JobStatus
from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.numerals import number, percent, share_of_data
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import PLACES
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.reporting.text.words import UNKNOWN, small_groups
from antidote_core.runs.kinds import kind_of
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

ProblemKey = tuple[str, str, int]  # clustering, cost and k
GROWTH = {
    "extend": "each round starts from the points found so far",
    "restart": "each round starts anew, as in the paper",
    "bisect": "doubles and halves the size, for the smallest V",
}
TARGETS = {
    "vanilla": "better than plain clustering",
    "sota": "better than the fair algorithm",
    "lowest": "as low as possible at this size",
}
STATES = {
    "queued": "waiting",
    "running": "working",
    "finished": "finished",
    "stopped": "stopped",
    "failed": "failed",
    "dead": "lost",
}
OF_THE_IDEA = (
    "A fairer clustering is not a fair decision: what is done with the clusters is outside this "
    "report, and so is whether the groups were recorded rightly."
)


def problem_title(problem: ProblemKey) -> str:
    """Clustering, cost and k as people call them.

    >>> problem_title(("kmeans", "balance", 2))
    'k-means + balance, k = 2'
    """
    clustering, fairness, k = problem
    return f"{_title(CLUSTERINGS, clustering)} + {_title(FAIRNESS, fairness).lower()}, k = {k}"


def combination(spec: RunSpec) -> str:
    """The problem of a run in a few words."""
    return problem_title((spec.clustering, spec.fairness, spec.k))


def dataset_title(spec: RunSpec) -> str:
    """The data set as people call it; data of someone's own go by their name."""
    return _title(DATASETS, spec.dataset)


def settings(spec: RunSpec) -> dict[str, str]:
    """Every setting by its label, in the order in which people ask for them."""
    optimizer = OPTIMIZERS.get(spec.optimizer)
    embeds = optimizer is not None and optimizer.minimise is not None
    space = "not used by this optimizer"
    if embeds:
        space = "none: searched directly" if spec.embed_dim is None else f"{spec.embed_dim:,}"
    return {
        "data set": dataset_title(spec),
        "groups by": _protected(spec),
        "rows": _rows(spec),
        "sample": "all rows" if spec.sample is None else f"{spec.sample:,} rows",
        "seed of the data": str(spec.sample_seed),
        "clustering": _title(CLUSTERINGS, spec.clustering),
        "cost": _title(FAIRNESS, spec.fairness),
        "clusters (k)": str(spec.k),
        "starts of the clustering": str(spec.restarts),
        "first size (V_s)": f"{spec.start_size:,}",
        "step (ξ)": f"{spec.step:,}",
        "target (α)": TARGETS[spec.target]
        if isinstance(spec.target, str)
        else f"at most {number(spec.target, 4)}",
        "dimensions of the random space (n′)": space,
        "optimizer": _title(OPTIMIZERS, spec.optimizer),
        "how V grows": f"{spec.growth}: {GROWTH[spec.growth]}",
        "evaluations per round": f"{spec.budget:,}",
        "where points may lie": f"{spec.place}: {PLACES[spec.place]}",
        "largest |V|": "10 % of the data" if spec.max_size is None else f"{spec.max_size:,}",
        "most rounds": "no limit" if spec.max_rounds is None else f"{spec.max_rounds:,}",
        "most seconds": "no limit" if spec.max_seconds is None else f"{spec.max_seconds:g}",
        "shrink afterwards": "yes" if spec.shrink else "no",
        "spread afterwards": "yes" if spec.spread else "no",
        "seed": str(spec.seed),
    }


def _protected(spec: RunSpec) -> str:
    if spec.protected is None and spec.dataset in DATASETS:
        return DATASETS[spec.dataset].protected[0]
    return spec.protected or "as chosen for these data"


def _rows(spec: RunSpec) -> str:
    if spec.dataset not in DATASETS:
        return spec.rows or "as uploaded"
    forms = {form.name: form.title for form in available_forms(spec.dataset)}
    return forms.get(spec.rows or next(iter(forms)), str(spec.rows))


def _title(registry: Mapping[str, Any], name: str) -> str:
    """How an entry calls itself; something of someone's own goes by its name."""
    return registry[name].title if name in registry else name


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


def limits(data: Dataset, spec: RunSpec, view: RunView) -> tuple[str, ...]:
    """Sentences, the most particular first; empty ones are left out."""
    found = [_ending(view), _checks(view), _noise(view), _scope(data, spec), _search(view)]
    if view.size:
        found.append(extreme_sentence(data.points, view.antidote))
    found += [small_groups(data), _other_cost(spec), OF_THE_IDEA]
    return tuple(text for text in found if text)


def _ending(view: RunView) -> str:
    if view.state == "finished":
        return ""
    return f"The run did not go to its end ({view.reason or view.state}): this is what it had."


def _checks(view: RunView) -> str:
    if not view.size:
        return ""
    if view.verification is None:
        return "No independent clustering has checked the antidote points."
    checks, restarts = len(view.verification.costs), view.verification.restarts
    return (
        f"The checks are {checks} further clusterings with {restarts} starts each. They make it "
        "unlikely that another run of the clustering ends elsewhere; they do not prove it."
    )


def _noise(view: RunView) -> str:
    if not view.size or view.outside_noise or not view.noise:
        return ""
    return "The gain is inside the noise of plain clustering, so it may be chance."


def _scope(data: Dataset, spec: RunSpec) -> str:
    rows = f"these {data.n:,} rows"
    if spec.sample is not None:
        rows = f"a sample of {data.n:,} rows (seed {spec.sample_seed})"
    return (
        f"Shown for {rows}, {spec.k} clusters and one seed ({spec.seed}). Other rows, another "
        "number of clusters or another seed can give another result."
    )


def _search(view: RunView) -> str:
    if view.state == "finished" and not view.reached:
        return "Not reached does not mean impossible: the search looks at some of all possible V."
    if not view.size:
        return ""
    return (
        f"{view.size:,} is the smallest number that this search found. Fewer may suffice: the "
        "search is not exhaustive."
    )


def _other_cost(spec: RunSpec) -> str:
    title = get_fairness(spec.fairness).title.lower()
    return (
        f"Only {title} was asked for. It looks at the worst case alone; everything else about the "
        "clusters may have become better or worse, see the comparison."
    )


@dataclass(frozen=True)
class Departure:
    """One difference, and the runs it concerns."""

    topic: str
    text: str
    concerns: Callable[[RunSpec], bool]

    @property
    def sentence(self) -> str:
        """Topic and text as one paragraph."""
        return f"{self.topic} {self.text}"


DEPARTURES = (
    Departure(
        "Which optimum.",
        "k-means has several. C(U ∪ V) is the lowest-inertia fixpoint of Lloyd's algorithm over a "
        "fixed set of starts: the optima found on U and, where V could take a centre for itself, "
        "one start there. restarts=1 is the paper's way: one start, warm-started. Adult at k = 2 "
        "shows why it matters: the paper's figure belongs to the worse of two optima, and whether "
        "ten starts find the better one depends on the seed.",
        lambda spec: spec.clustering == "kmeans",
    ),
    Departure(
        "A cluster without a point of U",
        "scores balance 0, the worst, instead of being left out.",
        lambda spec: spec.fairness == "balance",
    ),
    Departure(
        "The spectral graph",
        "is not named in the paper: here two points are joined when either is among the 10 nearest "
        "of the other.",
        lambda spec: spec.clustering == "spectral",
    ),
    Departure(
        "Which rows.",
        "Of adult the first 10,000; the paper does not say which 10,000 it took.",
        lambda spec: spec.dataset == "adult",
    ),
)


def departures(spec: RunSpec) -> tuple[str, ...]:
    """The differences that concern this run.

    >>> [text.split(".")[0] for text in departures(RunSpec(dataset="adult", fairness="social"))]
    ['Which optimum', 'Which rows']
    """
    return tuple(entry.sentence for entry in DEPARTURES if entry.concerns(spec))
