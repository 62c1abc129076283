"""A run in words: what was asked, its line in a list, and what it has not shown."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

import pandas as pd

from antidote_core.analysis.progress import RunEstimate
from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS, available_forms
from antidote_core.engine.job_folder import JobStatus
from antidote_core.fairness import FAIRNESS, FairnessCost, get_fairness
from antidote_core.numerals import change, digits_showing, number, percent, share_of_data
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import EQUAL_SHARES, PLACES, ROWS
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.reporting.text.words import UNKNOWN, duration, small_groups
from antidote_core.runs.kinds import Spec, kind_of
from antidote_core.runs.spec import FOUR_FIFTHS, LOWEST, RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.verdict import AGREEMENT, Outcome
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
    "four_fifths": "four fifths: 80 % of the fair share",
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
MANY_ROUNDS = 30  # more than anybody watches
FEW_POINTS = 6  # rounds that are worth watching
NOT_USED = "not used"  # so begins the value of a setting that another one makes idle
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


def run_title(spec: RunSpec, name: str = "") -> str:
    """The name its owner gave a run, else what it is."""
    return name or f"{dataset_title(spec)}, {combination(spec)}"


def grown_by(spec: RunSpec) -> str:
    """The step as people say it.

    >>> grown_by(RunSpec("bank", step=90)), grown_by(RunSpec("bank", growth_factor=1.25))
    ('90', 'a factor of 1.25')
    """
    factor = spec.growth_factor
    return f"{spec.step:,}" if factor is None else f"a factor of {factor:g}"


def idle(
    optimizer: str,
    growth: str = "extend",
    place: str = ROWS,
    target: str | float = "vanilla",
    growth_factor: float | None = None,
    embeds: bool = True,
) -> dict[str, str]:
    """The fields of a run that other settings make idle, and why; `embeds` says that SRE is asked.

    >>> idle("racos", growth="bisect")["step"]
    'bisection doubles and halves the size'
    >>> sorted(idle("racos", place="minmax"))
    ['lasting', 'max_copies', 'percentiles', 'whole']
    """
    known = OPTIMIZERS[optimizer]
    found: dict[str, str] = {}
    if target == LOWEST:
        found |= dict.fromkeys(
            ("step", "growth_factor", "growth"), "one round, with the largest |V|"
        )
    elif growth == "bisect":
        found |= dict.fromkeys(("step", "growth_factor"), "bisection doubles and halves the size")
    elif growth_factor is not None:
        found["step"] = "V grows by a factor"
    if known.for_problem is not None:
        found["embed_dim"] = f"{optimizer} looks into the problem and needs no random space"
    elif not embeds:
        found["embed_dim"] = "all numbers are searched directly"
    if known.designs:
        found["budget"] = "a design solves programs and counts no evaluations"
    else:
        found["lasting"] = "only a design keeps a margin"
    if not known.designs or place != ROWS:
        found["whole"] = "only a design of copies of rows gives fractions"
    if place == ROWS:
        found["spread"] = "copies of people stay where they are"
    else:
        found |= dict.fromkeys(("max_copies", "percentiles"), "points are made up, none is copied")
    return found


@dataclass(frozen=True)
class Advice:
    """A sentence before a run, and fields of the spec that would change what it says."""

    text: str
    label: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)


def advice(found: RunEstimate, spec: RunSpec, designable: bool) -> tuple[Advice, ...]:
    """What is worth knowing before Run; `designable` says that V can be designed for this pair.

    >>> known = RunEstimate(-0.3, -0.8, False, (-0.31, -0.29), False, 423, 5, 4.2)
    >>> for one in advice(known, RunSpec("bank", target="four_fifths"), True):
    ...     print(one.text.replace("\N{NO-BREAK SPACE}", " "))
    About 5 rounds and 4 s: near 423 copies, k-means tips into a clustering that meets the target.
    Plain clustering by itself moves between 29 % and 31 % of its fair share, from seed to seed.
    """
    cost = get_fairness(spec.fairness)
    four_fifths = ("Ask for four fifths", {"target": FOUR_FIFTHS}) if cost.is_share else ("", {})
    if found.met:
        text = "Plain clustering meets this target already: nothing needs to be added."
        return (Advice(text, "Ask for the lowest cost", {"target": LOWEST}),)
    says = [_expected(found, spec)]
    low, high = (cost.shown(value, 3) for value in sorted(found.noise, reverse=cost.is_share))
    moves = f"Plain clustering by itself moves between {low} and {high} {cost.unit}".rstrip()
    says.append(Advice(f"{moves}, from seed to seed."))
    if spec.target == "vanilla":
        text = "The target vanilla counts any gain, also one inside this noise."
        says.append(Advice(text, *four_fifths))
    elif found.target >= found.noise[0]:
        text = "The target lies inside this noise and may be met by chance: ask for less."
        says.append(Advice(text, *four_fifths))
    if found.missing and cost.is_share:
        text = (
            "A group is missing from a cluster: the cost is 0 and stays there until that changes. "
            "Many points at once, or a design, bring it in."
        )
        design = {"optimizer": "design", "growth": "bisect"}
        says.append(Advice(text, *(("Design the points", design) if designable else ("", {}))))
    return tuple(says)


def _expected(found: RunEstimate, spec: RunSpec) -> Advice:
    """Rounds and seconds, and what would make them fewer or worth watching."""
    count = f"{found.rounds:,} {'round' if found.rounds == 1 else 'rounds'}"
    takes = f"{count} and {duration(found.seconds)}"
    made = "copies" if spec.place == ROWS else "points"
    if found.tips_at is None or spec.target == LOWEST:
        # Timed at the first size: larger sets take longer, so the seconds are no limit.
        text = f"At most {count}; at the pace of the first size, {duration(found.seconds)}."
    else:
        text = (
            f"About {takes}: near {found.tips_at:,} {made}, k-means tips into a clustering that "
            "meets the target."
        )
    grows = spec.growth != "bisect" and spec.target != LOWEST and spec.growth_factor is None
    if grows and found.rounds > MANY_ROUNDS:
        text = f"{text} That is a long way in steps of {spec.step:,}."
        return Advice(text, "Grow by 1.25", {"growth_factor": 1.25})
    if grows and found.tips_at is not None and found.rounds == 1 and found.tips_at > FEW_POINTS:
        size = max(1, found.tips_at // FEW_POINTS)
        smaller = {"start_size": size, "step": size}
        return Advice(f"{text} One round will do.", f"Begin with {size:,}, to watch", smaller)
    return Advice(text)


def standing(view: RunView, spec: RunSpec, message: str = "") -> str:
    """Where a run stands, in one line; `message` is what is said of one that waits.

    >>> from antidote_core.runs.events import Noise, Progress
    >>> from antidote_core.runs.view import fold
    >>> report = Progress(seconds=4.0, index=0, size=120, cost=-0.74, evaluations=400)
    >>> view = fold([Noise(seconds=2.0, costs=[]), report])
    >>> standing(view, RunSpec(dataset="bank")).replace("\N{NO-BREAK SPACE}", " ")
    'round 1 · 120 copies · 74 % of the fair share'
    """
    if view.state == "queued" and message:
        return message
    if not view.current and not view.history:
        return f"{view.activity or 'getting ready'}…"
    cost = get_fairness(spec.fairness)
    latest = view.current or {"size": view.history[-1].size, "cost": view.history[-1].cost}
    best = min(value for value in (view.cost, latest["cost"]) if not math.isnan(value))
    shown = cost.shown(best, 2 if cost.is_share else 4)
    parts = [
        f"round {view.rounds + (1 if view.current else 0):,}",
        f"{latest['size']:,} {'copies' if spec.place == ROWS else 'points'}",
        f"{shown} of the fair share" if cost.is_share else f"cost {shown}",
    ]
    return " · ".join(parts)


def settings(spec: RunSpec) -> dict[str, str]:
    """Every setting by its label, in the order in which people ask for them."""
    optimizer = OPTIMIZERS.get(spec.optimizer)
    embeds = optimizer is not None and optimizer.minimise is not None
    space = f"{NOT_USED} by this optimizer"
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
        "step (ξ)": grown_by(spec),
        "target (α)": TARGETS[spec.target]
        if isinstance(spec.target, str)
        else f"at most {number(spec.target, 4)}",
        "dimensions of the random space (n′)": space,
        "optimizer": _title(OPTIMIZERS, spec.optimizer),
        "how V grows": f"{spec.growth}: {GROWTH[spec.growth]}",
        "evaluations per round": f"{spec.budget:,}",
        **_guard(spec),
        "where points may lie": f"{spec.place}: {PLACES[spec.place]}",
        **_copies(spec),
        "margin of a design": f"{spec.lasting:g} standard errors",
        "largest |V|": "10 % of the data" if spec.max_size is None else f"{spec.max_size:,}",
        "most rounds": "no limit" if spec.max_rounds is None else f"{spec.max_rounds:,}",
        "rounds without a better V": "no limit"
        if spec.max_stalled is None
        else f"{spec.max_stalled:,}",
        "most seconds": "no limit" if spec.max_seconds is None else f"{spec.max_seconds:g}",
        "shrink afterwards": "yes" if spec.shrink else "no",
        "spread afterwards": "yes" if spec.spread else "no",
        **({"tried on people it has not seen": "yes"} if spec.holdout else {}),
        "seed": str(spec.seed),
    }


def _guard(spec: RunSpec) -> dict[str, str]:
    """What a clustering must keep to count."""
    free = "no limit, as in the paper"
    smallest = f"a tenth of an equal share ({percent(0.1 / spec.k)}), or as in plain clustering"
    if spec.min_share is not None:
        smallest = f"{percent(spec.min_share)} of the data" if spec.min_share else free
    price = free if spec.max_price is None else f"{percent(spec.max_price)} more inertia"
    return {"guard: smallest cluster": smallest, "guard: highest price": price}


def _copies(spec: RunSpec) -> dict[str, str]:
    """Which rows may be copied, and how often."""
    low, high = spec.percentiles
    found = {
        "copies of a row": f"at most {spec.max_copies:,}"
        + ("" if spec.whole else ", as weights that need not be whole"),
        "rows that may be copied": f"every feature within percentiles {low:g} to {high:g}",
        "groups that may be copied": "all, each its share of V"
        if spec.copy_groups == EQUAL_SHARES
        else ", ".join(spec.copy_groups or ("all",)),
    }
    return found if spec.place == ROWS else dict.fromkeys(found, f"{NOT_USED}: points are made up")


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
    """One line of the list; `kind` is "run" or "sweep", `at` seconds since 1970.

    `outcome` is that of the verdict, else the `state`; `price` and `smallest` are what the gain
    cost: by how much the inertia rose, and the share of the smallest cluster.
    """

    run_id: str
    kind: str
    name: str
    data: str
    combination: str
    outcome: str
    at: float
    state: str
    live: bool
    fairness: str = UNKNOWN
    size: str = UNKNOWN
    price: str = UNKNOWN
    smallest: str = UNKNOWN
    checks: str = UNKNOWN
    optimizer: str = UNKNOWN
    place: str = UNKNOWN
    target: str = UNKNOWN
    seed: str = UNKNOWN

    @property
    def title(self) -> str:
        """The name its owner gave it, else what it is."""
        return self.name or f"{self.data}: {self.combination}"

    def matches(self, text: str) -> bool:
        """Whether every word of a filter occurs in this line, in any order, in any case."""
        parts = (self.title, self.data, self.combination, self.state, self.outcome, self.kind)
        said = " ".join((*parts, self.optimizer, self.place, self.target)).casefold()
        return all(word in said for word in text.casefold().split())


def run_rows(statuses: Sequence[JobStatus]) -> list[RunRow]:
    """A row for each, latest first."""
    return sorted((_row(status) for status in statuses), key=lambda row: -row.at)


def list_table(rows: Sequence[RunRow], zone: tzinfo = UTC) -> pd.DataFrame:
    """The list as a table for people, times as clocks in that zone show them."""
    return pd.DataFrame(
        {
            "name": [row.name or UNKNOWN for row in rows],
            "outcome": [row.outcome for row in rows],
            "data set": [row.data for row in rows],
            "combination": [row.combination for row in rows],
            "plain → with V": [row.fairness for row in rows],
            "|V| (of the data)": [row.size for row in rows],
            "price": [row.price for row in rows],
            "smallest cluster": [row.smallest for row in rows],
            "checks that agree": [row.checks for row in rows],
            "optimizer": [row.optimizer for row in rows],
            "place": [row.place for row in rows],
            "target (α)": [row.target for row in rows],
            "seed": [row.seed for row in rows],
            "when": [clock(row.at, zone) for row in rows],
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
    spec = status.spec
    data = dataset_title(spec.data_spec) if spec.data_spec else "adult, bank, creditcard, lfw"
    state = STATES[status.state]
    return RunRow(
        run_id=status.run_id,
        kind=kind_of(spec).name,
        name=status.name,
        data=f"{data} (your own)" if status.private else data,
        combination=_what(spec),
        outcome=(_outcome(status) or state).capitalize(),
        at=status.submitted,
        state=state,
        live=status.live,
        **_figures(spec, status.summary),
    )


def _outcome(status: JobStatus) -> str:
    """The outcome of a finished run, where its summary has one."""
    return str(status.summary.get("outcome", "")) if status.state == "finished" else ""


def _what(spec: Spec) -> str:
    if isinstance(spec, SweepSpec):
        return _sweep(spec)
    return combination(spec) if isinstance(spec, RunSpec) else "the paper's tables"


def _figures(spec: Spec, found: Mapping[str, Any]) -> dict[str, str]:
    """The cells of a line that are figures, as far as the summary has them."""
    if isinstance(spec, SweepSpec):
        size = f"{min(spec.sizes):,} to {max(spec.sizes):,}"
        return {"size": size, "checks": f"{found.get('done', 0)} of {len(spec.cells)} runs done"}
    if not isinstance(spec, RunSpec):
        return {"checks": f"{found.get('done', 0)} of {found.get('rows', 0)} numbers"}
    asked = {
        "optimizer": spec.optimizer,
        "place": spec.place,
        "target": spec.target.replace("_", " ")
        if isinstance(spec.target, str)
        else number(spec.target),
        "seed": str(spec.seed),
    }
    if not found:
        return asked
    size, points = found["size"], found["points"]
    cells = asked | {
        "fairness": fairness_change(spec.fairness, found["vanilla_cost"], found["cost"]),
        "size": f"{size:,} ({share_of_data(size, points)})",
        "smallest": smallest_text(found.get("smallest_share", math.nan), points),
    }
    if size:
        cells["price"] = price_text(found.get("price", math.nan))
    if found.get("share") is not None:
        cells["checks"] = percent(found["share"])
    return cells


def fairness_change(fairness: str, before: float, after: float) -> str:
    r"""Plain clustering and the answer as people read their costs.

    >>> fairness_change("balance", -0.3, -0.98).replace("\N{NO-BREAK SPACE}", " ")
    '30 % → 98 % of its fair share'
    >>> fairness_change("social", 1.25, 1.25)
    '1.2500'
    """
    cost = FAIRNESS.get(fairness) or FairnessCost(fairness, fairness, "")
    digits = digits_showing(before - after, none=4)
    if before == after:
        return cost.level(before, digits)
    return f"{cost.shown(before, digits)} → {cost.level(after, digits)}"


def price_text(price: float) -> str:
    """The price of fairness in percent, where it is known."""
    return change(price) if math.isfinite(price) else UNKNOWN


def smallest_text(share: float, points: int) -> str:
    r"""The smallest cluster's share of the data, in digits that show also a nearly empty one.

    >>> smallest_text(3 / 5000, 5000).replace("\N{NO-BREAK SPACE}", " ")
    '0.060 %'
    """
    return share_of_data(round(share * points), points) if math.isfinite(share) else UNKNOWN


def smallest_pair(view: RunView) -> tuple[str, str]:
    """The smallest cluster's share of the data in plain clustering, and with the answer."""
    assert view.vanilla is not None
    before = view.guard.smallest_share(view.vanilla.counts)
    return smallest_text(before, view.points), smallest_text(view.smallest_share, view.points)


