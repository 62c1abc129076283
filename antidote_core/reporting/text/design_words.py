"""What there is to say about a designed V: how sure, what limits it, how plausible it looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from antidote_core.algorithms.algorithm2.realism import plausibility
from antidote_core.numerals import number
from antidote_core.runs.view import RunView, Step
from antidote_core.types import Floats

BINDING = {
    "size": "the number of points allowed",
    "box": "the box: antidote points may not lie farther out",
    "capture": "capture: points farther out would take a centre for themselves",
    "competitor": "a competitor: another clustering would have the lower inertia",
}
SHORT = {"size": "number of points", "box": "box", "capture": "capture", "competitor": "competitor"}
STEPS = {
    "pass": "placing points",
    "cut": "placing points",
    "hunt": "looking for competing clusterings",
    "check": "checking by independent clusterings",
    "verify": "checking the result by independent clusterings",
    "spread": "scattering the points of each clump",
}
_COLUMNS = (
    "points", "promised", "re-clustered", "competitor", "found by 10 starts", "aimed at",
    "what binds",
)  # fmt: skip


def design_sentences(view: RunView) -> tuple[str, ...]:
    """How sure the design of a run that ended is, and what limits it; nothing for other runs."""
    answer = _answer(view)
    if answer is None:
        return ()
    found = (
        share_sentence(view),
        binding_sentence(view),
        bound_sentence(view),
        "" if view.copies is not None else clump_sentence(view.antidote),
    )
    return tuple(sentence for sentence in found if sentence)


def share_sentence(view: RunView) -> str:
    """How many clusterings with fresh seeds bear the result out."""
    if view.verification is not None:
        agreeing = view.verification.agreement
    else:
        answer = _answer(view)
        if answer is None or not answer.design.get("checks") or answer.design["share"] is None:
            return ""
        checks = answer.design["checks"]
        agreeing = f"{round(answer.design['share'] * checks)} of {checks}"
    lowest = view.spec.get("target") == "lowest"
    what = "keep nine tenths of the gain" if lowest else "meet the target"
    return (
        f"{agreeing} clusterings of the data with the antidote points {what}; their "
        "seeds were never used while designing."
    )


def binding_sentence(view: RunView) -> str:
    """What was reached and what held the cost up, where a target was missed; else empty."""
    answer = _answer(view)
    if answer is None or view.reached or view.state == "running":
        return ""
    digits = 4
    held = [BINDING[name] for name in answer.design.get("binding", ())]
    limits = f" What holds it up: {'; '.join(held)}." if held else ""
    relation = "below" if view.strict else "at most"
    reached = (
        f"With {view.size:,} points the cost came to {number(view.cost, digits)}; wanted was "
        f"{relation} {number(view.target, digits)}."
        if view.size
        else f"No antidote points brought the cost below {number(view.vanilla_cost, digits)}; "
        f"wanted was {relation} {number(view.target, digits)}."
    )
    return reached + limits


def bound_sentence(view: RunView) -> str:
    """How few points could do at best, where that is known and the target was reached."""
    answer = _answer(view)
    fewest = answer.design.get("fewest") if answer is not None else None
    if not view.reached or not fewest:
        return ""
    goal = "this cost" if view.spec.get("target") == "lowest" else "the target"
    return (
        f"Proven: as long as everybody stays in these clusters, no V in this box comes to {goal} "
        f"with fewer than {fewest:,} points; here it has {view.size:,}."
    )


def extreme_sentence(points: Floats, antidote: Floats) -> str:
    """A warning when antidote points resemble no real point; empty when they do."""
    if not len(antidote):
        return ""
    found = plausibility(points, antidote)
    if not found.remote:
        return ""
    times = found.farthest / found.neighbour_median
    usual = f", {times:,.0f} times the usual distance between neighbours" if times == times else ""
    return (
        f"Extreme: {found.remote:,} of {len(antidote):,} antidote points lie farther from every "
        f"real point than 99 in 100 real points do from their neighbour (up to "
        f"{found.farthest:.3g} standard deviations{usual}). The place “rows” copies real rows "
        "instead; it usually takes more of them."
    )


def clump_sentence(antidote: Floats) -> str:
    """That V is made of copies, where it is; empty when all points differ."""
    places = len({row.tobytes() for row in antidote})
    if places == len(antidote):
        return ""
    where = "one place" if places == 1 else f"{places:,} places"
    return (
        f"The {len(antidote):,} antidote points are copies at {where}. The setting “spread” "
        "scatters them like the real points nearby, where the cost survives that."
    )


def doing_sentence(view: RunView) -> str:
    """What a design at work is doing; empty for other runs."""
    step = view.current.get("design")
    if not step:
        return ""
    size = view.current["size"]
    what = STEPS.get(step["kind"], "placing points")
    if step.get("of"):
        what += f" ({step['step'] + (step['kind'] == 'check')} of {step['of']})"
    lead = step.get("lead")
    if lead is not None and lead > 0:
        what += f"; plain clustering still leads by {number(lead, 0)} in inertia"
    return f"{size:,} points: {what}"


def cut_table(view: RunView) -> pd.DataFrame:
    """The contests of a design, latest first: what was promised, what came, and who was ahead."""
    return pd.DataFrame([_cut_row(cut) for cut in reversed(view.cuts)], columns=list(_COLUMNS))


def _cut_row(cut: Mapping[str, Any]) -> dict[str, Any]:
    step = cut["design"]
    contested = "chance" in step
    rival = step.get("rival")
    if rival:
        competitor = f"cost {number(rival['cost'], 4)}, ahead by {max(rival['lead'], 0.0):.2%}"
    else:
        competitor = "none ahead" if contested else "not looked for: target missed"
    return {
        "points": step["used"],
        "aimed at": step["start"],
        "promised": number(step["promised"], 4),
        "re-clustered": number(step["cost"] if contested else step["target_cost"], 4),
        "competitor": competitor,
        "found by 10 starts": f"{step['chance']:.0%}" if contested and not rival else "",
        "what binds": ", ".join(SHORT[name] for name in step["binding"]),
    }


def cut_sentence(cut: Mapping[str, Any]) -> str:
    """One contest in one line."""
    row = _cut_row(cut)
    return (
        f"{row['points']:,} points ({row['aimed at']}): promised {row['promised']}, after "
        f"re-clustering {row['re-clustered']}, competitor: {row['competitor']}"
    )


def _answer(view: RunView) -> Step | None:
    """The round whose V is the answer; the latest when the answer came after it."""
    designed = [done for done in view.history if done.design]
    if not designed:
        return None
    same = [done for done in designed if done.cost == view.cost and done.size == view.size]
    return same[-1] if same else designed[-1]
