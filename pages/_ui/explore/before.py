"""Explore before the first run: the plain clustering, what to beat, and an example."""

from concurrent.futures import Future

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.comparison import has_baseline, vanilla_cost_of
from antidote_core.fairness import get_fairness
from antidote_core.reporting.text.words import number
from pages._ui.data import clustering_blocks, dataset_blocks
from pages._ui.jobs import answers, run_settings, store
from pages._ui.jobs.run_settings import RunRequest
from pages._ui.shared.link import escape
from pages._ui.shared.show import or_show_error

EXAMPLE = ac.RunSpec(
    dataset="two-optima", start_size=4, step=2, target=-0.9, budget=200, max_rounds=12
)


def references(
    data: ac.Dataset, asked: RunRequest, working: bool
) -> tuple[list[Future], dict[str, float]]:
    """What α can be compared with, beside it.

    Returns what is still being computed and the fair algorithm's costs by label. While a run is
    `working`, no fair algorithm is begun: the cores are for the run, which compares in the end.
    What is known from before the run is shown all the same.
    """
    plain = answers.plain_job(data, asked.clustering)
    futures = [plain]
    fair: dict[str, float] = {}
    lines = [_plain_line(plain, asked.fairness, data)]
    if not has_baseline(asked.clustering.clustering, asked.fairness):
        lines.append("SOTA: no fair algorithm is known for this pair")
    elif not plain.done() or (
        working and not answers.fair_known(data, asked.fairness, asked.clustering)
    ):
        lines.append("SOTA: computed " + ("at the end of the run…" if working else "next…"))
    else:
        future = answers.fair_job(data, asked.fairness, asked.clustering)
        futures.append(future)
        try:
            fair = answers.answer(future) or {}
            lines += [f"SOTA ({label}): **{number(cost, 4)}**" for label, cost in fair.items()]
            if not fair:
                lines.append("SOTA: computing…")
        except ac.AntidoteError as error:
            lines.append(f"SOTA: not available. {escape(str(error))}")
    lines.append(f"best possible: {get_fairness(asked.fairness).best}")
    with asked.beside_target:
        st.caption("  \n".join(lines))
    return futures, fair


def _plain_line(plain: Future, fairness: str, data: ac.Dataset) -> str:
    try:
        report = answers.answer(plain)
    except ac.AntidoteError:
        return "plain clustering: not available"
    if report is None:
        return "plain clustering (vanilla): computing…"
    return f"plain clustering (vanilla): **{number(vanilla_cost_of(report, fairness, data), 4)}**"


def plain_clustering(data: ac.Dataset, asked: RunRequest) -> None:
    """The right side before a run: what there is to improve."""
    st.title(f"{escape(data.title)}: before anything is added", anchor=False)
    introduction, example = st.columns([3, 1], vertical_alignment="center")
    introduction.markdown(
        "Press **Run** to look for a few extra points (antidote data) that make the *same* "
        "clustering fairer. Until then, this is the plain clustering and what it costs."
    )
    example.button(
        "Show a finished example", on_click=show_example, width="stretch",
        help="A teaching set with two clusters, solved in a few seconds.",
    )  # fmt: skip
    future = answers.plain_job(data, asked.clustering)
    if not future.done():
        with st.container(height=420, border=True):
            st.markdown("Clustering the data as it is… You can press **Run** already.")
        return
    report = or_show_error(answers.answer, future)
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
    store.start(EXAMPLE)
