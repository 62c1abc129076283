"""A table of one's own in Chromium: uploaded, run, reported, seen by nobody else, forgotten."""

from pathlib import Path
from typing import Any

import pytest

from antidote_core.datasets.uploads import sample_files
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.test_explore import (
    ENDED,
    new_visit,
    open_tab,
    press_run,
    said,
    until,
    wait_for_text,
)
from tests.browser.test_report import offline, taken

__all__ = ["new_visit"]  # a fixture
UPLOAD = "data?show=your+own+table"
QUICK = "explore?data=my-messwerte&start=4&budget=60&max_rounds=1&optimizer=random&restarts=2"


def bring(visit: Visit, file: Any) -> None:
    visit.page.locator("[data-testid=stFileUploaderDropzoneInput]").first.set_input_files(file)


@pytest.fixture
def german() -> dict[str, Any]:
    """Semicolons, decimal commas, umlauts and gaps."""
    sample = next(sample for sample in sample_files() if sample.name == "messwerte.csv")
    return {"name": sample.name, "mimeType": "text/csv", "buffer": sample.content}


def test_from_a_german_table_to_a_report(
    visit: Visit, new_visit: Any, browser: Any, home: Path, tmp_path: Path, german: dict[str, Any]
) -> None:
    visit.open(UPLOAD)
    bring(visit, german)
    wait_for_text(visit, "separated by semicolon, decimal comma, thousands point")
    wait_for_text(visit, "30 of 320 rows go")
    wait_for_text(visit, "among the data sets on every page")
    visit.page.locator(".st-key-use-new button").first.click()
    wait_for_text(visit, "messwerte: before anything is added")

    visit.open(QUICK)  # a link, and a reload: the table is still there
    wait_for_text(visit, "messwerte: before anything is added")
    run_id = press_run(visit)
    visit.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    assert said(visit, ENDED)
    assert (home / "runs" / run_id / "data.npz").exists()
    assert visit.page.locator("[data-testid=stException]").count() == 0
    open_tab(visit, "Take it along")
    with offline(browser, taken(visit, "Report (HTML)", tmp_path)) as page:
        assert "messwerte" in page.locator("body").inner_text()

    stranger = new_visit()
    stranger.open(f"explore?run={run_id}")
    wait_for_text(stranger, "opens only in the browser that started it")
    assert "messwerte" not in stranger.text()

    visit.open(UPLOAD)
    visit.page.get_by_role("button", name="Forget this data now").first.click()
    wait_for_text(visit, "Forgotten: my-messwerte and 1 run on it.")
    until(lambda: not (home / "runs" / run_id).exists())


@pytest.mark.parametrize("visit", [(390, "dark")], indirect=True)
def test_what_cannot_be_read_gets_a_sentence(visit: Visit, tmp_path: Path) -> None:
    visit.open(UPLOAD)
    big = tmp_path / "big.csv"
    with big.open("wb") as file:
        file.truncate(60 * 1024**2)
    bring(visit, big)
    wait_for_text(visit, "File must be 50.0MB or smaller")
    wait_for_text(visit, "Larger than 50 MB: take a random sample of the rows")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(999)
    bring(visit, {"name": "photo.csv", "mimeType": "text/csv", "buffer": picture})
    wait_for_text(visit, "photo.csv is not a text file (it begins like a PNG picture)")
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []


COUNTED = "%{x} <5 \\m"  # as if a hover had a place to fill in
# What Markdown, Streamlit's additions to it and Plotly would each make something else of.
STRANGE = (
    "*a* _b_ **c**", "$1$ or $2$", ":green[m]", "`c` ~~d~~", "&lt;x &amp;", "# e", "[f] (g)",
    ":material/home: :streamlit: :smile:", "h -> i <= j", "1. k", COUNTED,
    "www.example.com me@example.com http://b.de",
)  # fmt: skip
READ = (
    ":is(em, del, code, img, ol, .katex, [role=img], a:not([href^='#']), "
    "[class*=ColoredText], [style*=color])"
)


def strange_table() -> dict[str, Any]:
    """Groups, features and a file with such names; every group is small, so all are warned of."""
    columns = ["*age* $x$ and $y$", ":red[pay]", "$g$ *who*"]
    rows = [[str(i % 7), str(i * i % 11), STRANGE[i % len(STRANGE)]] for i in range(72)]
    text = "\n".join("\t".join(row) for row in [columns, *rows])
    return {"name": "*my* $a$ :red[b].tsv", "mimeType": "text/csv", "buffer": text.encode()}


def test_names_are_shown_as_they_are(visit: Visit) -> None:
    visit.open(UPLOAD)
    bring(visit, strange_table())
    wait_for_text(visit, "among the data sets on every page")
    visit.settle()
    box = visit.page.locator("[data-testid=stMain]")
    assert box.locator(f"[data-testid=stMarkdownContainer] {READ}").all_inner_texts() == []
    visit.page.locator(".st-key-use-new button").first.click()
    wait_for_text(visit, "before anything is added")

    visit.open("data?data=my-my-a-red-b")
    visit.settle()
    assert box.locator(f"[data-testid=stMarkdownContainer] {READ}").all_inner_texts() == []
    said = visit.text().replace("\u2060", "")
    assert "\n*my* $a$ :red[b]\n" in f"\n{said}"
    assert "your own table *my* $a$ :red[b].tsv, 72 of 72 rows" in said
    assert "groups by $g$ *who*." in said
    assert "standard deviation 1: *age* $x$ and $y$, :red[pay]." in said
    warning = box.locator("[data-testid=stAlert]").inner_text().replace("\u2060", "")
    assert [name for name in STRANGE if f"“{name}” (6 points" not in warning] == []
    radio = box.locator(".st-key-protected [data-testid=stRadio] label").last
    assert radio.inner_text() == "$g$ *who*"

    chart = visit.page.locator(".st-key-sizes .js-plotly-plot")
    ticks = chart.locator(".ytick text").all_text_contents()
    assert sorted(ticks) == sorted(STRANGE)
    chart.scroll_into_view_if_needed()
    tick = chart.locator(".ytick text").nth(ticks.index(COUNTED)).bounding_box()
    visit.page.mouse.move(tick["x"] + tick["width"] + 30, tick["y"] + tick["height"] / 2)
    hover = chart.locator(".hoverlayer .hovertext").first
    assert hover.text_content() == f"{COUNTED}: 6 of 72 points"
    names = visit.page.locator(".st-key-map .js-plotly-plot")
    assert names.locator(".xtitle").text_content() == "*age* $x$ and $y$"
    assert names.locator(".ytitle").text_content() == ":red[pay]"
