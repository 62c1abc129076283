"""Frontier before the first sweep: what is known already, what will be drawn, how long it takes."""

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.analysis.comparison import has_baseline
from antidote_core.analysis.progress import SweepEstimate, estimate_sweep, expected_seconds
from antidote_core.engine.settings import cores
from antidote_core.engine.sweep.tasks import compute_reference
from antidote_core.reporting.figures.frontier_chart import cost_chart
from antidote_core.reporting.figures.frontier_table import cost_table, problem_title
from antidote_core.reporting.text.frontier_words import before_sentence, chart_words
from antidote_core.reporting.text.words import duration
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import Reference, SweepView
from pages._ui.jobs import answers, store, sweep_settings
from pages._ui.shared.link import escape
from pages._ui.shared.show import is_dark

SHOWN = 4  # pictures drawn before a sweep


class Known:
    """What the background has found out about a sweep that was not started."""

    def __init__(self, data: ac.Dataset, spec: SweepSpec, working: bool) -> None:
        self.spec, self.data = spec, data
        self.problems = spec.problems[:SHOWN]
        self.waiting: list[Future] = []
        self.trouble: dict[tuple[str, str, int], str] = {}
        self.before: dict[tuple[str, str, int], SweepEstimate] = {}
        self.fair: dict[tuple[str, str, int], Reference] = {}
        for problem in self.problems:
            self._plain(problem)
        for problem in self.problems:
            if problem in self.before and has_baseline(*problem[:2]) and not working:
                self._fair(problem)

    def _plain(self, problem: tuple[str, str, int]) -> None:
        cell = self._cell(problem)
        key = (problem, self.spec.restarts, cell.seed, cell.size, cell.setting.box)
        future = answers.ask_about(
            self.data, "frontier-plain", key, estimate_sweep, cell, self.data, "vanilla"
        )
        found = self._answer(future, problem)
        if found is not None:
            target = self.spec.target
            goal = found.reference.target if isinstance(target, str) else float(target)
            reference = replace(found.reference, target=goal, strict=isinstance(target, str))
            self.before[problem] = replace(found, reference=reference)

    def _fair(self, problem: tuple[str, str, int]) -> None:
        cell = self._cell(problem)
        key = (problem, self.spec.restarts, cell.seed, self.spec.target)
        future = answers.ask_about(
            self.data, "frontier-fair", key,
            compute_reference, cell.spec.to_json(), self.data, self.spec.target,
        )  # fmt: skip
        found = self._answer(future, problem)
        if found is not None and "event" in found:
            self.fair[problem] = Reference.of(found["event"])
        elif found is not None:
            self.trouble[problem] = found["reason"]

    def _cell(self, problem: tuple[str, str, int]) -> Any:
        return next(cell for cell in self.spec.cells if cell.setting.problem == problem)

    def _answer(self, future: Future, problem: tuple[str, str, int]) -> Any:
        self.waiting.append(future)
        try:
            return answers.answer(future)
        except ac.AntidoteError as error:
            self.trouble[problem] = str(error)
            return None

    def view(self) -> SweepView:
        """As a sweep without a single cell."""
        plain = {problem: found.reference for problem, found in self.before.items()}
        found = tuple({**plain, **self.fair}.values())
        return SweepView(spec=self.spec, points=self.data.n, references=found)

    def seconds(self) -> float:
        """Roughly how long the sweep takes on this machine; NaN while that is not known."""
        paces = {problem: found.pace for problem, found in self.before.items()}
        for problem in self.spec.problems[SHOWN:]:  # like their neighbours
            if paces:
                paces[problem] = next(reversed(paces.values()))
        return expected_seconds(self.spec, paces, cores())


def estimate(known: Known) -> None:
    """Cells and time, above the Run button."""
    cells, seconds = len(known.spec.cells), known.seconds()
    cluster = store.cluster()
    if seconds != seconds:
        time = "" if known.trouble else ", estimating the time…"
    elif cluster:
        time = f", about {duration(seconds * cores())} of work for the cluster at {escape(cluster)}"
    else:
        time = f", about {duration(seconds)} on {_cores(cores())}"
    st.caption(
        f"**{cells:,} cells**{time}",
        help=f"{len(known.spec.settings):,} settings × {len(known.spec.sizes):,} sizes × "
        f"{len(known.spec.seeds):,} seeds, by the time of a few evaluations just now. Cells that "
        "are known already are not computed again.",
    )


def draw(known: Known) -> None:
    """The right side before a sweep."""
    spec, data = known.spec, known.data
    st.title(f"{escape(data.title)}: fairness against antidote size", anchor=False)
    introduction, example = st.columns([3, 1], vertical_alignment="center")
    sizes = ", ".join(f"{size:,}" for size in spec.sizes)
    seeds = "1 seed" if len(spec.seeds) == 1 else f"{len(spec.seeds)} seeds"
    introduction.markdown(
        f"Press **Run** to draw how the cost falls as antidote points are added: {sizes} points, "
        f"each with {seeds}, every dot one run. Until then, this is what the dots will be held "
        "against."
    )
    example.button(
        "Show a finished example", on_click=_show_example, width="stretch",
        help="A teaching set, 40 cells, solved in some seconds.",
    )  # fmt: skip
    view = known.view()
    places = st.columns(2, gap="large") if len(known.problems) > 1 else [st.container()]
    for index, problem in enumerate(known.problems):
        with places[index % len(places)]:
            st.subheader(problem_title(problem), anchor=False)
            if problem in known.trouble:
                st.error(escape(known.trouble[problem]), icon="⚠️")
            if problem not in known.before:
                if problem not in known.trouble:
                    st.markdown("Clustering the data as it is… You can press **Run** already.")
                continue
            st.markdown(escape(before_sentence(view, problem)))
            st.vega_lite_chart(
                cost_table(view, problem), cost_chart(view, problem, dark=is_dark()),
                key=f"before-{index}", alt=chart_words(view, problem),
            )  # fmt: skip
            if has_baseline(*problem[:2]) and problem not in known.fair:
                st.caption("The fair algorithm's lines are being computed…")
    hidden = len(spec.problems) - len(known.problems)
    if hidden:
        st.caption(f"And {hidden} more of them once the sweep runs.")


def _show_example() -> None:
    sweep_settings.put(sweep_settings.EXAMPLE)
    store.start(sweep_settings.EXAMPLE)


def _cores(count: int) -> str:
    return "one core" if count == 1 else f"{count} cores"
