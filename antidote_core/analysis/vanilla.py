"""Everything a screen says about the plain clustering of a data set, computed once."""

from __future__ import annotations

from dataclasses import dataclass

from antidote_core.fairness import BalanceTable, SocialTable, balance_table, social_table
from antidote_core.problem import Problem
from antidote_core.quality import Quality, quality
from antidote_core.types import Dataset, Solution


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
    return VanillaReport(
        solution,
        balance_table(solution.labels, data.groups, k, len(data.group_names)),
        social_table(solution.labels, solution.centers, data.points, data.groups),
        quality(data.points, solution.labels, seed),
    )
