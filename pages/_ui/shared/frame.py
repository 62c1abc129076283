"""The frame around every page: its place in the navigation, width and style."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages._ui.jobs.keeper import KEEPER
from pages._ui.shared import rooms
from pages._ui.shared.background import start_warming
from pages._ui.shared.show import page_style

PAGES = {
    "home": "Home",
    "learn": "Learn",
    "explore": "Explore",
    "frontier": "Frontier",
    "runs": "Runs",
    "paper": "Paper",
    "convex": "Convex",
    "data": "Data",
}
HIDDEN = {"present": "Present", "compare": "Compare runs"}  # reached from a run or from the list
_FRAMED = "_framed"


def navigation() -> StreamlitPage:
    """The page to run, chosen by the URL; the first of PAGES is the default."""
    st.session_state[_FRAMED] = True
    names = [
        st.Page(f"pages/{name}.py", title=title, default=index == 0)
        for index, (name, title) in enumerate(PAGES.items())
    ]
    names += [
        st.Page(f"pages/{name}.py", title=title, visibility="hidden")
        for name, title in HIDDEN.items()
    ]
    return st.navigation(names, position="top")


def draw_frame() -> None:
    st.set_page_config(page_title="Antidote", page_icon="⚖️", layout="wide")
    page_style()
    start_warming()
    rooms.mine()  # the keeper looks after everybody who has a page
    KEEPER.look_after(rooms.session())


def enter() -> None:
    """First line of a page: get the frame when the page was run without it.

    The first visitor of a fresh server who opens the link of a page gets that file alone, because
    Streamlit looks into the folder pages/ until it has seen `st.navigation` once.
    """
    if not st.session_state.get(_FRAMED):
        navigation()
        st.rerun()
