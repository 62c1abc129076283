"""A run as slides: the problem, what was added, what changed, how sure, what it does not show.

One message per slide, in words that need no statistics; what a presenter may be asked stands in the
notes of each. A deck is one HTML file that opens without a network, fits every screen and prints
one slide per page; the page that presents a run shows that same file.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import plotly.graph_objects as go
from markupsafe import Markup

from antidote_core.analysis.comparison import ANTIDOTE, VANILLA
from antidote_core.analysis.snapshots import Snapshot, moves, shown_steps, snapshot, vanilla_tables
from antidote_core.baselines import OWN, algorithm_name
from antidote_core.clustering import CLUSTERINGS, get_clustering
from antidote_core.fairness import BalanceTable, FairnessCost, get_fairness
from antidote_core.numerals import number, percent, share_of_data
from antidote_core.problem import Problem
from antidote_core.projection import fit_plane
from antidote_core.reporting.documents import page
from antidote_core.reporting.documents.data_files import RunRecord
from antidote_core.reporting.figures import bars, comparisons, palette, stage
from antidote_core.reporting.text import words
from antidote_core.reporting.text.run_words import (
    OF_THE_IDEA,
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
from antidote_core.types import jsonable

WRITING = 20  # pixels, the letters of a chart on a slide
HEIGHT = 560
LABELLED_ROW = 80  # pixels, a bar whose label has three lines
MAX_LOGO = 300_000  # bytes
LOGOS = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "svg": "image/svg+xml"}
HOW_SURE = {
    Outcome.CONFIRMED: "The gain is larger than the noise, and the checks agree.",
    Outcome.NOT_CONFIRMED: "Not confirmed: the checks do not bear the gain out.",
    Outcome.WITHIN_THE_NOISE: "The gain may be chance: it is inside the noise.",
    Outcome.HOLLOW: "However many checks agree, the win is hollow.",
    Outcome.NOT_REACHED: "The target was not reached, so there is no win to be sure of.",
    Outcome.STOPPED: "Stopped before the end: nothing is sure yet.",
    Outcome.NONE: "Not at its end: nothing is sure yet.",
}


@dataclass(frozen=True)
class BigNumber:
    """A figure in large type, what it is, and what to compare it with."""

    value: str
    label: str
    beside: str = ""


@dataclass(frozen=True, eq=False)
class Slide:
    """`title` is the message, a whole sentence; below it one picture, numbers, or a list of points.

    `chart` is a picture that the deck draws itself, `figure` one of Plotly's; `alt` describes
    either in words. `note` is the one small line at the foot; `caution` stands above the title
    wherever the result is less than it looks. `notes` are for whoever presents.
    """

    title: str
    figure: go.Figure | None = None
    alt: str = ""
    numbers: Sequence[BigNumber] = ()
    note: str = ""
    points: Sequence[str] = ()
    caution: str = ""
    chart: Mapping[str, Any] | None = None
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values fit for JSON."""
        drawn = {} if self.figure is None else json.loads(for_the_back_row(self.figure).to_json())
        return {
            "title": self.title,
            "alt": self.alt,
            "numbers": [vars(each) for each in self.numbers],
            "note": self.note,
            "points": list(self.points),
            "caution": self.caution,
            "chart": {"kind": "plotly", **drawn} if drawn else self.chart,
            "notes": [text for text in self.notes if text],
        }


@dataclass(frozen=True)
class Cover:
    """Whose slides these are: a title in place of the usual one, a name, a logo as a data address.

    >>> Cover(name="Ada").name
    'Ada'
    """

    title: str = ""
    name: str = ""
    logo: str = field(default="", repr=False)


