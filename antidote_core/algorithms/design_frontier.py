"""The best designed V for every size of a list, each started from the size before."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from antidote_core.algorithms.design import Cancel, Design, Designer, Progress, finish
from antidote_core.algorithms.grow import load_spec_data
from antidote_core.errors import SpecError
from antidote_core.problem import Problem
from antidote_core.types import Dataset, RunSpec


def design_frontier(
    spec: RunSpec,
    sizes: Sequence[int],
    data: Dataset | None = None,
    cancel: Cancel | None = None,
) -> list[Design]:
    """The best verified V for each size, small to large, from one call.

    Takes data, cost, k, restarts, box and seed from the spec; `data` overrides the data set that it
    names. A design of one size starts from that of the size before and knows its rivals; where
    fewer points did better, theirs stand. After `cancel()` the sizes done so far are returned.

    >>> spec = RunSpec(dataset="blobs", fairness="social", optimizer="design")
    >>> few, many = design_frontier(spec, [20, 5])
    >>> few.size <= 5 and many.size <= 20 and many.best_cost <= few.best_cost
    True
    """
    chosen = load_spec_data(spec) if data is None else data
    problem = Problem(chosen, spec.clustering, spec.fairness, spec.k, spec.restarts, spec.seed)
    return finish(frontier_steps(problem, sizes, spec.box, cancel))


def frontier_steps(
    problem: Problem, sizes: Sequence[int], box: str = "minmax", cancel: Cancel | None = None
) -> Generator[Progress, None, list[Design]]:
    """`design_frontier` step by step."""
    for size in sizes:
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise SpecError(f"sizes must be whole numbers of at least 1; got {size!r}.")
    designer = Designer(problem, problem.box(box), cancel)
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


def _better(design: Design, fewer: Design) -> bool:
    """Whether more points were worth it: verified, and at a lower cost."""
    if design.holds != fewer.holds:
        return design.holds
    return design.best_cost < fewer.best_cost
