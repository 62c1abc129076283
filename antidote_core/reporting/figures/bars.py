"""Bar charts: how large the groups are, who is in which cluster, what each group pays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from antidote_core.fairness import BalanceTable, SocialTable
from antidote_core.numerals import number, percent, share_of_data
from antidote_core.reporting.figures import palette
from antidote_core.reporting.figures.tables import DECIDES_MARK
from antidote_core.reporting.text.words import EQUAL, chart_text
from antidote_core.types import Dataset, Floats

ROW = 34  # pixels per bar
TINY = 0.01  # part of the data below which a cluster says little
WRITTEN_BESIDE: dict[str, Any] = {
    "orientation": "h",
    "textposition": "outside",
    "cliponaxis": False,
}
WRITABLE = 0.11  # narrower parts of a bar have no room for their figure
PAIR_ROW = 46  # pixels per group


def group_size_words(data: Dataset) -> str:
    """How large the groups are, in words."""
    sizes = zip(data.group_names, data.group_sizes.tolist(), strict=True)
    return "Points per group: " + ", ".join(f"{name} {size:,}" for name, size in sizes)


def group_size_figure(data: Dataset, dark: bool = False) -> go.Figure:
    """One bar per group with its points and share."""
    sizes = dict(zip(data.group_names, data.group_sizes.tolist(), strict=True))
    return size_figure(sizes, "points", dark)


def size_figure(
    sizes: Mapping[str, int], unit: str, dark: bool = False, whole: int | None = None
) -> go.Figure:
    """One bar per name with its size and its share of `whole`, by default of all that are shown."""
    whole = whole or sum(sizes.values())
    figure = go.Figure()
    for code, (name, size) in enumerate(sizes.items()):
        mark, name = palette.group_mark(code, dark), chart_text(name)
        figure.add_bar(
            y=[name],
            x=[size],
            name=name,
            marker={"color": mark.color, "pattern": _pattern(mark)},
            text=f"{size:,} ({percent(size / whole)})",
            hovertemplate=f"{name}: {size:,} of {whole:,} {unit}<extra></extra>",
            **WRITTEN_BESIDE,
        )
    _rows(figure, len(sizes))
    figure.update_layout(showlegend=False)
    figure.update_xaxes(title=unit, range=[0, 1.55 * max(sizes.values())])
    return figure


def cluster_mix_figure(
    table: BalanceTable, group_names: tuple[str, ...], dark: bool = False, compact: bool = False
) -> go.Figure:
    """100 % bars: the whole data above, then one bar per cluster; the deciding cell is outlined.

    `compact` leaves out the axis, the legend and the words, for a place where they stand beside it.
    """
    k, g = table.counts.shape
    totals = table.counts.sum(axis=1)
    whole = table.counts.sum(axis=0) / table.counts.sum()
    ratio = float(table.ratios[table.cluster, table.group])
    unequal = ratio < EQUAL
    names = ["whole data", *(f"cluster {c + 1}" for c in range(k))]
    sized = _sized(totals)
    shares = [whole, *(table.counts[c] / (totals[c] or 1.0) for c in range(k))]
    figure = go.Figure()
    for j in range(g):
        mark = palette.group_mark(j, dark)
        values = [float(share[j]) for share in shares]
        decides = [
            unequal and row == table.cluster + 1 and j == table.group for row in range(k + 1)
        ]
        figure.add_bar(
            y=names,
            x=values,
            orientation="h",
            name=chart_text(group_names[j]),
            marker={
                "color": mark.color,
                "pattern": _pattern(mark),
                "line": {
                    "color": [palette.DECIDES if flag else palette.ink(dark) for flag in decides],
                    "width": [4 if flag else 0.5 for flag in decides],
                },
            },
            text=[percent(value) if value >= WRITABLE else "" for value in values],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            textfont={"color": palette.LIGHT_INK, "size": 12},
            customdata=sized,
            hovertemplate="%{customdata}<br>%{x:.1%} " + chart_text(group_names[j])
            + "<extra></extra>",
        )  # fmt: skip
    _rows(figure, k + 1, legend=not compact)
    figure.update_layout(barmode="stack", legend={"traceorder": "normal"}, showlegend=not compact)
    if compact:
        figure.update_xaxes(range=[0, 1], visible=False)
        figure.update_layout(height=ROW * (k + 1) + 20, margin={"t": 5, "b": 5})
        return figure
    # In two lines, so that a telephone has room left for the bars.
    lines = [name.replace(" · ", "<br>") for name in sized]
    figure.update_yaxes(tickmode="array", tickvals=names, ticktext=lines)
    figure.update_xaxes(range=[0, 1.28], tickformat=".0%", tickvals=[0, 0.25, 0.5, 0.75, 1])
    if unequal:
        figure.add_annotation(
            y=names[table.cluster + 1],
            x=1.02,
            xanchor="left",
            align="left",
            showarrow=False,
            text=f"<b>◀ decides</b><br>{percent(ratio)} of<br>fair share",
            font={"color": palette.DECIDES, "size": 12},
        )
    return figure


def _sized(totals: Floats) -> list[str]:
    """The whole data and every cluster with the number of people in it and their share."""
    n = round(totals.sum())
    clusters = [
        f"Cluster {c + 1} · {round(size):,} people ({share_of_data(round(size), n)})"
        for c, size in enumerate(totals.tolist())
    ]
    return [f"Whole data · {n:,} people", *clusters]


def group_cost_figure(table: SocialTable, group_names: tuple[str, ...]) -> go.Figure:
    """One bar per group with its average cost; the largest, which decides, is outlined."""
    figure = go.Figure()
    for j, name in enumerate(map(chart_text, group_names)):
        decides = j == table.group
        cost = float(table.group_costs[j])
        figure.add_bar(
            y=[name],
            x=[cost],
            name=name,
            marker={
                "color": palette.VANILLA,
                "line": {
                    "color": palette.DECIDES if decides else palette.VANILLA,
                    "width": 4 if decides else 0,
                },
            },
            text=f"<b>{number(cost)} ◀ decides</b>" if decides else number(cost),
            hovertemplate=f"{name}: {number(cost)}<extra></extra>",
            **WRITTEN_BESIDE,
        )
    _rows(figure, len(group_names))
    figure.update_layout(showlegend=False)
    figure.update_xaxes(
        title="average cost, lower is fairer",
        range=[0, 1.75 * table.cost or 1.0],
    )
    return figure


def _pattern(mark: palette.Mark) -> dict[str, object]:
    return {
        "shape": mark.pattern,
        "size": 7,
        "solidity": 0.15,
        "bgcolor": mark.color,
        "fgcolor": "rgba(0,0,0,0.2)",
    }


def _rows(figure: go.Figure, rows: int, legend: bool = False) -> None:
    figure.update_yaxes(
        type="category",  # also where groups are called 0 and 1
        autorange="reversed", automargin=True, showgrid=False, ticks="", fixedrange=True,
    )  # fmt: skip
    figure.update_xaxes(fixedrange=True)
    palette.framed(
        figure, ROW * rows + (130 if legend else 80), 40 if legend else 10, bargap=0.25,
        legend={**palette.LEGEND_ABOVE, "title": None},
    )  # fmt: skip


def cluster_sizes(table: BalanceTable) -> str:
    r"""How many points each cluster holds, and a warning when one of them hardly holds any.

    >>> import numpy as np
    >>> from antidote_core.fairness import balance_from_counts
    >>> table = balance_from_counts(np.array([[2.0, 3.0], [498.0, 997.0]]))
    >>> print(cluster_sizes(table).replace("\N{NO-BREAK SPACE}", " "))
    Points per cluster: 5, 1,495. Cluster 1 holds only 0.33 % of the data: its mix says little.
    """
    sizes = table.counts.sum(axis=1)
    text = "Points per cluster: " + ", ".join(f"{round(size):,}" for size in sizes) + "."
    for cluster, size in enumerate(sizes.tolist()):
        if size < TINY * sizes.sum():
            share = share_of_data(int(size), int(sizes.sum()))
            text += f" Cluster {cluster + 1} holds only {share} of the data: its mix says little."
    return text


def cost_pair_figure(
    before: SocialTable,
    after: SocialTable,
    group_names: Sequence[str],
    digits: int = 3,
    labels: tuple[str, str] = ("plain clustering", "with antidote"),
    row: int = PAIR_ROW,
) -> go.Figure:
    """Two bars per group, before and after; the largest of each is outlined."""
    figure = go.Figure()
    for name, table, color in zip(
        labels, (before, after), (palette.VANILLA, palette.ANTIDOTE), strict=True
    ):
        decides = [j == table.group for j in range(len(group_names))]
        costs = [float(cost) for cost in table.group_costs]
        figure.add_bar(
            y=[chart_text(group) for group in group_names],
            x=costs,
            name=name,
            marker={
                "color": color,
                "line": {
                    "color": [palette.DECIDES if flag else color for flag in decides],
                    "width": [3 if flag else 0 for flag in decides],
                },
            },
            text=[
                f"<b>{number(cost, digits)} ◀ decides</b>" if flag else number(cost, digits)
                for cost, flag in zip(costs, decides, strict=True)
            ],
            hovertemplate=f"%{{y}}, {name}: %{{text}}<extra></extra>",
            **WRITTEN_BESIDE,
        )
    top = max(before.cost, after.cost)
    figure.update_xaxes(
        title="average cost, lower is fairer", range=[0, 1.5 * top or 1.0], fixedrange=True
    )
    figure.update_yaxes(
        type="category", autorange="reversed", automargin=True, fixedrange=True, ticks=""
    )
    return palette.framed(
        figure, row * len(group_names) + 120, 36, barmode="group", bargap=0.25,
        legend={**palette.LEGEND_ABOVE, "traceorder": "normal"},
    )  # fmt: skip


def cost_pair_table(
    before: SocialTable, after: SocialTable, group_names: tuple[str, ...]
) -> pd.DataFrame:
    """The same as a table."""
    return pd.DataFrame(
        {
            "group": group_names,
            "plain clustering": before.group_costs,
            "with antidote": after.group_costs,
            "": [DECIDES_MARK if j == after.group else "" for j in range(len(group_names))],
        }
    )
