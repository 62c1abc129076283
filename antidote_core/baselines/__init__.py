"""Fair clustering algorithms to compare with: each returns the same kind of record.

The register `RIVALS` knows them by name and says what each takes and changes; the table `SOTA` says
which of them the paper compares each combination with.

>>> import antidote_core as ac
>>> data = ac.load_dataset("blobs")
>>> fair = ac.baselines.fair_lloyd(data.points, data.groups, k=2)
>>> fair.centers.shape, bool(fair.gap < 1e-6)
((2, 2), True)
"""

from __future__ import annotations

import warnings
from typing import Any

from antidote_core.baselines.bera import BERA, BeraResult, bera
from antidote_core.baselines.fair_algorithm import (
    RIVALS,
    FairAlgorithm,
    Option,
    Paper,
    get_fair_algorithm,
    register_fair_algorithm,
)
from antidote_core.baselines.fair_kmeans import FAIR_KMEANS, FairKMeansResult, fair_kmeans
from antidote_core.baselines.fair_lloyd import (
    FAIR_LLOYD,
    FairLloydResult,
    fair_lloyd,
    fair_lloyd_centers,
)
from antidote_core.baselines.fair_spectral import FAIR_SPECTRAL, FairSpectralResult, fair_spectral
from antidote_core.baselines.fairlets import FAIRLETS, FairletResult, fairlets
from antidote_core.baselines.fewest_moves import FEWEST_MOVES, FewestMovesResult, fewest_moves
from antidote_core.baselines.record import NEAREST, OWN, BaselineResult, BaselineWarning
from antidote_core.baselines.variational import VARIATIONAL, VariationalResult, variational
from antidote_core.errors import SpecError
from antidote_core.problem import Problem

for _entry in (
    BERA, FAIR_LLOYD, FAIR_SPECTRAL, VARIATIONAL, FAIR_KMEANS, FEWEST_MOVES, FAIRLETS,
):  # fmt: skip
    register_fair_algorithm(_entry)
RIVALS.close()

SOTA: dict[tuple[str, str], str] = {
    ("kmeans", "balance"): "bera",
    ("kmeans", "social"): "fair_lloyd",
    ("spectral", "balance"): "fair_spectral",
}


def algorithm_name(name: str) -> str:
    """A fair algorithm as people call it."""
    return RIVALS[name].title if name in RIVALS else name


def baseline_result(problem: Problem) -> BaselineResult | None:
    """The fair algorithm's answer for this clustering and cost; None where there is none."""
    name = SOTA.get((problem.clustering.name, problem.fairness.name))
    if name is None or (problem.weights is not None and not RIVALS[name].weighted):
        return None
    with warnings.catch_warnings():
        # The result's notes say the same, and they are what tables and screens show.
        warnings.simplefilter("ignore", BaselineWarning)
        return RIVALS[name].solved(
            problem.points,
            problem.groups,
            problem.k,
            seed=problem.seed,
            sample_weight=problem.weights,
        )


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
