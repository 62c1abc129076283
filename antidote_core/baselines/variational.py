"""Variational fair clustering, after Ziko, Yuan, Granger and Ben Ayed (2021).

k-means plus a penalty on the mix of every cluster. With s_pc the part of point p in cluster c, w_p
its weight, m_cj the mass of group j in cluster c, m_c that of the whole cluster, and r_j the share
of the group in the data:

    E(s) = sum_pc w_p s_pc |x_p - mu_c|^2 + lambda sum_c KL(r, m_c. / m_c),
    KL(r, m_c. / m_c) = log m_c - sum_j r_j log m_cj + const.

At fixed centres, E is bounded from above at the present s by its slope and L times the weighted
relative entropy KL(s, present s), which splits by point: s_pc becomes s_pc exp(-slope_pc / L),
scaled to a sum of one for every point. L doubles until the bound holds for the step that was made,
and is halved again afterwards, so E never rises; centres then go to the weighted means. It ends
when next to nothing is left of the gap, what all points together would save at the present slope if
each went to its best cluster. The labels are the clusters with the largest part.

Here lambda = strength * (cost of plain k-means), so that a strength means the same for any number
of points and in any units.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_instance,
    four_scores,
    plain_kmeans,
    squared_distances,
)
from antidote_core.checks import check_weights, is_number
from antidote_core.errors import SpecError
from antidote_core.fairness.kl_error import kl_statistic
from antidote_core.types import Floats, Ints

MAX_STEPS = 1000
SETTLED = 1e-5  # of E: what may be left of the gap
ROUND = 5  # steps of s between two moves of the centres
SMALLEST_PART = 1e-6  # keeps every cluster within reach of every point


@dataclass(frozen=True, eq=False, kw_only=True)
class VariationalResult(BaselineResult):
    """`cost` is E of the labels; `parts` (n, k) what they were taken from, `objectives` E by step.

    `kl_error` is the sum of the clusters' divergences at the labels, where a group that is missing
    counts as half a person; `lam` is the lambda of E, `gap` what is left of the gap, in parts of E.
    """

    kl_error: float
    gap: float
    lam: float
    parts: Floats
    objectives: tuple[float, ...]


def variational(
    points: Floats,
    groups: Ints,
    k: int,
    strength: float = 1.0,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> VariationalResult:
    """k-means of points (n, d) whose clusters are drawn towards the mix of the data.

    `strength` 0 is Lloyd's k-means from the start of plain k-means; more is fairer and dearer.

    >>> import antidote_core as ac
    >>> data = ac.load_dataset("blobs")
    >>> some, much = (variational(data.points, data.groups, 2, strength=s) for s in (0.1, 10.0))
    >>> round(some.balance_own, 2), round(much.balance_own, 2)
    (-0.41, -0.94)
    """
    started = time.perf_counter()
    points, groups, g = check_instance(points, groups, k)
    if not is_number(strength) or strength < 0:
        raise SpecError(f"strength must be a number of at least 0; got {strength!r}.")
    weights = None if sample_weight is None else check_weights(sample_weight, len(points))
    labels, centers = plain_kmeans(points, k, seed, weights)
    own = np.ones(len(points)) if weights is None else weights
    plain_cost = float(own @ ((points - centers[labels]) ** 2).sum(axis=1))
    energy = Energy.of(points, groups, g, own, float(strength) * plain_cost)

    parts, centers, objectives, gap = _descend(energy, labels, centers)
    labels = parts.argmax(axis=1)
    whole = one_hot(labels, k)
    centers = energy.means(whole, centers)
    kl_error = kl_statistic(energy.masses(whole), np.zeros(g))
    cost = float(own @ ((points - centers[labels]) ** 2).sum(axis=1))
    empty = k - len(np.unique(labels))
    notes = [f"lambda is {energy.lam:.6g}: {strength:g} times the cost of plain k-means."]
    if empty:
        notes.append(f"{empty} of {k} clusters hold no point.")
    if gap > SETTLED:
        notes.append(
            f"A gap of {100 * gap:.2g} % of the objective is left after {len(objectives)} steps."
        )
    return VariationalResult(
        name="variational",
        labels=labels,
        centers=centers,
        cost=cost + energy.lam * kl_error,
        certificate_name="KL error of the labels",
        certificate=kl_error,
        seconds=time.perf_counter() - started,
        notes=tuple(notes),
        points=points,
        sample_weight=weights,
        kl_error=kl_error,
        gap=gap,
        lam=energy.lam,
        parts=parts,
        objectives=tuple(objectives),
        **four_scores(labels, centers, points, [groups], weights),
    )


def one_hot(labels: Ints, k: int) -> Floats:
    """Labels (n,) as parts (n, k)."""
    return np.asarray(labels[:, None] == np.arange(k), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Energy:
    """E for points (n, d) of weights (n,) in groups (n,); `shares` (g,) is their mix."""

    points: Floats
    weights: Floats
    groups: Ints
    members: Floats
    shares: Floats
    lam: float

    @classmethod
    def of(cls, points: Floats, groups: Ints, g: int, weights: Floats, lam: float) -> Energy:
        """E for lambda `lam`."""
        members = weights[:, None] * one_hot(groups, g)
        shares = members.sum(axis=0)
        return cls(points, weights, groups, members, shares / shares.sum(), lam)

    def masses(self, parts: Floats) -> Floats:
        """m_cj, (k, g)."""
        return np.asarray(parts.T @ self.members)

    def value(self, parts: Floats, distances: Floats) -> float:
        """E at positive parts (n, k)."""
        cost = float(self.weights @ (parts * distances).sum(axis=1))
        masses = self.masses(parts)
        mixes = masses / masses.sum(axis=1, keepdims=True)
        return cost + self.lam * float((self.shares * np.log(self.shares / mixes)).sum())

    def slope(self, parts: Floats, distances: Floats) -> Floats:
        """dE / ds_pc over w_p, (n, k): d_pc + lambda (1 / m_c - r_j / m_cj) for p of group j."""
        masses = self.masses(parts)
        pull = 1.0 / masses.sum(axis=1, keepdims=True) - self.shares / masses
        return distances + self.lam * pull.T[self.groups]

    def means(self, parts: Floats, before: Floats) -> Floats:
        """Weighted means (k, d); a cluster that holds nobody keeps its centre."""
        pulls = self.weights[:, None] * parts
        total = pulls.sum(axis=0)[:, None]
        return np.divide(pulls.T @ self.points, total, out=before.copy(), where=total > 0)


def _descend(
    energy: Energy, labels: Ints, centers: Floats
) -> tuple[Floats, Floats, list[float], float]:
    """Parts (n, k), centres (k, d), E after every step and the gap, from plain k-means."""
    k = len(centers)
    # The start must have a bit of everybody everywhere: s = 0 would stay 0.
    parts = 0.9 * one_hot(labels, k) + 0.1 / k
    bound, objectives = 0.0, []
    while True:
        centers = energy.means(parts, centers)
        distances = squared_distances(energy.points, centers)
        value = energy.value(parts, distances)
        objectives.append(value)
        slope = energy.slope(parts, distances)
        spared = (parts * slope).sum(axis=1) - slope.min(axis=1)
        gap = float(energy.weights @ spared) / (abs(value) or 1.0)
        stuck = len(objectives) > 1 and value >= objectives[-2 - ROUND]
        if gap <= SETTLED or stuck or len(objectives) > MAX_STEPS:
            return parts, centers, objectives, gap
        bound = bound or float(distances.mean())
        for _ in range(ROUND):
            parts, value, bound = _step(energy, parts, distances, value, bound)
            objectives.append(value)


def _step(
    energy: Energy, parts: Floats, distances: Floats, value: float, bound: float
) -> tuple[Floats, float, float]:
    """The parts that minimise the bound at L, E there, and the L for the next step."""
    slope = energy.slope(parts, distances)
    logs = np.log(parts)
    largest = 1e12 * max(1.0, float(np.abs(slope).max()))
    while bound < largest:
        shifted = logs - slope / bound
        shifted -= shifted.max(axis=1, keepdims=True)
        moved = np.maximum(np.exp(shifted), SMALLEST_PART)
        moved /= moved.sum(axis=1, keepdims=True)
        reached = energy.value(moved, distances)
        if reached <= value:
            by_slope = (moved - parts) * slope
            by_entropy = moved * (np.log(moved) - logs)
            above = energy.weights @ (by_slope + bound * by_entropy).sum(axis=1)
            if reached <= value + above:
                return moved, reached, bound / 2
        bound *= 2
    return parts, value, bound / 2  # no step is left but rounding


VARIATIONAL = FairAlgorithm(
    "variational",
    "Variational fair clustering",
    "k-means with a penalty on how far the mix of each cluster is from that of the data.",
    Paper("Ziko, Yuan, Granger and Ben Ayed", 2021),
    variational,
    needs_groups=True,
    changes="algorithm",
    serves=("kl", "balance", "mean-balance", "pairwise-balance", "bounded", "variation"),
    weighted=True,
    options=(Option("strength", 1.0, "Weight of the penalty, in costs of plain k-means."),),
)
