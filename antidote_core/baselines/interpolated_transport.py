"""Fair interpolated transport, after Ghashti, Hare and Thompson (2026): the data are moved first.

Every group is moved along the shortest way (in the 2-Wasserstein distance) towards the barycentre
of all groups, by the smallest intensity t at which plain k-means of the moved points is fair:
x becomes (1 - t) x + t T_j(x) for x of group j. At t = 1 no group can be told from another.

Here a group is described by its mean m_j and covariance S_j, for which everything has a closed
form, however many points there are: the barycentre has the mean of all points and the covariance
that solves S = sum_j r_j (S^1/2 S_j S^1/2)^1/2 (r_j: the group's share; the fixed-point iteration
of Alvarez-Esteban et al. 2016), and

    T_j(x) = m + A_j (x - m_j),    A_j = S_j^-1/2 (S_j^1/2 S S_j^1/2)^1/2 S_j^-1/2.

The published method moves the points themselves by optimal transport. For groups that differ in
more than mean and covariance, t = 1 does not make them alike, and the result says how far it came.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    check_delta,
    check_instance,
    cluster_means,
    four_scores,
    plain_kmeans,
)
from antidote_core.checks import check_weights, is_number
from antidote_core.errors import SpecError
from antidote_core.fairness import balance_table
from antidote_core.types import Floats, Ints

INTENSITIES = np.linspace(0.0, 1.0, 21)
RIDGE = 1e-9  # of the mean variance: a feature may be constant within a group
MAX_ITERATIONS = 200
SETTLED = 1e-10


@dataclass(frozen=True, eq=False, kw_only=True)
class InterpolatedTransportResult(BaselineResult):
    """`cost`: mean squared distance that people were moved; `moved` (n, d): where to.

    `intensity` is t, and `met` whether the labels are as fair as was asked. Labels are those of
    k-means of the moved points, centres the means of the points where they were.
    """

    intensity: float
    met: bool
    moved: Floats


def interpolated_transport(
    points: Floats,
    groups: Ints,
    k: int,
    delta: float = 0.2,
    intensity: float | None = None,
    seed: int = 0,
    sample_weight: Floats | None = None,
) -> InterpolatedTransportResult:
    """k-means of points (n, d) whose groups were moved together as little as suffices.

    It suffices that balance is at least 1 - delta. t is the smallest of 0, 0.05, ..., 1 with that,
    or else the fairest of them; `intensity` chooses it instead.

    >>> points = np.array([[0.0], [1.0], [5.0], [6.0], [6.0], [7.0], [11.0], [12.0]])
    >>> fair = interpolated_transport(points, np.array([0, 0, 0, 0, 1, 1, 1, 1]), k=2)
    >>> round(fair.intensity, 2), fair.balance_own, fair.moved.round(2).ravel().tolist()
    (0.5, -1.0, [1.5, 2.5, 6.5, 7.5, 4.5, 5.5, 9.5, 10.5])
    """
    started = time.perf_counter()
    points, groups, g = check_instance(points, groups, k)
    delta = check_delta(delta)
    tried = INTENSITIES
    if intensity is not None:
        if not is_number(intensity) or not 0 <= intensity <= 1:
            raise SpecError(f"intensity must be a number from 0 to 1; got {intensity!r}.")
        tried = np.array([float(intensity)])
    weights = None if sample_weight is None else check_weights(sample_weight, len(points))
    target = to_barycentre(points, groups, g, weights)
    best: tuple[float, float, Ints] | None = None
    for t in tried:
        labels = plain_kmeans((1 - t) * points + t * target, k, seed, weights)[0]
        cost = balance_table(labels, groups, k, g, weights).cost
        if best is None or cost < best[0]:
            best = (cost, float(t), labels)
        if cost <= delta - 1 + 1e-12:
            break
    assert best is not None
    cost, t, labels = best
    moved = (1 - t) * points + t * target
    centers = cluster_means(points, labels, np.tile(points.mean(axis=0), (k, 1)), weights)
    notes = [f"Every group was moved by {100 * t:.0f} % of the way to the barycentre."]
    met = cost <= delta - 1 + 1e-12
    if not met:
        notes.append(
            f"No intensity reaches a balance of {1 - delta:.2f}: the groups differ in more than "
            "mean and covariance."
            if intensity is None
            else f"This intensity does not reach a balance of {1 - delta:.2f}."
        )
    distance = float(np.average(((moved - points) ** 2).sum(axis=1), weights=weights))
    return InterpolatedTransportResult(
        name="interpolated_transport",
        labels=labels,
        centers=centers,
        cost=distance,
        certificate_name="intensity of the transport",
        certificate=t,
        seconds=time.perf_counter() - started,
        notes=tuple(notes),
        points=points,
        sample_weight=weights,
        intensity=t,
        met=met,
        moved=moved,
        **four_scores(labels, centers, points, [groups], weights),
    )


def to_barycentre(points: Floats, groups: Ints, g: int, weights: Floats | None = None) -> Floats:
    """T_j(x) for every point (n, d)."""
    own = np.ones(len(points)) if weights is None else weights
    shares = np.bincount(groups, weights=own) / own.sum()
    middle = own @ points / own.sum()
    ridge = RIDGE * float(points.var(axis=0).mean() or 1.0) * np.eye(points.shape[1])
    means, spreads = [], []
    for group in range(g):
        inside = groups == group
        part = own[inside] / own[inside].sum()
        means.append(part @ points[inside])
        offset = points[inside] - means[-1]
        spreads.append((part[:, None] * offset).T @ offset + ridge)
    spread = barycentre_covariance(np.stack(spreads), shares)
    target = np.empty_like(points)
    for group in range(g):
        inside = groups == group
        root, inverse = _roots(spreads[group])
        matrix = inverse @ _roots(root @ spread @ root)[0] @ inverse
        target[inside] = middle + (points[inside] - means[group]) @ matrix
    return target


def barycentre_covariance(spreads: Floats, shares: Floats) -> Floats:
    """The S above for covariances (g, d, d) and shares (g,).

    >>> spreads = np.array([[[1.0]], [[9.0]]])
    >>> barycentre_covariance(spreads, np.array([0.5, 0.5])).round(9).tolist()
    [[4.0]]
    """
    spread = np.einsum("j,jde->de", shares, spreads)
    for _ in range(MAX_ITERATIONS):
        root, inverse = _roots(spread)
        mixed = np.zeros_like(spread)
        for share, own in zip(shares, spreads, strict=True):
            mixed += share * _roots(root @ own @ root)[0]
        moved = inverse @ mixed @ mixed @ inverse
        moved = (moved + moved.T) / 2
        change = np.abs(moved - spread).max()
        spread = moved
        if change <= SETTLED * np.abs(spread).max():
            break
    return spread


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """Square root of a symmetric positive matrix (d, d), and the root's inverse."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    roots = np.sqrt(np.maximum(values, 1e-14 * max(float(values[-1]), np.finfo(float).tiny)))
    return (vectors * roots) @ vectors.T, (vectors / roots) @ vectors.T


INTERPOLATED_TRANSPORT = FairAlgorithm(
    "interpolated_transport",
    "Fair interpolated transport",
    "Moves the groups towards each other, as little as suffices, and clusters the moved points.",
    Paper("Ghashti, Hare and Thompson", 2026),
    interpolated_transport,
    needs_groups=True,
    changes="data",
    serves=("balance", "mean-balance", "pairwise-balance", "bounded", "kl", "variation"),
    weighted=True,
    options=(
        Option("delta", 0.2, "Balance must reach 1 - delta."),
        Option("intensity", None, "How far the groups move, from 0 to 1, in place of a search."),
    ),
)
