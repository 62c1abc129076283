"""What to try when a search does not get anywhere."""

from __future__ import annotations

import math
from dataclasses import dataclass

from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.geometry import nearest_center
from antidote_core.optimizers.structured import switch_points
from antidote_core.problem import Problem
from antidote_core.types import Floats


@dataclass(frozen=True)
class Switch:
    """Another optimum of k-means on U that is fairer, and what it would take to get there.

    It costs `cost`, has `lead` (a part) more inertia than plain clustering, and about `size`
    antidote points at one place would make up for that.
    """

    cost: float
    lead: float
    size: int

    @property
    def sentence(self) -> str:
        """What to do about it."""
        return (
            f"k-means knows another clustering of these data, of cost {self.cost:.3f}, with "
            f"{self.lead:.1%} more inertia. About {self.size:,} antidote points at one place would "
            f"tip the scales. Try a first size (V_s) of {self.size:,} or more, or the optimizer "
            "'design', which places points for such a switch."
        )


def nearest_switch(problem: Problem, box: tuple[Floats, Floats]) -> Switch | None:
    """The fairer optimum of k-means that takes fewest points; None where none is known."""
    evaluator = problem.evaluator
    if not isinstance(evaluator, KMeansEvaluator):
        return None
    plain = problem.rank(problem.points[:0])
    home, lowest = evaluator.basins[0], evaluator.basin_inertias[0]
    found = []
    for other, inertia in zip(evaluator.basins[1:], evaluator.basin_inertias[1:], strict=True):
        rank = problem.rank_of(other, *evaluator.at(other))
        places = switch_points(home, other, *box)
        if rank >= plain or not places:
            continue
        best = places[0][None]
        gain = float(nearest_center(best, home)[1][0] - nearest_center(best, other)[1][0])
        if gain > 0.0:
            size = math.ceil((inertia - lowest) / gain)
            found.append(Switch(problem.cost_at_rank(rank), float(inertia / lowest) - 1.0, size))
    return min(found, key=lambda switch: switch.size, default=None)
