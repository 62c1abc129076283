"""Fuzzy c-means (Bezdek 1981): everyone belongs to every cluster in part, more to nearer ones.

    minimise  J = sum_i w_i sum_c u_ic^m |x_i - v_c|^2    with sum_c u_ic = 1, u >= 0

by turns: with centres v fixed, u_ic is in proportion to |x_i - v_c|^(-2 / (m - 1)); with u fixed,
v_c is the mean of the points with weights w_i u_ic^m. J never rises. With m near 1 memberships are
0 or 1 and this is k-means; m = 2 is the usual choice. The highest membership is that of the nearest
centre. Where clusters overlap in many features, memberships even out and centres run together: that
is the method, and such a clustering is hollow.
"""

from __future__ import annotations

import numpy as np

from antidote_core.clustering.kmeans import check_k
from antidote_core.geometry import nearest_center
from antidote_core.types import Clustering, Floats

FUZZINESS = 2.0  # m
MAX_ITERATIONS = 300
SETTLED = 1e-9  # a relative fall of J below this ends the turns


def fit_fuzzy_cmeans(
    points: Floats,
    k: int,
    restarts: int = 10,
    seed: int = 0,
    sample_weight: Floats | None = None,
    fuzziness: float = FUZZINESS,
) -> Clustering:
    """The lowest J of `restarts` k-means++ starts; labels are those of the highest membership.

    >>> found = fit_fuzzy_cmeans(np.array([[0.0], [1.0], [8.0], [9.0]]), k=2)
    >>> np.sort(found.centers.ravel()).round(2).tolist()
    [0.5, 8.5]
    """
    from sklearn.cluster import kmeans_plusplus

    check_k(points, k)
    weights = np.ones(len(points)) if sample_weight is None else sample_weight
    best: tuple[float, Floats] | None = None
    for draw in np.random.SeedSequence(seed).generate_state(restarts):
        start, _ = kmeans_plusplus(points, k, sample_weight=sample_weight, random_state=int(draw))
        found = _by_turns(points, start, weights, fuzziness)
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    objective, centers = best
    return Clustering(centers, nearest_center(points, centers)[0], objective)


def memberships(points: Floats, centers: Floats, fuzziness: float) -> tuple[Floats, Floats]:
    """Memberships (n, k), rows of which add up to 1, and squared distances (n, k).

    A point on a centre belongs there; on several equal ones, to all of them alike.

    >>> memberships(np.array([[0.0], [1.0]]), np.array([[0.0], [3.0]]), 2.0)[0].round(2).tolist()
    [[1.0, 0.0], [0.8, 0.2]]
    """
    squared = np.stack([((points - center) ** 2).sum(axis=1) for center in centers], axis=1)
    nearest = squared.min(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore", under="ignore"):
        # In parts of the nearest distance: no overflow for m near 1.
        parts = np.where(nearest > 0.0, nearest / squared, squared == 0.0)
        parts = parts ** (1.0 / (fuzziness - 1.0))
    return parts / parts.sum(axis=1, keepdims=True), squared


def _by_turns(
    points: Floats, centers: Floats, weights: Floats, fuzziness: float
) -> tuple[float, Floats]:
    """J and the centres (k, d) after the last turn."""
    before = np.inf
    for _ in range(MAX_ITERATIONS):
        parts, squared = memberships(points, centers, fuzziness)
        powers = weights[:, None] * parts**fuzziness
        objective = float((powers * squared).sum())
        if before - objective <= SETTLED * objective:
            break
        before = objective
        held = powers.sum(axis=0)
        moved = powers.T @ points / np.where(held > 0.0, held, 1.0)[:, None]
        centers = np.where(held[:, None] > 0.0, moved, centers)
    return objective, centers
