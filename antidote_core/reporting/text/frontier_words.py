"""What a frontier shows, in sentences: what, how much, how sure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from antidote_core.analysis.frontier_curves import Curve, Level, Sureness, curves
from antidote_core.fairness import get_fairness
from antidote_core.numerals import change, number, percent, points_text, share_of_data
from antidote_core.reporting.figures import frontier_table
from antidote_core.reporting.text.run_words import ProblemKey, problem_title
from antidote_core.reporting.text.words import duration
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import FAILED, Reference, SweepView

MEANINGS = {  # of what is drawn against cost
    "price": "Price of fairness: the part by which the inertia on the real points, the sum of "
    "their squared distances to their centres, rises over plain clustering.",
    "smallest_share": "Smallest cluster: its share of the real points; a cluster that is almost "
    "empty is fair to nobody.",
    "silhouette": "Silhouette: how clearly the clusters of the real points lie apart, 1 at best.",
}
FEW = 4  # seeds from which on a share of them says something

Tone = Literal["good", "doubtful", "bad", "waiting"]


@dataclass(frozen=True)
class SweepVerdict:
    """`headline` says what, `details` how sure; `tone` is "good" only for a confirmed gain."""

    tone: Tone
    headline: str
    details: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Everything in one paragraph."""
        return " ".join((self.headline, *self.details))


def frontier_verdict(view: SweepView) -> SweepVerdict:
    """The verdict on a sweep in any state; a part of the cells gives a part of the answer."""
    if view.state in ("failed", "dead"):
        return SweepVerdict("bad", f"The sweep did not finish: {view.reason}", _so_far(view))
    if view.state == "queued":
        return SweepVerdict("waiting", "Waiting for a free place; it starts by itself.")
    if view.state == "running":
        return SweepVerdict("waiting", progress_sentence(view), _so_far(view))
    if view.state == "stopped":
        head = f"The sweep was {view.reason or 'stopped'}; what was found is kept."
        return SweepVerdict("doubtful", head, (cells_sentence(view), *_so_far(view)))
    return _finished(view)


def progress_sentence(view: SweepView) -> str:
    """How far a sweep at work is.

    >>> progress_sentence(SweepView())
    'Getting ready: starting…'
    """
    if view.activity or view.spec is None or not view.rows:
        return f"Getting ready: {view.activity or 'starting'}…"
    left = f", about {duration(view.left)} left" if math.isfinite(view.left) else ""
    return f"{view.settled:,} of {len(view.rows):,} cells are done{left}."


def before_sentence(view: SweepView, problem: ProblemKey) -> str:
    """What is known of a problem before any antidote point: plain clustering and its noise."""
    reference = frontier_table.reference_of(view, problem)
    assert reference is not None
    digits = frontier_table.digits_of(view, problem)
    vanilla = number(reference.vanilla, digits)
    costs = (reference.vanilla, *reference.noise)
    low, high, seeds = min(costs), max(costs), len(costs)
    band = f"from {number(low, digits)} to {number(high, digits)} over {seeds} seeds"
    if number(low, digits) == number(high, digits):
        band = f"the same with all {seeds} seeds tried"
    baselines = [
        f"{label} {number(cost, digits)}"
        for label, (cost, _) in frontier_table.baseline_lines(reference).items()
    ]
    level = get_fairness(problem[1]).level(reference.vanilla, digits)
    said = f"Plain clustering costs {vanilla} ({band}); lower is fairer."
    if level != vanilla:
        said = f"Plain clustering is at {level} (cost {vanilla}, {band}; lower is fairer)."
    return f"{said} The fair algorithm: {', '.join(baselines)}." if baselines else said


def cells_sentence(view: SweepView) -> str:
    """How many cells there are, failed, or were known before."""
    if not view.rows:
        return "No cell was begun."
    failed, known = view.count(FAILED), sum(row.reused for row in view.rows)
    parts = [f"{view.settled - failed:,} of {len(view.rows):,} cells are there"]
    if known:
        parts.append(f"{known:,} of them were known from before")
    if failed:
        parts.append(f"{failed:,} failed and {'is' if failed == 1 else 'are'} left out")
    return "; ".join(parts) + "."


def level_of(found: Curve, sure: Sureness) -> Level:
    """The level of a curve that its sureness is about."""
    return next(x for x in found.levels if x.size == sure.size)


def curve_sentence(view: SweepView, found: Curve) -> str:
    """One curve in one sentence: what it takes, or what the lowest cost was."""
    assert view.spec is not None
    if found.sureness is None:
        return "No cell is done yet."
    fairness, digits = found.setting.fairness, frontier_table.digits_of(view, found.setting.problem)
    sure, level = found.sureness, level_of(found, found.sureness)
    target = target_words(view.spec, fairness, found.reference, digits)
    price = _price(level, found.reference)
    if found.smallest is None:
        best = cost_words(fairness, level.median, digits)
        return (
            f"No size tried brings most seeds to {target}; the best is {best} with "
            f"{points_text(sure.size)}, plain clustering is at "
            f"{cost_words(fairness, sure.noise.middle, digits)}.{price}"
        )
    size = f"{points_text(sure.size)} ({share_of_data(sure.size, view.points)} of the data)"
    effect = _effect(fairness, sure.noise.middle, level.median, digits)
    if sure.passed == sure.judged:
        return f"{size} suffice for {target}: the median run {effect}.{price}"
    return (
        f"With {size}, {sure.passed} of {sure.judged} seeds reach {target}: the median run "
        f"{effect}.{price}"
    )


