"""What happens in a job: one frozen class per kind of event, one line of a log each.

A line names its kind under "kind"; the classes call it `type`. A kind that nobody knows is an error
with a sentence, so that a log of a newer version is not half understood in silence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Self, TypeVar

import msgspec

from antidote_core.checks import is_number
from antidote_core.errors import DataError

Values = Mapping[str, Any]
T = TypeVar("T")
Table = list[list[float]]


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One thing that happened, `seconds` after the start.

    >>> Stopped(seconds=1.5, reason="limit").to_json()
    '{"kind":"stopped","seconds":1.5,"reason":"limit"}'
    """

    seconds: float = 0.0

    @property
    def type(self) -> str:
        """Which kind of event it is."""
        return str(self.__struct_config__.tag)

    kind = type  # as a line of a log calls it

    @property
    def data(self) -> dict[str, Any]:
        """What this kind of event has to tell, as plain values."""
        values: dict[str, Any] = msgspec.to_builtins(self)
        del values["kind"], values["seconds"]
        return values

    def to_json(self) -> str:
        """One line of an event log."""
        values = {"kind": self.type, "seconds": round(self.seconds, 4), **self.data}
        return json.dumps(values, separators=(",", ":"))

    def at(self, seconds: float) -> Self:
        """The same event at another time."""
        return msgspec.structs.replace(self, seconds=seconds)

    @staticmethod
    def from_json(line: str) -> Event:
        """Read what `to_json` wrote; anything else is a DataError.

        >>> Event.from_json(Stopped(seconds=1.5, reason="limit").to_json()).reason
        'limit'
        """
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"The event is not valid JSON: {error}.") from None
        if not isinstance(values, dict):
            raise DataError("The event must be a JSON object.")
        kind = values.pop("kind", None)
        if not isinstance(kind, str) or not is_number(values.get("seconds")):
            raise DataError("The event must have a kind (a name) and seconds (a number).")
        return event_of(kind, values)


# -- the life of every job ----------------------------------------------------------------------


class Queued(Event, frozen=True, kw_only=True, tag="queued"):
    """The job begins here, for the first time or anew."""


class Activity(Event, frozen=True, kw_only=True, tag="stage"):
    """What is being waited for."""

    text: str


class Note(Event, frozen=True, kw_only=True, tag="note"):
    """Something a reader should know."""

    text: str


class Ended(Event, frozen=True, kw_only=True, tag="ended"):
    """The verdict stands; what follows adds to it."""

    reason: str


class Finished(Ended, frozen=True, kw_only=True, tag="finished"):
    """It came to its own end."""


class Stopped(Ended, frozen=True, kw_only=True, tag="stopped"):
    """Somebody, or a limit, stopped it; what was found is kept."""


class Failed(Ended, frozen=True, kw_only=True, tag="failed"):
    """An error ended it."""


class Dead(Ended, frozen=True, kw_only=True, tag="dead"):
    """Its process was lost."""


class Closed(Event, frozen=True, kw_only=True, tag="closed"):
    """Nothing more will come."""


class Unreadable(Event, frozen=True, kw_only=True, tag="unreadable"):
    """A line of the log that made no sense; never written."""


# -- Algorithm 2 --------------------------------------------------------------------------------


class Started(Event, frozen=True, kw_only=True, tag="started"):
    """Algorithm 2 begins: what was asked, and of which data."""

    spec: Values
    id: str
    points: int
    dimension: int
    groups: list[str]
    group_sizes: list[int]
    source: str
    data_hash: str = msgspec.field(name="data")
    notes: list[str]
    weight: float | msgspec.UnsetType = msgspec.UNSET  # of all rows, where they have weights


class Vanilla(Event, frozen=True, kw_only=True, tag="vanilla"):
    """The clustering without antidote points: its centres and the tables behind its costs."""

    cost: float
    centers: Table
    counts: Table
    group_costs: list[float]
    balance: float
    social: float


