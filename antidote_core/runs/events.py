"""What happens in a job, as lines of its log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from antidote_core.errors import DataError, SpecError
from antidote_core.runs.spec import _is_number


@dataclass(frozen=True)
class Event:
    """One thing that happened in a run: `kind`, seconds since the start, and plain JSON data."""

    kind: str
    seconds: float
    data: Mapping[str, Any]

    def __post_init__(self) -> None:
        if "kind" in self.data or "seconds" in self.data:
            raise SpecError(
                f"The data of an event {self.kind!r} must not hold 'kind' or 'seconds': these are "
                "its own; nest the values under another name."
            )

    def to_json(self) -> str:
        """One line of an event log."""
        return json.dumps(
            {"kind": self.kind, "seconds": round(self.seconds, 4), **self.data},
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, line: str) -> Event:
        """Read what `to_json` wrote; anything else is a DataError.

        >>> Event.from_json(Event("stopped", 1.5, {"reason": "limit"}).to_json()).data["reason"]
        'limit'
        """
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"The event is not valid JSON: {error}.") from None
        if not isinstance(values, dict):
            raise DataError("The event must be a JSON object.")
        kind, seconds = values.pop("kind", None), values.pop("seconds", None)
        if not isinstance(kind, str) or not _is_number(seconds):
            raise DataError("The event must have a kind (a name) and seconds (a number).")
        return cls(kind, float(seconds), values)
