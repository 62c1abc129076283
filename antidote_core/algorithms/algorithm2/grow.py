"""Algorithm 2: fix |V|, minimise F over V, grow V by ξ until F <= α. A generator of events.

Events, in order: started, vanilla, target, noise, then per round any number of progress (and cut,
where V is designed) and one round, then notes, shrunk and spread (if asked for), verified, stage
and holdout (if asked for), and last finished or stopped. Same spec, same events, times aside,
unless a time limit or a cancel cuts it short; only "alive", which a design says when nothing else
has happened for a while, goes by the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

import numpy as np
from msgspec import UNSET

from antidote_core.algorithms.algorithm2.realism import spread_out
from antidote_core.algorithms.algorithm2.search import searched_rounds
from antidote_core.algorithms.algorithm2.sizes import Sizes, nearest_switch
from antidote_core.algorithms.algorithm2.verification import (
    CHECKS,
    cached_noise,
    held_out,
    noise,
    verifying,
)
from antidote_core.algorithms.design.rounds import designed_rounds, row_rounds
from antidote_core.algorithms.steps import one_thread, relayed, with_heartbeat
from antidote_core.baselines import baseline_reference
from antidote_core.datasets import load_for
from antidote_core.datasets.parts.folder import Parts
from antidote_core.errors import AntidoteError, SpecError
from antidote_core.optimizers import get_optimizer
from antidote_core.places import ROWS, Rows
from antidote_core.problem import OUTSIDE, Problem
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.runs import events
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Event, Progress, given
from antidote_core.runs.spec import FOUR_FIFTHS, FOUR_FIFTHS_COST, LOWEST, RunSpec
from antidote_core.runs.target import Verification, kept_gain, meets
from antidote_core.runs.view import RunView, pack
from antidote_core.types import Dataset, Floats

SHRINK_BUDGET = 300
DESIGN_CHECKS = 8
ALIVE_SECONDS = 0.5
ONE_THREAD_UP_TO = 2_000_000  # numbers of U
HALVES = 2

STOPPED = "stopped by you"

Cancel = Callable[[], bool | str]  # why, where that is known


def grow(
    spec: RunSpec,
    data: Dataset | PartitionedProblem | None = None,
    cancel: Cancel | None = None,
    cache: ProblemCache | None = None,
) -> Iterator[Event]:
    """Run Algorithm 2; `data` overrides the data set that the spec names.

    Data in parts come as a PartitionedProblem made with the settings of the spec.

    `cancel()` is asked before every evaluation; when true, the best V so far is verified no more,
    and the last event is "stopped", with the reason if `cancel()` gives one. A `cache` shares work
    between runs on the same data, without changing their events.

    >>> spec = RunSpec(dataset="blobs", start_size=2, budget=50, max_rounds=1)
    >>> [event.type for event in grow(spec) if event.type != "progress"]
    ['started', 'vanilla', 'target', 'noise', 'round', 'verified', 'finished']
    """
    if not isinstance(spec, RunSpec):
        raise SpecError(f"grow takes a RunSpec; got {spec!r:.60}. run(...) takes other things too.")
    designs = get_optimizer(spec.optimizer).designs
    if isinstance(data, PartitionedProblem):
        _check_parted(spec, data)
    elif data is None:
        data = load_for(spec)
    if not designs:
        yield from _worked_out(spec, data, cancel, designs, cache)
        return
    begun, doing = time.monotonic(), DOING["started"]

    def work(left: Cancel) -> Iterator[Event]:
        def leave() -> bool | str:
            return left() or (cancel is not None and cancel())

        return _worked_out(spec, data, leave, designs, cache)

    for happened in with_heartbeat(work, ALIVE_SECONDS):
        if happened is None:
            yield events.Alive(seconds=time.monotonic() - begun, doing=doing)
            continue
        step = given(happened.design, {})["kind"] if isinstance(happened, Progress) else ""
        doing = DOING.get(step) or DOING.get(happened.type, doing)
        yield happened


# What comes after an event, or after a step of a design.
DOING = {
    "started": "clustering the data as it is",
    "vanilla": "finding the target",
    "target": "clustering the data with other seeds",
    "noise": "placing antidote points",
    "pass": "placing antidote points",
    "cut": "placing antidote points",
    "hunt": "looking for competing clusterings",
    "check": "checking by independent clusterings",
    "round": "placing antidote points",
    "spread": "scattering the points of each clump",
    "note": "checking the result by independent clusterings",
    "verify": "checking the result by independent clusterings",
    "stage": "trying it on people it has not seen",
}


def _worked_out(
    spec: RunSpec,
    data: Dataset | PartitionedProblem,
    cancel: Cancel | None,
    designs: bool,
    cache: ProblemCache | None,
) -> Iterator[Event]:
    """The events, by one thread unless the data are large."""
    happened = _events(spec, data, cancel, designs, cache)
    small = isinstance(data, Dataset) and data.points.size <= ONE_THREAD_UP_TO
    return one_thread(happened) if small else happened


def _events(
    spec: RunSpec,
    data: Dataset | PartitionedProblem,
    cancel: Cancel | None,
    designs: bool,
    cache: ProblemCache | None,
) -> Generator[Event, None, None]:
    begun = time.monotonic()
    view = RunView()

    def happened(event: Event) -> Event:
        nonlocal view
        event = event.at(time.monotonic() - begun)
        view = view.apply_event(event)
        return event

    def progress(step: dict[str, Any]) -> Event:
        return happened(
            Progress(
                index=view.rounds - 1,
                size=view.size,
                cost=view.cost,
                evaluations=view.evaluations,
                design=step,
            )
        )

    points = data.parts if isinstance(data, PartitionedProblem) else data
    yield happened(_started(spec, points))
    problem, other_seeds = _prepared(spec, data, cache)
    yield happened(events.Vanilla(**problem.outcome(problem.points[:0])))
    target, strict, sota = _target(spec, problem)
    met = spec.target != LOWEST and meets(problem.vanilla.cost, target, strict)
    met = met and problem.keeps_guard(problem.points[:0])
    yield happened(events.Target(target=target, strict=strict, sota=sota, met=met))
    yield happened(events.Noise(costs=list(other_seeds())))

    def out_of_time() -> bool:
        return spec.max_seconds is not None and time.monotonic() - begun > spec.max_seconds

    def cancelled() -> bool | str:
        return cancel is not None and cancel()

    def stop() -> bool:
        return bool(cancelled()) or out_of_time()

    sizes = Sizes(spec, points.n)
    place = problem.place_for(spec)
    if isinstance(place, Rows):
        sizes.limit = min(sizes.limit, place.most)
    rounds: Iterator[Event]
    if met:
        rounds = iter(())  # plain clustering meets the target: nothing is needed
    elif designs:
        limit = None if spec.target == LOWEST else _limit(target, strict)
        if isinstance(place, Rows):
            rounds = row_rounds(spec, problem, place, limit, sizes, stop)
        else:
            box = (place.lower, place.upper)
            rounds = designed_rounds(problem, box, limit, sizes, stop, spec.lasting)
    else:
        rounds = searched_rounds(spec, problem, place, target, strict, sizes, stop)
    yield from map(happened, rounds)
    if not (met or view.reached or sizes.moving or designs or stop()):
        switch = nearest_switch(problem, (place.lower, place.upper))
        if switch is not None:
            yield happened(events.Note(text=switch.sentence))

    if view.reached and spec.shrink and not stop():
        antidote, spent = _shrunk(problem, view.antidote, target, strict, stop)
        yield happened(
            events.Shrunk(
                antidote=pack(antidote, place.rows_of(antidote)),
                evaluations=view.evaluations + spent,
                **problem.outcome(antidote),
            )
        )
    judged = (target, strict)
    if spec.target == LOWEST:  # the checks must find the cost itself, not only beat vanilla
        judged = (kept_gain(view.cost, problem.vanilla.cost), False)
    if spec.spread and view.size and not stop() and place.name != ROWS:
        box = (place.lower, place.upper)
        trials = spread_out(problem, view.antidote, box, *judged, stop)
        found = yield from relayed(trials, lambda done: progress({"kind": "spread", "step": done}))
        if found.antidote is not None:
            yield happened(
                events.Spread(
                    antidote=pack(found.antidote),
                    evaluations=view.evaluations,
                    **problem.outcome(found.antidote),
                )
            )
        yield happened(events.Note(text=found.sentence))
    if not cancelled():
        checks = DESIGN_CHECKS if designs else CHECKS
        weight = view.antidote_weights
        for done in verifying(problem, view.antidote, *judged, checks, weight=weight):
            if isinstance(done, Verification):
                yield happened(events.Verified(**done.to_dict()))
            elif cancelled():
                break
            elif designs:
                yield progress({"kind": "verify", "step": done, "of": checks})
    ended = _reason(spec, view, sizes, out_of_time())
    if spec.holdout and view.size and view.verification is not None and not cancelled():
        assert isinstance(data, Dataset)
        yield from map(happened, _held_out(spec, data, cancelled, designs))
    if view.verification is None:
        reason = cancelled()
        yield happened(events.Stopped(reason=reason if isinstance(reason, str) else STOPPED))
    else:
        yield happened(events.Finished(reason=ended))


def _held_out(spec: RunSpec, data: Dataset, cancelled: Cancel, designs: bool) -> Iterator[Event]:
    """V on people it has not seen; a note where the data cannot be halved."""
    yield events.Activity(text=DOING["stage"])
    sizes = data.group_sizes
    if (sizes == 1).any():
        name = data.group_names[int((sizes == 1).argmax())]
        yield events.Note(
            text=f"Not tried on people it has not seen: the group {name!r} is too small to halve."
        )
        return

    def find(half_spec: RunSpec, half: Dataset) -> RunView:
        return RunView.fold(_events(half_spec, half, cancelled, designs, None))

    checks = DESIGN_CHECKS if designs else CHECKS
    try:
        tried = list(held_out(spec, data, find, checks))
    except AntidoteError as error:
        yield events.Note(text=f"Not tried on people it has not seen: {error}")
        return
    if len(tried) == HALVES:
        yield events.HeldOut(halves=tried)


def _prepared(
    spec: RunSpec, data: Dataset | PartitionedProblem, cache: ProblemCache | None
) -> tuple[Problem, Callable[[], tuple[float, ...]]]:
    """The problem, and what gives its costs for other seeds."""
    if isinstance(data, PartitionedProblem):
        return data, lambda: noise(data)
    if cache is not None:
        return cache.problem(spec, data), lambda: cached_noise(cache, spec, data)
    problem = Problem.of(spec, data)
    return problem, lambda: noise(problem)


def _check_parted(spec: RunSpec, problem: PartitionedProblem) -> None:
    """Refuse what looks at every point, and settings that are not those of the problem."""
    if get_optimizer(spec.optimizer).designs:
        raise SpecError(
            f"The optimizer {spec.optimizer!r} looks at every point, and data in parts are nowhere "
            "together; choose one that searches, such as 'structured' or 'cmaes'."
        )
    if spec.holdout:
        raise SpecError(
            "Halves of U are drawn from data in one place, and data in parts are nowhere together; "
            "leave out the hold-out check."
        )
    if spec.target == "sota":
        raise SpecError(
            "The fair algorithms look at every point, and data in parts are nowhere together; "
            "choose target 'vanilla' or a number."
        )
    made = {
        "clustering": problem.clustering.name, "fairness": problem.fairness.name, "k": problem.k,
        "restarts": problem.restarts, "seed": problem.seed,
    }  # fmt: skip
    for name, value in made.items():
        if getattr(spec, name) != value:
            raise SpecError(
                f"The run asks for {name} = {getattr(spec, name)!r}, and the problem in parts was "
                f"made with {value!r}; make both with the same settings."
            )


def run(
    spec: RunSpec,
    data: Dataset | PartitionedProblem | None = None,
    cancel: Cancel | None = None,
) -> RunView:
    """Algorithm 2 to its end; the same as folding the events of `grow`.

    >>> result = run(RunSpec(dataset="blobs", fairness="social", start_size=3, budget=60))
    >>> bool(result.cost < result.vanilla_cost)
    True
    """
    return RunView.fold(grow(spec, data, cancel))


def _started(spec: RunSpec, data: Dataset | Parts) -> Event:
    weights = data.weights
    return events.Started(
        spec=spec.to_dict(),
        id=spec.id,
        points=data.n,
        dimension=len(data.shift),
        groups=list(data.group_names),
        group_sizes=data.group_sizes.tolist(),
        source=data.source,
        data_hash=data.content_hash,
        notes=list(data.notes),
        weight=UNSET if weights is None else float(weights.sum()),
    )


def _target(spec: RunSpec, problem: Problem) -> tuple[float, bool, dict[str, Any]]:
    """α as a number, whether it must be beaten or only met, and the fair algorithm behind it.

    "lowest" has to beat plain clustering at least.
    """
    if spec.target in ("vanilla", LOWEST):
        return problem.vanilla.cost, True, {}
    if spec.target == "sota":
        reference = baseline_reference(problem)
        return reference["cost"], True, reference
    spec.check()
    if spec.target == FOUR_FIFTHS:
        return FOUR_FIFTHS_COST, False, {}
    target = float(spec.target)
    bound = problem.fairness.lower_bound(problem.points, problem.groups, problem.k, problem.weights)
    if not isinstance(problem, PartitionedProblem) and target < bound * (1 - 1e-9) - 1e-9:
        raise SpecError(
            f"target (α) cannot be met: no {problem.k} clusters of these data have a "
            f"{problem.fairness.label.lower()} below {bound:.4g}, and plain clustering has "
            f"{problem.vanilla.cost:.4g}; choose a number between the two. Got {target:g}."
        )
    return target, False, {}


def _limit(target: float, strict: bool) -> float:
    """The largest cost that meets the target (see `meets`)."""
    room = 1e-9 * max(1.0, abs(target))
    return float(np.nextafter(target - room, -np.inf)) if strict else target + room


def _shrunk(
    problem: Problem, antidote: Floats, target: float, strict: bool, stop: Cancel
) -> tuple[Floats, int]:
    """Take points away, many at a time and then one by one, while the target still holds."""
    spent = 0
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    portion = int(counts.max())
    while portion >= 1:
        for i in np.argsort(-counts):
            while counts[i] >= portion and counts.sum() > portion:
                if spent == SHRINK_BUDGET or stop():
                    return np.repeat(atoms, counts, axis=0), spent
                fewer = counts.copy()
                fewer[i] -= portion
                spent += 1
                rank = problem.rank(np.repeat(atoms, fewer, axis=0))
                if rank >= OUTSIDE or not meets(problem.cost_at_rank(rank), target, strict):
                    break
                counts = fewer
        portion //= 2
    return np.repeat(atoms, counts, axis=0), spent


def _reason(spec: RunSpec, view: RunView, sizes: Sizes, out_of_time: bool) -> str:
    """Why the run ended, and what to try where it ended too early."""
    if view.reached and not view.size:
        return "plain clustering meets the target already"
    if view.reached:
        return "lowest cost found" if spec.target == LOWEST else "target reached"
    if out_of_time:
        return f"time limit of {spec.max_seconds:g} seconds reached; try a longer one"
    if not sizes.rounds_left:
        rounds = "1 round" if spec.max_rounds == 1 else f"{spec.max_rounds} rounds"
        return f"limit of {rounds} reached; try more rounds, or more points per round (ξ)"
    if not sizes.moving:
        return (
            f"{spec.max_stalled} rounds in a row brought nothing better; try more points per round "
            "(ξ), another optimizer or a wider box"
        )
    return f"size limit of {sizes.limit} points reached; try a larger one or an easier target"
