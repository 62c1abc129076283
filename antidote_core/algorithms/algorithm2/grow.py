"""Algorithm 2: fix |V|, minimise F over V, grow V by ξ until F <= α. A generator of events.

Events, in order: started, vanilla, target, noise, then per round any number of progress (and cut,
where V is designed) and one round, then notes, shrunk and spread (if asked for), verified, and last
finished or stopped. Same spec, same events, times aside, unless a time limit or a cancel cuts it
short; only "alive", which a design says when nothing else has happened for a while, goes by the
clock.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict
from typing import Any

import numpy as np

from antidote_core.algorithms.algorithm2.heartbeat import Pulsed
from antidote_core.algorithms.algorithm2.realism import Spread, spread_out
from antidote_core.algorithms.algorithm2.verification import CHECKS, cached_noise, noise, verifying
from antidote_core.algorithms.design.rounds import designed_rounds
from antidote_core.baselines.registry import baseline_reference
from antidote_core.datasets import load_for
from antidote_core.datasets.parts.folder import Parts
from antidote_core.errors import SpecError
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box, Minimise, Minimum
from antidote_core.problem import Problem
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import kept_gain, meets
from antidote_core.runs.view import RunView, after, pack
from antidote_core.types import Dataset, Floats

MAX_SHARE = 0.1  # default limit of |V| / |U|
REPORT_EVERY = 20  # evaluations between two reports of an improvement within a round
REPORT_LATEST = 100  # evaluations after which there is a report even without an improvement
SHRINK_BUDGET = 300
DESIGN_CHECKS = 8
SURE_SHARE = 0.5  # of the size that a straight line would ask for
ALIVE_SECONDS = 0.5
LOWEST = "lowest"

Cancel = Callable[[], bool]


def grow(
    spec: RunSpec,
    data: Dataset | PartitionedProblem | None = None,
    cancel: Cancel | None = None,
    cache: ProblemCache | None = None,
) -> Iterator[Event]:
    """Run Algorithm 2; `data` overrides the data set that the spec names.

    Data in parts come as a PartitionedProblem made with the settings of the spec.

    `cancel()` is asked before every evaluation; when true, the best V so far is verified no more,
    and the last event is "stopped". A `cache` shares work between runs on the same data, without
    changing their events.

    >>> spec = RunSpec(dataset="blobs", start_size=2, budget=50, max_rounds=1)
    >>> [event.kind for event in grow(spec) if event.kind != "progress"]
    ['started', 'vanilla', 'target', 'noise', 'round', 'verified', 'finished']
    """
    designs = get_optimizer(spec.optimizer).designs
    if isinstance(data, PartitionedProblem):
        _check_parted(spec, data)
    elif data is None:
        data = load_for(spec)
    if not designs:
        yield from _events(spec, data, cancel, designs, cache)
        return
    begun, doing = time.monotonic(), DOING["started"]

    def events(left: Cancel) -> Iterator[Event]:
        def leave() -> bool:
            return left() or (cancel is not None and cancel())

        return _events(spec, data, leave, designs, cache)

    for happened in Pulsed(events, ALIVE_SECONDS):
        if happened is None:
            yield Event("alive", time.monotonic() - begun, {"doing": doing})
            continue
        step = happened.data["design"]["kind"] if happened.kind in ("progress", "cut") else ""
        doing = DOING.get(step) or DOING.get(happened.kind, doing)
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
}


def _events(
    spec: RunSpec,
    data: Dataset | PartitionedProblem,
    cancel: Cancel | None,
    designs: bool,
    cache: ProblemCache | None,
) -> Iterator[Event]:
    begun = time.monotonic()
    view = RunView()

    def event(kind: str, **values: Any) -> Event:
        nonlocal view
        happened = Event(kind, time.monotonic() - begun, values)
        view = after(view, happened)
        return happened

    points = data.parts if isinstance(data, PartitionedProblem) else data
    yield event("started", **_started(spec, points))
    problem, other_seeds = _prepared(spec, data, cache)
    yield event("vanilla", **_state(problem, problem.points[:0]))
    target, strict, sota = _target(spec, problem)
    yield event("target", target=target, strict=strict, sota=sota)
    yield event("noise", costs=list(other_seeds()))

    def out_of_time() -> bool:
        return spec.max_seconds is not None and time.monotonic() - begun > spec.max_seconds

    def stop() -> bool:
        return (cancel is not None and cancel()) or out_of_time()

    sizes = _Sizes(spec, points.n)
    if designs:
        limit = None if spec.target == LOWEST else _limit(target, strict)
        rounds = designed_rounds(problem, problem.box(spec.box), limit, sizes, stop, _state)
    else:
        rounds = _searched_rounds(spec, problem, target, strict, sizes, stop)
    for kind, values in rounds:
        yield event(kind, **values)

    evaluations = view.evaluations
    if view.reached and spec.shrink and not stop():
        antidote, spent = _shrunk(problem, view.antidote, target, strict, stop)
        evaluations += spent
        yield event(
            "shrunk", antidote=pack(antidote), evaluations=evaluations, **_state(problem, antidote)
        )
    judged = (target, strict)
    if (
        spec.target == LOWEST
    ):  # the checks must find the cost itself, not only beat plain clustering
        judged = (kept_gain(view.cost, problem.vanilla.cost), False)
    if spec.spread and view.size and not stop():
        box = problem.box(spec.box)
        trials = spread_out(problem, view.antidote, box, *judged, stop)
        found = yield from _as_progress(trials, event, view, evaluations)
        if found.antidote is not None:
            values = _state(problem, found.antidote)
            yield event("spread", antidote=pack(found.antidote), evaluations=evaluations, **values)
        yield event("note", text=found.sentence)
    if cancel is not None and cancel():
        yield event("stopped", reason="stopped by you")
        return
    checks = DESIGN_CHECKS if designs else CHECKS
    verification = verifying(problem, view.antidote, *judged, checks)
    while True:
        try:
            done = next(verification)
        except StopIteration as end:
            yield event("verified", **asdict(end.value))
            break
        if cancel is not None and cancel():
            yield event("stopped", reason="stopped by you")
            return
        if designs:
            step = {"kind": "verify", "step": done, "of": checks}
            yield event("progress", **_at(view), evaluations=evaluations, design=step)
    yield event("finished", reason=_reason(spec, view, sizes, out_of_time()))


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


def _at(view: RunView) -> dict[str, Any]:
    return {"index": view.rounds - 1, "size": view.size, "cost": view.cost}


def _as_progress(
    trials: Generator[int, None, Spread],
    event: Callable[..., Event],
    view: RunView,
    evaluations: int,
) -> Generator[Event, None, Spread]:
    """The trials of a spread as progress."""
    while True:
        try:
            done = next(trials)
        except StopIteration as end:
            found: Spread = end.value
            return found
        step = {"kind": "spread", "step": done}
        yield event("progress", **_at(view), evaluations=evaluations, design=step)


def run(
    spec: RunSpec,
    data: Dataset | PartitionedProblem | None = None,
    cancel: Cancel | None = None,
) -> RunView:
    """Algorithm 2 to its end; the same as folding the events of `grow`.

    >>> result = run(RunSpec(dataset="blobs", start_size=3, budget=60, max_rounds=2))
    >>> bool(result.cost < result.vanilla_cost)
    True
    """
    view = RunView()
    for event in grow(spec, data, cancel):
        view = after(view, event)
    return view


def _searched_rounds(
    spec: RunSpec, problem: Problem, target: float, strict: bool, sizes: _Sizes, stop: Cancel
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Events as (kind, data): one search per size, each from the V of the last."""
    optimizer = get_optimizer(spec.optimizer)
    evaluations = 0
    index = 0
    previous = problem.points[:0]
    while (size := sizes.next()) is not None and not stop():
        minimise = optimizer.minimiser(problem, size, spec.embed_dim)
        rng = np.random.default_rng([spec.seed, index])
        start = _extended(problem, previous, size, rng) if spec.growth != "restart" else None
        search = _Search(problem, minimise, size, spec, rng, start, stop)
        for count, cost in search:
            report = {"index": index, "size": size, "cost": cost}
            yield "progress", {**report, "evaluations": evaluations + count}
        found = search.minimum
        evaluations += found.evaluations
        if found.evaluations == 0:
            break
        antidote = found.x.reshape(size, -1)
        reached = meets(found.value, target, strict)
        yield (
            "round",
            {
                "index": index,
                "size": size,
                "antidote": pack(antidote),
                "reached": reached,
                "evaluations": evaluations,
                **_state(problem, antidote),
            },
        )
        previous = antidote
        sizes.record(size, reached)
        index += 1


