"""A frontier to hand over: its report as one HTML file, its slides, everything in one ZIP file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from antidote_core.analysis.frontier_curves import Curve, curves
from antidote_core.fairness import get_fairness
from antidote_core.numerals import number, percent, share_of_data
from antidote_core.reporting.documents import page
from antidote_core.reporting.documents.data_files import safe_csv
from antidote_core.reporting.documents.slides import BigNumber, Slide
from antidote_core.reporting.figures import frontier_table
from antidote_core.reporting.figures.frontier_charts import cost_figure, quality_figure
from antidote_core.reporting.figures.tables import PRICE, SMALLEST
from antidote_core.reporting.text import frontier_words, words
from antidote_core.reporting.text.glossary import QUALITY, cost_meaning
from antidote_core.reporting.text.run_words import (
    OF_THE_IDEA,
    ProblemKey,
    departures,
    problem_title,
)
from antidote_core.reporting.text.words import duration
from antidote_core.runs.events import Event
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from antidote_core.types import Dataset

CONTENTS = {
    "report.html": "the report; opens in any browser, without a network",
    "sweep.json": "the settings, all of them",
    "events.jsonl": "everything that happened, one event per line",
    "cells.csv": "every cell: what was asked and what became of it",
    "sizes.csv": "median, band and seeds for every setting and size",
    "how-sure.csv": "how sure every curve is",
    "sweep.py": "the lines that give the cells again in Python",
}
PLACE = ["antidote points", "seed", "cost"]  # columns that say where a dot stands
READING = (
    "One dot is one run; dots of one size stand side by side, filled where the target is reached. "
    "Line: median over the seeds; shade: where the median over all seeds would lie. Grey band: "
    "what plain clustering costs from seed to seed. Bar at the foot: the smallest size that "
    "reaches the target lies on it."
)


@dataclass(frozen=True, eq=False)
class FrontierRecord:
    """A sweep that has ended, with its data."""

    data: Dataset
    spec: SweepSpec
    view: SweepView
    sweep_id: str = ""
    name: str = ""


def frontier_report(record: FrontierRecord, when: str = "") -> str:
    """The report as HTML; `when` says in words when the sweep was made."""
    name = record.name or record.data.title or record.data.name
    title = f"{name}: fairness against antidote size"
    found = frontier_words.frontier_verdict(record.view)
    return page.report_page("sweep", title, found, frontier_sections(record), when)


def frontier_sections(record: FrontierRecord) -> list[page.Section]:
    """The whole report, in the order in which people ask."""
    found = (
        [_problem(record, problem) for problem in record.spec.problems] if _known(record) else []
    )
    return [
        *found,
        *_sure(record),
        *_failures(record),
        _method(record),
        _settings(record),
        _data(record),
        page.Section("What was not shown", limits(record)),
        page.Section("Where this departs from the paper", _departures(record)),
        page.Section("The same again, in Python", code=python_lines(record.spec)),
    ]


def frontier_slides(record: FrontierRecord, dark: bool = False) -> list[Slide]:
    """The slides of an ended sweep; one without a single cell has its verdict alone."""
    view, verdict = record.view, frontier_words.frontier_verdict(record.view)
    if not _known(record):
        return [Slide(verdict.headline, note=" ".join(verdict.details))]
    slides = [_opening(record)]
    for problem in record.spec.problems:
        mine = [one for one in curves(view) if one.setting.problem == problem and one.levels]
        if not mine:
            continue
        best = _best(mine)
        parts = [problem_title(problem)] if len(record.spec.problems) > 1 else []
        parts += [frontier_table.setting_title(best.setting, record.spec)] if len(mine) > 1 else []
        name = f"{', '.join(parts)}: " if parts else ""
        said = frontier_words.curve_sentence(view, best)
        alt = frontier_words.chart_words(view, problem)
        costs, note = cost_figure(view, problem, dark), _short_reading(record)
        slides.append(Slide(f"{name}{said}", costs, alt, note=note))
        slides.append(_sure_slide(record, best, name))
        if frontier_table.is_measured(view, problem, PRICE):
            slides.append(_price_slide(record, best, name, dark))
        slides.append(
            Slide(f"{name}How clear the clusters stay: up and to the left is better.",
                  quality_figure(view, problem, dark),
                  f"Silhouette against cost, {problem_title(problem)}.", note=QUALITY)
        )  # fmt: skip
    slides.append(
        Slide(
            f"Shown for these data and {len(record.spec.seeds)} seeds: a fairer clustering, not a "
            "fair decision.",
            note="The report says how it was done and what was not shown.",
        )
    )
    return slides


def frontier_bundle(record: FrontierRecord, events: Sequence[Event], when: str = "") -> bytes:
    """The ZIP file; what the sweep does not have is not in it."""
    files = {
        "report.html": frontier_report(record, when),
        "sweep.json": record.spec.to_json() + "\n",
        "events.jsonl": "".join(event.to_json() + "\n" for event in events),
        "sweep.py": python_lines(record.spec) + "\n",
    }
    if record.view.rows:
        files["cells.csv"] = safe_csv(frontier_table.cell_table(record.view))
    if _known(record):
        files["sizes.csv"] = safe_csv(frontier_table.level_table(record.view))
        files["how-sure.csv"] = safe_csv(frontier_words.sureness_table(record.view))
    return page.zipped(files, frontier_words.frontier_verdict(record.view).text, CONTENTS)


def python_lines(spec: SweepSpec) -> str:
    """The lines that compute the cells again.

    >>> lines = python_lines(SweepSpec("blobs", sizes=(10,), seeds=(0,)))
    >>> scope = {}
    >>> exec(lines.split("for cell")[0], scope)
    >>> len(scope["spec"].cells)
    1
    """
    values = json.loads(spec.to_json())
    usual = json.loads(SweepSpec(spec.dataset).to_json())
    names = [name for name in values if name != "dataset" and values[name] != usual[name]]
    settings = [repr(spec.dataset)] + [f"{name}={getattr(spec, name)!r}" for name in names]
    return (
        "import antidote_core as ac\n"
        "from antidote_core import SweepSpec\n\n"
        f"spec = SweepSpec({', '.join(settings)})\n"
        "for cell in spec.cells:\n"
        "    result = ac.run(cell.spec)\n"
        "    print(cell.setting, cell.size, cell.seed, result.cost)"
    )


def limits(record: FrontierRecord) -> tuple[str, ...]:
    """What the frontier has not shown, the most particular first."""
    view, spec, data = record.view, record.spec, record.data
    found = []
    if view.state != "finished":
        found.append(
            f"The sweep did not go to its end ({view.reason or view.state}): this is what it had."
        )
    rows = f"a sample of {data.n:,} rows" if spec.sample is not None else f"these {data.n:,} rows"
    seeds = "one seed" if len(spec.seeds) == 1 else f"{len(spec.seeds)} seeds"
    found += [
        f"Shown for {rows} and {seeds}. Seeds tell how much the search and the clustering vary, "
        "not how other rows would behave.",
        "Between two sizes that were tried nothing is known: the line only joins them.",
        "A size that does not reach the target does not prove it impossible: every search looks at "
        "some of all possible V.",
        words.small_groups(data),
        OF_THE_IDEA,
    ]
    return tuple(text for text in found if text)


def _known(record: FrontierRecord) -> bool:
    return any(one.levels for one in curves(record.view))


def _best(found: Sequence[Curve]) -> Curve:
    """The curve with the smallest size, else the one with the lowest median."""
    reaching = [one for one in found if one.smallest is not None]
    if reaching:
        return min(reaching, key=lambda one: one.smallest.size if one.smallest else 0)
    return min(found, key=lambda one: min(x.median for x in one.levels))


def _problem(record: FrontierRecord, problem: ProblemKey) -> page.Section:
    view, spec = record.view, record.spec
    found = [one for one in curves(view) if one.setting.problem == problem]
    said = [
        (f"{frontier_table.setting_title(one.setting, spec)}: " if len(found) > 1 else "")
        + frontier_words.curve_sentence(view, one)
        for one in found
    ]
    levels, title = frontier_table.level_table(view), problem_title(problem)
    cells = frontier_table.cell_table(view, problem).drop(columns=["problem", "run"])
    charts = [
        page.Chart(
            cost_figure(view, problem),
            frontier_words.chart_words(view, problem),
            levels[levels["problem"] == title].drop(columns="problem"),
            "Cost against antidote size",
            READING,
        ),
        *(
            page.Chart(
                quality_figure(view, problem, measure=measure),
                f"{measure.title} against cost, {title}.",
                cells[[*PLACE, f"{measure.title.lower()} (%)"]],
                heading,
                f"{frontier_words.MEANINGS[measure.column]} "
                f"{frontier_table.off_quality_chart(view, problem, measure)}",
            )
            for measure, heading in (
                (PRICE, "Price of fairness against cost: down and to the left is better"),
                (SMALLEST, "Smallest cluster against cost: up and to the left is better"),
            )
            if frontier_table.is_measured(view, problem, measure)
        ),
        page.Chart(
            quality_figure(view, problem),
            f"Silhouette against cost, {title}.",
            cells,
            "Quality against cost: up and to the left is better",
            "Numbers at the lines: antidote points, where there is room. "
            f"{frontier_table.off_quality_chart(view, problem)}",
        ),
    ]
    reference = found[0].reference
    if reference is not None and reference.reason:
        said.append(f"No line of the fair algorithm: {reference.reason}")
    return page.Section(title, [*said, cost_meaning(problem[1])], charts=charts)


def _sure(record: FrontierRecord) -> list[page.Section]:
    view, spec = record.view, record.spec
    found = [one for one in curves(view) if one.sureness is not None]
    if not found:
        return []
    said = [
        f"{problem_title(one.setting.problem)}, {frontier_table.setting_title(one.setting, spec)}: "
        + " ".join(frontier_words.sure_sentences(view, one))
        for one in found
    ]
    return [page.Section("How sure are we?", said, table=frontier_words.sureness_table(view))]


def _failures(record: FrontierRecord) -> list[page.Section]:
    sentence = frontier_words.failures_sentence(record.view)
    return (
        [page.Section("Failed cells", [sentence], table=frontier_words.failures_table(record.view))]
        if sentence
        else []
    )


def _method(record: FrontierRecord) -> page.Section:
    return page.Section(
        "How it was done",
        [
            "For every setting, size and seed, a search placed that many made-up points V, the "
            "antidote data, so that the same clustering of U and V together costs the groups of U "
            "as little as possible. Each cell is an ordinary run: its answer was clustered anew "
            "with fresh seeds, and it counts as reaching the target only if the best of these "
            "independent clusterings does, too, and keeps the guard: every cluster keeps a share "
            "of U, and the inertia on U rises no further over plain clustering than was allowed.",
            "The band around a median holds the median over all seeds with a chance of about "
            "90\N{NO-BREAK SPACE}%, whatever the distribution; few seeds allow less, and the "
            "tables say how much. The share of seeds that would pass is bounded from below with "
            "90\N{NO-BREAK SPACE}% confidence (Clopper and Pearson).",
            "Noise is what plain clustering alone costs under other seeds: a gain inside that "
            "range may be chance.",
            frontier_words.cells_sentence(record.view),
            *record.view.notes,
        ],
    )


def _settings(record: FrontierRecord) -> page.Section:
    spec, view = record.spec, record.view
    facts = [
        ("data set", record.data.title or record.data.name),
        ("combinations", ", ".join(" + ".join(pair) for pair in spec.combinations)),
        ("clusters (k)", _listed(spec.ks)),
        ("optimizers", ", ".join(spec.optimizers)),
        ("boxes", ", ".join(spec.boxes)),
        ("antidote points (|V|)", _listed(spec.sizes)),
        ("seeds", _listed(spec.seeds)),
        ("target (α)", str(spec.target)),
        ("smallest cluster, at least", _least_share(spec)),
        (
            "price of fairness, at most",
            "no limit" if spec.max_price is None else percent(spec.max_price),
        ),
        ("evaluations per cell", f"{spec.budget:,}"),
        ("restarts", f"{spec.restarts:,}"),
        ("workers", f"{view.workers:,}, {view.scheduler or 'one machine'}"),
        ("time", duration(view.seconds)),
    ]
    identity = [("sweep", record.sweep_id)] if record.sweep_id else []
    return page.Section(
        "Settings, seeds and versions",
        ["Same settings, same seeds, same data: same result, on one machine or on many."],
        [*facts, *identity, *page.versions().items()],
    )


def _least_share(spec: SweepSpec) -> str:
    if spec.min_share is None:
        return "a tenth of an equal share, or as in plain clustering where that is less"
    return f"{percent(spec.min_share)} of the data" if spec.min_share else "no limit"


def _data(record: FrontierRecord) -> page.Section:
    data = record.data
    chart = page.group_chart(data, "Points per group.")
    facts = page.data_facts(data, f"{data.points.shape[1]:,}")
    said = [f"Shown: {data.source}.", *data.notes]
    return page.Section(f"The data: {data.title or data.name}", said, facts, [chart])


def _departures(record: FrontierRecord) -> tuple[str, ...]:
    found = [departures(cell.spec) for cell in record.spec.cells[: len(record.spec.settings)]]
    return tuple(dict.fromkeys(text for each in found for text in each))


def _listed(values: Sequence[int]) -> str:
    return ", ".join(f"{value:,}" for value in values)


def _opening(record: FrontierRecord) -> Slide:
    verdict, view = frontier_words.frontier_verdict(record.view), record.view
    best = _best([one for one in curves(view) if one.levels])
    digits, sure = frontier_table.digits_of(view, best.setting.problem), best.sureness
    if sure is None:
        return Slide(verdict.headline, note=" ".join(verdict.details))
    level = frontier_words.level_of(best, sure)
    share = share_of_data(sure.size, view.points)
    cost = get_fairness(best.setting.fairness)
    unit = cost.unit or "cost"
    before, after = (
        f", cost {number(value, digits)}" if cost.unit else ""
        for value in (sure.noise.middle, level.median)
    )
    numbers = [
        BigNumber(
            cost.shown(sure.noise.middle, digits), f"{unit} before", f"plain clustering{before}"
        ),
        BigNumber(
            cost.shown(level.median, digits), f"{unit} after", f"median{after}; lower is fairer"
        ),
        BigNumber(f"{sure.size:,}", "points added", f"{share} of {view.points:,}"),
    ]
    return Slide(verdict.headline, numbers=numbers, note=problem_title(best.setting.problem))


def _price_slide(record: FrontierRecord, best: Curve, name: str, dark: bool) -> Slide:
    problem, view = best.setting.problem, record.view
    known = best.levels[-1] if best.sureness is None else (
        frontier_words.level_of(best, best.sureness)
    )  # fmt: skip
    return Slide(
        f"{name}What fairness costs: inertia {PRICE.shown(known.price)} with {known.size:,} "
        f"points, smallest cluster {SMALLEST.shown(known.smallest_share)} of the data.",
        quality_figure(view, problem, dark, PRICE),
        f"Price of fairness against cost, {problem_title(problem)}.",
        note=frontier_words.MEANINGS[PRICE.column],
    )


def _sure_slide(record: FrontierRecord, best: Curve, name: str) -> Slide:
    sure = best.sureness
    said = frontier_words.sure_sentences(record.view, best)
    if sure is None:
        return Slide(f"{name}How sure are we?", note=" ".join(said))
    digits = frontier_table.digits_of(record.view, best.setting.problem)
    low, high = number(sure.noise.low, digits), number(sure.noise.high, digits)
    numbers = [
        BigNumber(f"{sure.passed} of {sure.judged}", "seeds reach the target",
                  f"with {sure.size:,} points"),
        BigNumber(percent(sure.at_least), "of all seeds at least", "90 % sure"),
        BigNumber(f"{low} to {high}", "plain clustering, seed to seed", "the noise"),
    ]  # fmt: skip
    sentence = "The gain is larger than the noise." if sure.outside_noise else (
        "The gain may be chance: it is inside the noise."
    )  # fmt: skip
    return Slide(f"{name}{sentence}", numbers=numbers, note=" ".join(said[:1]))


def _short_reading(record: FrontierRecord) -> str:
    return (
        f"Every dot is one run, {len(record.spec.seeds)} seeds per size. Grey: plain clustering "
        "and its noise. Filled dots reach the target."
    )
