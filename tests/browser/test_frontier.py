"""Frontier in Chromium: run to the end, reload, open a cell, stop and resume."""

from tests.browser.conftest import PATIENCE, Visit

SMALL = "frontier?data=blobs&sizes=5%2C20&seeds=2&tries=40&reach=value&reach_at=-0.5"
# Cells that nobody will see the end of.
ENDLESS = "frontier?data=blobs&sizes=5%2C20&seeds=2&tries=1000000&optimizers=random"
ENDED = ".st-key-verdict-good, .st-key-verdict-doubtful, .st-key-verdict-bad"
DOTS = ".st-key-cost-0-log .mark-symbol path"


def press_run(visit: Visit) -> None:
    visit.page.locator(".st-key-runbar").get_by_role("button", name="Run").click()
    visit.page.wait_for_url("**sweep=**", timeout=PATIENCE)


def verdict(visit: Visit) -> str:
    visit.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    return str(visit.page.locator(ENDED).first.locator("h3").first.inner_text(timeout=PATIENCE))


def wait_for_dots(visit: Visit, count: int) -> None:
    script = "([where, count]) => document.querySelectorAll(where).length >= count"
    visit.page.wait_for_function(script, arg=[DOTS, count], timeout=2 * PATIENCE)


def test_a_small_sweep_from_run_to_one_of_its_cells(visit: Visit) -> None:
    visit.open(SMALL)
    press_run(visit)
    wait_for_dots(visit, 1)
    said = verdict(visit)
    assert "seeds" in said or "points" in said
    wait_for_dots(visit, 4)
    assert visit.external_requests() == []

    visit.page.set_viewport_size({"width": 390, "height": 900})
    visit.page.reload()
    assert verdict(visit) == said
    wait_for_dots(visit, 4)
    visit.page.wait_for_function(
        """() => ['html', '[data-testid=stMain]', '[data-testid=stMainBlockContainer]']
            .map(name => document.querySelector(name))
            .every(part => part.scrollWidth <= part.clientWidth + 1)""",
        timeout=PATIENCE,
    )

    visit.page.locator(DOTS).last.click(timeout=PATIENCE)
    visit.page.wait_for_url("**/explore?**run=**", timeout=PATIENCE)
    visit.page.locator(ENDED).first.wait_for(timeout=PATIENCE)
    assert visit.page.locator("[data-testid=stException]").count() == 0


def test_stop_ends_cells_that_work(visit: Visit) -> None:
    visit.open(ENDLESS)
    press_run(visit)
    visit.page.get_by_text("0 of 4 cells are done").first.wait_for(timeout=2 * PATIENCE)
    visit.page.locator(".st-key-stop button").click()
    visit.page.get_by_text("stopped by you").first.wait_for(timeout=PATIENCE)
    bar = visit.page.locator(".st-key-runbar").get_by_role("button", name="Resume")
    bar.first.wait_for(timeout=PATIENCE)
    assert visit.page.locator("[data-testid=stException]").count() == 0