def _sweep(spec: SweepSpec) -> str:
    first = combination(spec.cells[0].spec)
    more = len(spec.settings) - 1
    others = f" and {more} more" if more else ""
    return f"frontier: {first}{others}, {len(spec.sizes)} sizes, {len(spec.seeds)} seeds"


def limits(data: Dataset, spec: RunSpec, view: RunView) -> tuple[str, ...]:
    """Sentences, the most particular first; empty ones are left out."""
    found = [_ending(view), *reasons(view), guard_sentence(spec), _checks(spec, view)]
    found += [_scope(data, spec), _search(view)]
    if view.size:
        found.append(extreme_sentence(data.points, view.antidote))
    found += [small_groups(data), _other_cost(spec), OF_THE_IDEA]
    return tuple(text for text in found if text)


def _ending(view: RunView) -> str:
    if view.state == "finished":
        return ""
    return f"The run did not go to its end ({view.reason or view.state}): this is what it had."


def _checks(spec: RunSpec, view: RunView) -> str:
    if not view.size:
        return ""
    if view.verification is None:
        return "No independent clustering has checked the antidote points."
    entry = CLUSTERINGS.get(spec.clustering)
    if entry is not None and not entry.drawn:
        return f"{entry.title} draws nothing: every further clustering of U and V gives the same."
    checks, restarts = len(view.verification.costs), view.verification.restarts
    return (
        f"The checks are {checks} further clusterings with {restarts} starts each. They make it "
        "unlikely that another run of the clustering ends elsewhere; they do not prove it."
    )


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
        "shows why it matters: the paper's figure belongs to the worse of two optima, and random "
        "starts often miss the better one; two starts that depend on no seed find it here.",
        lambda spec: spec.clustering == "kmeans",
    ),
    Departure(
        "Guard and rows.",
        "The paper lets V lie anywhere between the smallest and the largest values, and counts any "
        "clustering. Here V copies real rows and a guard keeps the clusters usable, unless both "
        "are switched off (“As in paper”).",
        lambda spec: spec.place == ROWS or spec.min_share != 0 or spec.max_price is not None,
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
    ['Which optimum', 'Guard and rows', 'Which rows']
    """
    return tuple(entry.sentence for entry in DEPARTURES if entry.concerns(spec))


UNFINISHED = (Outcome.STOPPED, Outcome.NONE)


def caution(view: RunView) -> str:
    """The outcome and why, to stand above everything that is shown; empty where all is well."""
    found = view.verdict
    if found.tone == "good" or found.outcome is Outcome.NONE:
        return ""
    if found.outcome in (Outcome.NOT_REACHED, Outcome.STOPPED):
        return found.headline
    return " ".join((f"{found.outcome.word}.", *reasons(view)))


def reasons(view: RunView) -> tuple[str, ...]:
    """The caveats of the verdict that speak against the antidote points found, gravest first."""
    found = view.verdict
    if not view.size or found.outcome in UNFINISHED:
        return ()
    # These can speak for the result too: how many agree, people not seen, and the noise.
    first, *against, held_out, noise = found.caveats
    if not view.lasts:
        against.append(held_out)
    if not _agreed(view) and found.outcome is not Outcome.NOT_REACHED:
        against.append(first)
    if not view.outside_noise:
        against.append(noise)
    return tuple(text for text in against if text)


def _agreed(view: RunView) -> bool:
    return view.verification is not None and view.verification.share >= AGREEMENT


def guard_sentence(spec: RunSpec) -> str:
    """What the run was free to do because its guard was off; empty with the whole guard on."""
    free = []
    if spec.min_share == 0:
        free.append("to empty clusters")
    if spec.max_price is None:
        free.append("to let the clusters fit the data worse, by any amount")
    if not free:
        return ""
    off = "Without the guard" if len(free) == 2 else "With one half of the guard off"
    return (
        f"{off}, as in the paper, the search was free {' and '.join(free)}. The verdict "
        "judges by the usual limits all the same."
    )
