"""A run beside plain clustering and the fair algorithm."""

import streamlit as st

import antidote_core as ac
from antidote_core.reporting.comparison import (
    comparison_table,
    measure_figure,
    measures,
    side_note,
)
from antidote_core.reporting.verdict import cost_digits
from pages._ui.link import escape


def against_the_others(view: ac.RunView, fairness: str, working: bool) -> None:
    """Small multiples, one measure each, the same order and colours everywhere."""
    if view.state in ("queued", "running"):
        return
    table = comparison_table(view, fairness)
    if table.empty:
        if working:
            st.caption("Comparing with plain clustering and the fair algorithm…")
        return
    st.subheader("Against the others", anchor=False)
    note = side_note(view, fairness)
    if note:
        st.markdown(f"**{escape(note)}**" if "worse" in note else escape(note))
    digits = cost_digits(view)
    kinds = measures(fairness)
    for start in range(0, len(kinds), 3):
        for column, measure in zip(st.columns(3), kinds[start : start + 3], strict=False):
            with column:
                st.markdown(f"**{measure.title}**, {measure.better}")
                st.plotly_chart(
                    measure_figure(table, measure, digits),
                    key=f"compare-{measure.column}",
                    config={"displayModeBar": False},
                    alt=f"{measure.title}, {measure.better}",
                )
    st.caption(
        "“own” scores a fair algorithm by the clusters it assigns itself, “nearest” keeps only its "
        "centres, as the paper's cost does. Grey plain clustering, blue fair algorithm, orange "
        "antidote data."
    )
    for text in dict.fromkeys(note for row in view.comparison for note in row.get("notes", ())):
        st.caption(escape(text))
    with st.expander("The numbers behind these charts"):
        st.dataframe(table, hide_index=True)
