"""The analyst in Chromium: from a file to assignments.csv, and from Data on to the repair."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from antidote_core.datasets.uploads import sample_files
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.test_explore import ENDED, new_visit, wait_for_text
from tests.browser.test_report import taken
from tests.browser.test_upload import bring

__all__ = ["new_visit"]  # a fixture
MOST_CLICKS = 8


@pytest.fixture
def german() -> dict[str, Any]:
    """Semicolons, decimal commas, a column Nr that numbers the people, and gaps."""
    sample = next(sample for sample in sample_files() if sample.name == "messwerte.csv")
    return {"name": sample.name, "mimeType": "text/csv", "buffer": sample.content}


def count_clicks(visit: Visit) -> list[str]:
    """What is clicked on from now on, on whatever page; the file itself is one more."""
    clicked: list[str] = []
    visit.page.expose_function("antidoteClicked", lambda what: clicked.append(what))
    visit.page.add_init_script(
        """addEventListener('click', event => event.isTrusted &&
               window.antidoteClicked(event.target.innerText || event.target.tagName), true);"""
    )
    return clicked


def test_from_a_file_to_assignments_within_eight_clicks(
    new_visit: Any, german: dict[str, Any], tmp_path: Path
) -> None:
    visit = new_visit()
    clicked = count_clicks(visit)
    visit.open("")
    page = visit.page
    page.get_by_role("link", name="Explore").first.click()
    visit.settle()
    page.locator(".st-key-data [role=combobox]").click()
    page.get_by_role("option", name="upload your own…").click()
    wait_for_text(visit, "One line of column names, then one line per person.")
    bring(visit, german)
    wait_for_text(visit, "among the data sets on every page")
    page.locator(".st-key-use-new button").first.click()
    wait_for_text(visit, "messwerte: before anything is added")
    visit.settle()
    page.locator(".st-key-runbar").get_by_role("button", name="Run").click()
    page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    page.get_by_role("tab", name="Take it along").first.click()
    path = taken(visit, "Assignments (CSV)", tmp_path)
    assert path.name.endswith("-assignments.csv")
    assert len(clicked) + 1 <= MOST_CLICKS, clicked  # and one for the file

    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    assert list(rows[0])[:5] == ["row", "Nr", "group", "cluster before", "cluster after"]
    lines = german["buffer"].decode("cp1252").splitlines()[1:]
    assert len(rows) == 290
    for row in rows:
        cells = lines[int(row["row"]) - 1].split(";")
        assert row["Nr"] == cells[0]
        assert row["group"] == cells[-1]
        assert (row["changed"] == "yes") == (row["cluster before"] != row["cluster after"])


def test_the_upload_form_is_remembered(new_visit: Any, german: dict[str, Any]) -> None:
    visit = new_visit()
    visit.open("data?show=your+own+table")
    bring(visit, german)
    wait_for_text(visit, "30 of 320 rows go")
    visit.page.get_by_text("fill the gap in").first.click()
    wait_for_text(visit, "29 cells filled in")
    visit.page.get_by_role("link", name="Learn").first.click()
    visit.settle()
    visit.page.get_by_role("link", name="Data").first.click()
    visit.settle()
    if not visit.page.get_by_text("is still here").count():
        visit.page.get_by_text("your own table").first.click()
    wait_for_text(visit, "is still here, with what you chose below")
    wait_for_text(visit, "29 cells filled in")


def test_data_leads_on_to_the_repair(new_visit: Any) -> None:
    visit = new_visit()
    visit.open("data?data=creditcard&protected=SEX&k=3")
    visit.page.get_by_role("button", name="Repair this clustering").click()
    visit.page.wait_for_url(re.compile("explore"), timeout=PATIENCE)
    visit.settle()
    for setting in ("data=Credit+card+clients", "protected=SEX", "k=3"):
        assert setting in visit.page.url
    wait_for_text(visit, "before anything is added")
    assert visit.page.locator(".st-key-k").get_by_text("3").count()


def test_questions_lead_to_a_notion_and_to_explore(new_visit: Any) -> None:
    visit = new_visit()
    visit.open("data?data=blobs")
    visit.page.get_by_text("the cluster fits them badly").first.click()
    visit.page.get_by_text("The worst-served group is served as well").first.click()
    visit.page.get_by_role("button", name="Repair it by social").click()
    visit.page.wait_for_url(re.compile("explore"), timeout=PATIENCE)
    visit.settle()
    assert visit.page.locator(".st-key-pair input").input_value() == "k-means + social"
    assert "pair=k-means+%2B+social" in visit.page.url  # the usual setting stands in no link
    assert visit.page.locator(".st-key-data input").input_value() == "Two blobs"
