"""The frame around every page, and how pages draw: a chart with its table, an error in words."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

import antidote_core as ac
from antidote_core.reporting.figures.palette import DECIDES
from pages._ui.jobs import store
from pages._ui.jobs.keeper import KEEPER
from pages._ui.shared import rooms
from pages._ui.shared.answers import KERNELS
from pages._ui.shared.link import escape

PAGES = {  # in the order of work
    "home": "Home",
    "learn": "Learn",
    "data": "Data",
    "explore": "Explore",
    "frontier": "Frontier",
    "runs": "Runs",
    "paper": "Paper",
}
HIDDEN = {  # reached from a run, from the list, from Paper and Learn
    "arena": "Arena",
    "present": "Present",
    "compare": "Compare runs",
    "convex": "Convex",
}
FILLED = ":is([data-testid=stBaseButton-primary], [data-testid=stMultiSelect] [data-tag]) *"
_FRAMED = "_framed"
CARRIED = "_carried"  # values for the widgets of the next page
REMEMBERED = "up-"  # how the keys of the upload form begin
MODEBAR = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


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
    style(Path(__file__).with_name("page.css"))
    if is_dark():  # the blue that can be read on a dark page is too light for white letters
        st.html(f"<style>{FILLED} {{color: #101418;}}</style>")
    KERNELS.when_made(store.runner().get_ready)  # who waits for a run would compile them too
    rooms.mine()  # the keeper looks after everybody who has a page
    KEEPER.look_after(rooms.session())
    _remember_forms()


def _remember_forms() -> None:
    """Keep what was chosen on the upload form: Streamlit forgets widgets of pages one leaves."""
    for key in st.session_state:
        if str(key).startswith(REMEMBERED):
            st.session_state[key] = st.session_state[key]


def enter() -> None:
    """First line of a page: get the frame when the page was run without it, and what was carried.

    The first visitor of a fresh server who opens the link of a page gets that file alone, because
    Streamlit looks into the folder pages/ until it has seen `st.navigation` once.
    """
    if not st.session_state.get(_FRAMED):
        navigation()
        st.rerun()
    st.session_state.update(st.session_state.pop(CARRIED, {}))


def carry_to(page: str, values: dict[str, Any], link: dict[str, str] | None = None) -> None:
    """Go to that page, whose widgets show these values then.

    Streamlit writes what they show into the link where this page has the same widgets, which it may
    not set itself; the others it writes when somebody changes them. Those that matter stand in
    `link`.
    """
    st.session_state[CARRIED] = values
    st.switch_page(f"pages/{page}.py", query_params=link or {})


def is_dark() -> bool:
    return st.context.theme.type == "dark"


def or_show_error(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result, or None after an error sentence meant for people."""
    try:
        return function(*arguments)
    except ac.AntidoteError as error:
        st.error(escape(str(error)), icon="⚠️")
        return None


def chart(figure: Any, table: pd.DataFrame, key: str, alt: str, movable: bool = False) -> None:
    """A figure, described for those who cannot see it, and the table behind it."""
    config = MODEBAR if movable else {"displayModeBar": False}
    st.plotly_chart(figure, key=key, config=config, alt=alt)
    behind(table)


def behind(table: Any, what: str = "The numbers behind this chart") -> None:
    """A table that opens when somebody wants it."""
    with st.expander(what):
        st.dataframe(table, hide_index=True)


def listed(sentences: Iterable[str]) -> None:
    """Sentences below each other."""
    st.markdown("\n".join(f"- {escape(sentence)}" for sentence in sentences))


def numbers_with_scales(*numbers: tuple[str, str, str, str]) -> None:
    """Numbers side by side: label, value, its unit or reference right below it, what it means."""
    places = st.columns(len(numbers))
    for place, (label, value, scale, meaning) in zip(places, numbers, strict=True):
        place.metric(label, value, help=meaning)
        place.caption(escape(scale))


def marked(table: pd.DataFrame) -> Any:
    """The table with its deciding cell (◀) in the colour that marks it in the charts."""
    style = f"background-color: {DECIDES}; color: white; font-weight: bold"
    return table.style.map(lambda cell: style if str(cell).endswith("◀") else "")


def style(file: Path) -> None:
    """Add the rules of a CSS file to the page."""
    st.html(f"<style>{file.read_text(encoding='utf-8')}</style>")
