"""The idea in one picture: a teaching set before and after a few antidote points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.datasets import load_dataset
from antidote_core.problem import Problem, Tables
from antidote_core.types import Dataset, Floats, Solution

DATASET = "two-optima"
SIZE = 12
SIDE = 21  # places tried along each side of the box


@dataclass(frozen=True, eq=False)
class Story:
    """The same clustering twice: on U alone, and on U with the antidote points beside it."""

    data: Dataset
    antidote: Floats
    before: Solution
    after: Solution
    tables_before: Tables
    tables_after: Tables
    places_tried: int


def tell_story(seed: int = 0) -> Story:
    """Put one clump of antidote points at the best of 21 x 21 places among the data.

    A place is as good as F(C(U ∪ V), U) says; of equally good ones the one nearest to the middle.

    >>> story = tell_story()
    >>> story.after.cost < story.before.cost
    True
    """
    data = load_dataset(DATASET, seed=seed)
    problem = Problem(data, "kmeans", "balance", k=2, restarts=10, seed=seed)
    lower, upper = problem.box("plausible")
    middle = (lower + upper) / 2
    steps = np.linspace(lower, upper, SIDE)
    places = [np.array([x, y]) for x in steps[:, 0] for y in steps[:, 1]]
    places.sort(key=lambda place: float(((place - middle) ** 2).sum()))
    best = min(places, key=lambda place: round(problem.evaluate(clump(place)), 9))
    antidote = clump(best)
    return Story(
        data,
        antidote,
        problem.vanilla,
        problem.cluster(antidote),
        problem.tables(antidote[:0]),
        problem.tables(antidote),
        len(places),
    )


def clump(place: Floats, size: int = SIZE, radius: float = 0.5) -> Floats:
    """`size` points (size, 2) on a spiral around `place`, so that each of them can be seen.

    Their mean is `place`.
    """
    turns = 2.4 * np.arange(size)  # the golden angle spreads the points evenly
    reach = radius * np.sqrt((np.arange(size) + 0.5) / size)
    offsets = np.column_stack([np.cos(turns), np.sin(turns)]) * reach[:, None]
    return np.asarray(place + offsets - offsets.mean(axis=0))
