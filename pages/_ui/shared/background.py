"""What a server does in the background: compile the fast clustering once, collect garbage."""

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from antidote_core.clustering.compiled import warm

COLLECT_SECONDS = 120.0


@st.cache_resource(show_spinner=False)
def start_warming() -> threading.Thread:
    thread = threading.Thread(target=warm, daemon=True)
    thread.start()
    return thread


@st.cache_resource(show_spinner=False)
def start_collecting() -> threading.Thread:
    """A whole garbage collection now and then; after every run of a page it would take too long."""

    def collect() -> None:
        while True:
            time.sleep(COLLECT_SECONDS)
            gc.collect()

    thread = threading.Thread(target=collect, daemon=True)
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