def cost_words(fairness: str, cost: float, digits: int) -> str:
    r"""A cost as people read it, and the number itself where that is another.

    >>> cost_words("balance", -0.36, 3).replace("\xa0", " "), cost_words("social", 1.5, 3)
    ('36 % of its fair share (cost −0.360)', '1.500')
    """
    level, value = get_fairness(fairness).level(cost, digits), number(cost, digits)
    return value if level == value else f"{level} (cost {value})"


def _effect(fairness: str, before: float, after: float, digits: int) -> str:
    """What the median run does to plain clustering, in the words of the cost."""
    if after >= before:
        return f"is at {cost_words(fairness, after, digits)}"
    cost = get_fairness(fairness)
    values = [number(value, digits) for value in (before, after)]
    shown = [cost.shown(value, digits) for value in (before, after)]
    technical = "" if shown == values else f" (cost {values[0]} → {values[1]})"
    return cost.effect.format(before=shown[0], after=shown[1]) + technical


def _price(level: Level, reference: Reference | None) -> str:
    """What the median run of a size costs beside fairness; empty where no seed knows it."""
    if math.isnan(level.price) or math.isnan(level.smallest_share):
        return ""
    before = math.nan if reference is None else reference.smallest_share
    plain = "" if math.isnan(before) else f" ({percent(before)} before)"
    return (
        f" Price: inertia {change(level.price)}; smallest cluster "
        f"{percent(level.smallest_share)} of the data{plain}."
    )


def target_words(spec: SweepSpec, fairness: str, reference: Reference | None, digits: int) -> str:
    """The target as something to reach."""
    cost = get_fairness(fairness)
    if spec.target == "vanilla":
        return "a cost below plain clustering"
    if spec.target == "sota":
        known = reference is not None and math.isfinite(reference.target)
        value = f" ({cost.level(reference.target, digits)})" if known and reference else ""
        return f"a cost below the fair algorithm{value}"
    value, aim = number(float(spec.target), digits), float(spec.target)
    level = cost.level(aim, digits)
    return f"a cost of at most {value}" if level == value else f"{level} (cost at most {value})"


def sure_sentences(view: SweepView, found: Curve) -> tuple[str, ...]:
    """How sure a curve is, in plain words; empty before anything can be said."""
    if found.sureness is None or view.spec is None:
        return ()
    sure, said = found.sureness, []
    if sure.judged:
        said.append(_seeds(sure))
        said.append(_between(found))
    said.append(_noise(sure, frontier_table.digits_of(view, found.setting.problem)))
    return tuple(part for part in said if part)


def sureness_table(view: SweepView) -> pd.DataFrame:
    """How sure every curve is: one row each."""
    rows = []
    for found in curves(view):
        assert view.spec is not None
        row: dict[str, Any] = {
            "problem": problem_title(found.setting.problem),
            "setting": frontier_table.setting_title(found.setting, view.spec),
        }
        if found.sureness is not None:
            sure = found.sureness
            level = level_of(found, sure)
            row |= {
                "antidote points": sure.size,
                "reaches the target": "yes" if sure.reaches else "no",
                "seeds that pass": f"{sure.passed} of {sure.judged}",
                "at least (90 % sure)": percent(sure.at_least),
                "checks that agree": "" if math.isnan(sure.verified) else percent(sure.verified),
                "median cost": level.median,
                "band from": level.low,
                "band to": level.high,
                "plain from": sure.noise.low,
                "plain to": sure.noise.high,
                "outside the noise": "yes" if sure.outside_noise else "no",
                "price of fairness (%)": 100 * level.price,
                "smallest cluster (%)": 100 * level.smallest_share,
            }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows)


def failures_sentence(view: SweepView) -> str:
    """How many cells failed and why; empty when none did."""
    failed = [row for row in view.rows if row.state == FAILED]
    if not failed:
        return ""
    reasons = list(dict.fromkeys(row.reason.rstrip(".") for row in failed))
    shown = "; ".join(reasons[:3]) + ("; …" if len(reasons) > 3 else "")
    cells = "1 cell" if len(failed) == 1 else f"{len(failed):,} cells"
    return f"{cells} of {len(view.rows):,} failed ({shown}); the curves come from the others."


def failures_table(view: SweepView) -> pd.DataFrame:
    """The failed cells with their reasons."""
    return pd.DataFrame(
        {
            **frontier_table.which(row.setting, row.size),
            "seed": row.seed,
            "reason": row.reason,
        }
        for row in view.rows
        if row.state == FAILED
    )


