"""Cost against antidote size: one table that grows with a run, the figure of it, and its words.

The parts of Vega-Lite charts below are those of charts of sweeps: their specification stays the
same while a sweep goes on, only the table changes, so that a browser moves the marks in place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from antidote_core.numerals import number, share_of_data
from antidote_core.reporting.figures import palette
from antidote_core.runs.verdict import cost_digits
from antidote_core.runs.view import RunView

if TYPE_CHECKING:
    import plotly.graph_objects as go

LABEL_ROOM = 0.075  # part of the height that a label needs
FAR = 4.0  # a fair algorithm farther away than so many times the run's own range is off the chart
Line = tuple[str, float, str]  # kind, cost and label of what a curve is held against
LINE_KINDS = "vanilla fair target away"  # rows with a label that belongs to a line
SIZES_TITLE = "antidote points |V|, and their share of the data"
# Charts are described as a whole; marks one by one would have no words.
SPOKEN = {"aria": False, "mark": {"aria": False}}
WRITING = {"type": "text", "fontSize": 12, "fontWeight": 600}
_COLUMNS = ("kind", "size", "cost", "low", "high", "label", "share", "at")
FIGURE_HEIGHT = 430


def curve_table(
    view: RunView,
    baselines: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Everything the chart draws, one row each; `kind` says what it is.

    `baselines` are costs of fair algorithms by their label.
    """
    digits = cost_digits(view)
    lines = _lines(view, baselines or {}, digits)
    rounds = [(step.size, step.cost) for step in view.steps]
    current = [view.current["cost"]] if view.current else []
    own = [cost for _, cost in rounds] + current + list(view.noise)
    own += [cost for kind, cost, _ in lines if kind != "fair"]
    low, high = _domain([cost for cost in own if math.isfinite(cost)])
    rows: list[dict[str, Any]] = [
        {"kind": "frame", "size": 0, "cost": low},
        {"kind": "frame", "size": 0, "cost": high},
    ]
    near = [line for line in lines if is_near(line[1], low, high)]
    away = [line for line in lines if line not in near]
    if near:
        low, high = _domain([low, high, *(cost for _, cost, _ in near)], room=0.0)
        rows += [{"kind": "frame", "size": 0, "cost": value} for value in (low, high)]
    if view.noise:
        lowest, highest = view.noise_band
        rows.append({"kind": "band", "low": lowest, "high": highest, "cost": lowest})
    labels, top, bottom = label_lines(near, away, low, high, LABEL_ROOM * (high - low))
    if bottom < low:
        rows.append({"kind": "frame", "size": 0, "cost": bottom})
    rows += [*labels, {"kind": "frame", "size": 0, "cost": top}]
    for index, (size, cost) in enumerate(rounds):
        text = f"{number(cost, digits)} with {size:,} points ({share_of_data(size, view.points)})"
        row = {"size": size, "cost": cost, "share": text}
        rows.append({"kind": "round", **row})
        if index and view.verification is not None and size == view.size and cost == view.cost:
            rows.append({"kind": "verified", **row})
    if view.current:
        cost, size = view.current["cost"], view.current["size"]
        text = f"{number(cost, digits)} with {size:,} points, still searching"
        rows.append({"kind": "current", "size": size, "cost": cost, "share": text})
    largest = max([size for size, _ in rounds] + [view.current.get("size", 0), 1])
    rows.append({"kind": "frame", "size": 1.04 * largest, "cost": low})
    return pd.DataFrame(rows, columns=list(_COLUMNS))


def curve_words(view: RunView, baselines: Mapping[str, float] | None = None) -> str:
    """The chart in words, for those who cannot see it."""
    digits = cost_digits(view)
    parts = [label for _, _, label in _lines(view, baselines or {}, digits)]
    if view.history:
        last = view.history[-1]
        parts.append(f"latest round: {number(last.cost, digits)} with {last.size:,} points")
    return "Cost against antidote size. " + "; ".join(parts) + "."


def _lines(view: RunView, baselines: Mapping[str, float], digits: int) -> list[Line]:
    """(kind, cost, label) of every reference line known so far."""
    lines = []
    target_is_vanilla = view.target == view.vanilla_cost
    if math.isfinite(view.vanilla_cost):
        same = " = target α, to be beaten" if target_is_vanilla else ""
        text = f"plain clustering {number(view.vanilla_cost, digits)}{same}"
        lines.append(("vanilla", view.vanilla_cost, text))
    if math.isfinite(view.target) and not target_is_vanilla:
        lines.append(("target", view.target, f"target α {number(view.target, digits)}"))
    for label, cost in baselines.items():
        if math.isfinite(cost):
            lines.append(("fair", cost, f"{label} {number(cost, digits)}"))
    return lines


