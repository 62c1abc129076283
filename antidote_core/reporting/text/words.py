"""Numbers and tables as sentences for people."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from antidote_core.fairness import BalanceTable, SocialTable
from antidote_core.numerals import number, percent
from antidote_core.types import Dataset, Ints

UNKNOWN = "–"  # in the place of a number that there is not
SMALL_SHARE = 0.02
SMALL_ROWS = 30
EQUAL = 0.995  # a cluster this near to the whole is called equal
# Where Plotly would see an entity, a tag, a place to fill in, or a formula (in a notebook).
_CHART_SIGNS = str.maketrans({"&": "&amp;", "<": "&lt;", "{": "&#123;", "$": "&#36;"})


def duration(seconds: float) -> str:
    """Seconds as people read them.

    >>> duration(4.21), duration(75), duration(float("nan"))
    ('4 s', '1 min 15 s', '…')
    """
    if not math.isfinite(seconds):
        return "…"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def chart_text(name: str) -> str:
    """A name from somebody's table so that Plotly writes it as it is.

    >>> chart_text("<i>a</i> & %{x}")
    '&lt;i>a&lt;/i> &amp; %&#123;x}'
    """
    return name.translate(_CHART_SIGNS)


def balance_sentence(table: BalanceTable, group_names: Sequence[str]) -> str:
    r"""Which cluster and which group decide the balance cost, and by how much.

    >>> import numpy as np
    >>> from antidote_core.fairness import balance_from_counts
    >>> table = balance_from_counts(np.array([[2.0, 48.0], [48.0, 2.0]]))
    >>> print(balance_sentence(table, ("a", "b")).replace("\N{NO-BREAK SPACE}", " "))
    Cluster 1 has only 8.0 % of the share of “a” it should have: 4.0 % instead of 50 %.
    """
    counts = table.counts
    cluster, group = f"Cluster {table.cluster + 1}", f"“{group_names[table.group]}”"
    size = counts[table.cluster].sum()
    if size == 0:
        return f"{cluster} holds no point of the data, so every group is missing from it."
    ratio = float(table.ratios[table.cluster, table.group])
    here = float(counts[table.cluster, table.group] / size)
    whole = float(counts[:, table.group].sum() / counts.sum())
    if here == 0:
        return f"{cluster} has nothing of {group}, although that is {percent(whole)} of the data."
    if ratio >= EQUAL:
        return "Every cluster has practically the same mix of groups as the whole data."
    if here < whole:
        return (
            f"{cluster} has only {percent(ratio)} of the share of {group} it should have: "
            f"{percent(here)} instead of {percent(whole)}."
        )
    return (
        f"{cluster} has {1 / ratio:.1f} times the share of {group} it should have: "
        f"{percent(here)} instead of {percent(whole)}."
    )


def balance_scale(table: BalanceTable) -> str:
    """The balance cost as the plain ratio it is made of."""
    ratio = float(table.ratios[table.cluster, table.group])
    return f"worst cluster at {percent(ratio)} of its fair share"


def social_sentence(table: SocialTable, group_names: Sequence[str]) -> str:
    r"""Which group decides the social cost, and how far it is from the best-placed one.

    >>> import numpy as np
    >>> from antidote_core.fairness import social_from_costs
    >>> table = social_from_costs(np.array([1.0, 1.5]))
    >>> print(social_sentence(table, ("a", "b")).replace("\N{NO-BREAK SPACE}", " "))
    “b” lies farthest from its centres: 1.500 on average, 50 % more than “a” (1.000).
    """
    best = int(table.group_costs.argmin())
    worst, least = table.cost, float(table.group_costs[best])
    if worst == least:
        return f"All groups lie equally far from their centres: {number(worst)} on average."
    more = f"{percent(worst / least - 1)} more than" if least > 0 else "more than"
    return (
        f"“{group_names[table.group]}” lies farthest from its centres: {number(worst)} on average, "
        f"{more} “{group_names[best]}” ({number(least)})."
    )


INTERVALS = (
    "Intervals: people are drawn anew from these data, as many, with replacement, and the centres "
    "stay where they are; 95\N{NO-BREAK SPACE}% of such populations lie between the two ends "
    "(bootstrap). They say how much chance there is in who is counted, not in the clustering."
)


def few_people(people: Ints, group_names: tuple[str, ...], few: int) -> str:
    """A warning that names cells (cluster, group) of a few people; empty when there is none.

    >>> few_people(np.array([[50, 3], [40, 20]]), ("a", "b"), 10)
    'Fewer than 10 people: “b” in cluster 1 (3). What is said of them rests on a handful.'
    """
    cells = [f"“{group_names[j]}” in cluster {c + 1} ({people[c, j]})"
             for c, j in np.argwhere(people < few)]  # fmt: skip
    if not cells:
        return ""
    more = f" and {len(cells) - 5} more" if len(cells) > 5 else ""
    return (
        f"Fewer than {few} people: {', '.join(cells[:5])}{more}. What is said of them rests on a "
        "handful."
    )


def small_groups(data: Dataset) -> str:
    """A warning that names the small groups; empty when there is none."""
    sizes = data.group_sizes
    small = [
        f"“{name}” ({size:,} points, {percent(size / data.n)})"
        for name, size in zip(data.group_names, sizes.tolist(), strict=True)
        if size < SMALL_ROWS or size < SMALL_SHARE * data.n
    ]
    if not small:
        return ""
    word, are = ("group", "is") if len(small) == 1 else ("groups", "are")
    return (
        f"Small {word}: {', '.join(small)}. Where so few {are} counted, a handful of points can "
        "decide the balance cost, and a gain may be chance."
    )


def map_caption(share: float, exact: bool, drawn: int, n: int, seed: int) -> str:
    """What a map shows, which points are on it, and how not to misread it."""
    if exact:
        what = "The two features as they are: distances on the map are the real ones."
    else:
        what = (
            f"Principal components (PCA): the map shows {percent(share)} of the spread. Points "
            "that look close may lie far apart in the features that are not shown."
        )
    points = f"all {n:,} points" if drawn == n else f"a random {drawn:,} of {n:,} points"
    sample = "" if drawn == n else f" (seed {seed})"
    return f"{what} Drawn: {points}{sample}."
