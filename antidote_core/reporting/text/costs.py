"""What every cost means, in words that need no formula, and its scale."""

from __future__ import annotations

from antidote_core.analysis.references import best_possible
from antidote_core.fairness import get_fairness

MEANING = {
    "balance": (
        "Balance cost: look at every cluster and every group, and compare the group's share there "
        "with its share in the whole data. The worst of these ratios decides, with a minus sign: "
        "−1 means every cluster is mixed like the whole data, 0 that a group is missing somewhere. "
        "A cost of −0.31 says that the worst cluster has 31 % of the share it should have, or, "
        "where it has too many of a group, 1/0.31 times that share."
    ),
    "social": (
        "Social cost: for every group, the average squared distance of its points to the centre "
        "of their cluster, in standard deviations. The group for which it is largest decides."
    ),
    "gap": (
        "Group-cost gap: the difference between the groups that lie farthest from and nearest to "
        "their centres on average; 0 means that all groups lie equally far."
    ),
}
QUALITY = (
    "Silhouette (−1 to 1, higher is better): how much nearer points lie to their own cluster than "
    "to the next one. Davies-Bouldin (0 is perfect): how wide clusters are compared with the "
    "distance between their centres. Calinski-Harabasz (higher is better): spread between "
    "clusters divided by the spread inside them; compare it only on the same data."
)


def cost_meaning(fairness: str) -> str:
    """What the cost measures and what would be perfect.

    >>> cost_meaning("gap").split(":")[0]
    'Group-cost gap'
    """
    entry = get_fairness(fairness)
    said = MEANING.get(fairness, f"{entry.title} cost: {entry.sentence}")
    return f"{said} Lower is fairer. Best possible: {best_possible(fairness)}"
