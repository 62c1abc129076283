"""The glossary: every word and symbol of the screens."""

import streamlit as st

from antidote_core.reporting.glossary import find_terms


def glossary() -> None:
    wanted = st.text_input("Find a word or a symbol", placeholder="for example α or balance")
    found = find_terms(wanted)
    if not found:
        st.markdown("Nothing here has that word; try a shorter one.")
    for term in found:
        symbol = f" ({term.symbol})" if term.symbol else ""
        st.markdown(f"**{term.word}{symbol.replace('|', chr(92) + '|')}**: {term.sentence}")