def logo_address(name: str, content: bytes) -> str:
    """A picture as an address that carries it, or a sentence about what is wrong with it.

    >>> logo_address("a.png", b"x")
    'data:image/png;base64,eA=='
    >>> logo_address("a.gif", b"x")
    Traceback (most recent call last):
    antidote_core.errors.DataError: A logo must be a PNG, JPEG or SVG file; got a.gif.
    """
    from antidote_core.errors import DataError

    kind = LOGOS.get(name.rpartition(".")[2].lower())
    if kind is None:
        raise DataError(f"A logo must be a PNG, JPEG or SVG file; got {name}.")
    if len(content) > MAX_LOGO:
        raise DataError(
            f"A logo may have {MAX_LOGO // 1000:,} kB at most; {name} has "
            f"{len(content) // 1000:,} kB. Take a smaller picture."
        )
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def deck(
    slides: Sequence[Slide], title: str, cover: Cover, made: str = "", dark: bool = False
) -> str:
    """The slides as one HTML file.

    >>> text = deck([Slide("A <b> message.")], "A title", Cover(name="Ada"))
    >>> "Ada" in text, "<b> message" in text, "id='plotly'" in text
    (True, False, False)
    """
    content = {
        "title": cover.title or title,
        "name": cover.name,
        "logo": cover.logo,
        "made": made,
        "slides": [slide.to_dict() for slide in slides],
        "inks": {
            "ink": palette.ink(dark),
            "decides": palette.DECIDES,
            "vanilla": palette.VANILLA,
            "antidote": palette.ANTIDOTE,
        },
    }
    text = json.dumps(jsonable(content), allow_nan=False).replace("<", "\\u003c")
    return str(
        page.render(
            "deck.html",
            title=content["title"],
            deck=Markup(text),
            dark=dark,
            ink=palette.ink(dark),
            font=page.FONT,
            plotly=page.packed_plotly() if any(slide.figure for slide in slides) else "",
            stage_html=Markup(page.template("stage.html")),
            stage_css=Markup(page.template("stage.css")),
            stage_js=_inside("stage.js"),
            stage_data_js=_inside("stage_data.js"),
        )
    )


def _inside(name: str) -> Markup:
    """A module of the dashboard as the body of a function that returns what it exports."""
    return Markup(page.template(name).replace("export default function", "return function"))


# -- a run --------------------------------------------------------------------------------------


def run_slides(record: RunRecord, dark: bool = False) -> list[Slide]:
    """The slides of an ended run; one that never clustered has its verdict alone."""
    shot, view = record.shot, record.view
    if shot is None:
        found = view.verdict
        return [Slide(found.headline, note=" ".join(found.details))]
    slides = [_data(record, dark), _before(record, dark)]
    if view.size:
        slides += [_replay(record, dark), _after(record, shot, dark)]
    slides.append(_gain(record))
    if view.size:
        slides += _sure(record)
    warning = caution(view)
    return [replace(each, caution=warning) for each in (*slides, *_others(record), _end(record))]


def _data(record: RunRecord, dark: bool) -> Slide:
    data = record.data
    sizes = data.group_sizes.tolist()
    rows = [
        {
            "label": name,
            "parts": [size / max(sizes)],
            "texts": [f"{size:,} ({percent(size / data.n)})"],
            "color": palette.group_mark(code, dark).color,
        }
        for code, (name, size) in enumerate(zip(data.group_names, sizes, strict=True))
    ]
    return Slide(
        f"{data.title or dataset_title(record.spec)}: {data.n:,} rows in "
        f"{len(data.group_names)} groups by {data.protected}.",
        chart={"kind": "bars", "rows": rows},
        alt=bars.group_size_words(data),
        note=data.source,
        notes=(words.small_groups(data), *data.notes),
    )


def _before(record: RunRecord, dark: bool) -> Slide:
    names = record.data.group_names
    balance, social = vanilla_tables(record.view)
    method = get_clustering(record.spec.clustering).title
    cost = get_fairness(record.spec.fairness)
    note = f"Plain {method}, {record.spec.k} clusters, before anything is added."
    notes = (cost.meaning, f"{cost.label} {number(record.view.vanilla_cost)}, lower is fairer.")
    if cost.by_mix:
        sentence = words.balance_sentence(balance, names)
        chart = _mosaic([balance], names, dark)
        note += " Columns are as wide as their clusters are large."
    else:
        sentence = words.social_sentence(social, names)
        chart = _paid([social.group_costs], names, dark)
    return Slide(sentence, chart=chart, alt=sentence, note=note, notes=notes)


def _replay(record: RunRecord, dark: bool) -> Slide:
    """The run as it played, on the stage of the dashboard."""
    view = record.view
    share = share_of_data(view.size, view.points)
    return Slide(
        f"Added: {_what_was_added(view)}, {share} of the data.",
        chart={"kind": "replay", **_stage(record, dark)},
        alt=record.picture.caption,
        note="The same clustering runs again after every step; the method itself is not changed.",
        notes=(record.picture.caption,),
    )


