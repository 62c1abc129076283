"""What README.md says is true: its examples run, its links lead somewhere."""

import doctest
import re
from pathlib import Path

import pytest

from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.runs.spec import PAPER_SYMBOLS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def registries_as_before():
    before = [(registry, dict(registry)) for registry in (CLUSTERINGS, FAIRNESS)]
    yield
    for registry, entries in before:
        registry.clear()
        registry.update(entries)


@pytest.mark.usefixtures("registries_as_before")
def test_examples_run_as_printed():
    done = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 5
    assert done.failed == 0


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = [t for t in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in t]
    missing = [target for target in targets if not (ROOT / target).exists()]
    assert missing == []


def test_symbols_are_those_of_the_code():
    for word, symbol in PAPER_SYMBOLS.items():
        assert f"| {symbol} | `{word}` |" in README
