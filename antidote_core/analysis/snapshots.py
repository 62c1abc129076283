"""One clustering of U as a screen shows it: the plain one, and that of a step of a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from antidote_core.clustering import get_clustering
from antidote_core.fairness import (
    BalanceTable,
    SocialTable,
    balance_from_counts,
    balance_table,
    cluster_counts,
    social_from_costs,
    social_table,
)
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.quality import Quality, quality
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, Step
from antidote_core.types import Dataset, Floats, Ints, Solution


@dataclass(frozen=True, eq=False)
class VanillaReport:
    """A plain clustering, the tables behind both costs, and its quality apart from fairness."""

    solution: Solution
    balance: BalanceTable
    social: SocialTable
    quality: Quality


def vanilla_report(
    data: Dataset, clustering: str, k: int, restarts: int, seed: int
) -> VanillaReport:
    """Cluster the data without antidote points and take both costs from its labels.

    >>> from antidote_core.datasets import load_dataset
    >>> report = vanilla_report(load_dataset("two-optima"), "kmeans", k=2, restarts=10, seed=0)
    >>> round(report.balance.cost, 6)
    -0.3
    """
    solution = Problem(data, clustering, "balance", k, restarts, seed).vanilla
    found = quality(data.points, solution.labels, seed, data.weights)
    return report_of(data, solution, found)


def report_of(data: Dataset, solution: Solution, found: Quality) -> VanillaReport:
    """A plain clustering and its quality, with the tables behind both costs."""
    k = len(solution.centers)
    return VanillaReport(
        solution,
        balance_table(solution.labels, data.groups, k, len(data.group_names), data.weights),
        social_table(solution.labels, solution.centers, data.points, data.groups, data.weights),
        found,
    )


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
    labels, centers = numbered_as(old, new, centers)
    return Snapshot(
        step,
        vanilla.centers,
        centers,
        labels,
        np.asarray(labels != old, dtype=np.int64),
        balance_table(labels, data.groups, spec.k, len(data.group_names), data.weights),
        social_table(labels, centers, data.points, data.groups, data.weights),
    )


def vanilla_tables(view: RunView) -> tuple[BalanceTable, SocialTable]:
    """Both tables of plain clustering, as the run recorded them."""
    assert view.vanilla is not None
    return balance_from_counts(view.vanilla.counts), social_from_costs(view.vanilla.group_costs)


def numbered_as(before: Ints, labels: Ints, centers: Floats) -> tuple[Ints, Floats]:
    """Labels (n,) and centers (k, d) with every cluster under the number it had `before`.

    That is the number of the old cluster it shares most points with, over all pairs together.
    """
    from scipy.optimize import linear_sum_assignment

    k = len(centers)
    _, order = linear_sum_assignment(-cluster_counts(before, labels, k, k))
    return np.argsort(order)[labels], centers[order]