class Target(Event, frozen=True, kw_only=True, tag="target"):
    """α as a number, whether it must be beaten, and the fair algorithm behind it."""

    target: float
    strict: bool
    sota: Values
    met: bool | msgspec.UnsetType = msgspec.UNSET  # by plain clustering already


class Noise(Event, frozen=True, kw_only=True, tag="noise"):
    """Costs of plain clustering with other seeds."""

    costs: list[float]


class Progress(Event, frozen=True, kw_only=True, tag="progress"):
    """How far a round is; `design` says which step a design is at."""

    index: int
    size: int
    cost: float
    evaluations: int
    design: Values | msgspec.UnsetType = msgspec.UNSET


class Cut(Progress, frozen=True, kw_only=True, tag="cut"):
    """A design met a rival and takes it into account from now on."""


class Alive(Event, frozen=True, kw_only=True, tag="alive"):
    """Nothing else has happened for a while; goes by the clock."""

    doing: str


class Packed(msgspec.Struct, frozen=True):
    """V as its distinct points, or rows, and how often each occurs."""

    dimension: int
    atoms: list[list[float]]
    counts: list[int]
    rows: list[int] | msgspec.UnsetType = msgspec.UNSET  # of U, where V consists of copies
    weights: list[float] | msgspec.UnsetType = msgspec.UNSET  # where they are not 1 each


class Round(Event, frozen=True, kw_only=True, tag="round"):
    """The best V of one size; `design` says how it was designed, if so.

    `contest` says, where k-means has to be won over from one clustering to another, by how much the
    unfair one still leads (`lead`, in inertia on U ∪ V), and without any V (`lead_before`).
    """

    index: int
    size: int
    antidote: Packed
    reached: bool
    evaluations: int
    design: Values | msgspec.UnsetType = msgspec.UNSET
    contest: Values | msgspec.UnsetType = msgspec.UNSET
    cost: float
    centers: Table
    counts: Table
    group_costs: list[float]
    balance: float
    social: float


class Shrunk(Event, frozen=True, kw_only=True, tag="shrunk"):
    """What is left of V without the points that were not needed."""

    antidote: Packed
    evaluations: int
    cost: float
    centers: Table
    counts: Table
    group_costs: list[float]
    balance: float
    social: float


class Spread(Shrunk, frozen=True, kw_only=True, tag="spread"):
    """V with its clumps scattered like data."""


class Verified(Event, frozen=True, kw_only=True, tag="verified"):
    """Independent clusterings of U ∪ V (see `runs.target.Verification`)."""

    costs: list[float]
    best_cost: float
    share: float
    confirmed: bool
    antidote_only: int
    restarts: int
    smallest_share: float | msgspec.UnsetType = msgspec.UNSET
    price: float | msgspec.UnsetType = msgspec.UNSET
    kept: bool | msgspec.UnsetType = msgspec.UNSET


class Half(msgspec.Struct, frozen=True):
    """V found on one random half of U, the seen one, and tried on the other.

    `plain` and `cost` without and with V, by independent clusterings; `share` of the clusterings of
    the unseen half meet the target, and `met` says whether the best of them does.
    """

    points: int
    size: int
    plain: float
    cost: float
    unseen_plain: float
    unseen_cost: float
    share: float
    met: bool


class HeldOut(Event, frozen=True, kw_only=True, tag="holdout"):
    """V on people it has not seen: found on either half of U, tried on the other."""

    halves: list[Half]


class Compared(Event, frozen=True, kw_only=True, tag="comparison"):
    """One more row of the comparison with other algorithms."""

    row: Values


# -- sweeps -------------------------------------------------------------------------------------


class SweepStarted(Event, frozen=True, kw_only=True, tag="started"):
    """A sweep begins: its settings as JSON, and |U|."""

    sweep: str
    id: str = ""
    points: int


class Workers(Event, frozen=True, kw_only=True, tag="workers"):
    """How many processes there are, and where: empty on this machine."""

    count: int
    scheduler: str


