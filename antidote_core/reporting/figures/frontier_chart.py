"""The live charts of a frontier as Vega-Lite: their specification stays, only the table changes.

Every dot is one run; the selection named CELL holds the id of the one that was clicked. Dots are
drawn last, so that medians and bands never cover them.
"""

from __future__ import annotations

from typing import Any

from antidote_core.reporting.figures.curve import (
    band_and_lines,
    by_kind,
    only,
    size_and_share,
    y_axis,
)
from antidote_core.reporting.figures.frontier_table import (
    look,
    plot_height,
    setting_title,
    settings_of,
)
from antidote_core.reporting.figures.palette import DECIDES, VANILLA, baseline_ink, ink
from antidote_core.runs.sweep_view import SweepView

CELL = "cell"  # name of the selection
QUALITY_HEIGHT = 360
_WRITING = {"type": "text", "fontSize": 12, "fontWeight": 600}


def cost_chart(
    view: SweepView, problem: tuple[str, str, int], log: bool = True, dark: bool = False
) -> dict[str, Any]:
    """The specification for `cost_table`."""
    assert view.spec is not None
    paint = ink(dark)
    blue = baseline_ink(dark)
    x = {
        "field": "x",
        "type": "quantitative",
        "title": "antidote points |V|, and their share of the data",
        "scale": {"type": "log", "nice": False} if log else {"nice": False, "zero": False},
        "axis": {
            "values": list(view.spec.sizes),
            "labelOverlap": "greedy",
            "labelSeparation": 6,
            "grid": False,
            "labelExpr": size_and_share(max(view.points, 1)),
        },
    }
    y = y_axis("cost", "cost, lower is fairer")
    tip = [
        {"field": "shown", "title": "median cost"},
        {"field": "points", "title": "antidote points"},
        {"field": "setting", "title": "setting"},
    ]
    return {
        "height": plot_height(view, problem),
        "layer": [
            *band_and_lines(y, dark),
            {
                "transform": only("level"),
                "mark": {"type": "area", "opacity": 0.22},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                             "color": _colors(view, problem, dark)},
            },
            {
                "transform": only("level"),
                "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.35},
                "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"},
                             "color": _colors(view, problem, dark)},
            },
            {
                "transform": only("level"),
                "mark": {"type": "line", "strokeWidth": 2},
                "encoding": {"x": x, "y": y, "color": _colors(view, problem, dark),
                             "strokeDash": _dashes(view, problem), "tooltip": tip},
            },
            *_strip(view, problem, x, y, dark),
            {
                "transform": only("failed"),
                "mark": {"type": "text", "text": "✕", "fontSize": 15, "fontWeight": 700,
                         "color": DECIDES},
                "encoding": {"x": x, "y": y, "tooltip": [
                    {"field": "shown", "title": "this cell"},
                    {"field": "points", "title": "antidote points"},
                    {"field": "setting", "title": "setting"},
                    {"field": "seed", "title": "seed"},
                ]},
            },
            *_written(
                only("vanilla", "fair", "target", "away"),
                {"y": {**y, "field": "at"}},
                by_kind({"vanilla": paint, "fair": blue, "target": paint, "away": paint}),
                dark,
            ),
            {
                "transform": only("frame"),
                "mark": {"type": "point", "opacity": 0, "aria": False},
                "encoding": {"x": x, "y": y},
            },
            *_cells(view, problem, x, y, dark),
        ],
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent",
                              "shape": "independent", "fill": "independent"}},
    }  # fmt: skip


def quality_chart(
    view: SweepView, problem: tuple[str, str, int], dark: bool = False
) -> dict[str, Any]:
    """The specification for `quality_table`: up and to the left is better."""
    paint = ink(dark)
    x = {
        "field": "cost",
        "type": "quantitative",
        "title": "cost, lower is fairer",
        "scale": {"zero": False, "nice": True, "padding": 18},
        "axis": {"tickCount": 5, "grid": True},
    }
    y = y_axis("quality", "silhouette, higher is clearer")
    y["scale"] = {"zero": False, "nice": True, "padding": 30}  # room for two lines of writing
    references: dict[str, Any] = {
        "transform": only("vanilla", "fair"),
        "encoding": {"x": x, "y": y},
    }
    roles = by_kind({"vanilla": VANILLA, "fair": baseline_ink(dark)})
    sizes: list[dict[str, Any]] = [
        {
            "transform": [*only("median"), {"filter": f"datum.side == '{side}'"}],
            "mark": {**_WRITING, "dy": shift, "baseline": baseline},
            "encoding": {"x": x, "y": y, "text": {"field": "label"},
                         "color": _colors(view, problem, dark)},
        }
        for side, shift, baseline in (("below", 13, "top"), ("above", -9, "bottom"))
    ]  # fmt: skip
    return {
        "height": QUALITY_HEIGHT,
        "layer": [
            {
                "transform": only("median"),
                "mark": {"type": "line", "strokeWidth": 2, "opacity": 0.7},
                "encoding": {"x": x, "y": y, "color": _colors(view, problem, dark),
                             "strokeDash": _dashes(view, problem),
                             "order": {"field": "size", "type": "quantitative"}},
            },
            {
                **references,
                "mark": {"type": "point", "filled": True, "size": 190, "shape": "stroke",
                         "strokeWidth": 5, "opacity": 1},
                "encoding": {**references["encoding"], "color": roles, "stroke": roles,
                             "tooltip": [{"field": "label", "title": "beside it"},
                                         {"field": "quality", "title": "silhouette",
                                          "format": ".3f"}]},
            },
            *(
                {
                    **references,
                    "transform": [
                        *only("vanilla", "fair"),
                        {"filter": f"datum.side == '{side}' && datum.lift == {lift}"},
                    ],
                    "mark": {**_WRITING, "align": side, "baseline": "bottom",
                             "dy": -7 - 15 * lift},
                    "encoding": {
                        **references["encoding"],
                        "text": {"field": "label"},
                        "color": by_kind({"vanilla": paint, "fair": baseline_ink(dark)}),
                    },
                }
                for side in ("left", "right")
                for lift in range(3)
            ),
            *sizes,
            *_cells(view, problem, x, y, dark),
        ],
        "resolve": {"scale": {"color": "independent", "strokeDash": "independent",
                              "shape": "independent", "fill": "independent",
                              "stroke": "independent"}},
    }  # fmt: skip


