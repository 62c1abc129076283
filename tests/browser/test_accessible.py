"""In Chromium: no page has a serious or critical finding of axe-core, light and dark."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from pages._ui.shared.frame import PAGES
from tests.browser.conftest import Visit
from tests.browser.test_report import run

GRAVE = ("serious", "critical")


def findings(page: Any, options: dict[str, Any] | None = None) -> list[str]:
    """What axe-core finds grave: the rule, and the first places."""
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"][:4]
    ]


@pytest.mark.parametrize("visit", [(1440, "light"), (1440, "dark")], indirect=True)
def test_no_page_has_a_grave_finding(visit: Visit) -> None:
    wrong = {}
    for name in (*PAGES, "learn?part=playground&answer=shown", "convex"):
        visit.open("" if name == "home" else name)
        if found := findings(visit.page):
            wrong[name] = found
    run_id = run(visit)
    for name in (f"explore?run={run_id}", "runs"):
        visit.open(name)
        if found := findings(visit.page):
            wrong[name] = found
    visit.page.goto(f"{visit.base}/present?run={run_id}")
    visit.page.frame_locator("iframe[title=Slides]").locator(".slide.shown h1").wait_for()
    if found := findings(visit.page):
        wrong["present"] = found
    assert wrong == {}
