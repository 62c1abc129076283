"""One table: plain clustering, the fair algorithms in both scorings, and antidote data."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from antidote_core.algorithms.algorithm2.grow import run
from antidote_core.analysis.snapshots import VanillaReport
from antidote_core.baselines import (
    NEAREST,
    OWN,
    SOTA,
    BaselineResult,
    algorithm_name,
    baseline_result,
)
from antidote_core.datasets import load_for
from antidote_core.fairness import assigned_squared, cluster_counts, get_fairness, group_means
from antidote_core.geometry import nearest_center
from antidote_core.problem import Problem
from antidote_core.quality import Quality, quality
from antidote_core.runs.spec import FOUR_FIFTHS, RunSpec
from antidote_core.types import Dataset, Floats, Ints, Solution, jsonable

ANTIDOTE = "antidote"
VANILLA = "vanilla"
COSTS = ("balance", "social")  # that every row has


def costs_beside(fairness: str) -> list[str]:
    """The cost that was asked for, and after it the others that every row has.

    >>> costs_beside("social"), costs_beside("gap")
    (['social', 'balance'], ['gap', 'balance', 'social'])
    """
    return [fairness, *(name for name in COSTS if name != fairness)]


NOTHING: Mapping[str, Floats | None] = {}


@dataclass(frozen=True)
class ComparisonRow:
    """One clustering of U: both costs (lower is fairer), quality, seconds, |V| where it has one.

    `scoring` says how the points were given to centres: "own assignment" or "nearest centre".
    `price` of fairness is the part by which the inertia on U rises over plain clustering, and
    `smallest_share` the smallest cluster's share of U.
    """

    name: str
    scoring: str
    balance: float
    social: float
    quality: Quality
    seconds: float
    size: int = 0
    notes: tuple[str, ...] = ()
    price: float = math.nan
    smallest_share: float = math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values fit for JSON, the quality scores beside the costs; no number is None."""
        values = asdict(self)
        values.update(values.pop("quality"))
        plain: dict[str, Any] = jsonable(values)
        return plain


def solution_row(
    problem: Problem,
    name: str,
    antidote: Floats,
    seconds: float,
    notes: tuple[str, ...] = (),
    how: Mapping[str, Floats | None] = NOTHING,
) -> ComparisonRow:
    """The row of C(U ∪ V); V may be empty, and `how` is what `Problem.evaluate` takes besides."""
    solution, tables = problem.cluster(antidote, **how), problem.tables(antidote, **how)
    weight = how.get("weight")
    price, smallest = _guarded(problem, tables.balance.counts, tables.social.group_costs)
    return ComparisonRow(
        name=name,
        scoring=NEAREST if problem.clustering.by_nearest_center else OWN,
        balance=_cost("balance", problem, solution),
        social=_cost("social", problem, solution),
        quality=quality(problem.points, solution.labels, sample_weight=problem.weights),
        seconds=seconds,
        size=len(antidote) if weight is None else math.ceil(weight.sum() - 1e-9),
        notes=notes,
        price=price,
        smallest_share=smallest,
    )


def baseline_rows(problem: Problem, result: BaselineResult) -> list[ComparisonRow]:
    """The two rows of a fair algorithm, one per scoring."""
    nearest, _ = nearest_center(problem.points, result.centers)
    guarded = {
        scoring: _guarded(problem, *_statistics(problem, labels, result.centers))
        for scoring, labels in ((OWN, result.labels), (NEAREST, nearest))
    }
    scores = quality(problem.points, nearest, sample_weight=problem.weights)
    found = {OWN: result.quality, NEAREST: scores}
    return [
        ComparisonRow(
            name=result.name,
            scoring=scoring,
            balance=costs["balance"],
            social=costs["social"],
            quality=found[scoring],
            seconds=result.seconds,
            notes=result.notes,
            price=guarded[scoring][0],
            smallest_share=guarded[scoring][1],
        )
        for scoring, costs in result.scores.items()
    ]


def run_comparison(
    spec: RunSpec,
    data: Dataset,
    antidote: Floats,
    seconds: float,
    how: Mapping[str, Floats | None] = NOTHING,
) -> Iterator[ComparisonRow]:
    """The rows beside one run: plain clustering, its fair algorithm in both scorings, the run.

    `how` as in `solution_row`.
    """
    begun = time.perf_counter()
    problem = Problem.of(spec, data)
    plain_seconds = time.perf_counter() - begun
    yield solution_row(problem, VANILLA, data.points[:0], plain_seconds)
    if len(antidote):
        yield solution_row(problem, ANTIDOTE, antidote, seconds, how=how)
    baseline = baseline_result(problem)
    if baseline is not None:
        yield from baseline_rows(problem, baseline)