def _what_was_added(view: RunView) -> str:
    if view.copies is None:
        return "1 made-up point" if view.size == 1 else f"{view.size:,} made-up points"
    people = "1 person" if view.people == 1 else f"{view.people:,} people"
    if view.antidote_weights is not None:
        return f"weight for {people} who are in the data, {view.added:,.1f} in all"
    copies = "1 copy" if view.size == 1 else f"{view.size:,} copies"
    return f"{copies} of {people} who are in the data"


def _added(view: RunView) -> str:
    """What V consists of."""
    if view.antidote_weights is not None:
        return "weight"
    return "copies" if view.copies is not None else "points"


def _stage(record: RunRecord, dark: bool) -> dict[str, Any]:
    """What the stage draws, in its own parcels."""
    data, spec, view = record.data, record.spec, record.view
    if record.layout is not None and data.points.shape[1] > 2:
        ground = stage.layout_ground(data, record.layout)
    else:
        ground = stage.plane_ground(data, spec, fit_plane(data.points, data.feature_names))
    problem = None
    if not get_clustering(spec.clustering).by_nearest_center:
        problem = Problem.of(spec, data)
    shown = shown_steps(len(view.steps), view.answer_index)
    shots = [snapshot(data, spec, view, index, problem) for index in shown]
    steps = stage.step_parcel("deck", data, [moves(shot) for shot in shots], ground, 0)
    points = stage.points_parcel("deck", data, ground, shots[0].labels)
    show = stage.show_parcel(
        "deck", data, spec, view, shown, ground, stage.map_axes(ground, [steps]),
        fair=comparisons.baseline_costs(view, spec.fairness), live=False, color="group", dark=dark,
    )  # fmt: skip
    return {"points": base64.b64encode(points).decode(), "parcels": [steps, show]}


def _after(record: RunRecord, shot: Snapshot, dark: bool) -> Slide:
    names = record.data.group_names
    old_balance, old_social = vanilla_tables(record.view)
    if get_fairness(record.spec.fairness).by_mix:
        sentence = words.balance_sentence(shot.balance, names)
        chart = _mosaic([old_balance, shot.balance], names, dark)
    else:
        sentence = words.social_sentence(shot.social, names)
        chart = _paid([old_social.group_costs, shot.social.group_costs], names, dark)
    return Slide(
        f"{_marked('Now', record.view)}: {sentence}",
        chart=chart,
        alt=f"{sentence} {bars.cluster_sizes(shot.balance)}",
        note=bars.cluster_sizes(shot.balance),
        notes=(f"{shot.changed.sum():,} of {record.data.n:,} points are in another cluster now.",),
    )


def _mosaic(tables: Sequence[BalanceTable], names: Sequence[str], dark: bool) -> dict[str, Any]:
    """Who is in which cluster: columns as wide as clusters are large, one state per table."""
    counts = [table.counts for table in tables]
    whole = counts[0].sum(axis=0)
    every = [
        {"name": name, "color": palette.group_mark(code, dark).color}
        for code, name in enumerate(names)
    ]

    def part(cluster: int, code: int) -> dict[str, Any]:
        sizes = [table.sum(axis=1)[cluster] for table in counts]
        return {
            **every[code],
            "shares": [
                float(table[cluster, code] / size) if size else 0.0
                for table, size in zip(counts, sizes, strict=True)
            ],
            "decides": [
                table.cluster == cluster
                and table.group == code
                and float(table.ratios[cluster, code]) < words.EQUAL
                for table in tables
            ],
        }

    return {
        "kind": "mosaic",
        "key": every,
        "whole": [
            {**every[code], "shares": [float(whole[code] / whole.sum())], "decides": [False]}
            for code in range(len(names))
        ],
        "columns": [
            {
                "name": f"Cluster {cluster + 1}",
                "sizes": [float(table[cluster].sum() / table.sum()) for table in counts],
                "texts": [f"{table[cluster].sum():,.0f}" for table in counts],
                "parts": [part(cluster, code) for code in range(len(names))],
            }
            for cluster in range(len(counts[0]))
        ],
    }


