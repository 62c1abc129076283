"""Algorithm 1's program as the paper states it: for teaching, for tests and for the paper's times.

It gives what `algorithm1.solve.surrogate` has in closed form, in seconds instead of microseconds.
And sum-of-norms clustering as a cone program, the way the paper solved it. Modelled by cvxpy,
solved by Clarabel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.algorithm1.solve import check_gamma, check_size
from antidote_core.errors import SolverError, SpecError, optional_packages
from antidote_core.geometry import check_points
from antidote_core.types import Floats, Ints

# Numbers in eta, one vector per pair of points; the paper's largest case (LFW) has about 480,000.
MAX_NUMBERS = 500_000


@dataclass(frozen=True, eq=False)
class ProgramAnswer:
    """V (size, d), of which only the mean is determined, and the smallest promised cost."""

    antidote: Floats
    promised: float


def literal_program(points: Floats, groups: Ints, gamma: float, size: int) -> ProgramAnswer:
    """All variables of the paper: V, mu, eta, theta, zeta, and the optimality conditions.

    minimise F_social(mu, U) subject to theta + mu = U ∪ V, eta = gamma (eta + zeta), muᵀ I = eta,
    I zetaᵀ = theta, with I the node-arc incidence of all pairs.
    """
    points, groups, g = check_points(points, groups)
    check_gamma(gamma)
    check_size(size)
    n, d = points.shape
    m = n + size
    pairs = m * (m - 1) // 2
    if pairs * d > MAX_NUMBERS:
        most = int(np.sqrt(2 * MAX_NUMBERS / d)) - size
        raise SpecError(
            f"The literal program has one variable per pair of points and feature, and {n:,} "
            f"points with {d} features are too many for it; wanted at most about {max(most, 1):,}. "
            "Take a sample, or the closed form, which gives the same."
        )
    with optional_packages():
        import cvxpy as cp
    from scipy.sparse import coo_array

    first, second = np.triu_indices(m, 1)
    arcs = np.arange(pairs)
    incidence = coo_array(
        (np.repeat([1.0, -1.0], pairs), (np.concatenate([first, second]), np.tile(arcs, 2))),
        shape=(m, pairs),
    ).tocsr()
    antidote = cp.Variable((size, d))
    mu, theta = cp.Variable((m, d)), cp.Variable((m, d))
    eta, zeta = cp.Variable((d, pairs)), cp.Variable((d, pairs))
    constraints = [
        theta + mu == cp.vstack([points, antidote]),
        eta == gamma * (eta + zeta),
        eta == (incidence.T @ mu).T,
        incidence @ zeta.T == theta,
    ]
    costs = []
    for j in range(g):
        rows = np.flatnonzero(groups == j)
        costs.append(cp.sum_squares(points[rows] - mu[rows]) / len(rows))
    cost = cp.maximum(*costs) if len(costs) > 1 else costs[0]
    problem = cp.Problem(cp.Minimize(cost), constraints)
    try:
        problem.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise SolverError(
            f"The program could not be solved: {error} Use the closed form."
        ) from None
    if problem.status != cp.OPTIMAL:
        raise SolverError(
            f"The program could not be solved ({problem.status}); use the closed form."
        )
    return ProgramAnswer(np.asarray(antidote.value), float(problem.value))


def literal_clustering(points: Floats, lam: float) -> float:
    """The smallest value of the sum-of-norms objective, with one cone per pair of points."""
    with optional_packages():
        import cvxpy as cp

    first, second = np.triu_indices(len(points), 1)
    mu = cp.Variable(points.shape)
    norms = cp.norm(mu[first] - mu[second], 2, axis=1)
    problem = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(points - mu) + lam * cp.sum(norms)))
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value)
