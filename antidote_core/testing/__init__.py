"""What a clustering, a cost, an optimizer or a fair algorithm must keep: checks for their authors.

Each takes one of them and returns nothing; what is not kept is an AssertionError with a sentence.
The software's own ones pass the same checks. Nothing here needs pytest.

>>> from sklearn.cluster import BisectingKMeans
>>> check_clustering(BisectingKMeans)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from antidote_core.baselines import BaselineResult, FairAlgorithm, get_fair_algorithm
from antidote_core.baselines.record import four_scores
from antidote_core.clustering import as_clustering
from antidote_core.datasets import dataset_from_arrays
from antidote_core.errors import AntidoteError
from antidote_core.fairness import as_fairness
from antidote_core.optimizers import Optimizer
from antidote_core.optimizers.protocol import Box, Minimise
from antidote_core.problem import Problem
from antidote_core.types import Dataset, Floats, Ints


def check_clustering(given: object) -> None:
    """A name, a ClusteringMethod, a clusterer of scikit-learn or a function keeps what is asked.

    It explains itself; finds clouds far from each other; gives k finite centres and a label from 0
    to k - 1 for every point; leaves the points and NumPy's random state alone; gives the same for
    the same seed; and its evaluator agrees with its fit.
    """
    entry = as_clustering(given)
    who = f"The clustering {entry.name!r}"
    _explains_itself(entry, who)
    for k in (2, 3):
        points, truth = planted(k)
        found = _kept(who, entry.fitted, points, k, 5, 1)
        _assert(_same_parts(found.labels, truth), f"{who} does not find {k} clouds far apart")
        for cluster in range(k):
            middle = points[found.labels == cluster].mean(axis=0)
            distance = float(np.linalg.norm(found.centers[cluster] - middle))
            _assert(
                distance < 3.0,
                f"{who} has its centre {cluster} {distance:.1f} from the middle of the cluster of "
                "that label: centres and labels are not in the same order",
            )
    points = np.random.default_rng(5).normal(size=(90, 4))
    points.setflags(write=False)
    before, state = points.copy(), _global_state()
    first, again = (_kept(who, entry.fitted, points, 4, 2, 7) for _ in range(2))
    _assert(np.array_equal(points, before), f"{who} changes the points")
    same = np.array_equal(first.centers, again.centers) and np.array_equal(
        first.labels, again.labels
    )
    _assert(same, f"{who} gives another result for the same seed")
    _assert(
        _global_state() == state,
        f"{who} draws from NumPy's global random state; take all draws from the seed",
    )
    _evaluator_agrees(entry, who)


def _evaluator_agrees(entry: Any, who: str) -> None:
    points, truth = planted(3)
    groups, antidote = np.arange(len(points)) % 2, points[:4] + 0.1
    evaluator = entry.make_evaluator(points, groups, 3, 5, 0)
    solved = evaluator.solve(antidote)
    fitted = _kept(who, entry.fitted, np.vstack([points, antidote]), 3, 5, 0)
    _assert(
        _same_parts(evaluator.vanilla.labels, truth)
        and _same_parts(solved.labels, fitted.labels[: len(points)]),
        f"The evaluator of {who[4:]} and its fit give other clusters",
    )
    centers, counts, group_costs = evaluator.statistics(antidote)
    squared = ((points - centers[solved.labels]) ** 2).sum(axis=1)
    for group in (0, 1):
        members = groups == group
        told = np.bincount(solved.labels[members], minlength=3)
        _assert(
            np.array_equal(counts[:, group], told)
            and math.isclose(group_costs[group], squared[members].mean(), rel_tol=1e-6),
            f"The evaluator of {who[4:]} says other counts or group costs than its own labels do",
        )


def check_fairness(given: object) -> None:
    """A name, a FairnessCost or a function of (centres, points, groups) keeps what is asked.

    It explains itself; is one finite number; leaves its input alone; does not depend on the order
    of the points or of the clusters; and lies between what the entry calls its lowest and its worst
    value.
    """
    cost = as_fairness(given)
    who = f"The cost {cost.name!r}"
    _explains_itself(cost, who)
    rng = np.random.default_rng(3)
    for k, g in ((2, 2), (3, 4)):
        points, centers = rng.normal(size=(60, 3)), rng.normal(size=(k, 3))
        groups = np.arange(60) % g
        for array in (points, centers, groups):
            array.setflags(write=False)
        value = _kept(who, cost.of_centers, centers, points, groups)
        order = rng.permutation(60)
        others = {
            "in another order of the points": (centers, points[order], groups[order]),
            "in another order of the clusters": (centers[::-1], points, groups),
        }
        for how, arguments in others.items():
            other = cost.of_centers(*arguments)
            _assert(
                math.isclose(other, value, rel_tol=1e-9, abs_tol=1e-12),
                f"{who} is {other:g} and not {value:g} {how}",
            )
        _assert(value <= cost.worst, f"{who} is {value:g}, above its worst value {cost.worst:g}")
        lowest = cost.lower_bound(points, groups, k)
        if cost.perfect is not None:
            lowest = max(lowest, cost.perfect)
        _assert(value >= lowest - 1e-9, f"{who} is {value:g}, below its lowest value {lowest:g}")


def check_optimizer(optimizer: Optimizer | Minimise) -> None:
    """An Optimizer, or a `minimise` of the protocol in `optimizers.protocol`, keeps what is asked.

    It stays in the box and in the budget; evaluates starts first and never loses the best; stops
    before the next evaluation when it is asked to; draws from its generator alone; and finds a
    value below that of the middle of the box where there is one.
    """
    if isinstance(optimizer, Optimizer):
        who = f"The optimizer {optimizer.name!r}"
        _explains_itself(optimizer, who)
    else:
        who = f"The optimizer {getattr(optimizer, '__name__', 'given')!r}"
    minimise, box, f = _search(optimizer)
    for budget in (1, 2, 60):
        _traced(who, minimise, f, box, budget)
    found, tried = _traced(who, minimise, f, box, 80)
    _, again = _traced(who, minimise, f, box, 80)
    _assert(np.array_equal(tried, again), f"{who} tries other points for the same seed")
    middle = (box.lower + box.upper) / 2
    _assert(found.value < f(middle), f"{who} finds nothing below the middle of the box in 80 tries")
    _, from_start = _traced(who, minimise, f, box, 5, start=box.upper)
    _assert(np.array_equal(from_start[0], box.upper), f"{who} does not try the start first")
    asked = count(1)
    stopped = minimise(f, box, 80, _generator(), cancel=lambda: next(asked) > 10)
    _assert(
        stopped.cancelled and stopped.evaluations == 10,
        f"{who} was asked to stop after 10 evaluations and made {stopped.evaluations}",
    )


def _search(optimizer: Optimizer | Minimise) -> tuple[Minimise, Box, Callable[[Floats], float]]:
    """A function to minimise: of a problem for a white box, a bowl for a black one."""
    if not isinstance(optimizer, Optimizer) or optimizer.minimise is not None:
        minimise = optimizer.minimise if isinstance(optimizer, Optimizer) else optimizer
        assert minimise is not None
        box = Box(np.full(4, -1.0), np.full(4, 2.0))
        return minimise, box, lambda x: float(((x - 1.2) ** 2).sum())
    problem = Problem(small_data(), fairness="social", restarts=2)
    lower, upper = problem.points.min(axis=0), problem.points.max(axis=0)
    box = Box(np.tile(lower, 3), np.tile(upper, 3))
    return (
        optimizer.minimiser(problem, 3, None),
        box,
        lambda x: problem.evaluate(x.reshape(3, -1)),
    )


def _traced(
    who: str, minimise: Minimise, f: Callable[[Floats], float], box: Box, budget: int, **more: Any
) -> tuple[Any, Floats]:
    """A search, and the points that it tried."""
    tried: list[Floats] = []
    values: list[float] = []

    def recorded(x: Floats) -> float:
        tried.append(x.copy())
        values.append(f(x))
        return values[-1]

    state = _global_state()
    found = minimise(recorded, box, budget, _generator(), **more)
    points = np.array(tried)
    _assert(len(tried) == budget, f"{who} makes {len(tried)} evaluations of a budget of {budget}")
    _assert(
        found.evaluations == len(tried),
        f"{who} says {found.evaluations} evaluations and made {len(tried)}",
    )
    _assert(np.array_equal(box.clip(points), points), f"{who} leaves the box")
    _assert(found.value == min(values), f"{who} loses the best value it found")
    _assert(f(found.x) == found.value, f"{who} returns another point than that of its value")
    _assert(
        _global_state() == state,
        f"{who} draws from NumPy's global random state; take all draws from rng",
    )
    return found, points


def check_fair_algorithm(given: FairAlgorithm | str) -> None:
    """A FairAlgorithm, or the name of a registered one, keeps what is asked.

    It explains itself, and names costs that exist; returns a BaselineResult with a label for every
    point, k finite centres, and the four scores that belong to them; leaves the points and NumPy's
    random state alone; and gives the same for the same seed.
    """
    entry = given if isinstance(given, FairAlgorithm) else get_fair_algorithm(given)
    who = f"The fair algorithm {entry.name!r}"
    _explains_itself(entry, who)
    for name in entry.serves:
        _kept(who, as_fairness, name)
    data, k = small_data(), 2
    n, d = data.points.shape
    before, state = data.points.copy(), _global_state()
    first, again = (_kept(who, entry.solved, data.points, data.groups, k) for _ in range(2))
    _assert(
        isinstance(first, BaselineResult),
        f"{who} must return a BaselineResult; got {type(first).__name__}",
    )
    _assert(first.name == entry.name, f"{who} calls itself {first.name!r} in its result")
    labels, centers = np.asarray(first.labels), np.asarray(first.centers)
    _assert(
        labels.shape == (n,) and labels.min() >= 0 and labels.max() < k,
        f"{who} must give every one of {n} points a label from 0 to {k - 1}",
    )
    _assert(
        centers.shape == (k, d) and np.isfinite(centers).all(),
        f"{who} must give finite centres of the shape ({k}, {d}); got {centers.shape}",
    )
    for name, value in four_scores(labels, centers, data.points, [data.groups]).items():
        told = getattr(first, name)
        _assert(
            math.isclose(told, value, rel_tol=1e-9, abs_tol=1e-12),
            f"{who} says {name} = {told:g}; its labels and centres give {value:g}",
        )
    _assert(
        np.array_equal(first.labels, again.labels) and np.array_equal(first.centers, again.centers),
        f"{who} gives another result for the same seed",
    )
    _assert(np.array_equal(data.points, before), f"{who} changes the points")
    _assert(
        _global_state() == state,
        f"{who} draws from NumPy's global random state; take all draws from the seed",
    )
    _assert(first.seconds >= 0.0, f"{who} must say how many seconds it took")


# -- data and words -------------------------------------------------------------------------------


def planted(k: int, size: int = 40, d: int = 3, seed: int = 0) -> tuple[Floats, Ints]:
    """k round clouds far from each other, in mixed order, and the cloud of every point.

    >>> points, truth = planted(3)
    >>> points.shape, np.bincount(truth).tolist()
    ((120, 3), [40, 40, 40])
    """
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(k), size))
    places = 20.0 * rng.permutation(np.eye(max(k, d))[:k, :d] + np.arange(k)[:, None])
    return rng.normal(size=(k * size, d)) + places[truth], truth


def small_data() -> Dataset:
    """Three clouds in the plane that touch, of which two groups have unequal parts.

    >>> small_data().n
    120
    """
    rng = np.random.default_rng(1)
    truth = np.arange(120) % 3
    points = rng.normal(size=(120, 2)) + 2.0 * truth[:, None]
    groups = (rng.random(120) < 0.2 + 0.2 * truth).astype(int)
    return dataset_from_arrays(points, groups, name="three clouds")


def _explains_itself(entry: Any, who: str) -> None:
    for field in ("name", "title", "sentence"):
        text = getattr(entry, field)
        _assert(isinstance(text, str) and bool(text.strip()), f"{who} needs a {field}")
    _assert(
        entry.sentence.strip()[-1] in ".!?",
        f"The sentence of {who[4:]} must end as one; got {entry.sentence!r}",
    )


def _kept(who: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """What the call gives; its own error is a failed check."""
    try:
        return call(*arguments)
    except AntidoteError as error:
        raise AssertionError(str(error)) from error
    except Exception as error:
        raise AssertionError(f"{who} failed ({type(error).__name__}: {error}).") from error


def _assert(holds: bool, sentence: str) -> None:
    if not holds:
        raise AssertionError(f"{sentence}.")


def _same_parts(left: Ints, right: Ints) -> bool:
    """Whether two labellings (n,) make the same parts."""
    pairs = np.unique(np.stack([left, right]), axis=1).shape[1]
    return bool(pairs == len(np.unique(left)) == len(np.unique(right)))


def _global_state() -> bytes:
    state: Any = np.random.get_state()  # noqa: NPY002 - what must stay as it is
    return bytes(state[1].tobytes())


def _generator() -> np.random.Generator:
    return np.random.default_rng(0)
