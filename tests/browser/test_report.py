"""In Chromium: a report opened with the network off, slides by arrow keys, the list of runs."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser.conftest import PATIENCE, Visit

ENDED = ".st-key-verdict-good, .st-key-verdict-doubtful, .st-key-verdict-bad"
EXAMPLE = (
    "explore?data=two-optima&start=4&step=2&target=value&alpha=-0.9&budget=100&max_rounds=4"
    "&optimizer=structured&run_seed=5"
)


def run(visit: Visit) -> str:
    """Start the run, wait for its end; its id."""
    visit.open(EXAMPLE)
    visit.page.locator(".st-key-runbar").get_by_role("button", name="Run").click()
    visit.page.wait_for_url(re.compile("run="), timeout=PATIENCE)
    visit.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    visit.page.get_by_role("tab", name="Take it along").first.click()
    visit.page.get_by_role("button", name="Report (HTML)").first.wait_for(timeout=2 * PATIENCE)
    return str(visit.page.url.split("run=")[1].split("&")[0])


def taken(visit: Visit, button: str, folder: Path) -> Path:
    """The file behind a button."""
    with visit.page.expect_download(timeout=2 * PATIENCE) as download:
        visit.page.get_by_role("button", name=button).first.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


@contextmanager
def offline(browser: Any, path: Path) -> Iterator[Any]:
    """The report in a phone without a network, every chart drawn, nothing asked of anyone."""
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_function(
        """() => {
            const charts = [...document.querySelectorAll('.chart')];
            return charts.length >= 5 && charts.every(c => c.querySelector('.main-svg g.subplot'));
        }"""
    )
    yield page
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    context.close()


def test_the_report_opens_without_a_network(visit: Visit, browser: Any, tmp_path: Path) -> None:
    run(visit)
    headline = visit.page.locator(f":is({ENDED}) h3").last.inner_text()
    with offline(browser, taken(visit, "Report (HTML)", tmp_path)) as page:
        assert page.locator("h1").inner_text().split() == headline.split()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
        table = page.locator("details").first
        table.locator("summary").press("Enter")  # by keyboard
        table.locator("td").first.wait_for()


def press(visit: Visit, key: str, place: str) -> None:
    """Press the key once the slide of that number is there with all its buttons."""
    visit.page.locator(".st-key-turn").get_by_text(place).first.wait_for(timeout=PATIENCE)
    visit.settle()
    visit.page.keyboard.press(key)


def test_slides_turn_by_arrow_keys(visit: Visit) -> None:
    run_id = run(visit)
    visit.page.get_by_role("button", name="Present").first.click()
    visit.page.wait_for_url(re.compile("/present.*run="), timeout=PATIENCE)
    title = visit.page.locator(".st-key-slide h1")
    title.filter(has_text="400 points in 2 groups").first.wait_for(timeout=PATIENCE)
    visit.page.locator("[data-testid=stHeader]").wait_for(state="hidden", timeout=PATIENCE)
    press(visit, "ArrowRight", "1 /")
    visit.page.wait_for_url(re.compile("slide=2"), timeout=PATIENCE)
    title.filter(has_text="Cluster 1 has").first.wait_for(timeout=PATIENCE)
    press(visit, "ArrowLeft", "2 /")
    visit.page.wait_for_url(re.compile("slide=1"), timeout=PATIENCE)
    title.filter(has_text="400 points in 2 groups").first.wait_for(timeout=PATIENCE)
    press(visit, "Escape", "1 /")
    visit.page.wait_for_url(re.compile(f"/explore.*run={run_id}"), timeout=PATIENCE)


def test_the_list_of_runs_survives_a_reload_and_is_there_in_a_new_tab(visit: Visit) -> None:
    run(visit)
    for _ in range(2):
        visit.open("runs")
        visit.page.locator("[data-testid=stDataFrame]").first.wait_for(timeout=PATIENCE)
        visit.page.get_by_text("on the list of this browser").first.wait_for(timeout=PATIENCE)
    tab = visit.page.context.new_page()
    tab.goto(f"{visit.base}/runs")
    tab.get_by_text("on the list of this browser").first.wait_for(timeout=PATIENCE)
    tab.close()
