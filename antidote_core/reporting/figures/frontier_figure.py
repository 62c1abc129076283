"""The charts of a frontier as Plotly figures, from the same rows as the live charts.

For pages that stand still: the report and the slides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from antidote_core.reporting.figures.curve import draw_band, draw_lines
from antidote_core.reporting.figures.frontier_table import (
    Look,
    cost_table,
    look,
    plot_height,
    quality_table,
    setting_title,
    settings_of,
)
from antidote_core.reporting.figures.palette import (
    BASELINE,
    DECIDES,
    LEGEND_ABOVE,
    VANILLA,
    hollow,
    ink,
)
from antidote_core.reporting.text.words import share_of_data
from antidote_core.runs.sweep_view import SweepView

HEIGHT = 440
APART = 0.12  # part of the axis between two labels; on a small screen they fit when turned
_MARGIN = {"l": 10, "r": 10, "t": 40, "b": 50}


def cost_figure(
    view: SweepView, problem: tuple[str, str, int], log: bool = True, dark: bool = False
) -> go.Figure:
    """Median and band per setting, every cell a dot, reference lines, smallest sizes below."""
    assert view.spec is not None
    table = cost_table(view, problem, log)
    figure = go.Figure()
    draw_band(figure, table)
    draw_lines(figure, table, dark)
    for index, setting in enumerate(settings_of(view.spec, problem)):
        title, style = setting_title(setting, view.spec), look(index, dark)
        own = table[table["setting"] == title]
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
            marker={"symbol": "x-thin-open", "size": 10, "color": DECIDES, "line": {"width": 2.5}},
            text=failed["shown"], hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    frame = table[table["kind"] == "frame"]
    _x_axis(figure, view, frame["x"].min(), frame["x"].max(), log)
    figure.update_yaxes(
        title="cost, lower is fairer", range=[frame["cost"].min(), frame["cost"].max()],
        automargin=True,
    )  # fmt: skip
    figure.update_layout(
        height=plot_height(view, problem) + 60,
        margin=_MARGIN,
        legend=LEGEND_ABOVE,
        showlegend=True,
        font={"color": ink(dark)},
    )
    return figure


def quality_figure(view: SweepView, problem: tuple[str, str, int], dark: bool = False) -> go.Figure:
    """Silhouette against cost: up and to the left is better."""
    assert view.spec is not None
    table = quality_table(view, problem)
    figure = go.Figure()
    for index, setting in enumerate(settings_of(view.spec, problem)):
        title, style = setting_title(setting, view.spec), look(index, dark)
        own = table[table["setting"] == title]
        medians = own[own["kind"] == "median"]
        figure.add_scatter(
            x=medians["cost"], y=medians["quality"], mode="lines", name=title, legendgroup=title,
            line={"color": style.color, "width": 2, "dash": _dash(style.dash)}, hoverinfo="skip",
        )  # fmt: skip
        _dots(figure, own[own["kind"] == "cell"], "cost", "quality", style, title, dark)
        for _, row in medians.iterrows():
            shift = 15 if row["side"] == "above" else -15
            _beside(figure, row, "center", shift, style.color)
    for kind, color in (("vanilla", VANILLA), ("fair", BASELINE)):
        for _, row in table[table["kind"] == kind].iterrows():
            figure.add_scatter(
                x=[row["cost"]], y=[row["quality"]], mode="markers", text=[row["label"]],
                showlegend=False, cliponaxis=False, name=kind,
                marker={"symbol": "line-ew-open", "size": 15, "color": color,
                        "line": {"width": 5, "color": color}},
                hovertemplate="%{text}: silhouette %{y:.3f}<extra></extra>",
            )  # fmt: skip
            _beside(figure, row, row["side"], 13 + 18 * row["lift"], ink(dark))
    figure.update_xaxes(title="cost, lower is fairer")
    figure.update_yaxes(title="silhouette, higher is clearer", automargin=True)
    figure.update_layout(
        height=HEIGHT,
        margin=_MARGIN,
        legend=LEGEND_ABOVE,
        showlegend=True,
        font={"color": ink(dark)},
    )
    return figure


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
    figure: go.Figure, cells: pd.DataFrame, x: str, y: str, style: Look, title: str, dark: bool
) -> None:
    figure.add_scatter(
        x=cells[x], y=cells[y], mode="markers", name=title, legendgroup=title, showlegend=False,
        marker={
            "symbol": style.symbol, "size": 9,
            "color": cells["passed"].map(
                lambda passed: style.color if passed == "yes" else hollow(dark)
            ).tolist(),
            "line": {"width": 2, "color": style.color},
        },
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
                marker={"symbol": "line-ns-open", "size": [0, 14], "color": color,
                        "line": {"width": 4, "color": color}},
                text=[row["shown"]] * 2, hovertemplate="%{text}<extra></extra>",
            )  # fmt: skip
        figure.add_annotation(
            x=0, xref="paper", xanchor="left", y=row["at"], text=row["label"], showarrow=False,
            font={"size": 12, "color": ink(dark)},
        )  # fmt: skip


def _x_axis(figure: go.Figure, view: SweepView, left: float, right: float, log: bool) -> None:
    assert view.spec is not None
    ends = [math.log10(left), math.log10(right)] if log else [left, right]
    sizes = written_sizes(view.spec.sizes, ends[1] - ends[0], log)
    figure.update_xaxes(
        type="log" if log else "linear",
        range=ends,
        tickvals=sizes,
        ticktext=[f"{size:,}<br>{share_of_data(size, view.points)}" for size in sizes],
        title="antidote points |V|, and their share of the data",
        showgrid=False,
    )


def written_sizes(sizes: Sequence[int], reach: float, log: bool) -> list[int]:
    """The sizes that an axis as long as `reach` has room for: both ends, then from the left.

    >>> written_sizes([8, 9, 10, 11, 100], 1.3, log=True)
    [8, 100]
    >>> written_sizes([10, 20, 50, 100], 1.2, log=True)
    [10, 20, 50, 100]
    """
    kept: dict[int, float] = {}
    for size in (sizes[0], sizes[-1], *sizes[1:-1]):
        place = math.log10(size) if log else float(size)
        if all(abs(place - other) >= APART * reach for other in kept.values()):
            kept[size] = place
    return sorted(kept)


def _dash(dash: tuple[int, ...]) -> str:
    return ",".join(f"{length}px" for length in dash) if dash else "solid"
