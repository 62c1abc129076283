"""What is asked of a sweep: settings x sizes x seeds, every cell of it an ordinary run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

from antidote_core.baselines import SOTA
from antidote_core.clustering import get_clustering
from antidote_core.errors import SpecError
from antidote_core.fairness import get_fairness
from antidote_core.guard import MAX_PRICE
from antidote_core.optimizers import get_optimizer
from antidote_core.places import PLACES, ROWS
from antidote_core.runs.spec import VERSION_1, JobSpec, RunSpec

MAX_CELLS = 2000
VERSION = 2
GUARD = ("min_share", "max_price", "max_copies", "percentiles", "lasting")  # as of a run


@dataclass(frozen=True)
class Setting:
    """What one curve of a frontier stands for."""

    clustering: str
    fairness: str
    k: int
    optimizer: str
    box: str

    @property
    def problem(self) -> tuple[str, str, int]:
        """Clustering, fairness and k: what plain clustering and fair algorithms depend on."""
        return self.clustering, self.fairness, self.k


@dataclass(frozen=True)
class Cell:
    """One run of a sweep: a setting, a size and a seed, and the run that answers them."""

    index: int
    setting: Setting
    size: int
    seed: int
    spec: RunSpec


@dataclass(frozen=True)
class SweepSpec(JobSpec):
    """What is asked of a sweep; goes to JSON, to a hash and back unchanged.

    `target` judges the cells and does not change them: the same cells answer every target.

    >>> spec = SweepSpec("blobs", sizes=(20, 10), seeds=(0, 1), optimizers=("random", "cmaes"))
    >>> spec.sizes, len(spec.cells), len(spec.settings)
    ((10, 20), 8, 2)
    >>> SweepSpec.from_json(spec.to_json()) == spec
    True
    """

    kind: ClassVar[str] = "sweep"
    word: ClassVar[str] = "sweep"

    dataset: str
    combinations: tuple[tuple[str, str], ...] = (("kmeans", "balance"),)
    optimizers: tuple[str, ...] = ("structured",)
    boxes: tuple[str, ...] = (ROWS,)
    ks: tuple[int, ...] = (2,)
    sizes: tuple[int, ...] = (10, 20, 50, 100)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    target: str | float = "vanilla"
    restarts: int = 10
    budget: int = 1000
    embed_dim: int | None = 100
    min_share: float | None = None
    max_price: float | None = MAX_PRICE
    max_copies: int = 5
    percentiles: tuple[float, float] = (1.0, 99.0)
    lasting: float = 1.0
    protected: str | None = None
    rows: str | None = None
    sample: int | None = None
    sample_seed: int = 0
    version: int = VERSION

    def __post_init__(self) -> None:
        for name, what in (
            ("combinations", "pairs of a clustering and a cost"),
            ("optimizers", "optimizers"),
            ("boxes", "boxes"),
            ("ks", "numbers of clusters (k)"),
            ("sizes", "numbers of antidote points"),
            ("seeds", "seeds"),
        ):
            values = getattr(self, name)
            if not isinstance(values, tuple | list) or not values:
                raise SpecError(f"{name} must be a list of {what}, at least one; got {values!r}.")
        if isinstance(self.version, bool) or self.version not in (1, VERSION):
            raise SpecError(
                f"version of the settings of a sweep must be 1 or {VERSION}; got {self.version!r}."
            )
        for pair in self.combinations:
            if not isinstance(pair, tuple | list) or len(pair) != 2:
                raise SpecError(
                    f"combinations must be pairs of a clustering and a cost; got {pair!r}."
                )
        pairs = _distinct("combinations", map(tuple, self.combinations))
        object.__setattr__(self, "combinations", pairs)
        for name in ("optimizers", "boxes", "ks", "sizes", "seeds"):
            values = _distinct(name, getattr(self, name))
            if name in ("ks", "sizes", "seeds"):
                for value in values:
                    if isinstance(value, bool) or not isinstance(value, int):
                        raise SpecError(f"{name} must be whole numbers; got {value!r}.")
                values = tuple(sorted(values))
            object.__setattr__(self, name, values)
        count = len(self.settings) * len(self.sizes) * len(self.seeds)
        if count > MAX_CELLS:
            raise SpecError(
                f"A sweep may have {MAX_CELLS} cells at most; {len(self.settings)} settings with "
                f"{len(self.sizes)} sizes and {len(self.seeds)} seeds make {count}. Choose fewer."
            )
        [first] = self.cells[:1]  # the rules of RunSpec hold for every cell
        for setting, size, seed in (
            *((setting, first.size, first.seed) for setting in self.settings),
            *((first.setting, size, first.seed) for size in self.sizes),
            *((first.setting, first.size, seed) for seed in self.seeds),
        ):
            self._run(setting, size, seed)
        if self.target == "lowest":
            raise SpecError(
                "target (α) of a sweep must be 'vanilla' or 'sota' or a number; got 'lowest', "
                "which every cell looks for anyway."
            )
        object.__setattr__(self, "target", RunSpec(self.dataset, target=self.target).target)
        for name in GUARD:  # as a run writes them
            object.__setattr__(self, name, getattr(first.spec, name))

    def to_dict(self) -> dict[str, Any]:
        """The settings as plain values; of version 1, those that it had."""
        values = super().to_dict()
        if self.version == VERSION:
            return values
        return {name: value for name, value in values.items() if name not in GUARD}

    @classmethod
    def upgraded(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Version 1 had no guard."""
        if values.get("version") != 1:
            return values
        return {"boxes": ("minmax",), **values, **{name: VERSION_1[name] for name in GUARD}}

    @property
    def data_spec(self) -> RunSpec:
        """A run on the data of the sweep."""
        return self.cells[0].spec

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The curves, in the order of the lists."""
        return tuple(
            Setting(clustering, fairness, k, optimizer, box)
            for (clustering, fairness), k, optimizer, box in product(
                self.combinations, self.ks, self.optimizers, self.boxes
            )
        )

    @property
    def problems(self) -> tuple[tuple[str, str, int], ...]:
        """The distinct (clustering, fairness, k) of the settings."""
        return tuple(dict.fromkeys(setting.problem for setting in self.settings))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """All cells; whole curves of the first seed come first, then those of the next."""
        grid = product(self.seeds, self.sizes, self.settings)
        return tuple(
            Cell(index, setting, size, seed, self._run(setting, size, seed))
            for index, (seed, size, setting) in enumerate(grid)
        )

    def _run(self, setting: Setting, size: int, seed: int) -> RunSpec:
        """The run of a cell: one round of one size, as low as it can."""
        shared = ("dataset", "restarts", "embed_dim", "budget", "protected", "rows", "sample",
                  "sample_seed")  # fmt: skip
        settings = {
            **vars(setting),
            **{name: getattr(self, name) for name in shared},
            "start_size": size,
            "max_size": size,
            "max_rounds": 1,
            "target": "lowest",
            "seed": seed,
        }
        if self.version == 1:
            return RunSpec.unguarded(**settings)
        return RunSpec(**settings, **{name: getattr(self, name) for name in GUARD})

    def check(self) -> None:
        """Refuse names that nobody knows, and a target that a combination does not have."""
        for clustering, fairness in self.combinations:
            title = get_clustering(clustering).title
            cost = get_fairness(fairness)
            if self.target == "sota" and (clustering, fairness) not in SOTA:
                raise SpecError(
                    f"No fair algorithm is known here for {title} with {cost.title.lower()}; "
                    "choose target 'vanilla' or a number, or leave that combination out."
                )
        for optimizer in self.optimizers:
            get_optimizer(optimizer)
        for box in self.boxes:
            if box not in PLACES:
                known = ", ".join(repr(key) for key in PLACES)
                raise SpecError(f"boxes must be among {known}; got {box!r}.")


def _distinct(name: str, values: Any) -> tuple[Any, ...]:
    try:
        return tuple(dict.fromkeys(values))
    except TypeError:
        raise SpecError(f"{name} must be a list of names or numbers; got {values!r}.") from None
