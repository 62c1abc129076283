"""How far a run is: evaluations per second, and how long its round can still take at most."""

from __future__ import annotations

import math
from dataclasses import dataclass

from antidote_core.optimizers import get_optimizer
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView


@dataclass(frozen=True)
class Progress:
    """Figures of a run at work; `rate` is evaluations per second, NaN before the first ones.

    `round_seconds` is the longest this round can still take at that rate; NaN when unknown.
    """

    round: int
    size: int
    evaluations: int
    in_round: int
    rate: float
    round_seconds: float


def progress(view: RunView, spec: RunSpec, elapsed: float = math.nan) -> Progress:
    """The figures after the events so far; `elapsed` seconds count for a time limit.

    >>> from antidote_core.runs.view import fold
    >>> from antidote_core.runs.events import Noise, Progress
    >>> begun = Noise(seconds=2.0, costs=[])
    >>> report = Progress(seconds=4.0, index=0, size=10, cost=-0.3, evaluations=400)
    >>> progress(fold([begun, report]), RunSpec(dataset="bank", budget=1000)).round_seconds
    3.0
    """
    before = view.history[-1].evaluations if view.history else 0
    since = view.seconds - view.search_began
    rate = view.evaluations / since if since > 0 and view.evaluations else math.nan
    in_round = view.evaluations - before if view.current else 0
    left = max(0, spec.budget - in_round) / rate
    if get_optimizer(spec.optimizer).designs:
        left = math.nan  # a design has no budget of evaluations
    if spec.max_seconds is not None and math.isfinite(elapsed):
        rest = max(0.0, spec.max_seconds - elapsed)
        left = rest if math.isnan(left) else min(left, rest)
    size = view.current.get("size", view.history[-1].size if view.history else 0)
    number = view.rounds + (1 if view.current or not view.history else 0)
    return Progress(number, size, view.evaluations, in_round, rate, left)
