"""One HTML file that holds everything: text, interactive charts, tables; no network needed.

A page is a list of sections. Runs and frontiers build theirs and hand them to `html_page`.
"""

from __future__ import annotations

import math
import platform
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from antidote_core.reporting.figures.palette import LIGHT_INK

MAX_ROWS = 200  # of a table on the page; the files hold all of them
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# Whatever is in the data, this page asks nobody for anything.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; worker-src blob:"
)


@dataclass(frozen=True, eq=False)
class Chart:
    """A figure, its description for those who cannot see it, and the table behind it."""

    figure: go.Figure
    alt: str
    table: pd.DataFrame
    title: str = ""
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Section:
    """One part of a page, from the heading down; what is empty is left out.

    `facts` are (name, value) pairs, `table` stands open on the page, `code` is shown as typed;
    `beside` puts small charts next to each other where there is room.
    """

    heading: str
    paragraphs: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    charts: Sequence[Chart] = ()
    table: pd.DataFrame | None = None
    code: str = ""
    beside: bool = False


@dataclass(frozen=True, eq=False)
class Page:
    """`lead` is the message in large type, `tone` its colour as in a Verdict, `made` the last line.

    `details` stand in normal type below the lead.
    """

    title: str
    lead: str
    sections: Sequence[Section]
    tone: str = "waiting"
    details: Sequence[str] = ()
    made: str = ""


def html_page(page: Page) -> str:
    """The whole file as text; plotly.js stands in it once, and only if there is a chart.

    >>> text = html_page(Page("A <b> title", "Lead", [Section("Facts", facts=[("k", "2")])]))
    >>> "A &lt;b&gt; title" in text, "<dd>2</dd>" in text, "Plotly" in text
    (True, True, False)
    """
    charts = [chart for section in page.sections for chart in section.charts]
    body = [
        f"<header><p class='small'>{escape(page.title)}</p>",
        f"<div class='lead {escape(page.tone)}'><h1>{escape(page.lead)}</h1>",
        *(f"<p>{escape(text)}</p>" for text in page.details if text),
        "</div></header><main>",
    ]
    number = 0
    for section in page.sections:
        body.append(_section(section, number))
        number += len(section.charts)
    body.append(f"</main><footer class='small'>{escape(page.made)}</footer>")
    if charts:
        body.append(f"<script>{get_plotlyjs()}</script>")
        body += [
            f"<script type='application/json' id='figure-{index}'>{_json(chart)}</script>"
            for index, chart in enumerate(charts)
        ]
        body.append(f"<script>{_DRAW}</script>")
    return (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(page.title)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def html_table(table: pd.DataFrame) -> str:
    """A table in HTML, everything in it escaped; long ones are cut and say so.

    >>> html_table(pd.DataFrame({"<x>": ["<script>"]})).count("&lt;")
    2
    """
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in table.dtypes]
    heads = "".join(
        f"<th scope='col'{_side(is_number)}>{escape(str(name))}</th>"
        for name, is_number in zip(table.columns, numeric, strict=True)
    )
    rows = []
    for values in table.head(MAX_ROWS).itertuples(index=False, name=None):
        cells = "".join(
            f"<td{_side(is_number)}>{escape(_cell(value))}</td>"
            for value, is_number in zip(values, numeric, strict=True)
        )
        rows.append(f"<tr>{cells}</tr>")
    cut = ""
    if len(table) > MAX_ROWS:
        cut = f"<p class='small'>The first {MAX_ROWS:,} of {len(table):,} rows.</p>"
    return (
        "<div class='scroll' tabindex='0' role='region' aria-label='Table'><table>"
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{cut}"
    )


def _section(section: Section, number: int) -> str:
    parts = [f"<section><h2>{escape(section.heading)}</h2>"]
    parts += [f"<p>{escape(text)}</p>" for text in section.paragraphs if text]
    if section.facts:
        facts = "".join(
            f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>"
            for name, value in section.facts
        )
        parts.append(f"<dl>{facts}</dl>")
    charts = "".join(_chart(chart, number + index) for index, chart in enumerate(section.charts))
    parts.append(f"<div class='beside'>{charts}</div>" if section.beside else charts)
    if section.table is not None and len(section.table):
        parts.append(html_table(section.table))
    if section.code:
        parts.append(f"<pre tabindex='0'><code>{escape(section.code)}</code></pre>")
    return "".join(parts) + "</section>"


