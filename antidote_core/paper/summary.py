"""The counts behind the summary, each computed from the rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from antidote_core.paper.marks import MARKS, does_it, for_printed, inside_noise, mark_of, needed
from antidote_core.paper.rows import CONVEX, FAIRNESS_TABLES, OURS, SECONDS, Row, all_cells

TITLES = {
    "vanilla_k2": "Table 1: against plain clustering, k = 2",
    "sota_k2": "Table 2: against the fair algorithms, k = 2",
    "vanilla_k3": "Supplement, Table 1: against plain clustering, k = 3",
    "vanilla_k4": "Supplement, Table 2: against plain clustering, k = 4",
    SECONDS: "Supplement, Table 5: seconds of Algorithm 2 with one point",
    CONVEX: "Supplement, Figure 1 and Table 6: seconds and gains of Algorithm 1",
}
HALF_SIZE = ("bank", "creditcard", "lfw")


@dataclass(frozen=True)
class Claim:
    """One sentence of the summary, whether it is as wished, and the command that checks it."""

    name: str
    sentence: str
    table: str

    @property
    def command(self) -> str:
        """What recomputes it."""
        return f"python -m antidote_core paper --table {self.table}"


def ours_rows(rows: Mapping[str, Row], table: str, clustering: str = "") -> list[Row]:
    """The rows of a table in ours mode, of one clustering or of all."""
    cells = all_cells([table], modes=[OURS])
    return [
        rows[cell.key] for cell in cells if cell.key in rows and clustering in ("", cell.clustering)
    ]


def mark_counts(rows: Mapping[str, Row], table: str = "") -> dict[str, int]:
    """How many numbers have which mark, in one table or in all."""
    cells = all_cells([table] if table else (), modes=[OURS])
    counted = Counter(mark.mark for cell in cells if (mark := mark_of(cell, rows)))
    return {mark: counted[mark] for mark in MARKS}


def headline(rows: Mapping[str, Row]) -> str:
    """One sentence for someone who has not read the paper."""
    cells = all_cells(tuple(FAIRNESS_TABLES), modes=[OURS])
    marks = [mark for cell in cells if (mark := mark_of(cell, rows))]
    held = sum(mark.mark != MARKS[-1] for mark in marks)
    better = sum(mark.mark == MARKS[0] for mark in marks)
    left = len(cells) - len(marks)
    later = f" {left} are not computed yet." if left else ""
    return (
        f"In {len(cells)} cases the paper says how much fairer a few made-up points make a "
        f"clustering: we get at least that with no more points in {held} of them ({better} "
        f"confirmed by independent clusterings), and for {len(marks) - held} others the row "
        f"says what it takes.{later}"
    )


def claims(rows: Mapping[str, Row]) -> list[Claim]:
    """Every count that the summary states; what was not computed is not stated."""
    return [
        *(c for k in (2, 3, 4) for c in _against_plain(rows, f"vanilla_k{k}")),
        *_against_sota(rows),
        *_seconds(rows),
        *_convex(rows),
        *_quality(rows),
    ]


def _against_plain(rows: Mapping[str, Row], table: str) -> Iterator[Claim]:
    for clustering, word in (("kmeans", "k-means"), ("spectral", "spectral")):
        own = ours_rows(rows, table, clustering)
        if not own:
            continue
        done = [row for row in own if does_it(row)]
        sure = [row for row in done if row["answer"]["holds"]]
        text = (
            f"{word}: the printed gain at no more than the printed |V|/|U| in {len(done)} of "
            f"{len(own)} cells, {len(sure)} of them confirmed by independent clusterings"
        )
        one_start = [row for row in own if _beside(row, "one_start")]
        if one_start:
            text += (
                f"; in {len(done) + len(one_start)} when C has one start, as in the paper, where "
                f"ten starts fail ({_names(one_start)})"
            )
        wide = [row for row in own if _beside(row, "wide")]
        if wide:
            held = sum(row["wide"]["holds"] for row in wide)
            text += (
                f"; in {len(done) + len(wide)} when V may lie in a box ten times as wide "
                f"({_names(wide)}; {held} of these confirmed)"
            )
        yield Claim(f"{table} {word}", text + ".", table)
        for row in own:
            if not does_it(row):
                yield Claim(f"{table} {word} {row['dataset']}", _missed(row), table)


def _beside(row: Row, name: str) -> bool:
    """Whether what was tried beside the answer does what the answer does not."""
    tried = row.get(name)
    return bool(not does_it(row) and tried and tried["reached"])


def _missed(row: Row) -> str:
    smallest = row.get("smallest")
    name = f"{row['dataset']} {row['fairness']} ({row['clustering']}, k = {row['k']})"
    noise = "inside" if inside_noise(row) else "outside"
    if smallest:
        size = (
            f"{smallest['size']:,} points ({100 * smallest['share']:.2g}% of U, "
            f"{smallest['verified']:.0%} of the checks agree)"
        )
    else:
        size = "no size up to 10% of U"
    return (
        f"{name}: {size} for the printed gain of {row['paper']['gain']:.4g}, where the paper has "
        f"{row['paper']['points']:,}; that gain lies {noise} the noise of plain clustering."
    )


def _names(rows: list[Row]) -> str:
    return ", ".join(f"{row['dataset']} {row['fairness']}" for row in rows)


def _against_sota(rows: Mapping[str, Row]) -> Iterator[Claim]:
    own = ours_rows(rows, "sota_k2")
    if not own:
        return
    met = [row for row in own if needed(row)]
    fewer = [row for row in met if size_ratio(row) <= 1]
    yield Claim(
        "sota_k2",
        f"Antidote data meet or beat the fair algorithm in {len(met)} of {len(own)} cells, "
        f"with no more points than the paper in {len(fewer)}.",
        "sota_k2",
    )
    kmeans = [row for row in own if row["clustering"] == "kmeans" and row["fairness"] == "social"]
    social = [row for row in kmeans if row["dataset"] in HALF_SIZE]
    if not social:
        return
    answers = [(for_printed(row), row["paper"]["points"]) for row in social]
    half = [found for found, points in answers if found and found["size"] <= 0.5 * points]
    sizes = "; ".join(_sota_sizes(row) for row in social)
    yield Claim(
        "sota_k2 social",
        f"Social cost of {', '.join(HALF_SIZE)}: at most half of the paper's points for "
        f"the paper's fair algorithm in {len(half)} of {len(social)} ({sizes}).",
        "sota_k2",
    )


def _sota_sizes(row: Row) -> str:
    found, own = for_printed(row), needed(row)
    name, paper = row["dataset"], f"where the paper has {row['paper']['points']:,}"
    if found is None:
        return f"{name} not reached {paper}"
    text = f"{name} {found['size']:,} {paper}"
    if row.get("for_printed") and own:
        text += f", {own['size']:,} for the fairer algorithm here"
    return text


def size_ratio(row: Row) -> float:
    """The points needed here over the paper's; infinite where none suffice."""
    found = needed(row)
    return found["size"] / row["paper"]["points"] if found else math.inf


