"""All data sets by name, and the one function that loads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antidote_core.checks import check_whole, did_you_mean
from antidote_core.datasets.sets import DatasetInfo, Form, Progress, Request, lfw, teaching
from antidote_core.datasets.sets.packaged import PACKAGED
from antidote_core.datasets.sets.uci import ADULT, BANK, CREDITCARD
from antidote_core.errors import DataError
from antidote_core.types import Dataset, Ints

if TYPE_CHECKING:
    from antidote_core.runs.spec import RunSpec

DATASETS: dict[str, DatasetInfo] = {
    info.name: info
    for info in (
        ADULT.info,
        BANK.info,
        CREDITCARD.info,
        lfw.INFO,
        *(packaged.info for packaged in PACKAGED if packaged.is_here),
        teaching.BLOBS,
        teaching.OUTLIERS,
        teaching.TWO_OPTIMA,
        teaching.NEEDS_DISTANCE,
    )
}


def load_dataset(
    name: str,
    *,
    protected: str | None = None,
    rows: str | None = None,
    sample: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Dataset:
    """The data set `name`, standardised and with one protected group per row.

    `protected` picks the protected attribute and `rows` one of `available_forms(name)`; None takes
    the default of each. `sample` takes that many rows, stratified by group. `seed` draws the sample
    and the points of the teaching sets; it changes nothing else. `progress` is called with a
    sentence before anything slow.

    >>> data = load_dataset("bank")
    >>> data.points.shape, data.group_names
    ((45211, 3), ('divorced', 'married', 'single'))
    >>> load_dataset("adult", protected="sex", sample=100, seed=1).group_sizes.tolist()
    [33, 67]
    """
    check_whole("seed", seed, 0, DataError)
    if sample is not None:
        check_whole("sample", sample, 1, DataError)
    info = dataset_info(name)
    forms = [form.name for form in info.forms()]
    request = Request(
        protected=_pick("protected attribute", protected, info.protected, info.name),
        rows=_pick("choice of rows", rows, forms, info.name),
        seed=int(seed),
        progress=progress or (lambda message: None),
    )
    data = info.load(request)
    return data if sample is None else subsample(data, int(sample), request.seed)


def load_for(spec: RunSpec) -> Dataset:
    """The data set that the spec names; `seed` does not change it, `sample_seed` does."""
    return load_dataset(
        spec.dataset,
        protected=spec.protected,
        rows=spec.rows,
        sample=spec.sample,
        seed=spec.sample_seed,
    )


def list_datasets() -> tuple[DatasetInfo, ...]:
    """Every registered data set: name, title, description, protected attributes and forms.

    >>> [info.name for info in list_datasets() if info.kind == "real"][:3]
    ['adult', 'bank', 'creditcard']
    """
    return tuple(DATASETS.values())


def dataset_info(name: str) -> DatasetInfo:
    """The registry's entry for `name`."""
    if not isinstance(name, str) or name not in DATASETS:
        raise DataError(
            f"There is no data set named {name!r}{did_you_mean(name, DATASETS)}; "
            f"wanted one of {', '.join(DATASETS)}."
        )
    return DATASETS[name]


def available_forms(name: str) -> tuple[Form, ...]:
    """What `rows` can be for `name`, the default first; each says whether it can be loaded now.

    >>> [form.name for form in available_forms("adult")]
    ['paper', 'all']
    """
    return dataset_info(name).forms()


def _pick(what: str, wanted: str | None, choices: Iterable[str], dataset: str) -> str:
    names = list(choices)
    if wanted is None:
        return names[0]
    for name in names:
        if isinstance(wanted, str) and wanted.casefold() == name.casefold():
            return name
    raise DataError(
        f"{dataset} has no {what} {wanted!r}; wanted one of {', '.join(names)}, or none for the "
        f"default ({names[0]})."
    )


SMALLEST_SHARE = 2


def subsample(data: Dataset, size: int, seed: int) -> Dataset:
    """`size` rows of `data` drawn without replacement, stratified by group, in the original order.

    Each group gets its share of the rows by largest remainder, but at least two rows. The points
    keep the standardisation of all rows, so that costs and antidote points stay in the same units,
    and their weights, where they have any.
    """
    counts = data.group_sizes
    smallest = int(np.minimum(counts, SMALLEST_SHARE).sum())
    if not smallest <= size <= data.n:
        raise DataError(
            f"sample = {size} does not fit {data.title or data.name}: wanted between {smallest} "
            f"(two rows of each of its {len(counts)} groups) and {data.n} (all rows)."
        )
    if size == data.n:
        return data
    rng = np.random.default_rng(seed)
    taken = [
        rng.choice(np.flatnonzero(data.groups == group), share, replace=False)
        for group, share in enumerate(_shares(counts, size))
    ]
    rows = np.sort(np.concatenate(taken))
    note = (
        f"A sample of {size:,} of {data.n:,} rows (seed {seed}), drawn in proportion to the group "
        "sizes with at least two rows of each group; units are those of all rows."
    )
    return replace(
        data.take(rows),
        source=f"{data.source}, a sample of {size:,} (seed {seed})",
        notes=(*data.notes, note),
    )


def _shares(counts: Ints, size: int) -> Ints:
    """Rows per group, (g,): proportional by largest remainder, two at least, `size` in all.

    >>> _shares(np.array([90, 9, 1]), 20).tolist()
    [17, 2, 1]
    """
    least = np.minimum(counts, SMALLEST_SHARE)
    ideal = counts * (size / counts.sum())
    shares = np.maximum(np.floor(ideal).astype(np.int64), least)
    while shares.sum() < size:
        shares[np.argmax(np.where(shares < counts, ideal - shares, -np.inf))] += 1
    while shares.sum() > size:
        shares[np.argmax(np.where(shares > least, shares - ideal, -np.inf))] -= 1
    return shares
