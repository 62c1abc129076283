"""Explore before the first run: the plain clustering, what to beat, and an example."""

from concurrent.futures import Future

import streamlit as st

import antidote_core as ac
from antidote_core.reporting.references import best_possible, has_fair_algorithm, plain_cost
from antidote_core.reporting.words import number
from pages._ui import clustering_blocks, dataset_blocks, run_jobs, run_settings, run_store
from pages._ui.run_settings import Asked
from pages._ui.show import attempt

EXAMPLE = ac.RunSpec(
    dataset="two-optima", start_size=4, step=2, target=-0.9, budget=200, max_rounds=12
)


def references(data: ac.Dataset, asked: Asked, wait: bool) -> list[Future]:
    """What α can be compared with; returns what is still being computed.

    `wait` begins nothing new: a run is at work, and its results will say the same.
    """
    plain = run_jobs.plain_job(data, asked.clustering)
    lines = [f"plain clustering: **{_cost(plain, lambda r: plain_cost(r, asked.fairness, data))}**"]
    futures = [plain]
    if has_fair_algorithm(asked.clustering.clustering, asked.fairness):
        if wait or not plain.done():
            lines.append("fair algorithm (SOTA): computed after that…")
        else:
            fair = run_jobs.fair_job(data, asked.fairness, asked.clustering)
            futures.append(fair)
            lines.append(_fair_line(fair))
    else:
        lines.append("fair algorithm (SOTA): none known for this pair")
    lines.append(f"best possible: {best_possible(asked.fairness)}")
    st.caption("What α means here, lower is fairer:  \n" + "  \n".join(lines))
    return futures


def _cost(future: Future, take) -> str:
    try:
        found = run_jobs.answer(future)
    except ac.AntidoteError:
        return "not available"
    return "computing…" if found is None else number(take(found), 4)


def _fair_line(fair: Future) -> str:
    try:
        costs = run_jobs.answer(fair)
    except ac.AntidoteError as error:
        return f"fair algorithm (SOTA): not available. {error}"
    if costs is None:
        return "fair algorithm (SOTA): computing…"
    return "  \n".join(f"SOTA, {label}: **{number(cost, 4)}**" for label, cost in costs.items())


def plain_clustering(data: ac.Dataset, asked: Asked) -> None:
    """The right side before a run: what there is to improve."""
    st.subheader(f"{data.title}: before anything is added", anchor=False)
    introduction, example = st.columns([3, 1], vertical_alignment="center")
    introduction.markdown(
        "Press **Run** to look for a few extra points (antidote data) that make the *same* "
        "clustering fairer. Until then, this is the plain clustering and what it costs."
    )
    example.button(
        "Show a finished example", on_click=show_example, width="stretch",
        help="A teaching set with two clusters, solved in a few seconds.",
    )  # fmt: skip
    future = run_jobs.plain_job(data, asked.clustering)
    if not future.done():
        with st.container(height=420, border=True):
            st.markdown("Clustering the data as it is… You can press **Run** already.")
        return
    report = attempt(run_jobs.answer, future)
    if report is None:
        dataset_blocks.offer_sample(data)
        return
    clustering_blocks.verdict(data, asked.clustering, report)
    left, right = st.columns(2, gap="large")
    with left:
        clustering_blocks.who_is_where(data, report)
        clustering_blocks.group_costs(data, report)
    with right:
        clustering_blocks.point_map(data, asked.clustering, report)


def show_example() -> None:
    run_settings.put(EXAMPLE)
    run_store.start(EXAMPLE)
