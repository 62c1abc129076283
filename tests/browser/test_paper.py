"""The Paper page as people see it, in Chromium."""

import pytest

from antidote_core.paper.rows import stored_results
from antidote_core.paper.summary import headline
from tests.browser.conftest import Visit


@pytest.mark.parametrize("visit", [(1440, "light"), (390, "dark")], indirect=True, ids=str)
def test_the_page_tells_its_story_and_fits(visit: Visit) -> None:
    visit.open("paper?table=Table+1")
    assert headline(stored_results().rows) in visit.text()
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []
    too_wide = visit.page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stElementContainer]')]
            .filter(part => part.getBoundingClientRect().right > window.innerWidth + 1)
            .map(part => part.innerText.slice(0, 80))"""
    )
    assert too_wide == []


def test_a_row_opens_in_explore_with_its_settings(visit: Visit) -> None:
    visit.open("paper")
    link = visit.page.get_by_role("link", name="Settings in Explore").first
    visit.open(link.get_attribute("href").rsplit("/", 1)[-1])
    visit.page.get_by_role("button", name="▶ Run").wait_for()
    assert "which this page does not offer" not in visit.text()
