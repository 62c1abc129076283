"""RACOS and SRACOS, classification-based search, through ZOOpt.

Both learn a box around a good point that excludes the bad ones, and sample inside it. RACOS (Yu,
Qian, Hu 2016), the paper's optimizer, renews its samples a batch at a time; SRACOS (Hu, Qian, Yu
2017) one by one.

ZOOpt's loops and its classifier are used as they are. What surrounds them is not:

- it draws from NumPy's global generator: inside a search, and only there, its modules see a source
  of their own, fed by the caller's `rng` (so there is no seed to be ignored, and no global state
  to restore, in this thread or another);
- it prints: inside a search its log is silent;
- it overshoots its budget, and may stop early or loop for ever when it has converged or met equal
  points: counting and stopping is the `Evaluator`'s job, and a search that stalls is started again
  with the best point so far;
- its test for equal points depends on a global precision that another use of ZOOpt may have set,
  and takes most of the time in many dimensions: plain equality replaces it;
- its parallel mode, time budget, terminal value and random embedding are not used.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import lru_cache
from io import StringIO
from types import SimpleNamespace
from typing import Any

import numpy as np

from antidote_core.errors import optional_packages
from antidote_core.optimizers.protocol import UnitCube, minimiser

_BLOCK = 512  # random numbers drawn at once: one by one would cost ten times as much
_running = threading.local()  # .source: the random source of the search under way in this thread


@minimiser
def racos(cube: UnitCube, rng: np.random.Generator) -> None:
    """RACOS, a batch of samples at a time."""
    _search(cube, rng, sequential=False)


@minimiser
def sracos(cube: UnitCube, rng: np.random.Generator) -> None:
    """SRACOS, one sample at a time."""
    _search(cube, rng, sequential=True)


def _search(cube: UnitCube, rng: np.random.Generator, sequential: bool) -> None:
    zoopt = _zoopt()
    # A sample takes 3 draws, or one per coordinate: so many without a value are a stall.
    source = _Source(rng, patience=5000 + 10 * cube.dim)

    def value_at(solution: Any) -> float:
        value = cube(np.array(solution.get_x()))
        source.renew_patience()
        return value

    known = [(u.tolist(), value) for u, value in cube.starts]
    while True:
        source.renew_patience()
        # Below 3 ZOOpt would end the process; the end of the budget comes from the evaluator.
        parameter = zoopt.Parameter(budget=max(cube.budget, 4), sequential=sequential)
        if known:
            parameter.set_init_samples(
                [zoopt.Solution(x=_Coordinates(u), value=value) for u, value in known]
            )
        space = zoopt.Dimension(cube.dim, [[0.0, 1.0]] * cube.dim, [True] * cube.dim)
        algorithm = zoopt.SRacos() if sequential else zoopt.Racos()
        objective = zoopt.Objective(value_at, space)
        with _inside(source), suppress(_Stalled):
            algorithm.opt(objective, parameter, ub=zoopt.choose_ub(objective))
        best = algorithm.get_best_solution()
        known = [(best.get_x(), best.get_value())]


class _Coordinates(list[float]):
    """A flat list of numbers: its deep copy is a plain copy."""

    def __deepcopy__(self, memo: dict[int, Any]) -> _Coordinates:
        return _Coordinates(self)


class _Stalled(Exception):
    """ZOOpt keeps drawing without ever asking for a value."""


class _Source:
    """The four draws that ZOOpt makes, from `rng`."""

    def __init__(self, rng: np.random.Generator, patience: int) -> None:
        self._rng = rng
        self._block: Iterator[float] = iter(())
        self._patience = self._left = patience

    def renew_patience(self) -> None:
        self._left = self._patience

    def random(self) -> float:
        number = next(self._block, None)
        if number is None:
            self._left -= _BLOCK
            if self._left < 0:
                raise _Stalled
            self._block = iter(self._rng.random(_BLOCK).tolist())
            number = next(self._block)
        return number

    def uniform(self, low: float, high: float) -> float:
        return low + (high - low) * self.random()

    def randint(self, low: int, high: int) -> int:
        return low + int((high - low) * self.random())

    def choice(self, items: list[int], size: int, replace: bool) -> list[int]:
        for i in range(size):
            j = self.randint(i, len(items))
            items[i], items[j] = items[j], items[i]
        return items[:size]


class _NumPy:
    """NumPy as ZOOpt's modules see it: inside a search `random` is the search's own source."""

    @property
    def random(self) -> Any:
        return getattr(_running, "source", np.random)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


@contextmanager
def _inside(source: _Source) -> Iterator[None]:
    outer = getattr(_running, "source", None)
    _running.source = source
    try:
        yield
    finally:
        if outer is None:
            del _running.source
        else:
            _running.source = outer


@lru_cache(maxsize=1)
def _zoopt() -> SimpleNamespace:
    """What is used of ZOOpt, prepared once per process."""
    # It imports Matplotlib.
    with optional_packages(), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        from zoopt import Objective, Parameter, Solution, dimension
        from zoopt.algos.opt_algorithms.racos import racos, racos_classification, sracos
        from zoopt.algos.opt_algorithms.racos.racos_optimization import RacosOptimization
        from zoopt.utils.tool_function import ToolFunction

    for module in (dimension, racos, racos_classification, sracos):
        module.np = _NumPy()

    print_log = ToolFunction.log

    def log(text: str) -> None:
        if not hasattr(_running, "source"):
            print_log(text)

    ToolFunction.log = staticmethod(log)

    def is_distinct(solutions: list[Any], solution: Any) -> bool:
        x = solution.get_x()
        return all(x != other.get_x() for other in solutions)

    class QuickObjective(Objective):
        def construct_solution(self, x: list[float], parent: None = None) -> Any:
            return Solution(x=_Coordinates(x))

    return SimpleNamespace(
        Dimension=dimension.Dimension,
        Objective=QuickObjective,
        Parameter=Parameter,
        Solution=Solution,
        Racos=type("Racos", (racos.Racos,), {"is_distinct": staticmethod(is_distinct)}),
        SRacos=type("SRacos", (sracos.SRacos,), {"is_distinct": staticmethod(is_distinct)}),
        choose_ub=RacosOptimization.choose_ub,
    )
