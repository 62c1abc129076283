"""Before a run: scenarios of one click, finished examples, and what is worth knowing."""

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.design.designer import can_design
from antidote_core.analysis.progress import estimate_run
from antidote_core.engine.examples import EXAMPLES
from antidote_core.reporting.text.run_words import advice
from antidote_core.reporting.text.words import duration
from antidote_core.runs.scenarios import SCENARIOS, Scenario
from pages._ui.jobs import store
from pages._ui.jobs.job_blocks import press, start_with
from pages._ui.jobs.job_settings import RunRequest, values_of
from pages._ui.shared import answers
from pages._ui.shared.frame import or_show_error
from pages._ui.shared.link import escape

PICKED = "scenario"
COLUMNS = 3


def cards() -> None:
    """The scenarios, each a button that sets everything and starts."""
    st.markdown("**Press Run, or begin with one of these.** One click sets everything and starts.")
    names = list(SCENARIOS)
    for start in range(0, len(names), COLUMNS):
        places = st.columns(COLUMNS, gap="small")
        for place, name in zip(places, names[start : start + COLUMNS], strict=False):
            with place.container(border=True, key=f"card-{name}"):
                _card(name, SCENARIOS[name])


def _card(name: str, scenario: Scenario) -> None:
    seconds = EXAMPLES[name].seconds
    took = f"about {duration(seconds)}" if seconds >= 1 else "under 1 s"
    st.button(
        f"▶ {scenario.title} · {took}", key=f"go-{name}", width="stretch",
        on_click=start_with, args=(scenario.spec,),
        help="The time is what it took when it was recorded, with another seed.",
    )  # fmt: skip
    st.caption(escape(scenario.sentence))


def pick() -> None:
    """The same scenarios as a list at the side; choosing one starts it."""
    st.selectbox(
        "Scenario", list(SCENARIOS), index=None, key=PICKED, on_change=_start_picked,
        format_func=lambda name: SCENARIOS[name].title, placeholder="one click: set and run",
        help="Sets everything below and starts.",
    )  # fmt: skip


def _start_picked() -> None:
    name = st.session_state[PICKED]
    if name is not None:
        start_with(SCENARIOS[name].spec)
        st.session_state[PICKED] = None


def gallery() -> None:
    """Recorded runs that open at once; nothing is computed and no setting changes."""
    with st.container(horizontal=True, gap="small", key="gallery"):
        st.markdown("**Show a finished example:**", width="content")
        for name, example in EXAMPLES.items():
            st.button(
                example.title, key=f"example-{name}", on_click=_open, args=(name,),
                help=f"{example.sentence} A recorded run: it opens at once, settings stay.",
            )  # fmt: skip


def _open(name: str) -> None:
    if or_show_error(store.open_example, name) is not None:
        press()


def counsel(data: ac.Dataset, asked: RunRequest, begun: bool) -> list[Future[Any]]:
    """What is worth knowing before Run, each with a button that changes it; what is awaited.

    It is computed from the time on when plain clustering is known (`begun`).
    """
    spec = asked.spec
    if not isinstance(spec, ac.RunSpec):
        return []
    waiting = []
    if begun:
        waiting = [answers.ask_about(data, "estimate", (spec.id,), estimate_run, spec, data)]
    with st.container(border=True, key="advice"):
        st.markdown("**Before you run**")
        found = or_show_error(answers.answer, waiting[0]) if begun else None
        if found is None:
            st.caption("Counting rounds and seconds… You can press **Run** already.")
            return waiting
        said = advice(found, spec, can_design(spec.clustering, spec.fairness))
        for index, one in enumerate(said):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(escape(one.text))
                if one.label:
                    st.button(
                        one.label, key=f"advice-{index}", on_click=_change, args=(spec, one.changes)
                    )
    return waiting


def _change(spec: ac.RunSpec, changes: dict[str, Any]) -> None:
    st.session_state.update(values_of(replace(spec, **changes)))
