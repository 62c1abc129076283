"""What a run means: events folded into one view, for live, stopped and replayed runs alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import msgspec
import numpy as np

from antidote_core.errors import SpecError
from antidote_core.guard import Guard
from antidote_core.runs import events
from antidote_core.runs.events import Event, Half, Packed, given
from antidote_core.runs.state import JobState, JobView
from antidote_core.runs.target import Verification
from antidote_core.runs.verdict import Verdict, verdict
from antidote_core.types import Floats, Ints

MOST_OF_GAIN = 0.8
TITLES = {
    "vanilla": "Plain clustering",
    "shrunk": "After taking away what was not needed",
    "spread": "After spreading out what lay on one spot",
}


@dataclass(frozen=True, eq=False)
class Step:
    """One V of a run and the clustering it gives.

    `kind` is "vanilla" (V is empty), "round", "shrunk" or "spread". `index` counts the rounds;
    `evaluations` and `seconds` are those of the run so far. `design` says how V was designed, if
    so; `contest` how far k-means is from tipping to a fair clustering; `rows` (m,) which rows of U
    the points are copies of, if they are, and `weights` (m,) how much each weighs, if not 1.
    """

    kind: str
    antidote: Floats
    cost: float
    centers: Floats
    counts: Floats
    group_costs: Floats
    balance: float
    social: float
    seconds: float = 0.0
    index: int = -1
    reached: bool = False
    evaluations: int = 0
    design: Mapping[str, Any] = field(default_factory=dict)
    contest: Mapping[str, float] = field(default_factory=dict)
    rows: Ints | None = None
    weights: Floats | None = None

    @property
    def added(self) -> float:
        """What V weighs."""
        return float(len(self.antidote) if self.weights is None else self.weights.sum())

    @property
    def size(self) -> int:
        """|V|; where it has fractional weights, the next whole number."""
        return math.ceil(self.added - 1e-9)

    @property
    def title(self) -> str:
        """What a slider or a table calls it."""
        return TITLES.get(self.kind) or f"Round {self.index + 1}"


@dataclass(frozen=True, eq=False)
class RunView(JobView):
    """The state of a run after some of its events.

    `steps` holds every V: none, that of each round, and what became of the answer afterwards.
    `groups` are the names of the groups; `holdout` is V on people it has not seen.
    `search_began` is the second at which the first round began; `current` the latest progress of
    a round that is not done; `cuts` the contests of a design. `weight` is that of all rows of U,
    where they have weights.

    >>> import antidote_core as ac
    >>> view = ac.RunView()
    >>> for event in ac.grow(ac.RunSpec("blobs", budget=40, max_rounds=2)):
    ...     view = view.apply_event(event)
    >>> view.rounds, view.size == len(view.antidote), view.reached
    (1, True, True)
    """

    spec: Mapping[str, Any] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    noise: tuple[float, ...] = ()
    sota: Mapping[str, Any] = field(default_factory=dict)
    target: float = float("nan")
    strict: bool = False
    current: Mapping[str, Any] = field(default_factory=dict)
    cuts: tuple[Mapping[str, Any], ...] = ()
    weight: float | None = None
    evaluations: int = 0
    search_began: float = float("nan")
    verification: Verification | None = None
    holdout: tuple[Half, ...] = ()
    comparison: tuple[Mapping[str, Any], ...] = ()

    # -- what follows from it -------------------------------------------------------------------

    @property
    def vanilla(self) -> Step | None:
        """Plain clustering, once it is known."""
        return self.steps[0] if self.steps else None

    @property
    def history(self) -> tuple[Step, ...]:
        """The rounds that are done."""
        return tuple(step for step in self.steps if step.kind == "round")

    @property
    def rounds(self) -> int:
        """Number of rounds finished."""
        return len(self.history)

    @cached_property
    def answer(self) -> Step | None:
        """The V that the run gives: the smallest that reaches the target, else the fairest.

        Only what keeps the guard is in question. What was taken away or spread out afterwards was
        so from that answer, and replaces it.
        """
        best = self.vanilla
        for step in self.steps[1:]:
            if step.kind != "round":
                best = step
            elif step.reached:
                if best is None or not best.reached or step.size < best.size:
                    best = step
            elif best is None or best.reached or step.cost >= best.cost:
                continue
            elif self.keeps_guard(step):
                best = step
        return best

    @property
    def answer_index(self) -> int:
        """Which of the steps is the answer; an empty V is plain clustering."""
        if not self.size:
            return 0
        return next(i for i, step in enumerate(self.steps) if step is self.answer)

    @property
    def antidote(self) -> Floats:
        """V (m, d), the answer so far."""
        return self.answer.antidote if self.answer else np.empty((0, 0))

    @property
    def antidote_weights(self) -> Floats | None:
        """What the points of V weigh, (m,); None where each weighs 1."""
        return self.answer.weights if self.answer else None

    @property
    def how(self) -> dict[str, Floats | None]:
        """What `Problem.evaluate` needs besides V to come to the clustering of the answer.

        Only what a design does is more than V itself.
        """
        if self.answer is None or not self.answer.design or self.answer.rows is None:
            return {}
        return {"weight": self.antidote_weights, "start": self.answer.centers}

    @property
    def size(self) -> int:
        """|V| of the answer so far."""
        return self.answer.size if self.answer else 0

    @property
    def added(self) -> float:
        """What V weighs; its size where its points weigh 1 each."""
        return self.answer.added if self.answer else 0.0

    @property
    def copies(self) -> Ints | Floats | None:
        """How often each row of U is copied, (n,); None where the points of V are made up.

        Fractions where the run was asked for weights that need not be whole.
        """
        if self.answer is None or (self.size and self.answer.rows is None):
            return None
        rows = np.empty(0, dtype=np.int64) if self.answer.rows is None else self.answer.rows
        return np.bincount(rows, weights=self.antidote_weights, minlength=self.points)

    @property
    def sample_weight(self) -> Floats | None:
        """Weights (n,) with which plain clustering of U alone does what it does on U ∪ V.

        None where the points of V are made up. Rows that have weights already get those and 1 for
        every copy: `data.weights + result.copies`, since the run itself knows their sum only.
        """
        if self.weight is not None:
            raise SpecError(
                "The rows of these data have weights of their own, which the result does not hold; "
                "the weights that include V are data.weights + result.copies."
            )
        return None if self.copies is None else 1.0 + self.copies.astype(np.float64)

    @property
    def people(self) -> int:
        """How many rows of U are copied."""
        return 0 if self.copies is None else int((self.copies > 0).sum())

    @property
    def cost(self) -> float:
        """F(C(U ∪ V), U) of the answer so far."""
        return self.answer.cost if self.answer else float("nan")

    @property
    def vanilla_cost(self) -> float:
        """The cost of plain clustering."""
        return self.vanilla.cost if self.vanilla else float("nan")

    @property
    def reached(self) -> bool:
        """Whether the answer meets the target."""
        return self.answer is not None and self.answer.reached

    @cached_property
    def guard(self) -> Guard:
        """What a clustering must keep to count; runs of version 0.1 asked for nothing."""
        assert self.vanilla is not None
        min_share, max_price = self.spec.get("min_share", 0.0), self.spec.get("max_price")
        return Guard.around(self.vanilla.counts, self.vanilla.group_costs, min_share, max_price)

    def keeps_guard(self, step: Step) -> bool:
        """Whether the clustering of a step keeps the guard."""
        return self.guard.keeps(step.counts, step.group_costs)

    @property
    def smallest_share(self) -> float:
        """Share of U in the smallest cluster: as the checks find it, else that of the answer."""
        checked = self.verification
        if checked is not None and not math.isnan(checked.smallest_share):
            return checked.smallest_share
        return self.guard.smallest_share(self.answer.counts) if self.answer else math.nan

    @property
    def price(self) -> float:
        """The price of fairness: the part by which the inertia on U rises over plain clustering."""
        checked = self.verification
        if checked is not None and not math.isnan(checked.price):
            return checked.price
        answer = self.answer
        return self.guard.price(answer.counts, answer.group_costs) if answer else math.nan

    @property
    def gain_kept(self) -> float:
        """The part of the gain of V that is left on people it has not seen; NaN where unknown."""
        gained = sum(half.plain - half.cost for half in self.holdout)
        kept = sum(half.unseen_plain - half.unseen_cost for half in self.holdout if half.size)
        return kept / gained if gained > 0 else math.nan

    @property
    def lasts(self) -> bool:
        """Whether the target is met on people V has not seen, or most of the gain is kept."""
        met = all(half.met for half in self.holdout)
        return bool(self.holdout) and (met or self.gain_kept >= MOST_OF_GAIN)

    @property
    def noise_band(self) -> tuple[float, float]:
        """Lowest and highest cost of plain clustering over the seeds tried."""
        costs = (*self.noise, self.vanilla_cost)
        return min(costs), max(costs)

    @property
    def outside_noise(self) -> bool:
        """Whether the gain is larger than the spread of plain clusterings over seeds."""
        return bool(self.cost < self.noise_band[0])

    @cached_property
    def verdict(self) -> Verdict:
        """What the run showed, in words."""
        return verdict(self)

    def summary(self) -> dict[str, Any]:
        """The figures that a list shows, fit for JSON; empty before the first of them."""
        if self.vanilla is None:
            return {}
        share = self.verification.share if self.verification else None
        return {"points": self.points, "size": self.size, "share": share, **self._figures()}

    def _figures(self) -> dict[str, Any]:
        """What a list and a result both tell."""
        return {
            "cost": self.cost,
            "vanilla_cost": self.vanilla_cost,
            "target": self.target,
            "reached": self.reached,
            "outside_noise": self.outside_noise,
            "rounds": self.rounds,
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 4),
            "smallest_share": self.smallest_share,
            "price": self.price,
            "outcome": self.verdict.outcome.value,
        }

    def to_dict(self) -> dict[str, Any]:
        """The result as plain values fit for JSON."""
        check = self.verification
        return {
            "antidote": self.antidote.tolist(),
            **self.weighted(),
            **self._figures(),
            "verification": check.to_dict() if check else None,
            **self._held_out(),
            "verdict": self.verdict.text,
            "reason": self.reason,
        }

    def weighted(self) -> dict[str, Any]:
        """What the points of V weigh; nothing where each weighs 1."""
        weights = self.antidote_weights
        return {} if weights is None else {"antidote_weights": weights.tolist()}

    def _held_out(self) -> dict[str, Any]:
        """The hold-out check as plain values; nothing where none was asked for."""
        if not self.holdout:
            return {}
        kept = None if math.isnan(self.gain_kept) else self.gain_kept
        halves = [msgspec.to_builtins(half) for half in self.holdout]
        return {"holdout": {"gain_kept": kept, "halves": halves}}

    # -- events ---------------------------------------------------------------------------------

    def _apply(self, event: Event) -> Self:
        match event:
            case events.Started():
                return replace(
                    self,
                    state=JobState.RUNNING,
                    activity="",
                    spec=event.spec,
                    groups=tuple(event.groups),
                    points=event.points,
                    weight=given(event.weight),
                    notes=(*event.notes, *self.notes),
                )
            case events.Vanilla():
                empty = np.empty((0, len(event.centers[0])))
                return replace(self, steps=(_step(event, empty),))
            case events.Noise():
                return replace(self, noise=tuple(event.costs), search_began=event.seconds)
            case events.Target():
                view = replace(self, target=event.target, strict=event.strict, sota=event.sota)
                if given(event.met, False):  # nothing is needed
                    view = replace(view, steps=(replace(self.steps[0], reached=True),))
                return view
            case events.Progress():
                cuts = (*self.cuts, event.data) if isinstance(event, events.Cut) else self.cuts
                return replace(
                    self, current=event.data, cuts=cuts, evaluations=event.evaluations, activity=""
                )
            case events.Alive():
                return replace(self, activity=event.doing)
            case events.Round():
                done = replace(
                    _step(event, unpack(event.antidote)),
                    index=event.index,
                    reached=event.reached,
                    evaluations=event.evaluations,
                    design=given(event.design, {}),
                    contest=given(event.contest, {}),
                )
                return replace(
                    self,
                    steps=(*self.steps, done),
                    evaluations=event.evaluations,
                    current={},
                    activity="",
                )
            case events.Shrunk():
                return self._apply_change(event)
            case events.Verified():
                values = {**event.data, "costs": tuple(event.costs)}
                return replace(self, verification=Verification(**values))
            case events.HeldOut():
                return replace(self, holdout=tuple(event.halves), activity="")
            case events.Compared():
                return replace(self, comparison=(*self.comparison, event.row))
        return self

    def _apply_change(self, event: events.Shrunk) -> Self:
        """The answer with fewer points, or with the same ones spread out; the same V is no step."""
        view = replace(self, evaluations=event.evaluations)
        answer, antidote = self.answer, unpack(event.antidote)
        if answer is None or np.array_equal(antidote, answer.antidote):
            return view
        step = replace(
            _step(event, antidote), reached=answer.reached, evaluations=event.evaluations
        )
        return replace(view, steps=(*self.steps, step))

    def _apply_end(self, state: JobState, reason: str) -> Self:
        return replace(super()._apply_end(state, reason), current={})

    def _apply_unreadable(self) -> Self:
        """One more damaged line; the notes say how many there are, in one sentence."""
        view = super()._apply_unreadable()
        kept = tuple(note for note in self.notes if note != _unreadable_note(self.unreadable))
        return replace(view, notes=(*kept, _unreadable_note(view.unreadable)))


def _unreadable_note(count: int) -> str:
    lines = "1 line of the log of this run was" if count == 1 else f"{count} lines of the log were"
    return f"{lines} damaged and left out."


def _step(event: events.Vanilla | events.Round | events.Shrunk, antidote: Floats) -> Step:
    rows = weights = None
    if not isinstance(event, events.Vanilla) and given(event.antidote.rows) is not None:
        rows = np.repeat(np.array(event.antidote.rows, dtype=np.int64), event.antidote.counts)
        if given(event.antidote.weights) is not None:
            weights = np.array(event.antidote.weights, dtype=np.float64)
    return Step(
        rows=rows,
        weights=weights,
        kind=event.type,
        antidote=antidote,
        cost=event.cost,
        centers=np.array(event.centers),
        counts=np.array(event.counts),
        group_costs=np.array(event.group_costs),
        balance=event.balance,
        social=event.social,
        seconds=event.seconds,
    )


def fold(happened: Iterable[Event]) -> RunView:
    """The run after all of the events.

    >>> import antidote_core as ac
    >>> events = list(ac.grow(ac.RunSpec("blobs", budget=40, max_rounds=1)))
    >>> fold(events[:3]).rounds, fold(events).rounds
    (0, 1)
    """
    return RunView.fold(happened)


def pack(antidote: Floats, rows: Ints | None = None, weights: Floats | None = None) -> Packed:
    """V as its distinct points, or as the `rows` (m,) it copies, and how often each occurs.

    With `weights` (m,) every row occurs once.
    """
    if rows is not None and weights is not None:
        return Packed(
            dimension=antidote.shape[1],
            atoms=antidote.tolist(),
            counts=[1] * len(rows),
            rows=rows.tolist(),
            weights=weights.tolist(),
        )
    if rows is not None:
        kept, first, counts = np.unique(rows, return_index=True, return_counts=True)
        return Packed(
            dimension=antidote.shape[1],
            atoms=antidote[first].tolist(),
            counts=counts.tolist(),
            rows=kept.tolist(),
        )
    atoms, counts = np.unique(antidote, axis=0, return_counts=True)
    return Packed(dimension=antidote.shape[1], atoms=atoms.tolist(), counts=counts.tolist())


def unpack(packed: Packed) -> Floats:
    """V (m, d) from what `pack` made.

    >>> unpack(pack(np.array([[1.0, 2.0], [1.0, 2.0]]))).tolist()
    [[1.0, 2.0], [1.0, 2.0]]
    """
    atoms = np.array(packed.atoms, dtype=np.float64).reshape(-1, packed.dimension)
    return np.repeat(atoms, np.array(packed.counts, dtype=np.int64), axis=0)
