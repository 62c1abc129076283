"""What is asked of Algorithm 2."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, ClassVar, Self

from antidote_core.checks import check_whole, is_number
from antidote_core.errors import SpecError
from antidote_core.fairness import get_fairness
from antidote_core.guard import MAX_PRICE, check_guard
from antidote_core.places import EQUAL, EQUAL_SHARES, PLACES, ROWS, check_percentiles

# The paper's symbols and the words used inside: V_s start_size, ξ step, α target, n′ embed_dim.
PAPER_SYMBOLS: Mapping[str, str] = {
    "start_size": "V_s",
    "step": "ξ",
    "target": "α",
    "embed_dim": "n′",
}

GROWTH_POLICIES = ("extend", "restart", "bisect")
LOWEST = "lowest"
FOUR_FIFTHS = "four_fifths"
FOUR_FIFTHS_COST = -0.8  # of balance: the worst-served group has 80 % of its fair share
NAMED_TARGETS = ("vanilla", "sota", FOUR_FIFTHS, LOWEST)
VERSION = 2
# What a specification of version 1 meant by what it could not say; its place was its box.
VERSION_1: Mapping[str, Any] = {
    "min_share": 0.0, "max_price": None, "max_stalled": None, "place": "minmax", "max_copies": 5,
    "percentiles": (1.0, 99.0), "copy_groups": None, "whole": True,
    "lasting": 0.0, "holdout": False,
}  # fmt: skip
# Settings that version 2 got later. Left out where they ask for nothing, so that what was written
# before is the same specification, with the same id.
LATER: Mapping[str, Any] = {"holdout": False, "whole": True}


class JobSpec:
    """What is asked of a job: a frozen record that goes to JSON, to a hash and back unchanged.

    `kind` stands in the JSON of every job but a run; `word` names it in sentences, and `required`
    the settings without which there is none.
    """

    kind: ClassVar[str] = ""
    word: ClassVar[str] = "run specification"
    required: ClassVar[tuple[str, ...]] = ("dataset",)

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values."""
        return asdict(self)  # type: ignore[call-overload]

    def to_json(self) -> str:
        """Canonical JSON: keys sorted, no spaces."""
        values = {**({"kind": self.kind} if self.kind else {}), **self.to_dict()}
        return json.dumps(values, sort_keys=True, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote; a sentence says what is wrong with anything else."""
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise SpecError(f"The {cls.word} is not valid JSON: {error}.") from None
        if not isinstance(values, dict) or (cls.kind and values.pop("kind", None) != cls.kind):
            kind = f" of the kind {cls.kind!r}" if cls.kind else ""
            raise SpecError(f"The {cls.word} must be a JSON object of settings{kind}.")
        unknown = sorted(set(values) - {f.name for f in fields(cls)})  # type: ignore[arg-type]
        if unknown:
            raise SpecError(f"The {cls.word} has unknown settings: {', '.join(unknown)}.")
        for name in cls.required:
            if name not in values:
                raise SpecError(f"The {cls.word} names no {name}.")
        return cls(**cls.upgraded(values))

    @classmethod
    def upgraded(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Settings written by an earlier version, with all that they meant."""
        return values

    @property
    def id(self) -> str:
        """The sha256 of the canonical JSON: equal specs, equal ids."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()

    def check(self) -> None:
        """Refuse what only the work itself would find out; a sentence says what."""

    @property
    def data_spec(self) -> RunSpec | None:
        """A run on the data of the job; None where it is not about one data set."""
        return None


@dataclass(frozen=True)
class RunSpec(JobSpec):
    """What is asked of Algorithm 2; goes to JSON, to a hash and back unchanged.

    V grows by `step` points a round or, where `growth_factor` is given, to that many times its
    size. The target "lowest" asks for the lowest cost at `max_size`, in one round; "four_fifths"
    for a balance of 80 % of the fair share. `spread` turns clumps of antidote points into scattered
    ones at the end, where the cost survives that. `min_share` and `max_price` are the guard (see
    `guard`); 0 and None switch it off, as in the paper. The run ends after `max_stalled` rounds in
    a row without a better V.

    `place` says where V may lie: on "rows" (copies of rows of U, of each at most `max_copies`, only
    of those whose every feature is within `percentiles`, and of `copy_groups` where given; "equal"
    lets every group give copies in proportion to its size, so that V is mixed like U), or in
    one of the boxes, for which `box` is another name. A design on rows may leave copies fractional
    (`whole` false): V is a set of weights then. `lasting` is the margin of a design in
    standard errors, so that it holds on other people too; `holdout` asks whether it does: V is
    found once more on either half of U and tried on the other.

    >>> spec = RunSpec(dataset="bank", fairness="social", seed=3)
    >>> RunSpec.from_json(spec.to_json()) == spec
    True
    >>> len(spec.id)
    64
    """

    dataset: str
    clustering: str = "kmeans"
    fairness: str = "balance"
    k: int = 2
    restarts: int = 10
    start_size: int = 10
    step: int = 1
    target: str | float = "vanilla"
    embed_dim: int | None = 100
    optimizer: str = "structured"
    growth: str = "extend"
    budget: int = 1000
    max_size: int | None = None
    max_rounds: int | None = 200
    max_seconds: float | None = 600.0
    max_stalled: int | None = 10
    min_share: float | None = None
    max_price: float | None = MAX_PRICE
    place: str = ROWS
    box: str | None = None
    max_copies: int = 5
    percentiles: tuple[float, float] = (1.0, 99.0)
    copy_groups: tuple[str, ...] | None = None
    whole: bool = True
    lasting: float = 1.0
    shrink: bool = False
    spread: bool = False
    holdout: bool = False
    seed: int = 0
    protected: str | None = None
    rows: str | None = None
    sample: int | None = None
    sample_seed: int = 0
    growth_factor: float | None = None
    version: int = field(default=VERSION)

    def __post_init__(self) -> None:
        self._set_place()
        for name in ("dataset", "clustering", "fairness", "optimizer", "growth", "place"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name):
                raise SpecError(f"{name} must be a name; got {getattr(self, name)!r:.60}.")
        minima = {
            "k": 2, "restarts": 1, "start_size": 1, "step": 1, "budget": 1, "seed": 0,
            "sample_seed": 0, "version": 1, "max_copies": 1,
        }  # fmt: skip
        for name, minimum in minima.items():
            _check_whole(name, getattr(self, name), minimum)
        for name in ("embed_dim", "max_size", "max_rounds", "max_stalled", "sample"):
            if getattr(self, name) is not None:
                _check_whole(name, getattr(self, name), 1)
        for name in ("protected", "rows"):
            if not isinstance(getattr(self, name), str | None):
                raise SpecError(f"{name} must be a name or None; got {getattr(self, name)!r}.")
        for name in ("shrink", "spread", "holdout", "whole"):
            if not isinstance(getattr(self, name), bool):
                raise SpecError(f"{name} must be true or false; got {getattr(self, name)!r}.")
        if self.max_seconds is not None and not (
            is_number(self.max_seconds) and self.max_seconds > 0
        ):
            raise SpecError(
                f"max_seconds must be a positive number or None; got {self.max_seconds!r}."
            )
        if self.growth_factor is not None and not (
            is_number(self.growth_factor) and self.growth_factor > 1
        ):
            raise SpecError(
                f"growth_factor must be a number above 1 or None; got {self.growth_factor!r}."
            )
        if not self.whole and (self.place != ROWS or self.optimizer != "design" or self.shrink):
            raise SpecError(
                "Only the optimizer 'design' with place='rows' finds weights that need not be "
                f"whole, and they are not shrunk; got optimizer={self.optimizer!r}, "
                f"place={self.place!r}, shrink={self.shrink!r}. Choose these, or whole=True."
            )
        check_guard(self.min_share, self.max_price, self.k)
        if not is_number(self.lasting) or self.lasting < 0:
            raise SpecError(f"lasting must be a number of at least 0; got {self.lasting!r}.")
        if self.growth not in GROWTH_POLICIES:
            raise SpecError(f"growth must be one of {_or(GROWTH_POLICIES)}; got {self.growth!r}.")
        if isinstance(self.target, str):
            if self.target not in NAMED_TARGETS:
                raise SpecError(
                    f"target (α) must be {_or(NAMED_TARGETS)} or a number; got {self.target!r}."
                )
        elif not is_number(self.target):
            raise SpecError(f"target (α) must be a finite number; got {self.target!r}.")
        if self.max_size is not None and self.max_size < self.start_size:
            raise SpecError(
                f"max_size must be at least start_size (V_s = {self.start_size}); "
                f"got {self.max_size}."
            )
        # One way to write a number, so that equal specs have equal ids: 0, 0.0 and -0.0 are 0.0.
        for name in ("target", "max_seconds", "min_share", "max_price", "lasting", "growth_factor"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                object.__setattr__(self, name, float(value) + 0.0)

    def _set_place(self) -> None:
        """The place under its one name, percentiles and groups as they go to JSON."""
        place = self.place if self.box is None else self.box
        if isinstance(place, str) and place not in PLACES:
            known = ", ".join(repr(key) for key in PLACES)
            raise SpecError(f"place must be one of {known}; got {place!r}.")
        object.__setattr__(self, "place", place)
        object.__setattr__(self, "box", None)
        object.__setattr__(self, "percentiles", check_percentiles(self.percentiles))
        groups = EQUAL_SHARES if self.copy_groups == EQUAL else self.copy_groups
        if groups is not None:
            if not isinstance(groups, tuple | list) or not all(isinstance(g, str) for g in groups):
                raise SpecError(f"copy_groups must be names of groups or None; got {groups!r}.")
            object.__setattr__(self, "copy_groups", tuple(groups) or None)
        if self.copy_groups == EQUAL_SHARES and self.shrink:
            raise SpecError(
                "With copy_groups='equal' every group gives its share of V, and shrinking would "
                "take copies of some groups only; leave one of them out."
            )

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values; of version 1, those that it had."""
        values = super().to_dict()
        if self.growth_factor is None:  # as before there was one, so that ids stay
            del values["growth_factor"]
        if self.version < VERSION:
            return {k: v for k, v in values.items() if k not in VERSION_1} | {"box": self.place}
        del values["box"]
        return {k: v for k, v in values.items() if k not in LATER or v != LATER[k]}

    @classmethod
    def unguarded(cls, **settings: Any) -> Self:
        """The paper's problem: V anywhere in a box, no guard, and no limits but those named."""
        return cls(**cls.upgraded({**settings, "version": 1}))

    @classmethod
    def upgraded(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 had no guard, and no limits unless they were asked for."""
        if values.get("version") != 1:
            return values
        place = values.get("box") or values.get("place") or VERSION_1["place"]
        limits = {"max_rounds": None, "max_seconds": None}
        return {**limits, **values, **VERSION_1, "place": place, "box": None}

    def check(self) -> None:
        """Refuse a target that no clustering has, as far as that is known without the data."""
        cost = get_fairness(self.fairness)
        if self.target == FOUR_FIFTHS and not cost.is_share:
            raise SpecError(
                "The target 'four_fifths' is a share of the fair share, which only balance has; "
                f"choose 'vanilla', 'sota' or a number for {cost.title.lower()}."
            )
        perfect = -math.inf if cost.perfect is None else cost.perfect
        if isinstance(self.target, float) and self.target < perfect - 1e-9:
            raise SpecError(
                f"target (α) cannot be met: a {cost.label.lower()} is never below {perfect:g}; "
                f"got {self.target:g}."
            )

    @property
    def data_spec(self) -> RunSpec:
        """The run itself."""
        return self


def _or(names: tuple[str, ...]) -> str:
    return " or ".join(repr(name) for name in names)


def _check_whole(name: str, value: object, minimum: int) -> None:
    symbol = f" ({PAPER_SYMBOLS[name]})" if name in PAPER_SYMBOLS else ""
    if not isinstance(value, int):  # a number of NumPy does not go to JSON
        raise SpecError(
            f"{name}{symbol} must be a whole number of at least {minimum}; got {value!r}."
        )
    check_whole(f"{name}{symbol}", value, minimum)
