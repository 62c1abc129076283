"""The results as tables of words and figures, for a page, a shell and a Markdown file alike."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from antidote_core.errors import DataError
from antidote_core.numerals import number
from antidote_core.paper.marks import Mark, mark_of, needed
from antidote_core.paper.rows import (
    CONVEX,
    OURS,
    PUBLISHED,
    SECONDS,
    TABLES,
    Cell,
    Results,
    Row,
    all_cells,
)
from antidote_core.paper.summary import TITLES, claims, headline, mark_counts

WORDS = {"kmeans": "k-means", "spectral": "spectral", "son": "sum of norms"}
QUALITY = "quality_k2"
SUMMARY = "summary"
BLOCKS = (SUMMARY, *TABLES, QUALITY)
_PLACE = re.compile(r"<!-- results: (\w+) -->\n.*?<!-- end -->", re.S)


@dataclass(frozen=True)
class TableRow:
    """One number of the paper: the cell (in ours mode), its cells as text, and its mark."""

    cell: Cell
    values: Mapping[str, str]
    mark: Mark | None
    links: Mapping[str, Mapping[str, object]]


def table_rows(results: Results, table: str) -> list[TableRow]:
    """The rows of a table; a mode that was not computed has dashes."""
    found = []
    for cell in all_cells([table], modes=[OURS]):
        pair = {mode: results.rows.get(replace(cell, mode=mode).key) for mode in (PUBLISHED, OURS)}
        known = [row for row in pair.values() if row]
        if not known:
            continue
        make = {SECONDS: _seconds, CONVEX: _convex}.get(table, _fairness)
        values = {"data": _name(known[0]), **_combination(cell), **make(pair, known[0])}
        mark = mark_of(cell, results.rows)
        values["mark"] = mark.mark if mark else "not computed"
        values["why"] = mark.text if mark else ""
        links = {
            mode: row["answer"]["spec"]
            for mode, row in pair.items()
            if row and "spec" in row["answer"]
        }
        found.append(TableRow(cell, values, mark, links))
    return found


def _name(row: Row) -> str:
    return row["dataset"] if row["real"] else f"{row['dataset']} (twin)"


def _combination(cell: Cell) -> dict[str, str]:
    if cell.clustering == "son":
        return {}
    return {"combination": f"{WORDS[cell.clustering]} + {cell.fairness}"}


def _fairness(pair: Mapping[str, Row | None], one: Row) -> dict[str, str]:
    paper = one["paper"]
    values = {"paper": f"{_cost(paper['before'])} → {_cost(paper['after'])}"}
    values["paper's |V|/|U|"] = _size(paper["share"], paper["points"])
    for mode, row in pair.items():
        values[mode] = _costs(row) if row else "—"
        values[f"|V|/|U| {mode}"] = (
            _size(row["answer"]["share"], row["answer"]["size"]) if row else "—"
        )
        values[f"agree {mode}"] = f"{row['answer']['verified']:.0%}" if row else "—"
    ours = pair[OURS]
    noise = (ours or one)["noise"]
    values["noise band"] = f"{_cost(noise[0])} to {_cost(noise[1])}"
    found = needed(ours) if ours else None
    values["points needed"] = f"{found['size']:,}" if found else "not reached" if ours else "—"
    return values


def _costs(row: Row) -> str:
    before = row["vanilla"]
    if row["table"] == "sota_k2" and row["sota"]:
        before = row["sota"]["cost"]
    return f"{_cost(before)} → {_cost(row['answer']['cost'])}"


def _times(values: Row, rival: str, seconds: str, ratio: str) -> str:
    """Seconds beside those of a rival, in these formats."""
    own, other = f"{values['seconds']:{seconds}} s", f"{values[rival]:{seconds}} s"
    return f"{own} / {other} = {values['ratio']:{ratio}}"


def _seconds(pair: Mapping[str, Row | None], one: Row) -> dict[str, str]:
    values = {"paper": _times(one["paper"], "sota", "g", ".0f")}
    for mode, row in pair.items():
        values[mode] = _times(row["answer"], "sota", ".3f", ".2f") if row else "—"
        if row:
            answer = row["answer"]
            values[f"improved {mode}"] = f"{answer['improved']} of {answer['repeats']}"
    return values


def _convex(pair: Mapping[str, Row | None], one: Row) -> dict[str, str]:
    values = {"paper": _times(one["paper"], "son", "g", ".1f")}
    for mode, row in pair.items():
        values[mode] = _times(row["answer"], "son", ".3g", ".2g") if row else "—"
    differences = one["answer"]["differences"]
    values["λ at which V helps"] = f"{sum(d > 0 for d in differences)} of {len(differences)}"
    values["difference at λ = 0.01"] = f"{differences[-1]:.3g}"
    ours = pair[OURS]
    values["by direct search"] = f"{ours['answer']['direct']['difference']:.3g}" if ours else "—"
    return values


def quality_rows(results: Results) -> list[dict[str, str]]:
    """Scores of plain clustering, the fair algorithm and antidote data at k = 2, by cell."""
    found = []
    for table in ("vanilla_k2", "sota_k2"):
        for cell in all_cells([table], modes=[OURS]):
            row = results.rows.get(cell.key)
            if not row or not row["quality"]:
                continue
            scores, printed = row["quality"], row["paper"]["quality"]
            values = {
                "table": TITLES[table].split(":")[0],
                "data": _name(row),
                **_combination(cell),
            }
            for name, word in (
                ("silhouette", "silhouette"),
                ("davies_bouldin", "Davies-Bouldin"),
                ("calinski_harabasz", "Calinski-Harabasz"),
            ):
                own = [
                    _score(scores.get(who), name)
                    for who in ("vanilla", "sota_own", "antidote", "with_antidote")
                ]
                values[f"{word}: plain, fair, V, V counted"] = " · ".join(own)
                if name in printed:
                    values[f"{word} printed: fair, Algorithm 2"] = (
                        f"{printed[name]['sota']:.5g} · {printed[name]['algorithm2']:.5g}"
                    )
            found.append(values)
    return found


def _score(scores: Row | None, name: str) -> str:
    value = scores.get(name) if scores else None
    return "—" if value is None else f"{value:.5g}"


def markdown(results: Results, block: str) -> str:
    """One block: the summary, a table or the quality scores."""
    if block == SUMMARY:
        return _summary_text(results)
    if block == QUALITY:
        return _grid(quality_rows(results))
    return _grid([dict(row.values) for row in table_rows(results, block)])


def all_markdown(results: Results) -> str:
    """All blocks under their titles."""
    titles = {**TITLES, SUMMARY: "Summary", QUALITY: "Quality of the clusterings, k = 2"}
    return "\n\n".join(f"## {titles[name]}\n\n{markdown(results, name)}" for name in BLOCKS)


def fill(page: str, results: Results) -> str:
    """The page with every block between `<!-- results: name -->` and `<!-- end -->` made anew."""

    def block(found: re.Match[str]) -> str:
        name = found.group(1)
        if name not in BLOCKS:
            raise DataError(
                f"The page asks for results {name!r}; wanted one of {', '.join(BLOCKS)}."
            )
        return f"<!-- results: {name} -->\n{markdown(results, name)}\n<!-- end -->"

    return _PLACE.sub(block, page)


def _summary_text(results: Results) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in sorted(results.versions.items()))
    counts = [
        {"table": title, **{k: str(v) for k, v in mark_counts(results.rows, name).items()}}
        for name, title in TITLES.items()
    ]
    computed = f"Computed on {results.date} with seed {results.seed}; {versions}."
    lines = [f"- {claim.sentence} `{claim.command}`" for claim in claims(results.rows)]
    return "\n".join([headline(results.rows), "", computed, "", _grid(counts), "", *lines])


def _grid(rows: list[dict[str, str]]) -> str:
    if not rows:
        return "Not computed yet."
    heads = list(dict.fromkeys(name for row in rows for name in row))
    lines = [heads, *([row.get(head, "") for head in heads] for row in rows)]
    texts = ["| " + " | ".join(x.replace("|", "\\|") for x in line) + " |" for line in lines]
    return "\n".join([texts[0], "|---" * len(heads) + "|", *texts[1:]])


def _cost(value: float) -> str:
    """A cost with as many digits as the paper gives."""
    digits = 4 if abs(value) < 10 else 3 if abs(value) < 100 else 2
    return number(value, digits).replace(",", "")


def _size(share: float, points: int) -> str:
    return f"{100 * share:.2g}% ({points:,})"
