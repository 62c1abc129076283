"""What became of each printed number: reproduced, better or not reproducible, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from antidote_core.numerals import points_text
from antidote_core.paper import paper_row
from antidote_core.paper.rows import CONVEX, OURS, PUBLISHED, SECONDS, Cell, Row

REPRODUCED, BETTER, NOT = "reproduced", "better", "not reproducible"
MARKS = (BETTER, REPRODUCED, NOT)
SPECTRAL_WITHIN = 3.0
SAME = 2e-3  # relative difference up to which two scores are called the same


@dataclass(frozen=True)
class Mark:
    """One of MARKS, the sentence that gives the reason, and what was found on the way."""

    mark: str
    reason: str
    found: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Reason and findings in one line."""
        return " ".join((self.reason, *self.found))


def mark_of(cell: Cell, rows: Mapping[str, Row]) -> Mark | None:
    """The mark of the cell's number, from the rows of both modes; None where one is missing."""
    pair = [rows.get(replace(cell, mode=mode).key) for mode in (PUBLISHED, OURS)]
    if pair[0] is None or pair[1] is None:
        return None
    if cell.table == SECONDS:
        return _seconds_mark(pair[1])
    if cell.table == CONVEX:
        return _convex_mark(pair[1])
    return _fairness_mark(cell, pair[0], pair[1])


def does_it(row: Row) -> bool:
    """Whether the paper's gain, or the fair algorithm's cost, came at no more than its size."""
    return gains_enough(row) and row["answer"]["size"] <= row["paper"]["points"]


def needed(row: Row) -> Row | None:
    """What does it, at the printed size or, where that fails, at the smallest size found."""
    if row["table"] == "sota_k2" and row.get("smallest"):
        return dict(row["smallest"])
    if does_it(row):
        return dict(row["answer"])
    return dict(row["smallest"]) if row.get("smallest") else None


def for_printed(row: Row) -> Row | None:
    """What meets the fair algorithm's cost as printed, where that is easier than as found here."""
    return dict(row["for_printed"]) if row.get("for_printed") else needed(row)


def gains_enough(row: Row) -> bool:
    """Whether the answer, of whatever size, gains what it should."""
    answer = row["answer"]
    if row["table"] == "sota_k2":
        return bool(answer["reached"])
    room = 1e-9 * max(1.0, abs(row["vanilla"]))
    return bool(answer["size"] > 0 and answer["gain"] >= row["paper"]["gain"] - room)


def inside_noise(row: Row) -> bool:
    """Whether the printed gain is no larger than plain clustering moves from seed to seed."""
    return bool(row["paper"]["gain"] <= row["noise_width"])


def _fairness_mark(cell: Cell, published: Row, ours: Row) -> Mark:
    found = causes(cell, ours)
    aim = "the fair algorithm's cost" if cell.against_sota else "the printed gain"
    answer = ours["answer"]
    if does_it(ours) and answer["holds"]:
        reason = (
            f"Ours reaches {aim} with {points_text(answer['size'])} where the paper has "
            f"{ours['paper']['points']}, and {answer['verified']:.0%} of the independent "
            "clusterings agree."
        )
        return Mark(BETTER, reason, found)
    if does_it(ours) or does_it(published):
        mode = "here" if does_it(ours) else "as published"
        row = ours if does_it(ours) else published
        reason = (
            f"{aim[0].upper()}{aim[1:]} is reached {mode} with "
            f"{points_text(row['answer']['size'])}, but only {row['answer']['verified']:.0%} of "
            "the independent clusterings agree."
        )
        return Mark(REPRODUCED, reason, (*_noise_sentence(cell, ours), *found))
    reason = f"{aim[0].upper()}{aim[1:]} is not reached with {points_text(ours['paper']['points'])}"
    smallest, wide = ours.get("smallest"), ours.get("wide")
    if smallest:
        agree = f"{smallest['verified']:.0%} of the independent clusterings agree"
        reason += f"; the smallest size found that does it is {smallest['size']:,} ({agree})."
    else:
        reason += f" nor with up to {100 * limit_share(ours):.3g}% of U."
    beside = list(_noise_sentence(cell, ours))
    if (one := ours.get("one_start")) and one["reached"]:
        beside.append(f"Where C has one start, as in the paper, {points_text(one['size'])} do it.")
    if wide and wide["reached"]:
        beside.append(
            f"In a box ten times as wide {points_text(wide['size'])} do it "
            f"({wide['verified']:.0%} of the independent clusterings agree)."
        )
    return Mark(NOT, reason, (*beside, *found))


