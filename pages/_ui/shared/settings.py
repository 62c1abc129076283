"""The settings of a page: widgets bound to the URL, so that a link shows the same thing again.

The URL carries what the widget shows: a title (see `link.TITLES`), or one of the library's names,
and then a line below the widget says in words what the name means.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DatasetInfo, Form
from pages._ui.shared import own_tables
from pages._ui.shared.link import escape, title_of

URL: Final = "query-params"
UPLOAD = "upload your own…"  # the last of the data sets
OWN_TABLE = "your own table"  # what Data shows then
SEED_HELP = (
    "Draws the sample, the points of the teaching sets and the starts of the clustering. "
    "Same seed, same result."
)


@dataclass(frozen=True)
class DataSettings:
    name: str
    protected: str
    rows: str
    sample: int | None
    seed: int


@dataclass(frozen=True)
class ClusteringSettings:
    clustering: str
    k: int
    restarts: int
    seed: int


def data_settings(
    seed_help: str = SEED_HELP, upload: Callable[[], None] | None = None
) -> DataSettings:
    """Draw the widgets of the data and read them; `upload` draws the form for a new table."""
    name = choose_data(_forget_choices, upload)
    info = own_tables.info(name)
    st.caption(f"**{escape(info.title)}.** {escape(info.description)}")
    protected = choose_protected(info)
    forms = info.forms()
    if len(forms) > 1:
        rows = _rows(forms)
        _say_what_is_missing(forms, rows)
    with st.expander("Sample and seed" if len(forms) > 1 else "Rows, sample and seed"):
        if len(forms) == 1:
            rows = _rows(forms)
        sample = st.number_input(
            "Sample of the rows",
            min_value=1,
            value=None,
            step=500,
            placeholder="all rows",
            key="sample",
            bind=URL,
            help="Takes this many rows, in proportion to the group sizes.",
        )
        seed = choose_seed(seed_help)
    return DataSettings(name, protected, rows, sample, seed)


def choose_data(on_change: Callable[[], None], upload: Callable[[], None] | None = None) -> str:
    """One of the data sets here or of the tables of this browser.

    The last choice is to bring a table: then `upload` draws the form, or the Data page has it, and
    the page ends there.
    """
    names = [*own_tables.names(), UPLOAD]
    if st.session_state.get("data", names[0]) not in names:
        del st.session_state["data"]  # a table that was forgotten elsewhere
    name = st.selectbox(
        "Data set", names, index=1, key="data", bind=URL, on_change=_unless_upload,
        args=(on_change,), format_func=title_of("data"),
        help="A table of your own stands at the end, once it is uploaded.",
    )  # fmt: skip
    if name == UPLOAD and upload is not None:
        upload()
        st.stop()
    elif name == UPLOAD:
        st.switch_page("pages/data.py", query_params={"show": OWN_TABLE})
    return name


def _unless_upload(on_change: Callable[[], None]) -> None:
    if st.session_state["data"] != UPLOAD:
        on_change()


def choose_seed(meaning: str) -> int:
    return st.number_input(
        "Seed", 0, 2**31 - 1, 0, step=1, key="seed", bind=URL, help=meaning,
    )  # fmt: skip


def one_of(label: str, options: Sequence[str], key: str, **look: Any) -> Any:
    """One of a few options, the first to begin with; the link carries it."""
    return st.segmented_control(
        label, options, default=options[0], required=True, key=key, bind=URL, **look
    )


def choose_protected(info: DatasetInfo) -> str:
    return st.radio(
        "Protected attribute", info.protected, format_func=escape, key="protected", bind=URL,
        horizontal=True,
    )  # fmt: skip


def _rows(forms: tuple[Form, ...]) -> str:
    names = [form.name for form in forms]
    return st.radio(
        "Rows",
        names,
        index=names.index(_first_here(forms)),
        captions=[form.title if form.available else f"{form.title} (not here)" for form in forms],
        key="rows",
        bind=URL,
    )


def _first_here(forms: tuple[Form, ...]) -> str:
    """The first form that can be shown here; the first of all where none can."""
    return next((form for form in forms if form.available), forms[0]).name


def _say_what_is_missing(forms: tuple[Form, ...], rows: str) -> None:
    """A banner where the usual form is not here and another one is shown."""
    usual = forms[0]
    if rows != usual.name and usual.missing:
        title = next(form.title for form in forms if form.name == rows)
        st.info(escape(f"Shown: {title}. {usual.missing}"))


def _forget_choices() -> None:
    """A new data set starts from its own defaults."""
    info = own_tables.info(st.session_state["data"])
    st.session_state["protected"] = info.protected[0]
    st.session_state["rows"] = _first_here(info.forms())
    st.session_state["sample"] = None


def clustering_settings(seed: int) -> ClusteringSettings:
    method = st.selectbox(
        "Clustering", list(CLUSTERINGS), key="method", bind=URL, format_func=title_of("method")
    )
    st.caption(f"{CLUSTERINGS[method].title}. {CLUSTERINGS[method].description}")
    k = st.slider("Number of clusters (k)", 2, 10, 2, key="k", bind=URL)
    with st.expander("Restarts"):
        restarts = st.number_input(
            "Restarts", min_value=1, max_value=100, value=10, step=1, key="restarts", bind=URL
        )
        st.caption(
            "The best of so many starts counts. The paper takes a single start (1): then another "
            "seed may end in another clustering."
        )
    return ClusteringSettings(method, k, restarts, seed)
