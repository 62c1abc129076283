"""Clusterings and costs by name, and the modules of others that bring more of them.

A plugin is a module that registers something when it is imported: one that an installed package
names as an entry point of the group `antidote.plugins`, or one that the environment variable
ANTIDOTE_PLUGINS names (several with commas). Plugins are loaded when somebody asks for a name that
is not known yet, in every process; screens and the command line, which list all names, load them at
once. A plugin that cannot be loaded costs one sentence, and nothing else.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace as renewed
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeVar

from antidote_core.checks import did_you_mean
from antidote_core.errors import SpecError

GROUP, VARIABLE = "antidote.plugins", "ANTIDOTE_PLUGINS"


class PluginWarning(UserWarning):
    """A plugin could not be loaded: says which one, why, and what to do."""


E = TypeVar("E", bound=Any)  # a frozen record with a name


class Register(dict[str, E]):
    """Entries by name, in the order in which they came. `what` is the setting that names one.

    `unfit` are names that people may expect here, each with the sentence that says why not; `made`
    makes the entry of a name that is put together of others, or None.
    """

    made: Callable[[str], E | None] | None = None

    def __init__(self, what: str, unfit: Mapping[str, str] = MappingProxyType({})) -> None:
        super().__init__()
        self.what = what
        self.unfit = unfit
        self._ours: frozenset[str] = frozenset()

    def close(self) -> None:
        """What is here now comes with the software and stays what it is."""
        self._ours = frozenset(self)

    def add(self, entry: E, replace: bool = False) -> E:
        """Take the entry in under its name; one that others brought may be replaced."""
        if not isinstance(entry.name, str) or not entry.name.strip():
            raise SpecError(f"A {self.what} needs a name; got {entry.name!r}.")
        if entry.name in self._ours:
            raise SpecError(
                f"The {self.what} {entry.name!r} comes with the software and is relied on; choose "
                "another name."
            )
        if entry.name in self and not replace:
            raise SpecError(
                f"A {self.what} named {entry.name!r} exists already; choose another name, or give "
                "replace=True."
            )
        self[entry.name] = entry
        return entry

    def admit(self, entry: E) -> str:
        """The name of an entry that was given in place of one: its own, numbered where taken."""
        name, number = entry.name, 1
        while name in self and self[name] != renewed(entry, name=name):
            number += 1
            name = f"{entry.name} ({number})"
        self[name] = renewed(entry, name=name)
        return str(name)

    def named(self, name: object) -> E:
        """The entry of that name, of a plugin too, or a sentence that lists the names."""
        if name not in self:
            load_plugins()
        if name not in self and isinstance(name, str) and self.made is not None:
            entry = self.made(name)
            if entry is not None:
                return self.setdefault(entry.name, entry)
        if not isinstance(name, str) or name not in self:
            if isinstance(name, str) and name in self.unfit:
                raise SpecError(self.unfit[name])
            known = ", ".join(repr(key) for key in self)
            raise SpecError(
                f"{self.what} must be one of {known}; got {name!r}{did_you_mean(name, self)}."
                + "".join(f" {problem}" for problem in problems())
            )
        return self[name]


# -- loading --------------------------------------------------------------------------------------

_lock = threading.RLock()
_loaded: set[str] = set()  # also those that are on their way: a plugin may ask for a name itself
_problems: dict[str, str] = {}


def load_plugins() -> tuple[str, ...]:
    """Load the plugins that are not loaded yet; returns `problems()`."""
    with _lock:
        for source, load in _found():
            if source in _loaded:
                continue
            _loaded.add(source)
            try:
                load()
            except Exception as error:  # whatever others wrote must not take all the rest down
                _problems[source] = _sentence(source, error)
                warnings.warn(_problems[source], PluginWarning, stacklevel=2)
        return problems()


def problems() -> tuple[str, ...]:
    """One sentence for every plugin that could not be loaded."""
    return tuple(_problems.values())


def _found() -> Iterator[tuple[str, Callable[[], object]]]:
    """Where each plugin is named, and what loads it."""
    from importlib.metadata import entry_points  # not for everybody who imports the library

    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist else point.value
        yield f"The plugin {point.name!r} of the package {package}", point.load
    for name in filter(None, map(str.strip, os.environ.get(VARIABLE, "").split(","))):
        yield f"The plugin {name!r} of {VARIABLE}", partial(import_module, name)


def _sentence(source: str, error: Exception) -> str:
    said = " ".join(str(error).split())
    advice = "mend it or take it out"
    if isinstance(error, ModuleNotFoundError):
        advice = "install it, or put its folder on PYTHONPATH"
    return f"{source} cannot be loaded ({type(error).__name__}: {said}); {advice}."
