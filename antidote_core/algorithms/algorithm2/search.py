"""Algorithm 2 by search: one minimisation of F over V per size."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator

import msgspec
import numpy as np

from antidote_core.algorithms.algorithm2.sizes import Sizes
from antidote_core.algorithms.steps import in_thread, relayed
from antidote_core.clustering.kmeans import KMeansEvaluator
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box, Minimise, Minimum, OnEval
from antidote_core.places import Place
from antidote_core.problem import OUTSIDE, Problem
from antidote_core.runs.events import Progress, Round
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import meets
from antidote_core.runs.view import pack
from antidote_core.types import Floats

REPORT_EVERY = 20  # evaluations between two reports of an improvement within a round
REPORT_LATEST = 100  # evaluations after which there is a report even without an improvement

Cancel = Callable[[], bool]
Report = tuple[int, float]  # evaluations so far, and the best rank


def searched_rounds(
    spec: RunSpec,
    problem: Problem,
    place: Place,
    target: float,
    strict: bool,
    sizes: Sizes,
    stop: Cancel,
) -> Iterator[Progress | Round]:
    """Events: one search per size, each from the V of the last."""
    optimizer = get_optimizer(spec.optimizer)
    evaluations = 0
    index = 0
    previous = problem.points[:0]
    before = lead(problem, previous, target, strict)
    while (size := sizes.next()) is not None and not stop():
        minimise = optimizer.minimiser(problem, size, spec.embed_dim, place)
        rng = np.random.default_rng([spec.seed, index])
        start = _extended(problem, previous, size, rng) if spec.growth != "restart" else None
        reports = _search(problem, place, minimise, size, spec.budget, rng, start, stop)
        spent = evaluations

        def told(report: Report | None, index: int = index, spent: int = spent) -> Progress:
            assert report is not None
            count, rank = report
            shown = problem.cost_at_rank(rank)
            return Progress(index=index, size=size, cost=shown, evaluations=spent + count)

        found = yield from relayed(reports, told)
        evaluations += found.evaluations
        if found.evaluations == 0:
            break
        antidote = place.snap(found.x.reshape(size, -1))
        reached = found.value < OUTSIDE and meets(problem.cost_at_rank(found.value), target, strict)
        yield Round(
            index=index,
            size=size,
            antidote=pack(antidote, place.rows_of(antidote)),
            reached=reached,
            evaluations=evaluations,
            contest=_contest(before, lead(problem, antidote, target, strict)),
            **problem.outcome(antidote),
        )
        previous = antidote
        sizes.record(size, reached, rank=found.value)
        index += 1


def lead(problem: Problem, antidote: Floats, target: float, strict: bool) -> float | None:
    """By how much k-means on U ∪ V prefers a clustering that misses the target, in inertia.

    Of the optima of U, each followed to where it moves with V = antidote (m, d): the lowest inertia
    of those that meet the target, less the lowest of those that do not. Negative when the contest
    is won; None where one of the two kinds is not known.
    """
    if not isinstance(problem.evaluator, KMeansEvaluator):
        return None
    lowest = {True: math.inf, False: math.inf}
    for start in problem.evaluator.basins:
        run = problem.evaluator.descend(antidote, start)
        rank = problem.rank_of(run.centers, run.counts, run.group_costs)
        met = rank < OUTSIDE and meets(problem.cost_at_rank(rank), target, strict)
        lowest[met] = min(lowest[met], run.inertia)
    found = lowest[True] - lowest[False]
    return found if math.isfinite(found) else None


def _contest(before: float | None, now: float | None) -> dict[str, float] | msgspec.UnsetType:
    if before is None or now is None or before <= 0.0:
        return msgspec.UNSET
    return {"lead": now, "lead_before": before}


def _search(
    problem: Problem,
    place: Place,
    minimise: Minimise,
    size: int,
    budget: int,
    rng: np.random.Generator,
    start: Floats | None,
    stop: Cancel,
) -> Generator[Report | None, None, Minimum]:
    """One minimisation in a thread of its own, so that its improvements can be seen as they come.

    Leaving it early cancels the minimisation.
    """
    d = problem.points.shape[1]

    def work(tell: Callable[[Report], None], left: Cancel) -> Minimum:
        return minimise(
            lambda x: problem.rank(place.snap(x.reshape(size, d))),
            Box(np.tile(place.lower, size), np.tile(place.upper, size)),
            budget,
            rng,
            on_eval=_reporting(tell),
            cancel=lambda: left() or stop(),
            start=None if start is None else start.reshape(1, -1),
        )

    return in_thread(work)


def _reporting(tell: Callable[[Report], None]) -> OnEval:
    """Tells at most once per REPORT_EVERY evaluations and at least once per REPORT_LATEST."""
    best = float("inf")
    reported_at = 0
    pending = False

    def on_eval(count: int, value: float, x: Floats, best_value: float) -> None:
        nonlocal best, reported_at, pending
        if best_value < best:
            best, pending = best_value, True
        due = REPORT_EVERY if pending else REPORT_LATEST
        if count == 1 or count - reported_at >= due:
            tell((count, best))
            reported_at, pending = count, False

    return on_eval


def _extended(
    problem: Problem, previous: Floats, size: int, rng: np.random.Generator
) -> Floats | None:
    """The previous V resized: more copies of its own points, or fewer of them."""
    if not len(previous):
        return None
    if size <= len(previous):
        rows = np.linspace(0, len(previous) - 1, size).round().astype(np.int64)
        return previous[rows]
    extra = rng.choice(len(previous), size - len(previous))
    return np.vstack([previous, previous[extra]])
