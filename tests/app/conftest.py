"""What the tests of the pages share."""

import pytest

from antidote_core.clustering.compiled import warm


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """A fresh machine compiles before the clock of the first page starts."""
    warm()
