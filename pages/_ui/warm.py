"""Compile the fast clustering in the background, once per server."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from antidote_core.clustering.compiled import warm


@st.cache_resource(show_spinner=False)
def start_warming() -> threading.Thread:
    thread = threading.Thread(target=warm, daemon=True)
    thread.start()
    return thread


@contextmanager
def patience() -> Iterator[None]:
    """Say why the page waits while the compiler is at work.

    Nothing is compiled twice: numba lets the page wait for just the functions it needs.
    """
    if start_warming().is_alive():
        note = "Preparing the fast clustering: about half a minute, the first time on a machine…"
        with st.spinner(note):
            yield
    else:
        yield
