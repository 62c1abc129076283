"""A teaching set that is clustered again and again, and drawings of its plane for the browser.

A scene says what lies where and how it looks; the page draws it. It changes many times a second
while somebody plays, so it is data and no chart.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from antidote_core.analysis.snapshots import numbered_as
from antidote_core.datasets import load_dataset
from antidote_core.fairness import BalanceTable, SocialTable, balance_table, social_table
from antidote_core.geometry import nearest_center
from antidote_core.numerals import percent, points_text
from antidote_core.problem import Problem
from antidote_core.reporting.documents.page import render
from antidote_core.reporting.figures.palette import (
    ANTIDOTE,
    BASELINE,
    DECIDES,
    LIGHT_INK,
    VANILLA,
    cluster_mark,
    group_mark,
    ink,
)
from antidote_core.reporting.text.words import EQUAL
from antidote_core.types import Dataset, Floats, Ints

HEIGHT = 0.7  # of the width of the plane
GRID = 1  # decimals of a place on the plane

Frame = tuple[Floats, Floats]  # lower and upper corner
Scene = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Position:
    """C(U ∪ V) for one V: centres (k, 2), labels (n,) of U and the tables behind both costs.

    Clusters carry the numbers of the plain clusters they overlap most, so that a cluster keeps its
    number and colour while its border moves. `moved` (n,) marks the points that changed cluster;
    `captured` says that a cluster holds antidote points only.
    """

    antidote: Floats
    centers: Floats
    labels: Ints
    balance: BalanceTable
    social: SocialTable
    moved: np.ndarray

    @property
    def captured(self) -> bool:
        """Whether V has a centre for itself."""
        return bool((self.balance.counts.sum(axis=1) == 0).any())

    def cost(self, fairness: str) -> float:
        """The balance or the social cost."""
        return self.balance.cost if fairness == "balance" else self.social.cost


class PlanarProblem:
    """Data of the plane with k-means on them, safe to share between visitors.

    >>> planar = planar_problem("two-optima", "balance")
    >>> planar.position(np.empty((0, 2))).cost("balance") == planar.problem.vanilla.cost
    True
    """

    def __init__(self, data: Dataset, fairness: str, k: int = 2) -> None:
        self.data = data
        self.problem = Problem(self.data, "kmeans", fairness, k, compiled=False)
        # The evaluator remembers what it has seen, and visitors come on threads of their own.
        self.lock = threading.RLock()
        self.vanilla = self._position(np.empty((0, 2)), self.problem.vanilla.labels)

    def position(self, antidote: Floats, start: Floats | None = None) -> Position:
        """The clustering with these antidote points (m, 2) beside the data.

        With `start` (k, 2) it is where k-means ends that begins at these centres, good or bad.
        """
        with self.lock:
            return self._position(antidote, self.vanilla.labels, start)

    def distance(self, position: Position) -> float:
        """The mean squared distance of U ∪ V to the centres: what k-means makes small."""
        union = np.vstack([self.data.points, position.antidote])
        return float(nearest_center(union, position.centers)[1].mean())

    def evaluate(self, antidote: Floats) -> float:
        """F(C(U ∪ V), U)."""
        with self.lock:
            return self.problem.evaluate(antidote)

    def _position(self, antidote: Floats, before: Ints, start: Floats | None = None) -> Position:
        k, groups = self.problem.k, self.problem.groups
        if start is None:
            solution = self.problem.cluster(antidote)
            labels, centers = solution.labels, solution.centers
        else:
            centers = descend(np.vstack([self.data.points, antidote]), start)[-1]
            labels, _ = nearest_center(self.data.points, centers)
        labels, centers = numbered_as(before, labels, centers)
        return Position(
            np.asarray(antidote),
            centers,
            labels,
            balance_table(labels, groups, k, len(self.data.group_names)),
            social_table(labels, centers, self.problem.points, groups),
            labels != before,
        )

    def frame(self, reach: float) -> Frame:
        """Lower and upper corner (2,) of a plane `reach` times as wide as the data."""
        lower, upper = self.data.points.min(axis=0), self.data.points.max(axis=0)
        middle = (lower + upper) / 2
        half = reach * float((upper - lower).max()) / 2 * np.array([1.0, HEIGHT])
        return np.round(middle - half, GRID), np.round(middle + half, GRID)


def descend(points: Floats, start: Floats) -> list[Floats]:
    """Centres (k, 2) of k-means that begins at `start`: after 0, 1, 2... rounds, until they rest.

    A centre that is nearest to nobody stays where it is.
    """
    rounds = [np.asarray(start, dtype=np.float64)]
    while True:
        labels, _ = nearest_center(points, rounds[-1])
        centers = rounds[-1].copy()
        for c in np.unique(labels):
            centers[c] = points[labels == c].mean(axis=0)
        if np.allclose(centers, rounds[-1]):
            return rounds
        rounds.append(centers)


@lru_cache(maxsize=16)
def planar_problem(dataset: str, fairness: str, k: int = 2) -> PlanarProblem:
    """The teaching set of that name; made once."""
    return PlanarProblem(load_dataset(dataset), fairness, k)


DATASET = "two-optima"
SIZE = 12
REACH = 1.5  # width of the plane that shows it, in widths of the data
SIDE = 21  # places tried along each side of the box


@dataclass(frozen=True, eq=False)
class Story:
    """The same clustering of U alone, with the first antidote point beside it, the first two..."""

    data: Dataset
    antidote: Floats
    steps: tuple[Position, ...]
    places_tried: int


def tell_story() -> Story:
    """Put one clump of antidote points at the best of 21 x 21 places among the data.

    A place is as good as F(C(U ∪ V), U) says; of equally good ones the one nearest to the middle.

    >>> first, *_, last = tell_story().steps
    >>> last.balance.cost < first.balance.cost
    True
    """
    planar = planar_problem(DATASET, "balance")
    lower, upper = planar.problem.box("plausible")
    middle = (lower + upper) / 2
    lines = np.linspace(lower, upper, SIDE)
    places = [np.array([x, y]) for x in lines[:, 0] for y in lines[:, 1]]
    places.sort(key=lambda place: float(((place - middle) ** 2).sum()))
    best = min(places, key=lambda place: round(planar.evaluate(clump(place)), 9))
    antidote = clump(best)
    steps = tuple(planar.position(antidote[:size]) for size in range(len(antidote) + 1))
    return Story(planar.data, antidote, steps, len(places))


def story_film(story: Story, dark: bool = False) -> tuple[Scene, list[Scene]]:
    """The story for the plane that plays it: the first scene, and what every step changes in it."""
    data = story.data
    frame = planar_problem(DATASET, "balance").frame(REACH)
    first, last = story.steps[0], story.steps[-1]
    plain = percent(fair_share(first))
    scene = plane_scene(
        data, frame, last.centers, before=first.centers, antidote=last.antidote, moved=last.moved,
        dark=dark,
    )  # fmt: skip
    return scene, [
        {
            "centers": _pairs(step.centers),
            "antidote": _stars(step.antidote, ANTIDOTE),
            "moved": _moved(data.groups, len(data.group_names), step.moved),
            "title": f"Fair share {' → '.join(dict.fromkeys([plain, percent(fair_share(step))]))}",
            "words": f"{points_text(len(step.antidote))} added to {data.n} real ones",
            "mix": mix_html(step.balance, data.group_names, dark),
        }
        for step in story.steps
    ]


def fair_share(position: Position) -> float:
    """Of the group that is farthest from it, in the cluster where it is: 1 is its full share."""
    return float(position.balance.ratios.min())


def clump(place: Floats, size: int = SIZE, radius: float = 0.5) -> Floats:
    """`size` points (size, 2) on a spiral around `place`, so that each of them can be seen.

    Their mean is `place`.
    """
    turns = 2.4 * np.arange(size)  # the golden angle spreads the points evenly
    reach = radius * np.sqrt((np.arange(size) + 0.5) / size)
    offsets = np.column_stack([np.cos(turns), np.sin(turns)]) * reach[:, None]
    return np.asarray(place + offsets - offsets.mean(axis=0))


WRITABLE = 0.13  # narrower parts of a bar have no room for their figure


def plane_scene(
    data: Dataset,
    frame: Frame,
    centers: Floats,
    *,
    before: Floats | None = None,
    antidote: Floats | None = None,
    rival: Position | None = None,
    moved: np.ndarray | None = None,
    spokes: Ints | None = None,
    groups: bool = True,
    dark: bool = False,
) -> Scene:
    """The plane of a clustering; the page draws the border between the centres.

    `centers` (k, 2), `before` (k, 2) the centres without antidote points, `antidote` (m, 2) points,
    `rival` what somebody else made of it, `moved` (n,) marks points to outline, `spokes` (n,) the
    labels of points to join to their centres; without `groups` all points look alike.
    """
    lower, upper = frame
    marks = [group_mark(code, dark) for code in range(len(data.group_names))]
    codes = data.groups if groups else np.zeros(data.n, dtype=np.int64)
    names = data.group_names if groups else ("point",)
    legend = [(marks[c].symbol, marks[c].color if groups else VANILLA, n)
              for c, n in enumerate(names)]  # fmt: skip
    legend.append(("x", ink(dark), "centre of a cluster"))
    scene: Scene = {
        "frame": [*lower.tolist(), *upper.tolist()],
        "ink": ink(dark),
        "colors": [cluster_mark(index, dark).color for index in range(len(centers))],
        "points": [
            {
                "at": _pairs(data.points[codes == code]),
                "color": legend[code][1],
                "symbol": marks[code].symbol,
            }
            for code in range(len(names))
        ],
        "moved": [] if moved is None else _moved(codes, len(names), moved),
        "spokes": [] if spokes is None else _spokes(data.points, centers, spokes),
        "centers": _pairs(centers),
        "before": [] if before is None else _pairs(before),
        "antidote": _stars(antidote, ANTIDOTE),
        "rival": None,
    }
    if before is not None:
        legend.append(("dash", VANILLA, "border and centres before"))
    if moved is not None and moved.any():
        legend.append(("ring", ink(dark), "changed cluster"))
    if scene["antidote"]:
        legend.append(("star", ANTIDOTE, "antidote point"))
    if rival is not None:
        scene["rival"] = {
            "centers": _pairs(rival.centers), "stars": _stars(rival.antidote, BASELINE),
            "color": BASELINE,
        }  # fmt: skip
        legend.append(("star", BASELINE, "the algorithm's points, centres and border"))
    scene["grey"], scene["aim"] = VANILLA, DECIDES
    scene["legend"] = [{"symbol": s, "color": c, "name": n} for s, c, n in legend]
    return scene


def mix_html(table: BalanceTable, group_names: Sequence[str], dark: bool = False) -> str:
    """100 % bars as HTML: the whole data, then every cluster; the deciding part is outlined."""
    unequal = float(table.ratios[table.cluster, table.group]) < EQUAL
    colors = [group_mark(j, dark).color for j in range(len(group_names))]
    rows = [("whole data", _parts("whole data", table.counts.sum(axis=0), group_names, colors))]
    for c, counts in enumerate(table.counts):
        name = f"cluster {c + 1}"
        deciding = table.group if unequal and c == table.cluster else None
        rows.append((name, _parts(name, counts, group_names, colors, deciding)))
    key = list(zip(group_names, colors, strict=True))
    look = {"rim": VANILLA, "decides": DECIDES, "ink": LIGHT_INK}
    return str(render("mix.html", rows=rows, key=key, unequal=unequal, **look))


def _parts(
    name: str,
    counts: Floats,
    group_names: Sequence[str],
    colors: Sequence[str],
    deciding: int | None = None,
) -> list[dict[str, Any]]:
    """The parts of one bar; none when nobody is in it."""
    if not counts.sum():
        return []
    shares = (counts / counts.sum()).tolist()
    return [
        {
            "share": share,
            "color": colors[j],
            "decides": j == deciding,
            "words": f"{name}: {percent(share)} {group_names[j]}{' (decides)' * (j == deciding)}",
            "figure": percent(share) if share >= WRITABLE else "",
        }
        for j, share in enumerate(shares)
    ]


def _pairs(points: Floats) -> list[list[float]]:
    return np.round(points, 3).tolist()


def _moved(codes: Ints, count: int, moved: np.ndarray) -> list[list[int]]:
    """Which points of every code moved, by their place among those of the code."""
    return [np.flatnonzero(moved[codes == code]).tolist() for code in range(count)]


def _stars(antidote: Floats | None, color: str) -> list[dict[str, Any]]:
    if antidote is None or not len(antidote):
        return []
    places, copies = np.unique(np.round(antidote, 3), axis=0, return_counts=True)
    return [
        {"at": place.tolist(), "copies": int(count), "color": color}
        for place, count in zip(places, copies, strict=True)
    ]


def _spokes(points: Floats, centers: Floats, labels: Ints) -> list[list[list[float]]]:
    return np.round(np.stack([points, centers[labels]], axis=1), 3).tolist()
