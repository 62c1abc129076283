"""The compiled loop of sum-of-norms clustering; `antidote_core.clustering.son` says what it solves.

Pair (i, j), i < j, is row p of the multipliers, in the order (0, 1), (0, 2), ..., (n-2, n-1).
"""

from __future__ import annotations

import numba as nb
import numpy as np

from antidote_core.types import Floats

CHECK_EVERY = 5
ROUND_FROM = 15  # rounding cannot help before the centres have found their neighbours
ROUNDING = (1e-2, 1e-3, 1e-4, 1e-5)  # tried tolerances, in spreads of the points

# Only the order of additions is left to the compiler, so that it can use vector instructions.
_jit = nb.njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc", "contract"})


@_jit
def net_flow(multipliers: Floats, theta: Floats) -> None:
    """theta_i = sum_{j>i} zeta_ij - sum_{j<i} zeta_ji, into theta (n, d)."""
    n, d = theta.shape
    theta[:] = 0.0
    p = 0
    for i in range(n):
        for j in range(i + 1, n):
            for a in range(d):
                theta[i, a] += multipliers[p, a]
                theta[j, a] -= multipliers[p, a]
            p += 1


@_jit
def values(
    points: Floats, lam: float, multipliers: Floats, theta: Floats, distances: Floats
) -> tuple[float, float, float]:
    """Primal value at mu = X - theta, dual value, and their gap.

    The gap is summed from terms >= 0, lambda |mu_i - mu_j| - zeta_ij · (mu_i - mu_j). Fills the
    distances |mu_i - mu_j|, one per pair.
    """
    n, d = points.shape
    fit = 0.0
    dual = 0.0
    for i in range(n):
        for a in range(d):
            fit += theta[i, a] * theta[i, a]
            dual += points[i, a] * theta[i, a]
    norms = 0.0
    gap = 0.0
    p = 0
    for i in range(n):
        for j in range(i + 1, n):
            squared = 0.0
            inner = 0.0
            for a in range(d):
                offset = (points[i, a] - theta[i, a]) - (points[j, a] - theta[j, a])
                squared += offset * offset
                inner += multipliers[p, a] * offset
            distances[p] = np.sqrt(squared)
            norms += lam * distances[p]
            gap += lam * distances[p] - inner
            p += 1
    return 0.5 * fit + norms, dual - 0.5 * fit, gap


@_jit
def rounded(
    points: Floats, lam: float, theta: Floats, distances: Floats, tolerance: float, centers: Floats
) -> float:
    """Centres closer than the tolerance moved to their common mean; the primal value there."""
    n, d = points.shape
    label = np.arange(n)
    p = 0
    for i in range(n):
        for j in range(i + 1, n):
            if distances[p] <= tolerance and label[j] != label[i]:
                kept, lost = min(label[i], label[j]), max(label[i], label[j])
                for b in range(n):
                    if label[b] == lost:
                        label[b] = kept
            p += 1
    counts = np.zeros(n)
    means = np.zeros((n, d))
    for i in range(n):
        counts[label[i]] += 1.0
        for a in range(d):
            means[label[i], a] += points[i, a] - theta[i, a]
    for c in range(n):
        if counts[c] > 0.0:
            for a in range(d):
                means[c, a] /= counts[c]
    value = 0.0
    for i in range(n):
        for a in range(d):
            centers[i, a] = means[label[i], a]
            value += 0.5 * (points[i, a] - centers[i, a]) ** 2
    for c in range(n):
        if counts[c] == 0.0:
            continue
        for e in range(c + 1, n):
            if counts[e] == 0.0:
                continue
            squared = 0.0
            for a in range(d):
                squared += (means[c, a] - means[e, a]) ** 2
            value += lam * counts[c] * counts[e] * np.sqrt(squared)
    return value


@_jit
def ascend(
    points: Floats, lam: float, first: Floats, relative_gap: float, max_iterations: int
) -> tuple[Floats, Floats, float, float, int]:
    """Accelerated projected gradient ascent on the dual, restarted when it turns back.

    `first` holds the multipliers to start from, (n(n-1)/2, d), inside their balls. Returns the
    multipliers, centres (n, d), the primal value there, its gap to the dual value and the number of
    iterations. Centres that belong together but still lie a little apart cost the primal value as
    much as their distance, the dual only its square: so centres are also tried with near ones
    rounded to their mean.
    """
    n, d = points.shape
    current = first.copy()
    previous = first.copy()
    theta = np.empty((n, d))
    net_flow(current, theta)
    theta_previous = theta.copy()
    theta_next = np.empty((n, d))
    at = np.empty((n, d))
    row = np.empty(d)
    trial = np.empty(d)
    distances = np.empty(len(first))
    centers = np.empty((n, d))
    spread = np.sqrt(np.sum(points * points) / n)
    step = 1.0 / n
    t = 1.0
    iteration = 0
    check = 0
    while True:
        if iteration >= check:
            primal, dual, gap = values(points, lam, current, theta, distances)
            if gap <= relative_gap * primal:
                return current, points - theta, primal, gap, iteration
            if iteration >= ROUND_FROM:
                for tolerance in ROUNDING:
                    value = rounded(points, lam, theta, distances, tolerance * spread, centers)
                    if value - dual <= relative_gap * value:
                        return current, centers, value, max(value - dual, 0.0), iteration
            if iteration >= max_iterations:
                return current, points - theta, primal, gap, iteration
            check = min(iteration + max(CHECK_EVERY, iteration // 10), max_iterations)
        t_next = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * t * t))
        beta = (t - 1.0) / t_next
        # theta is linear in zeta, so the centres at the extrapolated multipliers need no pass.
        for i in range(n):
            for a in range(d):
                ahead = theta[i, a] + beta * (theta[i, a] - theta_previous[i, a])
                at[i, a] = (points[i, a] - ahead) * step
        theta_next[:] = 0.0
        turned = 0.0
        p = 0
        for i in range(n):
            row[:] = 0.0
            for j in range(i + 1, n):
                squared = 0.0
                for a in range(d):
                    z = current[p, a]
                    value = z + beta * (z - previous[p, a]) + at[i, a] - at[j, a]
                    trial[a] = value
                    squared += value * value
                scale = 1.0
                if squared > lam * lam:
                    scale = lam / np.sqrt(squared)
                for a in range(d):
                    z = current[p, a]
                    ahead = z + beta * (z - previous[p, a])
                    moved = scale * trial[a]
                    turned += (ahead - moved) * (moved - z)
                    row[a] += moved
                    theta_next[j, a] -= moved
                    previous[p, a] = moved
                p += 1
            for a in range(d):
                theta_next[i, a] += row[a]
        current, previous = previous, current
        theta_previous, theta, theta_next = theta, theta_next, theta_previous
        t = 1.0 if turned > 0.0 else t_next
        iteration += 1
