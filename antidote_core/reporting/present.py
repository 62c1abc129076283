"""Slides: one message each, for people who sit far from the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

WRITING = 20  # pixels, the letters on a slide
HEIGHT = 560


@dataclass(frozen=True)
class BigNumber:
    """A figure in large type, what it is, and what to compare it with."""

    value: str
    label: str
    beside: str = ""


@dataclass(frozen=True, eq=False)
class Slide:
    """`title` is the message, a whole sentence; below it one figure or one row of numbers.

    `alt` describes the figure in words, `note` is the one small line at the foot.
    """

    title: str
    figure: go.Figure | None = None
    alt: str = ""
    numbers: Sequence[BigNumber] = ()
    note: str = ""


def for_the_back_row(figure: go.Figure, height: int = HEIGHT) -> go.Figure:
    """A copy with writing that can be read from far away, and without what nobody will press.

    >>> large = for_the_back_row(go.Figure(go.Bar(x=[1], y=["a"], text=["1"])))
    >>> large.layout.font.size, large.data[0].textfont.size
    (20, 20)
    """
    large = go.Figure(figure)
    large.update_layout(
        height=max(height, figure.layout.height or 0),
        font={"size": WRITING},
        legend={"font": {"size": WRITING}},
    )
    large.update_annotations(font_size=WRITING)
    large.for_each_trace(_larger_text)
    large.update_xaxes(title_font_size=WRITING, tickfont_size=WRITING - 2, automargin=True)
    large.update_yaxes(title_font_size=WRITING, tickfont_size=WRITING - 2, automargin=True)
    return large


def _larger_text(trace: go.Figure) -> None:
    if trace.type in ("bar", "scatter", "scattergl"):
        trace.textfont.size = max(WRITING, trace.textfont.size or 0)
