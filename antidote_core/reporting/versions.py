"""Which software wrote a report."""

from __future__ import annotations

import platform
import tomllib
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "plotly")


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Version by name: this software, Python, and the packages its figures rest on.

    >>> list(versions())[:2]
    ['antidote', 'Python']
    """
    found = {"antidote": _own(), "Python": platform.python_version()}
    return found | {name: version(name) for name in PACKAGES}


def _own() -> str:
    """The version of the installed package, or of the folder it is run from."""
    try:
        return version("antidote-core")
    except PackageNotFoundError:
        file = Path(__file__).parents[2] / "pyproject.toml"
        return str(tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"])
