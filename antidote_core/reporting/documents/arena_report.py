"""An arena to hand over: a table for spreadsheets, one for LaTeX, and a report as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from antidote_core.arena.standings import Standing, standings
from antidote_core.fairness import FairnessCost, get_fairness
from antidote_core.reporting.documents.data_files import safe_csv
from antidote_core.reporting.documents.page import Chart, Page, Section, html_page
from antidote_core.reporting.figures.arena_charts import (
    BEST,
    MEASURES,
    matrix,
    pareto_figure,
    standing_table,
    who_needs_what,
)
from antidote_core.reporting.text.arena_words import (
    READING,
    by_dataset,
    by_problem,
    dataset_sentence,
    headline,
    made_sentence,
    needs_sentence,
    rows_sentence,
)

_ESCAPES = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "−": "$-$", "\N{NO-BREAK SPACE}": "~", "±": r"$\pm$", "–": "--",
}  # fmt: skip


def arena_csv(records: Sequence[Mapping[str, Any]]) -> str:
    """One line per record: every figure, every notion in both scorings."""
    lines = []
    for record in records:
        line = {
            name: value
            for name, value in record.items()
            if name not in ("own", "nearest", "versions", "notes", "groups", "serves", "format")
        }
        for scoring in ("own", "nearest"):
            for notion, value in record.get(scoring, {}).items():
                line[f"{notion} ({scoring})"] = value
        line["notes"] = " ".join(record.get("notes", ()))
        lines.append(line)
    return safe_csv(pd.DataFrame(lines))


def arena_latex(rows: Sequence[Standing], cost: FairnessCost) -> str:
    """A table for every k: methods x data sets by the notion, the fairest in bold."""
    parts = []
    for k in sorted({row.k for row in rows}):
        mine = [row for row in rows if row.k == k]
        frame = matrix(mine, cost, "fairness")
        heads = " & ".join(_latex(str(name)) for name in frame.columns)
        parts += [
            "\\begin{table}", "\\centering",
            f"\\caption{{{_latex(cost.title)}, $k = {k}$: median over seeds, fairest in bold.}}",
            f"\\begin{{tabular}}{{l{'r' * (len(frame.columns) - 1)}}}", "\\hline",
            f"{heads} \\\\", "\\hline",
        ]  # fmt: skip
        for line in frame.itertuples(index=False):
            parts.append(" & ".join(_latex_cell(str(cell)) for cell in line) + " \\\\")
        parts += ["\\hline", "\\end{tabular}", "\\end{table}", ""]
    return "\n".join(parts)


def _latex_cell(text: str) -> str:
    if text.startswith(BEST):
        return f"\\textbf{{{_latex(text.removeprefix(BEST))}}}"
    return _latex(text)


def _latex(text: str) -> str:
    r"""The text as LaTeX prints it.

    >>> _latex("a_b & 5 %")
    'a\\_b \\& 5 \\%'
    """
    return "".join(_ESCAPES.get(letter, letter) for letter in text)


def arena_report(records: Sequence[Mapping[str, Any]], notion: str, scoring: str) -> str:
    """The report as HTML: who wins, the matrices, the pictures, and what each method asks for."""
    cost = get_fairness(notion)
    rows = standings(records, notion, scoring)
    sections = [
        Section("Who wins", [dataset_sentence(mine, cost) for mine in by_dataset(rows).values()])
    ]
    for k in sorted({row.k for row in rows}):
        mine = [row for row in rows if row.k == k]
        for measure in MEASURES:
            frame = matrix(mine, cost, measure)
            sections.append(Section(f"k = {k}: {measure}", table=frame))
    charts = [
        Chart(
            pareto_figure(mine, cost, [row.method for row in mine], dark=False),
            f"{cost.label} against price, {mine[0].title}, k = {k}.",
            standing_table(mine, cost),
            title=f"{mine[0].title}, k = {k}",
            caption=READING,
        )
        for (_, k), mine in by_problem(rows).items()
    ]
    sections += [
        Section("Fairness against price", charts=charts),
        Section(
            "What each method asks for", [needs_sentence(rows), cost.meaning or cost.sentence],
            table=who_needs_what(rows),
        ),
        Section("Data", [rows_sentence(records)]),
        Section("Without a result", [f"{row.title}, k = {row.k}, {row.method_title}: {row.refused}"
                            for row in rows if row.refused]),
    ]  # fmt: skip
    made = made_sentence(records) if records else ""
    return html_page(Page("Arena", headline(rows, cost), sections, made=made.replace("`", "")))
