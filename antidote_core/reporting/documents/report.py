"""A run to hand over: its report, its tables as CSV, everything in one ZIP file.

Everything comes from the fold of the run's events, as on the screen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from antidote_core import numerals
from antidote_core.analysis.comparison import costs_beside
from antidote_core.analysis.snapshots import (
    FEW,
    Snapshot,
    vanilla_tables,
)
from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS
from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.numerals import share_of_data
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import ROWS
from antidote_core.reporting.documents import page
from antidote_core.reporting.documents.data_files import (
    RunRecord,
    antidote_csv,
    assignments_csv,
    csv_of,
    left_out_files,
    union_csv,
    weight_files,
    weight_lines,
)
from antidote_core.reporting.figures import bars, comparisons, maps, tables
from antidote_core.reporting.figures.curve import curve_words, run_curve_figure, step_table
from antidote_core.reporting.figures.tables import (
    cluster_table,
    group_cost_table,
)
from antidote_core.reporting.text import words
from antidote_core.reporting.text.design_words import design_sentences
from antidote_core.reporting.text.glossary import QUALITY, cost_meaning
from antidote_core.reporting.text.run_words import (
    GROWTH,
    combination,
    departures,
    fairness_change,
    limits,
    price_text,
    run_title,
    settings,
    smallest_pair,
)
from antidote_core.reporting.text.words import duration
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.verdict import cost_digits, effect_size
from antidote_core.runs.view import RunView
from antidote_core.types import jsonable

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
    "intervals.csv": "how sure the shares of each group are",
    "cost-intervals.csv": "how sure it is what each group pays",
    "comparison.csv": "the run beside plain clustering and the fair algorithm",
    "assignments.csv": "every row with its cluster before and after; rows are numbered as in your "
    "table, from 1",
    "left_out.csv": "rows and columns of your table that were not used, and why",
    "copies.csv": "who is copied and how often; rows are numbered from 1, values in original units",
    "weights.csv": "the weight of every row of the data: its own, or 1, and 1 for every copy",
    "data_with_weights.csv": "all rows of the data in original units, with that weight",
    "use_weights.py": "the lines that give the fairer clusters from data_with_weights.csv, without "
    "any added point and without this software",
    "run.py": "the lines that give the same run in Python",
}


def run_sections(record: RunRecord) -> list[page.Section]:
    """The whole report, in the order in which people ask."""
    found = [_found(record)]
    if record.shot is not None:
        found += [_curve(record), *_who_is_where(record, record.shot), _map(record, record.shot)]
        found += _against_the_others(record)
    return [
        *found,
        _costs(record),
        _method(record),
        _settings(record),
        _data(record),
        page.Section("What was not shown", limits(record.data, record.spec, record.view)),
        page.Section("Where this departs from the paper", departures(record.spec)),
        *_weights(record),
        page.Section("The same again, in Python", code=python_lines(record.spec)),
    ]


def figures(record: RunRecord) -> list[tuple[str, str]]:
    """The figures of the answer as (name, value), each with its reference."""
    view = record.view
    if not view.vanilla:
        return []
    digits, share = cost_digits(view), share_of_data(view.size, view.points)
    facts = [
        *_judgement(record),
        ("cost of plain clustering", numerals.number(view.vanilla_cost, digits)),
        ("cost with antidote points, lower is fairer", numerals.number(view.cost, digits)),
        ("target", numerals.number(view.target, digits)),
        ("antidote points |V|", f"{view.size:,}, that is {share} of {view.points:,}"),
    ]
    if view.verification is not None:
        facts.append(("independent clusterings that agree", view.verification.agreement))
    if view.holdout:
        kept = "unknown" if math.isnan(view.gain_kept) else numerals.percent(view.gain_kept)
        facts.append(("part of the gain that is kept on people it has not seen", kept))
    if view.noise:
        low, high = (numerals.number(cost, digits) for cost in view.noise_band)
        facts.append(("plain cost from seed to seed", f"{low} to {high}"))
    spent = f"{_rounds(view)}, {view.evaluations:,} evaluations, {duration(view.seconds)}"
    return [*facts, ("rounds, evaluations, time", spent)]


def _judgement(record: RunRecord) -> list[tuple[str, str]]:
    """The outcome, the gain as people read it, what it cost, and what was asked of it."""
    view, spec = record.view, record.spec
    (before, after), way, asked = smallest_pair(view), effect_size(view), settings(spec)
    return [
        ("outcome", view.verdict.outcome.word or "not ended"),
        (
            "plain clustering → with antidote points",
            fairness_change(spec.fairness, view.vanilla_cost, view.cost),
        ),
        (
            "part of the way to perfect",
            numerals.percent(way) if math.isfinite(way) else "no perfect cost is known",
        ),
        (
            "price of fairness",
            f"inertia {price_text(view.price)}" if view.size else "none: nothing was added",
        ),
        ("smallest cluster, before → after", f"{before} → {after} of the data"),
        *(
            (name, asked[name])
            for name in (
                "guard: smallest cluster",
                "guard: highest price",
                "where points may lie",
            )
        ),
    ]


def _rounds(view: RunView) -> str:
    return "1 round" if view.rounds == 1 else f"{view.rounds:,} rounds"


def _found(record: RunRecord) -> page.Section:
    paragraphs = []
    if record.shot is not None and get_fairness(record.spec.fairness).by_mix:
        mix = words.balance_sentence(record.shot.balance, record.data.group_names)
        paragraphs.append(f"{mix} {bars.cluster_sizes(record.shot.balance)}")
    paragraphs += design_sentences(record.view)
    paragraphs += [note for note in record.view.notes if note not in record.data.notes]
    return page.Section("What was found", paragraphs, figures(record))


def _curve(record: RunRecord) -> page.Section:
    view = record.view
    baselines = comparisons.baseline_costs(view, record.spec.fairness)
    chart = page.Chart(
        run_curve_figure(view, baselines),
        curve_words(view, baselines),
        step_table(view),
        caption="Open marks: best V of a round. Filled: checked by independent clusterings. Grey "
        "band: what plain clustering costs from seed to seed.",
    )
    return page.Section("Cost against antidote size", charts=[chart])


def _who_is_where(record: RunRecord, shot: Snapshot) -> list[page.Section]:
    names = record.data.group_names
    old_balance, old_social = vanilla_tables(record.view)
    mixes = [("Before: plain clustering", old_balance)]
    if record.view.size:
        mixes.append((f"With {record.view.size:,} antidote points", shot.balance))
    charts = [
        page.Chart(
            bars.cluster_mix_figure(table, names),
            words.balance_sentence(table, names),
            tables.cluster_table(table, names),
            title,
            f"{words.balance_sentence(table, names)} {bars.cluster_sizes(table)}",
        )
        for title, table in mixes
    ]
    charts.append(
        page.Chart(
            bars.cost_pair_figure(old_social, shot.social, names, cost_digits(record.view)),
            words.social_sentence(shot.social, names),
            bars.cost_pair_table(old_social, shot.social, names),
            "What each group pays",
            "Average squared distance of a group's points to their centre, the features in "
            f"standard deviations. {words.social_sentence(shot.social, names)}",
        )
    )
    heading, found = "Who is in which cluster, and what each group pays", record.intervals
    sure = tables.interval_table(found, shot.balance, names)
    said = [words.INTERVALS, words.few_people(found.people, names, FEW)]
    pays = tables.cost_interval_table(found, shot.social, names)
    return [
        page.Section(heading, charts=charts),
        page.Section("How sure the numbers of each group are", said, table=sure),
        page.Section("How sure it is what each group pays", table=pays),
    ]


def _map(record: RunRecord, shot: Snapshot) -> page.Section:
    picture = record.picture
    antidote = tables.antidote_table(record.data, shot.step.antidote)
    chart = page.Chart(
        maps.run_map_figure(record.data, shot, picture, "group"), picture.caption,
        tables.center_table(record.data, shot.centers, shot.balance.counts.sum(axis=1)),
        "Map of the data and the antidote points",
        f"Stars: antidote points. Crosses: centres. {picture.caption}",
    )  # fmt: skip
    paragraphs = []
    if len(antidote):
        paragraphs.append(
            "The antidote points in original units. Points that occur several times stand in one "
            "row; distances are in standard deviations, over all features together."
        )
    return page.Section("Where the antidote points lie", paragraphs, charts=[chart], table=antidote)


def _against_the_others(record: RunRecord) -> list[page.Section]:
    fairness = record.spec.fairness
    table = comparisons.comparison_table(record.view, fairness)
    if table.empty:
        return []
    digits = cost_digits(record.view)
    charts = [
        page.Chart(
            comparisons.measure_figure(table, measure, digits),
            f"{measure.title}, {measure.better}",
            pd.DataFrame(),
            f"{measure.title}, {measure.better}",
        )
        for measure in comparisons.measures(fairness)
    ]
    notes = dict.fromkeys(n for row in record.view.comparison for n in row.get("notes", ()))
    paragraphs = [
        comparisons.side_note(record.view, fairness),
        comparisons.SCORINGS,
        QUALITY,
        *notes,
    ]
    table = table.rename(
        columns={measure.column: measure.title for measure in comparisons.measures(fairness)}
    )
    return [page.Section("Against the others", paragraphs, charts=charts, table=table, beside=True)]


def _costs(record: RunRecord) -> page.Section:
    asked = record.spec.fairness
    return page.Section("What the costs mean", [cost_meaning(name) for name in costs_beside(asked)])


def _method(record: RunRecord) -> page.Section:
    spec, view = record.spec, record.view
    clustering, cost = CLUSTERINGS.get(spec.clustering), FAIRNESS.get(spec.fairness)
    optimizer = OPTIMIZERS.get(spec.optimizer)
    checks = len(view.verification.costs) if view.verification else 0
    made = "copies of real points" if spec.place == ROWS else "made-up points"
    return page.Section(
        "How it was done",
        [
            "The data U were clustered as they are (plain clustering). Then a search looked for "
            f"{made} V, the antidote data, such that the same clustering of U and V together is "
            "fairer to the groups of U. The cost counts the real points only; the added ones can "
            "be thrown away once the centres are known.",
            f"Clustering: {clustering.title}. {clustering.description}" if clustering else "",
            f"Cost: {cost.title}. {cost.sentence}" if cost else "",
            f"Algorithm 2 of the paper: begin with {spec.start_size:,} points, search, and as long "
            f"as the target is not reached {_more(spec)} and search again; "
            f"{GROWTH[spec.growth]}.",
            f"Search: {optimizer.title}. {optimizer.sentence}" if optimizer else "",
            f"In the end U and V were clustered anew {checks} times with fresh seeds: these are "
            "the independent clusterings of the verdict." if checks else "",
            "Noise is what plain clustering alone costs under other seeds: a gain inside that "
            "range may be chance.",
        ],
    )  # fmt: skip


def _more(spec: RunSpec) -> str:
    """How V grows, as a wish."""
    factor = spec.growth_factor
    return f"add {spec.step:,}" if factor is None else f"take {factor:g} times as many"


def _settings(record: RunRecord) -> page.Section:
    identity = [("run", record.run_id)] if record.run_id else []
    return page.Section(
        "Settings, seed and versions",
        ["Same settings, same seed, same data: same result."],
        [*settings(record.spec).items(), *identity, *page.versions().items()],
    )


def _data(record: RunRecord) -> page.Section:
    data, card = record.data, record.data.card
    more = " …" if len(data.feature_names) > 12 else ""
    facts = page.data_facts(data, ", ".join(data.feature_names[:12]) + more)
    paragraphs = [f"Shown: {data.source}."]
    if card is not None:
        facts += [("made by", card.who), ("licence", card.licence)]
        facts += [("source", card.url)] if card.url else []
        paragraphs += [card.what, card.rows, card.groups, f"Known harms. {card.harms}"]
    paragraphs.append("What was changed on the way here. " + " ".join(data.notes))
    chart = page.group_chart(data, bars.group_size_words(data))
    features = tables.feature_table(data)
    return page.Section(
        f"The data: {data.title or data.name}", paragraphs, facts, [chart], features
    )


def _weights(record: RunRecord) -> list[page.Section]:
    """How to do without added points, where V consists of copies of rows."""
    lines = weight_lines(record)
    if not lines:
        return []
    copied = (
        f"{record.view.people:,} real rows are copied, {record.view.size:,} copies in all. Instead "
        "of adding them, their rows can weigh more"
    )
    if record.view.antidote_weights is not None:
        copied = f"{record.view.people:,} real rows weigh more, by {record.view.added:,.1f} in all"
    said = (
        f"{copied}: the lines below cluster the file "
        "data_with_weights.csv, which is in the ZIP file of this run. The weights are for this "
        "clustering; other analyses of the data should not use them."
    )
    return [page.Section("Weights instead of points", [said], code=lines)]


def run_report(record: RunRecord, when: str = "") -> str:
    """The report as HTML; `when` says in words when the run was made.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=40, max_rounds=1)
    >>> text = run_report(RunRecord(load_dataset("blobs"), spec, run(spec)))
    >>> text.count("<h1>"), "What was not shown" in text
    (1, True)
    """
    data = record.data.title or record.data.name
    title = f"{record.name or data}: {combination(record.spec)}"
    return page.report_page("run", title, record.view.verdict, run_sections(record), when)


def joint_report(records: Sequence[RunRecord], notes: Sequence[str] = (), when: str = "") -> str:
    """Several runs in one report, each with a note of whoever hands it over.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=40, max_rounds=1)
    >>> record = RunRecord(load_dataset("blobs"), spec, run(spec))
    >>> text = joint_report([record, record], ["first", "a <b> note"])
    >>> text.count("<h1>"), "a &lt;b&gt; note" in text
    (1, True)
    """
    sides = [
        comparisons.Side(run_title(record.spec, record.name), record.spec, record.view)
        for record in records
    ]
    labels = list(comparisons.labelled(sides))
    said = notes if len(notes) == len(records) else [""] * len(records)
    methods = comparisons.methods_table(sides)
    together = [comparisons.difference_sentence(sides), comparisons.warning(sides)]
    sections = [
        page.Section("What came out", together, table=comparisons.results_table(sides)),
        *(
            _one_of_several(label, record, note)
            for label, record, note in zip(labels, records, said, strict=True)
        ),
        page.Section(
            "Every method on every data set",
            ["The cost that each run was asked for, lower is fairer.", comparisons.SCORINGS],
            table=methods.rename_axis("method").reset_index(),
        ),
        page.Section(
            "Settings in which the runs differ", table=comparisons.differing_settings(sides)
        ),
    ]
    lead = comparisons.fairest_sentence(sides) or f"{len(records)} runs."
    made = f"Written by Antidote {page.versions()['antidote']}{f', {when}' if when else ''}."
    return page.html_page(page.Page("Several runs", lead, sections, made=made))


def _one_of_several(label: str, record: RunRecord, note: str) -> page.Section:
    found = record.view.verdict
    charts = []
    if record.shot is not None:
        charts = [
            *_who_is_where(record, record.shot)[0].charts[-2:],
            *_map(record, record.shot).charts,
        ]
    return page.Section(label, [note, found.headline, *found.details], charts=charts, beside=True)


def python_lines(spec: RunSpec) -> str:
    """The lines that give the same run in Python.

    >>> print(python_lines(RunSpec(dataset="bank", k=3)))
    import antidote_core as ac
    <BLANKLINE>
    spec = ac.RunSpec(dataset="bank", k=3)
    result = ac.run(spec)
    print(result.cost, len(result.antidote), result.verification.share)
    """
    own = spec.dataset not in DATASETS
    usual = RunSpec(dataset=spec.dataset)
    names = [
        name for name in spec.__dataclass_fields__ if getattr(spec, name) != getattr(usual, name)
    ]
    settings = ["dataset=" + _quoted(spec.dataset)]
    settings += [f"{name}={_quoted(getattr(spec, name))}" for name in names]
    table = "data = ac.dataset_from_frame(frame, features=[...], protected=...)  # your table\n"
    return (
        "import antidote_core as ac\n\n"
        f"spec = ac.RunSpec({', '.join(settings)})\n"
        f"{table if own else ''}"
        f"result = ac.run(spec{', data' if own else ''})\n"
        "print(result.cost, len(result.antidote), result.verification.share)"
    )


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def run_bundle(record: RunRecord, events: Sequence[Event], when: str = "") -> bytes:
    """The ZIP file; what the run does not have is not in it."""
    files = {
        "report.html": run_report(record, when),
        "spec.json": record.spec.to_json() + "\n",
        "events.jsonl": "".join(event.to_json() + "\n" for event in events),
        "result.json": json.dumps(result(record), indent=1, allow_nan=False) + "\n",
        "run.py": python_lines(record.spec) + "\n",
    }
    if record.shot is not None:
        files["assignments.csv"] = assignments_csv(record, record.shot)
    files |= left_out_files(record.data)
    if record.view.size:
        if record.view.antidote_weights is None:  # part of a point is no point
            files["antidote.csv"] = antidote_csv(record.data, record.view.antidote)
            files["data-with-antidote.csv"] = union_csv(record.data, record.view.antidote)
        files |= weight_files(record)
    if record.shot is not None:
        names = record.data.group_names
        files["rounds.csv"] = csv_of(step_table(record.view), record.data)
        files["clusters.csv"] = csv_of(cluster_table(record.shot.balance, names), record.data)
        sure = tables.interval_table(record.intervals, record.shot.balance, names)
        files["intervals.csv"] = csv_of(sure, record.data)
        pays = tables.cost_interval_table(record.intervals, record.shot.social, names)
        files["cost-intervals.csv"] = csv_of(pays, record.data)
        files["group-costs.csv"] = csv_of(group_cost_table(record.shot.social, names), record.data)
    compared = comparisons.comparison_table(record.view, record.spec.fairness)
    if not compared.empty:
        files["comparison.csv"] = csv_of(compared, record.data)
    return page.zipped(files, record.view.verdict.text, CONTENTS)


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
    data, view, checked = record.data, record.view, None
    original = data.to_original(view.antidote).to_dict("records") if view.size else []
    if view.verification is not None:
        checked = {
            "costs": [jsonable(cost) for cost in view.verification.costs],
            "best_cost": jsonable(view.verification.best_cost),
            "share": view.verification.share,
            "confirmed": view.verification.confirmed,
        }
    return {
        "run": record.run_id or None,
        "data": {"name": data.name, "rows": data.n, "content_hash": data.content_hash},
        "state": view.state,
        "reason": view.reason,
        "outcome": view.verdict.outcome.value,
        "verdict": view.verdict.text,
        "vanilla_cost": jsonable(view.vanilla_cost),
        "cost": jsonable(view.cost),
        "target": jsonable(view.target),
        "reached": view.reached,
        "price": jsonable(view.price) if view.vanilla else None,
        "smallest_share": jsonable(view.smallest_share) if view.vanilla else None,
        "size": view.size,
        "points": view.points,
        "noise": [jsonable(cost) for cost in view.noise],
        "verification": checked,
        "rounds": view.rounds,
        "evaluations": view.evaluations,
        "seconds": jsonable(view.seconds),
        "antidote": view.antidote.tolist(),
        **view.weighted(),
        "antidote_original": original,
        "comparison": [
            {key: jsonable(value) for key, value in row.items()} for row in view.comparison
        ],
        "notes": list(view.notes),
    }
