"""How pages draw: a chart with its table, a cost with its scale, an error as a sentence."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import antidote_core as ac
from antidote_core.reporting.figures.palette import DECIDES
from pages._ui.shared.link import escape

MODEBAR = {"displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"]}


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
    with st.expander("The numbers behind this chart"):
        st.dataframe(table, hide_index=True)


def number_with_scale(label: str, value: str, scale: str, explanation: str) -> None:
    """One number with its unit or reference right below it."""
    st.metric(label, value, help=explanation)
    st.caption(escape(scale))


def marked(table: pd.DataFrame) -> Any:
    """The table with its deciding cell (◀) in the colour that marks it in the charts."""
    style = f"background-color: {DECIDES}; color: white; font-weight: bold"
    return table.style.map(lambda cell: style if str(cell).endswith("◀") else "")


def page_style() -> None:
    """Less empty room above the page than Streamlit leaves, so that more fits on one screen."""
    st.html(
        "<style>[data-testid='stMainBlockContainer'] "
        "{padding-top: 4rem; padding-bottom: 3rem;} "
        # It would write cells as they are, formulas included; our own CSV files do not.
        "button[aria-label='Download as CSV'] {display: none;}</style>"
    )
