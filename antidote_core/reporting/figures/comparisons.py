"""A run beside plain clustering and the fair algorithm, and two to four runs beside each other."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from antidote_core import numerals
from antidote_core.analysis.comparison import ANTIDOTE as ANTIDOTE_ROW
from antidote_core.analysis.comparison import VANILLA as VANILLA_ROW
from antidote_core.analysis.comparison import costs_beside
from antidote_core.baselines import NEAREST, OWN, algorithm_name
from antidote_core.fairness import get_fairness
from antidote_core.reporting.figures import palette
from antidote_core.reporting.figures.tables import NOT_KNOWN, PRICE, SILHOUETTE, SMALLEST, Measure
from antidote_core.reporting.text import words
from antidote_core.reporting.text.run_words import (
    NOT_USED,
    fairness_change,
    price_text,
    settings,
    smallest_pair,
)
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.verdict import cost_digits
from antidote_core.runs.view import RunView

_ORDER = {VANILLA_ROW: 0, OWN: 1, NEAREST: 2, ANTIDOTE_ROW: 3}
WORSE = 1e-3  # part of a cost from which on "worse" is worth saying
MOST = 4
HEIGHT = 430
MANY = 12  # runs in one report
_LETTERS = "ABCDEFGHIJKL"
SCORINGS = (
    "“own” scores a fair algorithm by the clusters it assigns itself, “nearest” keeps only its "
    "centres, as the paper's cost does."
)
_DASHES = ("solid", "dash", "dot", "dashdot")


def measures(fairness: str) -> tuple[Measure, ...]:
    """What is compared for runs on this cost: that cost first."""
    return (
        *(
            Measure(name, get_fairness(name).label, "lower is fairer")
            for name in costs_beside(fairness)
        ),
        PRICE,
        SMALLEST,
        SILHOUETTE,
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
    rows = sorted(view.comparison, key=place_of)
    table = pd.DataFrame([_values(row, view, fairness) for row in rows])
    if table.empty:
        return table
    columns = ["clustering", *(m.column for m in measures(fairness)), "antidote points"]
    return table[columns]


def measure_figure(table: pd.DataFrame, measure: Measure, digits: int = 3) -> go.Figure:
    """One measure as bars, one per clustering; colours are those of the roles."""
    values = [float(value) for value in table[measure.column]]
    labels = [_written(measure, value, digits) for value in values]
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
    digits = numerals.digits_showing(change)
    numbers = f"from {numerals.number(before, digits)} to {numerals.number(after, digits)}"
    if change > WORSE * scale:
        return (
            f"The price: the other cost, {title}, got worse, {numbers} "
            f"({numerals.percent(change / scale)} more)."
        )
    if change < -WORSE * scale:
        return f"The other cost, {title}, became better as well, {numbers}."
    return f"The other cost, {title}, hardly changed: {numbers}."


def place_of(row: Mapping[str, Any]) -> tuple[int, str]:
    """Where a row of the comparison stands: plain, fair (own, nearest), antidote."""
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
    return {"plain": palette.VANILLA, "antidote": palette.ANTIDOTE}.get(name, palette.BASELINE)


def _written(measure: Measure, value: float, digits: int) -> str:
    if measure in (PRICE, SMALLEST):
        return measure.shown(value)
    if math.isnan(value):
        return "not defined"
    return numerals.number(value, _digits(measure, value, digits))


def _digits(measure: Measure, value: float, digits: int) -> int:
    if measure.column == "seconds":
        return 2 if value < 10 else 0
    if measure.column == "calinski_harabasz":
        return 0
    return digits if measure.better == "lower is fairer" else 3


@dataclass(frozen=True, eq=False)
class Side:
    """One of the runs; `name` is what its owner calls it."""

    name: str
    spec: RunSpec
    view: RunView


def labelled(sides: Sequence[Side]) -> dict[str, Side]:
    """A letter and the name for each: names may be the same."""
    return {f"{_LETTERS[index]}: {side.name}": side for index, side in enumerate(sides)}


def settings_table(sides: Sequence[Side]) -> pd.DataFrame:
    """One row per setting, one column per run; the first column marks those that differ."""
    table = pd.DataFrame({label: settings(side.spec) for label, side in labelled(sides).items()})
    table = table.fillna("no")  # what only some of the runs were asked for
    differs = table.nunique(axis=1) > 1
    table = table.rename_axis("setting").reset_index()
    table.insert(0, "", ["≠" if flag else "" for flag in differs])
    return table.sort_values("", ascending=False, kind="stable", ignore_index=True)


def differing_settings(sides: Sequence[Side]) -> pd.DataFrame:
    """Of `settings_table` the rows in which the runs differ."""
    table = settings_table(sides)
    return table[table[""] == "≠"].drop(columns="")


def difference_sentence(sides: Sequence[Side]) -> str:
    """What the runs differ in, in one sentence; what another difference makes idle is left out."""
    table = settings_table(sides)
    idle = table[list(labelled(sides))].map(lambda text: text.startswith(NOT_USED)).any(axis=1)
    names = table.loc[(table[""] == "≠") & ~idle, "setting"].tolist()
    if not names:
        return "These runs have the same settings."
    said = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"They differ in {said}; everything else is the same."


def fairest_sentence(sides: Sequence[Side]) -> str:
    """Which run is the fairest of those whose result stands; empty where costs do not compare."""
    known = {x: side for x, side in labelled(sides).items() if math.isfinite(side.view.cost)}
    if warning(sides) or len(known) < 2:
        return ""
    best = min(known, key=lambda label: known[label].view.cost)
    stands = {label: side for label, side in known.items() if side.view.verdict.tone == "good"}
    said = f"The lowest cost is that of {_judged(best, known[best].view)}"
    if best in stands:
        return f"{said}."
    if not stands:
        return f"{said}: no result here is confirmed."
    sound = min(stands, key=lambda label: stands[label].view.cost)
    rest = _judged(sound, stands[sound].view)
    return f"{said}, which does not count; the fairest that stands is {rest}."


def _judged(label: str, view: RunView) -> str:
    """A run with its level and its outcome."""
    level = get_fairness(view.spec["fairness"]).level(view.cost, cost_digits(view))
    return f"{label} ({level}; {view.verdict.outcome.value})"


def warning(sides: Sequence[Side]) -> str:
    """Why the costs must not be compared, where they must not; empty where they may."""
    if len({side.spec.fairness for side in sides}) > 1:
        return "These runs have different costs: compare a cost only with one of its own kind."
    data = {
        (s.spec.dataset, s.spec.protected, s.spec.rows, s.spec.sample, s.spec.sample_seed)
        for s in sides
    }
    if len(data) > 1:
        return "These runs work on different data: their costs say little about each other."
    return ""


def results_table(sides: Sequence[Side]) -> pd.DataFrame:
    """One row per figure, one column per run."""
    digits = max(cost_digits(side.view) for side in sides)
    columns = {label: _results(side, digits) for label, side in labelled(sides).items()}
    return pd.DataFrame(columns).rename_axis("").reset_index()


def methods_table(sides: Sequence[Side]) -> pd.DataFrame:
    """Methods by data sets: the cost of each method in each run, one column per run."""
    columns = {}
    for label, side in labelled(sides).items():
        table = comparison_table(side.view, side.spec.fairness)
        if table.empty:
            columns[label] = {"plain": side.view.vanilla_cost, "antidote": side.view.cost}
        else:
            columns[label] = dict(zip(table["clustering"], table[side.spec.fairness], strict=True))
    found = pd.DataFrame(columns)
    last = [name for name in found.index if name == "antidote"]
    return found.reindex([*(name for name in found.index if name not in last), *last])


def methods_latex(sides: Sequence[Side]) -> str:
    """`methods_table` as a LaTeX table (booktabs), ready for a paper."""
    table = methods_table(sides)
    return str(
        table.style.format("{:.3f}", na_rep="--", escape="latex")
        .format_index(escape="latex", axis=0)
        .format_index(escape="latex", axis=1)
        .to_latex(hrules=True, column_format="l" + "r" * table.shape[1])
    )


def curves_figure(sides: Sequence[Side]) -> go.Figure:
    """Cost against size of every run; runs with different costs stand in rows of their own."""
    kinds = list(dict.fromkeys(side.spec.fairness for side in sides))
    titles = [get_fairness(kind).label for kind in kinds]
    figure = make_subplots(
        rows=len(kinds), cols=1, subplot_titles=titles if len(kinds) > 1 else None,
        shared_xaxes=True, vertical_spacing=0.12,
    )  # fmt: skip
    for index, (label, side) in enumerate(labelled(sides).items()):
        found = side.view.steps
        mark = palette.cluster_mark(index)
        figure.add_scatter(
            x=[step.size for step in found],
            y=[step.cost for step in found],
            mode="lines+markers",
            name=words.chart_text(label),
            line={"color": mark.color, "dash": _DASHES[index], "shape": "hv", "width": 2.5},
            marker={"symbol": mark.symbol, "size": 10},
            hovertemplate=f"{_LETTERS[index]}: %{{y:.4f}} with %{{x:,}} points<extra></extra>",
            row=kinds.index(side.spec.fairness) + 1,
            col=1,
        )
    for row, kind in enumerate(kinds, 1):
        vanilla = {side.view.vanilla_cost for side in sides if side.spec.fairness == kind}
        for cost in filter(math.isfinite, vanilla):
            figure.add_hline(y=cost, line={"color": palette.VANILLA, "width": 1.5}, row=row, col=1)
    figure.update_yaxes(title="cost, lower is fairer")
    figure.update_xaxes(title="antidote points |V|", row=len(kinds), col=1)
    legend = {**palette.LEGEND_ABOVE, "y": 1.02}
    return palette.framed(figure, HEIGHT * len(kinds), 60, legend=legend, showlegend=True)


def curves_words(sides: Sequence[Side]) -> str:
    """The figure in words."""
    said = [
        f"{label} ends at {numerals.number(side.view.cost, 4)} with {side.view.size:,} points"
        for label, side in labelled(sides).items()
    ]
    return "Cost against antidote size. " + "; ".join(said) + "."


def curves_table(sides: Sequence[Side]) -> pd.DataFrame:
    """The table behind the curves."""
    rows = [
        {"run": label, "step": step.title, "points": step.size, "cost": step.cost}
        for label, side in labelled(sides).items()
        for step in side.view.steps
    ]
    return pd.DataFrame(rows, columns=["run", "step", "points", "cost"])


def _results(side: Side, digits: int) -> dict[str, str]:
    view = side.view
    checks = view.verification
    low, high = view.noise_band

    def cost(value: float) -> str:
        return numerals.number(value, digits) if math.isfinite(value) else NOT_KNOWN

    return {
        "outcome": view.verdict.outcome.word or "not ended",
        "verdict": view.verdict.headline,
        **_bought(side),
        "cost of plain clustering": cost(view.vanilla_cost),
        "best cost, lower is fairer": cost(view.cost),
        "gain": cost(view.vanilla_cost - view.cost),
        "antidote points |V|": f"{view.size:,} ({numerals.share_of_data(view.size, view.points)})",
        "independent checks that agree": checks.agreement if checks else "not checked",
        "noise of plain costs": "none seen" if low == high else f"{cost(low)} to {cost(high)}",
        "rounds": f"{view.rounds:,}",
        "evaluations": f"{view.evaluations:,}",
        "time": words.duration(view.seconds),
    }


def _bought(side: Side) -> dict[str, str]:
    """The gain as people read it, and what it cost."""
    view, title = side.view, "plain → with antidote"
    if view.vanilla is None:
        return dict.fromkeys((title, "price of fairness", "smallest cluster"), "not known")
    before, after = smallest_pair(view)
    return {
        title: fairness_change(side.spec.fairness, view.vanilla_cost, view.cost),
        "price of fairness": f"inertia {price_text(view.price)}" if view.size else "none",
        "smallest cluster": f"{after} of the data ({before} before)",
    }
