"""A handful of copies: where there are few rows, every V of one, two or three copies is tried."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np

from antidote_core.algorithms.rows.guarded_contest import GuardedContest
from antidote_core.algorithms.rows.row_design import Reasons, RowDesign
from antidote_core.geometry import nearest_center
from antidote_core.types import Ints

MOST_TRIES = 3000
LARGEST = 3
OFFERED = 8


def fewest_copies(
    contest: GuardedContest, rows: Ints, max_copies: int, target: float
) -> list[RowDesign]:
    """Designs of the smallest size that meets the target by C(U ∪ V), the fairest first.

    Empty where none does, or there are too many to try.
    """
    points = contest.problem.points
    tries = 0
    found: list[tuple[float, int, RowDesign]] = []
    for size in range(1, LARGEST + 1):
        tries += math.comb(len(rows) + size - 1, size)
        if tries > MOST_TRIES:
            break
        for chosen in combinations_with_replacement(rows.tolist(), size):
            copies = np.bincount(chosen, minlength=len(points))
            if copies.max() > max_copies:
                continue
            cost = contest.cost_of(points[list(chosen)])
            if cost <= target:
                found.append((cost, len(found), _design(contest, copies, cost)))
    found.sort(key=lambda entry: (entry[2].size, entry[:2]))
    return [design for _, _, design in found[:OFFERED]]


def _design(contest: GuardedContest, copies: Ints, cost: float) -> RowDesign:
    rows = np.flatnonzero(copies)
    points = contest.problem.points
    centers = contest.evaluator.statistics(points[np.repeat(rows, copies[rows])])[0]
    labels, _ = nearest_center(points[rows], centers)
    reasons = Reasons(rows, np.full(len(rows), -1), labels)
    return RowDesign(copies, cost, "every V of a few copies", centers, reasons=reasons)
