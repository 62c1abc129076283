"""Do independent clusterings agree? And how much does the plain cost move from seed to seed?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from antidote_core.problem import Problem
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import Verification, meets
from antidote_core.types import Dataset, Floats

CHECKS = 4
RESTARTS = 10
NOISE_SEEDS = 4
# Keys that keep these seeds apart from those of the run.
FRESH, SPREAD = 101, 103
_NOISE = 102


def verify(
    problem: Problem, antidote: Floats, target: float, strict: bool, checks: int = CHECKS
) -> Verification:
    """Cluster U ∪ V anew, `checks` times with 10 restarts each, by the plain clustering."""
    *_, verification = verifying(problem, antidote, target, strict, checks)
    assert isinstance(verification, Verification)
    return verification


def verifying(
    problem: Problem,
    antidote: Floats,
    target: float,
    strict: bool,
    checks: int = CHECKS,
    key: int = FRESH,
) -> Iterator[int | Verification]:
    """`verify`, step by step: the number of checks done so far, and at last what they say.

    `key` sets the seeds.
    """
    fits = []
    for seed in _seeds(problem.seed, key, checks):
        fits.append(problem.independent(antidote, RESTARTS, seed))
        yield len(fits)
    costs = [fit.cost for fit in fits]
    best = min(range(checks), key=lambda i: fits[i].objective)
    met = [fit.kept and meets(fit.cost, target, strict) for fit in fits]
    judge = fits[best]
    yield Verification(
        tuple(costs),
        judge.cost,
        sum(met) / checks,
        met[best],
        judge.antidote_only,
        RESTARTS,
        judge.smallest_share,
        judge.price,
        judge.kept,
    )


def noise(problem: Problem, seeds: int = NOISE_SEEDS) -> tuple[float, ...]:
    """Cost of the plain clustering of U for other seeds, with the run's number of restarts."""
    none = problem.points[:0]
    return tuple(
        problem.independent(none, problem.restarts, seed).cost
        for seed in _seeds(problem.seed, _NOISE, seeds)
    )


def cached_noise(cache: ProblemCache, spec: RunSpec, data: Dataset) -> tuple[float, ...]:
    """The noise of a problem, computed at the first call."""
    return cache.once("noise", spec, data, lambda: noise(cache.problem(spec, data)))


def _seeds(seed: int, key: int, count: int) -> list[int]:
    return [int(s) for s in np.random.SeedSequence([seed, key]).generate_state(count)]
