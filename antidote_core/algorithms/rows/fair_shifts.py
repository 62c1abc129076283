"""What fairness asks of the centres, as linear rows in their shift u from where they are aimed at.

Both costs are written as rows @ u - t <= ends: balance with t = max |log ratio| and its tangents,
social with t = the cost itself, each group's cost by its tangent at the present centres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from antidote_core.algorithms.design.fair_constraints import HALF_A_POINT, BalanceModel, Cells
from antidote_core.problem import Problem
from antidote_core.types import Floats

SMALLEST_RATIO = 1e-6


@dataclass(frozen=True, eq=False)
class ShiftRows:
    """rows (f, k * d) @ u - t <= ends - margins, all in units of t."""

    rows: Floats
    ends: Floats
    margins: Floats


@dataclass(eq=False)
class _Recorder:
    """Takes the linear rows that a fairness model would give to a cone program."""

    variables: int
    rows: list[Floats] = field(default_factory=list)
    ends: list[Floats] = field(default_factory=list)

    def at_most(self, rows: Floats, ends: Floats) -> None:
        self.rows.append(rows)
        self.ends.append(ends)


class BalanceShifts:
    """Balance as |log ratio| <= t for every cluster and group; cost = -exp(-t)."""

    convex = False
    unit = 1.0
    close = 1e-2
    room = 3e-3
    trust = 0.15

    def __init__(self, problem: Problem) -> None:
        self._model = BalanceModel(problem.points, problem.groups, problem.weights)
        self._sizes = np.bincount(problem.groups, problem.weights).astype(np.float64)

    def relief(self, cost: float) -> float:
        """The t that a cost stands for."""
        return -math.log(min(max(-cost, SMALLEST_RATIO), 1.0))

    def at(self, cells: Cells) -> ShiftRows:
        """Two rows per cluster and group; the margin is one standard error of the log share."""
        k, d = cells.means.shape
        recorder: Any = _Recorder(k * d + 1)
        self._model.constrain(
            recorder,
            cells,
            lambda c: slice(c * d, (c + 1) * d),
            k * d,
        )
        counts = np.maximum(cells.counts[:, self._sizes > 0], HALF_A_POINT)
        rows = np.vstack(recorder.rows)[:, :-1]  # in the shift from the means, as the model has it
        return ShiftRows(
            rows,
            np.concatenate(recorder.ends) - rows @ cells.shifts.ravel(),
            np.tile(self.errors(counts).ravel(), 2),
        )

    def room_in_errors(self, counts: Floats, target: float) -> float:
        """By how many standard errors the share that is nearest to missing the target meets it."""
        counts = np.maximum(counts[:, self._sizes > 0], HALF_A_POINT)
        shares = self._sizes[self._sizes > 0] / self._sizes.sum()
        logs = np.log(counts / counts.sum(axis=1, keepdims=True) / shares)
        room = self.relief(target) - np.abs(logs)
        errors = np.maximum(self.errors(counts), 1e-12)
        return float((room / errors).min())

    def errors(self, counts: Floats) -> Floats:
        """Standard error of the log of every share, from counts (k, g)."""
        shares = counts / counts.sum(axis=1, keepdims=True)
        return np.sqrt((1.0 - shares) / counts)


class SocialShifts:
    """Social cost: each group's average squared distance, at the labels of the cells."""

    convex = True  # at fixed labels
    trust = 0.3

    def __init__(self, problem: Problem) -> None:
        points, groups, weights = problem.points, problem.groups, problem.weights
        squares = np.einsum("ij,ij->i", points, points)
        self._members = np.bincount(groups, weights).astype(np.float64)
        self._squares = np.bincount(groups, squares if weights is None else squares * weights)
        cost = problem.vanilla.cost
        self.unit = cost if cost > 0 else 1.0
        self.close = 1e-3 * self.unit
        self.room = 1e-4 * self.unit

    def relief(self, cost: float) -> float:
        """The t that a cost stands for."""
        return cost / self.unit

    def at(self, cells: Cells) -> ShiftRows:
        """One row per group: f_j + grad f_j u <= t."""
        k, d = cells.means.shape
        present = self._members > 0
        members = self._members[present]
        counts, sums = cells.counts[:, present], cells.sums[:, present]
        weighted = np.einsum("cja,ca->cj", sums, cells.centers)
        norms = (cells.centers**2).sum(axis=1)[:, None]
        costs = (self._squares[present] + (counts * norms - 2.0 * weighted).sum(axis=0)) / members
        slopes = 2.0 * (counts[:, :, None] * cells.centers[:, None, :] - sums) / members[:, None]
        rows = slopes.transpose(1, 0, 2).reshape(-1, k * d) / self.unit
        return ShiftRows(rows, -costs / self.unit, np.zeros(len(costs)))


FairShifts = BalanceShifts | SocialShifts


def fair_shifts(problem: Problem) -> FairShifts:
    """The rows for the cost of this problem."""
    return SocialShifts(problem) if problem.fairness.name == "social" else BalanceShifts(problem)
