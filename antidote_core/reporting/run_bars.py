"""Beside the bars of a run: cluster sizes, and what each group pays before and after."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from antidote_core.fairness import BalanceTable, SocialTable
from antidote_core.reporting.palette import ANTIDOTE, DECIDES, VANILLA
from antidote_core.reporting.tables import DECIDES_MARK
from antidote_core.reporting.verdict import TINY, share_of_data
from antidote_core.reporting.words import chart_text, number

ROW = 46  # pixels per group


def cluster_sizes(table: BalanceTable) -> str:
    r"""How many points each cluster holds, and a warning when one of them hardly holds any.

    >>> import numpy as np
    >>> from antidote_core.fairness import balance_from_counts
    >>> table = balance_from_counts(np.array([[2.0, 3.0], [498.0, 997.0]]))
    >>> print(cluster_sizes(table).replace("\N{NO-BREAK SPACE}", " "))
    Points per cluster: 5, 1,495. Cluster 1 holds only 0.33 % of the data: its mix says little.
    """
    sizes = table.counts.sum(axis=1)
    text = "Points per cluster: " + ", ".join(f"{int(size):,}" for size in sizes) + "."
    for cluster, size in enumerate(sizes.tolist()):
        if size < TINY * sizes.sum():
            share = share_of_data(int(size), int(sizes.sum()))
            text += f" Cluster {cluster + 1} holds only {share} of the data: its mix says little."
    return text


def cost_pair_figure(
    before: SocialTable, after: SocialTable, group_names: tuple[str, ...], digits: int = 3
) -> go.Figure:
    """Two bars per group, plain clustering and with antidote; the largest of each is outlined."""
    figure = go.Figure()
    rows = (("plain clustering", before, VANILLA), ("with antidote", after, ANTIDOTE))
    for name, table, color in rows:
        decides = [j == table.group for j in range(len(group_names))]
        costs = [float(cost) for cost in table.group_costs]
        figure.add_bar(
            y=[chart_text(group) for group in group_names],
            x=costs,
            orientation="h",
            name=name,
            marker={
                "color": color,
                "line": {
                    "color": [DECIDES if flag else color for flag in decides],
                    "width": [3 if flag else 0 for flag in decides],
                },
            },
            text=[
                f"<b>{number(cost, digits)} ◀ decides</b>" if flag else number(cost, digits)
                for cost, flag in zip(costs, decides, strict=True)
            ],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{y}}, {name}: %{{text}}<extra></extra>",
        )
    top = max(before.cost, after.cost)
    figure.update_xaxes(
        title="average cost, lower is fairer", range=[0, 1.5 * top or 1.0], fixedrange=True
    )
    figure.update_yaxes(
        type="category", autorange="reversed", automargin=True, fixedrange=True, ticks=""
    )
    figure.update_layout(
        barmode="group",
        bargap=0.25,
        height=ROW * len(group_names) + 120,
        margin={"l": 10, "r": 10, "t": 36, "b": 40},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "traceorder": "normal"},
    )
    return figure


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
