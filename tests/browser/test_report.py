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
    """A file in a phone without a network; nothing is asked of anyone."""
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    requests: list[str] = []
    errors: list[str] = []
    page.on("request", lambda sent: requests.append(sent.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(path.as_uri())
    yield page
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    assert errors == []
    context.close()


def test_the_report_opens_without_a_network(visit: Visit, browser: Any, tmp_path: Path) -> None:
    run(visit)
    headline = visit.page.locator(f":is({ENDED}) h3").last.inner_text()
    with offline(browser, taken(visit, "Report (HTML)", tmp_path)) as page:
        page.wait_for_function(
            """() => {
                const all = [...document.querySelectorAll('.chart')];
                return all.length >= 5 && all.every(c => c.querySelector('.main-svg g.subplot'));
            }"""
        )
        assert page.locator("h1").inner_text().split() == headline.split()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
        table = page.locator("details").first
        table.locator("summary").press("Enter")  # by keyboard
        table.locator("td").first.wait_for()


def test_the_summary_fits_one_sheet(visit: Visit, browser: Any, tmp_path: Path) -> None:
    run(visit)
    with offline(browser, taken(visit, "One page (HTML)", tmp_path)) as page:
        sheets = re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))
    assert len(sheets) == 1


def shown(deck: Any, text: str) -> None:
    """Wait until the slide that is shown has this in its title."""
    deck.locator(".slide.shown h1").filter(has_text=text).wait_for(timeout=PATIENCE)


def test_slides_turn_by_arrow_keys(visit: Visit) -> None:
    run_id = run(visit)
    visit.page.get_by_role("button", name="Present").first.click()
    visit.page.wait_for_url(re.compile("/present.*run="), timeout=PATIENCE)
    deck = visit.page.frame_locator("iframe[title=Slides]")
    shown(deck, "Fairer clusters: Two optima")
    visit.page.locator("[data-testid=stHeader]").wait_for(state="hidden", timeout=PATIENCE)
    visit.page.keyboard.press("ArrowRight")
    visit.page.wait_for_url(re.compile("slide=2"), timeout=PATIENCE)
    shown(deck, "400 rows in 2 groups")
    visit.page.reload()
    shown(deck, "400 rows in 2 groups")
    visit.page.keyboard.press("ArrowLeft")
    visit.page.wait_for_url(re.compile("slide=1"), timeout=PATIENCE)
    visit.page.keyboard.press("Escape")
    visit.page.wait_for_url(re.compile(f"/explore.*run={run_id}"), timeout=PATIENCE)


def test_a_presenter_is_at_the_first_slide_within_two_clicks(visit: Visit) -> None:
    run_id = run(visit)
    clicked: list[str] = []
    visit.page.expose_function("antidoteClicked", lambda what: clicked.append(what))
    visit.open(f"explore?run={run_id}")
    visit.page.evaluate("addEventListener('click', () => antidoteClicked('one'), true)")
    visit.page.get_by_role("tab", name="Take it along").first.click()
    visit.page.get_by_role("button", name="Present").first.click()
    shown(visit.page.frame_locator("iframe[title=Slides]"), "Fairer clusters: Two optima")
    assert len(clicked) == 2


def test_saved_slides_open_without_a_network_and_fit_every_screen(
    visit: Visit, browser: Any, tmp_path: Path
) -> None:
    run_id = run(visit)
    visit.page.goto(f"{visit.base}/present?run={run_id}")
    with offline(browser, taken(visit, "Save slides", tmp_path)) as page:
        for width, height in ((1280, 720), (1920, 1080), (390, 844)):
            page.set_viewport_size({"width": width, "height": height})
            page.keyboard.press("Home")
            count = int(page.locator("#bar output").inner_text().split("/")[1])
            for place in range(1, count + 1):
                page.locator(f"body[data-slide='{place}']").wait_for()
                slide = page.locator(".slide.shown")
                assert slide.evaluate("one => one.scrollWidth <= innerWidth + 1")
                if width > height:  # nothing is cut; upright, a slide may be scrolled
                    assert slide.evaluate("one => one.scrollHeight <= innerHeight + 1")
                if slide.locator("canvas").count():
                    slide.locator(".stage[data-step]:not([data-step='0'])").wait_for()
                page.keyboard.press("ArrowRight")
        page.keyboard.press("n")
        page.locator("#notes p").first.wait_for()


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
