"""Explore in Chromium: run, watch, stop, reload, share, and a worker that is killed."""

import os
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
    "explore?data=two-optima&target=value&alpha=-1&budget=1000000&optimizer=random"
    "&place=minmax&min_share=0&max_price=no%20limit"
)
# Many short rounds that never reach the target.
GROWING = (
    "explore?data=bank&sample=1000&start=3&step=1&target=value&alpha=-1&budget=200&max_size=4000"
    "&max_stalled=9000&max_rounds=9000"
)


@pytest.fixture
def new_visit(browser: Any, app_url: str) -> Iterator[Callable[..., Visit]]:
    """Tabs in browsers of their own."""
    contexts = []

    def opened(width: int = 1440, scheme: str = "light") -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
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
    assert verdict.startswith("Confirmed: copying 80 people (400 copies, 0.88")
    assert "from 30\N{NO-BREAK SPACE}% to 94\N{NO-BREAK SPACE}% of its fair share" in verdict
    assert "4 of 4 independent clusterings agree" in verdict
    until(lambda: metric(visit, "Copies of 80 people").startswith("400 ("))
    visit.page.get_by_role("button", name="Python lines").first.wait_for(timeout=2 * PATIENCE)
    wait_for_text(visit, "Against the others")
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


def test_stop_keeps_the_best_result(visit: Visit) -> None:
    visit.open(GROWING)
    press_run(visit)
    wait_for_text(visit, "Best so far", 90)
    sizes = {metric(visit, "Antidote points |V|")}
    until(lambda: len(sizes.add(metric(visit, "Antidote points |V|")) or sizes) > 1)
    press_stop(visit)
    wait_for_text(visit, "stopped by you")
    assert "Best so far:" in said(visit, ENDED)
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
    assert time.monotonic() - killed < 5
    assert "ended from outside" in said(visit, ENDED)
    visit.page.get_by_role("button", name="Run again").wait_for(timeout=PATIENCE)
    visit.page.get_by_text("Log of the worker").wait_for(timeout=PATIENCE)
