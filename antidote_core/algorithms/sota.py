"""The fair algorithm that the paper compares each combination with."""

from __future__ import annotations

from typing import Any

from antidote_core import baselines
from antidote_core.errors import SpecError
from antidote_core.problem import Problem


def sota_reference(problem: Problem) -> dict[str, Any]:
    """Name, cost and seconds of the fair algorithm for this combination.

    The cost is scored as F is: by nearest centre for k-means, by its own assignment for spectral
    clustering.
    """
    pair = (problem.clustering.name, problem.fairness.name)
    points, groups, k, seed = problem.points, problem.groups, problem.k, problem.seed
    if pair == ("kmeans", "balance"):
        result = baselines.bera(points, groups, k, seed=seed)
        cost, scoring = result.balance_nearest, "nearest centre"
    elif pair == ("kmeans", "social"):
        result = baselines.fair_lloyd(points, groups, k, seed=seed)
        cost, scoring = result.social_nearest, "nearest centre"
    elif pair == ("spectral", "balance"):
        from antidote_core.clustering.spectral import neighbour_graph

        result = baselines.fair_spectral(neighbour_graph(points), groups, k, seed=seed)
        cost, scoring = result.balance_own, "own assignment"
    else:
        raise SpecError(
            f"No fair algorithm is known here for {problem.clustering.title} with "
            f"{problem.fairness.title.lower()}; choose target 'vanilla' or a number."
        )
    return {"name": result.name, "cost": cost, "scoring": scoring, "seconds": result.seconds}
