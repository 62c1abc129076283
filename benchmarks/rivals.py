"""The paper's own way, as its software would do it: ZOOpt's SRE with RACOS, scikit-learn inside."""

from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
from sklearn.cluster import KMeans

from antidote_core import Problem


def scikit_objective(problem: Problem, size: int, n_init: int) -> Callable[[np.ndarray], float]:
    """F(KMeans(U ∪ V), U) by scikit-learn from scratch; n_init=1 starts at the plain centres."""
    d = problem.points.shape[1]

    def objective(flat: np.ndarray) -> float:
        union = np.vstack([problem.points, flat.reshape(size, d)])
        if n_init == 1:
            model = KMeans(problem.k, init=problem.vanilla.centers, n_init=1)
        else:
            model = KMeans(problem.k, n_init=n_init, random_state=problem.seed)
        centers = model.fit(union).cluster_centers_
        return problem.fairness.of_centers(centers, problem.points, problem.groups)

    return objective


def zoopt_sre(
    objective: Callable[[np.ndarray], float],
    lower: np.ndarray,
    upper: np.ndarray,
    embed_dim: int,
    budget: int,
    seed: int,
) -> tuple[np.ndarray, float]:
    """ZOOpt's own sequential random embedding around RACOS; the best point it evaluated.

    It searches around the origin and knows no box, so points are clipped into it here.
    """
    from zoopt import Dimension, Objective, Opt, Parameter

    dim = len(lower)
    best: list[tuple[float, np.ndarray]] = []

    def value(solution) -> float:
        x = np.clip(np.array(solution.get_x()), lower, upper)
        cost = objective(x)
        if not best or cost < best[0][0]:
            best[:] = [(cost, x)]
        return cost

    with redirect_stdout(StringIO()):
        space = Dimension(dim, [[-1.0, 1.0]] * dim, [True] * dim)
        low = Dimension(embed_dim, [[-1.0, 1.0]] * embed_dim, [True] * embed_dim)
        parameter = Parameter(
            budget=budget,
            high_dim_handling=True,
            reducedim=True,
            num_sre=5,
            low_dimension=low,
            sequential=False,
            seed=seed + 1,
        )
        Opt.min(Objective(value, space), parameter)
    return best[0][1], best[0][0]