def _paid(costs: Sequence[Any], names: Sequence[str], dark: bool) -> dict[str, Any]:
    """What each group pays, one state per set of costs."""
    most = max(float(each.max()) for each in costs) or 1.0
    rows = [
        {
            "label": name,
            "parts": [float(each[code]) / most for each in costs],
            "texts": [number(float(each[code])) for each in costs],
            "color": palette.group_mark(code, dark).color,
            "decides": [int(each.argmax()) == code for each in costs],
        }
        for code, name in enumerate(names)
    ]
    return {"kind": "bars", "rows": rows, "says": "Average squared distance to the own centre"}


def _gain(record: RunRecord) -> Slide:
    view = record.view
    cost = get_fairness(record.spec.fairness)
    numbers = [
        BigNumber(
            fairness_change(cost.name, view.vanilla_cost, view.cost).removesuffix(f" {cost.unit}"),
            f"{cost.unit}, the worst-served group" if cost.unit else cost.label,
            "before → after" if cost.unit else "before → after, lower is fairer",
        ),
        BigNumber(
            f"{view.size:,}", f"{_added(view)} added",
            f"{share_of_data(view.size, view.points)} of {view.points:,}",
        ),
    ]  # fmt: skip
    if view.size:
        numbers += _price(view)
    digits = cost_digits(view)
    before, after = number(view.vanilla_cost, digits), number(view.cost, digits)
    return Slide(
        view.verdict.headline,
        numbers=numbers,
        note=cost.slide_note or f"Best possible: {cost.best}",
        notes=(f"{cost.label} {before} → {after}, lower is fairer.", view.verdict.price),
    )


def _price(view: RunView) -> list[BigNumber]:
    """What the gain cost, in two numbers."""
    before, after = smallest_pair(view)
    return [
        BigNumber(price_text(view.price), "price of fairness", "how much worse the clusters fit"),
        BigNumber(after, "smallest cluster", f"of the data; {before} before"),
    ]


def _marked(name: str, view: RunView) -> str:
    """A name for the answer, with its outcome behind it unless that is good."""
    found = view.verdict
    return name if found.tone == "good" else f"{name} ({found.outcome.value})"


def _sure(record: RunRecord) -> list[Slide]:
    view, digits, checked = record.view, cost_digits(record.view), record.view.verification
    cost = get_fairness(record.spec.fairness)
    numbers, notes = [], []
    if checked is not None:
        numbers.append(
            BigNumber(checked.agreement, "independent clusterings agree", "each from fresh starts")
        )
        notes.append(
            f"The best of the {checked.checks} costs {number(checked.best_cost, digits)}, with "
            f"{checked.restarts} starts each."
        )
    if view.noise:
        band = (
            view.noise_band[::-1] if cost.is_share else view.noise_band
        )  # shares rise as costs fall
        low, high = (cost.shown(each, digits) for each in band)
        span = low if low == high else f"{low} to {high}"
        numbers.append(BigNumber(span, "plain clustering by itself", "from try to try: the noise"))
    notes += view.verdict.caveats
    return [Slide(HOW_SURE[view.verdict.outcome], numbers=numbers, notes=notes)] if numbers else []


def _others(record: RunRecord) -> list[Slide]:
    view, cost = record.view, get_fairness(record.spec.fairness)
    digits = cost_digits(view)
    costs = {VANILLA: view.vanilla_cost, ANTIDOTE: view.cost}
    known = [
        (row, value)
        for row in sorted(view.comparison, key=comparisons.place_of)
        if (value := row.get(cost.name, costs.get(row["name"]))) is not None
        and math.isfinite(value)
    ]
    if not known:
        return []
    part = _part_of([value for _, value in known], cost)
    roles = [_role(row, view) for row, _ in known]
    rows = [
        {
            "label": role,
            "sub": sub,
            "parts": [part(value)],
            "texts": [cost.shown(value, digits)],
            "color": color,
        }
        for (role, sub, color), (_, value) in zip(roles, known, strict=True)
    ]
    ranked = sorted(zip(rows, known, strict=True), key=lambda pair: pair[1][1])
    first = "Fairest first" if view.verdict.tone == "good" else "By the cost alone"
    listed = ", ".join(f"{row['label']} {row['texts'][0]}" for row, _ in ranked)
    title = f"{first}: {listed}."
    better = cost.headline if cost.unit else f"{cost.label}, lower is fairer"
    note = f"{better}. {comparisons.side_note(view, cost.name)}"
    chart = {"kind": "bars", "rows": rows}
    notes = [note for row, _ in known for note in row.get("notes", ())]
    return [Slide(title, chart=chart, alt=title, note=note, notes=tuple(dict.fromkeys(notes)))]