def _domain(costs: list[float], room: float = 0.12) -> tuple[float, float]:
    low, high = (min(costs), max(costs)) if costs else (0.0, 1.0)
    spread = (high - low) or 0.02 * max(abs(high), 0.05)
    return low - room * spread, high + room * spread


def is_near(cost: float, low: float, high: float) -> bool:
    """Whether a fair algorithm is near enough to be drawn without flattening the curve."""
    reach = FAR * (high - low)
    return low - reach <= cost <= high + reach


def label_lines(
    near: Sequence[Line],
    away: Sequence[Line],
    low: float,
    high: float,
    room: float,
    lift: float = 0.5,
) -> tuple[list[dict[str, Any]], float, float]:
    """A row per line with the place of its label, and the upper and lower end of what is drawn.

    Labels stand just above their line, `lift` times the `room` of one; where lines are close
    together, they are stacked above the highest of them.
    """
    rows: list[dict[str, Any]] = []
    below = [label for _, cost, label in away if cost < low]
    bottom = low - len(below) * room
    free = bottom + 0.5 * room  # the lowest place for the next label
    for label in below:
        rows.append({"kind": "away", "label": f"{label} ↓ off this chart", "at": free})
        free += room
    lines = sorted(near, key=lambda line: line[1])
    while lines:
        bunch = [lines.pop(0)]
        while lines and lines[0][1] - bunch[-1][1] < room:
            bunch.append(lines.pop(0))
        free = max(free, bunch[-1][1] + lift * room)
        for kind, cost, label in bunch:
            rows.append({"kind": kind, "cost": cost, "label": label, "at": free})
            free += room
    for label in (label for _, cost, label in away if cost > high):
        rows.append({"kind": "away", "label": f"{label} ↑ off this chart", "at": free})
        free += room
    return rows, max(high, free - 0.4 * room), bottom


def layer(kinds: str, mark: Mapping[str, Any], **encoding: Any) -> dict[str, Any]:
    """One layer of a live chart: the rows of these kinds, with spaces between, drawn in one way."""
    rows = {"filter": {"field": "kind", "oneOf": kinds.split()}}
    return {"transform": [rows], "mark": mark, "encoding": encoding}


def tips(**titles: str) -> list[dict[str, str]]:
    """What stands in a tooltip: columns of the table, and how they are called."""
    return [{"field": field, "title": title} for field, title in titles.items()]


def apart(*channels: str) -> dict[str, Any]:
    """Layers that use a channel each in its own way."""
    return {"scale": dict.fromkeys(channels, "independent")}


