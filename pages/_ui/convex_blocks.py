"""The blocks of the Convex page: its settings, its answers from the background, its charts."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core import numerals
from antidote_core.analysis import convex_runs
from antidote_core.analysis.convex_runs import PAPER_SAMPLE, paper_sample
from antidote_core.reporting.figures import convex_figures
from antidote_core.reporting.text import words
from pages._ui.shared import answers, own_tables
from pages._ui.shared.answers import Job, answer, ask_about
from pages._ui.shared.frame import behind, chart, is_dark, numbers_with_scales, or_show_error
from pages._ui.shared.link import escape
from pages._ui.shared.rooms import Key
from pages._ui.shared.settings import (
    URL,
    DataSettings,
    choose_data,
    choose_protected,
    choose_seed,
    one_of,
)

NOTE = Path(__file__).parents[2] / "docs" / "algorithm-1.md"
PAPER_SETS = ("adult", "bank", "creditcard", "lfw")
LAMBDAS = [round(0.001 * i, 3) for i in range(1, 11)] + [
    0.0125, 0.015, 0.0175, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.08, 0.1, 0.125, 0.15,
    0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5,
]  # fmt: skip
MOST_POINTS = 200
BUDGET = 100
OTHER_SAMPLES = 4
RANGES = {
    "paper": "In the paper's range, 0.001 to 0.01, hardly any centres fuse (the numbers of "
    "clusters stand in the tables). Thin lines: other samples of the same size.",
    "fusing": "From λ where centres are apart to λ where all are one. Once all are one, the centre "
    "is the mean of data and antidote points, as in the program, and the points help.",
}


@dataclass(frozen=True)
class ConvexSettings:
    name: str
    protected: str
    points: int
    two_groups: bool
    seed: int
    lam: float
    gamma: float
    size: int
    direct: bool


def settings() -> ConvexSettings:
    name = choose_data(_forget_protected)
    info = own_tables.info(name)
    st.caption(escape(info.description))
    protected = choose_protected(info)
    lam = st.select_slider(
        "Pull of the centres on each other (λ)", LAMBDAS, value=0.01, key="lam", bind=URL,
        help="λ: the larger, the more centres fuse. The paper takes 0.001 to 0.01.",
    )  # fmt: skip
    size = st.slider(
        "Antidote points (|V|)", 1, 20, 10, key="size", bind=URL,
        help="How many points are added. The paper takes at most 10.",
    )  # fmt: skip
    gamma = st.slider(
        "Factor of the affine constraint (γ)", 0.0, 1.0, 0.99, 0.01, key="gamma", bind=URL,
        help="γ: stands in for the condition that is not convex; 0.99 in the paper. It changes "
        "what is promised, but not where the points go.",
    )  # fmt: skip
    direct = st.toggle(
        "Search directly as well", key="direct", bind=URL,
        help="Look for better places by exact clustering of the data with the points.",
    )  # fmt: skip
    with st.expander("Sample, groups and seed"):
        points = st.slider(
            "Points of the sample", 20, MOST_POINTS, PAPER_SAMPLE, 10, key="points", bind=URL,
            help="Convex clustering looks at every pair of points. The paper takes 100.",
        )  # fmt: skip
        largest = "two: the two largest, as in the paper."
        groups = one_of("Groups", ["two", "all"], "groups", help=largest)
        seed = choose_seed(
            "Draws the sample and the steps of the direct search. Same seed, same result."
        )
    return ConvexSettings(name, protected, points, groups == "two", seed, lam, gamma, size, direct)


def _forget_protected() -> None:
    st.session_state["protected"] = own_tables.info(st.session_state["data"]).protected[0]


def sample(asked: ConvexSettings, name: str | None = None) -> ac.Dataset:
    """The sample asked for, or the same of another data set in its first form that is here."""
    chosen = name or asked.name
    info = own_tables.info(chosen)
    protected = asked.protected if chosen == asked.name else info.protected[0]
    forms = [form.name for form in info.forms() if form.available]
    rows = next(form for form in forms if form != "download")
    seed = asked.seed if info.kind == "teaching" else 0
    data = answers.load(DataSettings(chosen, protected, rows, None, seed))
    return paper_sample(data, asked.points, asked.two_groups, asked.seed)


def _ask(
    data: ac.Dataset, kind: str, function: Callable[..., Any], given: tuple, settings: Key
) -> Job:
    """What the function makes of what is given, under these settings; kept by the settings."""
    return ask_about(data, kind, settings, function, *given, *settings)


def result_job(data: ac.Dataset, asked: ConvexSettings) -> Job:
    settings = (asked.lam, asked.gamma, asked.size)
    return _ask(data, "convex", ac.solve_convex, (data.points, data.groups), settings)


def direct_job(data: ac.Dataset, asked: ConvexSettings) -> Job:
    settings = (asked.lam, asked.size, BUDGET, asked.seed)
    return _ask(data, "convex-direct", convex_runs.direct_search, (data,), settings)


def path_job(data: ac.Dataset, asked: ConvexSettings, with_antidote: bool) -> Job:
    settings = (asked.gamma, asked.size, with_antidote)
    return _ask(data, "convex-path", convex_runs.path_of, (data,), settings)


def sweep_job(name: str, data: ac.Dataset, asked: ConvexSettings) -> Job:
    seeds = range(asked.seed + 1, asked.seed + 1 + OTHER_SAMPLES)
    others = tuple(sample(replace(asked, seed=seed), name) for seed in seeds)
    known = (asked.seed, asked.gamma, asked.size)
    arguments = (data, others, asked.gamma, asked.size)
    return ask_about(data, "convex-sweep", known, convex_runs.sweeps, *arguments)


def header(data: ac.Dataset) -> None:
    st.title("Convex clustering (Algorithm 1)", anchor=False)
    st.markdown(
        "Here every point has a centre of its own, and a pull λ between the centres makes them "
        "fuse. The paper finds antidote points for this clustering by a convex program that stands "
        "in for it. This page solves that program, **then clusters again exactly** and shows what "
        "its points really do."
    )
    sizes = ", ".join(
        f"{name} {count}"
        for name, count in zip(data.group_names, data.group_sizes.tolist(), strict=True)
    )
    shown = (
        f"Shown: {data.title}, {data.source}. {data.n} points, {data.points.shape[1]} features, "
        f"groups by {data.protected}: {sizes}."
    )
    st.caption(escape(shown))


def verdict(data: ac.Dataset, job: Job) -> None:
    """One sentence, four numbers, and why."""
    result = _shown(job, "Clustering the data and the data with antidote points…")
    if result is None:
        return
    st.subheader(convex_figures.headline(result), anchor=False)
    digits = convex_figures.cost_digits(result)
    numbers_with_scales(
        ("Plain cost, lower is fairer", numerals.number(result.vanilla_cost, digits),
         f"exact clustering of the {data.n} points",
         "Social cost: what the worst-served group pays on average, the squared distance to the "
         "nearest centre."),
        ("Promised by the program", numerals.number(result.promised, digits),
         "for its own centres, not for clustering",
         "The smallest value of the paper's program with the affine constraint."),
        ("Cost after, lower is fairer", numerals.number(result.cost, digits),
         f"exact clustering with {len(result.antidote)} more",
         "Social cost on the real points only, after exact clustering of all."),
        ("Difference", numerals.number(result.difference, digits),
         "plain minus after: above 0 is fairer", "What the paper's figure shows."),
    )  # fmt: skip
    st.markdown(convex_figures.promise_sentence(result))


def group_costs(data: ac.Dataset, job: Job) -> None:
    st.subheader("What each group pays", anchor=False)
    result = _shown(job, "")
    if result is None:
        return
    chart(
        convex_figures.group_cost_pairs(result, data.group_names),
        convex_figures.result_table(result, data.group_names),
        "convex-groups",
        convex_figures.headline(result),
    )
    for note in result.notes:
        st.markdown(f"- {note}")
    behind(data.to_original(result.antidote), "The antidote points in original units")


def with_antidote() -> bool:
    return one_of("Centres of", ["data", "data with antidote"], "path") != "data"


def clusterpath(data: ac.Dataset, asked: ConvexSettings, job: Job, result: Job) -> None:
    path = _shown(job, "Following the centres from λ = 0 until they are one…")
    if path is None:
        return
    caption = (
        "Each line is the way of one centre as λ grows, from its point to the mean of all; crosses "
        "stand where they are at your λ. "
        + words.map_caption(path.plane.share, path.plane.exact, data.n, data.n, asked.seed)
    )
    chart(
        convex_figures.clusterpath_figure(path, data, _shown(result, ""), is_dark()),
        convex_figures.path_table(path),
        "convex-path",
        caption,
        movable=True,
    )
    st.caption(caption)


def choose_range() -> str:
    st.subheader("The paper's figure, clustered again exactly", anchor=False)
    st.markdown(
        "Plain cost minus cost after, against λ. **Above the line (shaded) the antidote points "
        "help, below it they harm.** The paper reports curves above the line for all four sets."
    )
    kind = one_of("Range of λ", list(RANGES), "range")
    st.caption(RANGES[kind])
    return kind


def differences(
    samples: dict[str, ac.Dataset], jobs: dict[str, Job], kind: str, lam: float
) -> None:
    """Four charts, each as soon as it is there."""
    done = sum(job.there for job in jobs.values())
    if done < len(jobs):
        st.progress(done / len(jobs), f"{done} of {len(jobs)} data sets clustered again…")
    names = list(samples)
    for row in range(0, len(names), 2):
        for place, name in zip(st.columns(2, gap="large"), names[row : row + 2], strict=False):
            with place:
                _difference(samples[name], jobs[name], kind, lam)


def _difference(data: ac.Dataset, job: Job, kind: str, lam: float) -> None:
    st.markdown(f"**{data.title}**")
    found = _shown(job, "")
    if found is None:
        return
    sweep = found.of(kind)
    others = found.others if kind == "paper" else ()
    sentence = convex_figures.sweep_sentence(data.title, sweep, others)
    chart(
        convex_figures.difference_figure(sweep, others, lam, kind == "fusing", is_dark()),
        convex_figures.sweep_table(sweep),
        f"convex-{kind}-{data.name}",
        sentence,
    )
    st.caption(sentence)


def direct(data: ac.Dataset, asked: ConvexSettings, job: Job) -> None:
    st.subheader("Direct search: places tried by exact clustering", anchor=False)
    result = _shown(job, f"Trying places for up to {asked.size} points, {BUDGET} per size…")
    if result is None:
        return
    st.markdown(f"**{convex_figures.headline(result)}**")
    st.caption(
        f"The best of a few sizes up to {asked.size}; {BUDGET} exact clusterings for each, "
        f"{result.seconds:.1f} s for the one shown. " + " ".join(result.notes)
    )
    if convex_figures.outcome(result) != "better":
        st.caption(
            "Nothing better than plain clustering was found here. Every point of the data is "
            "pulled by every other; a few more points can only help a group that is pulled to one "
            "side."
        )
    chart(
        convex_figures.group_cost_pairs(result, data.group_names),
        data.to_original(result.antidote),
        "convex-direct",
        convex_figures.headline(result),
    )


def derivation() -> None:
    with st.expander("Why: the derivation in half a page"):
        st.markdown(NOTE.read_text(encoding="utf-8").partition("\n")[2])


def _shown(job: Job, waiting: str) -> Any:
    """The answer; a line while it is on its way, or an error meant for people."""
    if not job.there:
        st.caption(waiting or "…")
        return None
    return or_show_error(answer, job)
