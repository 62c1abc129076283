"""What is special about a run that designed V: its contests, how sure it is, what limits it."""

import streamlit as st

import antidote_core as ac
from antidote_core.reporting.design_words import cut_sentence, cut_table, design_sentences
from pages._ui.link import escape

SHOWN = 35 * 6 + 3  # pixels: five contests and the head of the table


def sentences(view: ac.RunView) -> None:
    """Below the verdict of a run that ended; nothing where V was not designed."""
    found = design_sentences(view)
    if found:
        st.markdown("\n".join(f"- {escape(sentence)}" for sentence in found))


def contests(view: ac.RunView) -> None:
    """The rounds of cuts, latest first, beside the curve."""
    if not view.cuts:
        return
    st.markdown(f"**Contests of the design: {len(view.cuts):,}**")
    st.caption(f"Latest: {escape(cut_sentence(view.cuts[-1]))}.")
    st.dataframe(cut_table(view), hide_index=True, height=SHOWN, key="contests")
    st.caption(
        "Each row: a program places the points and promises a cost; then the data are clustered "
        "again. A competitor with the lower inertia becomes one more "
        "condition of the next program."
    )
