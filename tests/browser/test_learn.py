"""The Learn page as people use it, in Chromium."""

import math
import re

import pytest
from playwright.sync_api import expect

from antidote_core.teaching.lessons import LESSONS
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.test_analyst import count_clicks
from tests.browser.test_browser import sticking_out

CHARTS = ("wanted", "noise")  # steps that show one instead of the plane
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
        chart = "[data-testid=stPlotlyChart] g.subplot"
        picture = chart if lesson.name in CHARTS else "svg.field"
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


def drag(visit: Visit, begin: tuple[float, float], end: tuple[float, float]) -> None:
    """With the mouse, from one part of the plane's width and height to another."""
    box = visit.page.locator("svg.field").last.bounding_box()
    places = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in (begin, end)]
    visit.page.mouse.move(*places[0])
    visit.page.mouse.down()
    visit.page.mouse.move(*places[1], steps=5)
    visit.page.mouse.up()


def border(visit: Visit) -> list[float]:
    """The ends of the border, as x and y on the drawing."""
    line = visit.page.locator("svg.field .border").last.get_attribute("d")
    return [float(part) for part in re.findall(r"-?[\d.]+", line)]


def test_points_and_centres_can_be_dragged(visit: Visit) -> None:
    visit.open("learn?part=playground&scene=two-optima&points=1.6,0,3")
    left(visit, 7)
    across = border(visit)
    assert across[0] == pytest.approx(across[2], abs=20)  # upright
    frame = (-4.1, -2.8, 4.0, 2.8)
    mark = visit.page.locator("svg.field .antidote polygon").last.bounding_box()
    box = visit.page.locator("svg.field").last.bounding_box()
    begin = (
        (mark["x"] + mark["width"] / 2 - box["x"]) / box["width"],
        (mark["y"] + mark["height"] / 2 - box["y"]) / box["height"],
    )
    assert begin[0] == pytest.approx((1.6 - frame[0]) / (frame[2] - frame[0]), abs=0.02)
    drag(visit, begin, (0.5, 0.9))
    visit.page.wait_for_url(re.compile(r"points=(0|-?0\.1)%2C-2\.\d%2C3"))
    left(visit, 7)
    visit.settle()
    for centre, end in ((0, 0.1), (1, 0.9)):
        mark = visit.page.locator(f"svg.field [data-centre='{centre}'] circle").last.bounding_box()
        begin = (
            (mark["x"] + mark["width"] / 2 - box["x"]) / box["width"],
            (mark["y"] + mark["height"] / 2 - box["y"]) / box["height"],
        )
        before = visit.page.url
        drag(visit, begin, (0.5, end))
        visit.page.wait_for_url(lambda url, before=before: url != before and "centres=" in url)
        visit.settle()
    expect(visit.page.get_by_text("A worse optimum. From these").last).to_be_visible()
    level = border(visit)
    assert level[1] == pytest.approx(level[3], abs=20)  # lies flat
    left(visit, 7)  # a drag is no click


def test_the_border_is_as_far_from_one_centre_as_from_the_other(visit: Visit) -> None:
    visit.open("learn?part=playground&points=5,3,6;4,-1,2")
    left(visit, 2)
    ends = border(visit)
    centres = [
        [float(part) for part in re.findall(r"-?[\d.]+", place)]
        for place in visit.page.locator("svg.field .centre").evaluate_all(
            "all => all.map(one => one.getAttribute('transform'))"
        )
    ]
    for end in (ends[:2], ends[2:]):
        one, other = (math.dist(end, centre) for centre in centres)
        assert one == pytest.approx(other, abs=0.01)


def test_the_keyboard_takes_up_a_point_and_puts_it_down(visit: Visit) -> None:
    visit.open("learn?part=playground&scene=two-optima&points=0,0,2")
    left(visit, 8)
    visit.page.locator("svg.field").last.focus()
    for key in ("ArrowRight", "ArrowLeft", "Space", "Shift+ArrowRight", "Enter"):
        visit.page.keyboard.press(key)
    visit.page.wait_for_url(re.compile(r"points=0\.8%2C0%2C2"))
    left(visit, 8)


def test_a_step_plays_to_its_end(visit: Visit) -> None:
    visit.open("learn?lesson=3&control-one-point=5")
    visit.page.get_by_role("button", name="Play").last.click()
    expect(visit.page.get_by_role("button", name="Stop").last).to_be_visible()
    visit.page.wait_for_url(re.compile("control-one-point=6"))
    visit.page.wait_for_url(re.compile("control-one-point=8"))
    expect(visit.page.get_by_role("button", name="Play").last).to_be_visible()
    assert visit.page.locator("[data-testid=stException]").count() == 0


def test_a_step_fits_a_small_laptop(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 1280, "height": 720})
    for step, lesson in enumerate(LESSONS, start=1):
        visit.open(f"learn?lesson={step}")
        picture = "svg.field" if lesson.name not in CHARTS else "g.subplot"
        seen = (visit.page.locator(picture), visit.page.locator("[data-testid=stAlert]"))
        for part in seen:
            box = part.last.bounding_box()
            assert box["y"] + box["height"] <= 720, lesson.name
    visit.open("learn?part=playground")
    left(visit, 10)
    for name in ("Let the algorithm try", "A worse optimum", "Now with real people"):
        box = visit.page.get_by_role("button", name=name).last.bounding_box()
        assert box["y"] + box["height"] <= 720, name


def test_the_playground_ends_with_real_people(visit: Visit) -> None:
    visit.open("learn?part=playground")
    left(visit, 10)
    visit.page.get_by_role("button", name="Now with real people").last.click()
    visit.page.wait_for_url(re.compile("/explore.*run="))
    visit.page.get_by_text("Bank marketing: k-means + balance").first.wait_for()
    visit.page.locator(".stage canvas").first.wait_for()


def test_a_teacher_is_at_a_moving_border_within_two_clicks(visit: Visit) -> None:
    clicked = count_clicks(visit)
    visit.open("")  # this browser asks for no motion, so that nothing plays by itself
    before = border(visit)
    visit.page.get_by_role("button", name="Play").click()
    visit.page.locator(".plane[data-step='12']").wait_for()
    after = border(visit)
    assert before[0] == pytest.approx(before[2], abs=20)
    assert after[1] == pytest.approx(after[3], abs=20)
    assert len(clicked) == 1
    visit.open("")
    visit.page.get_by_role("button", name="Place the points yourself").click()
    left(visit, 10)
    before = border(visit)
    click(visit, 0.9, 0.5)
    left(visit, 9)
    visit.settle()
    assert border(visit) != before
    assert len(clicked) == 3, clicked


def test_a_bad_link_gets_a_sentence(visit: Visit) -> None:
    visit.open("learn?part=playground&points=1,2,30")
    expect(visit.page.get_by_text("An empty plane is shown instead").last).to_be_visible()
    left(visit, 10)
    assert visit.page.locator("[data-testid=stException]").count() == 0
