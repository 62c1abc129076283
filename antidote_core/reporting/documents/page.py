"""One HTML file that holds everything: text, interactive charts, tables; no network needed.

A page is a list of sections. Runs and frontiers build theirs and hand them to `report_page`; what
both have in common stands here, and how tables and files are handed over beside a report.
"""

from __future__ import annotations

import base64
import gzip
import io
import math
import platform
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from antidote_core import __version__
from antidote_core.reporting.figures.bars import group_size_figure
from antidote_core.reporting.figures.palette import LIGHT_INK
from antidote_core.reporting.figures.tables import group_table
from antidote_core.reporting.text.frontier_words import SweepVerdict
from antidote_core.reporting.text.words import UNKNOWN, small_groups
from antidote_core.runs.verdict import Verdict
from antidote_core.types import Dataset

TEMPLATES = Path(__file__).parent / "templates"
MAX_ROWS = 200  # of a table on the page; the files hold all of them
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "plotly")
# Signs with which a spreadsheet begins a formula, also in the wide forms of East Asian keyboards.


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

    @property
    def charts(self) -> list[Chart]:
        """All charts, in the order of the page."""
        return [chart for section in self.sections for chart in section.charts]


def render(template: str, **values: object) -> Markup:
    """A file of `templates` with the values in it; in HTML every value is escaped.

    >>> render("table.html", heads=[("<b>", "")], rows=[]).count("&lt;b&gt;")
    1
    """
    return Markup(_templates().get_template(template).render(values))


def html_page(page: Page) -> str:
    """The whole file as text; plotly.js stands in it once, packed, and only if there is a chart.

    >>> text = html_page(Page("A <b> title", "Lead", [Section("Facts", facts=[("k", "2")])]))
    >>> "A &lt;b&gt; title" in text, "<dd>2</dd>" in text, "Plotly" in text
    (True, True, False)
    """
    plotly = packed_plotly() if page.charts else ""
    return str(render("page.html", page=page, plotly=plotly, ink=LIGHT_INK, font=FONT))


def template(name: str) -> str:
    """A file of `templates` as it is.

    >>> "canvas" in template("stage.html")
    True
    """
    return (TEMPLATES / name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def packed_plotly() -> str:
    """plotly.js as base64 of gzip, a third of its size; `unpack.js` opens it in the browser."""
    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), 9, mtime=0)).decode()


def html_table(table: pd.DataFrame) -> Markup:
    """A table in HTML, everything in it escaped; long ones are cut and say so.

    >>> html_table(pd.DataFrame({"<x>": ["<script>"]})).count("&lt;")
    2
    """
    numeric = map(pd.api.types.is_numeric_dtype, table.dtypes)
    cut = f"The first {MAX_ROWS:,} of {len(table):,} rows." if len(table) > MAX_ROWS else ""
    return render(
        "table.html",
        heads=list(zip(table.columns, numeric, strict=True)),
        rows=table.head(MAX_ROWS).itertuples(index=False, name=None),
        cut=cut,
    )


@lru_cache(maxsize=1)
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("antidote_core.reporting.documents"),
        autoescape=select_autoescape(["html"]),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"html_table": html_table, "cell": _cell, "figure_json": _json}
    return templates


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


def _cell(value: object) -> str:
    if isinstance(value, float):
        if math.isnan(value):
            return UNKNOWN
        if not math.isfinite(value):
            return str(value)
        text = f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.5g}"
        return text.replace("-", "−")
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}".replace("-", "−")
    return UNKNOWN if value is None else str(value)


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Version by name: this software, Python, and the packages its figures rest on.

    >>> list(versions())[:2]
    ['antidote', 'Python']
    """
    found = {"antidote": __version__, "Python": platform.python_version()}
    return found | {name: version(name) for name in PACKAGES}


def zipped(files: Mapping[str, str], headline: str, contents: Mapping[str, str]) -> bytes:
    """The files in one ZIP file, with a README that lists them below the headline."""
    listed = [f"{name}: {contents[name]}" for name in contents if name in files]
    readme = "\n".join([headline, "", *listed]) + "\n"
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**files, "README.txt": readme}.items():
            archive.writestr(name, text)
    return memory.getvalue()


def report_page(
    kind: str, title: str, found: Verdict | SweepVerdict, sections: Sequence[Section], when: str
) -> str:
    """The report on a job of this kind as HTML; `when` says in words when it was made."""
    made = f"Written by Antidote {versions()['antidote']}{f', {kind} of {when}' if when else ''}."
    return html_page(Page(title, found.headline, sections, found.tone, found.details, made))


def data_facts(data: Dataset, features: str) -> list[tuple[str, str]]:
    """What identifies the data, their features in words."""
    return [
        ("rows", f"{data.n:,}"),
        ("features", features),
        ("groups by", data.protected),
        ("fingerprint (SHA-256)", data.content_hash[:16]),
    ]


def group_chart(data: Dataset, alt: str) -> Chart:
    """How large the groups are."""
    title, note = "How large the groups are", small_groups(data)
    return Chart(group_size_figure(data), alt, group_table(data), title, note)