class _Sizes:
    """The sizes to try: start, start + ξ, ... or, for "bisect", doubling and then bisection."""

    def __init__(self, spec: RunSpec, n: int) -> None:
        self.spec = spec
        self.limit = spec.max_size or max(spec.start_size, int(MAX_SHARE * n))
        # A design of fewer points may fail by chance: stop within 7% of the smallest that works.
        self.tolerance = 0.07 if get_optimizer(spec.optimizer).designs else 0.0
        self.tried = 0
        self.failed: list[int] = []
        self.works: int | None = None  # smallest size known to reach the target
        self.last = 0
        self.guess = 0  # sizes below this are hardly worth trying

    @property
    def fails(self) -> int:
        """Largest size known to fail below the smallest that works."""
        return max((s for s in self.failed if self.works is None or s < self.works), default=0)

    @property
    def rounds_left(self) -> bool:
        return self.spec.max_rounds is None or self.tried < self.spec.max_rounds

    def next(self) -> int | None:
        if not self.rounds_left:
            return None
        if self.spec.target == LOWEST:
            return self.limit if not self.tried else None
        if self.spec.growth == "bisect":
            return self._bisected()
        if self.works is not None:
            return None
        size = self.last + self.spec.step if self.last else self.spec.start_size
        return size if size <= self.limit else None

    def _bisected(self) -> int | None:
        if self.works is None:
            size = max(2 * self.fails, self.guess) if self.fails else self.spec.start_size
            size = min(size, self.limit)
            return size if size > self.fails else None
        middle = (self.fails + self.works) // 2
        if self.works - self.fails <= self.tolerance * self.works:
            return None
        return middle if self.fails < middle < self.works else None

    def record(self, size: int, reached: bool, way: float = 0.0) -> None:
        """What became of a size; `way` is the share of the way to the target that it came."""
        self.tried += 1
        if way > 0.0:
            self.guess = int(SURE_SHARE * size / way)
        self.last = size
        if reached:
            self.works = min(size, self.works or size)
        else:
            self.failed.append(size)


