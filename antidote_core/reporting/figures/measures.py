"""By what clusterings are compared beside fairness: what it is called, which way is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.numerals import change, number, percent

NOT_KNOWN = "not known"


@dataclass(frozen=True)
class Measure:
    """One column of a comparison: how it is called, which way is better, how it is written.

    `column` is its name in rows and records, `written` writes a value, `ticks` is the format of an
    axis.
    """

    column: str
    title: str
    better: str
    written: Callable[[float], str] = number
    ticks: str = ""

    @property
    def axis(self) -> str:
        """The title of an axis."""
        return f"{self.title.lower()}, {self.better}"

    def shown(self, value: float) -> str:
        """A value as people read it.

        >>> PRICE.shown(0.021).replace("\\xa0", " "), SMALLEST.shown(math.nan)
        ('+2.1 %', 'not known')
        """
        return NOT_KNOWN if math.isnan(value) else self.written(value)


PRICE = Measure("price", "Price of fairness", "lower is better", change, "+.4~p")
SMALLEST = Measure("smallest_share", "Smallest cluster", "larger is better", percent, ".4~p")
SILHOUETTE = Measure("silhouette", "Silhouette", "higher is better")
