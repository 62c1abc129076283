"""The report, the ZIP and the slides of a run: what they say, and that names stay names."""

import base64
import csv
import dataclasses
import html
import io
import json
import math
import re
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import antidote_core as ac
from antidote_core.engine.work import comparison_events
from antidote_core.errors import DataError
from antidote_core.reporting.documents.page import (
    MAX_ROWS,
    Chart,
    Page,
    Section,
    html_page,
    html_table,
)
from antidote_core.reporting.documents.report import (
    CONTENTS,
    RunRecord,
    joint_report,
    run_bundle,
    run_json,
    run_report,
    run_sections,
)
from antidote_core.reporting.documents.slides import (
    Cover,
    deck,
    logo_address,
    run_slides,
    run_summary,
)
from antidote_core.reporting.figures import comparisons
from antidote_core.reporting.figures.curve import run_curve_figure
from antidote_core.reporting.text import run_words
from antidote_core.reporting.text.run_words import settings
from antidote_core.runs.events import event_of
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import fold

ROOT = Path(__file__).parents[2]
SPEC = RunSpec(
    dataset="two-optima", start_size=4, step=2, target=-0.9, budget=100, max_rounds=4, seed=1,
    place="minmax",
)  # fmt: skip


class Reader(HTMLParser):
    """Tags with their attributes, and the text outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open not in ("script", "style"):
            self.text += data + " "

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def events() -> list[ac.Event]:
    data = ac.load_dataset(SPEC.dataset)
    happened = list(ac.grow(SPEC, data))
    return [*happened, *comparison_events(SPEC, data, fold(happened), lambda: False)]


@pytest.fixture(scope="module")
def record(events) -> RunRecord:
    return RunRecord(ac.load_dataset(SPEC.dataset), SPEC, fold(events), run_id="x" * 22)


@pytest.fixture(scope="module")
def report(record) -> str:
    return run_report(record, "16 November 2026")


def test_the_report_holds_everything_and_asks_nobody(report, record) -> None:
    page = Reader(report)
    said = " ".join(page.text.split())
    found = record.view.verdict
    for sentence in (found.headline, *found.details):
        assert " ".join(sentence.split()) in said
    for heading in (
        "Cost against antidote size", "Against the others", "What the costs mean",
        "How it was done", "Settings, seed and versions", "The data: Two optima",
        "What was not shown", "Where this departs from the paper",
    ):  # fmt: skip
        assert heading in said
    for name, value in settings(SPEC).items():
        assert name in said
        assert " ".join(value.split()) in said
    for text in run_words.limits(record.data, SPEC, record.view):
        assert " ".join(text.split()) in said
    addresses = [
        value for _, attributes in page.tags for key, value in attributes.items()
        if key in ("src", "href", "srcset", "action")
    ]  # fmt: skip
    assert all(address.startswith("#part-") for address in addresses)  # its contents
    [policy] = [tag["content"] for tag in page.named("meta") if tag.get("http-equiv")]
    assert policy.startswith("default-src 'none'")
    assert report.count("<script>") == 1  # plotly.js once, and the few lines that draw


def test_every_chart_has_words_and_numbers(report, record) -> None:
    charts = [chart for section in run_sections(record) for chart in section.charts]
    drawn = [tag for tag in Reader(report).named("div") if tag.get("role") == "img"]
    assert len(drawn) == len(charts) >= 6
    assert all(tag["aria-label"] for tag in drawn)
    for section in run_sections(record):
        for chart in section.charts:  # small charts side by side share one table
            assert len(chart.table) or section.table is not None
    figures = re.findall(r"<script type='application/json' id='figure-\d+'>(.*?)</script>", report)
    assert len(figures) == len(charts)
    assert all(json.loads(figure)["data"] for figure in figures)


def test_the_curve_in_the_report_has_the_costs_of_the_run(record) -> None:
    figure = run_curve_figure(record.view)
    line = next(trace for trace in figure.data if trace.name == "best V of a round")
    costs = [record.view.vanilla_cost, *(done.cost for done in record.view.history)]
    np.testing.assert_allclose(line.y, costs)
    filled = next(trace for trace in figure.data if trace.name.startswith("checked"))
    assert (filled.x[0], filled.y[0]) == (record.view.size, record.view.cost)


HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_names_from_a_table_stay_text(record) -> None:
    data = dataclasses.replace(
        record.data,
        title=HOSTILE,
        group_names=(HOSTILE, "=1+1"),
        feature_names=(HOSTILE, "y"),
        source=HOSTILE,
        notes=(HOSTILE,),
    )
    page = run_report(dataclasses.replace(record, data=data, name=HOSTILE))
    reader = Reader(page)
    assert reader.named("img") == []
    assert page.count("<script>") == 1
    assert html.escape(HOSTILE, quote=True) in page
    assert not [attributes for _, attributes in reader.tags if "onerror" in attributes]


def test_a_page_without_charts_is_small_and_long_tables_are_cut() -> None:
    page = html_page(Page("t", "l", [Section("h", ["p"], [("a", "b")])]))
    assert len(page) < 10_000
    long = html_table(pd.DataFrame({"a": range(MAX_ROWS + 5)}))
    assert long.count("<tr>") == MAX_ROWS + 1
    assert f"The first {MAX_ROWS} of {MAX_ROWS + 5} rows" in long
    odd = html_table(pd.DataFrame({"a": [float("nan"), float("inf"), -1.5], "b": [None, "", "x"]}))
    assert "−1.5" in odd
    assert "nan" not in odd


def test_the_zip_holds_the_run_and_can_be_read_back(record, events) -> None:
    archive = zipfile.ZipFile(io.BytesIO(run_bundle(record, events)))
    assert archive.testzip() is None
    of_rows = {"copies.csv", "weights.csv", "data_with_weights.csv", "use_weights.py"}
    of_tables = {"left_out.csv"}  # of somebody's own
    expected = {*CONTENTS, "README.txt"} - of_rows - of_tables  # V is made up here
    assert set(archive.namelist()) == expected
    texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert RunSpec.from_json(texts["spec.json"]) == SPEC
    again = fold(ac.Event.from_json(line) for line in texts["events.jsonl"].splitlines())
    np.testing.assert_array_equal(again.antidote, record.view.antidote)
    result = json.loads(texts["result.json"])
    np.testing.assert_array_equal(result["antidote"], record.view.antidote)
    assert result["cost"] == record.view.cost
    assert result["verdict"] == record.view.verdict.text
    antidote = pd.read_csv(io.StringIO(texts["antidote.csv"]))
    pd.testing.assert_frame_equal(antidote, record.data.to_original(record.view.antidote))
    union = pd.read_csv(io.StringIO(texts["data-with-antidote.csv"]))
    assert len(union) == record.data.n + record.view.size
    rounds = pd.read_csv(io.StringIO(texts["rounds.csv"]))
    assert rounds["cost"].iloc[0] == pytest.approx(record.view.vanilla_cost)
    assert {"plain", "antidote"} <= set(
        pd.read_csv(io.StringIO(texts["comparison.csv"]))["clustering"]
    )
    compile(texts["run.py"], "run.py", "exec")
    one = json.loads(run_json(record, events))
    assert one["result"]["cost"] == record.view.cost
    assert len(one["events"]) == len(events)


def test_no_cell_of_the_zip_is_a_formula(record, events) -> None:
    names = ("=cmd|' /C calc'!A0", "@SUM(1)")
    data = dataclasses.replace(record.data, group_names=names, protected="+group")
    archive = zipfile.ZipFile(
        io.BytesIO(run_bundle(dataclasses.replace(record, data=data), events))
    )
    cells = [
        cell
        for name in archive.namelist() if name.endswith(".csv")
        for row in csv.reader(io.StringIO(archive.read(name).decode())) for cell in row
    ]  # fmt: skip
    assert any("cmd" in cell for cell in cells)
    for cell in cells:
        if cell.startswith(("=", "+", "-", "@")):
            float(cell)  # a number is not a formula


@pytest.mark.parametrize("kinds", [1, 2, 4])
def test_a_run_that_ended_early_has_a_report_and_slides(events, record, kinds) -> None:
    ending = event_of("stopped", {"seconds": 1.0, "reason": "stopped by you"})
    view = fold([*events[:kinds], ending])
    early = dataclasses.replace(record, view=view)
    assert "stopped by you" in run_report(early)
    assert run_slides(early)
    assert zipfile.ZipFile(io.BytesIO(run_bundle(early, events[:kinds]))).testzip() is None


def test_slides_have_one_message_each(record) -> None:
    slides = run_slides(record)
    assert len(slides) == 8
    for slide in slides[1:]:  # the first names the source of the data
        assert slide.title.endswith(".")
        assert not (slide.chart is not None and slide.numbers)
        assert slide.chart is None or slide.alt
        shown = " ".join([slide.title, slide.note, *slide.points])
        assert "seed" not in shown
        assert "−0." not in shown  # costs stand in the notes
    gain = slides[4]
    assert gain.title == record.view.verdict.headline
    values = [number.value for number in gain.numbers]
    assert "→" in values[0]
    assert values[1] == str(record.view.size)
    assert [number.label for number in gain.numbers[2:]] == [
        "price of fairness",
        "smallest cluster",
    ]
    assert slides[-1].title.startswith("What this does not show")


def test_clusters_are_drawn_true_to_scale(record) -> None:
    chart = run_slides(record)[3].chart
    counts = [record.view.vanilla.counts, record.view.answer.counts]
    for state, table in enumerate(counts):
        sizes = sorted(column["sizes"][state] for column in chart["columns"])
        np.testing.assert_allclose(sizes, sorted(table.sum(axis=1) / table.sum()))
        for column in chart["columns"]:
            assert sum(part["shares"][state] for part in column["parts"]) == pytest.approx(1.0)
        decides = [
            part["decides"][state] for column in chart["columns"] for part in column["parts"]
        ]
        assert sum(decides) <= 1


def test_a_deck_holds_the_whole_run_and_asks_nobody(record) -> None:
    slides = run_slides(record)
    text = deck(slides, "Title", Cover("", "<script>alert(1)</script>", ""))
    content = json.loads(text.partition("id='deck'>")[2].partition("</script>")[0])
    assert content["name"] == "<script>alert(1)</script>"
    assert "<script>alert" not in text
    assert not re.findall(r"(?:src|href)=[\"']?https?:", text)
    replay = next(
        s["chart"] for s in content["slides"] if (s["chart"] or {}).get("kind") == "replay"
    )
    steps, show = replay["parcels"]
    assert len(steps["steps"]) == len(show["labels"]) > 1
    head = base64.b64decode(replay["points"]).partition(b"\n")[0]
    assert json.loads(head)["count"] == record.data.n
    assert len(text) < 1_000_000


def test_the_summary_has_the_verdict_its_price_and_no_script(record) -> None:
    text = run_summary(dataclasses.replace(record, name="<b>mine</b>"), "today")
    said = " ".join(Reader(text).text.split())
    assert " ".join(record.view.verdict.headline.split()) in said
    for word in ("price of fairness", "Before: plain clustering", "What this does not show"):
        assert word in said
    assert "<script" not in text
    assert "&lt;b&gt;mine" in text
    assert text.count("decides'") in (1, 2)  # none once the mix is practically equal


def test_several_runs_in_one_report_with_their_notes(record) -> None:
    social = dataclasses.replace(SPEC, dataset="blobs", fairness="social", target="vanilla")
    other = RunRecord(
        ac.load_dataset("blobs"),
        social,
        ac.run(dataclasses.replace(social, max_rounds=1, budget=40)),
    )
    text = joint_report([record, other], ["The main case.", "<i>beside</i>"], "today")
    said = " ".join(Reader(text).text.split())
    for each in (record, other):
        assert " ".join(each.view.verdict.headline.split()) in said
    assert "The main case." in said
    assert "<i>beside" not in text
    assert "These runs have different costs" in said
    assert len(text) < 3_000_000
    sides = [
        comparisons.Side(name, r.spec, r.view) for name, r in (("a_b", record), ("c&d", other))
    ]
    table = comparisons.methods_table(sides)
    assert table.index[0] == "plain"
    assert table.index[-1] == "antidote"
    assert table.loc["antidote", "A: a_b"] == pytest.approx(record.view.cost)
    assert math.isnan(table.iloc[1, 1])  # the fair algorithm of the first run only
    latex = comparisons.methods_latex(sides)
    assert r"A: a\_b & B: c\&d" in latex
    assert latex.count(r"\\") == 1 + len(table)


def test_a_logo_that_is_too_large_gets_a_sentence() -> None:
    with pytest.raises(DataError, match=r"300 kB at most; a\.png has 400 kB"):
        logo_address("a.png", b"x" * 400_000)


def test_social_runs_have_slides_about_what_groups_pay() -> None:
    spec = dataclasses.replace(SPEC, dataset="blobs", fairness="social", target="vanilla")
    view = ac.run(dataclasses.replace(spec, max_rounds=1, budget=40))
    slides = run_slides(RunRecord(ac.load_dataset("blobs"), spec, view))
    assert "lies farthest from its centres" in slides[1].title


OTHER = {
    "dataset": "blobs", "clustering": "spectral", "fairness": "social", "target": 0.5,
    "embed_dim": None, "growth": "bisect", "box": "wide", "max_seconds": 3.0, "protected": "sex",
    "rows": "all", "shrink": True, "spread": True, "holdout": True, "place": "plausible",
    "min_share": 0.1,
    "max_price": None, "percentiles": (5.0, 95.0), "copy_groups": ("Male",),
    "whole": False,
}  # fmt: skip
OPTIMIZED = RunSpec(dataset="adult", optimizer="racos")


@pytest.mark.parametrize("name", [n for n in RunSpec.__dataclass_fields__ if n != "version"])
def test_every_setting_shows_in_the_report(name: str) -> None:
    value = OTHER.get(name, 77)
    if name == "optimizer":
        value = "cmaes"
    before = dataclasses.replace(OPTIMIZED, optimizer="design") if name == "whole" else OPTIMIZED
    changed = dataclasses.replace(before, **{name: value})
    assert settings(changed) != settings(before), name


def test_departures_are_told_in_the_words_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    plain = " ".join(re.sub(r"\*\*|`", "", readme).split())
    for entry in run_words.DEPARTURES:
        assert entry.sentence in plain, entry.topic


def test_limits_are_those_of_the_run(record) -> None:
    said = " ".join(run_words.limits(record.data, SPEC, record.view))
    assert "not exhaustive" in said
    stopped = dataclasses.replace(record.view, state="stopped", reason="stopped by you")
    assert "did not go to its end" in run_words.limits(record.data, SPEC, stopped)[0]
    noisy = dataclasses.replace(record.view, noise=(-5.0,))
    assert "may be chance" in " ".join(run_words.limits(record.data, SPEC, noisy))
    sampled = dataclasses.replace(SPEC, sample=300, sample_seed=4)
    assert "(seed 4)" in " ".join(run_words.limits(record.data, sampled, record.view))


def test_a_chart_keeps_its_own_colours_and_heights() -> None:
    import plotly.graph_objects as go

    figure = go.Figure(go.Bar(x=[1, 2], y=[3, 4]), layout={"height": 321})
    page = html_page(Page("t", "l", [Section("h", charts=[Chart(figure, "a", pd.DataFrame())])]))
    assert "min-height:321px" in page
    assert figure.layout.template.layout.font.family is None  # the page works on a copy