def compare(spec: RunSpec, data: Dataset | None = None) -> Iterator[ComparisonRow]:
    """Rows for one data set, clustering and k, as they are ready.

    Plain clustering first, then every fair algorithm for this clustering, then antidote data for
    each cost that has one, with the settings of `spec`. A target that is a number or four fifths is
    one of the cost asked for; the other cost is to be better than that of plain clustering.
    """
    if data is None:
        data = load_for(spec)
    costs = [fairness for clustering, fairness in SOTA if clustering == spec.clustering]
    costs = costs or [spec.fairness]
    begun = time.perf_counter()
    problem = Problem(data, spec.clustering, costs[0], spec.k, spec.restarts, spec.seed)
    seconds = time.perf_counter() - begun
    yield solution_row(problem, VANILLA, data.points[:0], seconds)
    for fairness in costs:
        judged = Problem(data, spec.clustering, fairness, spec.k, spec.restarts, spec.seed)
        baseline = baseline_result(judged)
        if baseline is not None:
            yield from baseline_rows(judged, baseline)
    for fairness in costs:
        result = run(replace(spec, fairness=fairness, target=_target(spec, fairness)), data)
        share = result.verification.share if result.verification else 0.0
        note = f"{result.reason}; {share:.0%} of independent clusterings agree"
        yield solution_row(
            problem, f"{ANTIDOTE} for {fairness}", result.antidote, result.seconds, (note,),
            result.how,
        )  # fmt: skip


def _target(spec: RunSpec, fairness: str) -> str | float:
    """The target for another cost than the one asked for: a share or a number is not its own.

    >>> _target(RunSpec("blobs", target="four_fifths"), "social")
    'vanilla'
    """
    meant_for_all = isinstance(spec.target, str) and spec.target != FOUR_FIFTHS
    return spec.target if fairness == spec.fairness or meant_for_all else VANILLA


def _cost(name: str, problem: Problem, solution: Solution) -> float:
    cost, of_u = get_fairness(name), (problem.points, problem.groups, problem.weights)
    if problem.clustering.by_nearest_center:
        return cost.of_centers(solution.centers, *of_u)
    return cost.of_labels(solution.labels, solution.centers, *of_u)


def _statistics(problem: Problem, labels: Ints, centers: Floats) -> tuple[Floats, Floats]:
    """Counts (k, g) and average group costs (g,) of labels and centres that are given."""
    g = int(problem.groups.max()) + 1
    squared = assigned_squared(labels, centers, problem.points)
    counts = cluster_counts(labels, problem.groups, len(centers), g, problem.weights)
    return counts, group_means(squared, problem.groups, g, problem.weights)


def _guarded(problem: Problem, counts: Floats, group_costs: Floats) -> tuple[float, float]:
    """What the guard measures, limits or not: price of fairness and smallest cluster's share."""
    return problem.guard.price(counts, group_costs), problem.guard.smallest_share(counts)


def has_baseline(clustering: str, fairness: str) -> bool:
    """Whether there is a fair algorithm to compare this pair with."""
    return (clustering, fairness) in SOTA


def vanilla_cost_of(report: VanillaReport, fairness: str, data: Dataset) -> float:
    """The cost of a plain clustering, of any kind.

    >>> from antidote_core.datasets import load_dataset
    >>> from antidote_core.analysis.snapshots import vanilla_report
    >>> data = load_dataset("two-optima")
    >>> report = vanilla_report(data, "kmeans", k=2, restarts=10, seed=0)
    >>> vanilla_cost_of(report, "social", data) == report.social.cost
    True
    """
    cost = get_fairness(fairness)
    solution = report.solution
    if cost.statistic is None:
        return cost.of_centers(solution.centers, data.points, data.groups, data.weights)
    return float(cost.statistic(report.balance.counts, report.social.group_costs))


def baseline_scores(
    data: Dataset, clustering: str, fairness: str, k: int, restarts: int, seed: int
) -> dict[str, float]:
    """Cost of the fair algorithm by name and scoring; empty where there is none."""
    if not has_baseline(clustering, fairness):
        return {}
    problem = Problem(data, clustering, fairness, k, restarts, seed, compiled=False)
    result = baseline_result(problem)
    if result is None:  # not for rows with weights
        return {}
    return {
        f"{algorithm_name(result.name)}, {scoring}": costs[fairness]
        for scoring, costs in result.scores.items()
    }
