"""One colour per role in every picture; groups and clusters also differ by symbol and pattern.

Colours are those of Okabe and Ito (2008) for the roles and groups (with a violet in place of their
black, which a dark page would swallow) and of Paul Tol's bright scheme for clusters: both stay
apart for people who see colours differently.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import plotly.graph_objects as go

VANILLA = "#7F7F7F"
BASELINE = "#0072B2"
ANTIDOTE = "#E69F00"
DECIDES = "#D55E00"
TARGET_DASH = "dash"
LEGEND_ABOVE = {"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0}

LIGHT_INK, DARK_INK = "#1F2328", "#F2F4F7"

_GROUP_COLORS = ("#009E73", "#CC79A7", "#56B4E9", "#F0E442", "#9488DC")
_ON_LIGHT = {"#F0E442": "#C6B800"}  # the bright yellow is lost on a light page
_CLUSTER_COLORS = ("#4477AA", "#CCBB44", "#AA3377", "#228833", "#66CCEE", "#EE6677")
_SYMBOLS = (
    "circle", "diamond", "square", "triangle-up", "pentagon", "triangle-down", "hexagon",
    "triangle-left", "octagon", "triangle-right",
)  # fmt: skip
_PATTERNS = ("", "/", ".", "x", "-", "\\", "+", "|")


def framed(
    figure: go.Figure, height: int, top: int = 40, bottom: int = 40, **layout: Any
) -> go.Figure:
    """The figure with the height, the margins and the legend that all pictures have."""
    margin = {"l": 10, "r": 10, "t": top, "b": bottom}
    return figure.update_layout(
        **{"height": height, "margin": margin, "legend": LEGEND_ABOVE, **layout}
    )


def rimmed(
    symbol: str, size: Any, color: str | list[str], rim: str, width: float = 1, **more: Any
) -> dict[str, Any]:
    """The marker of a scatter plot, with a rim that sets it apart from what is below it."""
    line = {"width": width, "color": rim}
    return {"symbol": symbol, "size": size, "color": color, "line": line, **more}


class Mark(NamedTuple):
    """How one group or cluster is drawn everywhere."""

    color: str
    symbol: str
    pattern: str


def ink(dark: bool) -> str:
    """Outlines, borders and writing on the page's background."""
    return DARK_INK if dark else LIGHT_INK


def baseline_ink(dark: bool) -> str:
    """The blue of fair algorithms, light enough to read on the page's background."""
    return "#5AA9E0" if dark else BASELINE


def hollow(dark: bool) -> str:
    """What fills a dot that should look empty."""
    return ink(not dark) if dark else "white"


def pale(dark: bool) -> str:
    """Points that stay in the background."""
    return "#6B7280" if dark else "#C3C8CF"


def group_mark(code: int, dark: bool = False) -> Mark:
    """The mark of a protected group; no two of the first twenty are the same.

    >>> len({group_mark(code) for code in range(20)})
    20
    """
    return _mark(code, _GROUP_COLORS, dark)


def cluster_mark(index: int, dark: bool = False) -> Mark:
    """The mark of a cluster; no two of the first twenty are the same.

    >>> len({cluster_mark(index) for index in range(20)})
    20
    """
    return _mark(index, _CLUSTER_COLORS, dark)


def _mark(index: int, colors: tuple[str, ...], dark: bool) -> Mark:
    color = colors[index % len(colors)]
    if not dark:
        color = _ON_LIGHT.get(color, color)
    # Symbols turn a step further with every round of colours.
    turn = index + index // len(colors)
    return Mark(color, _SYMBOLS[turn % len(_SYMBOLS)], _PATTERNS[turn % len(_PATTERNS)])
