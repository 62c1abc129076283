"""docs/architecture.md shows the rooms as they are, and names files that exist."""

import re

from tests.house.rooms import PAGE, ROOT, filled, folders


def test_the_page_is_current():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run `python -m tests.house.rooms`"


def test_the_walk_names_files_that_exist():
    walk = PAGE.read_text(encoding="utf-8").split("## The walk of one run")[1]
    files = re.findall(r"`((?:antidote_core|pages)/[\w/.]+\.py|app\.py)`", walk)
    assert len(files) > 20
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_no_room_is_crowded_and_no_name_too_general():
    assert [name for name, count, _ in folders() if count > 15] == []
    names = [path.name for top in ("antidote_core", "pages") for path in (ROOT / top).rglob("*.py")]
    common = {name for name in names if names.count(name) > 2 and name != "__init__.py"}
    assert common == set()
