"""The Learn page as people use it, in Chromium."""

import re

import pytest
from playwright.sync_api import expect

from antidote_core.teaching.lessons import LESSONS
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.test_browser import sticking_out

expect.set_options(timeout=PATIENCE)


def left(visit: Visit, points: int) -> None:
    """Wait until the page says how many points are left."""
    expect(visit.page.get_by_text(f"{points} of 10 points left.").last).to_be_visible()


def costs(visit: Visit) -> list[str]:
    visit.settle()
    return visit.page.locator("[data-testid=stMetricValue]").all_inner_texts()


def click(visit: Visit, x: float, y: float) -> None:
    """Click at a part of the plane's width and height."""
    field = visit.page.locator("svg.field").last
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    field.click(position={"x": x * box["width"], "y": y * box["height"]})


@pytest.mark.parametrize("visit", [(1440, "light"), (390, "dark")], indirect=True, ids=str)
def test_the_story_goes_forth_in_every_look(visit: Visit) -> None:
    visit.open("learn")
    for step, lesson in enumerate(LESSONS, start=1):
        title = f"{step}. {lesson.title}"
        expect(visit.page.get_by_role("heading", name=title).last).to_be_visible()
        picture = "svg.field" if lesson.name != "noise" else "[data-testid=stPlotlyChart] g.subplot"
        expect(visit.page.locator(picture).last).to_be_visible()
        visit.settle()
        assert sticking_out(visit) == []
        if step < len(LESSONS):
            visit.page.get_by_role("button", name="Next").last.click()
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []


def test_the_story_goes_back(visit: Visit) -> None:
    visit.open("learn?lesson=3")
    for step in (2, 1):
        visit.page.get_by_role("button", name="Back").last.click()
        title = f"{step}. {LESSONS[step - 1].title}"
        expect(visit.page.get_by_role("heading", name=title).last).to_be_visible()
    expect(visit.page.get_by_role("button", name="Back").last).to_be_disabled()
    assert visit.page.locator("[data-testid=stException]").count() == 0


def test_three_points_change_the_cost_and_the_link_shows_the_same(visit: Visit) -> None:
    visit.open("learn?part=playground&copies=3")
    left(visit, 10)
    seen = [costs(visit)]
    for count, (x, y) in enumerate([(0.9, 0.5), (0.85, 0.3), (0.95, 0.6)], start=1):
        click(visit, x, y)
        left(visit, 10 - 3 * count)
        expect(visit.page.locator("svg.field .antidote")).to_have_count(count)
        seen.append(costs(visit))
    # Social cost feels every point.
    assert len({social for _, social in seen}) == 4
    assert seen[-1][0] != seen[0][0]
    visit.page.get_by_role("button", name="Undo").last.click()
    left(visit, 4)
    expect(visit.page.locator("svg.field .antidote")).to_have_count(2)
    assert costs(visit) == seen[2]
    visit.page.wait_for_url(re.compile(r"points=[^&]+"))
    visit.open(visit.page.url.removeprefix(f"{visit.base}/"))
    left(visit, 4)
    expect(visit.page.locator("svg.field .antidote")).to_have_count(2)
    assert costs(visit) == seen[2]


def test_quick_clicks_are_not_lost(visit: Visit) -> None:
    visit.open("learn?part=playground")
    left(visit, 10)
    for i in range(6):
        click(visit, 0.7 + 0.04 * i, 0.4)
    left(visit, 4)
    expect(visit.page.locator("svg.field .antidote")).to_have_count(6)


@pytest.mark.parametrize("visit", [(390, "dark")], indirect=True, ids=str)
def test_the_plane_is_played_by_keyboard_and_the_algorithm_answers(visit: Visit) -> None:
    visit.open("learn?part=playground&scene=two-optima&copies=2")
    left(visit, 10)
    visit.page.locator("svg.field").last.focus()
    visit.page.keyboard.press("Shift+ArrowRight")
    visit.page.keyboard.press("ArrowUp")
    expect(visit.page.locator("svg.field .aim")).to_have_count(1)
    visit.page.keyboard.press("Enter")
    left(visit, 8)
    expect(visit.page.locator("svg.field .antidote")).to_have_count(1)
    visit.page.get_by_role("button", name="Let the algorithm try").last.click()
    expect(visit.page.get_by_text("The algorithm beats you by").last).to_be_visible()
    expect(visit.page.locator("svg.field .rival").first).to_be_visible()
    assert "Arrow keys move a cross" in visit.page.locator("svg.field").last.get_attribute(
        "aria-label"
    )
    visit.settle()
    assert sticking_out(visit) == []


def test_a_bad_link_gets_a_sentence(visit: Visit) -> None:
    visit.open("learn?part=playground&points=1,2,30")
    expect(visit.page.get_by_text("An empty plane is shown instead").last).to_be_visible()
    left(visit, 10)
    assert visit.page.locator("[data-testid=stException]").count() == 0
