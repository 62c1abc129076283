"""The centre step of Fair-Lloyd for any number of groups, with a certificate.

At fixed labels group j pays on average

    f_j(C) = within_j + sum_c a_cj |C_c - mu_cj|^2,    a_cj = n_cj / n_j,

where mu_cj is the mean of group j in cluster c and within_j the average scatter around these means.
The centres wanted minimise max_j f_j. Its dual maximises, over weights w on the groups that are not
negative and sum to 1, the concave

    D(w) = sum_j w_j f_j(C(w)),    C_c(w) = sum_j w_j a_cj mu_cj / sum_j w_j a_cj,

whose gradient is f(C(w)). For any w the cost lies between D(w) and max_j f_j(C(w)), so their gap
certifies the centres. D is maximised by Newton steps on D + nu sum log w as nu goes to 0, in
as many variables as there are groups.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from antidote_core.types import Floats, Ints

RELATIVE_GAP = 1e-12
SHRINK = 0.03
MAX_STEPS = 300


@dataclass(frozen=True, eq=False)
class CentreStep:
    """Centres (k, d), the weights (g,) that prove them, the cost max_j f_j, and the duality gap."""

    centers: Floats
    weights: Floats
    cost: float
    gap: float


@dataclass(frozen=True, eq=False)
class LabelledGroups:
    """What the centre step needs of the points: shares a (k, g), means (k, g, d), within (g,)."""

    shares: Floats
    means: Floats
    within: Floats

    @classmethod
    def of(cls, points: Floats, groups: Ints, labels: Ints, k: int, g: int) -> LabelledGroups:
        """Statistics of points (n, d) with groups and labels (n,)."""
        n = len(points)
        cells = labels * g + groups
        counts = np.bincount(cells, minlength=k * g).astype(np.float64)
        member = sparse.csr_array((np.ones(n), (cells, np.arange(n))), shape=(k * g, n))
        means = (member @ points) / np.maximum(counts, 1)[:, None]
        offset = points - means[cells]
        sizes = np.bincount(groups, minlength=g)
        scatter = np.bincount(groups, weights=np.einsum("ij,ij->i", offset, offset), minlength=g)
        return cls(counts.reshape(k, g) / sizes, means.reshape(k, g, -1), scatter / sizes)

    def centers(self, weights: Floats) -> Floats:
        """C(w), (k, d); NaN for a cluster without points."""
        pull = self.shares * weights
        total = pull.sum(axis=1)
        moved = np.einsum("cj,cjd->cd", pull, self.means)
        return np.divide(
            moved, total[:, None], out=np.full_like(moved, np.nan), where=total[:, None] > 0
        )

    def group_costs(self, centers: Floats) -> Floats:
        """f_j, (g,)."""
        offset = np.nan_to_num(centers[:, None, :] - self.means)
        return self.within + np.einsum("cj,cjd,cjd->j", self.shares, offset, offset)

    def curvature(self, weights: Floats, centers: Floats) -> Floats:
        """Second derivative of D, (g, g): -2 sum_c a_cj a_cl (mu_cj - C_c)(mu_cl - C_c) / s_c."""
        pull = (self.shares * weights).sum(axis=1)
        offset = np.nan_to_num(self.means - centers[:, None, :]) * self.shares[:, :, None]
        inverse = np.divide(1.0, pull, out=np.zeros_like(pull), where=pull > 0)
        return np.asarray(-2.0 * np.einsum("c,cjd,cld->jl", inverse, offset, offset))


def fair_centre_step(statistics: LabelledGroups) -> CentreStep:
    """Centres that minimise the largest group cost at these labels."""
    g = len(statistics.within)
    state = best = _State.at(statistics, np.full(g, 1.0 / g))
    barrier = best.gap / g
    for _ in range(MAX_STEPS):
        if best.gap <= RELATIVE_GAP * best.cost or barrier * g <= 0.01 * RELATIVE_GAP * best.cost:
            break
        state, promised = _newton(statistics, state, barrier)
        if state.gap < best.gap:
            best = state
        if promised < barrier:
            barrier *= SHRINK
    return CentreStep(best.centers, best.weights, best.cost, best.gap)


@dataclass(frozen=True, eq=False)
class _State:
    """Weights (g,) with their centres and group costs (g,)."""

    weights: Floats
    centers: Floats
    costs: Floats

    @classmethod
    def at(cls, statistics: LabelledGroups, weights: Floats) -> _State:
        centers = statistics.centers(weights)
        return cls(weights, centers, statistics.group_costs(centers))

    @property
    def cost(self) -> float:
        return float(self.costs.max())

    @property
    def gap(self) -> float:
        return max(0.0, self.cost - float(self.weights @ self.costs))

    def value(self, barrier: float) -> float:
        return float(self.weights @ self.costs + barrier * np.log(self.weights).sum())


def _newton(statistics: LabelledGroups, state: _State, barrier: float) -> tuple[_State, float]:
    """One damped Newton step on D(w) + barrier * sum log w, and how much it promised to gain."""
    weights = state.weights
    g = len(weights)
    slope = state.costs + barrier / weights
    system = np.zeros((g + 1, g + 1))
    curvature = statistics.curvature(weights, state.centers)
    system[:g, :g] = curvature - np.diag(barrier / weights**2)
    system[:g, g] = system[g, :g] = 1.0
    step = np.linalg.solve(system, np.append(-slope, 0.0))[:g]
    promised = float(slope @ step)
    shrinking = step < 0
    length = 1.0
    if shrinking.any():
        length = min(1.0, 0.99 * float((-weights[shrinking] / step[shrinking]).min()))
    value = state.value(barrier)
    while length > 1e-10:
        moved = weights + length * step
        trial = _State.at(statistics, moved / moved.sum())
        if trial.value(barrier) >= value + 0.1 * length * promised:
            return trial, promised
        length *= 0.5
    return state, 0.0
