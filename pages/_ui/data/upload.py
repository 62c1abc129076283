"""Your own table: from a file to a data set that every page can use."""

from pathlib import PurePath

import streamlit as st

import antidote_core as ac
from antidote_core.datasets import uploads
from pages._ui.data import own_tables, upload_columns, upload_file
from pages._ui.jobs import store
from pages._ui.shared import rooms
from pages._ui.shared.link import escape
from pages._ui.shared.show import or_show_error

SAID = "_upload_said"


def draw() -> None:
    st.title("Your own table", anchor=False)
    if SAID in st.session_state:
        st.success(escape(st.session_state.pop(SAID)))
    yours()
    brought = upload_file.bring()
    if brought is None:
        return
    facts = upload_file.show(brought)
    choice = upload_columns.choose(brought, facts)
    if choice is not None:
        _use(brought, choice)


def yours() -> None:
    """The tables of this browser, each with what can be done with it."""
    for name, data in own_tables.own_tables().items():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escape(name)}**: {escape(data.source)}, groups by "
                        f"{escape(data.protected)}")  # fmt: skip
            if st.button("Use this data", key=f"use-{name}"):
                lead_on(name)
            forget_button(name)


def forget_button(name: str) -> None:
    st.button(
        "Forget this data now", key=f"forget-{name}", on_click=forget, args=(name,),
        help="The table and all runs on it are deleted at once.",
    )  # fmt: skip


def forget(name: str) -> None:
    runs = own_tables.forget(name)
    if st.session_state.get("data") == name:
        st.session_state.pop("data")
    if runs:
        for kind in (store.RUN, store.SWEEP):
            store.show(kind, None)
    word = "run" if runs == 1 else "runs"
    st.session_state[SAID] = f"Forgotten: {name} and {runs} {word} on it."


def _use(brought: upload_file.Brought, choice: uploads.Choice) -> None:
    st.subheader("Use it", anchor=False)
    title = st.text_input(
        "Name of the data set", PurePath(brought.table.name).stem[:40], max_chars=40,
        key=f"up-name-{brought.mark}",
    )  # fmt: skip
    title = uploads.clean_text(title) or "table"
    name = own_tables.choosable_name(title)
    encoded = or_show_error(_encoded, brought, choice, name, title)
    if encoded is None:
        return
    data = encoded.data
    filled = f", {encoded.filled:,} cells filled in" if encoded.filled else ""
    st.markdown(
        f"**{data.n:,} rows** by **{data.points.shape[1]} features**, {len(data.group_names)} "
        f"groups; {encoded.dropped:,} of {encoded.rows:,} rows left out{filled}. It will stand as "
        f"**{escape(name)}** among the data sets on every page."
    )
    with st.expander("What is done to the table"):
        for note in data.notes:
            st.markdown(f"- {escape(note)}")
    if st.button("Use this data", type="primary", key="use-new"):
        if or_show_error(_keep, data) is None:
            return
        lead_on(name)


def _encoded(
    brought: upload_file.Brought, choice: uploads.Choice, name: str, title: str
) -> uploads.Encoded:
    return rooms.mine().kept(
        "encoded", (brought.key, choice, name, title),
        lambda: uploads.encode(brought.table, choice, name, title),
        most=2, note="Preparing the data…",
    )  # fmt: skip


def _keep(data: ac.Dataset) -> bool:
    own_tables.keep(data)
    return True


def lead_on(name: str) -> None:
    """To Explore, with this data chosen and no older run in the way."""
    store.show(store.RUN, None)
    for key in ("protected", "rows", "sample"):
        st.session_state.pop(key, None)
    st.session_state["data"] = name
    # An empty link: parameters that widgets of this page are bound to cannot be cleared otherwise.
    st.switch_page("pages/explore.py", query_params={})
