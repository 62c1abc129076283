"""One step of a run as seen on U: who is in which cluster, and who changed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.clustering import get_clustering
from antidote_core.fairness import (
    BalanceTable,
    SocialTable,
    balance_from_counts,
    balance_table,
    social_from_costs,
    social_table,
)
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, Step
from antidote_core.types import Dataset, Floats, Ints


@dataclass(frozen=True, eq=False)
class Snapshot:
    """C(U ∪ V) at one step; clusters are numbered as in plain clustering.

    `before` are the plain centres (k, d), `changed` (n,) the points that are in another cluster
    than under plain clustering.
    """

    step: Step
    before: Floats
    centers: Floats
    labels: Ints
    changed: Ints
    balance: BalanceTable
    social: SocialTable


def snapshot(data: Dataset, spec: RunSpec, view: RunView, index: int) -> Snapshot:
    """The clustering of U at step `index` of the run.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=1)
    >>> shot = snapshot(load_dataset("blobs"), spec, run(spec), 1)
    >>> shot.balance.cost == shot.step.cost, len(shot.step.antidote)
    (True, 3)
    """
    vanilla, step = view.steps[0], view.steps[index]
    if get_clustering(spec.clustering).by_nearest_center:
        old, _ = nearest_center(data.points, vanilla.centers)
        new, _ = nearest_center(data.points, step.centers)
        centers = step.centers
    else:
        problem = Problem.of(spec, data)
        solution = problem.cluster(step.antidote)
        old, new, centers = problem.vanilla.labels, solution.labels, solution.centers
    order = _matching(old, new, spec.k)
    places = np.empty_like(order)
    places[order] = np.arange(spec.k)
    labels, centers = places[new], centers[order]
    return Snapshot(
        step,
        vanilla.centers,
        centers,
        labels,
        np.asarray(labels != old, dtype=np.int64),
        balance_table(labels, data.groups, spec.k, len(data.group_names)),
        social_table(labels, centers, data.points, data.groups),
    )


def vanilla_tables(view: RunView) -> tuple[BalanceTable, SocialTable]:
    """Both tables of plain clustering, as the run recorded them."""
    assert view.vanilla is not None
    return balance_from_counts(view.vanilla.counts), social_from_costs(view.vanilla.group_costs)


def _matching(old: Ints, new: Ints, k: int) -> Ints:
    """The new cluster (k,) that shares most points with each old one, over all pairs together."""
    from scipy.optimize import linear_sum_assignment

    shared = np.zeros((k, k))
    np.add.at(shared, (old, new), 1)
    return np.asarray(linear_sum_assignment(-shared)[1])
