"""Explore in Chromium: run, watch, stop, reload, share, and a worker that is killed."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PATIENCE, Visit

ENDED = ".st-key-verdict-good, .st-key-verdict-doubtful, .st-key-verdict-bad"
WAITING = ".st-key-verdict-waiting"
# One round that nobody will see the end of; the points lie in a plane, so the map is quick.
ENDLESS = (
    "explore?data=two-optima&start=10&step=1&target=value&alpha=-1&budget=1000000&optimizer=random"
    "&place=minmax&min_share=0&max_price=no%20limit"
)
# Many short rounds that never reach the target.
GROWING = (
    "explore?data=bank&sample=1000&start=3&step=1&target=value&alpha=-1&budget=200&max_size=4000"
    "&max_stalled=9000&max_rounds=9000"
)

MILLISECONDS_TO_PLAY = """stage => new Promise(done => {
    const [begun, before] = [performance.now(), Number(stage.dataset.frames)]
    stage.querySelector(".play").click()
    const look = () => Number(stage.dataset.frames) > before + 1
        ? done(performance.now() - begun) : requestAnimationFrame(look)
    look()
})"""


@pytest.fixture
def new_visit(browser: Any, app_url: str) -> Iterator[Callable[..., Visit]]:
    """Tabs in browsers of their own."""
    contexts = []

    def opened(width: int = 1440, scheme: str = "light", height: int = 900) -> Visit:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        contexts.append(context)
        return Visit(context.new_page(), app_url, scheme)

    yield opened
    for context in contexts:
        context.close()


def press_run(visit: Visit) -> str:
    """Start the run; its id."""
    visit.page.locator(".st-key-runbar").get_by_role("button", name="Run").click()
    visit.page.wait_for_url("**run=**", timeout=PATIENCE)
    return visit.page.url.split("run=")[1].split("&")[0]


def open_tab(visit: Visit, name: str) -> None:
    """What stands behind the stage."""
    visit.page.get_by_role("tab", name=name).first.click()


def in_view(visit: Visit, *where: str) -> bool:
    """Whether all of these stand on the screen as it is, without scrolling."""
    screen = visit.page.viewport_size
    assert screen is not None
    for name in where:
        part = visit.page.locator(name).first  # also inside a component
        box = part.bounding_box() if part.count() else None
        if box is None or not box["height"] or min(box["x"], box["y"]) < 0:
            return False
        if box["x"] + box["width"] > screen["width"] or box["y"] + box["height"] > screen["height"]:
            return False
    return True


def press_stop(visit: Visit) -> None:
    visit.page.locator(".st-key-stop button").click()


def said(visit: Visit, where: str) -> str:
    return str(visit.page.locator(where).first.inner_text(timeout=PATIENCE))


def wait_for_text(visit: Visit, text: str, seconds: float = PATIENCE / 1000) -> None:
    visit.page.get_by_text(text).first.wait_for(timeout=1000 * seconds)


def metric(visit: Visit, label: str) -> str:
    """What a figure says; while it is drawn anew, the old and the new one stand side by side."""
    box = visit.page.locator("[data-testid=stMetric]").filter(has_text=label)
    return str(box.locator("[data-testid=stMetricValue]").last.inner_text(timeout=PATIENCE))


def until(condition: Callable[[], bool], seconds: float = 60.0) -> float:
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, "the condition did not come true in time"
        time.sleep(0.1)
    return time.monotonic() - begun


def bottom(part: Any) -> float:
    box = part.bounding_box()
    return float(box["y"] + box["height"])


def workers(home: Path) -> list[int]:
    """Process ids of the workers of this home folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().decode()
            except OSError:
                continue
            if "antidote_core.engine.process.worker" in command and str(home) in command:
                found.append(int(entry.name))
    return found


