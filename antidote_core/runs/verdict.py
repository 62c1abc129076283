"""What a run showed: an outcome, the effect in plain words, what it cost, and the caveats.

Every screen, table, slide, report and command takes its judgement from here, so that none of them
is more positive than another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from antidote_core.fairness import FairnessCost, get_fairness
from antidote_core.guard import MAX_PRICE, Guard
from antidote_core.numerals import (
    change,
    digits_showing,
    number,
    percent,
    points_text,
    share_of_data,
)
from antidote_core.runs.target import meets
from antidote_core.types import Floats

if TYPE_CHECKING:
    from antidote_core.runs.view import RunView

ENOUGH_MEMBERS = 5  # of a group in a cluster, expected: with fewer the mix is chance
HALF_KEPT = 0.5  # of the gain: with less, what is lost is the news
AGREEMENT = 0.875  # of the independent clusterings must agree: 7 of 8, or 4 of 4


class Outcome(StrEnum):
    """What became of a run, in one or two words."""

    CONFIRMED = "confirmed"
    NOT_CONFIRMED = "not confirmed"
    WITHIN_THE_NOISE = "within the noise"
    HOLLOW = "hollow"
    NOT_REACHED = "not reached"
    NOTHING_NEEDED = "nothing needed"
    STOPPED = "stopped"
    NONE = ""  # it has not ended

    @property
    def word(self) -> str:
        """As screens write it."""
        return self.value.capitalize()

    @property
    def tone(self) -> str:
        """How it looks: only what is confirmed, or what needs nothing, looks good."""
        if self in (Outcome.CONFIRMED, Outcome.NOTHING_NEEDED):
            return "good"
        if self is Outcome.NONE:
            return "waiting"
        return "bad" if self in (Outcome.NOT_REACHED, Outcome.HOLLOW) else "doubtful"


@dataclass(frozen=True)
class Verdict:
    """`outcome` first, then the `effect`, its `price`, and `caveats`, each of them sentences."""

    outcome: Outcome
    effect: str
    price: str = ""
    caveats: tuple[str, ...] = ()

    @property
    def tone(self) -> str:
        """How it looks."""
        return self.outcome.tone

    @property
    def headline(self) -> str:
        """The outcome and the effect."""
        return f"{self.outcome.word}: {self.effect}" if self.outcome.word else self.effect

    @property
    def details(self) -> tuple[str, ...]:
        """Everything below the headline."""
        return tuple(text for text in (self.price, *self.caveats) if text)

    @property
    def text(self) -> str:
        """Everything in one paragraph."""
        return " ".join((self.headline, *self.details))


def verdict(view: RunView) -> Verdict:
    """The verdict on a run in any state."""
    if view.state == "queued":
        return Verdict(Outcome.NONE, "Waiting for its turn.")
    if view.state == "running":
        return _running(view)
    if view.state not in ("finished", "stopped"):
        said = f"the run did not finish: {view.reason}"
        return Verdict(Outcome.STOPPED, said, caveats=(_best_so_far(view),))
    if view.vanilla is None:
        return Verdict(Outcome.STOPPED, f"the run was {view.reason or 'stopped'}.")
    outcome = outcome_of(view)
    if outcome is Outcome.STOPPED:
        said = f"{view.reason or 'stopped'} before the end; the best result is kept."
        return Verdict(outcome, said, caveats=(_best_so_far(view),))
    if outcome is Outcome.NOTHING_NEEDED:
        level = _level(view, view.vanilla_cost)
        said = f"plain clustering meets the target already ({level})."
        return Verdict(outcome, said, caveats=(_few(view), _noise(view)))
    if outcome is Outcome.NOT_REACHED:
        return _not_reached(view)
    reasons = (_hollow(view), _doubt(view), _captured(view), _few(view))
    return Verdict(outcome, _effect(view), _price(view), (_checks(view), *reasons, *_sure(view)))


def outcome_of(view: RunView) -> Outcome:
    """The outcome of a run that has ended."""
    if view.state != "finished":
        return Outcome.STOPPED
    if not view.reached:
        return Outcome.NOT_REACHED
    if not view.size:
        return Outcome.NOTHING_NEEDED
    checked = view.verification
    if _hollow(view):
        return Outcome.HOLLOW
    if checked is None or not checked.confirmed or checked.share < AGREEMENT:
        return Outcome.NOT_CONFIRMED
    if checked.antidote_only:
        return Outcome.HOLLOW
    return Outcome.CONFIRMED if view.outside_noise else Outcome.WITHIN_THE_NOISE


def _standard(view: RunView) -> Guard:
    """What a clustering must keep to be of use: what was asked for, else what is usual."""
    assert view.vanilla is not None
    min_share, max_price = view.spec.get("min_share"), view.spec.get("max_price")
    return Guard.around(
        view.vanilla.counts,
        view.vanilla.group_costs,
        min_share or None,
        MAX_PRICE if max_price is None else max_price,
    )


def _hollow(view: RunView) -> str:
    """Why the clustering is of no use although the target is met; empty when it is."""
    if view.answer is None or not view.size:
        return ""
    standard = _standard(view)
    found = []
    smallest = round(view.smallest_share * view.points)
    if smallest < standard.least * (1 - 1e-9):
        found.append(
            f"one cluster holds only {points_text(smallest)} of {view.points:,} "
            f"({share_of_data(smallest, view.points)} of the data), so its mix says little"
        )
    if view.price > (standard.most / standard.plain - 1.0) + 1e-9:
        found.append(
            f"the clusters fit the data {percent(view.price)} worse than those of plain clustering"
        )
    return f"The win is hollow: {'; '.join(found)}." if found else ""


def effect_size(view: RunView) -> float:
    """The part of the way from plain clustering to a perfect cost; NaN where none is known."""
    perfect = get_fairness(view.spec["fairness"]).perfect if view.spec else None
    way = math.nan if perfect is None else view.vanilla_cost - perfect
    return (view.vanilla_cost - view.cost) / way if way > 0 else math.nan


def cost_digits(view: RunView) -> int:
    """Decimals that show the difference a run makes: two of its digits, between 3 and 6."""
    return digits_showing(view.vanilla_cost - view.cost, none=4)


def _cost(view: RunView) -> FairnessCost:
    return get_fairness(view.spec["fairness"])


def _level(view: RunView, cost: float) -> str:
    return _cost(view).level(cost, cost_digits(view))


def _effect(view: RunView) -> str:
    cost, digits = _cost(view), cost_digits(view)
    before, after = cost.shown(view.vanilla_cost, digits), cost.shown(view.cost, digits)
    way = effect_size(view)
    part = f", {percent(way)} of the way to perfect" if math.isfinite(way) else ""
    return f"{_added(view)} {cost.effect.format(before=before, after=after)}{part}."


def _added(view: RunView) -> str:
    """What V is, and how much of the data that would be."""
    share = f"{share_of_data(view.size, view.points)} of the data"
    if view.copies is None:
        return f"adding {points_text(view.size)} ({share})"
    people = "1 person" if view.people == 1 else f"{view.people:,} people"
    if view.antidote_weights is not None:
        return f"weighting {people} more (by {view.added:,.1f} in all, {share})"
    copies = "1 copy" if view.size == 1 else f"{view.size:,} copies"
    return f"copying {people} ({copies}, {share})"


def _price(view: RunView) -> str:
    """What the gain costs elsewhere: quality, the smallest cluster, other notions of fairness."""
    answer, plain = view.answer, view.vanilla
    assert answer is not None
    assert plain is not None
    before = view.guard.smallest_share(plain.counts)
    found = [
        f"Price: inertia {change(view.price)}",
        f"smallest cluster {percent(view.smallest_share)} of the data ({percent(before)} before)",
    ]
    for name in ("balance", "social"):
        if name != view.spec["fairness"]:
            other = get_fairness(name)
            was, now = getattr(plain, name), getattr(answer, name)
            digits = digits_showing(was - now)
            found.append(
                f"{other.title.lower()} {other.shown(was, digits)} → {other.level(now, digits)}"
            )
    digits = cost_digits(view)
    found.append(
        f"{_cost(view).label.lower()} {number(view.vanilla_cost, digits)} → "
        f"{number(view.cost, digits)} (lower is fairer)"
    )
    return "; ".join(found) + "."


def _checks(view: RunView) -> str:
    checked = view.verification
    if checked is None:
        return "Not checked by independent clusterings."
    return f"{checked.agreement} independent clusterings agree."


def _doubt(view: RunView) -> str:
    checked = view.verification
    if checked is None or checked.confirmed:
        return ""
    if not checked.kept and meets(checked.best_cost, view.target, view.strict):
        return "The best independent clustering of the same points breaks the guard."
    return (
        "The best independent clustering of the same points ends elsewhere, at "
        f"{_level(view, checked.best_cost)}."
    )


def _captured(view: RunView) -> str:
    if view.verification is None or not view.verification.antidote_only:
        return ""
    return "A cluster of the independent clustering holds antidote points only."


def _sure(view: RunView) -> tuple[str, str]:
    """What may speak for the result as well as against it: people not seen, and the noise."""
    return _held_out(view), _noise(view)


def _few(view: RunView) -> str:
    """Whether the mix of a cluster rests on a handful of people."""
    if view.answer is None or not _cost(view).by_mix:
        return ""
    return few_members(view.answer.counts, view.groups)


def few_members(counts: Floats, group_names: Sequence[str]) -> str:
    """A sentence where chance decides how many of a group are in a cluster; empty otherwise.

    From counts (k, g): with a perfect mix, the smallest cluster would have its share of the
    smallest group.

    >>> few_members(np.array([[90.0, 25.0], [10.0, 0.0]]), ("A", "B"))
    "About 2 members of 'B' are expected in the smallest cluster; counts this small are chance."
    """
    sizes = counts.sum(axis=0)
    group = int(np.where(sizes > 0, sizes, np.inf).argmin())
    expected = float(sizes[group] * counts.sum(axis=1).min() / counts.sum())
    if expected >= ENOUGH_MEMBERS:
        return ""
    name = repr(group_names[group]) if group < len(group_names) else "the smallest group"
    many = f"About {expected:.0f} members of {name} are"
    if round(expected) <= 1:
        many = f"{'About' if expected >= 1 else 'Less than'} 1 member of {name} is"
    return f"{many} expected in the smallest cluster; counts this small are chance."


def _noise(view: RunView) -> str:
    if not view.noise:
        return ""
    low, high = (number(cost, cost_digits(view)) for cost in view.noise_band)
    band = f"plain clustering itself moves between {low} and {high} from seed to seed"
    if low == high:
        band = "plain clustering gives the same cost for every seed tried"
    if view.outside_noise:
        return f"The gain is outside the noise: {band}."
    if not view.size:
        return f"{band.capitalize()}."
    return f"The gain is inside the noise: {band}, so it may be chance."


def _held_out(view: RunView) -> str:
    """What is left of the gain on people that V has not seen."""
    if not view.holdout:
        return ""
    kept, met = view.gain_kept, sum(half.met for half in view.holdout)
    told = f"target met on {('neither half', 'one of two halves', 'both halves')[met]}"
    if math.isnan(kept):
        return f"On people it has not seen: halves of the data gave no antidote points ({told})."
    if kept >= HALF_KEPT:
        part = "all" if kept >= 1 else percent(kept)
        return f"On people it has not seen: {part} of the gain is kept ({told})."
    part = "all" if kept <= 0 else percent(1.0 - kept)
    return f"On people it has not seen: {part} of the gain is lost ({told})."


def _best_so_far(view: RunView) -> str:
    if not view.size:
        return "No antidote points better than none were found before that."
    return (
        f"Best so far: {_added(view)} gives {_level(view, view.cost)} instead of "
        f"{_cost(view).shown(view.vanilla_cost, cost_digits(view))}."
    )


def _not_reached(view: RunView) -> Verdict:
    relation = "better than" if view.strict else "to"
    said = f"no antidote points tried led {relation} {_level(view, view.target)} ({view.reason})."
    if not view.size:
        none = "None tried was better than plain clustering."
        return Verdict(Outcome.NOT_REACHED, said, caveats=(none, _few(view)))
    caveats = (_best_so_far(view), _hollow(view), _few(view), *_sure(view))
    return Verdict(Outcome.NOT_REACHED, said, _price(view), caveats)


def _running(view: RunView) -> Verdict:
    if not view.history and not view.current:
        said = "Clustering the data as it is, before anything is added…"
        return Verdict(Outcome.NONE, said)
    found = (_best_so_far(view),) if view.size else ()
    return Verdict(Outcome.NONE, "Searching…", caveats=found)
