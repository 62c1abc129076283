"""What holds a result back: why its outcome is no better, and what its guard did not ask for."""

from __future__ import annotations

from antidote_core.runs.spec import RunSpec
from antidote_core.runs.verdict import AGREEMENT, Outcome
from antidote_core.runs.view import RunView

UNFINISHED = (Outcome.STOPPED, Outcome.NONE)


def caution(view: RunView) -> str:
    """The outcome and why, to stand above everything that is shown; empty where all is well."""
    found = view.verdict
    if found.tone == "good" or found.outcome is Outcome.NONE:
        return ""
    if found.outcome in (Outcome.NOT_REACHED, Outcome.STOPPED):
        return found.headline
    return " ".join((f"{found.outcome.word}.", *reasons(view)))


def reasons(view: RunView) -> tuple[str, ...]:
    """The caveats of the verdict that speak against the antidote points found, gravest first."""
    found = view.verdict
    if not view.size or found.outcome in UNFINISHED:
        return ()
    # The first and the last can speak for the result too: how many agree, and the noise.
    first, *against, noise = found.caveats
    if not _agreed(view) and found.outcome is not Outcome.NOT_REACHED:
        against.append(first)
    if not view.outside_noise:
        against.append(noise)
    return tuple(text for text in against if text)


def _agreed(view: RunView) -> bool:
    return view.verification is not None and view.verification.share >= AGREEMENT


def guard_sentence(spec: RunSpec) -> str:
    """What the run was free to do because its guard was off; empty with the whole guard on."""
    free = []
    if spec.min_share == 0:
        free.append("to empty clusters")
    if spec.max_price is None:
        free.append("to let the clusters fit the data worse, by any amount")
    if not free:
        return ""
    off = "Without the guard" if len(free) == 2 else "With one half of the guard off"
    return (
        f"{off}, as in the paper, the search was free {' and '.join(free)}. The verdict "
        "judges by the usual limits all the same."
    )
