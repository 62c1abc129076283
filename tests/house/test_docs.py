"""The Python shown in the documentation runs."""

import re
from pathlib import Path

import pytest

from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["extending.md"])
def test_python_blocks_run(page):
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S)
    assert blocks
    namespace: dict[str, object] = {}
    before = set(FAIRNESS), set(CLUSTERINGS)
    try:
        for block in blocks:
            exec(compile(block, page, "exec"), namespace)
    finally:
        for name in set(FAIRNESS) - before[0]:
            del FAIRNESS[name]
        for name in set(CLUSTERINGS) - before[1]:
            del CLUSTERINGS[name]
    assert namespace["result"].rounds == 1
