"""What the records of an arena say together: medians over seeds, who wins, who is on the frontier.

A method that refused for a seed has no place with that k; costs are lower when fairer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from antidote_core.arena.methods import ANTIDOTE, LOOP, PLAIN

EQUAL = 0.005  # costs that differ by less than this part of the gain over plain are a draw


@dataclass(frozen=True)
class Standing:
    """One method on one data set with one k: medians over the seeds, NaN where it refused.

    `low` and `high` are the least and the largest cost over the seeds; `price` is the part by which
    the objective on U rises over plain clustering, `moved` the part of the people who are in
    another cluster than by plain clustering, `size` is |V| and `share` its part of U.
    """

    dataset: str
    title: str
    k: int
    method: str
    method_title: str
    needs_groups: bool
    changes: str
    seeds: int
    cost: float = math.nan
    low: float = math.nan
    high: float = math.nan
    price: float = math.nan
    seconds: float = math.nan
    size: float = 0.0
    share: float = 0.0
    moved: float = math.nan
    smallest_share: float = math.nan
    confirmed: int = 0
    refused: str = ""

    @property
    def is_antidote(self) -> bool:
        """Whether it is antidote data, by our best or by the loop of the paper."""
        return self.method.partition(":")[0] in (ANTIDOTE, LOOP)

    @property
    def measured(self) -> bool:
        """Whether there is a cost to compare."""
        return not math.isnan(self.cost)


def standings(
    records: Iterable[Mapping[str, Any]], notion: str, scoring: str = "own"
) -> list[Standing]:
    """One standing per data set, k and method, in the order of the records.

    >>> plain = {"dataset": "d", "title": "D", "k": 2, "method": "plain", "method_title": "Plain",
    ...          "needs_groups": False, "changes": "nothing", "n": 10, "refused": "", "price": 0.0,
    ...          "seconds": 1.0, "size": 0, "moved": 0.0, "smallest_share": 0.5, "outcome": ""}
    >>> both = [{**plain, "own": {"balance": cost}} for cost in (-0.2, -0.4)]
    >>> [(one.seeds, round(one.cost, 3), one.low) for one in standings(both, "balance")]
    [(2, -0.3, -0.4)]
    """
    grouped: dict[tuple[str, int, str], list[Mapping[str, Any]]] = {}
    for record in records:
        key = (record["dataset"], record["k"], record["method"])
        grouped.setdefault(key, []).append(record)
    return [_standing(rows, notion, scoring) for rows in grouped.values()]


def _standing(rows: Sequence[Mapping[str, Any]], notion: str, scoring: str) -> Standing:
    first = rows[0]
    head = {
        name: first[name]
        for name in (
            "dataset", "title", "k", "method", "method_title", "needs_groups", "changes",
        )
    }  # fmt: skip
    refused = next((row["refused"] for row in rows if row["refused"]), "")
    costs = [row.get(scoring, {}).get(notion) for row in rows]
    if refused or any(cost is None for cost in costs):
        why = refused or "this cost was not or could not be measured here"
        return Standing(**head, seeds=len(rows), refused=why)
    return Standing(
        **head,
        seeds=len(rows),
        cost=median(costs),
        low=min(costs),
        high=max(costs),
        price=_median(rows, "price"),
        seconds=_median(rows, "seconds"),
        size=_median(rows, "size"),
        share=_median(rows, "size") / first["n"],
        moved=_median(rows, "moved"),
        smallest_share=_median(rows, "smallest_share"),
        confirmed=sum(row["outcome"] == "confirmed" for row in rows),
    )


def _median(rows: Sequence[Mapping[str, Any]], name: str) -> float:
    values = [row[name] for row in rows if row[name] is not None]
    return float(median(values)) if values else math.nan


def winner(rows: Sequence[Standing]) -> Standing | None:
    """The fairest of the standings of one data set and k; of those that draw, the cheapest.

    None where nobody is fairer than plain clustering.
    """
    return min(as_fair(rows), key=lambda row: (row.price, row.cost), default=None)


def as_fair(rows: Sequence[Standing]) -> list[Standing]:
    """Those that share the first place by cost alone, fairer than plain clustering."""
    plain = next((row for row in rows if row.method == PLAIN and row.measured), None)
    others = [row for row in rows if row.measured and row.method != PLAIN]
    best = min((row.cost for row in others), default=math.inf)
    if plain is not None and best >= plain.cost:
        return []
    slack = EQUAL * (abs(plain.cost - best) if plain is not None else abs(best))
    return [row for row in others if row.cost <= best + slack]


def beaten_by(row: Standing, rows: Iterable[Standing]) -> Standing | None:
    """Who is fairer at no higher price, the fairest of them; None for one on the frontier."""
    better = [
        other
        for other in rows
        if other.measured
        and (other.cost, other.price) != (row.cost, row.price)
        and other.cost <= row.cost
        and other.price <= row.price
    ]
    return min(better, key=lambda other: (other.cost, other.price), default=None)


def frontier_names(rows: Sequence[Standing]) -> list[str]:
    """The methods that nobody beats in both cost and price, from the cheapest to the fairest."""
    found = [row for row in rows if row.measured and beaten_by(row, rows) is None]
    return [row.method for row in sorted(found, key=lambda row: (row.price, row.cost))]
