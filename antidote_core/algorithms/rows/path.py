"""What passes are about: the goal, one pass, where a path stands, and what was found on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.design.cluster_sums import Cells
from antidote_core.algorithms.design.contest import Run
from antidote_core.algorithms.design.program import Cut
from antidote_core.algorithms.rows.copies_program import PRICE, Plan
from antidote_core.algorithms.rows.row_design import RowDesign
from antidote_core.types import Floats, Ints

PATIENCE = 4  # passes that bring nothing
LIKELIER, LIKELIEST = 1.1, 2.0  # to be drawn, for a centre that random starts miss
FIRST_COPIES, MORE_COPIES = 0.1, 1.4  # at first, and when they do not suffice
SMALLEST_TRUST = 1e-3
MISSED = 1e-4  # copies of the best row, for a limit to count as missed
AGAIN = 0.3  # of the widest trust region, after a hunt
CALM = 0.7  # of what was asked for before, after a pass that brought nothing


@dataclass(frozen=True)
class Goal:
    """A cost to reach with as few copies as possible, or a size to make the best of."""

    target: float | None
    size: float = math.inf

    @property
    def smallest(self) -> bool:
        """Whether the size is what is asked for."""
        return math.isinf(self.size)

    def met(self, cost: float) -> bool:
        """Whether a cost is low enough."""
        return self.target is not None and cost <= self.target


@dataclass(frozen=True, eq=False)
class Pass:
    """One pass: what was aimed at, what was planned, and what came of it."""

    cells: Cells
    cuts: list[Cut]
    plan: Plan
    cut_prices: Floats
    copies: Ints
    run: Run
    foretold: Floats

    @property
    def size(self) -> int:
        """Whole copies."""
        return int(self.copies.sum())

    @property
    def centers(self) -> Floats:
        """Where Lloyd's algorithm ended, (k, d)."""
        return self.run.fixpoint.centers

    @property
    def short(self) -> bool:
        """Whether the program could not meet all limits."""
        return bool(self.plan.short.max(initial=0.0) > MISSED)

    @property
    def asked(self) -> float:
        """How far the program meant to move any centre."""
        return float(np.abs(self.foretold).max())

    @property
    def surprise(self) -> float:
        """How far off the centres ended, relative to how far they were to go."""
        went = (self.centers - self.cells.centers).ravel()
        length = max(float(np.linalg.norm(self.foretold)), float(np.linalg.norm(went)), 1e-12)
        return float(np.linalg.norm(went - self.foretold)) / length

    @property
    def priced(self) -> float:
        """Copies, and what the program would pay for the limits that it missed."""
        return self.size + PRICE * float(self.plan.short.sum())


@dataclass(frozen=True, eq=False)
class Winner:
    """A design with the centres it leads to, and its copies before rounding (n,)."""

    design: RowDesign
    centers: Floats
    fractions: Floats
    draws: Floats | None = None


@dataclass(eq=False)
class Found:
    """The best so far, over all aims: one that wins its contests, and the one nearest to that."""

    best: Winner | None = None
    nearest: Winner | None = None
    doubtful: tuple[float, Winner] | None = None  # chance of being found, and what has it
    most: float = math.inf  # copies worth looking at


@dataclass(eq=False)
class Path:
    """Where the passes from one aim have come to."""

    centers: Floats
    scale: float
    widest: float
    radius: float
    held: Floats
    excess: float = math.inf
    merit: float = math.inf
    room: float = 0.0
    most_copies: float = FIRST_COPIES
    begin: Ints | None = None
    stale: int = 0
    short: int = 0
    visited: tuple[Cells, ...] = ()
    draws: Floats | None = None

    @property
    def stuck(self) -> bool:
        """Whether passes bring nothing any more."""
        return max(self.stale, self.short) >= PATIENCE or self.radius < SMALLEST_TRUST * self.scale

    def aim_lower(self, cost: float, goal: Goal, least: float, most: float) -> None:
        """More room below the target after a pass that missed it by little, else less."""
        missed = cost - goal.target if goal.target is not None else -math.inf
        if 0 < missed < most:
            self.room = min(max(self.room, least) + missed, most)
        elif missed <= 0:
            self.room = max(least, CALM * self.room)

    def draw(self, missed: int | None) -> None:
        """Ask for copies that make random starts come to this centre more often."""
        self.draws = drawn_more(self.draws, missed, len(self.centers))

    def again(self) -> None:
        """Go on after a hunt has taught a rival."""
        self.stale, self.short, self.radius = 0, 0, AGAIN * self.widest


def drawn_more(draws: Floats | None, missed: int | None, k: int) -> Floats:
    """How likely each of k centres should be drawn, with a missed one likelier than before."""
    more = np.ones(k) if draws is None else draws.copy()
    if missed is not None:
        more[missed] = min(LIKELIER * more[missed], LIKELIEST)
    return more
