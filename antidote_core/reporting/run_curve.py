"""Cost against antidote size as a Plotly figure, from the same table as the live chart.

For pages that stand still: the report, slides, and several runs side by side.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from antidote_core.algorithms.record import RunView
from antidote_core.reporting.curve import curve_table
from antidote_core.reporting.palette import ANTIDOTE, SOTA, TARGET_DASH, VANILLA, ink
from antidote_core.reporting.snapshots import steps

HEIGHT = 430


def run_curve_figure(
    view: RunView, fair: Mapping[str, float] | None = None, dark: bool = False
) -> go.Figure:
    """One step per round; the verified one filled; plain, fair and target as lines with labels."""
    table = curve_table(view, fair)
    figure = go.Figure()
    _band(figure, table)
    _lines(figure, table, dark)
    rounds = table[table["kind"] == "round"]
    figure.add_scatter(
        x=rounds["size"], y=rounds["cost"], mode="lines+markers", name="best V of a round",
        line={"color": ANTIDOTE, "width": 2, "shape": "hv"},
        marker={"symbol": "circle-open", "size": 9, "color": ANTIDOTE, "line": {"width": 2.5}},
        text=rounds["share"], hovertemplate="%{text}<extra></extra>",
    )  # fmt: skip
    verified = table[table["kind"] == "verified"]
    if len(verified):
        figure.add_scatter(
            x=verified["size"], y=verified["cost"], mode="markers",
            name="checked by independent clusterings",
            marker={"symbol": "circle", "size": 13, "color": ANTIDOTE},
            text=verified["share"], hovertemplate="%{text}<extra></extra>",
        )  # fmt: skip
    frame = table.loc[table["kind"] == "frame", "cost"]
    largest = max([1, *rounds["size"].tolist()])
    figure.update_xaxes(title="antidote points |V|", range=[-0.02 * largest, 1.05 * largest])
    figure.update_yaxes(title="cost, lower is fairer", range=[frame.min(), frame.max()])
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0},
    )
    return figure


def step_table(view: RunView) -> pd.DataFrame:
    """The table behind the curve: plain clustering and every round."""
    return pd.DataFrame(
        {
            "step": [step.title for step in steps(view)],
            "antidote points": [len(step.antidote) for step in steps(view)],
            "cost": [step.cost for step in steps(view)],
        }
    )


def _band(figure: go.Figure, table: pd.DataFrame) -> None:
    for _, row in table[table["kind"] == "band"].iterrows():
        figure.add_hrect(
            y0=row["low"], y1=row["high"], fillcolor=VANILLA, opacity=0.25, line_width=0
        )


def _lines(figure: go.Figure, table: pd.DataFrame, dark: bool) -> None:
    colors = {"vanilla": VANILLA, "fair": SOTA, "target": ink(dark)}
    fair_ink = "#5AA9E0" if dark else SOTA
    for _, row in table[table["kind"].isin([*colors, "away"])].iterrows():
        kind = row["kind"]
        if kind != "away":
            dash = TARGET_DASH if kind == "target" else "solid"
            line = {"color": colors[kind], "width": 2, "dash": dash}
            figure.add_hline(y=row["cost"], line=line, layer="below")
        figure.add_annotation(
            x=1, xref="paper", xanchor="right", y=row["at"], text=row["label"], showarrow=False,
            font={"size": 12, "color": fair_ink if kind == "fair" else ink(dark)},
        )  # fmt: skip