def _seconds(rows: Mapping[str, Row]) -> Iterator[Claim]:
    for clustering, word, limit in (("kmeans", "k-means", 1.0), ("spectral", "spectral", 3.0)):
        own = ours_rows(rows, SECONDS, clustering)
        if not own:
            continue
        within = [row for row in own if row["answer"]["ratio"] <= limit]
        ratios = [row["answer"]["ratio"] for row in own]
        paper = [row["paper"]["ratio"] for row in own]
        text = (
            f"{word}: one antidote point takes {min(ratios):.2g} to {max(ratios):.2g} times the "
            f"fair algorithm's seconds (the paper's took {min(paper):.0f} to {max(paper):.0f} "
            f"times); at most {limit:g} times in {len(within)} of {len(own)} cells."
        )
        ten = [row["answer"]["ten_starts"] for row in own if row["answer"].get("ten_starts")]
        if ten:
            within = [answer for answer in ten if answer["ratio"] <= limit]
            text += (
                f" With ten starts of C, which the paper does not make, "
                f"{min(answer['ratio'] for answer in ten):.2g} to "
                f"{max(answer['ratio'] for answer in ten):.2g} times, at most {limit:g} in "
                f"{len(within)}."
            )
        yield Claim(f"seconds {word}", text, SECONDS)


def _convex(rows: Mapping[str, Row]) -> Iterator[Claim]:
    own = ours_rows(rows, CONVEX)
    values = [value for row in own for value in row["answer"]["differences"]]
    helped = sum(value > 0 for value in values)
    direct = sum(row["answer"]["direct"]["difference"] > 0 for row in own)
    if own:
        yield Claim(
            "algorithm 1",
            f"Algorithm 1: clustered again exactly, its V lowers the social cost at {helped} of "
            f"{len(values)} values of λ; a search that asks exact clustering itself lowers it on "
            f"{direct} of {len(own)} data sets.",
            CONVEX,
        )


def _quality(rows: Mapping[str, Row]) -> Iterator[Claim]:
    """Calinski-Harabasz is largest where k-means is best, so no V can raise it on U."""
    own = [row for row in ours_rows(rows, "sota_k2", "kmeans") if row["quality"]]
    name = "calinski_harabasz"
    above = [
        row
        for row in own
        if row["paper"]["quality"][name]["algorithm2"] > 1.01 * row["quality"]["vanilla"][name]
    ]
    if above:
        yield Claim(
            "quality",
            "The printed Calinski-Harabasz scores of Algorithm 2 exceed those of plain k-means, "
            f"which are the largest possible on U, in {len(above)} of {len(own)} k-means cells "
            f"({_names(above)}): they must count the antidote points.",
            "sota_k2",
        )
