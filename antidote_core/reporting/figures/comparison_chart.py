"""A run beside plain clustering and the fair algorithm: bars, table, and what got worse."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from antidote_core.analysis.comparison import ANTIDOTE as ANTIDOTE_ROW
from antidote_core.analysis.comparison import VANILLA as VANILLA_ROW
from antidote_core.analysis.comparison import costs_beside
from antidote_core.baselines import NEAREST, OWN
from antidote_core.baselines.registry import algorithm_name
from antidote_core.fairness import get_fairness
from antidote_core.reporting.figures.palette import ANTIDOTE, BASELINE, VANILLA
from antidote_core.reporting.text.words import digits_showing, number, percent
from antidote_core.runs.view import RunView

_ORDER = {VANILLA_ROW: 0, OWN: 1, NEAREST: 2, ANTIDOTE_ROW: 3}
WORSE = 1e-3  # part of a cost from which on "worse" is worth saying


@dataclass(frozen=True)
class Measure:
    """One column of the comparison: how it is called and which way is better."""

    column: str
    title: str
    better: str


def measures(fairness: str) -> tuple[Measure, ...]:
    """What is compared for runs on this cost: that cost first."""
    return (
        *(
            Measure(name, get_fairness(name).label, "lower is fairer")
            for name in costs_beside(fairness)
        ),
        Measure("silhouette", "Silhouette", "higher is better"),
        Measure("davies_bouldin", "Davies-Bouldin", "lower is better"),
        Measure("calinski_harabasz", "Calinski-Harabasz", "higher is better"),
        Measure("seconds", "Seconds", "lower is quicker"),
    )


def baseline_costs(view: RunView, fairness: str) -> dict[str, float]:
    """Cost of the fair algorithm by its label and scoring, as far as the run knows it."""
    found = {
        f"{algorithm_name(row['name'])}, {row['scoring']}": row.get(fairness)
        for row in view.comparison
        if row["name"] not in (VANILLA_ROW, ANTIDOTE_ROW)
    }
    if not found and view.sota:
        label = f"{algorithm_name(view.sota['name'])}, {view.sota['scoring']}"
        found = {label: view.sota["cost"]}
    return {label: cost for label, cost in found.items() if cost is not None}


def comparison_table(view: RunView, fairness: str) -> pd.DataFrame:
    """Rows in the same order everywhere: plain, fair (own, nearest), antidote."""
    rows = sorted(view.comparison, key=_place)
    table = pd.DataFrame([_values(row, view, fairness) for row in rows])
    if table.empty:
        return table
    columns = ["clustering", *(m.column for m in measures(fairness)), "antidote points"]
    return table[columns]


def measure_figure(table: pd.DataFrame, measure: Measure, digits: int = 3) -> go.Figure:
    """One measure as bars, one per clustering; colours are those of the roles."""
    values = [float(value) for value in table[measure.column]]
    labels = [
        "not defined" if math.isnan(value) else number(value, _digits(measure, value, digits))
        for value in values
    ]
    figure = go.Figure(
        go.Bar(
            y=table["clustering"],
            x=[0.0 if math.isnan(value) else value for value in values],
            orientation="h",
            text=labels,
            textposition="outside",
            cliponaxis=False,
            marker={"color": [_color(name) for name in table["clustering"]]},
            hovertemplate="%{y}: %{text}<extra></extra>",
        )
    )
    finite = [value for value in values if not math.isnan(value)] or [0.0]
    low, high = min(0.0, *finite), max(0.0, *finite)
    room = 0.55 * ((high - low) or 1.0)
    figure.update_xaxes(
        range=[low - (room if low < 0 else 0), high + (room if high > 0 else 0)],
        visible=False,
        fixedrange=True,
    )
    figure.update_yaxes(autorange="reversed", automargin=True, fixedrange=True, ticks="")
    figure.update_layout(
        height=34 * len(table) + 12,
        margin={"l": 5, "r": 5, "t": 4, "b": 4},
        bargap=0.3,
        showlegend=False,
    )
    return figure


def side_note(view: RunView, fairness: str) -> str:
    """What the run did to the cost it was not asked about; empty while that is unknown."""
    others = costs_beside(fairness)[1:]
    rows = {row["name"]: row for row in view.comparison}
    if len(others) > 1 or VANILLA_ROW not in rows or ANTIDOTE_ROW not in rows:
        return ""
    [other] = others
    before, after = rows[VANILLA_ROW][other], rows[ANTIDOTE_ROW][other]
    if before is None or after is None:
        return ""
    title = get_fairness(other).title.lower()
    change = after - before
    scale = max(abs(before), 1e-9)
    digits = digits_showing(change)
    numbers = f"from {number(before, digits)} to {number(after, digits)}"
    if change > WORSE * scale:
        return (
            f"The price: the other cost, {title}, got worse, {numbers} "
            f"({percent(change / scale)} more)."
        )
    if change < -WORSE * scale:
        return f"The other cost, {title}, became better as well, {numbers}."
    return f"The other cost, {title}, hardly changed: {numbers}."


def _place(row: Mapping[str, Any]) -> tuple[int, str]:
    name = row["name"]
    return _ORDER.get(name, _ORDER.get(row["scoring"], 1)), name


def _values(row: Mapping[str, Any], view: RunView, fairness: str) -> dict[str, Any]:
    name = row["name"]
    if name == VANILLA_ROW:
        label = "plain"
    elif name == ANTIDOTE_ROW:
        label = "antidote"
    else:
        scoring = "own" if row["scoring"] == OWN else "nearest"
        label = f"{algorithm_name(name)} ({scoring})"
    values = {"clustering": label, "antidote points": row["size"]}
    for measure in measures(fairness):
        value = row.get(measure.column)
        if value is None and measure.column == fairness:
            value = {VANILLA_ROW: view.vanilla_cost, ANTIDOTE_ROW: view.cost}.get(name)
        values[measure.column] = math.nan if value is None else value
    return values


def _color(name: str) -> str:
    return {"plain": VANILLA, "antidote": ANTIDOTE}.get(name, BASELINE)


def _digits(measure: Measure, value: float, digits: int) -> int:
    if measure.column == "seconds":
        return 2 if value < 10 else 0
    if measure.column == "calinski_harabasz":
        return 0
    return digits if measure.better == "lower is fairer" else 3
