"""What runs on the same data can share: the problem before a run, and plain clusterings."""

from __future__ import annotations

import copy
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

from antidote_core.clustering import get_clustering
from antidote_core.fairness import get_fairness
from antidote_core.problem import Problem
from antidote_core.runs.spec import RunSpec
from antidote_core.types import Dataset

KEPT = 12  # of each thing, the latest used

_T = TypeVar("_T")


class ProblemCache:
    """Builds a problem once and gives every run a copy of it as it was when built.

    So a run in a cache gives the same events as one on its own, to the last bit; up to rounding
    where problems are not `compiled`. For one thread.
    """

    def __init__(self, compiled: bool = True) -> None:
        self._compiled = compiled
        self._kept: dict[str, OrderedDict[tuple[Any, ...], Any]] = {}

    def problem(self, spec: RunSpec, data: Dataset) -> Problem:
        """The problem of the spec, in the state in which it begins."""
        built = self.once("problem", spec, data, lambda: Problem.of(spec, data, self._compiled))
        duplicate = getattr(built.evaluator, "copy", None)
        if duplicate is None:  # nobody knows what it remembers
            return Problem.of(spec, data, self._compiled)
        fresh = copy.copy(built)
        fresh.evaluator = duplicate()
        fresh.set_guard(spec.min_share, spec.max_price)
        return fresh

    def once(self, what: str, spec: RunSpec, data: Dataset, make: Callable[[], _T]) -> _T:
        """What `make` gives for this problem, made at the first call."""
        key = (  # the entries themselves: a name may get another one
            data.content_hash, get_clustering(spec.clustering), get_fairness(spec.fairness),
            spec.k, spec.restarts, spec.seed,
        )  # fmt: skip
        kept = self._kept.setdefault(what, OrderedDict())
        if key not in kept:
            kept[key] = make()
            while len(kept) > KEPT:
                kept.popitem(last=False)
        kept.move_to_end(key)
        found: _T = kept[key]
        return found
