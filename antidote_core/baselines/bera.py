"""Fair assignment to given centres, after Bera, Chakrabarty, Flores and Negahbani (2019).

The share of every group in every cluster is kept between (1 - delta) r and r / (1 - delta), r being
its share in the whole data; among such assignments the cheapest is wanted. The linear program finds
the cheapest one that may divide points, rounding makes it whole at a violation below 2 points, and
the exact mode finds the cheapest whole one without violation.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from antidote_core.baselines.assignment.highs import Deadline, InfeasibleProgram
from antidote_core.baselines.assignment.sifting import FairBounds, count_masses, sift
from antidote_core.baselines.assignment.whole_assignment import assign_exactly, round_assignment
from antidote_core.baselines.fair_algorithm import FairAlgorithm, Option, Paper
from antidote_core.baselines.record import (
    BaselineResult,
    BaselineWarning,
    check_centers,
    check_delta,
    check_groups_present,
    check_instance,
    four_scores,
    plain_kmeans,
    squared_distances,
)
from antidote_core.errors import DataError, SolverError, SpecError
from antidote_core.types import Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class BeraResult(BaselineResult):
    """`cost` and `lp_cost`: sum of squared distances to the assigned centres, whole and fractional.

    `violation` is the largest number of points by which a cluster misses a bound.
    """

    lp_cost: float
    violation: float


def bera(
    points: Floats,
    groups: Ints | Sequence[Ints],
    k: int,
    delta: float = 0.2,
    centers: Floats | None = None,
    exact: bool = False,
    seed: int = 0,
    *,
    allow_empty: bool = True,
    time_limit: float | None = 120.0,
) -> BeraResult:
    """Assign points (n, d) to centers (k, d) so that every cluster has about the mix of the data.

    `groups` is one vector of codes (n,), or a list of such vectors for overlapping attributes.
    Without `centers`, those of plain k-means are used. `exact` leaves no violation. An empty
    cluster meets every bound, as in the published problem; `allow_empty=False` asks for a point in
    each. `time_limit` is in seconds, for the solver, and None means no limit; an exact mode that
    has found an assignment by then returns it and says how far it may be from the best.

    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]])
    >>> fair = bera(points, np.array([0, 0, 1, 1, 1, 0]), k=2, delta=0.0, exact=True)
    >>> fair.violation, fair.balance_own, fair.balance_nearest  # doctest: +ELLIPSIS
    (0.0, -1.0, -0.666...)
    """
    started = time.perf_counter()
    deadline = Deadline.after(time_limit)
    points, attributes = _check_attributes(points, groups, k)
    delta = check_delta(delta)
    if centers is None:
        centers = plain_kmeans(points, k, seed)[1]
    else:
        centers = check_centers(centers, k, points.shape[1], "centers")
    costs = squared_distances(points, centers)

    types, members = _types(attributes)
    bounds = FairBounds.around_shares(members, np.bincount(types), delta)
    constraints = bounds.rows(k, allow_empty)
    fractional = sift(costs, types, constraints, deadline, seed=seed)
    labels = round_assignment(fractional, costs, types, members, len(attributes), deadline)
    unfinished: tuple[str, ...] = ()
    # Rounding never costs more than the fractional optimum, so without violation it is optimal.
    if exact and bounds.violation(count_masses(labels, types, k, len(members))):
        try:
            whole = assign_exactly(costs, types, constraints, fractional.prices, deadline, seed)
        except InfeasibleProgram:
            raise SpecError(
                f"The bounds are infeasible: no assignment of {len(points)} points to {k} "
                f"non-empty clusters keeps every group within delta={delta:g} of its share without "
                "violation. Raise delta, lower k, or allow empty clusters."
            ) from None
        labels = whole.labels
        if not whole.finished:
            unfinished = (
                f"The exact mode stopped after {time_limit:g} seconds: no violation, but the cost "
                f"may be up to {100 * whole.gap:.2g} % above the optimum.",
            )
            warnings.warn(unfinished[0], BaselineWarning, stacklevel=2)
    masses = count_masses(labels, types, k, len(members))
    violation = bounds.violation(masses)
    if exact and violation:
        raise SolverError(
            f"The solver HiGHS returned masses that miss a bound by {violation:.2g} points. "
            "Change delta slightly."
        )
    return BeraResult(
        name="bera",
        labels=labels,
        centers=centers,
        cost=float(costs[np.arange(len(labels)), labels].sum()),
        certificate_name="largest violation (points)",
        certificate=violation,
        seconds=time.perf_counter() - started,
        notes=_notes(masses, delta, violation) + unfinished,
        points=points,
        sample_weight=None,
        lp_cost=fractional.value,
        violation=violation,
        **four_scores(labels, centers, points, attributes),
    )


def _check_attributes(points: object, groups: Any, k: int) -> tuple[Floats, list[Ints]]:
    """Points (n, d), and one vector of codes per protected attribute."""
    several = isinstance(groups, list | tuple) and len(groups) > 0 and np.ndim(groups[0]) > 0
    if not several and np.ndim(groups) == 2:
        raise DataError(
            "groups must be one vector of codes, or a list of such vectors for several protected "
            f"attributes; got an array of shape {np.shape(groups)}."
        )
    checked = [check_instance(points, codes, k) for codes in (groups if several else [groups])]
    return checked[0][0], [codes for _, codes, _ in checked]


def _types(attributes: Sequence[Ints]) -> tuple[Ints, NDArray[np.bool_]]:
    """Types (n,), one per combination that occurs, and the groups each is in (types, groups)."""
    counts = [check_groups_present(codes) for codes in attributes]
    present, types = np.unique(
        np.ravel_multi_index(tuple(attributes), tuple(counts)), return_inverse=True
    )
    values = np.unravel_index(present, tuple(counts))
    members = [
        value[:, None] == np.arange(count) for value, count in zip(values, counts, strict=True)
    ]
    return types, np.hstack(members)


def _notes(masses: Floats, delta: float, violation: float) -> tuple[str, ...]:
    notes = [
        "The share of a group in a cluster is kept between (1 - delta) and 1 / (1 - delta) times "
        f"its share in the whole data, delta = {delta:g}."
    ]
    if violation:
        notes.append(
            f"Rounding misses a bound by {violation:.2f} points; exact=True leaves no violation."
        )
    empty = np.flatnonzero(masses.sum(axis=1) == 0)
    if len(empty):
        names = ", ".join(str(int(cluster)) for cluster in empty)
        notes.append(
            f"Cluster {names} is empty, which meets every bound but scores balance 0; "
            "allow_empty=False asks for a point in each."
        )
    return tuple(notes)


BERA = FairAlgorithm(
    "bera",
    "Bera et al.",
    "Keeps the centres of plain k-means and assigns people so that no cluster strays from the mix.",
    Paper("Bera, Chakrabarty, Flores and Negahbani", 2019),
    bera,
    needs_groups=True,
    changes="labels",
    serves=("balance", "mean-balance", "pairwise-balance", "bounded", "kl", "variation"),
    options=(
        Option("delta", 0.2, "Shares may lie between 1 - delta and 1 / (1 - delta) of the mix."),
        Option("exact", False, "Whole people without violation, by a mixed-integer program."),
        Option("allow_empty", True, "A cluster may stay empty."),
    ),
)