def test_from_the_first_visit_to_the_verdict(visit: Visit, new_visit: Callable[..., Visit]) -> None:
    visit.open("explore")
    run_id = press_run(visit)
    visit.page.locator(f"{WAITING}, {ENDED}").first.wait_for(timeout=PATIENCE)
    visit.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    verdict = said(visit, ENDED)
    assert verdict.startswith("Confirmed: copying 90 people (450 copies, 1.00")
    assert "from 30\N{NO-BREAK SPACE}% to 100\N{NO-BREAK SPACE}% of its fair share" in verdict
    assert "4 of 4 independent clusterings agree" in verdict
    until(lambda: metric(visit, "Copies of 90 people").startswith("450 ("))
    open_tab(visit, "Take it along")
    visit.page.get_by_role("button", name="Python lines").first.wait_for(timeout=2 * PATIENCE)
    open_tab(visit, "Against the others")
    wait_for_text(visit, "scores a fair algorithm by the clusters", 120)
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []

    visit.page.reload()
    visit.page.locator(ENDED).first.wait_for(timeout=PATIENCE)
    assert said(visit, ENDED) == verdict

    phone = new_visit(390, "dark")
    phone.open(f"explore?run={run_id}")
    phone.page.locator(ENDED).first.wait_for(timeout=PATIENCE)
    assert said(phone, ENDED) == verdict
    too_wide = phone.page.evaluate(
        """() => ['html', '[data-testid=stMain]', '[data-testid=stMainBlockContainer]']
            .map(name => [name, document.querySelector(name)])
            .filter(([name, part]) => part.scrollWidth > part.clientWidth + 1)
            .map(([name, part]) => `${name} ${part.scrollWidth} > ${part.clientWidth}`)"""
    )
    assert too_wide == []


def test_the_first_run_is_watched_without_scrolling(new_visit: Callable[..., Visit]) -> None:
    visit = new_visit(1280, height=720)
    visit.open("explore?run_seed=2")  # what a first visit shows, and no run of another test
    visit.page.locator(".st-key-go-four-fifths").wait_for(timeout=PATIENCE)
    assert in_view(visit, ".st-key-go-four-fifths", ".st-key-go-teaching-set", ".st-key-runbar")
    press_run(visit)
    rounds: set[str] = set()

    def ended() -> bool:
        told = visit.page.locator(".st-key-runbar").inner_text(timeout=PATIENCE)
        rounds.update(re.findall(r"round (\d+) · [\d,]+ copies · \d+\s% of the fair share", told))
        return visit.page.locator(ENDED).count() > 0

    until(ended, 120)
    assert rounds
    assert said(visit, ENDED).startswith("Confirmed: ")
    assert int(metric(visit, "Rounds · evaluations · time").split()[0]) >= 5
    until(lambda: in_view(visit, ENDED, ".stage canvas"))
    assert visit.page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


@pytest.mark.parametrize("drawer", [False, True])
def test_on_a_telephone_run_brings_status_and_verdict(
    new_visit: Callable[..., Visit], drawer: bool
) -> None:
    phone = new_visit(390, height=844)
    phone.open(f"explore?data=two-optima&start=4&step=2&target=value&alpha=-0.9&k=2"
               f"&budget=4000&max_rounds=3&run_seed={int(drawer)}&optimizer=random")  # fmt: skip
    phone.page.locator(".st-key-stagebar button").wait_for(timeout=PATIENCE)
    assert in_view(phone, ".st-key-stagebar button")
    if drawer:
        phone.page.locator("[data-testid=stExpandSidebarButton]").click()
        phone.page.locator(".st-key-stagebar button").wait_for(state="hidden", timeout=PATIENCE)
        press_run(phone)
    else:
        phone.page.locator("[data-testid=stMain]").evaluate("main => main.scrollTo(0, 2000)")
        phone.page.locator(".st-key-stagebar").get_by_role("button", name="Run").click()
    until(lambda: in_view(phone, WAITING) or in_view(phone, f":is({ENDED}) h3"))
    phone.page.locator("[data-testid=stSidebar][data-collapsed=true]").wait_for(
        state="attached", timeout=PATIENCE
    )
    phone.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    until(lambda: in_view(phone, f":is({ENDED}) h3", ".st-key-stagebar button"))
    field, bar = (phone.page.locator(part) for part in (".stage canvas", ".st-key-stagebar"))
    field.wait_for()
    until(lambda: bottom(field) <= bar.bounding_box()["y"])  # nothing of the map is behind Run


def test_a_recorded_example_opens_without_a_worker(visit: Visit, home: Path) -> None:
    visit.open("explore?data=two-optima")
    visit.page.locator(".st-key-example-hollow button").first.click()
    visit.page.locator(".st-key-verdict-bad").first.wait_for(timeout=PATIENCE)
    assert said(visit, ENDED).startswith("Hollow: ")
    assert "The win is hollow: the clusters fit the data 27" in said(visit, ENDED)
    wait_for_text(visit, "This run has other settings than those on the left")


