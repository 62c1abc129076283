"""The playground: antidote points placed by hand, against a score and against the algorithm."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from antidote_core.algorithms.algorithm2.verification import verify
from antidote_core.datasets.registry import subsample
from antidote_core.errors import SpecError
from antidote_core.geometry import nearest_center
from antidote_core.numerals import number
from antidote_core.optimizers import Box, get_optimizer
from antidote_core.teaching.planar import (
    GRID,
    Frame,
    PlanarProblem,
    Position,
    descend,
    planar_problem,
)
from antidote_core.types import Column, Dataset, Floats

BUDGET = 10
MANY = 1_000_000
TRIES = 1000  # evaluations the algorithm may spend
THROWS = 20  # random placements behind the score to beat
STARTS = 100  # beginnings of k-means among which a worse optimum is looked for
SAME = 5e-4  # costs nearer than this are a draw: they look the same on the screen
WORSE = 1e-3  # an optimum less worse than this is the same one
GOALS = ("balance", "social")
MOST_ROWS = 500  # of a table in the plane: each is drawn, and clustered again at every click
REACH = 1.5  # of the plane of a table, in widths of the data


@dataclass(frozen=True)
class Situation:
    """A plane of data and how far around them points may be placed (`reach` times their width)."""

    name: str
    title: str
    sentence: str
    reach: float
    dataset: str = ""


SITUATIONS: dict[str, Situation] = {
    entry.name: entry
    for entry in (
        Situation(
            "easy",
            "Easy",
            "The left cluster has hardly anyone of group B. Pull the border to the right: points "
            "on the right draw that cluster's centre after them.",
            1.5,
            "blobs",
        ),
        Situation(
            "distance",
            "Needs distance",
            "A stripe of group B stands just right of the border. Ten points inside the band "
            "hardly move it; the same ten far away do.",
            3.0,
            "needs-distance",
        ),
        Situation(
            "capture",
            "V captures a centre",
            "The farther a point, the stronger its pull, until the points take a centre for "
            "themselves and everybody else shares the other one. How far dare you go?",
            3.0,
            "blobs",
        ),
        Situation(
            "two-optima",
            "Two optima",
            "The data split almost as well into top and bottom as into left and right. A few "
            "points in the right place tip the whole clustering over.",
            1.5,
            "two-optima",
        ),
    )
}


@dataclass(frozen=True)
class Clump:
    """`copies` antidote points at one place of the plane."""

    x: float
    y: float
    copies: int


Clumps = tuple[Clump, ...]


def spent(clumps: Clumps) -> int:
    """Antidote points placed so far."""
    return sum(clump.copies for clump in clumps)


def place(clumps: Clumps, x: float, y: float, copies: int, frame: Frame) -> Clumps:
    """One more clump, at the nearest place of the grid inside the frame.

    When fewer points are left than `copies`, those that are left; none left is a SpecError.
    """
    left = BUDGET - spent(clumps)
    if left < 1:
        raise SpecError(f"All {BUDGET} points are placed; take one back with Undo or start anew.")
    return (*clumps, Clump(*on_grid(x, y, frame), min(copies, left)))


def on_grid(x: float, y: float, frame: Frame) -> tuple[float, float]:
    """The nearest place of the grid inside the frame."""
    at = np.round(np.clip([x, y], *frame), GRID) + 0.0
    return float(at[0]), float(at[1])


def move(clumps: Clumps, origin: tuple[float, float], x: float, y: float, frame: Frame) -> Clumps:
    """The clumps at the place `origin` of the grid go to another.

    >>> move((Clump(1.5, 0.0, 3),), (1.5, 0.0), 2.04, 9.0, (np.full(2, -2.0), np.full(2, 2.0)))
    (Clump(x=2.0, y=2.0, copies=3),)
    """
    to = on_grid(x, y, frame)
    return tuple(
        Clump(*to, clump.copies) if (clump.x, clump.y) == origin else clump for clump in clumps
    )


def points_of(clumps: Clumps) -> Floats:
    """The antidote points (m, 2), copies one by one."""
    rows = [[clump.x, clump.y] for clump in clumps for _ in range(clump.copies)]
    return np.array(rows, dtype=np.float64).reshape(-1, 2)


def to_link(clumps: Clumps) -> str:
    """The points as text for an address: x,y,copies;x,y,copies.

    >>> to_link((Clump(1.5, -0.2, 3), Clump(2.0, 0.0, 1)))
    '1.5,-0.2,3;2,0,1'
    """
    return ";".join(f"{clump.x:g},{clump.y:g},{clump.copies}" for clump in clumps)


def from_link(text: str, frame: Frame) -> Clumps:
    """Read what `to_link` wrote; anything else is a SpecError with a sentence.

    >>> from_link("1.5,-0.2,3", (np.array([-2, -2]), np.array([2, 2])))
    (Clump(x=1.5, y=-0.2, copies=3),)
    """
    clumps: Clumps = ()
    lower, upper = frame
    for part in text.split(";") if text else ():
        try:
            x, y, copies = part.split(",")
            at, count = np.array([float(x), float(y)]), int(copies)
        except ValueError:
            raise SpecError(
                f"The points in this link cannot be read: “{part[:40]}” should be x,y,copies, "
                "for example 1.5,-0.2,3. An empty plane is shown instead."
            ) from None
        if not np.isfinite(at).all() or (at < lower).any() or (at > upper).any():
            raise SpecError(
                f"The link puts a point at {part[:40]}, outside the plane (x from {lower[0]:g} to "
                f"{upper[0]:g}, y from {lower[1]:g} to {upper[1]:g}). An empty plane is shown "
                "instead."
            )
        if count < 1 or spent(clumps) + count > BUDGET:
            few = max(-MANY, min(count, MANY))  # a number of thousands of digits fits no sentence
            raise SpecError(
                f"The link places {few + spent(clumps)} points, and between 1 and {BUDGET} are "
                "allowed. An empty plane is shown instead."
            )
        clumps = place(clumps, float(at[0]), float(at[1]), count, frame)
    return clumps


def centers_to_link(centers: Floats) -> str:
    """Centres (k, 2), to three decimals, as text for an address: x,y;x,y."""
    return ";".join(f"{x:g},{y:g}" for x, y in (np.round(centers, 3) + 0.0).tolist())


def centers_from_link(text: str, frame: Frame, k: int = 2) -> Floats:
    """Read what `centers_to_link` wrote; anything else is a SpecError with a sentence.

    >>> centers_from_link("1.5,0;-1.5,0", (np.full(2, -2.0), np.full(2, 2.0))).tolist()
    [[1.5, 0.0], [-1.5, 0.0]]
    """
    try:
        centers = np.array([[float(x) for x in part.split(",")] for part in text.split(";")])
        if centers.shape != (k, 2) or not ((centers >= frame[0]) & (centers <= frame[1])).all():
            raise ValueError
    except ValueError:
        raise SpecError(
            f"The centres in this link cannot be used: “{text[:40]}” should be {k} places x,y of "
            "the plane, for example 1.5,0;-1.5,0. k-means begins as usual instead."
        ) from None
    return centers


@dataclass(frozen=True, eq=False)
class AlgorithmTry:
    """What the structured search makes of the same budget and the same plane, on its grid."""

    antidote: Floats
    cost: float
    evaluations: int
    seconds: float
    agreeing: int
    checks: int


@dataclass(frozen=True, eq=False)
class Game:
    """One situation played for one cost."""

    situation: Situation
    goal: str
    planar: PlanarProblem

    @property
    def frame(self) -> Frame:
        """Where points may be placed: lower and upper corner."""
        return self.planar.frame(self.situation.reach)

    def position(self, clumps: Clumps, start: Floats | None = None) -> Position:
        """What the placed points do, with k-means from many starts or from the centres `start`."""
        return self.planar.position(points_of(clumps), start)

    def worse_optimum(self, clumps: Clumps) -> Floats | None:
        """Where the worst of 100 starts of k-means rests, centres (k, 2); None if all end alike."""
        union = np.vstack([self.planar.data.points, points_of(clumps)])
        best = self.planar.distance(self.position(clumps))
        rng, worst = np.random.default_rng(0), None
        for _ in range(STARTS):
            start = union[rng.choice(len(union), self.planar.problem.k, replace=False)]
            centers = descend(union, start)[-1]
            found = float(nearest_center(union, centers)[1].mean())
            if found > best * (1 + WORSE):
                best, worst = found, centers
        return worst

    @cached_property
    def score_to_beat(self) -> float:
        """The best of 20 times ten points thrown at random into the plane, or of none at all."""
        rng = np.random.default_rng(0)
        throws = [
            self.planar.evaluate(rng.uniform(*self.frame, (BUDGET, 2))) for _ in range(THROWS)
        ]
        return min(*throws, self.planar.vanilla.cost(self.goal))

    @cached_property
    def algorithm_try(self) -> AlgorithmTry:
        """Ten points by the structured search, and how many independent clusterings agree."""
        planar, (lower, upper) = self.planar, self.frame
        begun = time.monotonic()
        with planar.lock:
            search = get_optimizer("structured").minimiser(planar.problem, BUDGET, None)
            found = search(
                lambda x: planar.problem.evaluate(x.reshape(BUDGET, 2)),
                Box(np.tile(lower, BUDGET), np.tile(upper, BUDGET)),
                TRIES,
                np.random.default_rng(0),
            )
            antidote = np.clip(np.round(found.x.reshape(BUDGET, 2), GRID), lower, upper) + 0.0
            cost = planar.problem.evaluate(antidote)
            checked = verify(planar.problem, antidote, cost, strict=False)
        return AlgorithmTry(
            antidote,
            cost,
            found.evaluations,
            time.monotonic() - begun,
            checked.agreeing,
            len(checked.costs),
        )


@lru_cache(maxsize=16)
def get_game(situation: str, goal: str) -> Game:
    """The game of that situation and goal; made once."""
    found = SITUATIONS[situation]
    return Game(found, goal, planar_problem(found.dataset, goal))


def numeric_columns(data: Dataset) -> list[str]:
    """The columns of a table that can be an axis of the plane."""
    return [column.name for column in data.columns if not column.levels]


def table_game(data: Dataset, across: str, up: str, goal: str) -> Game:
    """The game on two numeric columns of a table; of many rows, on a sample of them.

    Columns keep the standardisation of the table. Every row counts once, whatever its weight.
    """
    begins = np.cumsum([0, *(column.width for column in data.columns)])
    first = {column.name: int(at) for column, at in zip(data.columns, begins, strict=False)}
    chosen = [first[across], first[up]]
    drawn = subsample(data, min(data.n, MOST_ROWS), 0)
    plane = replace(
        drawn,
        points=drawn.points[:, chosen].copy(),
        feature_names=(across, up),
        shift=data.shift[chosen],
        scale=data.scale[chosen],
        columns=(Column(across), Column(up)),
        weights=None,
        origin=None,
    )
    rows = f"All {data.n:,} rows."
    if drawn.n < data.n:
        rows = f"A sample of {drawn.n:,} of {data.n:,} rows, every group in proportion (seed 0)."
    sentence = f"{across} across, {up} up, both in standard deviations around the mean. {rows}"
    situation = Situation(data.name, data.title, sentence, REACH)
    return Game(situation, goal, PlanarProblem(plane, goal))


def clumps_of(antidote: Floats) -> Clumps:
    """Points (m, 2) of the grid as clumps, those at one place together.

    >>> clumps_of(np.array([[1.0, 0.5], [2.0, 0.0], [1.0, 0.5]]))
    (Clump(x=1.0, y=0.5, copies=2), Clump(x=2.0, y=0.0, copies=1))
    """
    places, copies = np.unique(antidote, axis=0, return_counts=True)
    both = zip(places.tolist(), copies.tolist(), strict=True)
    return tuple(Clump(x, y, count) for (x, y), count in both)


def optimum_sentence(game: Game, position: Position, clumps: Clumps) -> str:
    """Whether k-means from centres of one's own ended as well as from many starts."""
    here = game.planar.distance(position)
    best = game.planar.distance(game.position(clumps))
    if here <= best * (1 + WORSE):
        return (
            "**Back in the best optimum.** From these centres, k-means ends where it ends from "
            f"many starts (average squared distance {number(best)})."
        )
    return (
        f"**A worse optimum.** From these centres k-means rests at an average squared distance of "
        f"{number(here)}; the best of many starts has {number(best)}. Both costs are those of the "
        "worse one: a result that begins once is luck, so every claim here begins many times."
    )