class _Search:
    """One minimisation in a thread of its own, so that its improvements can be seen as they come.

    Iterating gives (evaluations, best cost), at most once per REPORT_EVERY evaluations and at least
    once per REPORT_LATEST; afterwards `minimum` holds the answer. Leaving the loop early cancels
    the minimisation.
    """

    def __init__(
        self,
        problem: Problem,
        minimise: Minimise,
        size: int,
        spec: RunSpec,
        rng: np.random.Generator,
        start: Floats | None,
        stop: Cancel,
    ) -> None:
        d = problem.points.shape[1]
        lower, upper = problem.box(spec.box)
        self._left = threading.Event()
        self._reports: queue.SimpleQueue[tuple[int, float] | None] = queue.SimpleQueue()
        self._error: BaseException | None = None
        self._minimum: Minimum | None = None

        def work() -> None:
            try:
                self._minimum = minimise(
                    lambda x: problem.evaluate(x.reshape(size, d)),
                    Box(np.tile(lower, size), np.tile(upper, size)),
                    spec.budget,
                    rng,
                    on_eval=self._on_eval(),
                    cancel=lambda: self._left.is_set() or stop(),
                    start=None if start is None else start.reshape(1, -1),
                )
            except BaseException as error:
                self._error = error
            finally:
                self._reports.put(None)

        self._thread = threading.Thread(target=work, daemon=True)

    def _on_eval(self) -> Callable[[int, float, Floats, float], None]:
        best = float("inf")
        reported_at = 0
        pending = False

        def on_eval(count: int, value: float, x: Floats, best_value: float) -> None:
            nonlocal best, reported_at, pending
            if best_value < best:
                best, pending = best_value, True
            due = REPORT_EVERY if pending else REPORT_LATEST
            if count == 1 or count - reported_at >= due:
                self._reports.put((count, best))
                reported_at, pending = count, False

        return on_eval

    def __iter__(self) -> Iterator[tuple[int, float]]:
        self._thread.start()
        try:
            while (report := self._reports.get()) is not None:
                yield report
        finally:
            self._left.set()
            self._thread.join()
        if self._error is not None:
            raise self._error

    @property
    def minimum(self) -> Minimum:
        assert self._minimum is not None
        return self._minimum


def _started(spec: RunSpec, data: Dataset | Parts) -> dict[str, Any]:
    return {
        "spec": asdict(spec),
        "id": spec.id,
        "points": data.n,
        "dimension": len(data.shift),
        "groups": list(data.group_names),
        "group_sizes": data.group_sizes.tolist(),
        "source": data.source,
        "data": data.content_hash,
        "notes": list(data.notes),
    }


def _state(problem: Problem, antidote: Floats) -> dict[str, Any]:
    """Cost, centres and the tables behind the cost, fit for JSON."""
    solution = problem.cluster(antidote)
    tables = problem.tables(antidote)
    return {
        "cost": solution.cost,
        "centers": solution.centers.tolist(),
        "counts": tables.balance.counts.tolist(),
        "group_costs": tables.social.group_costs.tolist(),
        "balance": tables.balance.cost,
        "social": tables.social.cost,
    }


def _target(spec: RunSpec, problem: Problem) -> tuple[float, bool, dict[str, Any]]:
    """α as a number, whether it must be beaten or only met, and the fair algorithm behind it.

    "lowest" has to beat plain clustering at least.
    """
    if spec.target in ("vanilla", LOWEST):
        return problem.vanilla.cost, True, {}
    if spec.target == "sota":
        reference = baseline_reference(problem)
        return reference["cost"], True, reference
    if isinstance(spec.target, str):
        raise SpecError(f"target (α) must be a name known here or a number; got {spec.target!r}.")
    return float(spec.target), False, {}


def _limit(target: float, strict: bool) -> float:
    """The largest cost that meets the target (see `meets`)."""
    room = 1e-9 * max(1.0, abs(target))
    return float(np.nextafter(target - room, -np.inf)) if strict else target + room


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
                if not meets(problem.evaluate(np.repeat(atoms, fewer, axis=0)), target, strict):
                    break
                counts = fewer
        portion //= 2
    return np.repeat(atoms, counts, axis=0), spent


def _reason(spec: RunSpec, view: RunView, sizes: _Sizes, out_of_time: bool) -> str:
    if view.reached:
        return "lowest cost found" if spec.target == LOWEST else "target reached"
    if out_of_time:
        return f"time limit of {spec.max_seconds:g} seconds reached"
    if not sizes.rounds_left:
        return f"limit of {spec.max_rounds} rounds reached"
    return f"size limit of {sizes.limit} points reached"
