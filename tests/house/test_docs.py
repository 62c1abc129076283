"""The Python shown in the documentation runs, page by page, in the order of the page."""

import re
from pathlib import Path

import pandas as pd
import pytest

from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    page.relative_to(DOCS).as_posix(): blocks
    for page in sorted(DOCS.rglob("*.md"))
    if (blocks := re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S))
}


def reader() -> dict[str, object]:
    """What a reader of any page has: a table of people, and a file with such a table."""
    people = pd.DataFrame(
        {
            "age": [20.0 + i % 50 for i in range(60)],
            "job": ["cook", "smith", None] * 20,
            "race": ["a", "b"] * 30,
            "sex": ["f", "f", "m"] * 20,
            "people": [1, 2, 5] * 20,
        }
    )
    return {"df": people, "content": people.to_csv(index=False).encode()}


@pytest.fixture
def registries_as_before():
    before = [(registry, dict(registry)) for registry in (CLUSTERINGS, FAIRNESS)]
    yield
    for registry, entries in before:
        registry.clear()
        registry.update(entries)


def test_there_are_blocks():
    assert {"data.md", "design-of-antidote.md", "extending.md", "large-data.md"} <= set(PAGES)


@pytest.mark.usefixtures("registries_as_before")
@pytest.mark.filterwarnings("ignore::UserWarning")  # dask says that what it sends is large
@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page):
    namespace = reader()
    for block in PAGES[page]:
        exec(compile(block, page, "exec"), namespace)
    if page == "extending.md":
        assert namespace["result"].rounds == 1
