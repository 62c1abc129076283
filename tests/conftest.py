"""What several test files share."""

import pytest

from antidote_core import DataError, Dataset, load_dataset


def real_dataset(name: str) -> Dataset:
    """The bundled set, or the local LFW file; the test is skipped where that file is absent."""
    try:
        return load_dataset(name)
    except DataError:
        if name != "lfw":
            raise
        pytest.skip("lfw.npz is not in the folder named by ANTIDOTE_DATA_DIR")
