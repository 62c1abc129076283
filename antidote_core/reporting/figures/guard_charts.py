"""What fairness costs against antidote size: price of fairness or smallest cluster, over seeds.

The twin of the chart of costs: the same dots, medians and lines of reference, and the limit of the
guard as a dashed line. The table and the specification are apart, as in `frontier_charts`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

from antidote_core.analysis.frontier_curves import Curve, Level, curve, median_interval
from antidote_core.guard import DEFAULT_PART
from antidote_core.numerals import percent
from antidote_core.reporting.figures import curve as curves
from antidote_core.reporting.figures import frontier_charts, frontier_table
from antidote_core.reporting.figures.frontier_table import LIFT, LINE, PLOT
from antidote_core.reporting.figures.tables import PRICE, Measure
from antidote_core.reporting.text.run_words import ProblemKey
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import Reference, SweepView

COLUMNS = (*frontier_table.COLUMNS, "value")


def guard_table(
    view: SweepView, problem: ProblemKey, measure: Measure, log: bool = True
) -> pd.DataFrame:
    """Everything that the chart of a measure against size draws, one row each."""
    assert view.spec is not None
    spec, digits = view.spec, frontier_table.digits_of(view, problem)
    found = [curve(view, setting) for setting in frontier_table.settings_of(spec, problem)]
    dots = [
        {
            **frontier_table.dot(row, view, digits, measure),
            "value": getattr(row, measure.column),
            "x": frontier_table.beside(row, index, spec, log),
        }
        for index, one in enumerate(found)
        for level in one.levels
        for row in level.rows
        if math.isfinite(getattr(row, measure.column))
    ]
    lines = _lines(spec, frontier_table.reference_of(view, problem), measure)
    own = [row["value"] for row in dots] + [x for kind, x, _ in lines if kind == "vanilla"]
    low, high = frontier_table.domain(own, 0.08)
    near = [line for line in lines if curves.is_near(line[1], low, high)]
    away = [line for line in lines if line not in near]
    low, high = frontier_table.domain([low, high, *(value for _, value, _ in near)], 0.0)
    labels, top, bottom = curves.label_lines(
        near, away, low, high, LINE / PLOT * (high - low), LIFT
    )
    left, right = frontier_table.reach(spec.sizes, log)
    rows = [
        *({**row, "value": row.get("cost"), "side": "right"} for row in labels),
        *(row for one in found for row in _levels(one, spec, measure)),
        *dots,
        {"kind": "frame", "x": left, "value": bottom},
        {"kind": "frame", "x": right, "value": top},
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def guard_chart(
    view: SweepView, problem: ProblemKey, measure: Measure, log: bool = True, dark: bool = False
) -> dict[str, Any]:
    """The specification for `guard_table`."""
    looks = frontier_charts.by_setting(view, problem, dark)
    x, y = frontier_charts.sizes_axis(view, log), frontier_charts.measure_axis("value", measure)
    place, color = {"x": x, "y": y}, {"color": looks["color"]}
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, **color}
    tip = curves.tips(shown="median", points="antidote points", setting="setting")
    line = {**place, **color, "strokeDash": looks["strokeDash"], "tooltip": tip}
    return {
        "height": frontier_table.plot_height(view, problem),
        "layer": [
            *curves.band_and_lines(y, dark),
            curves.layer("level", {"type": "area", "opacity": 0.22}, **band),
            curves.layer("level", {"type": "line", "strokeWidth": 2}, **line),
            *frontier_charts.line_labels(y, dark),
            curves.layer("frame", {"type": "point", "opacity": 0, "aria": False}, **place),
            frontier_charts.cells_layer(looks, place, dark),
        ],
        "resolve": curves.apart("color", "strokeDash", "shape", "fill"),
    }


def guard_words(view: SweepView, problem: ProblemKey, measure: Measure) -> str:
    """The chart in words, for those who cannot see it."""
    assert view.spec is not None
    settings = frontier_table.settings_of(view.spec, problem)
    said = [
        f"{frontier_table.setting_title(setting, view.spec)}: "
        + ", ".join(
            f"{measure.shown(getattr(level, measure.column))} with {level.size:,} points"
            for level in levels
        )
        for setting in settings
        if (levels := curve(view, setting).levels)
    ]
    known = "; ".join(said) if said else "nothing is known yet"
    return f"{measure.title} against antidote size. {known}."


def _levels(found: Curve, spec: SweepSpec, measure: Measure) -> Sequence[dict[str, Any]]:
    title = frontier_table.setting_title(found.setting, spec)
    return [
        {"kind": "level", "setting": title, "size": x.size, "x": x.size, **_median(x, measure)}
        for x in found.levels
        if math.isfinite(getattr(x, measure.column))
    ]


def _median(level: Level, measure: Measure) -> dict[str, Any]:
    """Median and band of the measure over the seeds of a size."""
    found = [getattr(row, measure.column) for row in level.rows]
    low, high, _ = median_interval([value for value in found if not math.isnan(value)])
    value = getattr(level, measure.column)
    return {
        "value": value,
        "low": low,
        "high": high,
        "shown": f"{measure.shown(value)} (from {measure.shown(low)} to {measure.shown(high)})",
        "points": f"{level.size:,}, {len(level.rows)} seeds",
    }


def _lines(spec: SweepSpec, reference: Reference | None, measure: Measure) -> list[curves.Line]:
    """(kind, value, label) of the horizontal lines: plain, the fair algorithm, the guard."""
    if reference is None:
        return []
    value = getattr(reference, measure.column)
    found = [("vanilla", value, f"plain {measure.shown(value)}")] if math.isfinite(value) else []
    found += [
        ("fair", value, f"{label} {measure.shown(value)}")
        for label, (_, value) in frontier_table.baseline_lines(reference, measure).items()
        if math.isfinite(value)
    ]
    limit = guard_limit(spec, reference, measure)
    if math.isfinite(limit):
        word = "at most" if measure is PRICE else "at least"
        found.append(("target", limit, f"guard: {word} {percent(limit)}"))
    return found


def guard_limit(spec: SweepSpec, reference: Reference, measure: Measure) -> float:
    """Where the guard of a sweep begins; NaN where it asks for nothing, or that is not known.

    >>> reference = Reference(("kmeans", "balance", 2), -0.3, (), 0.4, -0.3, True)
    >>> guard_limit(SweepSpec("blobs", max_price=0.2), reference, PRICE)
    0.2
    """
    if measure is PRICE:
        return math.nan if spec.max_price is None else spec.max_price
    if spec.min_share is None:  # as `Guard.around` has it
        plain = reference.smallest_share
        return plain if math.isnan(plain) else min(DEFAULT_PART / reference.problem[2], plain)
    return spec.min_share or math.nan
