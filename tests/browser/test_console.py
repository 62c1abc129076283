"""No page says anything in the console, opened by its link or from the page before."""

import re
from typing import Any

import pytest

from tests.browser.conftest import Visit
from tests.browser.test_report import ENDED

PAGES = {
    "": "Home", "learn": "Learn", "learn?part=playground": "", "learn?part=glossary": "",
    "explore": "Explore", "explore?data=blobs&target=value&alpha=-0.5": "", "frontier": "Frontier",
    "runs": "Runs", "paper": "Paper", "convex": "", "data": "Data",
    "data?data=needs-distance&k=5&color=cluster": "", "present": "", "compare": "",
}  # fmt: skip


# Of Plotly's WebGL charts, which Data and Explore use for many points: Chromium without a graphics
# card tells of its own driver (a page with nothing but such a chart says so, too), and Plotly reads
# the outlines of its markers back from a canvas (the trace of that message leads into its file).
OF_PLOTLY = re.compile(
    r"\[\.WebGL-0x[0-9a-f]+\]GL Driver Message \(OpenGL, Performance, GL_CLOSE_PATH_NV, High\): "
    r"GPU stall due to ReadPixels( \(this message will no longer repeat\))?"
    r"|Canvas2D: Multiple readback operations using getImageData are faster with the "
    r"willReadFrequently attribute set to true\. See: https://html\.spec\.whatwg\.org/multipage/"
    r"canvas\.html#concept-canvas-will-read-frequently"
)


@pytest.fixture
def said(visit: Visit) -> list[tuple[str, str, str]]:
    """Errors and warnings of the page, with the page that was open."""
    found: list[tuple[str, str, str]] = []

    def hear(message: Any) -> None:
        if message.type in ("error", "warning") and not OF_PLOTLY.fullmatch(message.text):
            found.append((visit.page.url, message.type, message.text))

    visit.page.on("console", hear)
    visit.page.on("pageerror", lambda error: found.append((visit.page.url, "error", str(error))))
    return found


def test_no_page_says_anything_in_the_console(
    visit: Visit, said: list[tuple[str, str, str]]
) -> None:
    for link in PAGES:
        visit.open(link)
    for name in filter(None, PAGES.values()):
        visit.page.get_by_test_id("stTopNavLink").filter(has_text=name).click()
        visit.settle()
    assert said == []


def test_nor_does_a_run_or_a_sweep(visit: Visit, said: list[tuple[str, str, str]]) -> None:
    visit.open("explore?data=two-optima&place=minmax&target=value&alpha=-0.4&budget=50")
    visit.page.locator(".st-key-runbar button").first.click()
    visit.page.locator(ENDED).first.wait_for()
    visit.page.reload()
    visit.settle()
    visit.open("frontier?data=blobs&sizes=5, 10&seeds=2&tries=20")
    visit.page.locator(".st-key-runbar button").first.click()
    visit.page.get_by_role("button", name="■ Stop").first.wait_for(state="detached")
    visit.page.locator("[data-testid=stVegaLiteChart]").first.wait_for()
    visit.page.reload()
    visit.settle()
    assert said == []
