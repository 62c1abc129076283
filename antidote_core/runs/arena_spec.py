"""What is asked of an arena, and what its events mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from antidote_core.checks import check_whole
from antidote_core.datasets import DATASETS
from antidote_core.errors import SpecError
from antidote_core.runs import events
from antidote_core.runs.events import Event
from antidote_core.runs.spec import JobSpec, RunSpec
from antidote_core.runs.state import JobState, PoolView

KS, SEEDS = (2, 3), (0, 1, 2)


@dataclass(frozen=True)
class ArenaSpec(JobSpec):
    """Data sets x numbers of clusters x methods x seeds; all that are known where none is named.

    `notions` are the costs that every clustering is measured by, all of them where none is named.
    A data set whose name is not in the registry is somebody's own, and the only one then.
    `sample` takes that many rows of the sets that have more.

    >>> ArenaSpec.from_json(ArenaSpec(datasets=("bank",), ks=(2,)).to_json()).ks
    (2,)
    """

    kind: ClassVar[str] = "arena"
    word: ClassVar[str] = "arena"
    required: ClassVar[tuple[str, ...]] = ()

    datasets: tuple[str, ...] = ()
    ks: tuple[int, ...] = KS
    methods: tuple[str, ...] = ()
    notions: tuple[str, ...] = ()
    seeds: tuple[int, ...] = SEEDS
    sample: int | None = None

    def __post_init__(self) -> None:
        for name in ("datasets", "methods", "notions"):
            values = getattr(self, name)
            if not isinstance(values, tuple | list) or not all(isinstance(v, str) for v in values):
                raise SpecError(f"{name} must be a list of names; got {values!r}.")
        for name, least in (("ks", 2), ("seeds", 0)):
            values = getattr(self, name)
            if not isinstance(values, tuple | list) or not values:
                raise SpecError(f"{name} must be a list of whole numbers; got {values!r}.")
            for value in values:
                check_whole(name, value, least)
        if self.sample is not None:
            check_whole("sample", self.sample, 10)
        for name in ("datasets", "ks", "methods", "notions", "seeds"):
            object.__setattr__(self, name, tuple(dict.fromkeys(getattr(self, name))))
        if len(self.datasets) > 1 and (own := [x for x in self.datasets if x not in DATASETS]):
            raise SpecError(
                f"An arena on data of one's own ({own[0]}) has no other data set; ask for it alone."
            )

    @property
    def data_spec(self) -> RunSpec | None:
        """A run on the data that are somebody's own; None where the registry has them."""
        if len(self.datasets) == 1 and self.datasets[0] not in DATASETS:
            return RunSpec(dataset=self.datasets[0])
        return None


@dataclass(frozen=True, eq=False)
class ArenaView(PoolView):
    """The records so far, by the key of their cell; `known` were there before.

    `failed` says by key why a cell has no record.
    """

    keys: tuple[str, ...] = ()
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    known: frozenset[str] = frozenset()

    @property
    def settled(self) -> int:
        """Cells that are there or have failed."""
        return len(self.rows) + len(self.failed)

    @property
    def left(self) -> float:
        """Seconds until the last cell, by the pace so far; NaN before one was computed."""
        computed = self.settled - len(self.known)
        if not computed:
            return math.nan
        return (self.seconds - self.began) / computed * (len(self.keys) - self.settled)

    def summary(self) -> dict[str, Any]:
        """The figures that a list shows, fit for JSON."""
        return {
            "cells": len(self.keys),
            "done": len(self.rows),
            "failed": len(self.failed),
            "seconds": round(self.seconds, 4),
        }

    def _apply(self, event: Event) -> Self:
        match event:
            case events.ArenaStarted():
                return replace(self, state=JobState.RUNNING, keys=tuple(event.keys))
            case events.ArenaRow(reason=reason) if reason:
                return replace(self, failed={**self.failed, event.key: reason})
            case events.ArenaRow():
                known = self.known | {event.key} if event.known else self.known
                return replace(self, rows={**self.rows, event.key: event.row}, known=known)
        return super()._apply(event)