def by(field: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A colour, dash or symbol for every value of a column."""
    return {
        "field": field,
        "type": "nominal",
        "legend": None,
        "scale": {"domain": list(values), "range": list(values.values())},
    }


def line_inks(dark: bool) -> dict[str, Any]:
    """The colours of the writing at lines."""
    paint = palette.ink(dark)
    inks = {"vanilla": paint, "fair": palette.baseline_ink(dark), "target": paint, "away": paint}
    return by("kind", inks)


def y_axis(field: str, title: str) -> dict[str, Any]:
    """The upright axis of a live chart."""
    return {
        "field": field,
        "type": "quantitative",
        "title": title,
        "scale": {"zero": False, "nice": False},
        "axis": {"grid": True, "tickCount": 6},
    }


def with_domains(spec: dict[str, Any], table: pd.DataFrame) -> dict[str, Any]:
    """The specification with axes that end where the table does.

    Vega looks for the ends in the rows of every layer, and warns in the console of each that has
    none yet.
    """
    layers = [one for layer in spec["layer"] for one in layer.get("layer", [layer])]
    places = [layer["encoding"] for layer in layers]
    for channel in ("x", "y"):
        used = [(one[channel], one.get(f"{channel}2", {})) for one in places if channel in one]
        fields = {end["field"] for pair in used for end in pair if "field" in end}
        ends = table[sorted(fields & set(table.columns))].astype(float)
        domain = [float(ends.min().min()), float(ends.max().max())]
        if all(map(math.isfinite, domain)):
            for axis, _ in used:
                if "field" in axis:
                    axis["scale"] = {**axis.get("scale", {}), "domain": domain}
    return spec


def size_axis(field: str, points: int, **axis: Any) -> dict[str, Any]:
    """The axis of sizes: the number, and below it the share of the data."""
    label = f"[format(datum.value, ','), format(datum.value / {points}, '.2~p')]"
    return {
        "field": field,
        "type": "quantitative",
        "title": SIZES_TITLE,
        "axis": {"grid": False, "labelExpr": label, **axis},
    }


def band_and_lines(y: Mapping[str, Any], dark: bool) -> list[dict[str, Any]]:
    """The noise of plain clustering and the lines that costs are held against."""
    colors = {
        "vanilla": palette.VANILLA,
        "fair": palette.baseline_ink(dark),
        "target": palette.ink(dark),
    }
    dashes = {"vanilla": [1, 0], "fair": [1, 0], "target": [7, 5]}
    noise = {"type": "rect", "color": palette.VANILLA, "opacity": 0.25}
    return [
        layer("band", noise, y={**y, "field": "low"}, y2={"field": "high"}),
        layer(
            "vanilla fair target",
            {"type": "rule", "strokeWidth": 2},
            y=y,
            color=by("kind", colors),
            strokeDash=by("kind", dashes),
        ),
    ]


def run_curve_figure(view: RunView, baselines: Mapping[str, float] | None = None) -> go.Figure:
    """One step per round; the verified one filled; plain, fair and target as lines with labels."""
    import plotly.graph_objects as go

    table = curve_table(view, baselines)
    figure = go.Figure()
    draw_band(figure, table)
    draw_lines(figure, table, dark=False)
    rounds, orange = table[table["kind"] == "round"], palette.ANTIDOTE
    figure.add_scatter(
        x=rounds["size"], y=rounds["cost"], mode="lines+markers", name="best V of a round",
        line={"color": orange, "width": 2, "shape": "hv"},
        marker={"symbol": "circle-open", "size": 9, "color": orange, "line": {"width": 2.5}},
        text=rounds["share"], hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    verified = table[table["kind"] == "verified"]
    if len(verified):
        figure.add_scatter(
            x=verified["size"], y=verified["cost"], mode="markers",
            name="checked by independent clusterings",
            marker={"symbol": "circle", "size": 13, "color": orange},
            text=verified["share"], hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    frame = table.loc[table["kind"] == "frame", "cost"]
    largest = max([1, *rounds["size"].tolist()])
    figure.update_xaxes(title="antidote points |V|", range=[-0.02 * largest, 1.05 * largest])
    figure.update_yaxes(title="cost, lower is fairer", range=[frame.min(), frame.max()])
    return palette.framed(figure, FIGURE_HEIGHT)


def step_table(view: RunView) -> pd.DataFrame:
    """The table behind the curve: plain clustering and every round."""
    return pd.DataFrame(
        {
            "step": [step.title for step in view.steps],
            "antidote points": [step.size for step in view.steps],
            "cost": [step.cost for step in view.steps],
        }
    )


def draw_band(figure: go.Figure, table: pd.DataFrame) -> None:
    """The noise of plain clustering."""
    for _, row in table[table["kind"] == "band"].iterrows():
        figure.add_hrect(
            y0=row["low"], y1=row["high"], fillcolor=palette.VANILLA, opacity=0.25, line_width=0
        )


def draw_lines(figure: go.Figure, table: pd.DataFrame, dark: bool) -> None:
    """The lines that costs are held against, with labels on the right unless the row says left."""
    paint = palette.ink(dark)
    colors = {"vanilla": palette.VANILLA, "fair": palette.BASELINE, "target": paint}
    inks = dict.fromkeys(LINE_KINDS.split(), paint) | {"fair": palette.baseline_ink(dark)}
    for _, row in table[table["kind"].isin([*colors, "away"])].iterrows():
        kind = row["kind"]
        if kind != "away":
            dash = palette.TARGET_DASH if kind == "target" else "solid"
            line = {"color": colors[kind], "width": 2, "dash": dash}
            figure.add_hline(y=row["cost"], line=line, layer="below")
        side = row.get("side", "right")
        figure.add_annotation(
            x=0 if side == "left" else 1, xref="paper", xanchor=side, y=row["at"],
            text=row["label"], showarrow=False,
            font={"size": 12, "color": inks[kind]},
        )  # fmt: skip
