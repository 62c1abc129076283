"""Who takes part: plain clustering, every fair algorithm of the registry, and antidote data.

Antidote data are named after the notion they are found for, "antidote:social"; any cost will do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from antidote_core.algorithms.algorithm2.grow import Cancel, run
from antidote_core.baselines import RIVALS, FairAlgorithm
from antidote_core.baselines.record import BaselineWarning
from antidote_core.checks import did_you_mean
from antidote_core.errors import SpecError, optional_packages
from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.plugins import load_plugins
from antidote_core.problem import Problem
from antidote_core.runs.spec import LOWEST, RunSpec
from antidote_core.types import Dataset, Floats, Ints

PLAIN, ANTIDOTE, LOOP = "plain", "antidote", "loop"
USUAL_NOTIONS = ("balance", "social")  # that antidote data are found for unless others are named
LOOP_SIZE, LOOP_ROUNDS, LOOP_BUDGET = 10, 5, 100
FEW, PART = 50, 50  # V is 1/PART of U, or FEW copies where that is more, and never over a tenth
NOTHING, DATA, ALGORITHM, LABELS = "nothing", "data", "algorithm", "labels"


@dataclass(frozen=True, eq=False)
class Found:
    """What a method gives: labels (n,) and centres (k, d) of U, and what it took.

    `size` is |V|, `copied` how many people V is copied from; `outcome` is the word of the verdict.
    """

    labels: Ints
    centers: Floats
    size: int = 0
    copied: int = 0
    outcome: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Method:
    """A method and what it asks of whoever uses it.

    `needs_groups` says that the groups must be known whenever rows are clustered; `changes` is what
    it touches: nothing, the data, the algorithm or the labels; `serves` names the notions that it
    is made for. `solve(data, k, seed, cancel)` clusters, or refuses with a sentence.
    """

    name: str
    title: str
    sentence: str
    needs_groups: bool
    changes: str
    serves: tuple[str, ...]
    solve: Callable[[Dataset, int, int, Cancel], Found]


def arena_methods(names: Sequence[str] = ()) -> tuple[Method, ...]:
    """The methods of these names, in this order; all usual ones where none is named.

    >>> [method.name for method in arena_methods(["plain", "antidote:gap"])]
    ['plain', 'antidote:gap']
    """
    if not names:
        load_plugins()
        ours = [f"{kind}:{notion}" for notion in USUAL_NOTIONS for kind in (ANTIDOTE, LOOP)]
        names = (PLAIN, *RIVALS, *ours)
    return tuple(_method(name) for name in names)


def _method(name: str) -> Method:
    kind, _, notion = name.partition(":")
    if name == PLAIN:
        return Method(
            PLAIN, "Plain k-means", "k-means on the rows as they are, the best of ten starts.",
            False, NOTHING, (), _plain,
        )  # fmt: skip
    if kind in (ANTIDOTE, LOOP) and notion:
        cost = get_fairness(notion)
        title = cost.title[0].lower() + cost.title[1:]
        if kind == ANTIDOTE:
            return Method(
                name, f"Antidote data for {title}",
                f"Copies of rows, 1/{PART} of the data ({FEW} at least), found by linear programs "
                "where the cost allows and by search elsewhere, guard on; then plain k-means.",
                False, DATA, (notion,), partial(_antidote, notion),
            )  # fmt: skip
        return Method(
            name, f"Algorithm 2 as in the paper, for {title}",
            "RACOS in a random space, points anywhere in the box, no guard, until it is fairer "
            f"than plain k-means: at most {LOOP_ROUNDS} sizes from {LOOP_SIZE}, {LOOP_BUDGET} "
            "evaluations each; then plain k-means.",
            False, DATA, (notion,), partial(_loop, notion),
        )  # fmt: skip
    if name not in RIVALS:
        load_plugins()
    if name not in RIVALS:
        known = (PLAIN, *RIVALS, *(f"{ANTIDOTE}:{notion}" for notion in FAIRNESS))
        raise SpecError(
            f"There is no method named {name!r}{did_you_mean(name, known)}; wanted some of "
            f"{', '.join((PLAIN, *RIVALS))}, {ANTIDOTE}:NOTION or {LOOP}:NOTION."
        )
    rival = RIVALS[name]
    return Method(
        rival.name, rival.title, rival.sentence, rival.needs_groups, rival.changes,
        tuple(rival.serves), partial(_rival, rival),
    )  # fmt: skip


def plain_problem(data: Dataset, k: int, seed: int, **settings: Any) -> Problem:
    """k-means on U as all methods meet it."""
    return Problem(data, "kmeans", "balance", k, restarts=10, seed=seed, **settings)


def _plain(data: Dataset, k: int, seed: int, cancel: Cancel) -> Found:
    vanilla = plain_problem(data, k, seed, compiled=False).vanilla
    return Found(vanilla.labels, vanilla.centers)


def _rival(rival: FairAlgorithm, data: Dataset, k: int, seed: int, cancel: Cancel) -> Found:
    with warnings.catch_warnings():
        # The notes say the same.
        warnings.simplefilter("ignore", BaselineWarning)
        with optional_packages():
            result = rival.solved(data.points, data.groups, k, seed, data.weights)
    return Found(result.labels, result.centers, notes=tuple(result.notes))


def _antidote(notion: str, data: Dataset, k: int, seed: int, cancel: Cancel) -> Found:
    designed = notion in USUAL_NOTIONS  # by linear programs
    spec = RunSpec(
        data.name, fairness=notion, k=k, seed=seed, target=LOWEST, max_seconds=None,
        max_size=max(min(data.n // 10, max(FEW, data.n // PART)), 1),
        optimizer="design" if designed else "structured",
    )  # fmt: skip
    return _grown(spec, data, cancel)


def _loop(notion: str, data: Dataset, k: int, seed: int, cancel: Cancel) -> Found:
    spec = RunSpec.unguarded(
        dataset=data.name, fairness=notion, k=k, seed=seed, restarts=1, start_size=LOOP_SIZE,
        step=LOOP_SIZE, embed_dim=100, optimizer="racos", growth="restart", budget=LOOP_BUDGET,
        max_rounds=LOOP_ROUNDS,
    )  # fmt: skip
    return _grown(spec, data, cancel)


def _grown(spec: RunSpec, data: Dataset, cancel: Cancel) -> Found:
    with optional_packages():
        view = run(spec, data, cancel)
    found = Problem.of(spec, data).cluster(view.antidote, **view.how)
    return Found(
        found.labels, found.centers, view.size, view.people, str(view.verdict.outcome.value),
        tuple(view.notes[len(data.notes) :]),
    )  # fmt: skip
