"""What an arena showed, in sentences made from its figures: who is fairest, and where ours lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from antidote_core.arena.methods import ALGORITHM, DATA, LABELS, NOTHING
from antidote_core.arena.standings import Standing, as_fair, beaten_by, winner
from antidote_core.fairness import FairnessCost
from antidote_core.numerals import change

CHANGES = {
    NOTHING: "nothing",
    DATA: "the data, before clustering",
    ALGORITHM: "the algorithm",
    LABELS: "the labels, afterwards",
}
READING = (
    "Up is less fair, right is dearer: the best place is bottom left. The line joins the methods "
    "that nobody beats in both; a bar is the range over seeds."
)


def by_problem(rows: Sequence[Standing]) -> dict[tuple[str, int], list[Standing]]:
    """The standings of every data set and k."""
    found: dict[tuple[str, int], list[Standing]] = {}
    for row in rows:
        found.setdefault((row.dataset, row.k), []).append(row)
    return found


def by_dataset(rows: Sequence[Standing]) -> dict[str, list[Standing]]:
    """The standings of every data set."""
    found: dict[str, list[Standing]] = {}
    for row in rows:
        found.setdefault(row.dataset, []).append(row)
    return found


def headline(rows: Sequence[Standing], cost: FairnessCost) -> str:
    """How often antidote data are the fairest, over all data sets and k."""
    problems = by_problem(rows)
    if not problems:
        return "Nothing has been computed yet."
    winners = [winner(found) for found in problems.values()]
    ours = sum(found is not None and found.is_antidote for found in winners)
    nobody = sum(found is None for found in winners)
    draws = sum(any(row.is_antidote for row in as_fair(found)) for found in problems.values())
    draws -= ours
    others = len(winners) - ours - nobody - draws
    equal = f", are as fair as the winner at a higher price in {draws}" if draws else ""
    said = (
        f"By {cost.title.lower()}, antidote data are the fairest in {ours} of {len(winners)} cases "
        f"(data set and k){equal} and lose in {others}"
    )
    return said + (f"; in {nobody} nobody is fairer than plain k-means." if nobody else ".")


def dataset_sentence(rows: Sequence[Standing], cost: FairnessCost) -> str:
    """Who wins on one data set, k by k, and where antidote data stand if it is not them."""
    said = [
        f"k = {k}: {_problem_words(found, cost)}"
        for (_, k), found in sorted(by_problem(rows).items())
    ]
    return f"{rows[0].title}, " + "; ".join(said) + "."


def _problem_words(rows: Sequence[Standing], cost: FairnessCost) -> str:
    best = winner(rows)
    if not any(row.measured for row in rows):
        return "nothing could be measured"
    if best is None:
        return "nobody is fairer than plain k-means"
    said = f"{best.method_title} is fairest ({_figures(best, cost)})"
    ours = [row for row in rows if row.is_antidote and row.measured]
    if best.is_antidote or not ours:
        return said
    own = min(ours, key=lambda row: (row.cost, row.price))
    if own in as_fair(rows):
        return f"{said}, antidote data are as fair ({_figures(own, cost)})"
    rival = beaten_by(own, rows)
    stands = "which nobody beats at that price"
    if rival is not None:
        stands = f"where {rival.method_title} is fairer for no more"
    return f"{said}, antidote data lose ({_figures(own, cost)}), {stands}"


def _figures(row: Standing, cost: FairnessCost) -> str:
    return f"{cost.level(row.cost)}, price {change(row.price)}"


def needs_sentence(rows: Sequence[Standing]) -> str:
    """Who needs the groups of the people whenever somebody is clustered."""
    asked = list(dict.fromkeys(row.method_title for row in rows if row.needs_groups))
    if not asked:
        return "No method here needs a person's group to place the person in a cluster."
    needs = "needs" if len(asked) == 1 else "need"
    *others, last = asked
    names = f"{', '.join(others)} and {last}" if others else last
    return f"{names} {needs} a person's group to place the person in a cluster; the others do not."


def made_sentence(records: Sequence[Mapping[str, Any]]) -> str:
    """When and with what the records were made."""
    dates = sorted({record["date"] for record in records})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    seeds = sorted({record["seed"] for record in records})
    found: dict[str, set[str]] = {}
    for record in records:
        for name, number in record["versions"].items():
            found.setdefault(name, set()).add(number)
    versions = ", ".join(f"{name} {'/'.join(sorted(v))}" for name, v in sorted(found.items()))
    shown = ", ".join(map(str, seeds))
    return f"Computed on {when} by `antidote arena`, seeds {shown}; {versions}."


def rows_sentence(records: Sequence[Mapping[str, Any]]) -> str:
    """On which rows and groups the records were made."""
    found = {
        record["title"]: f"{record['title']}: {record['n']:,} rows by {record['protected']} "
        f"({len(record['groups'])} groups; {record['source']})"
        for record in records
    }
    return "; ".join(found.values()) + "."
