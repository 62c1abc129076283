"""Fair clustering algorithms to compare with: each returns the same kind of record.

The table `SOTA` says which of them the paper compares each combination with.

>>> import antidote_core as ac
>>> data = ac.load_dataset("blobs")
>>> fair = ac.baselines.fair_lloyd(data.points, data.groups, k=2)
>>> fair.centers.shape, bool(fair.gap < 1e-6)
((2, 2), True)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from antidote_core.baselines.bera import BeraResult, bera
from antidote_core.baselines.fair_lloyd import FairLloydResult, fair_lloyd, fair_lloyd_centers
from antidote_core.baselines.fair_spectral import FairSpectralResult, fair_spectral
from antidote_core.baselines.record import NEAREST, OWN, BaselineResult, BaselineWarning
from antidote_core.errors import SpecError
from antidote_core.problem import Problem

Baseline = Callable[[Problem], BaselineResult]


def _fair_spectral(problem: Problem) -> BaselineResult:
    from antidote_core.clustering.spectral import neighbour_graph

    graph = neighbour_graph(problem.points)
    return fair_spectral(graph, problem.groups, problem.k, seed=problem.seed, points=problem.points)


def _bera(problem: Problem) -> BaselineResult:
    return bera(problem.points, problem.groups, problem.k, seed=problem.seed)


def _fair_lloyd(problem: Problem) -> BaselineResult:
    return fair_lloyd(
        problem.points,
        problem.groups,
        problem.k,
        seed=problem.seed,
        sample_weight=problem.weights,
    )


SOTA: dict[tuple[str, str], Baseline] = {
    ("kmeans", "balance"): _bera,
    ("kmeans", "social"): _fair_lloyd,
    ("spectral", "balance"): _fair_spectral,
}
WEIGHTED = {("kmeans", "social")}  # the others assign whole points, one each
NAMES = {"bera": "Bera et al.", "fair_lloyd": "Fair-Lloyd", "fair_spectral": "fair spectral"}


def algorithm_name(name: str) -> str:
    """A fair algorithm as people call it."""
    return NAMES.get(name, name)


def baseline_result(problem: Problem) -> BaselineResult | None:
    """The fair algorithm's answer for this clustering and cost; None where there is none."""
    pair = (problem.clustering.name, problem.fairness.name)
    baseline = SOTA.get(pair)
    if baseline is None or (problem.weights is not None and pair not in WEIGHTED):
        return None
    with warnings.catch_warnings():
        # The result's notes say the same, and they are what tables and screens show.
        warnings.simplefilter("ignore", BaselineWarning)
        return baseline(problem)


def baseline_reference(problem: Problem) -> dict[str, Any]:
    """Name, cost, scoring and seconds of the fair algorithm, as the target of a run.

    The cost is scored as F is: by nearest centre, except where the clustering's own labels are not
    those of the nearest centre.
    """
    result = baseline_result(problem)
    if result is None:
        weighted = "" if problem.weights is None else " on rows with weights"
        raise SpecError(
            f"No fair algorithm is known here for {problem.clustering.title} with "
            f"{problem.fairness.title.lower()}{weighted}; choose target 'vanilla' or a number."
        )
    scoring = NEAREST if problem.clustering.by_nearest_center else OWN
    cost = result.scores[scoring][problem.fairness.name]
    return {"name": result.name, "cost": cost, "scoring": scoring, "seconds": result.seconds}
