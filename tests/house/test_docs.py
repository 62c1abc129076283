"""The Python shown in the documentation runs, page by page, in the order of the page."""

import ast
import re
from pathlib import Path

import pandas as pd
import pytest

from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from tests.house.notebooks import TUTORIALS, outputs, read, words

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
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # pages save files
    namespace = reader()
    for block in PAGES[page]:
        exec(compile(block, page, "exec"), namespace)
    if page == "extending.md":
        assert namespace["result"].rounds == 1
    if page == "how-to/ten-tasks.md":
        outcomes = [namespace[name].verdict.outcome.value for name in ("result", "mixed", "alike")]
        assert outcomes == ["confirmed"] * 3


def statements(tree):
    """How many there are, those inside functions too and imports aside."""
    return sum(
        isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom)
        for node in ast.walk(tree)
    )


def test_ten_tasks_take_three_statements_each():
    page = (DOCS / "how-to/ten-tasks.md").read_text(encoding="utf-8")
    tasks = re.split(r"^## \d+\. ", page, flags=re.M)[1:]
    assert len(tasks) == 10
    for task in tasks:
        code = "\n".join(re.findall(r"```python\n(.*?)```", task, re.S))
        assert 1 <= statements(ast.parse(code)) <= 3, task.split("\n")[0]


# -- notebooks ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("registries_as_before")
@pytest.mark.filterwarnings("ignore::UserWarning")  # dask says that what it sends is large
@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_tutorials_give_what_is_stored_in_them(path, tmp_path, monkeypatch):
    """`python -m tests.house.notebooks` stores it anew."""
    monkeypatch.chdir(tmp_path)
    run = 0
    for cell, number, found in outputs(read(path), path.name):
        assert words(found) == words(cell["outputs"]), f"{path.name}, cell {number}"
        assert cell["execution_count"] == number
        run += 1
    assert run >= 5


def test_there_are_five_tutorials():
    assert {path.stem for path in TUTORIALS.glob("*.ipynb")} == {
        "own-table", "own-clustering", "frontier", "weights", "on-a-cluster"
    }  # fmt: skip
