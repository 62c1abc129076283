"""Names from somebody's table, or typed by a visitor, are shown as they are: without a browser."""

import io
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import antidote_core as ac
from antidote_core.algorithms.algorithm1.solve import solve_convex
from antidote_core.analysis import convex_runs
from antidote_core.datasets import uploads
from antidote_core.engine import JobState, Runner
from antidote_core.reporting.documents.report import union_csv
from antidote_core.reporting.figures import bars, convex_figures
from antidote_core.reporting.figures.comparisons import Side, curves_figure
from antidote_core.reporting.figures.maps import map_figure
from antidote_core.reporting.figures.palette import group_mark
from antidote_core.reporting.figures.tables import antidote_table, center_table, group_table
from antidote_core.reporting.text.words import chart_text
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.shared import rooms
from pages._ui.shared.link import JOINER, escape

from .test_runs import presented, visit

ME = "somebody with strange names"
TITLE, FILE, RUN = "*my* $data$ and $more$", ":red[file] &amp;.csv", "`run` _one_ :material/home:"
FEATURES = ("*age* $x$ and $y$", ":red[income]", "~~gone~~ **b**")
PROTECTED = "$g$ *group* :blue[x]"
GROUPS = ("*a*", "$1$ or $2$", ":green[m]", "&lt;x %{x}")
NAMES = (TITLE, FILE, RUN, *FEATURES, PROTECTED, *GROUPS)
PAGES_BEFORE = ["data", "explore", "convex", "frontier"]


def dataset(features: tuple[str, ...], protected: str, groups: tuple[str, ...]) -> ac.Dataset:
    """Forty rows, ten in each of four groups."""
    numbers = np.random.default_rng(0).normal(size=(40, len(features)))
    frame = pd.DataFrame(numbers, columns=list(features))
    frame[protected] = [groups[row % len(groups)] for row in range(40)]
    choice = uploads.Choice(features, (protected,))
    return uploads.encode(uploads.Table(FILE, frame), choice, "my-data", TITLE).data


@pytest.fixture(scope="module")
def data() -> ac.Dataset:
    return dataset(FEATURES, PROTECTED, GROUPS)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, data: ac.Dataset) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("home")
        patch.setenv("ANTIDOTE_HOME", str(folder))
        rooms.ROOMS.put(ME, "tab", data)
        yield folder
        rooms.ROOMS.forget(ME, data.name)


@pytest.fixture(scope="module")
def jobs(home: Path, data: ac.Dataset) -> Iterator[list[str]]:
    """Two runs that have ended, one on each cost, and a sweep."""
    spec = {"dataset": data.name, "start_size": 2, "max_rounds": 1, "budget": 10, "restarts": 1}
    with Runner(home) as runner:
        found = [
            runner.submit(ac.RunSpec(fairness=cost, **spec), data, ME)
            for cost in ("balance", "social")
        ]
        assert all(runner.wait(job, 120, ME).state is JobState.FINISHED for job in found)
        runner.rename(found[0], ME, RUN)
        sweep = SweepSpec(data.name, sizes=(2,), seeds=(0,), budget=10)
        yield [*found, runner.submit(sweep, data, ME)]  # its page does not wait for it


def read_as_markdown(app: AppTest) -> list[str]:
    """Every text on the page that Streamlit reads as Markdown."""
    kinds = ("title", "header", "subheader", "markdown", "caption", "warning", "error", "info",
             "success")  # fmt: skip
    found = [element.value for kind in kinds for element in app.get(kind)]
    for metric in app.metric:
        found += [metric.label, metric.value, metric.delta, metric.proto.help]
    widgets = ("button", "radio", "selectbox", "multiselect", "slider", "number_input",
               "text_input", "toggle", "segmented_control", "expander")  # fmt: skip
    for widget in (widget for kind in widgets for widget in app.get(kind)):
        found += [widget.label, getattr(widget.proto, "help", "")]
    found += [option for radio in app.radio for option in radio.options]
    for table in app.table:
        found += [*table.value.columns, *table.value.index, *table.value.to_numpy().ravel()]
    return [str(text) for text in found]