class ReferenceFound(Event, frozen=True, kw_only=True, tag="reference"):
    """What every cell of one problem is held against (see `runs.sweep_view.Reference`)."""

    problem: tuple[str, str, int]
    vanilla: float | None
    noise: list[float | None]
    silhouette: float | None
    target: float | None
    strict: bool
    sota: Values | None
    reason: str
    rows: list[Values]
    smallest_share: float | msgspec.UnsetType | None = msgspec.UNSET


class CellChanged(Event, frozen=True, kw_only=True, tag="cell"):
    """A cell has begun, is done, has failed or was stopped; its figures once it is done."""

    index: int
    state: str
    run: str | msgspec.UnsetType = msgspec.UNSET
    cost: float | msgspec.UnsetType | None = msgspec.UNSET
    vanilla: float | msgspec.UnsetType | None = msgspec.UNSET
    checked: float | msgspec.UnsetType | None = msgspec.UNSET
    checks: list[float | None] | msgspec.UnsetType = msgspec.UNSET
    silhouette: float | msgspec.UnsetType | None = msgspec.UNSET
    price: float | msgspec.UnsetType | None = msgspec.UNSET
    smallest_share: float | msgspec.UnsetType | None = msgspec.UNSET
    kept: bool | msgspec.UnsetType = msgspec.UNSET
    taken: float | msgspec.UnsetType = msgspec.UNSET
    reused: bool | msgspec.UnsetType = msgspec.UNSET
    reason: str | msgspec.UnsetType = msgspec.UNSET


# -- the paper ----------------------------------------------------------------------------------


class PaperStarted(Event, frozen=True, kw_only=True, tag="started"):
    """A recomputation of the paper begins: its settings as JSON, and what each row may take."""

    paper: str
    id: str
    expected: dict[str, float]


class PaperRow(Event, frozen=True, kw_only=True, tag="row"):
    """A row of a table is there: its key, its figures, and the stored run that answers it."""

    key: str
    row: Values
    run: str = ""
    known: bool = False


# -- the arena ----------------------------------------------------------------------------------


class ArenaStarted(Event, frozen=True, kw_only=True, tag="started"):
    """An arena begins: its settings as JSON, and the keys of its cells in their order."""

    arena: str
    id: str
    keys: list[str]


class ArenaRow(Event, frozen=True, kw_only=True, tag="arena_row"):
    """A cell of an arena is there with its record, or has failed for a reason."""

    key: str
    row: Values
    known: bool = False
    reason: str = ""


# -- reading ------------------------------------------------------------------------------------

TYPES: dict[str, type[Event]] = {
    str(event.__struct_config__.tag): event
    for event in (
        Queued, Activity, Note, Finished, Stopped, Failed, Dead, Closed, Unreadable,
        Started, Vanilla, Target, Noise, Progress, Cut, Alive, Round, Shrunk, Spread, Verified,
        HeldOut, Compared, Workers, ReferenceFound, CellChanged, PaperRow, ArenaRow,
    )
}  # fmt: skip


_STARTED: dict[str, type[Event]] = {
    "sweep": SweepStarted, "paper": PaperStarted, "arena": ArenaStarted,
}  # fmt: skip


def given(value: T | msgspec.UnsetType, otherwise: Any = None) -> T | Any:
    """The value of a field that an event may leave out."""
    return otherwise if value is msgspec.UNSET else value


def event_of(kind: str, values: Values) -> Event:
    """The event of that kind with these values; a DataError when there is no such thing."""
    found = TYPES.get(kind)
    if found is None:
        raise DataError(
            f"There is no event of the kind {kind[:40]!r} in this version; the log was written by "
            "a newer one, or it is damaged."
        )
    if found is Started:
        found = next((f for name, f in _STARTED.items() if name in values), Started)
    try:
        return msgspec.convert(values, found)
    except (msgspec.ValidationError, RecursionError) as error:
        raise DataError(f"The event {kind!r} cannot be read: {error}.") from None