def _cells(
    view: SweepView, problem: tuple[str, str, int], x: dict, y: dict, dark: bool
) -> list[dict[str, Any]]:
    """The dots: filled where the cell reaches the target, hollow where not; all can be clicked."""
    colors = _colors(view, problem, dark)
    tip = [
        {"field": "shown", "title": "cost"},
        {"field": "points", "title": "antidote points"},
        {"field": "setting", "title": "setting"},
        {"field": "seed", "title": "seed"},
        {"field": "checks", "title": "checks"},
        {"field": "label", "title": "quality"},
        {"field": "hint", "title": "click"},
    ]
    return [
        {
            "transform": [
                *only("cell"),
                {"calculate": "'opens this run in Explore'", "as": "hint"},
            ],
            "params": [
                {"name": CELL, "select": {"type": "point", "fields": ["run"], "toggle": False}}
            ],
            "mark": {"type": "point", "filled": True, "size": 75, "strokeWidth": 2,
                     "opacity": 1, "cursor": "pointer"},
            "encoding": {
                "x": x,
                "y": y,
                "stroke": colors,
                "fill": {"condition": {"test": "datum.passed == 'yes'", **colors},
                         "value": _empty(dark)},
                "shape": _shapes(view, problem),
                "tooltip": tip,
            },
        },
    ]  # fmt: skip


def _strip(
    view: SweepView, problem: tuple[str, str, int], x: dict, y: dict, dark: bool
) -> list[dict[str, Any]]:
    """The smallest size of every setting, and between which sizes the true one lies."""
    colors = _colors(view, problem, dark)
    tip = [{"field": "shown", "title": "smallest size"}, {"field": "setting", "title": "setting"}]
    return [
        {
            "transform": only("smallest"),
            "mark": {"type": "rule", "strokeWidth": 5, "strokeCap": "round"},
            "encoding": {"x": x, "x2": {"field": "x2"}, "y": y, "color": colors, "tooltip": tip},
        },
        {
            "transform": only("smallest"),
            "mark": {"type": "tick", "orient": "vertical", "thickness": 4, "size": 16},
            "encoding": {"x": {**x, "field": "x2"}, "y": y, "color": colors, "tooltip": tip},
        },
        {
            "transform": only("smallest", "none"),
            "mark": {**_WRITING, "align": "left", "dx": 4},
            "encoding": {
                "x": {"value": 0},
                "y": {**y, "field": "at"},
                "text": {"field": "label"},
                "color": {"value": ink(dark)},
            },
        },
    ]


def _written(
    rows: list[dict[str, Any]], place: dict[str, Any], color: dict[str, Any], dark: bool
) -> list[dict[str, Any]]:
    """Labels at the side that the table says, with a rim in the colour of the page around them."""
    rim = {"stroke": _empty(dark), "strokeWidth": 4, "strokeJoin": "round"}
    sides = (("left", 4, {"value": 0}), ("right", -4, {"value": {"expr": "width"}}))
    return [
        {
            "transform": [*rows, {"filter": f"datum.side == '{side}'"}],
            "mark": {**_WRITING, "align": side, "dx": shift, **extra},
            "encoding": {"x": x, **place, "text": {"field": "label"}, "color": color},
        }
        for side, shift, x in sides
        for extra in (rim, {})
    ]


def _empty(dark: bool) -> str:
    return "#0E1117" if dark else "#FFFFFF"  # Streamlit's ground


def _titles(view: SweepView, problem: tuple[str, str, int]) -> list[str]:
    assert view.spec is not None
    return [setting_title(setting, view.spec) for setting in settings_of(view.spec, problem)]


def _colors(view: SweepView, problem: tuple[str, str, int], dark: bool) -> dict[str, Any]:
    return _by_setting(view, problem, [look(i, dark).color for i in _places(view, problem)])


def _shapes(view: SweepView, problem: tuple[str, str, int]) -> dict[str, Any]:
    return _by_setting(view, problem, [look(i).symbol for i in _places(view, problem)])


def _dashes(view: SweepView, problem: tuple[str, str, int]) -> dict[str, Any]:
    dashes = [list(look(i).dash) or [1, 0] for i in _places(view, problem)]
    return _by_setting(view, problem, dashes)


def _places(view: SweepView, problem: tuple[str, str, int]) -> range:
    return range(len(_titles(view, problem)))


def _by_setting(
    view: SweepView, problem: tuple[str, str, int], values: list[Any]
) -> dict[str, Any]:
    return {
        "field": "setting",
        "type": "nominal",
        "legend": None,
        "scale": {"domain": _titles(view, problem), "range": values},
    }