def shown_as_it_is(app: AppTest) -> list[str]:
    """Every text on the page that Streamlit shows as it is."""
    found = [option for box in (*app.selectbox, *app.multiselect) for option in box.options]
    found += [field.placeholder for field in app.text_input]
    for table in (frame.value for frame in app.dataframe):
        found += [*table.columns, *table.index, *table.to_numpy().ravel()]
    return [str(text) for text in found]


def check(app: AppTest) -> str:
    """No name is left to be read as Markdown, none shows a backslash; all Markdown of the page."""
    assert not app.exception
    said = read_as_markdown(app)
    assert [text for text in said for name in NAMES if name in text] == []
    literal = shown_as_it_is(app)
    assert [text for text in literal if "\\" in text or JOINER in text] == []
    return "\n".join(said)


@pytest.mark.parametrize("page", PAGES_BEFORE)
def test_names_of_a_table_on_every_page(page: str, home: Path) -> None:
    app = visit(page, ME, data="my-data")
    end = time.monotonic() + 60
    while page == "explore" and not app.metric and time.monotonic() < end:
        app.run()  # until plain clustering is there
    said = check(app)
    assert app.selectbox(key="data").value == "my-data"
    assert app.radio(key="protected").value == PROTECTED
    for name in (TITLE, FILE, PROTECTED):
        assert escape(name) in said
    assert not app.error
    if page in ("data", "explore"):
        assert any(escape(f"“{name}” lies farthest") in said for name in GROUPS)
    if page == "data":
        assert all(escape(name) in said for name in (*FEATURES, *GROUPS))
        assert set(FEATURES) <= set(shown_as_it_is(app))


def test_names_on_the_pages_of_a_run(jobs: list[str]) -> None:
    for job in jobs[:2]:
        app = visit("explore", ME, run=job, projection="features")
        said = check(app)
        assert escape(TITLE) in said
        assert any(escape(f"“{name}”") in said for name in GROUPS)
        found = presented(visit("present", ME, run=job))
        titles = " ".join(slide["title"] for slide in found["slides"])
        assert PROTECTED in titles  # the deck writes text, never markup
        assert any(name in titles for name in GROUPS)
    said = check(visit("frontier", ME, sweep=jobs[2]))
    assert f"{escape(TITLE)}: fairness against antidote size" in said


def test_the_name_of_a_run(jobs: list[str]) -> None:
    app = visit("compare", ME, runs=",".join(jobs[:2]))
    check(app)
    assert escape(f"A: {RUN}") in app.table[0].value.columns
    assert f"A: {RUN}" in app.dataframe[-1].value.columns
    app = visit("runs", ME)
    check(app)
    assert RUN in set(app.dataframe[0].value["name"])


# ---------------------------------------------------------------- what the browser would read


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain words, 3.5 %", "plain words, 3.5 %"),
        ("1. one", r"1\. one"),
        ("&lt;", r"\&lt;"),
        (":material/home:", r"\:|material/home\:"),
        (":material_home:", r"\:|material\_home\:"),
        (":streamlit:", r"\:|streamlit\:"),
        ("a -> b", r"a |\-\> b"),
        (">= 3", r"|\>= 3"),
        ("x->y", r"x\-\>y"),
        ("https://a.example", r"http|s\://a.example"),
        ("WWW.a.example", r"WWW|.a.example"),
        ("me@a.example", r"me|@a.example"),
    ],
)
def test_signs_that_streamlit_reads_after_markdown_are_parted(text: str, wanted: str) -> None:
    assert escape(text).replace(JOINER, "|") == wanted


# ---------------------------------------------------------------- figures


