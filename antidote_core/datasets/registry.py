"""All data sets by name, and the one function that loads them."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable

from antidote_core.datasets import (
    adult,
    bank,
    blobs,
    creditcard,
    lfw,
    needs_distance,
    outliers,
    two_optima,
)
from antidote_core.datasets.info import DatasetInfo, Form, Progress, Request
from antidote_core.datasets.sampling import subsample
from antidote_core.errors import DataError
from antidote_core.types import Dataset

DATASETS: dict[str, DatasetInfo] = {
    info.name: info
    for info in (
        adult.INFO,
        bank.INFO,
        creditcard.INFO,
        lfw.INFO,
        blobs.INFO,
        outliers.INFO,
        two_optima.INFO,
        needs_distance.INFO,
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
    info = dataset_info(name)
    forms = [form.name for form in info.forms()]
    request = Request(
        protected=_pick("protected attribute", protected, info.protected, info.name),
        rows=_pick("choice of rows", rows, forms, info.name),
        seed=_whole("seed", seed, 0),
        progress=progress or (lambda message: None),
    )
    if sample is not None:
        sample = _whole("sample", sample, 1)
    data = info.load(request)
    return data if sample is None else subsample(data, sample, request.seed)


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
            f"There is no data set named {name!r}{_hint(name, DATASETS)}; "
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


def _hint(wanted: object, names: Iterable[str]) -> str:
    close = difflib.get_close_matches(str(wanted).casefold(), list(names), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _whole(what: str, value: object, minimum: int) -> int:
    try:
        whole = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        whole = minimum - 1
    if isinstance(value, bool) or whole < minimum:
        raise DataError(f"{what} must be a whole number of at least {minimum}; got {value!r}.")
    return whole
