"""The stage in Chromium: it draws, plays, answers clicks and keeps its view."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE, Visit

from .test_explore import ENDED, press_run, until

COPIES = (
    "explore?data=two-optima&place=rows&optimizer=design&growth=extend&start=10&step=10"
    "&target=value&alpha=-0.9"
)
# Streamlit asks for these below the address of a page first, and then where they are.
ASKED_TWICE = ("_stcore/health", "_stcore/host-config")
ATOM = """() => {
    const kept = [...window.antidoteStage.runs.values()].at(-1)
    const { show, state } = kept
    const own = kept.grounds.get(show.ground)
    const [name, copies] = own.steps[state.at].atoms[0]
    const { row, group, at } = own.people[name]
    return { row, group, copies, at }
}"""
COLORS = """canvas => {
    const { width, height } = canvas
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height)
    return new Set(new Uint32Array(data.buffer)).size
}"""


@pytest.fixture(params=["no-preference", "reduce"])
def moving(browser: Any, app_url: str, request: pytest.FixtureRequest) -> Iterator[Visit]:
    """A tab of somebody who likes motion, and of somebody who does not."""
    size = {"width": 1440, "height": 900}
    context = browser.new_context(viewport=size, reduced_motion=request.param)
    yield Visit(context.new_page(), app_url, "light")
    context.close()


def at(stage: Any) -> dict[str, str]:
    return dict(stage.evaluate("stage => ({ ...stage.dataset })"))


def on_canvas(stage: Any, place: list[float]) -> tuple[float, float]:
    """Where a place of the map is in the window; both axes of these data have one scale."""
    box = stage.locator("canvas").bounding_box()
    left, bottom, right, top = stage.evaluate(
        "() => [...window.antidoteStage.runs.values()].at(-1).show.frame"
    )
    unit = max((right - left) / box["width"], (top - bottom) / box["height"])
    view = stage.evaluate(
        """() => { const kept = [...window.antidoteStage.runs.values()].at(-1)
                   return kept.state.views[kept.show.ground] }"""
    )
    x = ((place[0] - (left + right) / 2) / unit / box["width"] + 0.5 - view["x"]) * view["zoom"]
    y = (((bottom + top) / 2 - place[1]) / unit / box["height"] + 0.5 - view["y"]) * view["zoom"]
    return box["x"] + x * box["width"], box["y"] + y * box["height"]


def test_a_stored_run_plays_answers_and_keeps_its_view(moving: Visit) -> None:
    page, said = moving.page, []
    page.on(
        "console",
        lambda m: (
            said.append((m.text, m.location["url"])) if m.type in ("error", "warning") else None
        ),
    )
    page.on("pageerror", lambda error: said.append((str(error), "")))
    moving.open(COPIES)
    run_id = press_run(moving)
    page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    moving.open(f"explore?run={run_id}")
    stage = page.locator(".stage")
    stage.wait_for()
    until(lambda: int(at(stage).get("steps", 0)) > 0)
    last = int(at(stage)["steps"])
    until(lambda: at(stage)["step"] == str(last))  # it plays itself, or rests there at once
    assert "copies of" in stage.locator("output").inner_text()
    assert stage.locator("small").inner_text().startswith("Stored result of ")
    assert stage.locator("canvas").evaluate(COLORS) > 20
    assert stage.locator(".curve .step").count() == last + 1
    assert "points changed cluster" in stage.locator("canvas").get_attribute("aria-label")
    assert stage.bounding_box()["height"] <= 430

    stage.locator("canvas").focus()
    page.keyboard.press("ArrowLeft")
    until(lambda: at(stage)["step"] == str(last - 1))
    page.keyboard.press("Home")
    until(lambda: at(stage)["step"] == "0")
    assert stage.locator("output").inner_text().startswith("Plain clustering · nothing added")
    page.keyboard.press(" ")  # plays to the end
    until(lambda: at(stage)["step"] == str(last))
    page.wait_for_timeout(3000)  # the last step has come to rest

    atom = page.evaluate(ATOM)
    page.mouse.click(*on_canvas(stage, atom["at"]))
    panel = stage.locator(".panel")
    panel.wait_for()
    told = panel.inner_text()
    assert f"Row {atom['row']:,} · {atom['group']} · {atom['copies']} cop" in told
    assert "nearest" in told
    page.keyboard.press("Escape")
    assert panel.is_hidden()

    stage.locator("canvas").hover()
    page.mouse.wheel(0, -500)
    until(lambda: float(at(stage)["zoom"]) > 2)
    seen = at(stage)["zoom"]
    page.get_by_role("radio", name="changed").or_(
        page.get_by_text("changed", exact=True)
    ).first.click()
    moving.settle()
    shown = "() => [...window.antidoteStage.runs.values()].at(-1).show.color === 'changed'"
    page.wait_for_function(shown)
    assert at(stage)["zoom"] == seen
    assert at(stage)["step"] == str(last)
    assert [words for words in said if not words[1].endswith(ASKED_TWICE)] == []
    assert moving.external_requests() == []
