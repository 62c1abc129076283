"""The app as people see it, in Chromium."""

import re
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE, Visit

PAGES = {"": ("Fairer clusters by adding a few points", 0), "data": ("Bank marketing", 4)}
LOOKS = [(1440, "light"), (1440, "dark"), (390, "light")]
INK = {"light": "rgb(31, 35, 40)", "dark": "rgb(242, 244, 247)"}


@pytest.mark.parametrize("visit", LOOKS, indirect=True, ids=str)
def test_every_page_in_every_look(visit: Visit) -> None:
    for path, (title, charts) in PAGES.items():
        visit.open(path)
        assert title in visit.text()
        assert "balance cost" in visit.text().lower()
        assert visit.page.locator("[data-testid=stException]").count() == 0
        assert visit.page.locator("[data-testid=stPlotlyChart]").count() == charts
        assert visit.page.locator(".plane svg.field").count() == (0 if charts else 1)
        assert visit.page.get_by_text("WebGL is not supported").count() == 0
        assert sticking_out(visit) == []
        assert looks(visit) == visit.scheme
    assert visit.external_requests() == []
    assert any(url.startswith("ws://") for url in visit.requests)


@pytest.mark.parametrize("visit", [(390, "dark")], indirect=True, ids=str)
def test_many_groups_and_clusters_fit_on_a_telephone(visit: Visit) -> None:
    visit.open("data?data=adult&k=10&color=cluster")
    assert "with 10 clusters" in visit.text()
    assert sticking_out(visit) == []


def test_the_picture_of_home_plays_by_itself_unless_motion_is_not_wanted(
    browser: Any, app_url: str
) -> None:
    context = browser.new_context(reduced_motion="no-preference")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(app_url)
    page.locator(".plane[data-step='12']").wait_for()
    page.get_by_text("Fair share 30 % → 100 %").wait_for()
    assert page.locator(".plane .antidote").count() == 12
    context.close()


def test_a_reload_shows_the_same_thing(visit: Visit) -> None:
    visit.open("data?data=adult&protected=sex&sample=5000&k=3")
    visit.page.get_by_role("combobox", name="Data set").click()
    visit.page.get_by_role("option", name="Two optima").click()
    visit.page.get_by_role("heading", name="Two optima").wait_for()
    visit.settle()
    visit.page.get_by_role("radio", name="cluster", exact=True).click()
    visit.page.locator(".legendtext", has_text="cluster 3").wait_for()
    visit.settle()
    before = visit.text()
    visit.page.wait_for_url(re.compile("color=cluster"), timeout=PATIENCE)
    assert "protected" not in visit.page.url
    assert "with 3 clusters" in before
    visit.page.reload()
    visit.settle()
    assert visit.text() == before
    assert visit.page.locator(".legendtext", has_text="cluster 3").is_visible()


def looks(visit: Visit) -> str:
    """Whether the page's background is light or dark; outlines in its charts must fit it."""
    background = visit.page.locator("[data-testid=stApp]").evaluate(
        "app => getComputedStyle(app).backgroundColor"
    )
    channels = [int(part) for part in background.removeprefix("rgb(").rstrip(")").split(",")]
    found = "light" if sum(channels) > 3 * 128 else "dark"
    outlines = visit.page.evaluate(
        "[...document.querySelectorAll('.js-plotly-plot .bars path')].map(bar => bar.style.stroke)"
    ) or visit.page.locator(".plane svg.field *").evaluate_all(
        "parts => parts.map(part => getComputedStyle(part).stroke)"
    )
    assert INK[found] in outlines
    return found


def sticking_out(visit: Visit) -> list[str]:
    """What makes the page scroll sideways or stands beyond its right edge."""
    return visit.page.evaluate(
        """() => {
            const frames = ['html', '[data-testid=stMain]', '[data-testid=stMainBlockContainer]']
                .map(name => [name, document.querySelector(name)])
                .filter(([name, part]) => part.scrollWidth > part.clientWidth + 1)
                .map(([name, part]) => `${name} ${part.scrollWidth} > ${part.clientWidth}`);
            const parts = [...document.querySelectorAll('[data-testid=stElementContainer]')]
                .filter(part => part.getBoundingClientRect().right > window.innerWidth + 1)
                .map(part => part.innerText.slice(0, 80));
            return [...frames, ...parts];
        }"""
    )