def _chart(chart: Chart, index: int) -> str:
    title = f"<h3>{escape(chart.title)}</h3>" if chart.title else ""
    caption = f"<figcaption>{escape(chart.caption)}</figcaption>" if chart.caption else ""
    table = ""
    if len(chart.table):
        table = (
            "<details><summary>The numbers behind this chart</summary>"
            f"{html_table(chart.table)}</details>"
        )
    height = chart.figure.layout.height or 450
    return (
        f"<figure>{title}<div class='chart' id='chart-{index}' data-figure='figure-{index}' "
        f"role='img' aria-label='{escape(chart.alt, quote=True)}' style='min-height:{height}px'>"
        "<noscript>This chart needs JavaScript; its numbers stand below.</noscript></div>"
        f"{caption}{table}</figure>"
    )


def _json(chart: Chart) -> str:
    """The figure as JSON that no text in it can end: every "<" is written as its code."""
    figure = go.Figure(chart.figure)
    figure.update_layout(
        template="plotly_white",
        font={"family": FONT, "color": LIGHT_INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    return str(figure.to_json()).replace("<", "\\u003c")


def _side(is_number: bool) -> str:
    return " class='number'" if is_number else ""


def _cell(value: object) -> str:
    if isinstance(value, float):
        if math.isnan(value):
            return "–"
        if not math.isfinite(value):
            return str(value)
        text = f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.5g}"
        return text.replace("-", "−")
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}".replace("-", "−")
    return "–" if value is None else str(value)


# Charts keep a light ground in both colour schemes: their colours are chosen for it.
_STYLE = (
    f":root{{color-scheme:light dark;--ink:{LIGHT_INK};--ground:#fff;--soft:#f3f4f6;"
    "--line:#d0d5dc;--faint:#59616d}"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#f2f4f7;--ground:#14171c;"
    "--soft:#20252d;--line:#3c434e;--faint:#aab2bd}}"
    f"*{{box-sizing:border-box}}body{{font:17px/1.55 {FONT};color:var(--ink);"
    "background:var(--ground);max-width:60rem;margin:0 auto;padding:1.5rem 1.2rem 3rem}"
    "h1{font-size:1.7rem;line-height:1.25;margin:0}h2{font-size:1.3rem;margin:2.4rem 0 .6rem;"
    "border-top:1px solid var(--line);padding-top:1.2rem}h3{font-size:1.05rem;margin:.2rem 0}"
    "p{margin:.5rem 0;overflow-wrap:anywhere}"
    ".small,figcaption{color:var(--faint);font-size:.85rem}"
    ".lead{border-left:7px solid #0072b2;padding:.8rem 1rem;background:var(--soft);"
    "border-radius:4px}.lead.good{border-color:#009e73}.lead.doubtful{border-color:#e69f00}"
    ".lead.bad{border-color:#d55e00}"
    "dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));gap:.6rem 1.4rem;"
    "margin:.8rem 0}dt{color:var(--faint);font-size:.85rem}dd{margin:0;font-weight:600;"
    "overflow-wrap:anywhere}"
    f"figure{{margin:1rem 0;background:#fff;color:{LIGHT_INK};border:1px solid var(--line);"
    "border-radius:6px;padding:.8rem}figure figcaption,figure .small{color:#59616d}"
    "figure .scroll{--soft:#f3f4f6;--line:#d0d5dc;--ink:#1f2328}"
    ".beside{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:.8rem}"
    ".beside figure{margin:0;min-width:0}"
    "summary{cursor:pointer;padding:.3rem 0;font-size:.9rem}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.88rem;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);"
    "vertical-align:top}th{background:var(--soft)}.number{text-align:right;"
    "font-variant-numeric:tabular-nums;white-space:nowrap}"
    "pre{background:var(--soft);padding:.8rem;overflow-x:auto;border-radius:4px;font-size:.85rem}"
    "footer{margin-top:3rem}"
    "@page{margin:15mm}@media print{body{font-size:11pt;max-width:none;padding:0}"
    "figure,tr,.lead{break-inside:avoid}h2,h3{break-after:avoid}.scroll{overflow:visible}"
    "pre{white-space:pre-wrap}}"
)

_DRAW = """
for (const place of document.querySelectorAll('.chart')) {
  const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
  place.replaceChildren();
  Plotly.newPlot(place, figure.data, figure.layout,
    {responsive: true, displaylogo: false, modeBarButtonsToRemove: ['select2d', 'lasso2d']});
}
addEventListener('beforeprint', () => {
  for (const part of document.querySelectorAll('details')) part.open = true;
});
"""


PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "plotly")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Version by name: this software, Python, and the packages its figures rest on.

    >>> list(versions())[:2]
    ['antidote', 'Python']
    """
    found = {"antidote": _own(), "Python": platform.python_version()}
    return found | {name: version(name) for name in PACKAGES}


def _own() -> str:
    """The version of the installed package, or of the folder it is run from."""
    try:
        return version("antidote-core")
    except PackageNotFoundError:
        file = Path(__file__).parents[3] / "pyproject.toml"
        return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"])
