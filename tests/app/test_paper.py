"""The Paper page without a browser: its words and figures are those of the stored results."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from antidote_core.paper import paper_tables
from antidote_core.paper.rows import TABLES, stored_results
from antidote_core.paper.summary import headline, mark_counts
from antidote_core.paper.tables import table_rows
from antidote_core.reporting.figures import paper_figures
from tests.app.test_pages import metrics, open_page, texts


@pytest.mark.parametrize("table", TABLES)
def test_every_table_stands_there_with_its_marks(table: str) -> None:
    source = paper_tables()[table]["source"]
    app = open_page("paper", table=source)
    assert app.selectbox(key="table").value == source
    assert not app.exception
    assert not app.error
    assert not app.warning
    results = stored_results()
    assert headline(results.rows) in texts(app)
    counts = mark_counts(results.rows, table)
    total = sum(counts.values())
    assert metrics(app) == {
        paper_figures.SIGNS[mark]: f"{counts[mark]} of {total}"
        for mark in paper_figures.meanings(table)
    }
    rows = table_rows(results, table)
    frame = app.dataframe[0].value
    assert frame["data"].tolist() == [row.values["data"] for row in rows]
    assert frame["paper"].tolist() == [row.values["paper"] for row in rows]
    assert len(app.get("plotly_chart")) == 1


def test_a_row_gives_its_reason_and_its_settings_open_in_explore() -> None:
    app = open_page("paper", table="Table 1", row="bank · k-means + social")
    row = next(
        row
        for row in table_rows(stored_results(), "vanilla_k2")
        if (row.cell.dataset, row.cell.clustering, row.cell.fairness)
        == ("bank", "kmeans", "social")
    )
    assert row.mark.reason in texts(app)
    labels = [button.label for button in app.button]
    assert labels == ["▶ Run as published live", "▶ Run ours live"]
    links = [
        value.split("](")[1].rstrip(")")
        for element in app.markdown
        if (value := element.value).startswith("[Settings in Explore]")
    ]
    assert len(links) == 2
    asked = dict(parse_qsl(urlsplit(links[0]).query))
    explore = open_page("explore", **asked)
    assert not explore.exception
    assert not explore.error
    assert not explore.warning  # the page takes every setting of the link
    assert explore.session_state["optimizer"] == "racos"
    assert explore.session_state["pair"] == "kmeans + social"