def test_stop_keeps_the_best_result(visit: Visit) -> None:
    visit.open(GROWING)
    press_run(visit)
    wait_for_text(visit, "Best so far", 90)
    sizes = {metric(visit, "Antidote points |V|")}
    until(lambda: len(sizes.add(metric(visit, "Antidote points |V|")) or sizes) > 1)
    press_stop(visit)
    wait_for_text(visit, "stopped by you")
    assert "Best so far:" in said(visit, ENDED)
    open_tab(visit, "Take it along")
    visit.page.get_by_role("button", name="U ∪ V (CSV)").first.wait_for(timeout=2 * PATIENCE)
    run_button = visit.page.locator(".st-key-runbar").get_by_role("button", name="Run")
    run_button.first.wait_for(timeout=PATIENCE)


def map_zoom(visit: Visit) -> float:
    return float(visit.page.locator(".stage").get_attribute("data-zoom", timeout=PATIENCE))


def test_zoom_reload_sharing_and_a_killed_worker(
    visit: Visit, new_visit: Callable[..., Visit], home: Path
) -> None:
    visit.open(ENDLESS)
    run_id = press_run(visit)
    wait_for_text(visit, "Round 1: trying sets of 10 points", 90)

    chart = visit.page.locator(".stage canvas")
    chart.wait_for(timeout=PATIENCE)
    until(lambda: visit.page.locator(".stage[data-zoom]").count() == 1)
    before = map_zoom(visit)
    chart.scroll_into_view_if_needed()
    chart.hover()
    visit.page.mouse.wheel(0, -400)
    until(lambda: map_zoom(visit) != before)
    moved = map_zoom(visit)
    for _ in range(2):
        shown = metric(visit, "Evaluations")
        until(lambda old=shown: metric(visit, "Evaluations") != old)
    visit.page.wait_for_timeout(1500)  # the curve follows within a second
    assert map_zoom(visit) == moved

    visit.page.reload()
    wait_for_text(visit, "Round 1: trying sets of 10 points")
    assert f"run={run_id}" in visit.page.url

    other = new_visit()
    other.open("explore?data=two-optima")
    assert "before anything is added" in other.text()
    assert run_id not in other.page.content()
    other.open(f"explore?run={run_id}")
    wait_for_text(other, "Round 1: trying sets of 10 points")

    [worker] = workers(home)
    os.kill(worker, signal.SIGKILL)
    killed = time.monotonic()
    wait_for_text(visit, "The run did not finish")
    assert time.monotonic() - killed < 20
    assert "ended from outside" in said(visit, ENDED)
    visit.page.get_by_role("button", name="Run again").wait_for(timeout=PATIENCE)
    visit.page.get_by_text("Log of the worker").wait_for(timeout=PATIENCE)


def test_a_recorded_example_plays_with_the_network_off_and_is_there_again_by_back(
    new_visit: Callable[..., Visit],
) -> None:
    visit = new_visit()
    page = visit.page
    visit.open("explore?data=blobs")
    page.locator(".st-key-example-teaching-set button").first.click()
    stage = page.locator(".stage")
    until(lambda: stage.count() == 1 and int(stage.get_attribute("data-steps") or 0) > 0)
    last = stage.get_attribute("data-steps")
    visit.settle()
    stage.locator("canvas").press("Home")  # it plays itself: to the beginning, and rest there
    until(lambda: stage.get_attribute("data-step") == "0")

    asked = len(visit.requests)
    page.context.set_offline(True)
    assert stage.evaluate(MILLISECONDS_TO_PLAY) < 1000
    until(lambda: stage.get_attribute("data-step") != "0")
    stage.get_by_label("Step", exact=True).fill(last)
    until(lambda: stage.get_attribute("data-step") == last)
    assert "of its fair share" in stage.locator("output").inner_text()
    looked = ("_stcore/health", "_stcore/host-config", "_stcore/stream")  # is the server there?
    assert [url for url in visit.requests[asked:] if not url.endswith(looked)] == []
    page.context.set_offline(False)

    run_id = page.url.split("run=")[1].split("&")[0]
    page.get_by_test_id("stTopNavLink").filter(has_text="Runs").click()
    page.wait_for_url("**/runs**")
    page.go_back()
    page.locator(ENDED).first.wait_for()
    assert run_id in page.url
