"""Tables that visitors bring along, and all data sets this browser may choose from.

A table stands in the room of its visitor (see shared/rooms.py) and goes with it. Runs on it are
temporary: their folders go too.
"""

import re

import antidote_core as ac
from antidote_core.datasets import DATASETS, DatasetInfo, Form, dataset_info
from antidote_core.datasets.registry import subsample
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.rooms import visitor

TABLE = "table"  # the one choice of rows that a table of one's own has
PREFIX = "my-"


def own_tables() -> dict[str, ac.Dataset]:
    """The tables of this browser, by the names under which they can be chosen."""
    return dict(rooms.mine().tables)


def is_own(name: str) -> bool:
    """Whether a data set of this name is somebody's own: everything that is not ours."""
    return name not in DATASETS


def names() -> list[str]:
    """What this browser can choose from."""
    return [*DATASETS, *own_tables()]


def info(name: str) -> DatasetInfo:
    """The registry's entry, or one for a table of this browser."""
    if not is_own(name):
        return dataset_info(name)
    data = _mine(name)
    return DatasetInfo(
        name=name,
        title=data.title,
        description=f"{data.source[0].upper()}{data.source[1:]}. Only this browser sees it.",
        kind="real",
        protected=(data.protected,),
        load=lambda request: data,
        forms=lambda: (Form(TABLE, "the rows of your table"),),
    )


def load(name: str, sample: int | None, seed: int) -> ac.Dataset:
    """The table of this browser, or a sample of it."""
    data = _mine(name)
    if sample is None:
        return data
    key = (data.content_hash, sample, seed)
    return rooms.mine().kept("sample", key, lambda: subsample(data, sample, seed), most=2)


def is_small(name: str, rows: int) -> bool:
    """Whether it is a table of this browser with no more than so many rows."""
    return is_own(name) and _mine(name).n <= rows


def fingerprint(name: str) -> str:
    """Tells one preparation of a table from another of the same name."""
    return _mine(name).content_hash[:12]


def _mine(name: str) -> ac.Dataset:
    tables = own_tables()
    if name not in tables:
        raise ac.DataError(
            f"There is no table {name!r} in this browser session (any more); upload it again on "
            "the Data page."
        )
    return tables[name]


def keep(data: ac.Dataset) -> str:
    """Keep a table for this browser; returns its name."""
    rooms.ROOMS.put(visitor(), rooms.session(), data)
    return data.name


def forget(name: str) -> int:
    """Forget the table, what was made from it and its runs; returns how many runs there were."""
    rooms.ROOMS.forget(visitor(), name)
    return store.forget(name)


def choosable_name(title: str) -> str:
    """The name under which a table is chosen: fit for a URL, never that of a bundled set."""
    slug = re.sub(r"[^\w]+", "-", title.casefold()).strip("-_")[:40]
    return PREFIX + (slug or "table")