def beaten(cost: float, score: float) -> bool:
    """Whether a cost is lower than the score by more than the screen would hide."""
    return cost < score - SAME


def score_sentence(game: Game, position: Position, score: float) -> str:
    """How the placed points stand against the score to beat."""
    cost, vanilla = position.cost(game.goal), game.planar.vanilla.cost(game.goal)
    throws = f"the best of {THROWS} times ten points thrown at random"
    if position.captured:
        return (
            "**Too far.** The antidote points took a centre for themselves: one cluster holds "
            "nobody, and everybody is in the other."
        )
    if beaten(cost, score):
        return f"**Beaten.** {number(cost)} is lower than {number(score)}, {throws}."
    if not len(position.antidote):
        return f"Score to beat: {number(score)}, {throws}. Without any point: {number(vanilla)}."
    if beaten(vanilla, cost):
        return f"**Worse than nothing:** {number(cost)}; without any point it is {number(vanilla)}."
    return f"Not yet: {number(cost)}; to beat is {number(score)}, {throws}."


def contest_sentence(cost: float, size: int, attempt: AlgorithmTry) -> str:
    """Who won, you or the algorithm.

    >>> attempt = AlgorithmTry(np.zeros((10, 2)), -0.5, 1000, 0.4, 4, 4)
    >>> contest_sentence(-0.7, 10, attempt)
    '**You beat the algorithm:** −0.700 with 10 points, it reached −0.500 with 10.'
    """
    theirs = f"it reached {number(attempt.cost)} with {len(attempt.antidote)}"
    if size == 0:
        return (
            f"**The algorithm reached {number(attempt.cost)}** with {len(attempt.antidote)} points "
            "(blue). Place yours and beat it."
        )
    yours = f"{number(cost)} with {size} point{'' if size == 1 else 's'}"
    if beaten(cost, attempt.cost):
        return f"**You beat the algorithm:** {yours}, {theirs}."
    if beaten(attempt.cost, cost):
        behind = number(cost - attempt.cost)
        return f"**The algorithm beats you by {behind}:** {yours}, {theirs}."
    return f"**A draw:** {yours}, {theirs}."


def checks_sentence(attempt: AlgorithmTry) -> str:
    """How the algorithm went about it, and who confirms it."""
    return (
        f"The structured search: at most {len(attempt.antidote)} points in the same plane, "
        f"{attempt.evaluations:,} placements tried, {attempt.seconds:.1f} s with the check; "
        f"{attempt.agreeing} of {attempt.checks} independent clusterings give this cost or less."
    )


def clump_table(clumps: Clumps) -> pd.DataFrame:
    """The placed points in their order."""
    return pd.DataFrame(
        [(i + 1, clump.x, clump.y, clump.copies) for i, clump in enumerate(clumps)],
        columns=["click", "x", "y", "copies"],
    )


def alt_text(position: Position, goal: str, vanilla: float) -> str:
    """The plane in words, for those who cannot see it."""
    size, changed = len(position.antidote), int(position.moved.sum())
    groups = position.balance.counts.shape[1]
    centers = " and ".join(f"({x:.1f}, {y:.1f})" for x, y in position.centers)
    return (
        f"Plane with {groups} groups and two clusters, centres at {centers}; {size} antidote "
        f"points; {changed} of {len(position.labels)} points changed cluster; {goal} cost "
        f"{number(position.cost(goal))}, before {number(vanilla)}."
    )
