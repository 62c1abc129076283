"""Cost against antidote size over seeds: the tables that the charts of a frontier draw.

One picture per problem (clustering, cost, k), because costs of different ones have no common scale;
in it one curve per setting. The live chart and the figure of the report draw the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from antidote_core.analysis.frontier_curves import Curve, curve, quality_points
from antidote_core.baselines import NEAREST, OWN, algorithm_name
from antidote_core.numerals import digits_showing, number, percent, share_of_data
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import ROWS
from antidote_core.reporting.figures.curve import Line, is_near, label_lines
from antidote_core.reporting.figures.palette import ANTIDOTE
from antidote_core.reporting.figures.tables import SILHOUETTE, Measure
from antidote_core.reporting.text.run_words import ProblemKey, problem_title
from antidote_core.runs.sweep_spec import Setting, SweepSpec
from antidote_core.runs.sweep_view import DONE, FAILED, CellRow, Reference, SweepView

PLOT = 330  # pixels of the plot without its strips for labels
LINE = 19  # pixels that a line of writing needs
LIFT = 0.55  # of that, from a line to the middle of its label
SPREAD = 0.75  # part of the room between two sizes that the dots of one size may take
WIDEST = 0.16  # part of the axis that they take at most
LIFTS = 3  # heights at which the label of a place may stand
DRAWN = (200.0, 200.0)  # pixels from the lowest to the highest cost and quality on a small screen
LETTER, TALL, DOT = 6.5, 15.0, 4.0  # pixels of a letter, a line of letters and half a dot
ON_A_PHONE = 42  # letters that fit beside each other on a small screen
COLUMNS = (
    "kind", "setting", "size", "x", "x2", "cost", "low", "high", "at", "label", "passed", "run",
    "points", "seed", "shown", "checks", "quality", "side", "lift",
)  # fmt: skip
# Warm tones around the colour of antidote data; symbols and dashes tell them apart without colour.
_LIGHT = (ANTIDOTE, "#8A4B08", "#B2452F", "#8D7B00")
_DARK = (ANTIDOTE, "#C99A6B", "#E58B74", "#D3C24A")
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross")
_GLYPHS = ("●", "◆", "■", "▲", "▼", "✚")
_DASHES = ((), (8, 3), (2, 3), (10, 3, 2, 3), (5, 5), (1, 4))


class Look(NamedTuple):
    """How one setting is drawn in every picture of a frontier."""

    color: str
    symbol: str
    glyph: str
    dash: tuple[int, ...]


def look(index: int, dark: bool = False) -> Look:
    """The look of the setting at that place of its problem; no two of the first twelve are alike.

    >>> len({look(index) for index in range(12)})
    12
    """
    colors = _DARK if dark else _LIGHT
    turn = index % len(_SYMBOLS)
    return Look(colors[index % len(colors)], _SYMBOLS[turn], _GLYPHS[turn], _DASHES[turn])


def setting_title(setting: Setting, spec: SweepSpec) -> str:
    """What tells the curves of one problem apart: optimizer and, if there are several, box.

    >>> spec = SweepSpec("bank", optimizers=("structured", "racos"))
    >>> [setting_title(setting, spec) for setting in spec.settings]
    ['Structured', 'RACOS (the paper)']
    """
    known = OPTIMIZERS.get(setting.optimizer)
    title = known.title if known else setting.optimizer
    place = "copies of rows" if setting.box == ROWS else f"{setting.box} box"
    return f"{title}, {place}" if len(spec.boxes) > 1 else title


def settings_of(spec: SweepSpec, problem: ProblemKey) -> tuple[Setting, ...]:
    """The settings of one problem, in the order of their looks."""
    return tuple(setting for setting in spec.settings if setting.problem == problem)


def digits_of(view: SweepView, problem: ProblemKey) -> int:
    """Decimals that show the differences between the costs of one problem, between 3 and 6."""
    costs = [row.cost for row in done_cells(view, problem)]
    reference = reference_of(view, problem)
    if reference is not None:
        costs.append(reference.vanilla)
    costs = [cost for cost in costs if math.isfinite(cost)]
    return digits_showing(max(costs) - min(costs)) if costs else 3


def baseline_lines(
    reference: Reference | None, measure: Measure = SILHOUETTE
) -> dict[str, tuple[float, float]]:
    """Cost and measure of the fair algorithm by its name and scoring."""
    if reference is None or reference.sota is None:
        return {}
    sota = reference.sota
    name = algorithm_name(sota.name)
    found = {
        f"{name}, {OWN}": (sota.own, getattr(sota, f"own_{measure.column}")),
        f"{name}, {NEAREST}": (sota.nearest, getattr(sota, f"nearest_{measure.column}")),
    }
    return {label: pair for label, pair in found.items() if math.isfinite(pair[0])}


def cost_table(view: SweepView, problem: ProblemKey, log: bool = True) -> pd.DataFrame:
    """Everything that the chart of cost against size draws, one row each; `kind` says what it is.

    Dots of one size stand side by side around it (`x`), so that none covers another; `size` is the
    true one. Below the costs there is a strip with the smallest size of every setting.
    """
    assert view.spec is not None
    spec, reference = view.spec, reference_of(view, problem)
    digits = digits_of(view, problem)
    found = [curve(view, setting) for setting in settings_of(spec, problem)]
    dots = [
        {**dot(row, view, digits), "x": beside(row, index, spec, log)}
        for index, one in enumerate(found)
        for level in one.levels
        for row in level.rows
    ]
    lines = _lines(reference, digits)
    own = [row["cost"] for row in dots]
    own += [value for one in found for x in one.levels for value in (x.low, x.high)]
    own += [cost for kind, cost, _ in lines if kind != "fair"]
    noise = next((one.noise for one in found if one.noise is not None), None)
    if noise is not None:
        own += [noise.low, noise.high]
    low, high = domain(own, 0.08 if dots else 1.0)  # the noise alone should not fill the picture
    near = [line for line in lines if not dots or is_near(line[1], low, high)]
    away = [line for line in lines if line not in near]
    low, high = domain([low, high, *(cost for _, cost, _ in near)], 0.0)
    room = LINE / PLOT * (high - low)
    rows: list[dict[str, Any]] = []
    if noise is not None:
        rows.append({"kind": "band", "low": noise.low, "high": noise.high, "cost": noise.low})
    placed, top, bottom = label_lines(near, away, low, high, room, LIFT)
    rows += [{**row, "side": free_side(row["at"], dots, spec, room, log)} for row in placed]
    for one in found:
        rows += _levels(one, spec, digits)
    rows += dots
    strip, bottom = _smallest(found, spec, bottom, room, log)
    rows += strip
    failed = _failures(view, spec, problem, top, room, log)
    rows += failed
    top += room if failed else 0.0
    left, right = reach(spec.sizes, log)
    rows += [{"kind": "frame", "x": x, "cost": y} for x, y in ((left, bottom), (right, top))]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def plot_height(view: SweepView, problem: ProblemKey) -> int:
    """Pixels of the chart: the same from the first cell to the last, so that nothing jumps."""
    assert view.spec is not None
    return PLOT + LINE * (2 * len(settings_of(view.spec, problem)) + 2)


def quality_table(
    view: SweepView, problem: ProblemKey, measure: Measure = SILHOUETTE
) -> pd.DataFrame:
    """A measure against cost: the cells, their medians by size, and what they are held against."""
    assert view.spec is not None
    spec, reference = view.spec, reference_of(view, problem)
    digits = digits_of(view, problem)
    rows: list[dict[str, Any]] = []
    for setting in settings_of(spec, problem):
        rows += _medians(curve(view, setting), setting_title(setting, spec), measure)
    drawn = {point.run for point in quality_points(view, measure.column)}
    for setting in settings_of(spec, problem):
        done = [row for row in done_cells(view, problem) if row.setting == setting]
        rows += [
            {
                **dot(row, view, digits, measure),
                "quality": getattr(row, measure.column),
                "x": row.cost,
            }
            for row in done
            if row.run in drawn
        ]
    costs = [row["cost"] for row in rows]
    if reference is not None:
        costs.append(reference.vanilla)
        label = f"plain {number(reference.vanilla, digits)}"
        value = getattr(reference, measure.column)
        if math.isfinite(value):
            rows.append(
                {"kind": "vanilla", "cost": reference.vanilla, "quality": value, "label": label}
            )
    low, high = domain(costs, 0.08)
    for label, (cost, value) in baseline_lines(reference, measure).items():
        if math.isfinite(value) and is_near(cost, low, high):
            rows.append({"kind": "fair", "cost": cost, "quality": value, "label": label})
    _place_labels([row for row in rows if row["kind"] in ("vanilla", "fair")], rows)
    _label_sizes(rows)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _medians(found: Curve, title: str, measure: Measure) -> list[dict[str, Any]]:
    """Where the medians of a curve lie by cost and measure."""
    return [
        {"kind": "median", "setting": title, "size": x.size, "cost": x.median,
         "quality": getattr(x, measure.column), "label": "", "side": "below"}
        for x in found.levels
        if math.isfinite(getattr(x, measure.column))
    ]  # fmt: skip


def _label_sizes(rows: list[dict[str, Any]]) -> None:
    """Sizes written at the medians: neighbours too close for two labels share one at their middle.

    A label stands below its dot, or above it where other labels or dots are below; where both are
    taken there is none, and the dots tell the size.
    """
    scales = _scales(rows)
    taken = [_box(row, row["label"], scales) for row in rows if row["kind"] != "median"]
    runs: list[list[dict[str, Any]]] = []
    for row in (row for row in rows if row["kind"] == "median"):
        box = _box(row, f"{row['size']:,}", scales)
        first = runs[-1][0] if runs else None
        if (
            first is not None
            and first["setting"] == row["setting"]
            and _touch(box, _box(first, f"{first['size']:,}", scales))
        ):
            runs[-1].append(row)
        else:
            runs.append([row])
    for run in runs:
        middle, label = run[len(run) // 2], sizes_label([row["size"] for row in run])
        for side in ("below", "above"):
            box = _box({**middle, "side": side}, label, scales)
            if not any(_touch(box, other) for other in taken):
                middle |= {"label": label, "side": side}
                taken.append(box)
                break


def _scales(rows: Sequence[dict[str, Any]]) -> list[float]:
    """Pixels per unit of cost and of quality on a small screen."""
    spans = [[row[name] for row in rows] for name in ("cost", "quality")]
    return [
        pixels / ((max(span) - min(span)) or 1.0) if span else 1.0
        for pixels, span in zip(DRAWN, spans, strict=True)
    ]


def sizes_label(sizes: Sequence[int]) -> str:
    """Neighbouring sizes in a few letters.

    >>> sizes_label([8]), sizes_label([8, 9]), sizes_label([8, 9, 10, 1100])
    ('8', '8, 9', '8–1,100')
    """
    ends = [f"{size:,}" for size in dict.fromkeys((sizes[0], sizes[-1]))]
    return (", " if len(sizes) == 2 else "–").join(ends)


def _box(row: dict[str, Any], label: str, scales: Sequence[float]) -> tuple[float, ...]:
    """Left, right, lower and upper end of a label or a dot in pixels, as the charts place it."""
    x, y = row["cost"] * scales[0], row["quality"] * scales[1]
    wide = LETTER * len(label)
    if row["kind"] == "median":
        bottom = y + 8 if row["side"] == "above" else y - 11 - TALL
        return x - wide / 2, x + wide / 2, bottom, bottom + TALL
    if row["kind"] == "cell":
        return x - DOT, x + DOT, y - DOT, y + DOT
    left = x if row["side"] == "left" else x - wide
    bottom = y + 7 + 15 * row["lift"]
    return left, left + wide, bottom, bottom + TALL


def _touch(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def _place_labels(labelled: list[dict[str, Any]], rows: list[dict[str, Any]]) -> None:
    """Writing goes towards the middle, where it is not cut off, and above what it would cover."""
    if not labelled:
        return
    costs, scales = [row["cost"] for row in rows], _scales(rows)
    middle = (min(costs) + max(costs)) / 2
    taken: list[tuple[float, ...]] = []
    for row in labelled:
        row["side"] = "left" if row["cost"] < middle else "right"
        for lift in range(LIFTS):
            row["lift"] = lift
            box = _box(row, row["label"], scales)
            if not any(_touch(box, other) for other in taken):
                break
        taken.append(box)


def off_quality_chart(view: SweepView, problem: ProblemKey, measure: Measure = SILHOUETTE) -> str:
    """Which fair algorithms lie too far away to be drawn there; empty when all are drawn."""
    table = quality_table(view, problem, measure)
    drawn = set(table.loc[table["kind"] == "fair", "label"])
    digits = digits_of(view, problem)
    missing = [
        f"{label}: cost {number(cost, digits)}, {measure.title.lower()} {measure.shown(value)}"
        for label, (cost, value) in baseline_lines(reference_of(view, problem), measure).items()
        if label not in drawn and math.isfinite(value)
    ]
    return f"Off this chart: {'; '.join(missing)}." if missing else ""


def which(setting: Setting, size: int) -> dict[str, Any]:
    """The first columns of a table for people: which setting, how many points."""
    return {
        "problem": problem_title(setting.problem),
        "optimizer": setting.optimizer,
        "box": setting.box,
        "antidote points": size,
    }


def level_table(view: SweepView) -> pd.DataFrame:
    """For people: one row per problem, setting and size."""
    rows = []
    for setting in view.spec.settings if view.spec else ():
        found = curve(view, setting)
        rows += [
            {
                **which(setting, x.size),
                "share of data (%)": 100 * x.share,
                "median cost": x.median,
                "band from": x.low,
                "band to": x.high,
                "chance that the band holds": x.coverage,
                "seeds": len(x.rows),
                "seeds that pass": x.passed,
                "checks that agree": x.verified,
                "price of fairness (%)": 100 * x.price,
                "smallest cluster (%)": 100 * x.smallest_share,
                "silhouette": x.silhouette,
                "failed": x.failed,
            }
            for x in found.levels
        ]
    return pd.DataFrame(rows)


def cell_table(view: SweepView, problem: ProblemKey | None = None) -> pd.DataFrame:
    """For people: one row per cell, of one problem or of all."""
    return pd.DataFrame(
        {
            **which(row.setting, row.size),
            "share of data (%)": 100 * row.share,
            "seed": row.seed,
            "state": row.state,
            "cost": row.cost,
            "plain cost": row.vanilla,
            "passes": "" if row.passed is None else "yes" if row.passed else "no",
            "checks that agree": math.nan if row.verified is None else row.verified,
            "price of fairness (%)": 100 * row.price,
            "smallest cluster (%)": 100 * row.smallest_share,
            "silhouette": row.silhouette,
            "seconds": row.seconds,
            "known before": row.reused,
            "run": row.run,
            "reason": row.reason,
        }
        for row in view.rows
        if problem is None or row.setting.problem == problem
    )


def reference_of(view: SweepView, problem: ProblemKey) -> Reference | None:
    """What the cells of one problem are held against, once it is known."""
    return next((x for x in view.references if x.problem == problem), None)


def done_cells(view: SweepView, problem: ProblemKey) -> list[CellRow]:
    """The cells of one problem whose figures are there."""
    return [row for row in view.rows if row.state == DONE and row.setting.problem == problem]


def is_measured(view: SweepView, problem: ProblemKey, measure: Measure) -> bool:
    """Whether any cell of the problem knows the measure; those of version 0.1 do not."""
    known = quality_points(view, measure.column)
    return any(row.setting.problem == problem for row in known)


def dot(
    row: CellRow, view: SweepView, digits: int, measure: Measure = SILHOUETTE
) -> dict[str, Any]:
    """A cell as charts draw it; its label says what the measure is there."""
    assert view.spec is not None
    value = getattr(row, measure.column)
    passed = "" if row.passed is None else "yes" if row.passed else "no"
    checks = "" if row.verified is None else f"{percent(row.verified)} reach the target"
    return {
        "kind": "cell",
        "setting": setting_title(row.setting, view.spec),
        "size": row.size,
        "cost": row.cost,
        "passed": passed,
        "run": row.run,
        "seed": row.seed,
        "points": f"{row.size:,} ({share_of_data(row.size, view.points)} of the data)",
        "shown": number(row.cost, digits),
        "checks": checks,
        "label": "" if math.isnan(value) else f"{measure.title.lower()} {measure.shown(value)}",
    }


def beside(row: CellRow, index: int, spec: SweepSpec, log: bool) -> float:
    """Where the dot of a cell stands, so that no cell of the same size covers it."""
    count = len(settings_of(spec, row.setting.problem)) * len(spec.seeds)
    place = index * len(spec.seeds) + spec.seeds.index(row.seed)
    step = ((place + 0.5) / count - 0.5) * _slot(spec.sizes, log)
    return float(10 ** (math.log10(row.size) + step)) if log else row.size + step


def _slot(sizes: Sequence[int], log: bool) -> float:
    """How wide the dots of one size may stand, in the units of the axis."""
    left, right = (math.log10(x) if log else x for x in reach(sizes, log))
    places = [math.log10(size) if log else float(size) for size in sizes]
    gaps = [b - a for a, b in pairwise(places)]
    return min([SPREAD * gap for gap in gaps] + [WIDEST * (right - left)])


def reach(sizes: Sequence[int], log: bool) -> tuple[float, float]:
    """Both ends of the axis."""
    low, high = min(sizes), max(sizes)
    if not log:
        return 0.0, 1.08 * high
    room = 10 ** (0.1 * math.log10(high / low)) if high > low else 1.0
    room = max(room, 1.3)
    return low / room, high * room


def domain(costs: Iterable[float], room: float) -> tuple[float, float]:
    """Lowest and highest of the values that are numbers, and `room` times their distance more."""
    finite = [cost for cost in costs if math.isfinite(cost)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
    spread = (high - low) or 0.1 * max(abs(high), 0.05)
    if high == low:
        return low - spread, high + spread
    return low - room * spread, high + room * spread


def _lines(reference: Reference | None, digits: int) -> list[Line]:
    """(kind, cost, label) of the horizontal lines."""
    if reference is None:
        return []
    lines = []
    is_vanilla = reference.strict and reference.target == reference.vanilla
    mark = " = target" if is_vanilla else ""
    text = f"plain {number(reference.vanilla, digits)}{mark}"
    lines.append(("vanilla", reference.vanilla, text))
    for label, (cost, _) in baseline_lines(reference).items():
        is_target = reference.strict and not is_vanilla and cost == reference.target
        mark = " = target" if is_target else ""
        lines.append(("fair", cost, f"{label} {number(cost, digits)}{mark}"))
    if math.isfinite(reference.target) and not any(
        text.endswith("= target") for _, _, text in lines
    ):
        lines.append(("target", reference.target, f"target α {number(reference.target, digits)}"))
    return lines


def _levels(found: Curve, spec: SweepSpec, digits: int) -> list[dict[str, Any]]:
    title = setting_title(found.setting, spec)
    return [
        {
            "kind": "level",
            "setting": title,
            "size": x.size,
            "x": x.size,
            "cost": x.median,
            "low": x.low,
            "high": x.high,
            "shown": f"{number(x.median, digits)} (from {number(x.low, digits)} to "
            f"{number(x.high, digits)})",
            "points": f"{x.size:,}, {len(x.rows)} seeds",
        }
        for x in found.levels
    ]


def free_side(
    at: float, dots: Sequence[dict[str, Any]], spec: SweepSpec, room: float, log: bool
) -> str:
    """The side on which a label at that height covers fewer dots; right if it is the same."""
    left, right = reach(spec.sizes, log)
    middle = math.sqrt(left * right) if log else (left + right) / 2
    near = [dot["x"] < middle for dot in dots if abs(dot["cost"] - at) < 0.8 * room]
    return "left" if 2 * sum(near) < len(near) else "right"


def _smallest(
    found: Sequence[Curve], spec: SweepSpec, bottom: float, room: float, log: bool
) -> tuple[list[dict[str, Any]], float]:
    """The strip below the costs: for every setting its smallest size, and where the true one is."""
    left, _ = reach(spec.sizes, log)
    rows = []
    for index, one in enumerate(found):
        if not any(level.judged for level in one.levels):
            continue
        title = setting_title(one.setting, spec)
        row = {
            "kind": "none",
            "setting": title,
            "at": bottom - 0.7 * room,
            "label": _strip_label(one, f"{look(index).glyph} {title}: " if len(found) > 1 else ""),
        }
        if one.smallest is not None:
            x = one.smallest
            row |= {
                "kind": "smallest",
                "size": x.size,
                "x": max(left, float(x.above)),
                "x2": x.size,
                "cost": bottom - 1.5 * room,
                "shown": f"more than {x.above:,} and at most {x.size:,} points",
            }
        rows.append(row)
        bottom -= (1 if one.smallest is None else 2) * room
    return rows, bottom


def _strip_label(found: Curve, name: str) -> str:
    x = found.smallest
    if x is None:
        best = max(level.passed / level.judged for level in found.levels if level.judged)
        long = f"{name}not reached, {percent(best)} of seeds at best"
        return long if len(long) <= ON_A_PHONE else f"{name}not reached"
    long = f"{name}{x.size:,} points reach it, {x.passed} of {x.judged} seeds"
    return long if len(long) <= ON_A_PHONE else f"{name}{x.size:,} points, {x.passed}/{x.judged}"


def _failures(
    view: SweepView,
    spec: SweepSpec,
    problem: ProblemKey,
    top: float,
    room: float,
    log: bool,
) -> list[dict[str, Any]]:
    """Failed cells stand at the upper edge: they have no cost."""
    places = {setting: index for index, setting in enumerate(settings_of(spec, problem))}
    return [
        {
            "kind": "failed",
            "setting": setting_title(row.setting, spec),
            "size": row.size,
            "x": beside(row, places[row.setting], spec, log),
            "seed": row.seed,
            "cost": top + 0.5 * room,
            "points": f"{row.size:,}",
            "shown": f"failed: {row.reason}",
        }
        for row in view.rows
        if row.state == FAILED and row.setting.problem == problem
    ]
