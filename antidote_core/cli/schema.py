"""What `run --json` prints, as a JSON Schema: `python -m antidote_core.cli.schema` writes the file.

Every line is one object whose `kind` says what it is: the events of a run, and at last its result.
A field may come to be added within a version; what is there keeps its name and meaning.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Union

import msgspec

from antidote_core.cli import JSON_VERSION
from antidote_core.runs import events

FILE = Path(__file__).with_name("run.schema.json")
OF_A_RUN = (
    events.Activity, events.Note, events.Started, events.Vanilla, events.Target, events.Noise,
    events.Progress, events.Cut, events.Alive, events.Round, events.Shrunk, events.Spread,
    events.Verified, events.HeldOut, events.Finished, events.Stopped,
)  # fmt: skip


class ResultLine(msgspec.Struct, frozen=True, tag_field="kind", tag="result"):
    """The last line, and result.json of `--out`: V, its figures and the verdict.

    `antidote` is V in the standardised space of the data; null stands for a number that is not
    known.
    """

    version: int
    antidote: list[list[float]]
    cost: float | None
    vanilla_cost: float | None
    target: float | None
    reached: bool
    outside_noise: bool | None
    rounds: int
    evaluations: int
    seconds: float
    smallest_share: float | None
    price: float | None
    outcome: str
    verification: dict[str, Any] | None
    verdict: str
    reason: str
    antidote_weights: list[float] | msgspec.UnsetType = msgspec.UNSET
    holdout: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


def schema() -> dict[str, Any]:
    """The schema of one line.

    >>> schema()["version"]
    1
    """
    lines: Any = Union[(*OF_A_RUN, ResultLine)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of `antidote run --json`",
        "version": JSON_VERSION,
        **msgspec.json.schema(lines),
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(schema(), indent=1) + "\n", encoding="utf-8")