def _part_of(values: Sequence[float], cost: FairnessCost) -> Any:
    """How long a bar is: the fair share where the scale has two ends, else the cost itself."""
    if cost.perfect is not None and math.isfinite(cost.worst):
        span = cost.worst - cost.perfect
        return lambda value: (cost.worst - value) / span
    most = max(abs(value) for value in values) or 1.0
    return lambda value: abs(value) / most


def _role(row: Mapping[str, Any], view: RunView) -> tuple[str, str, str]:
    """What a clustering is in the comparison, a word on it, and the colour of its role."""
    if row["name"] == VANILLA:
        return "plain clustering", "as it is", palette.VANILLA
    if row["name"] == ANTIDOTE:
        return _marked(f"with the {_added(view)}", view), "plain clustering", palette.ANTIDOTE
    how = "by its own clusters" if row["scoring"] == OWN else "by the nearest centre"
    return f"a fair algorithm {how}", algorithm_name(row["name"]), palette.BASELINE


def _end(record: RunRecord) -> Slide:
    data, spec, view = record.data, record.spec, record.view
    found = view.verdict
    what = "a fairer clustering is not a fair decision"
    if found.tone != "good":
        what = f"{found.outcome.value}, so no ground for a decision"
    rows = f"a sample of {data.n:,} rows" if spec.sample is not None else f"these {data.n:,} rows"
    unseen = "" if view.holdout or not view.size else "It was not tried on people it has not seen."
    said = (
        *reasons(view),  # the gravest first
        guard_sentence(spec),
        words.small_groups(data),
        f"Shown for {rows} and {spec.k} clusters; others can give another result.",
        unseen,
        OF_THE_IDEA,
    )
    return Slide(
        f"What this does not show: {what}.",
        note="The report says how it was done and what was not shown.",
        points=[text for text in dict.fromkeys(said) if text],
        notes=found.caveats,
    )


def run_summary(record: RunRecord, when: str = "") -> str:
    """The run on one sheet of paper (A4), as HTML without any script."""
    slides = run_slides(record)
    view, spec = record.view, record.spec
    found = view.verdict
    numbers = next((slide.numbers for slide in slides if slide.numbers), ())
    chart = next((s.chart for s in reversed(slides) if s.chart and _has_two_states(s.chart)), None)
    by_mix = get_fairness(spec.fairness).by_mix
    method = CLUSTERINGS[spec.clustering].title if spec.clustering in CLUSTERINGS else ""
    said = (
        f"{method or spec.clustering}, {spec.k} clusters, groups by {record.data.protected}, "
        f"{view.points:,} rows.",
        f"The same clustering of the data with {_what_was_added(view)} added; it is counted on the "
        "real rows only." if view.size else "Nothing was added.",
        *found.caveats,
    )  # fmt: skip
    return str(
        page.render(
            "summary.html",
            title=record.name or f"Fairer clusters: {record.data.title or dataset_title(spec)}",
            lead=found.headline,
            tone=found.tone,
            numbers=numbers,
            chart=chart,
            heading="Who is in which cluster" if by_mix else "What each group pays",
            states=("Before: plain clustering", "After"),
            said=[text for text in dict.fromkeys(said) if text],
            limits=slides[-1].points,
            made=f"Written by Antidote {page.versions()['antidote']}"
            f"{f', run of {when}' if when else ''}{f', {record.run_id}' if record.run_id else ''}.",
            ink=palette.LIGHT_INK,
            font=page.FONT,
        )
    )


def _has_two_states(chart: Mapping[str, Any]) -> bool:
    if chart["kind"] == "mosaic":
        return len(chart["columns"][0]["sizes"]) > 1
    return chart["kind"] == "bars" and len(chart["rows"][0]["parts"]) > 1


# -- charts of Plotly on a slide ------------------------------------------------------------------


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
