"""A table of one's own in Chromium: uploaded, run, reported, seen by nobody else, forgotten."""

from pathlib import Path
from typing import Any

import pytest

from antidote_core.datasets.tables import sample_files
from tests.browser.conftest import PATIENCE, Visit
from tests.browser.test_explore import ENDED, new_visit, press_run, said, until, wait_for_text
from tests.browser.test_report import offline, taken

__all__ = ["new_visit"]  # a fixture
UPLOAD = "data?show=your+own+table"
QUICK = "explore?data=my-messwerte&start=4&budget=60&max_rounds=1&optimizer=random&restarts=2"


def bring(visit: Visit, file: Any) -> None:
    visit.page.locator("[data-testid=stFileUploaderDropzoneInput]").first.set_input_files(file)


@pytest.fixture
def german() -> dict[str, Any]:
    """Semicolons, decimal commas, umlauts and gaps."""
    sample = next(sample for sample in sample_files() if sample.name == "messwerte.csv")
    return {"name": sample.name, "mimeType": "text/csv", "buffer": sample.content}


def test_from_a_german_table_to_a_report(
    visit: Visit, new_visit: Any, browser: Any, home: Path, tmp_path: Path, german: dict[str, Any]
) -> None:
    visit.open(UPLOAD)
    bring(visit, german)
    wait_for_text(visit, "separated by semicolon, decimal comma, thousands point")
    wait_for_text(visit, "30 of 320 rows go")
    wait_for_text(visit, "among the data sets on every page")
    visit.page.locator(".st-key-use-new button").first.click()
    wait_for_text(visit, "messwerte: before anything is added")

    visit.open(QUICK)  # a link, and a reload: the table is still there
    wait_for_text(visit, "messwerte: before anything is added")
    run_id = press_run(visit)
    visit.page.locator(ENDED).first.wait_for(timeout=2 * PATIENCE)
    assert said(visit, ENDED)
    assert (home / "runs" / run_id / "data.npz").exists()
    assert visit.page.locator("[data-testid=stException]").count() == 0
    with offline(browser, taken(visit, "Report (HTML)", tmp_path)) as page:
        assert "messwerte" in page.locator("body").inner_text()

    stranger = new_visit()
    stranger.open(f"explore?run={run_id}")
    wait_for_text(stranger, "opens only in the browser that started it")
    assert "messwerte" not in stranger.text()

    visit.open(UPLOAD)
    visit.page.get_by_role("button", name="Forget this data now").first.click()
    wait_for_text(visit, "Forgotten: my-messwerte and 1 run on it.")
    until(lambda: not (home / "runs" / run_id).exists())


@pytest.mark.parametrize("visit", [(390, "dark")], indirect=True)
def test_what_cannot_be_read_gets_a_sentence(visit: Visit, tmp_path: Path) -> None:
    visit.open(UPLOAD)
    big = tmp_path / "big.csv"
    with big.open("wb") as file:
        file.truncate(60 * 1024**2)
    bring(visit, big)
    wait_for_text(visit, "File must be 50.0MB or smaller")
    wait_for_text(visit, "Larger than 50 MB: take a random sample of the rows")
    picture = b"\x89PNG\r\n\x1a\n" + bytes(999)
    bring(visit, {"name": "photo.csv", "mimeType": "text/csv", "buffer": picture})
    wait_for_text(visit, "photo.csv is not a text file (it begins like a PNG picture)")
    assert visit.page.locator("[data-testid=stException]").count() == 0
    assert visit.external_requests() == []
