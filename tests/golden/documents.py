"""Reports, slides and bundles in a form that can be compared: text, tables, charts, files.

The text is what a reader sees, whatever tags and spaces are around it; plotly.js is left out.
"""

import base64
import hashlib
import io
import json
import math
import re
import zipfile
from html.parser import HTMLParser

import numpy as np

from antidote_core.reporting.documents.frontier_report import (
    FrontierRecord,
    frontier_bundle,
    frontier_report,
    frontier_slides,
)
from antidote_core.reporting.documents.page import versions
from antidote_core.reporting.documents.report import RunRecord, run_bundle, run_json, run_report
from antidote_core.reporting.documents.slides import run_slides
from tests.golden.views import without_modules

WHEN = "2026-01-01 12:00"
LARGEST = 30_000  # characters of a chart; of what is longer, only a digest is kept
LONGEST = 8_000  # characters of a file
LONG = 40  # values of a list in a chart
DIGITS = 5
VERSION = "(version)"
INLINE = {"a", "b", "strong", "em", "i", "span", "code", "small", "sup", "sub", "abbr"}
SILENT = {"script", "style"}


def record_of(name, data, spec, view, sweep):
    """What a report is made of, with ids and names that do not change."""
    if sweep:
        return FrontierRecord(data, spec, view, sweep_id=name, name="")
    return RunRecord(data, spec, view, run_id=name, name="")


def report_file(record):
    """The report and the slides."""
    sweep = isinstance(record, FrontierRecord)
    page = frontier_report(record, WHEN) if sweep else run_report(record, WHEN)
    slides = frontier_slides(record) if sweep else run_slides(record)
    return {"page": page_dict(page), "slides": [slide_dict(slide) for slide in slides]}


def bundle_file(record, events):
    """The files of the ZIP file; what stands beside it already is only named."""
    sweep = isinstance(record, FrontierRecord)
    packed = (frontier_bundle if sweep else run_bundle)(record, events, WHEN)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    page = frontier_report(record, WHEN) if sweep else run_report(record, WHEN)
    known = {"report.html": page, "events.jsonl": "".join(f"{e.to_json()}\n" for e in events)}
    for name, text in known.items():
        texts[name] = "as it is" if texts[name] == text else texts[name]
    files = {name: short(text) for name, text in texts.items()}
    if sweep:
        return {"files": files}
    return {"files": files, "json": short(run_json(record, events))}


def short(text):
    """The lines, or a digest of them where they are many."""
    if len(text) > LONGEST:
        return {"characters": len(text), "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return without_modules(text).splitlines()


class _Reader(HTMLParser):
    """Text in blocks, tables as cells, charts as JSON, descriptions of charts."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.tables, self.charts, self.labels = [], [], [], []
        self._block, self._silent, self._json = [], "", None
        self._row, self._in_table, self._code = [], False, False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in SILENT:
            self._silent = tag
            self._json = [] if attributes.get("type") == "application/json" else None
        if attributes.get("role") == "img":
            self.labels.append(attributes["aria-label"])
        if tag not in INLINE:
            self._end_block()
        if tag == "pre":
            self._code = True
        if tag == "table":
            self.text.append(f"[table {len(self.tables)}]")
            self.tables.append([])
            self._in_table = True
        if tag == "tr":
            self._row = []

    def handle_endtag(self, tag):
        if tag == self._silent:
            if self._json is not None:
                self.charts.append(json.loads("".join(self._json)))
            self._silent, self._json = "", None
        if tag in ("td", "th"):
            self._row.append(self._words())
        elif tag not in INLINE:
            self._end_block()
        if tag == "tr":
            self.tables[-1].append(self._row)
        if tag == "table":
            self._in_table = False
        if tag == "pre":
            self._code = False

    def handle_data(self, data):
        if not self._silent:
            self._block.append(data)
        elif self._json is not None:
            self._json.append(data)

    def _words(self):
        text = "".join(self._block)
        self._block = []
        return text.strip() if self._code else " ".join(text.replace("\xa0", " ").split())

    def _end_block(self):
        code = self._code
        text = self._words()
        if text and not self._in_table:
            self.text += without_modules(text).splitlines() if code else [text]


def page_dict(html):
    """What a reader of the page gets."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return {
        "text": without_versions(reader.text),
        "tables": reader.tables,
        "labels": reader.labels,
        "charts": [chart_dict(chart) for chart in reader.charts],
    }


def without_versions(blocks):
    """The text without the versions of the software that wrote it."""
    known, found = versions(), []
    for block in blocks:
        before = found[-1] if found else ""
        if known.get(before) == block:
            block = VERSION
        found.append(
            re.sub(r"(Written by Antidote) [\w.+]+?(?=[,.](\s|$))", rf"\1 {VERSION}", block)
        )
    return found


def slide_dict(slide):
    """A slide; its chart as in a report."""
    return {
        "title": slide.title,
        "figure": chart_dict(json.loads(slide.figure.to_json())) if slide.figure else None,
        "alt": slide.alt,
        "numbers": [[one.value, one.label, one.beside] for one in slide.numbers],
        "note": slide.note,
        "points": list(slide.points),
        "caution": slide.caution,
    }


def chart_dict(chart):
    """Data and layout with numbers of five digits; the template, the same everywhere, left out."""
    layout = {key: value for key, value in chart["layout"].items() if key != "template"}
    found = rounded({"data": chart["data"], "layout": layout})
    text = json.dumps(found, sort_keys=True)
    if len(text) > LARGEST:
        kinds = [trace.get("type") for trace in chart["data"]]
        return {"traces": kinds, "sha256": hashlib.sha256(text.encode()).hexdigest()}
    return found


def shortened(values):
    """A long list by its ends and by figures that change with any value and with the order."""
    if len(values) <= LONG:
        return values
    ends = {"count": len(values), "first": values[:3], "last": values[-3:]}
    if all(isinstance(value, int | float) for value in values):
        weighed = sum(abs(value) * (1 + place / len(values)) for place, value in enumerate(values))
        positive = sum(value for value in values if value > 0)
        return {**ends, "weighed": weighed, "positive": positive}
    return {**ends, "sha256": hashlib.sha256(json.dumps(values).encode()).hexdigest()}


def rounded(value):
    """Packed arrays unpacked, numbers rounded."""
    if isinstance(value, dict):
        if "bdata" in value:
            array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
            if "shape" in value:
                array = array.reshape([int(n) for n in str(value["shape"]).split(",")])
            return rounded(array.tolist())
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return shortened([rounded(item) for item in value])
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return float(f"{value:.{DIGITS}g}")
    return value
