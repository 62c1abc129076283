"""Two to four runs beside each other: what differs in the settings, what came out, the curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from antidote_core.fairness import get_fairness
from antidote_core.reporting.figures.palette import LEGEND_ABOVE, VANILLA, cluster_mark
from antidote_core.reporting.text.settings_text import settings
from antidote_core.reporting.text.verdict import cost_digits, verdict
from antidote_core.reporting.text.words import chart_text, duration, number, percent, share_of_data
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView

MOST = 4
HEIGHT = 430
_LETTERS = "ABCD"
_DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, eq=False)
class Side:
    """One of the runs; `name` is what its owner calls it."""

    name: str
    spec: RunSpec
    view: RunView


def labels(sides: Sequence[Side]) -> list[str]:
    """A letter and the name for each: names may be the same."""
    return [f"{_LETTERS[index]}: {side.name}" for index, side in enumerate(sides)]


def settings_table(sides: Sequence[Side]) -> pd.DataFrame:
    """One row per setting, one column per run; the first column marks those that differ."""
    asked = [settings(side.spec) for side in sides]
    names = list(asked[0])
    differs = [len({values[name] for values in asked}) > 1 for name in names]
    table = pd.DataFrame({"": ["≠" if flag else "" for flag in differs], "setting": names})
    for label, values in zip(labels(sides), asked, strict=True):
        table[label] = [values[name] for name in names]
    order = sorted(range(len(names)), key=lambda i: not differs[i])
    return table.iloc[order].reset_index(drop=True)


def difference_sentence(sides: Sequence[Side]) -> str:
    """What the runs differ in, in one sentence."""
    table = settings_table(sides)
    names = table.loc[table[""] == "≠", "setting"].tolist()
    if not names:
        return "These runs have the same settings."
    said = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return f"They differ in {said}; everything else is the same."


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
    columns = {
        label: _results(side, digits) for label, side in zip(labels(sides), sides, strict=True)
    }
    first = next(iter(columns.values()))
    return pd.DataFrame(
        {"": list(first), **{label: list(values.values()) for label, values in columns.items()}}
    )


def curves_figure(sides: Sequence[Side]) -> go.Figure:
    """Cost against size of every run; runs with different costs stand in rows of their own."""
    kinds = list(dict.fromkeys(side.spec.fairness for side in sides))
    titles = [get_fairness(kind).label for kind in kinds]
    figure = make_subplots(
        rows=len(kinds), cols=1, subplot_titles=titles if len(kinds) > 1 else None,
        shared_xaxes=True, vertical_spacing=0.12,
    )  # fmt: skip
    for index, (label, side) in enumerate(zip(labels(sides), sides, strict=True)):
        found = side.view.steps
        mark = cluster_mark(index)
        figure.add_scatter(
            x=[len(step.antidote) for step in found],
            y=[step.cost for step in found],
            mode="lines+markers",
            name=chart_text(label),
            line={"color": mark.color, "dash": _DASHES[index], "shape": "hv", "width": 2.5},
            marker={"symbol": mark.symbol, "size": 10},
            hovertemplate=f"{_LETTERS[index]}: %{{y:.4f}} with %{{x:,}} points<extra></extra>",
            row=kinds.index(side.spec.fairness) + 1,
            col=1,
        )
    for row, kind in enumerate(kinds, 1):
        vanilla = {side.view.vanilla_cost for side in sides if side.spec.fairness == kind}
        for cost in filter(math.isfinite, vanilla):
            figure.add_hline(y=cost, line={"color": VANILLA, "width": 1.5}, row=row, col=1)
    figure.update_yaxes(title="cost, lower is fairer")
    figure.update_xaxes(title="antidote points |V|", row=len(kinds), col=1)
    figure.update_layout(
        height=HEIGHT * len(kinds),
        margin={"l": 10, "r": 10, "t": 60, "b": 40},
        legend={**LEGEND_ABOVE, "y": 1.02},
        showlegend=True,
    )
    return figure


def curves_words(sides: Sequence[Side]) -> str:
    """The figure in words."""
    said = [
        f"{label} ends at {number(side.view.cost, 4)} with {side.view.size:,} points"
        for label, side in zip(labels(sides), sides, strict=True)
    ]
    return "Cost against antidote size. " + "; ".join(said) + "."


def curves_table(sides: Sequence[Side]) -> pd.DataFrame:
    """The table behind the curves."""
    rows = [
        {"run": label, "step": step.title, "points": len(step.antidote), "cost": step.cost}
        for label, side in zip(labels(sides), sides, strict=True)
        for step in side.view.steps
    ]
    return pd.DataFrame(rows, columns=["run", "step", "points", "cost"])


def _results(side: Side, digits: int) -> dict[str, str]:
    view = side.view
    checks = view.verification
    low, high = view.noise_band

    def cost(value: float) -> str:
        return number(value, digits) if math.isfinite(value) else "not known"

    return {
        "verdict": verdict(view).headline,
        "cost of plain clustering": cost(view.vanilla_cost),
        "best cost, lower is fairer": cost(view.cost),
        "gain": cost(view.vanilla_cost - view.cost),
        "antidote points |V|": f"{view.size:,} ({share_of_data(view.size, view.points)})",
        "independent checks that agree": percent(checks.share) if checks else "not checked",
        "noise of plain costs": "none seen" if low == high else f"{cost(low)} to {cost(high)}",
        "rounds": f"{view.rounds:,}",
        "evaluations": f"{view.evaluations:,}",
        "time": duration(view.seconds),
    }