def limit_share(row: Row) -> float:
    """The largest |V| / |U| that was tried."""
    return float(max(0.1, row["paper"]["points"] / row["n"]))


def _noise_sentence(cell: Cell, row: Row) -> tuple[str, ...]:
    if cell.against_sota:
        return ()
    where = "inside" if inside_noise(row) else "outside"
    return (
        f"The printed gain lies {where} the noise: plain clustering moves by "
        f"{row['noise_width']:.2g} from seed to seed.",
    )


def causes(cell: Cell, row: Row) -> tuple[str, ...]:
    """What is known about why a cell cannot come out exactly as printed."""
    found = []
    if cell.dataset == "adult":
        found.append("Which 10,000 rows of adult the paper took is not known.")
        if cell.clustering == "kmeans" and cell.k == 2 and not row["passed"]:
            printed = paper_row("vanilla_k2", cell.dataset, cell.fairness, cell.clustering)
            found.append(
                "Its plain clustering is a worse optimum than the best of ten starts "
                f"({_figure(row['vanilla'])} here, {_figure(printed['vanilla'])} printed)."
            )
    if row["passed"]:
        costs = ", ".join(_figure(cost) for cost in row["passed"])
        found.append(
            f"Plain k-means has several optima: this row starts from seed {row['seed']}, the first "
            f"whose plain clustering is the printed one ({_figure(row['vanilla'])} here, "
            f"{_figure(row['paper']['before'])} printed); seeds before it find another ({costs})."
        )
    if cell.clustering == "spectral":
        found.append("The paper names neither the graph nor the 1,000 rows of the sample.")
        if row["paper"]["whole"]:
            found.append(
                "Its share counts all rows: of 1,000 it would be no more than one point, and V "
                "starts at ten."
            )
    if cell.against_sota and (cell.clustering, cell.fairness) == ("kmeans", "balance"):
        scores = (row.get("quality") or {}).get("vanilla")
        score = row["paper"]["quality"]["davies_bouldin"]["sota"]
        if scores and abs(scores["davies_bouldin"] - score) <= SAME * score:
            found.append(
                "The row printed for Bera is plain k-means: Davies-Bouldin "
                f"{score:.4f}, as plain k-means has here ({scores['davies_bouldin']:.4f})."
            )
        found.append(
            f"Bera's own assignment has {_figure(row['sota']['own'])}; by nearest centre, as the "
            f"paper's F counts, {_figure(row['sota']['nearest'])}."
        )
    if cell.against_sota and (cell.dataset, cell.fairness) == ("bank", "social"):
        found.append(
            "bank has three groups and the published Fair-Lloyd code handles two; for three it "
            f"reaches {_figure(row['sota']['cost'])}, the paper prints "
            f"{_figure(row['paper']['before'])}."
        )
    if row.get("for_printed"):
        found.append(
            f"The printed cost of the fair algorithm is met with "
            f"{points_text(row['for_printed']['size'])}."
        )
    if not row["real"]:
        found.append("Computed on the synthetic twin of LFW, not on the faces.")
    return tuple(found)


def _seconds_mark(row: Row) -> Mark:
    answer, paper = row["answer"], row["paper"]
    allowed = SPECTRAL_WITHIN if row["clustering"] == "spectral" else 1.0
    reason = (
        f"{answer['ratio']:.2g} times the fair algorithm's time; the paper's was "
        f"{paper['ratio']:.0f} times."
    )
    found: tuple[str, ...] = ()
    if answer["improved"] < answer["repeats"]:
        found = (
            f"One point improved on plain clustering in {answer['improved']} of "
            f"{answer['repeats']} runs.",
        )
    if answer["improved"] == 0:
        return Mark(NOT, "No single point improves on plain clustering.", found)
    if answer["ratio"] <= allowed:
        return Mark(BETTER, reason, found)
    return Mark(REPRODUCED if answer["ratio"] <= paper["ratio"] else NOT, reason, found)


def _convex_mark(row: Row) -> Mark:
    answer = row["answer"]
    better = sum(value > 0 for value in answer["differences"])
    count = len(answer["differences"])
    reason = (
        f"Clustered again exactly, V of the surrogate lowers the cost at {better} of {count} λ, "
        "where the paper's figure shows all."
    )
    found = []
    if direct := answer.get("direct"):
        verb = "lowers" if direct["difference"] > 0 else "does not lower"
        found.append(f"A search that asks exact clustering {verb} it at λ = 0.01.")
    return Mark(REPRODUCED if better == count else NOT, reason, tuple(found))


def _figure(value: float) -> str:
    return f"{value:.5g}"
