"""What is known of a fair algorithm before it runs: one record each, by name in `RIVALS`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from antidote_core.baselines.record import BaselineResult, check_instance
from antidote_core.checks import check_weights, did_you_mean
from antidote_core.errors import SpecError
from antidote_core.plugins import Register
from antidote_core.types import Floats, Ints

Changes = Literal["data", "algorithm", "labels"]


class Paper(NamedTuple):
    """Where the idea was published."""

    authors: str
    year: int

    def __str__(self) -> str:
        return f"{self.authors} ({self.year})"


class Option(NamedTuple):
    """A keyword of `solve` with its default value and what it does."""

    name: str
    default: object
    sentence: str


@dataclass(frozen=True)
class FairAlgorithm:
    """A fair algorithm: `solve(points, groups, k, seed=0, **options)` returns a BaselineResult.

    `needs_groups` says that a person's group is needed to place the person in a cluster; where it
    is false, the centres alone decide. `changes` says where fairness enters: the "data" before
    clustering, the "algorithm" itself, or the "labels" afterwards. `serves` names the costs it is
    made for. `most_groups` and `most_rows` are what it takes, None without limit; `weighted` says
    that `solve` takes `sample_weight`.

    >>> entry = RIVALS["fair_lloyd"]
    >>> entry.title, str(entry.paper), entry.serves, entry.changes
    ('Fair-Lloyd', 'Ghadiri, Samadi and Vempala (2021)', ('social',), 'algorithm')
    """

    name: str
    title: str
    sentence: str
    paper: Paper
    solve: Callable[..., BaselineResult]
    needs_groups: bool
    changes: Changes
    serves: tuple[str, ...]
    most_groups: int | None = None
    most_rows: int | None = None
    weighted: bool = False
    options: tuple[Option, ...] = ()

    def refusal(self, n: int, g: int, weighted: bool = False) -> str | None:
        """Why it does not take n rows of g groups, with or without weights; None where it does.

        >>> RIVALS["bera"].refusal(100, 2, weighted=True)
        'Bera et al. takes no weights, and these rows have them; take rows without weights.'
        """
        if self.most_groups is not None and g > self.most_groups:
            return (
                f"{self.title} takes at most {self.most_groups} groups, and these rows have {g}; "
                "join groups, or choose another fair algorithm."
            )
        if self.most_rows is not None and n > self.most_rows:
            return (
                f"{self.title} takes at most {self.most_rows:,} rows, and there are {n:,}; take a "
                "sample, or choose another fair algorithm."
            )
        if weighted and not self.weighted:
            return (
                f"{self.title} takes no weights, and these rows have them; take rows without "
                "weights."
            )
        return None

    def solved(
        self,
        points: Floats,
        groups: Ints,
        k: int,
        seed: int = 0,
        sample_weight: Floats | None = None,
        **options: Any,
    ) -> BaselineResult:
        """What `solve` gives for points (n, d) and groups (n,), refused in a sentence where unfit.

        >>> import antidote_core as ac
        >>> data = ac.load_dataset("blobs")
        >>> RIVALS["bera"].solved(data.points, data.groups, 2, detla=0.1)
        Traceback (most recent call last):
        antidote_core.errors.SpecError: Bera et al. has no option 'detla' (did you mean 'delta'?); \
it has 'delta', 'exact', 'allow_empty'.
        """
        points, groups, g = check_instance(points, groups, k)
        refusal = self.refusal(len(points), g, sample_weight is not None)
        if refusal:
            raise SpecError(refusal)
        known = [option.name for option in self.options]
        for name in options:
            if name not in known:
                have = ", ".join(map(repr, known)) or "none"
                raise SpecError(
                    f"{self.title} has no option {name!r}{did_you_mean(name, known)}; "
                    f"it has {have}."
                )
        if sample_weight is not None:
            options["sample_weight"] = check_weights(sample_weight, len(points))
        return self.solve(points, groups, k, seed=seed, **options)


RIVALS: Register[FairAlgorithm] = Register("fair algorithm")


def register_fair_algorithm(entry: FairAlgorithm, replace: bool = False) -> FairAlgorithm:
    """Make a fair algorithm available under its name, in the library and on the screens.

    Other processes know it where a plugin registers it; see `plugins`. `replace` puts it in the
    place of one registered before.

    >>> from dataclasses import replace
    >>> _ = register_fair_algorithm(replace(RIVALS["bera"], name="gentle", title="Gentle"))
    >>> get_fair_algorithm("gentle").title
    'Gentle'
    >>> del RIVALS["gentle"]
    """
    if not isinstance(entry, FairAlgorithm):
        raise SpecError(
            "register_fair_algorithm takes a FairAlgorithm(name, title, sentence, paper, solve, "
            f"...); got {entry!r}."
        )
    return RIVALS.add(entry, replace)


def get_fair_algorithm(name: str) -> FairAlgorithm:
    """The fair algorithm of that name, or a sentence that lists the names."""
    return RIVALS.named(name)
