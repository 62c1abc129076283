"""Algorithm 1 in pictures and sentences: promise and re-run, difference against λ, clusterpath."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from antidote_core.algorithms.algorithm1.solve import ConvexResult
from antidote_core.analysis.convex_runs import Path, SweepPoint
from antidote_core.numerals import digits_showing, number, percent
from antidote_core.reporting.figures import palette
from antidote_core.reporting.figures.bars import cost_pair_figure
from antidote_core.reporting.text.words import chart_text
from antidote_core.types import Dataset

EVEN = 1e-4  # a relative change of the cost below this is called none
FAR = 1.0  # antidote points farther outside the map than so many times its width are not drawn


def outcome(result: ConvexResult) -> str:
    """ "better", "worse" or "same": what the antidote points did to the cost."""
    if abs(result.difference) <= EVEN * result.vanilla_cost:
        return "same"
    return "better" if result.difference > 0 else "worse"


def headline(result: ConvexResult) -> str:
    """What the antidote points did, in one sentence."""
    digits = cost_digits(result)
    before, after = number(result.vanilla_cost, digits), number(result.cost, digits)
    size = len(result.antidote)
    points = "1 antidote point" if size == 1 else f"{size} antidote points"
    how = "The paper's program" if result.method == "surrogate" else "Direct search"
    kind = outcome(result)
    if kind == "same":
        return f"{how} places {points}; clustered again, the cost stays at {before}."
    share = percent(abs(result.difference) / result.vanilla_cost)
    change = f"falls from {before} to {after}, {share} lower: fairer."
    if kind == "worse":
        change = f"rises from {before} to {after}, {share} higher: less fair."
    return f"{how} places {points}; clustered again, the cost {change}"


def promise_sentence(result: ConvexResult) -> str:
    """What the surrogate promised beside what the re-run gave."""
    if result.promised is None:
        return ""
    digits = cost_digits(result)
    promised, cost = number(result.promised, digits), number(result.cost, digits)
    times = result.promised / result.cost if result.cost > 0 else float("inf")
    if 0.99 <= times <= 1.01:
        tail = "Here both are the same."
    elif times > 1:
        tail = (
            f"The promise is {times:,.1f} times the true cost: it is the cost of other centres "
            "than those the clustering makes, so it says nothing about fairness at this λ."
        )
    else:
        tail = (
            f"The promise is {percent(times)} of the true cost: it is the cost of other centres "
            "than those the clustering makes."
        )
    return f"Promised: {promised}. Clustered again: {cost}. {tail}"


def sweep_sentence(
    title: str, sweep: Sequence[SweepPoint], others: Sequence[Sequence[SweepPoint]] = ()
) -> str:
    """How often the antidote points helped over a range of λ, here and in other samples."""
    helped = sum(point.difference > EVEN * point.vanilla_cost for point in sweep)
    harmed = sum(point.difference < -EVEN * point.vanilla_cost for point in sweep)
    text = f"{title}: helped at {helped} and harmed at {harmed} of {len(sweep)} values of λ."
    if others:
        harm = sum(all(point.difference < 0 for point in other) for other in others)
        text += f" In {harm} of {len(others)} other samples harmed at all of them."
    return text


def cost_digits(result: ConvexResult) -> int:
    """Decimals that show the difference: two of its digits, between 3 and 6."""
    return digits_showing(result.difference, none=4)


def result_table(result: ConvexResult, group_names: Sequence[str]) -> pd.DataFrame:
    """What every group pays before and after."""
    return pd.DataFrame(
        {
            "group": group_names,
            "plain": result.vanilla_table.group_costs,
            "with antidote": result.table.group_costs,
            "change": result.table.group_costs - result.vanilla_table.group_costs,
        }
    )


def sweep_table(sweep: Sequence[SweepPoint]) -> pd.DataFrame:
    """The numbers of a difference curve."""
    return pd.DataFrame(
        {
            "λ": f"{point.lam:.4g}",
            "plain cost": point.vanilla_cost,
            "cost after": point.cost,
            "difference": point.difference,
            "clusters, plain": point.vanilla_clusters,
            "clusters, after": point.clusters,
        }
        for point in sweep
    )


def path_table(path: Path) -> pd.DataFrame:
    """Clusters of U for every λ of the drawn path."""
    return pd.DataFrame({"λ": [f"{lam:.4g}" for lam in path.lambdas], "clusters": path.clusters})


def group_cost_pairs(result: ConvexResult, group_names: Sequence[str]) -> go.Figure:
    """Two bars per group, plain and with the antidote points; the largest of each is marked."""
    before, after, digits = result.vanilla_table, result.table, cost_digits(result)
    labels = ("plain", "with antidote points")
    return cost_pair_figure(before, after, group_names, digits, labels, row=66)


def difference_figure(
    sweep: Sequence[SweepPoint],
    others: Sequence[Sequence[SweepPoint]],
    shown: float,
    log: bool = False,
    dark: bool = False,
) -> go.Figure:
    """Plain cost minus cost after, against λ: above zero the antidote points helped.

    `others` are thin lines; `shown` is the λ of the page, marked when it lies in the range.
    """
    lambdas = [point.lam for point in sweep]
    values = [point.difference for point in sweep]
    everything = [0.0, *values, *(point.difference for other in others for point in other)]
    low, high = min(everything), max(everything)
    room = 0.12 * (high - low or 1.0)
    figure = go.Figure()
    figure.add_hrect(y0=0, y1=high + room, fillcolor=palette.BASELINE, opacity=0.10, line_width=0)
    figure.add_hline(y=0, line={"color": palette.ink(dark), "width": 1.5})
    if lambdas[0] <= shown <= lambdas[-1]:
        figure.add_vline(x=shown, line={"color": palette.VANILLA, "width": 1.5, "dash": "dot"})
    for other in others:
        figure.add_scatter(
            x=[point.lam for point in other],
            y=[point.difference for point in other],
            mode="lines",
            line={"color": palette.VANILLA, "width": 1},
            hovertemplate="another sample, λ = %{x:.4g}: %{y:.5f}<extra></extra>",
        )
    figure.add_scatter(
        x=lambdas,
        y=values,
        mode="lines+markers",
        line={"color": palette.ANTIDOTE, "width": 2.5},
        marker={
            "size": 8,
            "color": palette.ANTIDOTE,
            "line": {"width": 1, "color": palette.ink(dark)},
        },
        customdata=[
            [point.vanilla_cost, point.cost, point.vanilla_clusters, point.clusters]
            for point in sweep
        ],
        hovertemplate="λ = %{x:.4g}: %{y:.5f}<br>plain %{customdata[0]:.4f} (%{customdata[2]} "
        "clusters)<br>after %{customdata[1]:.4f} (%{customdata[3]} clusters)<extra></extra>",
    )
    palette.framed(figure, 250, 10, showlegend=False)
    figure.update_yaxes(
        title="difference", range=[low - room, high + room], zeroline=False, fixedrange=True,
        automargin=True, nticks=6, exponentformat="none",
    )  # fmt: skip
    figure.update_xaxes(title="λ", fixedrange=True, zeroline=False)
    if log:
        ticks = _log_ticks(lambdas[0], lambdas[-1])
        figure.update_xaxes(type="log", tickvals=ticks, ticktext=[f"{tick:g}" for tick in ticks])
    return figure


def clusterpath_figure(
    path: Path, data: Dataset, result: ConvexResult | None, dark: bool = False
) -> go.Figure:
    """The way of every centre from its point to the common mean; crosses are those of `result`."""
    figure = go.Figure()
    steps = path.places.shape[0]
    for code, name in enumerate(map(chart_text, data.group_names)):
        members = np.flatnonzero(data.groups == code)
        mark = palette.group_mark(code, dark)
        ways = np.full((len(members), steps + 1, 2), np.nan)
        ways[:, :steps] = path.places[:, members].transpose(1, 0, 2)
        figure.add_scatter(
            x=ways[:, :, 0].ravel(), y=ways[:, :, 1].ravel(), mode="lines", legendgroup=name,
            line={"color": mark.color, "width": 1}, opacity=0.55, showlegend=False,
            hoverinfo="skip",
        )  # fmt: skip
        figure.add_scatter(
            x=path.places[0, members, 0], y=path.places[0, members, 1], mode="markers", name=name,
            legendgroup=name, hovertemplate=f"{name}<extra></extra>",
            marker=palette.rimmed(mark.symbol, 7, mark.color, palette.ink(dark), 0.5),
        )  # fmt: skip
    lower, upper = path.places[0].min(axis=0), path.places[0].max(axis=0)
    reach = FAR * (upper - lower)
    if len(path.antidote):
        place = path.antidote[0]
        near = bool(((place >= lower - reach) & (place <= upper + reach)).all())
        if near:
            lower, upper = np.minimum(lower, place), np.maximum(upper, place)
            figure.add_scatter(
                x=[place[0]], y=[place[1]], mode="markers", name=f"{len(path.antidote)} antidote",
                marker=palette.rimmed("star", 15, palette.ANTIDOTE, palette.ink(dark)),
                hovertemplate="antidote points, all in one place<extra></extra>",
            )  # fmt: skip
        else:
            figure.add_annotation(
                text="the antidote points lie outside this map", x=0.5, y=1, xref="paper",
                yref="paper", showarrow=False, yanchor="top", font={"color": palette.ANTIDOTE},
            )  # fmt: skip
    if result is not None:
        found = result.after if len(path.antidote) else result.vanilla
        centers, paint = path.plane.place(found.centers[: data.n]), palette.ink(dark)
        figure.add_scatter(
            x=centers[:, 0], y=centers[:, 1], mode="markers", name=f"centres at λ = {result.lam:g}",
            marker={"symbol": "x-thin", "size": 7, "line": {"width": 1.6, "color": paint}},
            hovertemplate="centre<extra></extra>",
        )  # fmt: skip
    room = 0.06 * (upper - lower)
    palette.framed(figure, 460, dragmode="pan")
    across, up = map(chart_text, path.plane.names)
    figure.update_xaxes(
        title=across, zeroline=False, range=[lower[0] - room[0], upper[0] + room[0]]
    )
    figure.update_yaxes(title=up, zeroline=False, range=[lower[1] - room[1], upper[1] + room[1]])
    return figure


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten from low to high."""
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [round(lead * 10.0**power, 12) for power in powers for lead in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]
