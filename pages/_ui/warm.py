"""Compile the fast k-means in the background, once per server."""

import threading

import streamlit as st

from antidote_core.clustering.compiled import warm


@st.cache_resource(show_spinner=False)
def start_warming() -> threading.Thread:
    thread = threading.Thread(target=warm, daemon=True)
    thread.start()
    return thread


def wait_until_warm() -> None:
    """Hold the page until the compiler is done, and say so."""
    thread = start_warming()
    if thread.is_alive():
        with st.spinner("Preparing the fast clustering: up to half a minute, once per machine…"):
            thread.join()
