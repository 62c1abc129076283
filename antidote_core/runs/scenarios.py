"""What to begin with: sizes that suit a number of rows, and named scenarios, each a whole run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from antidote_core.fairness import get_fairness
from antidote_core.runs.spec import FOUR_FIFTHS, LOWEST, RunSpec

USUAL_PART = 500  # the first size and the step are n / 500, rounded to tens
SMALL_PART = 100  # of few rows it takes a larger part to see V grow
QUICK_BUDGET = 200  # evaluations a round; enough where V is made of copies of many rows


def usual_search(n: int, fairness: str) -> dict[str, Any]:
    """Fields of a spec to begin with on `n` rows: growth that can be watched.

    >>> usual_search(45_211, "balance")
    {'start_size': 90, 'step': 90, 'target': 'four_fifths', 'budget': 200}
    >>> usual_search(400, "social")
    {'start_size': 4, 'step': 4, 'target': 'vanilla', 'budget': 200}
    """
    size = max(1, min(n // SMALL_PART, max(10, 10 * round(n / USUAL_PART / 10))))
    target = FOUR_FIFTHS if get_fairness(fairness).is_share else "vanilla"
    return {"start_size": size, "step": size, "target": target, "budget": QUICK_BUDGET}


@dataclass(frozen=True)
class Scenario:
    """A run with a name and a sentence that says what there is to see."""

    title: str
    sentence: str
    spec: RunSpec


BANK = 45_211
SHOW = RunSpec("bank", **usual_search(BANK, "balance"))
SCENARIOS = {
    "four-fifths": Scenario(
        "Four fifths",
        "Copy real people until the worst-served group has 80 % of its fair share.",
        SHOW,
    ),
    "fewest-copies": Scenario(
        "Fewest copies",
        "The smallest number of copies that does it, by linear programs.",
        replace(SHOW, optimizer="design", growth="bisect"),
    ),
    "largest-gain": Scenario(
        "Largest gain at 1 %",
        "As fair as it gets with copies of at most 1 % of the people.",
        replace(SHOW, target=LOWEST, max_size=BANK // 100, budget=1000),
    ),
    "better-than-fair": Scenario(
        "Better than the fair algorithm",
        "Bera et al., as usually run, give the worst-served group 80 %: here 90 % is asked for.",
        replace(SHOW, target=-0.9, growth_factor=1.5),
    ),
    "as-in-the-paper": Scenario(
        "As in the paper",
        "V_s 10, ξ 1, n′ 100, RACOS in a random space, points anywhere, no guard.",
        RunSpec(
            "bank", start_size=10, step=1, embed_dim=100, optimizer="racos", growth="restart",
            restarts=1, place="minmax", min_share=0.0, max_price=None, lasting=0.0,
        ),
    ),
    "teaching-set": Scenario(
        "A teaching set",
        "Two clusters that k-means finds nearly equally good: a few points decide.",
        RunSpec("two-optima", start_size=4, step=2, target=-0.9, budget=200, max_rounds=12),
    ),
}  # fmt: skip
