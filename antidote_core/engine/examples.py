"""Recorded runs that ship with the package: real logs, opened like any stored run.

`python -m antidote_core.engine.examples` records them all again, or those that are named.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.datasets import load_for
from antidote_core.engine.store import Store, content_key
from antidote_core.engine.work import comparison_events
from antidote_core.runs.events import Closed, Event
from antidote_core.runs.scenarios import SCENARIOS
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView, fold

FOLDER = Path(__file__).with_name("recorded")
SEED = 1  # not that of the scenarios: who presses Run there gets a run, not a recording


@dataclass(frozen=True)
class Example:
    """A recorded run, what it is called and what there is to see."""

    name: str
    title: str
    sentence: str
    spec: RunSpec

    @property
    def path(self) -> Path:
        """The log, one event per line, compressed."""
        return FOLDER / f"{self.name}.jsonl.gz"

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All that happened."""
        with gzip.open(self.path, "rt", encoding="utf-8") as lines:
            return tuple(Event.from_json(line) for line in lines)

    @cached_property
    def seconds(self) -> float:
        """How long it took when it was recorded."""
        return fold(self.events).seconds


def _examples() -> Iterator[Example]:
    for name, one in SCENARIOS.items():
        yield Example(name, one.title, one.sentence, replace(one.spec, seed=SEED))
    bank = SCENARIOS["four-fifths"].spec
    yield Example(
        "social", "Social fairness",
        "k-means + social cost: the group that pays most pays less.",
        replace(bank, fairness="social", target=2.337, seed=SEED),
    )  # fmt: skip
    yield Example(
        "spectral", "Spectral clustering",
        "The paper's third combination, on a sample of 1,000 people.",
        RunSpec(
            "bank", sample=1000, clustering="spectral", start_size=5, step=5, budget=100,
            target=-0.5, max_rounds=8, seed=SEED,
        ),
    )  # fmt: skip
    yield Example(
        "hollow", "Hollow, and why it is refused",
        "Without the guard the target is met by clusters that no longer fit: it does not count.",
        RunSpec(
            "needs-distance", place="wide", target=-0.9, start_size=5, step=5, budget=200,
            max_rounds=8, min_share=0.0, max_price=None, seed=SEED,
        ),
    )  # fmt: skip


EXAMPLES = {example.name: example for example in _examples()}


def open_example(store: Store, name: str, owner: str | None = None) -> str:
    """The id of the run in the store that is this example; at first sight it is put there."""
    example = EXAMPLES[name]
    data_hash = load_for(example.spec).content_hash
    found = store.find(content_key(example.spec, data_hash), owner, private=False)
    if found is not None:
        return found
    return store.keep_finished(example.spec, data_hash, example.events, fold(example.events), owner)


def record(example: Example) -> RunView:
    """Do the run and write its log."""
    data = load_for(example.spec)
    events = [event for event in grow(example.spec, data) if event.type != "alive"]
    view = fold(events)
    compared = comparison_events(example.spec, data, view, lambda: False)
    events += [event.at(view.seconds) for event in (*compared, Closed())]
    FOLDER.mkdir(exist_ok=True)
    # No time and no name in the head of the file: the same events are the same bytes.
    with example.path.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.writelines(event.to_json().encode() + b"\n" for event in events)
    return view


if __name__ == "__main__":
    for chosen in sys.argv[1:] or EXAMPLES:
        said = record(EXAMPLES[chosen]).verdict.headline
        print(f"{chosen}: {EXAMPLES[chosen].path.stat().st_size:,} bytes. {said}", flush=True)
