"""The charts of a frontier: live ones as Vega-Lite, those that stand still as Plotly figures.

Both draw the rows of `frontier_table`. Of a live chart the specification stays and only the table
changes. Every dot is one run; the selection named CELL holds the id of the one that was clicked.
Dots are drawn last, so that medians and bands never cover them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from antidote_core.numerals import share_of_data
from antidote_core.reporting.figures import curve, frontier_table, palette
from antidote_core.reporting.figures.tables import SILHOUETTE, Measure
from antidote_core.reporting.text.run_words import ProblemKey
from antidote_core.runs.sweep_view import SweepView

CELL = "cell"  # name of the selection
QUALITY_HEIGHT = 360
HEIGHT = 440
APART = 0.12  # part of the axis between two labels; on a small screen they fit when turned


def cost_chart(
    view: SweepView, problem: ProblemKey, log: bool = True, dark: bool = False
) -> dict[str, Any]:
    """The specification for `cost_table`."""
    assert view.spec is not None
    looks = by_setting(view, problem, dark)
    x = sizes_axis(view, log)
    y = curve.y_axis("cost", "cost, lower is fairer")
    place = {"x": x, "y": y}
    color = {"color": looks["color"]}
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **color}
    line = {**place, **color, "strokeDash": looks["strokeDash"]}
    tip = curve.tips(shown="median cost", points="antidote points", setting="setting")
    smallest = curve.tips(shown="smallest size", setting="setting")
    failed = curve.tips(shown="this cell", points="antidote points", setting="setting", seed="seed")
    cross = {
        "type": "text",
        "text": "✕",
        "fontSize": 15,
        "fontWeight": 700,
        "color": palette.DECIDES,
    }
    bar = {"type": "rule", "strokeWidth": 5, "strokeCap": "round"}
    tick = {"type": "tick", "orient": "vertical", "thickness": 4, "size": 16}
    return {
        "height": frontier_table.plot_height(view, problem),
        "layer": [
            *curve.band_and_lines(y, dark),
            curve.layer("level", {"type": "area", "opacity": 0.22}, **band),
            curve.layer("level", {"type": "rule", "strokeWidth": 2, "opacity": 0.35}, **band),
            curve.layer("level", {"type": "line", "strokeWidth": 2}, **line, tooltip=tip),
            # The smallest size of every setting, and between which sizes the true one lies.
            curve.layer("smallest", bar, **place, x2={"field": "x2"}, **color, tooltip=smallest),
            curve.layer("smallest", tick, x={**x, "field": "x2"}, y=y, **color, tooltip=smallest),
            curve.layer(
                "smallest none",
                {**curve.WRITING, "align": "left", "dx": 4},
                x={"value": 0},
                y={**y, "field": "at"},
                text={"field": "label"},
                color={"value": palette.ink(dark)},
            ),
            curve.layer("failed", cross, **place, tooltip=failed),
            *line_labels(y, dark),
            curve.layer("frame", {"type": "point", "opacity": 0}, **place),
            cells_layer(looks, place, dark),
        ],
        "config": curve.SPOKEN,
        "resolve": curve.apart("color", "strokeDash", "shape", "fill"),
    }


def sizes_axis(view: SweepView, log: bool) -> dict[str, Any]:
    """The axis of the sizes of a sweep."""
    assert view.spec is not None
    x = curve.size_axis(
        "x", max(view.points, 1), values=list(view.spec.sizes), labelOverlap="greedy",
        labelSeparation=6,
    )  # fmt: skip
    x["scale"] = {"type": "log", "nice": False} if log else {"nice": False, "zero": False}
    return x


def quality_chart(
    view: SweepView, problem: ProblemKey, dark: bool = False, measure: Measure = SILHOUETTE
) -> dict[str, Any]:
    """The specification for `quality_table`: fairer is to the left."""
    looks = by_setting(view, problem, dark)
    x = {
        "field": "cost",
        "type": "quantitative",
        "title": "cost, lower is fairer",
        "scale": {"zero": False, "nice": True, "padding": 18},
        "axis": {"tickCount": 5, "grid": True},
    }
    y = measure_axis("quality", measure)
    y["scale"] = {"zero": False, "nice": True, "padding": 46}  # room for three lines of writing
    place = {"x": x, "y": y}
    label = {**place, "text": {"field": "label"}}
    roles = curve.by("kind", {"vanilla": palette.VANILLA, "fair": palette.baseline_ink(dark)})
    inks = curve.by("kind", {"vanilla": palette.ink(dark), "fair": palette.baseline_ink(dark)})
    height = {"field": "quality", "title": measure.title.lower(), "format": measure.ticks or ".3f"}
    tip = [*curve.tips(label="beside it"), height]
    stroke = {
        "type": "point", "filled": True, "size": 190, "shape": "stroke", "strokeWidth": 5,
        "opacity": 1,
    }  # fmt: skip
    references = [
        _where(
            curve.layer("vanilla fair", {**curve.WRITING, "align": side, "baseline": "bottom",
                                   "dy": -7 - 15 * lift}, **label, color=inks),
            f"datum.side == '{side}' && datum.lift == {lift}",
        )
        for side in ("left", "right")
        for lift in range(frontier_table.LIFTS)
    ]  # fmt: skip
    sizes = [
        _where(
            curve.layer("median", {**curve.WRITING, "dy": shift, "baseline": baseline}, **label,
                  color=looks["color"]),
            f"datum.side == '{side}'",
        )
        for side, shift, baseline in (("below", 13, "top"), ("above", -9, "bottom"))
    ]  # fmt: skip
    return {
        "height": QUALITY_HEIGHT,
        "layer": [
            curve.layer(
                "median",
                {"type": "line", "strokeWidth": 2, "opacity": 0.7},
                **place,
                color=looks["color"],
                strokeDash=looks["strokeDash"],
                order={"field": "size", "type": "quantitative"},
            ),
            curve.layer("vanilla fair", stroke, **place, color=roles, stroke=roles, tooltip=tip),
            *references,
            *sizes,
            cells_layer(looks, place, dark),
        ],
        "config": curve.SPOKEN,
        "resolve": curve.apart("color", "strokeDash", "shape", "fill", "stroke"),
    }


def measure_axis(field: str, measure: Measure) -> dict[str, Any]:
    """The upright axis of a live chart of that measure."""
    y = curve.y_axis(field, measure.axis)
    if measure.ticks:
        y["axis"]["format"] = measure.ticks
    return y


def _where(drawn: dict[str, Any], condition: str) -> dict[str, Any]:
    """The layer for those of its rows that meet the condition."""
    return {**drawn, "transform": [*drawn["transform"], {"filter": condition}]}


def cells_layer(looks: dict[str, Any], place: dict[str, Any], dark: bool) -> dict[str, Any]:
    """The dots: filled where the cell reaches the target, hollow where not; all can be clicked."""
    passed = {"test": "datum.passed == 'yes'", **looks["color"]}
    tip = curve.tips(
        shown="cost", points="antidote points", setting="setting", seed="seed", checks="checks",
        label="beside it", hint="click",
    )  # fmt: skip
    dot = {
        "type": "point", "filled": True, "size": 75, "strokeWidth": 2, "opacity": 1,
        "cursor": "pointer",
    }  # fmt: skip
    fill = {"condition": passed, "value": _empty(dark)}
    shape, stroke = looks["shape"], looks["color"]
    drawn = curve.layer("cell", dot, **place, stroke=stroke, fill=fill, shape=shape, tooltip=tip)
    drawn["transform"].append({"calculate": "'opens this run in Explore'", "as": "hint"})
    select = {"type": "point", "fields": ["run"], "toggle": False}
    return {**drawn, "params": [{"name": CELL, "select": select}]}


def line_labels(y: dict[str, Any], dark: bool) -> list[dict[str, Any]]:
    """Labels at the side that the table says, with a rim in the colour of the page around them."""
    rim = {"stroke": _empty(dark), "strokeWidth": 4, "strokeJoin": "round"}
    sides = (("left", 4, {"value": 0}), ("right", -4, {"value": {"expr": "width"}}))
    place = {"y": {**y, "field": "at"}, "text": {"field": "label"}, "color": curve.line_inks(dark)}
    return [
        _where(
            curve.layer(
                curve.LINE_KINDS,
                {**curve.WRITING, "align": side, "dx": shift, **extra},
                x=x,
                **place,
            ),
            f"datum.side == '{side}'",
        )
        for side, shift, x in sides
        for extra in (rim, {})
    ]


def _empty(dark: bool) -> str:
    return "#0E1117" if dark else "#FFFFFF"  # Streamlit's ground


def by_setting(view: SweepView, problem: ProblemKey, dark: bool) -> dict[str, Any]:
    """How the settings are told apart: by colour, symbol and dashes."""
    assert view.spec is not None
    settings = frontier_table.settings_of(view.spec, problem)
    looks = {
        frontier_table.setting_title(x, view.spec): frontier_table.look(i, dark)
        for i, x in enumerate(settings)
    }
    return {
        "color": curve.by("setting", {title: one.color for title, one in looks.items()}),
        "shape": curve.by("setting", {title: one.symbol for title, one in looks.items()}),
        "strokeDash": curve.by(
            "setting", {title: list(one.dash) or [1, 0] for title, one in looks.items()}
        ),
    }


def cost_figure(view: SweepView, problem: ProblemKey, dark: bool = False) -> go.Figure:
    """Median and band per setting, every cell a dot, reference lines, smallest sizes below."""
    table = frontier_table.cost_table(view, problem)
    figure = go.Figure()
    curve.draw_band(figure, table)
    curve.draw_lines(figure, table, dark)
    for title, style, own in _by_look(view, problem, table, dark):
        levels = own[own["kind"] == "level"]
        _band(figure, levels, style.color)
        figure.add_scatter(
            x=levels["x"], y=levels["cost"], mode="lines", name=title, legendgroup=title,
            line={"color": style.color, "width": 2.5, "dash": _dash(style.dash)},
            text=levels["shown"], hovertemplate="median %{text}<extra></extra>",
        )  # fmt: skip
        _dots(figure, own[own["kind"] == "cell"], "x", "cost", style, title, dark)
        _smallest(figure, own[own["kind"].isin(["smallest", "none"])], style.color, dark)
    failed = table[table["kind"] == "failed"]
    if len(failed):
        figure.add_scatter(
            x=failed["x"], y=failed["cost"], mode="markers", name="failed",
            marker={"symbol": "x-thin-open", "size": 10, "color": palette.DECIDES,
                    "line": {"width": 2.5}},
            text=failed["shown"], hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    frame = table[table["kind"] == "frame"]
    _x_axis(figure, view, frame["x"].min(), frame["x"].max())
    figure.update_yaxes(
        title="cost, lower is fairer", range=[frame["cost"].min(), frame["cost"].max()],
        automargin=True,
    )  # fmt: skip
    height = frontier_table.plot_height(view, problem) + 60
    return palette.framed(
        figure, height, bottom=50, showlegend=True, font={"color": palette.ink(dark)}
    )


def quality_figure(
    view: SweepView, problem: ProblemKey, dark: bool = False, measure: Measure = SILHOUETTE
) -> go.Figure:
    """A measure against cost: fairer is to the left."""
    table = frontier_table.quality_table(view, problem, measure)
    figure = go.Figure()
    for title, style, own in _by_look(view, problem, table, dark):
        medians = own[own["kind"] == "median"]
        figure.add_scatter(
            x=medians["cost"], y=medians["quality"], mode="lines", name=title, legendgroup=title,
            line={"color": style.color, "width": 2, "dash": _dash(style.dash)}, hoverinfo="skip",
        )  # fmt: skip
        _dots(figure, own[own["kind"] == "cell"], "cost", "quality", style, title, dark)
        for _, row in medians.iterrows():
            shift = 15 if row["side"] == "above" else -15
            _beside(figure, row, "center", shift, style.color)
    for kind, color in (("vanilla", palette.VANILLA), ("fair", palette.BASELINE)):
        for _, row in table[table["kind"] == kind].iterrows():
            figure.add_scatter(
                x=[row["cost"]], y=[row["quality"]], mode="markers", text=[row["label"]],
                showlegend=False, cliponaxis=False, name=kind,
                marker=palette.rimmed("line-ew-open", 15, color, color, 5),
                hovertemplate=f"%{{text}}: {measure.title.lower()} "
                f"{measure.shown(row['quality'])}<extra></extra>",
            )  # fmt: skip
            _beside(figure, row, row["side"], 13 + 18 * row["lift"], palette.ink(dark))
    figure.update_xaxes(title="cost, lower is fairer")
    figure.update_yaxes(title=measure.axis, tickformat=measure.ticks, automargin=True)
    return palette.framed(
        figure, HEIGHT, bottom=50, showlegend=True, font={"color": palette.ink(dark)}
    )


def _by_look(
    view: SweepView, problem: ProblemKey, table: pd.DataFrame, dark: bool
) -> Iterator[tuple[str, frontier_table.Look, pd.DataFrame]]:
    """Every setting with its title, its look and its rows."""
    assert view.spec is not None
    for index, setting in enumerate(frontier_table.settings_of(view.spec, problem)):
        title = frontier_table.setting_title(setting, view.spec)
        yield title, frontier_table.look(index, dark), table[table["setting"] == title]


def _beside(figure: go.Figure, row: pd.Series, side: str, shift: float, color: str) -> None:
    """The label of a place, so many pixels above it; larger writing does not move it away."""
    figure.add_annotation(
        x=row["cost"], y=row["quality"], text=row["label"], showarrow=False, xanchor=side,
        yshift=shift, font={"size": 12, "color": color},
    )  # fmt: skip


def _band(figure: go.Figure, levels: pd.DataFrame, color: str) -> None:
    figure.add_scatter(
        x=[*levels["x"], *levels["x"][::-1]], y=[*levels["low"], *levels["high"][::-1]],
        fill="toself", fillcolor=color, opacity=0.22, line={"width": 0}, mode="lines",
        hoverinfo="skip", showlegend=False,
    )  # fmt: skip


def _dots(
    figure: go.Figure,
    cells: pd.DataFrame,
    x: str,
    y: str,
    style: frontier_table.Look,
    title: str,
    dark: bool,
) -> None:
    fills = cells["passed"].map(
        lambda passed: style.color if passed == "yes" else palette.hollow(dark)
    )
    figure.add_scatter(
        x=cells[x], y=cells[y], mode="markers", name=title, legendgroup=title, showlegend=False,
        marker=palette.rimmed(style.symbol, 9, fills.tolist(), style.color, 2),
        customdata=cells[["shown", "points", "seed", "checks"]],
        hovertemplate="%{customdata[0]} with %{customdata[1]}, seed %{customdata[2]}<br>"
        "checks: %{customdata[3]}<extra></extra>",
    )  # fmt: skip


def _smallest(figure: go.Figure, rows: pd.DataFrame, color: str, dark: bool) -> None:
    for _, row in rows.iterrows():
        if row["kind"] == "smallest":
            figure.add_scatter(
                x=[row["x"], row["x2"]], y=[row["cost"]] * 2, mode="lines+markers",
                showlegend=False, line={"color": color, "width": 5},
                marker=palette.rimmed("line-ns-open", [0, 14], color, color, 4),
                text=[row["shown"]] * 2, hovertemplate="%{text}<extra></extra>",
            )  # fmt: skip
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", y=row["at"], text=row["label"], showarrow=False,
            font={"size": 12, "color": palette.ink(dark)},
        )  # fmt: skip


def _x_axis(figure: go.Figure, view: SweepView, left: float, right: float) -> None:
    assert view.spec is not None
    ends = [math.log10(left), math.log10(right)]
    sizes = written_sizes(view.spec.sizes, ends[1] - ends[0])
    figure.update_xaxes(
        type="log",
        range=ends,
        tickvals=sizes,
        ticktext=[f"{size:,}<br>{share_of_data(size, view.points)}" for size in sizes],
        title=curve.SIZES_TITLE,
        showgrid=False,
    )


def written_sizes(sizes: Sequence[int], reach: float) -> list[int]:
    """The sizes that a logarithmic axis of `reach` decades has room for: the ends, then the rest.

    >>> written_sizes([8, 9, 10, 11, 100], 1.3)
    [8, 100]
    >>> written_sizes([10, 20, 50, 100], 1.2)
    [10, 20, 50, 100]
    """
    kept: dict[int, float] = {}
    for size in (sizes[0], sizes[-1], *sizes[1:-1]):
        place = math.log10(size)
        if all(abs(place - other) >= APART * reach for other in kept.values()):
            kept[size] = place
    return sorted(kept)


def _dash(dash: tuple[int, ...]) -> str:
    return ",".join(f"{length}px" for length in dash) if dash else "solid"
