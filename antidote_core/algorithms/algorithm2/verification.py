"""Do independent clusterings agree? Does V last? How much does plain cost move with the seed?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from antidote_core.problem import Problem
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Half
from antidote_core.runs.spec import LOWEST, RunSpec
from antidote_core.runs.target import Verification, meets
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset, Floats, Ints

CHECKS = 4
RESTARTS = 10
NOISE_SEEDS = 4
# Keys that keep these seeds apart from those of the run.
FRESH, SPREAD = 101, 103
_NOISE = 102
_HALVES, _UNSEEN = 104, 105


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
    weight: Floats | None = None,
) -> Iterator[int | Verification]:
    """`verify`, step by step: the number of checks done so far, and at last what they say.

    `key` sets the seeds; `weight` (m,) is that of the points of V, 1 each where it is left out.
    """
    fits = []
    for seed in _seeds(problem.seed, key, checks):
        fits.append(problem.independent(antidote, RESTARTS, seed, weight))
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


def halves(groups: Ints, seed: int) -> tuple[Ints, Ints]:
    """The rows of two random halves of U, each with half of every group (n,), give or take one.

    >>> first, second = halves(np.array([0, 0, 0, 0, 1, 1]), seed=0)
    >>> sorted([*first, *second]) == list(range(6))
    True
    """
    rng = np.random.default_rng([seed, _HALVES])
    order = np.concatenate(
        [rng.permutation(np.flatnonzero(groups == j)) for j in np.unique(groups)]
    )
    return np.sort(order[::2]), np.sort(order[1::2])


def for_half(spec: RunSpec) -> RunSpec:
    """The same settings for half of the data, with half as many points.

    >>> for_half(RunSpec(dataset="bank", start_size=10, max_size=101)).max_size
    51
    """
    sizes = {name: getattr(spec, name) for name in ("start_size", "step", "max_size")}
    halved = {name: (size + 1) // 2 for name, size in sizes.items() if size is not None}
    return replace(spec, **halved, holdout=False)


def held_out(
    spec: RunSpec, data: Dataset, find: Callable[[RunSpec, Dataset], RunView], checks: int = CHECKS
) -> Iterator[Half]:
    """Does V last? It is found on each half of U by `find`, and added to the other.

    There it is judged by independent clusterings, against the target of the half it was found on,
    or, where plain clustering is to be beaten, against plain clustering of the half it is tried on.
    """
    parts = [data.take(rows) for rows in halves(data.groups, spec.seed)]
    for seen, unseen in (parts, parts[::-1]):
        view = find(for_half(spec), seen)
        if view.verification is None:
            return  # stopped
        problem = Problem.of(spec, unseen)
        target, strict = view.target, view.strict
        if spec.target in ("vanilla", LOWEST):
            target, strict = problem.vanilla.cost, True
        *_, tried = verifying(
            problem, view.antidote, target, strict, checks, _UNSEEN, view.antidote_weights
        )
        assert isinstance(tried, Verification)
        yield Half(
            points=seen.n,
            size=view.size,
            plain=view.vanilla_cost,
            cost=_counted(view.verification, view.vanilla_cost) if view.size else view.vanilla_cost,
            unseen_plain=problem.vanilla.cost,
            unseen_cost=_counted(tried, problem.vanilla.cost),
            share=tried.share,
            met=tried.confirmed,
        )


def _counted(found: Verification, plain: float) -> float:
    """The cost of the best clustering; one that breaks the guard has gained nothing."""
    return found.best_cost if found.kept else max(found.best_cost, plain)
