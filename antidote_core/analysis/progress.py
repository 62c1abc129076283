"""How far a run is and how long a sweep will take, from what was measured so far."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from antidote_core.algorithms.algorithm2.sizes import Sizes, tipping_size
from antidote_core.algorithms.algorithm2.verification import CHECKS, RESTARTS, noise
from antidote_core.analysis.comparison import VANILLA, solution_row
from antidote_core.optimizers import get_optimizer
from antidote_core.problem import Problem
from antidote_core.runs.spec import FOUR_FIFTHS, FOUR_FIFTHS_COST, LOWEST, RunSpec
from antidote_core.runs.sweep_spec import Cell, SweepSpec
from antidote_core.runs.sweep_view import Reference
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset


@dataclass(frozen=True)
class Progress:
    """Figures of a run at work; `rate` is evaluations per second, NaN before the first ones.

    `round_seconds` is the longest this round can still take at that rate; NaN when unknown.
    """

    round: int
    size: int
    evaluations: int
    in_round: int
    rate: float
    round_seconds: float


def progress(view: RunView, spec: RunSpec, elapsed: float = math.nan) -> Progress:
    """The figures after the events so far; `elapsed` seconds count for a time limit.

    >>> from antidote_core.runs.view import fold
    >>> from antidote_core.runs.events import Noise, Progress
    >>> begun = Noise(seconds=2.0, costs=[])
    >>> report = Progress(seconds=4.0, index=0, size=10, cost=-0.3, evaluations=400)
    >>> progress(fold([begun, report]), RunSpec(dataset="bank", budget=1000)).round_seconds
    3.0
    """
    before = view.history[-1].evaluations if view.history else 0
    since = view.seconds - view.search_began
    rate = view.evaluations / since if since > 0 and view.evaluations else math.nan
    in_round = view.evaluations - before if view.current else 0
    left = max(0, spec.budget - in_round) / rate
    if get_optimizer(spec.optimizer).designs:
        left = math.nan  # a design has no budget of evaluations
    if spec.max_seconds is not None and math.isfinite(elapsed):
        rest = max(0.0, spec.max_seconds - elapsed)
        left = rest if math.isnan(left) else min(left, rest)
    size = view.current.get("size", view.history[-1].size if view.history else 0)
    number = view.rounds + (1 if view.current or not view.history else 0)
    return Progress(number, size, view.evaluations, in_round, rate, left)


MOST_ROUNDS = 10_000  # that are counted ahead
TIMED = 5  # evaluations that are timed
DESIGN_STARTS = 250  # of k-means, in hunts and checks, that a design takes on average
START_SECONDS = 6.0  # until the processes of a sweep have loaded what they need


@dataclass(frozen=True)
class Pace:
    """Seconds on this machine: of one evaluation of V, one start of C, one row of quality.

    `prepared` are those of a plain clustering and its noise, once per seed and worker.
    """

    evaluation: float
    start: float
    row: float
    prepared: float

    def cell(self, budget: int, designs: bool = False) -> float:
        """Roughly what one cell takes: a search is evaluations and checks, a design is starts.

        >>> round(Pace(0.001, 0.01, 0.2, 1.0).cell(1000), 6)
        1.6
        """
        if designs:
            return DESIGN_STARTS * self.start + self.row
        return budget * self.evaluation + CHECKS * RESTARTS * self.start + self.row


@dataclass(frozen=True)
class SweepEstimate:
    """Plain clustering as a reference without a fair algorithm, and the pace it was computed at."""

    reference: Reference
    pace: Pace


def estimate_sweep(cell: Cell, data: Dataset, target: str | float) -> SweepEstimate:
    """Cluster plainly, with other seeds too, and time a few evaluations of antidote points."""
    spec = cell.spec
    problem = Problem.of(spec, data)
    solution_row(problem, VANILLA, data.points[:0], 0.0)  # what loads once is not counted
    begun = time.perf_counter()
    costs = noise(problem)
    noise_seconds = time.perf_counter() - begun
    begun = time.perf_counter()
    row = solution_row(problem, VANILLA, data.points[:0], 0.0)
    row_seconds = time.perf_counter() - begun
    vanilla = problem.vanilla.cost
    reference = Reference(
        problem=cell.setting.problem,
        vanilla=vanilla,
        noise=costs,
        silhouette=row.quality.silhouette,
        target=vanilla if target == "vanilla" else math.nan if target == "sota" else float(target),
        strict=isinstance(target, str),
        smallest_share=row.smallest_share,
    )
    per_seed = noise_seconds / len(costs)
    pace = Pace(
        _evaluation(problem, spec), per_seed / spec.restarts, row_seconds, noise_seconds + per_seed
    )
    return SweepEstimate(reference, pace)


def expected_seconds(
    spec: SweepSpec, paces: Mapping[tuple[str, str, int], Pace], workers: int
) -> float:
    """Roughly how long the sweep takes on so many workers; NaN while a pace is not known."""
    if any(problem not in paces for problem in spec.problems):
        return math.nan
    total = sum(
        paces[cell.setting.problem].cell(spec.budget, get_optimizer(cell.setting.optimizer).designs)
        for cell in spec.cells
    )
    prepared = sum(paces[problem].prepared for problem in spec.problems) * len(spec.seeds)
    return START_SECONDS + total / workers + prepared


@dataclass(frozen=True)
class RunEstimate:
    """What is known about a run before it begins, from plain clustering and a few timed tries.

    `target` is α as a number, NaN where it is not known yet; `met` says that plain clustering has
    it. `noise` is the range of plain clustering over seeds. `tips_at` is about the size at which
    k-means changes to a known clustering that meets the target, None where none is known. `rounds`
    is how many that takes, or the most that the limits allow. `missing` says that a group is not in
    some cluster at all.
    """

    vanilla: float
    target: float
    met: bool
    noise: tuple[float, float]
    missing: bool
    tips_at: int | None
    rounds: int
    seconds: float


def estimate_run(spec: RunSpec, data: Dataset) -> RunEstimate:
    """Cluster plainly, with other seeds too, and time a few evaluations of antidote points."""
    begun = time.perf_counter()
    problem = Problem.of(spec, data)
    costs = (*noise(problem), problem.vanilla.cost)
    prepared = time.perf_counter() - begun
    start = prepared / len(costs) / spec.restarts
    vanilla, target, met = problem.vanilla.cost, math.nan, False
    if spec.target == FOUR_FIFTHS:
        target = FOUR_FIFTHS_COST
    elif not isinstance(spec.target, str):
        target = spec.target
    elif spec.target != "sota":
        target = vanilla
    if spec.target not in ("vanilla", LOWEST) and not math.isnan(target):
        met = vanilla <= target
    tips_at = None
    if not math.isnan(target):
        least = np.nextafter(target, -math.inf) if target == vanilla else target
        tips_at = tipping_size(problem, problem.place_for(spec), least)
    rounds = _rounds(spec, data.n, tips_at)
    designs = get_optimizer(spec.optimizer).designs
    pace = Pace(0.0 if designs else _evaluation(problem, spec), start, 0.0, prepared)
    work = pace.cell(spec.budget, designs) + (rounds - 1) * spec.budget * pace.evaluation
    missing = vanilla == problem.fairness.worst
    return RunEstimate(
        vanilla, target, met, (min(costs), max(costs)), missing, tips_at, rounds,
        prepared + work,
    )  # fmt: skip


def _rounds(spec: RunSpec, n: int, works: int | None) -> int:
    """How many rounds there are if sizes from `works` on reach the target."""
    sizes = Sizes(spec, n)
    while (size := sizes.next()) is not None and sizes.tried < MOST_ROUNDS:
        sizes.record(size, works is not None and size >= works, rank=-size)
    return max(1, sizes.tried)


def _evaluation(problem: Problem, spec: RunSpec) -> float:
    """Seconds of one evaluation, from a few random V of the first size."""
    place = problem.place_for(spec)
    generator = np.random.default_rng(spec.seed)
    shape = (TIMED + 1, spec.start_size, len(place.lower))
    tries = [place.snap(v) for v in generator.uniform(place.lower, place.upper, shape)]
    problem.evaluate(tries[0])  # what is prepared once is not counted
    begun = time.perf_counter()
    for antidote in tries[1:]:
        problem.evaluate(antidote)
    return (time.perf_counter() - begun) / TIMED
