"""Sweeps made of events, without computing anything: for the words and pictures about them."""

from collections.abc import Callable, Collection, Iterator

from antidote_core.runs.events import (
    CellChanged,
    Closed,
    Event,
    Queued,
    SweepStarted,
    Workers,
    event_of,
)
from antidote_core.runs.sweep_spec import Cell, SweepSpec
from antidote_core.runs.sweep_view import (
    BaselineLine,
    Reference,
    SweepView,
)

POINTS = 1000
PLAIN = -0.3
SPEC = SweepSpec("blobs", sizes=(10, 20, 50, 100), seeds=(0, 1, 2, 3, 4))


def run_id(index: int) -> str:
    return f"cell{index:018d}"


def reference(problem: tuple[str, str, int], **changes: object) -> Reference:
    values = {
        "problem": problem,
        "vanilla": PLAIN,
        "noise": (-0.31, -0.3, -0.29),
        "silhouette": 0.4,
        "target": PLAIN,
        "strict": True,
        "sota": BaselineLine("bera", -0.8, -0.35, -0.35, 0.2, 0.35, 1.5, 0.19, 0.0, 0.44, 0.4),
        "smallest_share": 0.4,
    }
    return Reference(**{**values, **changes})


def falling(cell: Cell) -> float:
    """The larger V, the lower the cost; seeds differ by a hundredth."""
    return PLAIN - 0.002 * (cell.size - 15) - 0.01 * cell.seed


def price(cell: Cell) -> float:
    """The larger V, the dearer."""
    return 0.0005 * cell.size + 0.001 * cell.seed


def smallest_share(cell: Cell) -> float:
    """The larger V, the smaller the smallest cluster."""
    return 0.4 - 0.002 * cell.size


def events(
    spec: SweepSpec = SPEC,
    cost: Callable[[Cell], float] = falling,
    failed: Collection[int] = (),
    settled: int | None = None,
    end: str = "finished",
    reason: str = "all cells are done",
    priced: bool = True,
    kept: bool = True,
    **changes: object,
) -> Iterator[Event]:
    """The log of a sweep; `settled` cells have ended, `changes` are those of its references.

    Cells know price and smallest cluster where they are `priced`, and whether the guard was `kept`.
    """
    yield Queued()
    yield SweepStarted(seconds=0.1, sweep=spec.to_json(), points=POINTS)
    yield Workers(seconds=1.0, count=2, scheduler="")
    for problem in spec.problems:
        yield reference(problem, **changes).to_event().at(2.0)
    cells = spec.cells if settled is None else spec.cells[:settled]
    for cell in cells:
        seconds = 3.0 + cell.index
        if cell.index in failed:
            yield CellChanged(
                seconds=seconds, index=cell.index, state="failed", reason="memory ran out"
            )
            continue
        found = cost(cell)
        yield CellChanged(
            seconds=seconds,
            index=cell.index,
            state="done",
            run=run_id(cell.index),
            cost=found,
            vanilla=PLAIN,
            checked=found,
            checks=[found] * 4,
            silhouette=0.4 - 0.001 * cell.size,
            **({"price": price(cell), "smallest_share": smallest_share(cell)} if priced else {}),
            kept=kept,
            taken=1.0,
            reused=False,
        )
    if settled is not None and settled < len(spec.cells):
        yield CellChanged(seconds=4.0 + settled, index=settled, state="running")
    if end:
        yield event_of(end, {"seconds": 5.0 + len(cells), "reason": reason})
        yield Closed(seconds=5.0 + len(cells))


def made(*arguments: object, **changes: object) -> SweepView:
    return SweepView.fold(events(*arguments, **changes))
