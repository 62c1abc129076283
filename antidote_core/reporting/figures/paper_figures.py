"""The paper's numbers beside ours: frames for tables, figures, and the words around them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from antidote_core.paper import paper_tables
from antidote_core.paper.marks import BETTER, NOT, REPRODUCED, limit_share, needed
from antidote_core.paper.rows import CONVEX, OURS, PUBLISHED, SECONDS, Results, Row
from antidote_core.paper.summary import TITLES, ours_rows
from antidote_core.paper.tables import TableRow, table_rows
from antidote_core.reporting.figures import palette
from antidote_core.runs.spec import RunSpec

SIGNS = {BETTER: "★ better", REPRODUCED: "✔ reproduced", NOT: "✖ not reproducible"}
MEANINGS = {
    BETTER: "the printed gain with no more points, confirmed by independent clusterings",
    REPRODUCED: "the printed gain with no more points, but independent clusterings disagree",
    NOT: "not with so few points; the row says what was found instead",
}
TIME_MEANINGS = {
    BETTER: "as quick as the fair algorithm (three times as long at most for spectral)",
    REPRODUCED: "slower than that, but no more than the paper says",
    NOT: "slower than the paper says",
}
CONVEX_MEANINGS = {
    REPRODUCED: "the points lower the cost at every λ, as in the paper's figure",
    NOT: "clustered again exactly, they do not",
}
COLORS = {BETTER: "#009E73", REPRODUCED: "#56B4E9", NOT: palette.DECIDES}
MODE_WORDS = {PUBLISHED: "as published", OURS: "ours"}
_MODE_LOOKS = {
    "paper": (palette.VANILLA, "circle"), PUBLISHED: (palette.BASELINE, "square"),
    OURS: (palette.ANTIDOTE, "diamond"),
}  # fmt: skip


def meanings(table: str) -> Mapping[str, str]:
    """What the marks mean in this table."""
    return {SECONDS: TIME_MEANINGS, CONVEX: CONVEX_MEANINGS}.get(table, MEANINGS)


def row_name(row: TableRow) -> str:
    """The data and the combination, as a list names them."""
    return " · ".join(row.values[key] for key in ("data", "combination") if key in row.values)


def table_frame(rows: list[TableRow]) -> pd.DataFrame:
    """The table as it is shown: the mark first, its reason left to the row on its own."""
    shown = []
    for row in rows:
        values = {name: text for name, text in row.values.items() if name not in ("mark", "why")}
        mark = SIGNS[row.mark.mark] if row.mark else "not computed"
        shown.append({"mark": mark, **values})
    frame = pd.DataFrame(shown)
    return frame.rename(columns=lambda name: name.replace(PUBLISHED, MODE_WORDS[PUBLISHED]))


def styled(frame: pd.DataFrame) -> object:
    """The frame with its marks in their colours."""
    by_sign = {sign: COLORS[mark] for mark, sign in SIGNS.items()}

    def style(cell: object) -> str:
        color = by_sign.get(str(cell))
        return f"color: {color}; font-weight: bold" if color else ""

    return frame.style.map(style, subset=["mark"])


def live_spec(spec: Mapping[str, object]) -> RunSpec:
    """The settings of a stored row, ready to run again."""
    return RunSpec.from_json(json.dumps(dict(spec)))


def figure(results: Results, table: str, dark: bool) -> go.Figure | None:
    """One picture per table; None where nothing was computed."""
    rows = table_rows(results, table)
    if not rows:
        return None
    if table == CONVEX:
        return _differences(results, dark)
    return _ratios(results, rows, dark) if table == SECONDS else _sizes(results, rows, dark)


def figure_words(table: str) -> str:
    """What the picture shows and how to read it."""
    if table == SECONDS:
        return (
            "Seconds of antidote data over seconds of the fair algorithm: left of the line "
            "antidote data are quicker."
        )
    if table == CONVEX:
        return (
            "Cost before minus cost after, for every λ: below zero the points of Algorithm 1 made "
            "clustering less fair."
        )
    aim = (
        "meet the fair algorithm's cost" if table == "sota_k2" else "gain as much as the paper says"
    )
    return (
        f"How many points it takes to {aim}: grey is the paper's number, orange ours; further "
        "left is better. A row without orange: no size up to the limit does it."
    )


def _sizes(results: Results, rows: list[TableRow], dark: bool) -> go.Figure:
    names = [row_name(row) for row in rows]
    paper: list[float | None] = []
    own: list[float | None] = []
    hover = []
    for row in rows:
        found = results.rows.get(row.cell.key)
        one = found or next(iter(_both(results, row).values()))
        paper.append(100 * one["paper"]["points"] / one["n"])
        enough = needed(found) if found else None
        own.append(100 * enough["share"] if enough else None)
        limit = f"not up to {100 * limit_share(one):.3g}%"
        hover.append(f"{enough['size']:,} points" if enough else limit)
    drawn = go.Figure()
    for left, right, name in zip(paper, own, names, strict=True):
        if right is not None:
            drawn.add_scatter(
                x=[left, right], y=[name, name], mode="lines", hoverinfo="skip",
                line={"color": palette.ink(dark), "width": 1}, showlegend=False,
            )  # fmt: skip
    shares = [f"{x:.3g}% of U" for x in paper]
    says = "%{y}: %{x:.3g}% of U, %{customdata}<extra></extra>"
    drawn.add_scatter(**_marks("paper", paper, names, says), customdata=shares)
    drawn.add_scatter(**_marks(OURS, own, names, says), customdata=hover)
    return _in_rows(drawn, "|V| in percent of U", dark, len(rows))


def _marks(mode: str, values: list[float | None], names: list[str], says: str) -> dict[str, Any]:
    """A mark per row, in the colour and with the symbol of the paper or of a mode."""
    color, symbol = _MODE_LOOKS[mode]
    marker = {"color": color, "symbol": symbol, "size": 12}
    name = MODE_WORDS.get(mode, mode)
    return {"x": values, "y": names, "mode": "markers", "name": name, "marker": marker,
            "hovertemplate": says}  # fmt: skip


def _both(results: Results, row: TableRow) -> dict[str, Row]:
    base = row.cell.key.rsplit("/", 1)[0]
    keys = {mode: f"{base}/{mode}" for mode in (PUBLISHED, OURS)}
    return {mode: results.rows[key] for mode, key in keys.items() if key in results.rows}


def _ratios(results: Results, rows: list[TableRow], dark: bool) -> go.Figure:
    drawn = go.Figure()
    names = [row_name(row) for row in rows]
    series: dict[str, list[float | None]] = {"paper": [], PUBLISHED: [], OURS: []}
    for row in rows:
        both = _both(results, row)
        series["paper"].append(next(iter(both.values()))["paper"]["ratio"])
        for mode in (PUBLISHED, OURS):
            series[mode].append(both[mode]["answer"]["ratio"] if mode in both else None)
    for mode, ratios in series.items():
        says = "%{y}: %{x:.3g} times<extra></extra>"
        drawn.add_scatter(**_marks(mode, ratios, names, says))
    drawn.add_vline(x=1, line={"color": palette.ink(dark), "dash": "dash", "width": 1})
    return _in_rows(drawn, "seconds over the fair algorithm's seconds", dark, len(rows))


def _differences(results: Results, dark: bool) -> go.Figure:
    drawn = go.Figure()
    dashes = ("solid", "dash", "dot", "dashdot")
    for row, dash in zip(ours_rows(results.rows, CONVEX), dashes, strict=False):
        answer = row["answer"]
        relative = [
            100 * value / cost
            for value, cost in zip(answer["differences"], answer["vanilla"], strict=True)
        ]
        drawn.add_scatter(
            x=answer["lambdas"], y=relative, mode="lines+markers", name=row["dataset"],
            line={"color": palette.ANTIDOTE, "dash": dash},
            hovertemplate="λ = %{x}: %{y:.3g}%<extra>" + row["dataset"] + "</extra>",
        )  # fmt: skip
    drawn.add_hline(y=0, line={"color": palette.ink(dark), "width": 1})
    return palette.framed(
        drawn, 340, 50, 10, legend={**palette.LEGEND_ABOVE, "y": 1.05},
        xaxis={"title": "λ"}, yaxis={"title": "gain in percent of the plain cost"},
    )  # fmt: skip


def _in_rows(drawn: go.Figure, title: str, dark: bool, rows: int) -> go.Figure:
    return palette.framed(
        drawn,
        120 + 26 * rows,
        top=30,
        bottom=10,
        xaxis={"title": title, "type": "log", "dtick": 1, "tickformat": "~g"},
        yaxis={"autorange": "reversed", "automargin": True},
        font={"color": palette.ink(dark)},
    )


def table_names() -> Mapping[str, str]:
    """The names of our tables by what the paper calls them, in the paper's order."""
    return {paper_tables()[name]["source"]: name for name in TITLES}
