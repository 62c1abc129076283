"""What stands below an ended run: files to take along, notes, and what was not shown."""

import streamlit as st

import antidote_core as ac
from antidote_core.engine.status import RunStatus
from antidote_core.reporting.costs import cost_meaning
from antidote_core.reporting.departures import departures
from antidote_core.reporting.limits import limits
from pages._ui.link import escape
from pages._ui.taken_along import take_along


def after(run_id: str, data: ac.Dataset, status: RunStatus, view: ac.RunView) -> None:
    """Everything that follows the charts."""
    spec = status.spec
    take_along(run_id, data, status, view)
    for note in view.notes:
        st.caption(escape(note))
    with st.expander("What the cost means"):
        st.markdown(escape(cost_meaning(spec.fairness)))
    with st.expander("What was not shown"):
        _listed(limits(data, spec, view))
    with st.expander("Where this departs from the paper"):
        _listed(departures(spec))


def _listed(sentences: tuple[str, ...]) -> None:
    st.markdown("\n".join(f"- {escape(sentence)}" for sentence in sentences))