def texts_of(figure) -> set[str]:
    """Every text of a figure that Plotly reads for tags and entities."""
    axes = [figure.layout.xaxis.title.text, figure.layout.yaxis.title.text]
    found = {trace.name for trace in figure.data} | set(axes)
    for trace in figure.data:
        found.add(trace.hovertemplate)
        if trace.type == "bar":
            found |= {str(value) for value in trace.y}
    return {text for text in found if text}


def test_figures_write_names_as_they_are(data: ac.Dataset) -> None:
    names = data.group_names
    problem = ac.Problem(data, clustering="kmeans", fairness="balance", k=2)
    table = problem.tables(data.points[:0])
    side = Side(RUN + " <b>", ac.RunSpec(dataset="my-data"), ac.RunView())
    result = solve_convex(data.points, data.groups, 0.01, size=1)
    marks = [group_mark(code) for code in range(len(names))]
    drawn = [
        bars.group_size_figure(data),
        bars.cluster_mix_figure(table.balance, names),
        bars.group_cost_figure(table.social, names),
        bars.cost_pair_figure(table.social, table.social, names),
        convex_figures.group_cost_pairs(result, names),
        convex_figures.clusterpath_figure(convex_runs.path_of(data, 0.99, 1, False), data, result),
        map_figure(data.points[:, :2], data.groups, names, marks, ("a & b", "$u$")),
    ]
    for figure in drawn:
        found = texts_of(figure)
        assert any(chart_text(names[0]) in text for text in found)
        assert not any("&lt;x" in text or "%{x}" in text or "$1$" in text for text in found)
        assert any("&amp;lt;x %&#123;x}" in text for text in found)
    assert {"a &amp; b", "&#36;u&#36;"} <= texts_of(drawn[-1])
    assert f"A: {RUN} &lt;b>" in texts_of(curves_figure([side, side]))


def test_groups_that_are_called_by_numbers_are_no_scale() -> None:
    data = dataset(("x", "y"), "g", ("0", "1", "2020-01-01", "1e3"))
    table = ac.Problem(data, k=2).tables(data.points[:0])
    names, result = data.group_names, solve_convex(data.points, data.groups, 0.01, size=1)
    for figure in (
        bars.group_size_figure(data),
        bars.group_cost_figure(table.social, names),
        bars.cost_pair_figure(table.social, table.social, names),
        convex_figures.group_cost_pairs(result, names),
    ):
        assert figure.layout.yaxis.type == "category"
        shown = [value for trace in figure.data for value in trace.y]
        assert list(dict.fromkeys(shown)) == list(names)


# ---------------------------------------------------------------- names that are also ours


def test_columns_that_are_named_like_ours_keep_their_place() -> None:
    data = dataset(("cluster", "points", "copies", "copies (table)"), "share", ("a", "b"))
    centers = center_table(data, data.points[:2], np.array([3.0, 4.0]))
    assert centers.columns.tolist() == [
        "cluster", "points", "cluster (table)", "points (table)", "copies", "copies (table)",
    ]  # fmt: skip
    assert centers["points"].tolist() == [3, 4]
    assert antidote_table(data, data.points[:2]).columns.is_unique
    sizes = group_table(data)
    assert sizes.columns.tolist() == ["share (table)", "points", "share"]
    assert sizes["share (table)"].tolist() == ["a", "b"]


@pytest.mark.parametrize("protected", ["self", "antidote", "=who"])
def test_the_groups_are_in_the_file_whatever_they_are_called(protected: str) -> None:
    data = dataset(("=x", "'=x"), protected, ("a", "b"))
    rows = pd.read_csv(io.StringIO(union_csv(data, data.points[:2])), header=None)
    assert rows.iloc[0].tolist()[:2] == ["'=x", "'=x"]
    assert set(rows.iloc[1:41, 2]) == {"a", "b"}
    assert rows.iloc[1:, 3].astype(int).tolist() == [0] * 40 + [1] * 2
