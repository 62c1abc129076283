"""Maps of points on a plane: groups or clusters, centres, antidote points, borders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from antidote_core.reporting.figures.palette import ANTIDOTE, Mark, cluster_mark, ink
from antidote_core.reporting.text.words import chart_text
from antidote_core.types import Floats, Ints

SVG_LIMIT = 1_000  # beyond this many points the browser draws with WebGL
MAX_TRACES = 40
HEIGHT = 460


def map_figure(
    places: Floats,
    codes: Ints,
    names: Sequence[str],
    marks: Sequence[Mark],
    axis_titles: tuple[str, str],
    *,
    centers: Floats | None = None,
    antidote: Floats | None = None,
    cells: Sequence[Floats] = (),
    square: bool = False,
    bare: bool = False,
    dark: bool = False,
    height: int = HEIGHT,
) -> go.Figure:
    """Points at places (m, 2), coloured and shaped by codes (m,) into names and marks.

    `centers` (k, 2) and `antidote` (v, 2) are places on the same map, `cells` one polygon per
    cluster (`cluster_cells`); `square` keeps both axes at one scale, `bare` hides them.
    """
    many = len(places) > SVG_LIMIT
    scatter = go.Scattergl if many else go.Scatter
    figure = go.Figure()
    for index, cell in enumerate(cells):
        figure.add_trace(_cell(cell, index, dark))
    # Drawn in turns: one trace per code would let the last one hide all others.
    turns = max(1, MAX_TRACES // len(names)) if many else 1
    for turn in range(turns):
        for code, name in enumerate(map(chart_text, names)):
            at = places[turn::turns][codes[turn::turns] == code].astype(np.float32)
            figure.add_trace(
                scatter(
                    x=at[:, 0],
                    y=at[:, 1],
                    mode="markers",
                    name=name,
                    legendgroup=str(code),
                    showlegend=turn == 0,
                    marker={
                        "color": marks[code].color,
                        "symbol": marks[code].symbol,
                        "size": 4 if many else 7,
                        "opacity": 0.5 if many else 0.85,
                        "line": {"width": 0 if many else 0.5, "color": ink(dark)},
                    },
                    hovertemplate=f"{name}<extra></extra>",
                )
            )
    # WebGL traces lie above all others, so what must stay on top is of the same kind.
    if antidote is not None and len(antidote):
        figure.add_trace(scatter(**_antidote(antidote, dark)))
    if centers is not None:
        figure.add_trace(scatter(**_centers(centers, dark)))
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
        legend={
            "orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemsizing": "constant",
        },
        dragmode="pan",
    )  # fmt: skip
    across, up = map(chart_text, axis_titles)
    figure.update_xaxes(title=across, zeroline=False)
    figure.update_yaxes(title=up, zeroline=False)
    if square:
        figure.update_yaxes(scaleanchor="x", scaleratio=1)
    if bare:  # room for two lines of legend, so that neighbouring pictures keep the same size
        figure.update_layout(margin={"t": 66, "b": 5})
        figure.update_xaxes(visible=False)
        figure.update_yaxes(visible=False)
    return figure


def map_frame(places: Floats) -> tuple[Floats, Floats]:
    """Lower and upper corner (2,) of a frame a little wider than the places (m, 2)."""
    lower, upper = places.min(axis=0), places.max(axis=0)
    room = 0.04 * (upper - lower)
    return lower - room, upper + room


def _cell(cell: Floats, index: int, dark: bool) -> go.Scatter:
    closed = np.vstack([cell, cell[:1]])
    return go.Scatter(
        x=closed[:, 0],
        y=closed[:, 1],
        mode="lines",
        fill="toself",
        fillcolor=_faint(cluster_mark(index, dark).color),
        line={"color": ink(dark), "width": 2.5},
        showlegend=False,
        hoverinfo="skip",
    )


def _faint(color: str) -> str:
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.12)"


def _centers(centers: Floats, dark: bool) -> dict[str, Any]:
    return {
        "x": centers[:, 0],
        "y": centers[:, 1],
        "mode": "markers+text",
        "name": "centre",
        "text": [str(c + 1) for c in range(len(centers))],
        "textposition": "bottom right",
        "textfont": {"size": 20, "color": ink(dark), "weight": "bold"},
        "marker": {
            "symbol": "x",
            "size": 13,
            "color": ink(dark),
            "line": {"width": 1.5, "color": ink(not dark)},
        },
        "hovertemplate": "centre of cluster %{text}<extra></extra>",
    }


def _antidote(antidote: Floats, dark: bool) -> dict[str, Any]:
    return {
        "x": antidote[:, 0],
        "y": antidote[:, 1],
        "mode": "markers",
        "name": "antidote",
        "marker": {
            "symbol": "star",
            "size": 13,
            "color": ANTIDOTE,
            "line": {"width": 1, "color": ink(dark)},
        },
        "hovertemplate": "antidote point<extra></extra>",
    }