def chart_words(view: SweepView, problem: ProblemKey) -> str:
    """The chart of one problem for those who cannot see it."""
    found = [one for one in curves(view) if one.setting.problem == problem]
    digits = frontier_table.digits_of(view, problem)
    parts = [
        f"{frontier_table.setting_title(one.setting, view.spec)}: "
        + ", ".join(f"{number(x.median, digits)} with {x.size:,} points" for x in one.levels)
        for one in found
        if one.levels and view.spec is not None
    ]
    noise = next((one.noise for one in found if one.noise is not None), None)
    if noise is not None:
        parts.insert(0, f"plain clustering {number(noise.middle, digits)}")
    head = f"Cost against antidote size, {problem_title(problem)}"
    return f"{head}. {'; '.join(parts)}." if parts else f"{head}: nothing is known yet."


def _finished(view: SweepView) -> SweepVerdict:
    found = [one for one in curves(view) if one.sureness is not None]
    if not found:
        why = failures_sentence(view) or "No cell could be computed."
        return SweepVerdict("bad", "The sweep ended without a single result.", (why,))
    reaching = sorted(
        (one for one in found if one.smallest is not None),
        key=lambda one: (one.smallest.size, -one.smallest.share) if one.smallest else (0, 0.0),
    )
    best = reaching[0] if reaching else min(found, key=_depth)
    name = curve_name(view, best) if len(found) > 1 else ""
    head = f"{name}: {curve_sentence(view, best)}" if name else curve_sentence(view, best)
    counted = ""
    if len(found) > 1:
        counted = f"{len(reaching)} of {len(found)} settings reach their target."
    details = (*sure_sentences(view, best), counted, failures_sentence(view))
    return SweepVerdict(_tone(best), head, tuple(part for part in details if part))


def _tone(found: Curve) -> Tone:
    sure = found.sureness
    if sure is None or not sure.reaches:
        return "bad"
    certain = sure.band_outside and sure.passed == sure.judged and sure.judged >= FEW
    return "good" if certain else "doubtful"


def _depth(found: Curve) -> float:
    """How far a curve comes below plain clustering, as a part of that cost; lowest is farthest."""
    assert found.sureness is not None
    return -found.sureness.gain / max(abs(found.sureness.noise.middle), 1e-9)


def _so_far(view: SweepView) -> tuple[str, ...]:
    found = [one for one in curves(view) if one.sureness is not None]
    if not found:
        return ()
    reaching = [one for one in found if one.smallest is not None]
    if len(found) == 1:
        return (f"So far: {curve_sentence(view, found[0])}",)
    return (f"So far {len(reaching)} of {len(found)} settings reach their target.",)


def curve_name(view: SweepView, found: Curve) -> str:
    """What tells a curve from the others of its sweep; empty when it is the only one."""
    assert view.spec is not None
    parts = []
    if len(view.spec.problems) > 1:
        parts.append(problem_title(found.setting.problem))
    if len(frontier_table.settings_of(view.spec, found.setting.problem)) > 1:
        parts.append(frontier_table.setting_title(found.setting, view.spec))
    return ", ".join(parts)


def _seeds(sure: Sureness) -> str:
    if sure.judged == 1:
        passes = "reaches" if sure.passed else "does not reach"
        return f"The only seed tried {passes} the target: one seed says little about others."
    counted = "all" if sure.passed == sure.judged else f"{sure.passed} of"
    said = f"With {points_text(sure.size)}, {counted} {sure.judged} seeds reach the target"
    checks = ""
    if not math.isnan(sure.verified):
        checks = f", and {percent(sure.verified)} of the independent clusterings agree"
    if not sure.passed:
        return f"With {points_text(sure.size)}, none of {sure.judged} seeds reaches the target."
    return (
        f"{said}{checks}; with 90\N{NO-BREAK SPACE}% confidence, at least "
        f"{percent(sure.at_least)} of all seeds would."
    )


def _between(found: Curve) -> str:
    x = found.smallest
    if x is None:
        return ""
    if not x.above:
        where = "Fewer may do as well: no smaller size was tried."
        if any(level.size < x.size for level in found.levels):
            where = "Fewer may do as well: the smaller sizes are not judged yet."
    else:
        where = (
            f"The smallest number lies above {x.above:,}, where most seeds fail, and is at most "
            f"{x.size:,}."
        )
    if x.later:
        sizes = ", ".join(f"{size:,}" for size in x.later)
        where += f" Yet with {sizes} points most seeds fail again, so more is not always better."
    return where


def _noise(sure: Sureness, digits: int) -> str:
    low, high = number(sure.noise.low, digits), number(sure.noise.high, digits)
    band = f"plain clustering itself moves between {low} and {high} over {sure.noise.runs} seeds"
    if low == high:
        band = f"plain clustering gives the same cost with all {sure.noise.runs} seeds tried"
    if sure.band_outside:
        return f"The gain is outside the noise: {band}, and the whole band lies below that."
    if sure.outside_noise:
        return f"The median gain is outside the noise ({band}), but not the whole band."
    if sure.gain > 0:
        return f"The gain is inside the noise: {band}, so it may be chance."
    return f"There is no gain: {band}."
