"""The documentation site: built without a warning, complete, and nothing in it is fetched."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import antidote_core

ROOT = Path(__file__).parents[2]
LOADED = {"link": "href", "script": "src", "img": "src", "iframe": "src", "source": "src",
          "object": "data", "use": "href"}  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


class Resources(HTMLParser):
    """Addresses that a browser fetches by itself, and words that would make the theme fetch."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        address = given.get(LOADED.get(tag, ""))
        if address and re.match(r"(?:https?:)?//", address) and given.get("rel") != "canonical":
            self.found.append(address)
        if "mermaid" in (given.get("class") or "").split():
            self.found.append("the library that draws mermaid")


def test_a_page_that_fetches_would_be_seen():
    parser = Resources()
    parser.feed('<link href="https://fonts.example/x.css"><a href="https://example">fine</a>')
    parser.feed('<pre class="mermaid"></pre><script src="//cdn.example/x.js"></script>')
    assert len(parser.found) == 3


def test_no_page_fetches_anything_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    for page in pages:
        parser = Resources()
        parser.feed(page.read_text(encoding="utf-8"))
        assert parser.found == [], page.name
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert not re.search(r"@import|url\(['\"]?(?:https?:)?//", text), sheet.name


@pytest.mark.parametrize("name", antidote_core.__all__)
def test_every_public_name_has_words_and_an_example_on_the_page(site, name):
    """The examples run: the command for the tests collects those of every module."""
    words = inspect.getdoc(getattr(antidote_core, name)) or ""
    assert ">>> " in words, f"{name} has no example"
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert f'id="antidote_core.{name}"' in page


def test_formulas_are_drawn_by_the_browser_itself(site):
    page = (site / "algorithm-1.html").read_text(encoding="utf-8")
    assert page.count("<math ") > 40
    assert "arithmatex" not in page


def test_the_help_of_every_command_is_on_its_page(site):
    from antidote_core.cli.main import COMMANDS

    page = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    for command, _ in COMMANDS:
        assert f"Usage: antidote {command.__name__} " in page


def test_tutorials_show_what_their_cells_give(site):
    page = (site / "tutorials" / "own-table.html").read_text(encoding="utf-8")
    assert page.count("data-figure=") == 4
    assert "Confirmed: copying" in page
    assert "own-table.ipynb" in page
    assert (site / "tutorials" / "own-table.ipynb").exists()
