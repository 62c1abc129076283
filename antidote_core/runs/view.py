"""What a run means: events folded into one view, for live, stopped and replayed runs alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from antidote_core.runs.events import Event
from antidote_core.runs.target import Verification
from antidote_core.types import Floats


@dataclass(frozen=True, eq=False)
class Round:
    """One size of V and the best antidote found at it; `design` says how it was designed, if so."""

    index: int
    size: int
    antidote: Floats
    cost: float
    reached: bool
    evaluations: int
    seconds: float
    centers: Floats
    counts: Floats
    group_costs: Floats
    design: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RunView:
    """The state of a run after some of its events.

    `antidote` (m, d) is the answer so far: the smallest V that reaches the target, else the V with
    the lowest cost. `state` is "queued", "running", "finished", "stopped", "failed" or "dead" (its
    process was lost); `reason` says why it ended, `stage` what is being waited for. `closed` means
    that no more events will come: rows of comparison may still follow "finished". `search_began` is
    the second at which the first round began; `cuts` are the contests of a design. `unreadable`
    counts the damaged lines of a log, which `notes` mentions too.
    """

    spec: Mapping[str, Any] = field(default_factory=dict)
    state: str = "running"
    reason: str = ""
    points: int = 0
    antidote: Floats = field(default_factory=lambda: np.empty((0, 0)))
    cost: float = float("nan")
    vanilla_cost: float = float("nan")
    vanilla: Mapping[str, Any] = field(default_factory=dict)
    noise: tuple[float, ...] = ()
    sota: Mapping[str, Any] = field(default_factory=dict)
    target: float = float("nan")
    strict: bool = False
    reached: bool = False
    history: tuple[Round, ...] = ()
    current: Mapping[str, Any] = field(default_factory=dict)
    cuts: tuple[Mapping[str, Any], ...] = ()
    evaluations: int = 0
    seconds: float = 0.0
    search_began: float = float("nan")
    verification: Verification | None = None
    comparison: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    stage: str = ""
    closed: bool = False
    unreadable: int = 0

    @property
    def rounds(self) -> int:
        """Number of rounds finished."""
        return len(self.history)

    @property
    def size(self) -> int:
        """|V| of the answer so far."""
        return len(self.antidote)

    @property
    def outside_noise(self) -> bool:
        """Whether the gain is larger than the spread of plain clusterings over seeds."""
        lowest = min((*self.noise, self.vanilla_cost))
        return bool(self.cost < lowest)


def fold(events: Iterable[Event]) -> RunView:
    """The view after all of the events."""
    view = RunView()
    for event in events:
        view = after(view, event)
    return view


def after(view: RunView, event: Event) -> RunView:
    """The view after one more event."""
    data = event.data
    if event.kind == "queued":  # a run begins here, for the first time or anew
        return RunView(state="queued")
    if event.kind == "unreadable":
        return _after_unreadable(view)
    if view.state in ("queued", "running"):  # the time of Algorithm 2, not of what comes after it
        view = replace(view, seconds=event.seconds)
    if event.kind == "stage":
        state = "running" if view.state == "queued" else view.state
        return replace(view, state=state, stage=data["text"])
    if event.kind == "note":
        return replace(view, notes=(*view.notes, data["text"]))
    if event.kind == "started":
        return replace(
            view,
            state="running",
            stage="",
            spec=data["spec"],
            points=data["points"],
            notes=(*data["notes"], *view.notes),
        )
    if event.kind == "vanilla":
        return replace(
            view,
            vanilla=data,
            vanilla_cost=data["cost"],
            cost=data["cost"],
            antidote=np.empty((0, len(data["centers"][0]))),
        )
    if event.kind == "noise":
        return replace(view, noise=tuple(data["costs"]), search_began=event.seconds)
    if event.kind == "target":
        return replace(view, target=data["target"], strict=data["strict"], sota=data["sota"])
    if event.kind == "progress":
        return replace(view, current=data, evaluations=data["evaluations"], stage="")
    if event.kind == "cut":
        evaluations, cuts = data["evaluations"], (*view.cuts, data)
        return replace(view, current=data, cuts=cuts, evaluations=evaluations, stage="")
    if event.kind == "alive":
        return replace(view, stage=data["doing"])
    if event.kind == "round":
        return _after_round(view, event)
    if event.kind in ("shrunk", "spread"):
        return replace(
            view,
            antidote=unpack(data["antidote"]),
            cost=data["cost"],
            evaluations=data["evaluations"],
        )
    if event.kind == "verified":
        fields = {**data, "costs": tuple(data["costs"])}
        return replace(view, verification=Verification(**fields))
    if event.kind == "comparison":
        return replace(view, comparison=(*view.comparison, data["row"]))
    if event.kind in ("finished", "stopped", "failed", "dead"):
        return replace(view, state=event.kind, reason=data["reason"], stage="", current={})
    if event.kind == "closed":
        return replace(view, closed=True, stage="")
    return view


def _after_unreadable(view: RunView) -> RunView:
    """One more damaged line; the notes say how many there are, in one sentence."""
    count = view.unreadable + 1
    kept = tuple(note for note in view.notes if note != _unreadable_note(view.unreadable))
    return replace(view, unreadable=count, notes=(*kept, _unreadable_note(count)))


def _unreadable_note(count: int) -> str:
    lines = "1 line of the log of this run was" if count == 1 else f"{count} lines of the log were"
    return f"{lines} damaged and left out."


def _after_round(view: RunView, event: Event) -> RunView:
    data = event.data
    latest = Round(
        index=data["index"],
        size=data["size"],
        antidote=unpack(data["antidote"]),
        cost=data["cost"],
        reached=data["reached"],
        evaluations=data["evaluations"],
        seconds=event.seconds,
        centers=np.array(data["centers"]),
        counts=np.array(data["counts"]),
        group_costs=np.array(data["group_costs"]),
        design=data.get("design", {}),
    )
    view = replace(
        view, history=(*view.history, latest), evaluations=data["evaluations"], current={}, stage=""
    )
    if latest.reached:
        better = not view.reached or latest.size < view.size
    else:
        better = not view.reached and latest.cost < view.cost
    if better:
        view = replace(view, antidote=latest.antidote, cost=latest.cost, reached=latest.reached)
    return view


def pack(antidote: Floats) -> dict[str, Any]:
    """V as its distinct points and how often each occurs, fit for JSON."""
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    return {"dimension": antidote.shape[1], "atoms": atoms.tolist(), "counts": counts.tolist()}


def unpack(packed: Mapping[str, Any]) -> Floats:
    """V (m, d) from what `pack` made.

    >>> unpack(pack(np.array([[1.0, 2.0], [1.0, 2.0]]))).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    atoms = np.array(packed["atoms"], dtype=np.float64).reshape(-1, packed["dimension"])
    return np.repeat(atoms, np.array(packed["counts"], dtype=np.int64), axis=0)
