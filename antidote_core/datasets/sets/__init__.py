"""One file per family of data sets, and what the registry knows about a set before loading it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from antidote_core.types import Dataset

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Form:
    """One choice of `rows`: a named selection of rows, or one of the forms a set comes in.

    `missing` says in a sentence why it cannot be loaded now; it is empty when nothing stands in the
    way.
    """

    name: str
    title: str
    missing: str = ""

    @property
    def available(self) -> bool:
        """Whether this form can be loaded here and now."""
        return not self.missing


@dataclass(frozen=True)
class Request:
    """A checked call of `load_dataset`, as a loader sees it: names are known, the seed is whole."""

    protected: str
    rows: str
    seed: int = 0
    progress: Progress = field(default=lambda message: None)


@dataclass(frozen=True)
class DatasetInfo:
    """One entry of the registry; the first of `protected` and of `forms()` is the default."""

    name: str
    title: str
    description: str
    kind: Literal["real", "teaching"]
    protected: tuple[str, ...]
    load: Callable[[Request], Dataset]
    forms: Callable[[], tuple[Form, ...]]
