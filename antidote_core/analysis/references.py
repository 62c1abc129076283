"""Costs that give a target its meaning: plain clustering and the fair algorithm."""

from __future__ import annotations

from antidote_core.analysis.vanilla import VanillaReport
from antidote_core.baselines.registry import SOTA, algorithm_name, baseline_result
from antidote_core.fairness import get_fairness
from antidote_core.problem import Problem
from antidote_core.types import Dataset


def has_baseline(clustering: str, fairness: str) -> bool:
    """Whether there is a fair algorithm to compare this pair with."""
    return (clustering, fairness) in SOTA


def vanilla_cost_of(report: VanillaReport, fairness: str, data: Dataset) -> float:
    """The cost of a plain clustering, of any kind.

    >>> from antidote_core.datasets import load_dataset
    >>> from antidote_core.analysis.vanilla import vanilla_report
    >>> data = load_dataset("two-optima")
    >>> report = vanilla_report(data, "kmeans", k=2, restarts=10, seed=0)
    >>> vanilla_cost_of(report, "social", data) == report.social.cost
    True
    """
    cost = get_fairness(fairness)
    solution = report.solution
    if cost.statistic is None:
        return cost.of_centers(solution.centers, data.points, data.groups)
    return float(cost.statistic(report.balance.counts, report.social.group_costs))


def baseline_scores(
    data: Dataset, clustering: str, fairness: str, k: int, restarts: int, seed: int
) -> dict[str, float]:
    """Cost of the fair algorithm by name and scoring; empty where there is none."""
    if not has_baseline(clustering, fairness):
        return {}
    result = baseline_result(Problem(data, clustering, fairness, k, restarts, seed))
    assert result is not None
    return {
        f"{algorithm_name(result.name)}, {scoring}": costs[fairness]
        for scoring, costs in result.scores.items()
    }
