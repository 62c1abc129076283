"""Two to four runs beside each other."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import antidote_core as ac
from antidote_core.engine import RunError
from antidote_core.reporting.figures.side_by_side import (
    MOST,
    Side,
    curves_figure,
    curves_table,
    curves_words,
    difference_sentence,
    results_table,
    settings_table,
    warning,
)
from antidote_core.reporting.text.glossary import cost_meaning
from antidote_core.reporting.text.settings_text import combination, dataset_title
from pages._ui.jobs import store
from pages._ui.shared.link import escape
from pages._ui.shared.show import chart

DIFFERENT = "background-color: rgba(230,159,0,0.25); font-weight: 600"


def asked_runs() -> list[str]:
    """The ids in the link, each once."""
    text = st.query_params.get("runs", "")
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def sides(ids: Sequence[str]) -> list[Side]:
    """The runs; a sentence where they cannot stand side by side."""
    if not 2 <= len(ids) <= MOST:
        raise RunError(
            f"The link names {len(ids)} runs; two to {MOST} can stand side by side. Choose them on "
            "the page Runs."
        )
    return [_side(run_id) for run_id in ids]


def _side(run_id: str) -> Side:
    status = store.status_of(run_id)
    spec = status.spec
    if not isinstance(spec, ac.RunSpec):
        raise RunError("A frontier cannot stand beside a run; open it on the page Frontier.")
    store.keep(run_id)
    name = status.name or f"{dataset_title(spec)}, {combination(spec)}"
    return Side(name, spec, store.view_of(store.RUN, run_id))


def show(found: Sequence[Side]) -> None:
    """What differs, what came out, the curves."""
    st.subheader(escape(difference_sentence(found)), anchor=False)
    doubt = warning(found)
    if doubt:
        st.warning(doubt, icon="⚠️")
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("What came out", anchor=False)
        st.table(results_table(found).set_index("").map(escape).rename(columns=escape))
        for cost in dict.fromkeys(side.spec.fairness for side in found):
            st.caption(escape(cost_meaning(cost)))
    with right:
        st.subheader("Cost against antidote size", anchor=False)
        chart(curves_figure(found), curves_table(found), "curves", curves_words(found))
        st.caption("Grey line: plain clustering. Every mark is the best V of a round.")
    st.subheader("Settings", anchor=False)
    st.caption("≠ and a coloured line: the runs differ here.")
    st.dataframe(_marked(settings_table(found)), hide_index=True, height="content")


def _marked(table: pd.DataFrame) -> Any:
    def paint(row: pd.Series) -> list[str]:
        return [DIFFERENT if row[""] else ""] * len(row)

    return table.style.apply(paint, axis=1)
