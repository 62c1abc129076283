"""The Convex page as people see it, in Chromium."""

import pytest

from tests.browser.conftest import PATIENCE, Visit

QUICK = "convex?points=30&size=2"
CHARTS = 6


def settle(visit: Visit) -> None:
    """Wait until every answer from the background is drawn."""
    visit.page.wait_for_function(
        f"() => document.querySelectorAll('[data-testid=stPlotlyChart] g.subplot').length"
        f" >= {CHARTS}",
        timeout=PATIENCE,
    )
    visit.settle()


def captions(visit: Visit) -> str:
    return "\n".join(visit.page.locator("[data-testid=stCaptionContainer]").all_inner_texts())


@pytest.mark.parametrize(
    "visit", [(1440, "light"), (1440, "dark"), (390, "light")], indirect=True, ids=str
)
def test_the_page_in_every_look(visit: Visit) -> None:
    visit.open(QUICK)
    settle(visit)
    assert "Convex clustering (Algorithm 1)" in visit.text()
    assert "clustered again, the cost" in visit.text()
    assert captions(visit).count("of 10 values of λ") == 4
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []
    too_wide = visit.page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=stElementContainer]')]
            .filter(part => part.getBoundingClientRect().right > window.innerWidth + 1)
            .map(part => part.innerText.slice(0, 80))"""
    )
    assert too_wide == []


def test_the_derivation_is_set_as_formulas(visit: Visit) -> None:
    visit.open(QUICK)
    settle(visit)
    visit.page.get_by_text("Why: the derivation in half a page").click()
    visit.page.locator("[data-testid=stExpander] .katex").first.wait_for()
    wrong = visit.page.locator("[data-testid=stExpander] .katex-error")
    assert wrong.all_inner_texts() == []
    assert visit.external_requests() == []


def test_another_range_stays_in_the_link(visit: Visit) -> None:
    visit.open(QUICK)
    settle(visit)
    visit.page.get_by_role("radio", name="fusing").click()
    visit.page.wait_for_url("**range=fusing**")
    settle(visit)
    assert captions(visit).count("of 12 values of λ") == 4
    visit.page.reload()
    settle(visit)
    assert captions(visit).count("of 12 values of λ") == 4
