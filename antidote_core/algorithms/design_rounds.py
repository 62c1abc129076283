"""Algorithm 2 with designed V: the sizes of `grow`, one design per size, as its events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from antidote_core.algorithms.design import Cancel, Designer
from antidote_core.algorithms.record import pack
from antidote_core.problem import Problem
from antidote_core.types import Floats


class Sizes(Protocol):
    """Which size to try next, told how the last one went; `limit` is the largest."""

    limit: int

    def next(self) -> int | None:
        """The next size, None at the end."""

    def record(self, size: int, reached: bool, way: float = 0.0) -> None:
        """What became of a size, and which share of the way to the target it came."""


def designed_rounds(
    problem: Problem,
    box: tuple[Floats, Floats],
    target: float | None,
    sizes: Sizes,
    stop: Cancel,
    state: Callable[[Problem, Floats], dict[str, Any]],
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Events as (kind, data): progress and cut within a size, round at its end, notes at last.

    A size counts as reached when the target is met by all independent clusterings; at the largest
    size by the best of them and by enough of the others. So a smaller size is not bought with luck.
    Without a target the cost of plain clustering must be beaten by a design that holds.
    """
    designer = Designer(problem, box, stop)
    answer = None
    index = 0
    while (size := sizes.next()) is not None and not stop():
        steps = designer.design(size, target, last=size >= sizes.limit)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                design = end.value
                break
            yield (
                "cut" if step.kind == "cut" else "progress",
                {
                    "index": index,
                    "size": size,
                    "cost": step.data["best"],
                    "evaluations": designer.contest.evaluations,
                    "design": {"kind": step.kind, **step.data},
                },
            )
        reached = design.solid or (design.reached and size >= sizes.limit)
        if target is None:
            reached = design.holds and design.best_cost < problem.vanilla.cost
        yield (
            "round",
            {
                "index": index,
                "size": design.size,
                "antidote": pack(design.antidote),
                "reached": reached,
                "evaluations": designer.contest.evaluations,
                "design": {**design.summary(), "fewest": designer.fewest(design, target)},
                **state(problem, design.antidote),
            },
        )
        gap = 0.0 if target is None else problem.vanilla.cost - target
        way = (problem.vanilla.cost - design.cost) / gap if gap > 0 else 0.0
        sizes.record(design.size if reached else size, reached, way)
        index += 1
        if answer is None or reached or not answer.reached:
            answer = design
    if answer is not None:
        for text in answer.notes:
            yield "note", {"text": text}
