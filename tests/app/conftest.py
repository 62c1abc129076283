"""What the tests of the pages share."""

import sys
from collections.abc import Iterator

import pytest

from antidote_core.clustering.compiled import warm


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """A fresh machine compiles before the clock of the first page starts."""
    warm()


@pytest.fixture(autouse=True)
def _no_spares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a server of its own; a process that waits for its runs would come too late."""
    monkeypatch.setenv("ANTIDOTE_SPARES", "0")


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """Put pytest back as the main module: a page under test takes its place, and processes that
    later tests start would run that page."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main
