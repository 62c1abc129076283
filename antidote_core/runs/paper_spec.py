"""What is asked of a recomputation of the paper, and what its events mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from antidote_core.checks import check_whole
from antidote_core.errors import SpecError
from antidote_core.runs import events
from antidote_core.runs.events import Event
from antidote_core.runs.spec import JobSpec
from antidote_core.runs.state import JobState, PoolView


@dataclass(frozen=True)
class PaperSpec(JobSpec):
    """Which tables, data sets and modes, all of them where none is named, and the seed.

    >>> PaperSpec.from_json(PaperSpec(tables=("vanilla_k2",)).to_json())
    PaperSpec(tables=('vanilla_k2',), datasets=(), modes=(), seed=0)
    """

    kind: ClassVar[str] = "paper"
    word: ClassVar[str] = "recomputation"
    required: ClassVar[tuple[str, ...]] = ()

    tables: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("seed", self.seed, 0)
        for name in ("tables", "datasets", "modes"):
            values = getattr(self, name)
            if not isinstance(values, tuple | list) or not all(isinstance(v, str) for v in values):
                raise SpecError(f"{name} must be a list of names; got {values!r}.")
            object.__setattr__(self, name, tuple(dict.fromkeys(values)))


@dataclass(frozen=True, eq=False)
class PaperView(PoolView):
    """The rows so far, by the key of their number; `runs` are the stored runs that answer them.

    `expected` are the seconds that rows took an earlier time, `known` the rows that were there
    before.
    """

    keys: tuple[str, ...] = ()
    expected: Mapping[str, float] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    runs: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()

    @property
    def left(self) -> float:
        """Seconds until the last row, by the pace so far; NaN before one was computed."""
        computed = sum(self.expected.get(key, 0.0) for key in self.rows if key not in self.known)
        rest = sum(self.expected.get(key, 0.0) for key in self.keys if key not in self.rows)
        return (self.seconds - self.began) / computed * rest if computed else math.nan

    def summary(self) -> dict[str, Any]:
        """The figures that a list shows, fit for JSON."""
        return {
            "rows": len(self.keys),
            "done": len(self.rows),
            "seconds": round(self.seconds, 4),
        }

    def _apply(self, event: Event) -> Self:
        match event:
            case events.PaperStarted():
                return replace(
                    self,
                    state=JobState.RUNNING,
                    keys=tuple(event.expected),
                    expected=event.expected,
                )
            case events.PaperRow():
                known = self.known | {event.key} if event.known else self.known
                return replace(
                    self,
                    rows={**self.rows, event.key: event.row},
                    runs={**self.runs, event.key: event.run} if event.run else self.runs,
                    known=known,
                )
        return super()._apply(event)
