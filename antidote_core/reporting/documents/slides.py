"""A run as slides: the problem, what was added, what changed, how sure, what it does not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import plotly.graph_objects as go

from antidote_core.analysis.snapshots import Snapshot, vanilla_tables
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import get_fairness
from antidote_core.numerals import number, share_of_data
from antidote_core.reporting.documents.report import RunRecord
from antidote_core.reporting.figures import bars, comparisons
from antidote_core.reporting.figures.maps import run_map_figure
from antidote_core.reporting.text import words
from antidote_core.reporting.text.run_words import (
    caution,
    dataset_title,
    fairness_change,
    guard_sentence,
    price_text,
    reasons,
    smallest_pair,
)
from antidote_core.runs.verdict import Outcome, cost_digits
from antidote_core.runs.view import RunView

WRITING = 20  # pixels, the letters on a slide
HEIGHT = 560
LABELLED_ROW = 80  # pixels, a bar whose label has three lines
HOW_SURE = {
    Outcome.CONFIRMED: "The gain is larger than the noise, and the checks agree.",
    Outcome.NOT_CONFIRMED: "Not confirmed: the checks do not bear the gain out.",
    Outcome.WITHIN_THE_NOISE: "The gain may be chance: it is inside the noise.",
    Outcome.HOLLOW: "However many checks agree, the win is hollow.",
    Outcome.NOT_REACHED: "The target was not reached, so there is no win to be sure of.",
    Outcome.STOPPED: "Stopped before the end: nothing is sure yet.",
    Outcome.NONE: "Not at its end: nothing is sure yet.",
}


def run_slides(record: RunRecord, dark: bool = False) -> list[Slide]:
    """The slides of an ended run; one that never clustered has its verdict alone."""
    shot, view = record.shot, record.view
    if shot is None:
        found = view.verdict
        return [Slide(found.headline, note=" ".join(found.details))]
    slides = [_data(record, dark), _before(record, dark), _gain(record)]
    if view.size:
        slides += [_after(record, shot, dark), _map(record, shot, dark)]
        slides += _sure(record)
    warning = caution(view)
    return [replace(each, caution=warning) for each in (*slides, *_others(record), _end(record))]


def _data(record: RunRecord, dark: bool) -> Slide:
    data = record.data
    return Slide(
        f"{data.title or dataset_title(record.spec)}: {data.n:,} points in "
        f"{len(data.group_names)} groups by {data.protected}.",
        bars.group_size_figure(data, dark),
        bars.group_size_words(data),
        note=data.source,
    )


def _before(record: RunRecord, dark: bool) -> Slide:
    names = record.data.group_names
    balance, social = vanilla_tables(record.view)
    method = CLUSTERINGS[record.spec.clustering].title
    note = f"Plain {method}, {record.spec.k} clusters, before anything is added."
    if get_fairness(record.spec.fairness).by_mix:
        sentence = words.balance_sentence(balance, names)
        return Slide(sentence, bars.cluster_mix_figure(balance, names, dark), sentence, note=note)
    sentence = words.social_sentence(social, names)
    return Slide(sentence, bars.group_cost_figure(social, names), sentence, note=note)


def _gain(record: RunRecord) -> Slide:
    view, digits = record.view, cost_digits(record.view)
    cost = get_fairness(record.spec.fairness)
    before, after = number(view.vanilla_cost, digits), number(view.cost, digits)
    numbers = [
        BigNumber(
            fairness_change(cost.name, view.vanilla_cost, view.cost).removesuffix(f" {cost.unit}"),
            f"{cost.unit}, the worst-served group" if cost.unit else cost.label,
            f"{cost.label} {before} → {after}, lower is fairer" if cost.unit else "lower is fairer",
        ),
        BigNumber(
            f"{view.size:,}", "points added", f"{share_of_data(view.size, view.points)} of "
            f"{view.points:,}",
        ),
    ]  # fmt: skip
    if view.size:
        numbers += _price(view)
    foot = cost.slide_note or f"Best possible: {cost.best}"
    return Slide(view.verdict.headline, numbers=numbers, note=foot)


def _price(view: RunView) -> list[BigNumber]:
    """What the gain cost, in two numbers."""
    before, after = smallest_pair(view)
    return [
        BigNumber(price_text(view.price), "price of fairness", "inertia, against plain clustering"),
        BigNumber(after, "smallest cluster", f"of the data; {before} before"),
    ]


def _after(record: RunRecord, shot: Snapshot, dark: bool) -> Slide:
    names = record.data.group_names
    note = (
        f"The same clustering, with {record.view.size:,} antidote points beside the data. "
        f"{bars.cluster_sizes(shot.balance)}"
    )
    if get_fairness(record.spec.fairness).by_mix:
        sentence = words.balance_sentence(shot.balance, names)
        figure = bars.cluster_mix_figure(shot.balance, names, dark)
    else:
        sentence = words.social_sentence(shot.social, names)
        old = vanilla_tables(record.view)[1]
        figure = bars.cost_pair_figure(old, shot.social, names, cost_digits(record.view))
    return Slide(f"{_marked('Now', record.view)}: {sentence}", figure, sentence, note=note)


def _marked(name: str, view: RunView) -> str:
    """A name for the answer, with its outcome behind it unless that is good."""
    found = view.verdict
    return name if found.tone == "good" else f"{name} ({found.outcome.value})"


def _map(record: RunRecord, shot: Snapshot, dark: bool) -> Slide:
    size = record.view.size
    many = "" if size == 1 else "s"
    what = f"{size:,} made-up point{many} (★) beside {record.data.n:,} real ones."
    if record.view.copies is not None:
        copies = "copy" if size == 1 else "copies"
        what = f"{size:,} {copies} of real points (★) beside all {record.data.n:,} of them."
    if record.view.antidote_weights is not None:
        added = f"{record.view.added:,.1f} more weight in all"
        what = f"{record.view.people:,} real points (★) weigh more, {added}."
    return Slide(
        what,
        run_map_figure(record.data, shot, record.picture, "group", dark),
        record.picture.caption,
        note=record.picture.caption,
    )


def _sure(record: RunRecord) -> list[Slide]:
    view, digits, checked = record.view, cost_digits(record.view), record.view.verification
    numbers = []
    if checked is not None:
        best = number(checked.best_cost, digits)
        numbers = [
            BigNumber(checked.agreement, "independent clusterings agree", "fresh seeds"),
            BigNumber(best, "cost the best of them finds"),
        ]
    if view.noise:
        low, high = (number(cost, digits) for cost in view.noise_band)
        span = low if low == high else f"{low} to {high}"
        every = "for every seed tried" if low == high else "from seed to seed: the noise"
        numbers.append(BigNumber(span, "cost of plain clustering", every))
    return [Slide(HOW_SURE[view.verdict.outcome], numbers=numbers)] if numbers else []


def _others(record: RunRecord) -> list[Slide]:
    fairness = record.spec.fairness
    table = comparisons.comparison_table(record.view, fairness)
    if table.empty:
        return []
    measure = comparisons.measures(fairness)[0]
    digits = cost_digits(record.view)
    known = table.dropna(subset=[measure.column]).sort_values(measure.column, kind="stable")
    ranked = [
        f"{_marked(name, record.view) if name == 'antidote' else name} {number(cost, digits)}"
        for name, cost in zip(known["clustering"], known[measure.column], strict=True)
    ]
    first = "Fairest first" if record.view.verdict.tone == "good" else "Lowest cost first"
    title = f"{first}: {', '.join(ranked)}."
    note = f"{measure.title}, {measure.better}. {comparisons.side_note(record.view, fairness)}"
    return [Slide(title, comparisons.measure_figure(table, measure, digits), title, note=note)]


def _end(record: RunRecord) -> Slide:
    spec, found = record.spec, record.view.verdict
    rows = "a sample of these data" if spec.sample is not None else "these data"
    what = "a fairer clustering, not a fair decision"
    if found.tone != "good":
        what = f"{found.outcome.value}, so no ground for a decision"
    said = (*reasons(record.view), *found.caveats, guard_sentence(spec))  # the gravest first
    return Slide(
        f"Shown for {rows}, {spec.k} clusters and one seed: {what}.",
        note="The report says how it was done and what was not shown.",
        points=[text for text in dict.fromkeys(said) if text],
    )


@dataclass(frozen=True)
class BigNumber:
    """A figure in large type, what it is, and what to compare it with."""

    value: str
    label: str
    beside: str = ""


@dataclass(frozen=True, eq=False)
class Slide:
    """`title` is the message, a whole sentence; below it one figure, numbers, or a list of points.

    `alt` describes the figure in words, `note` is the one small line at the foot; `caution` stands
    above the title wherever the result is less than it looks.
    """

    title: str
    figure: go.Figure | None = None
    alt: str = ""
    numbers: Sequence[BigNumber] = ()
    note: str = ""
    points: Sequence[str] = ()
    caution: str = ""


def for_the_back_row(figure: go.Figure) -> go.Figure:
    """A copy with writing that can be read from far away, and without what nobody will press.

    >>> large = for_the_back_row(go.Figure(go.Bar(x=[1], y=["a"], text=["1"])))
    >>> large.layout.font.size, large.data[0].textfont.size
    (20, 20)
    """
    large = go.Figure(figure)
    written = large.layout.yaxis.ticktext or ()
    large.update_layout(
        height=max(HEIGHT, figure.layout.height or 0, LABELLED_ROW * len(written)),
        font={"size": WRITING},
        legend={"font": {"size": WRITING}},
    )
    large.update_annotations(font_size=WRITING)
    large.for_each_trace(_larger_text)
    large.update_xaxes(title_font_size=WRITING, tickfont_size=WRITING - 2, automargin=True)
    large.update_yaxes(title_font_size=WRITING, tickfont_size=WRITING - 2, automargin=True)
    if written:  # one more line each: large letters leave less room for the bars
        large.update_yaxes(ticktext=[text.replace(" (", "<br>(") for text in written])
    return large


def _larger_text(trace: go.Figure) -> None:
    if trace.type in ("bar", "scatter", "scattergl"):
        trace.textfont.size = max(WRITING, trace.textfont.size or 0)
