"""docs/architecture.md shows the rooms as they are, and names files that exist."""

import re
from itertools import pairwise

from tests.house.rooms import PAGE, ROOT, filled, folders


def test_the_page_is_current():
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page, "run `python -m tests.house.rooms`"


def test_the_walk_is_short_and_names_files_that_exist():
    walk = PAGE.read_text(encoding="utf-8").split("## The walk of one run")[1]
    named = re.findall(r"`((?:antidote_core|pages)/[\w/.]+\.py|app\.py)`", walk)
    files = list(dict.fromkeys(named))  # each where a run first meets it
    assert 20 < len(files) <= 28
    packages = [file.split("/")[0 if file.startswith("pages") else 1] for file in files]
    assert sum(a != b for a, b in pairwise(packages)) <= 16
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_no_room_is_crowded_and_no_name_too_general():
    assert [name for name, count, _ in folders() if count > 15] == []
    names = [path.name for top in ("antidote_core", "pages") for path in (ROOT / top).rglob("*.py")]
    common = {name for name in names if names.count(name) > 2 and name != "__init__.py"}
    assert common == set()
