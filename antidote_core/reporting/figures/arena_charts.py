"""The arena as a matrix of methods and data sets, and as fairness against price."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

import pandas as pd
import plotly.graph_objects as go

from antidote_core.arena.methods import PLAIN
from antidote_core.arena.standings import Standing, frontier_names, winner
from antidote_core.fairness import FairnessCost
from antidote_core.numerals import change, percent, share_of_data
from antidote_core.reporting.figures import palette
from antidote_core.reporting.text.arena_words import CHANGES, by_problem

BEST = "★ "
REFUSED = "no result"
# What a matrix may show, by its name on the screen.
MEASURES: dict[str, Callable[[Standing, FairnessCost], str]] = {
    "fairness": lambda row, cost: cost.shown(row.cost, 3),
    "price": lambda row, cost: change(row.price),
    "seconds": lambda row, cost: f"{row.seconds:,.3g}",
    "|V|": lambda row, cost: _size(row),
    "people moved": lambda row, cost: percent(row.moved),
    "smallest cluster": lambda row, cost: percent(row.smallest_share),
}


def _size(row: Standing) -> str:
    if not row.size:
        return "–"
    return f"{row.size:,.0f} ({share_of_data(round(row.share * 1e9), 10**9)})"


def matrix(rows: Sequence[Standing], cost: FairnessCost, measure: str) -> pd.DataFrame:
    """Methods x data sets; the fairest of a data set has a star, also where seconds are shown."""
    stars = {
        (best.dataset, best.method)
        for found in by_problem(rows).values()
        if (best := winner(found)) is not None
    }
    shown: dict[str, dict[str, str]] = {}
    for row in rows:
        text = MEASURES[measure](row, cost) if row.measured else REFUSED
        star = BEST if (row.dataset, row.method) in stars else ""
        shown.setdefault(row.method_title, {})[row.title] = star + text
    frame = pd.DataFrame.from_dict(shown, orient="index").fillna("–")
    return frame.rename_axis("method").reset_index()


def standing_table(rows: Sequence[Standing], cost: FairnessCost) -> pd.DataFrame:
    """Every figure of every standing, one line each, as numbers."""
    return pd.DataFrame(
        {
            "data": row.title,
            "k": row.k,
            "method": row.method_title,
            cost.label: row.cost,
            "least": row.low,
            "most": row.high,
            "price": row.price,
            "seconds": row.seconds,
            "|V|": row.size,
            "|V| / |U|": row.share,
            "people moved": row.moved,
            "smallest cluster": row.smallest_share,
            "seeds": row.seeds,
            "needs groups": "yes" if row.needs_groups else "no",
            "changes": row.changes,
            "why no result": row.refused,
        }
        for row in rows
    )


def who_needs_what(rows: Sequence[Standing]) -> pd.DataFrame:
    """One line per method: the groups at run time, what it changes, and how often it refused."""
    found: dict[str, list[Standing]] = {}
    for row in rows:
        found.setdefault(row.method_title, []).append(row)
    return pd.DataFrame(
        {
            "method": title,
            "needs groups at run time": "yes" if mine[0].needs_groups else "no",
            "changes": CHANGES.get(mine[0].changes, mine[0].changes),
            "without a result": f"{sum(bool(row.refused) for row in mine)} of {len(mine)}",
        }
        for title, mine in found.items()
    )


def pareto_figure(
    rows: Sequence[Standing], cost: FairnessCost, pinned: Collection[str], dark: bool
) -> go.Figure:
    """Cost against price for one data set and k; pinned methods have their names beside them."""
    drawn = go.Figure()
    there = [row for row in rows if row.measured]
    named = {row.method: row for row in there}
    edge = [named[name] for name in frontier_names(there)]
    drawn.add_scatter(
        x=[100 * row.price for row in edge], y=[row.cost for row in edge], mode="lines",
        line={"color": palette.ink(dark), "width": 1, "dash": "dot"}, hoverinfo="skip",
        name="nobody beats these", line_shape="hv",
    )  # fmt: skip
    roles = {
        "plain k-means": ([row for row in there if row.method == PLAIN], palette.VANILLA, "circle"),
        "fair algorithms": (
            [row for row in there if row.method != PLAIN and not row.is_antidote],
            palette.baseline_ink(dark), "square",
        ),
        "antidote data": ([row for row in there if row.is_antidote], palette.ANTIDOTE, "diamond"),
    }  # fmt: skip
    for name, (mine, color, symbol) in roles.items():
        if not mine:
            continue
        drawn.add_scatter(
            x=[100 * row.price for row in mine], y=[row.cost for row in mine],
            mode="markers+text", name=name,
            text=[row.method_title if row.method in pinned else "" for row in mine],
            textposition=_text_places(mine, there),
            marker=palette.rimmed(symbol, 13, color, palette.ink(dark)),
            error_y={
                "type": "data", "symmetric": False, "thickness": 1, "width": 3, "color": color,
                "array": [row.high - row.cost for row in mine],
                "arrayminus": [row.cost - row.low for row in mine],
            },
            customdata=[
                [row.method_title, cost.level(row.cost), change(row.price), f"{row.seconds:.3g}"]
                for row in mine
            ],
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}, price %{customdata[2]}, "
            "%{customdata[3]} s<extra></extra>",
        )  # fmt: skip
    drawn.update_xaxes(title="price: rise of the objective on U (%)", rangemode="tozero")
    drawn.update_yaxes(title=f"{cost.label}, lower is fairer")
    return palette.framed(drawn, 460, bottom=50, font={"color": palette.ink(dark)})


def _text_places(rows: Sequence[Standing], all_rows: Sequence[Standing]) -> list[str]:
    """Names stand on the side where the picture has room."""
    prices = [row.price for row in all_rows if not math.isnan(row.price)]
    middle = (min(prices, default=0.0) + max(prices, default=0.0)) / 2
    return ["top right" if row.price <= middle else "top left" for row in rows]
