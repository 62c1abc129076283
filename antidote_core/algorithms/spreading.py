"""Clumps of antidote points become scattered points, as far as the cost survives it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.plausible import spreads
from antidote_core.algorithms.verification import SPREAD, meets, verifying
from antidote_core.problem import Problem
from antidote_core.types import Floats

CHECKS = 8
AGREEMENT = 0.875


@dataclass(frozen=True, eq=False)
class Spread:
    """The scattered V (m, d), None when the clumps had to stay, and a sentence about it."""

    antidote: Floats | None
    sentence: str


def spread_out(
    problem: Problem,
    antidote: Floats,
    box: tuple[Floats, Floats],
    target: float,
    strict: bool,
    stopped: Callable[[], bool],
) -> Generator[int, None, Spread]:
    """V with every clump scattered like the real points next to it, widest scatter that holds.

    Each clump keeps its mean. A scatter holds when the cost meets the target (the cost it has now,
    if that misses the target already), and so do 7 of 8 independent clusterings with seeds of their
    own, among them the one of lowest objective. Yields the number of trials so far.
    """
    clumps = len(np.unique(antidote, axis=0))
    if clumps == len(antidote):
        return Spread(None, "The antidote points are all different: nothing had to be spread out.")
    before = problem.evaluate(antidote)
    if not meets(before, target, strict):
        target, strict = before, False
    centers = problem.cluster(antidote).centers
    trials = 0
    for scale, scattered in spreads(problem.points, antidote, centers, box):
        if stopped():
            return Spread(None, "Stopped before the antidote points could be spread out.")
        trials += 1
        yield trials
        if not meets(problem.evaluate(scattered), target, strict):
            continue
        checking = verifying(problem, scattered, target, strict, CHECKS, SPREAD)
        while True:
            try:
                next(checking)
            except StopIteration as end:
                found = end.value
                break
            if stopped():
                return Spread(None, "Stopped before the antidote points could be spread out.")
            yield trials
        if found.confirmed and found.share >= AGREEMENT:
            agreeing = round(found.share * CHECKS)
            return Spread(
                scattered,
                f"The {clumps} clumps are spread out into {len(antidote):,} points at {scale:.0%} "
                f"of the scatter of the real points next to them; {agreeing} of {CHECKS} further "
                "clusterings still agree.",
            )
    return Spread(
        None,
        "Spread out, the antidote points would not keep the cost, so they stay in "
        f"{clumps} clump{'s' if clumps > 1 else ''}.",
    )
