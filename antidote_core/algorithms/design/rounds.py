"""Algorithm 2 with designed V: the sizes of `grow`, one design per size, as its events."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from antidote_core.algorithms.algorithm2.sizes import Sizes
from antidote_core.algorithms.design.designer import Cancel, Design, Designer, DesignStep
from antidote_core.algorithms.rows.row_design import RowDesign
from antidote_core.algorithms.rows.row_designer import RowDesigner
from antidote_core.algorithms.steps import finish, relayed
from antidote_core.checks import is_whole
from antidote_core.datasets import load_for
from antidote_core.errors import SpecError
from antidote_core.places import MixedRows, Place, Rows
from antidote_core.problem import Problem
from antidote_core.runs.events import Cut, Event, Note, Progress, Round
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import pack
from antidote_core.types import Dataset, Floats


def designed_rounds(
    problem: Problem,
    box: tuple[Floats, Floats],
    target: float | None,
    sizes: Sizes,
    stop: Cancel,
    lasting: float = 0.0,
) -> Iterator[Event]:
    """Events: progress and cut within a size, round at its end, notes at last.

    A size counts as reached when the target is met by all independent clusterings; at the largest
    size by the best of them and by enough of the others. So a smaller size is not bought with luck.
    Without a target the cost of plain clustering must be beaten by a design that holds.
    """
    designer = Designer(problem, box, stop, lasting)
    answer = None
    index = 0
    while (size := sizes.next()) is not None and not stop():

        def told(step: DesignStep, index: int = index, size: int | None = size) -> Event:
            assert size is not None
            event = Cut if step.kind == "cut" else Progress
            return event(
                index=index,
                size=size,
                cost=step.data["best"],
                evaluations=designer.contest.evaluations,
                design={"kind": step.kind, **step.data},
            )

        steps = designer.design(size, target, last=size >= sizes.limit)
        design = yield from relayed(steps, told)
        reached = design.solid or (design.reached and size >= sizes.limit)
        if target is None:
            reached = design.holds and design.best_cost < problem.vanilla.cost
        yield Round(
            index=index,
            size=design.size,
            antidote=pack(design.antidote),
            reached=reached,
            evaluations=designer.contest.evaluations,
            design={**design.summary(), "fewest": designer.fewest(design, target)},
            **problem.outcome(design.antidote),
        )
        gap = 0.0 if target is None else problem.vanilla.cost - target
        way = (problem.vanilla.cost - design.cost) / gap if gap > 0 else 0.0
        sizes.record(design.size if reached else size, reached, rank=design.cost, way=way)
        index += 1
        if answer is None or reached or not answer.reached:
            answer = design
    if answer is not None:
        for text in answer.notes:
            yield Note(text=text)


def row_rounds(
    spec: RunSpec, problem: Problem, place: Rows, target: float | None, sizes: Sizes, stop: Cancel
) -> Iterator[Event]:
    """`designed_rounds` with copies of rows.

    Growing, every size has its round: the fairest V of that size, or, where so few copies change
    nothing yet, the one that comes nearest to tipping the contest. With growth "bisect" the program
    finds the smallest size itself, in one round.
    """
    shares = place.shares if isinstance(place, MixedRows) else None
    designer = RowDesigner(problem, place.allowed, place.max_copies, spec.lasting, stop, shares)
    limit = problem.vanilla.cost if target is None else target
    notes: tuple[str, ...] = ()
    index = 0
    while (size := sizes.next()) is not None and not stop():
        by_program = target is not None and spec.growth == "bisect"
        most: int = sizes.limit if by_program else min(size, place.most)

        def told(step: DesignStep, index: int = index, most: int = most) -> Event:
            best = step.data["best"]
            return Progress(
                index=index,
                size=min(int(step.data.get("used") or step.data["size"] or most), most),
                cost=problem.vanilla.cost if best is None else min(best, problem.vanilla.cost),
                evaluations=designer.contest.evaluations,
                design={"kind": step.kind, **step.data},
            )

        if by_program:
            steps = designer.smallest(limit, spec.whole)
        else:
            steps = designer.best(most, target, spec.whole)
        design = yield from relayed(steps, told)
        if spec.whole:
            rows = np.repeat(np.arange(len(problem.points)), design.copies.astype(np.int64))
            weight = None
        else:
            rows = np.flatnonzero(design.copies)
            weight = design.copies[rows].astype(np.float64)
        antidote = problem.points[rows]
        # What the checks find and the fixed starts of C do not is one of its starts as well.
        how = {"weight": weight, "start": design.centers if design.holds else None}
        rank = problem.rank(antidote, **how)
        reached = design.holds and rank <= limit and design.size <= most
        yield Round(
            index=index,
            size=design.size,
            antidote=pack(antidote, rows, weight),
            reached=reached,
            evaluations=designer.contest.evaluations,
            design=design.summary(),
            **problem.outcome(antidote, **how),
        )
        # A contest that comes nearer to tipping is no standstill.
        nearer = design.lead if design.lead > 0 and rank > limit else rank
        sizes.record(design.size if reached else most, reached, rank=nearer)
        notes = design.notes
        index += 1
        if by_program:
            break
    for text in notes:
        yield Note(text=text)


def design_frontier(
    spec: RunSpec,
    sizes: Sequence[int],
    data: Dataset | None = None,
    cancel: Cancel | None = None,
) -> list[Design] | list[RowDesign]:
    """The best verified V for each size, small to large, from one call.

    Takes data, cost, k, restarts, place, guard and seed from the spec; `data` overrides the data
    set that it names. With place="rows" V are copies of rows, else points in the box. A design of
    one size starts from that of the size before and knows its rivals; where fewer points did
    better, theirs stand. After `cancel()` the sizes done so far are returned.

    >>> spec = RunSpec(dataset="blobs", fairness="social", optimizer="design")
    >>> few, many = design_frontier(spec, [20, 5])
    >>> few.size <= 5 and many.size <= 20 and many.best_cost <= few.best_cost
    True
    """
    chosen = load_for(spec) if data is None else data
    problem = Problem.of(spec, chosen)
    place = problem.place_for(spec)
    _check_sizes(sizes)
    if isinstance(place, Rows):
        shares = place.shares if isinstance(place, MixedRows) else None
        designer = RowDesigner(
            problem, place.allowed, place.max_copies, spec.lasting, cancel, shares
        )
        return designer.frontier(sizes)
    return finish(frontier_steps(problem, sizes, place, cancel, spec.lasting))


def frontier_steps(
    problem: Problem,
    sizes: Sequence[int],
    place: Place,
    cancel: Cancel | None = None,
    lasting: float = 0.0,
) -> Generator[DesignStep, None, list[Design]]:
    """`design_frontier` step by step, with points in the box of a place."""
    _check_sizes(sizes)
    designer = Designer(problem, (place.lower, place.upper), cancel, lasting)
    designs: list[Design] = []
    for size in sorted(set(sizes)):
        if designer.stopped:
            break
        found = yield from designer.design(size)
        if not found.checks:
            break  # stopped before it was verified
        if designs and not _better(found, designs[-1]):
            found = designs[-1]
        designs.append(found)
    return designs


def _check_sizes(sizes: Sequence[int]) -> None:
    for size in sizes:
        if not is_whole(size, 1):
            raise SpecError(f"sizes must be whole numbers of at least 1; got {size!r}.")


def _better(design: Design, fewer: Design) -> bool:
    """Whether more points were worth it: verified, and at a lower cost."""
    if design.holds != fewer.holds:
        return design.holds
    return design.best_cost < fewer.best_cost
