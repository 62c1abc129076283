"""What a run showed, in one sentence a stakeholder understands, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from antidote_core.reporting.text.words import digits_showing, number, points_text, share_of_data
from antidote_core.runs.target import Verification
from antidote_core.runs.view import RunView

TINY = 0.01  # part of the data below which a cluster says little

Tone = Literal["good", "doubtful", "bad", "waiting"]


@dataclass(frozen=True)
class Verdict:
    """`headline` says what, `details` how sure; `tone` is "good" only for a confirmed gain."""

    tone: Tone
    headline: str
    details: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Everything in one paragraph."""
        return " ".join((self.headline, *self.details))


def verdict(view: RunView) -> Verdict:
    """The verdict on a run in any state."""
    if view.state == "running":
        return _running(view)
    if view.state not in ("finished", "stopped"):
        return Verdict("bad", f"The run did not finish: {view.reason}", _best_so_far(view))
    if view.state == "stopped":
        return Verdict("doubtful", _stopped(view), _best_so_far(view))
    if not view.reached:
        return _not_reached(view)
    change = _change(view)
    checks = _checks(view)
    noise = _noise(view)
    verification = view.verification
    if verification is not None and not verification.confirmed:
        doubt = (
            "Not confirmed: the best independent clustering of the same points ends elsewhere, "
            f"at cost {_cost(view, verification.best_cost)}."
        )
        return Verdict("doubtful", change, (checks, doubt, noise))
    if verification is not None and verification.antidote_only:
        captured = "A cluster of the independent clustering holds antidote points only."
        return Verdict("doubtful", change, (checks, captured, noise))
    tiny = _tiny_cluster(view)
    if tiny:
        return Verdict("doubtful", change, (checks, tiny, noise))
    return Verdict("good" if view.outside_noise else "doubtful", change, (checks, noise))


def _tiny_cluster(view: RunView) -> str:
    """A doubt when the answer has left hardly anyone in a cluster, and plain clustering had not."""
    answer = view.answer
    if answer is None or answer.kind == "vanilla" or view.vanilla is None:
        return ""
    before = min(sum(row) for row in view.vanilla.counts)
    after = int(answer.counts.sum(axis=1).min())
    if after >= TINY * view.points or after >= before:
        return ""
    return (
        f"But one cluster now holds only {points_text(after)} ({share_of_data(after, view.points)} "
        "of the data), so its mix of groups says little."
    )


def cost_digits(view: RunView) -> int:
    """Decimals that show the difference a run makes: two of its digits, between 3 and 6."""
    return digits_showing(view.vanilla_cost - view.cost, none=4)


def agreement(checked: Verification) -> str:
    """How many of the independent clusterings agree, as "4 of 4"."""
    return f"{checked.agreeing} of {checked.checks}"


def _cost(view: RunView, value: float) -> str:
    return number(value, cost_digits(view))


def _change(view: RunView) -> str:
    if not view.size:
        return "Nothing had to be added: plain clustering meets the target already."
    return (
        f"Adding {points_text(view.size)} ({share_of_data(view.size, view.points)} of the data) "
        f"lowers the cost from {_cost(view, view.vanilla_cost)} to {_cost(view, view.cost)}."
    )


def _checks(view: RunView) -> str:
    if view.verification is None:
        return "Not checked by independent clusterings."
    return f"{agreement(view.verification)} independent clusterings agree."


def _noise(view: RunView) -> str:
    if not view.noise:
        return ""
    low, high = (_cost(view, cost) for cost in view.noise_band)
    band = f"plain clustering itself moves between {low} and {high} from seed to seed"
    if low == high:
        band = "plain clustering gives the same cost for every seed tried"
    if view.outside_noise:
        return f"The gain is outside the noise: {band}."
    return f"The gain is inside the noise: {band}, so it may be chance."


def _best_so_far(view: RunView) -> tuple[str, ...]:
    if not view.size:
        return ("No antidote points better than none were found before that.",)
    return (
        f"Best so far: {points_text(view.size)} ({share_of_data(view.size, view.points)} of the "
        f"data), cost {_cost(view, view.cost)} instead of {_cost(view, view.vanilla_cost)}.",
    )


def _stopped(view: RunView) -> str:
    return f"The run was {view.reason or 'stopped'} before its end; the best result is kept."


def _not_reached(view: RunView) -> Verdict:
    relation = "below" if view.strict else "at most"
    headline = (
        f"Not reached: no antidote points tried brought the cost to {relation} "
        f"{_cost(view, view.target)} ({view.reason})."
    )
    if not view.size:
        return Verdict("bad", headline, ("None tried was better than plain clustering.",))
    return Verdict("bad", headline, (*_best_so_far(view), _noise(view)))


def _running(view: RunView) -> Verdict:
    if not view.history and not view.current:
        return Verdict("waiting", "Clustering the data as it is, before anything is added…")
    return Verdict("waiting", "Searching…", _best_so_far(view) if view.size else ())
