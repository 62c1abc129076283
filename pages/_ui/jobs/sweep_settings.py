"""Widgets <-> SweepSpec, both ways; every widget is bound to the URL."""

import re
from dataclasses import dataclass
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.design.designer import can_design
from antidote_core.analysis.references import has_baseline
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.problem import BOXES
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.jobs.run_settings import PAIRS, SPECTRAL_SAMPLE
from pages._ui.shared import own_tables
from pages._ui.shared.link import lists_by_link, same, settings
from pages._ui.shared.settings import URL, DataSettings, data_settings

COMBINATIONS = {
    **PAIRS,
    **{
        f"{clustering} + {fairness}": (clustering, fairness)
        for clustering in CLUSTERINGS
        for fairness in FAIRNESS
    },
}
SIZES = "10, 20, 50, 100"
MOST_SEEDS = 30
EXAMPLE = SweepSpec(
    "blobs", optimizers=("structured", "cmaes"), sizes=(5, 10, 20, 40), seeds=(0, 1, 2, 3, 4),
    target=-0.5, budget=100,
)  # fmt: skip


@dataclass(frozen=True)
class SweepRequest:
    """What the widgets ask for; `problem` says what is wrong with it, if anything is."""

    data: DataSettings
    spec: SweepSpec | None
    problem: str = ""


def values_of(spec: SweepSpec) -> dict[str, Any]:
    """What every widget would have to show for this spec; empty for a table that is not here."""
    if spec.dataset not in own_tables.names():
        return {}
    info = own_tables.info(spec.dataset)
    own = own_tables.is_own(spec.dataset)
    names = {pair: name for name, pair in reversed(COMBINATIONS.items())}
    named = isinstance(spec.target, str)
    values = {
        "data": spec.dataset,
        "protected": spec.protected or info.protected[0],
        "rows": own_tables.TABLE if own else spec.rows or info.forms()[0].name,
        "sample": spec.sample,
        "seed": spec.sample_seed,
        "pairs": [names[pair] for pair in spec.combinations if pair in names],
        "ks": list(spec.ks),
        "optimizers": list(spec.optimizers),
        "boxes": list(spec.boxes),
        "sizes": ", ".join(map(str, spec.sizes)),
        "seeds": len(spec.seeds),
        "first_seed": spec.seeds[0],
        "reach": spec.target if named else "value",
        "tries": spec.budget,
        "starts": spec.restarts,
    }
    if not named:
        values["reach_at"] = spec.target
    return values


def put(spec: SweepSpec) -> None:
    """Set every widget as this spec says; call before they are drawn."""
    for key, value in values_of(spec).items():
        st.session_state[key] = value


def agrees(link: dict[str, list[str]], spec: SweepSpec) -> bool:
    """Whether no setting in the link is another than the spec's: then the spec fills the rest."""
    values = values_of(spec)
    return all(_shows(values[key], texts) for key, texts in link.items() if key in values)


def link() -> dict[str, list[str]]:
    """What the URL asks for, lists and all; read it before the first widget takes its value."""
    return lists_by_link()


def without_lists(asked: dict[str, list[str]]) -> dict[str, str]:
    """The link as one value per name, without the lists that the page shows as they are asked."""
    shown = settings()
    return {key: texts[-1] for key, texts in asked.items() if not _shows(shown.get(key), texts)}


def _shows(shown: Any, texts: list[str]) -> bool:
    if isinstance(shown, list):
        return sorted(map(str, shown)) == sorted(texts)
    return same(shown, texts[-1])


def ask() -> SweepRequest:
    """Draw the widgets and read them."""
    data = data_settings(
        seed_help="Draws the sample and the points of the teaching sets. Same seed, same data."
    )
    pairs = st.multiselect(
        "Combinations: clustering + fairness cost", list(dict.fromkeys(COMBINATIONS)),
        default=["kmeans + balance"], key="pairs", bind=URL, on_change=_sample_for_pairs,
        help="One picture for each. The first three are the paper's combinations 1, 2 and 3.",
    )  # fmt: skip
    combinations = tuple(COMBINATIONS[pair] for pair in pairs)
    optimizers = st.multiselect(
        "Optimizers", list(OPTIMIZERS), default=["structured"], key="optimizers", bind=URL,
        help="How V is looked for; one curve for each. "
        + " ".join(f"{name}: {entry.sentence}" for name, entry in OPTIMIZERS.items()),
    )  # fmt: skip
    sizes = st.text_input(
        "Numbers of antidote points (|V|)", SIZES, key="sizes", bind=URL,
        help="Whole numbers with commas between them; every size is one place on the axis.",
    )  # fmt: skip
    seeds = st.slider(
        "Seeds per size", 1, MOST_SEEDS, 5, key="seeds", bind=URL,
        help="Every cell is computed with so many seeds: the more, the surer.",
    )  # fmt: skip
    target = _target(combinations)
    with st.expander("Clusters, boxes and budget"):
        rest = _rest()
    try:
        spec = _spec(data, combinations, tuple(optimizers), _numbers(sizes), seeds, target, rest)
    except ac.AntidoteError as error:
        return SweepRequest(data, None, str(error))
    return SweepRequest(data, spec)


def _target(combinations: tuple[tuple[str, str], ...]) -> str | float:
    options = ["vanilla", "sota", "value"]
    if not combinations or not all(has_baseline(*pair) for pair in combinations):
        options.remove("sota")
    kind = st.segmented_control(
        "Target (α): better than", options, default="vanilla", required=True, key="reach",
        bind=URL, width="stretch",
        help="α: what a cell must reach to count. vanilla: below plain clustering; sota: below the "
        "fair algorithm; value: at most a number of yours. Cells do not depend on it: with "
        "another target, they are judged again and not computed again.",
    )  # fmt: skip
    if kind != "value":
        return kind
    targets = [FAIRNESS[fairness].usual_target for _, fairness in combinations]
    return float(
        st.number_input(
            "Target cost (α)", value=max(targets, default=-0.5), step=0.01, format="%.4f",
            key="reach_at", bind=URL, help="α: lower is fairer.",
        )
    )  # fmt: skip


def _rest() -> dict[str, Any]:
    ks = st.pills(
        "Numbers of clusters (k)", list(range(2, 11)), selection_mode="multi", default=[2],
        key="ks", bind=URL, help="One picture for each.",
    )  # fmt: skip
    boxes = st.multiselect(
        "Boxes", list(BOXES), default=["minmax"], key="boxes", bind=URL,
        help="Where antidote points may lie; one curve for each. "
        + " ".join(f"{name}: {words}." for name, words in BOXES.items()),
    )  # fmt: skip
    left, right = st.columns(2)
    budget = left.number_input(
        "Evaluations per cell", 1, 1_000_000, 1000, step=100, key="tries", bind=URL,
        help="How many V each cell may try.",
    )  # fmt: skip
    restarts = right.number_input(
        "Restarts", 1, 100, 10, step=1, key="starts", bind=URL,
        help="C is the best clustering of so many starts; 1 is the paper's single start.",
    )  # fmt: skip
    first = st.number_input(
        "First seed", 0, 2**31 - 1 - MOST_SEEDS, 0, step=1, key="first_seed", bind=URL,
        help="The others follow it.",
    )  # fmt: skip
    return {
        "ks": tuple(ks), "boxes": tuple(boxes), "budget": budget, "restarts": restarts,
        "first": first,
    }  # fmt: skip


def _spec(
    data: DataSettings,
    combinations: tuple[tuple[str, str], ...],
    optimizers: tuple[str, ...],
    sizes: tuple[int, ...],
    seeds: int,
    target: str | float,
    rest: dict[str, Any],
) -> SweepSpec:
    for what, chosen in (
        ("combination", combinations), ("optimizer", optimizers), ("k", rest["ks"]),
        ("box", rest["boxes"]),
    ):  # fmt: skip
        if not chosen:
            raise ac.SpecError(f"No {what} is chosen; choose at least one.")
    if "design" in optimizers:
        others = [pair for pair in combinations if not can_design(*pair)]
        if others:
            raise ac.SpecError(
                f"The optimizer design knows no {' + '.join(others[0])}; it is for k-means with "
                "balance or social cost. Leave out one of the two."
            )
    info = own_tables.info(data.name)
    rows = None if data.rows == info.forms()[0].name else data.rows
    if own_tables.is_own(data.name):
        rows = own_tables.fingerprint(data.name)
    return SweepSpec(
        data.name,
        combinations=combinations,
        optimizers=optimizers,
        boxes=rest["boxes"],
        ks=rest["ks"],
        sizes=sizes,
        seeds=tuple(range(rest["first"], rest["first"] + seeds)),
        target=target,
        restarts=rest["restarts"],
        budget=rest["budget"],
        protected=None if data.protected == info.protected[0] else data.protected,
        rows=rows,
        sample=data.sample,
        sample_seed=data.seed,
    )


def _numbers(text: str) -> tuple[int, ...]:
    parts = [part for part in re.split(r"[\s,;]+", text.strip()) if part]
    wrong = next((part for part in parts if not re.fullmatch(r"[0-9]{1,7}", part)), None)
    if wrong is not None or not parts:
        raise ac.SpecError(
            "The numbers of antidote points must be whole numbers with commas between them, like "
            f"{SIZES}; got {(wrong or text)[:40]!r}."
        )
    return tuple(int(part) for part in parts)


def _sample_for_pairs() -> None:
    """Spectral clustering works on a sample, as in the paper; the others on all rows."""
    spectral = any(pair.startswith("spectral") for pair in st.session_state["pairs"])
    sample = st.session_state.get("sample")
    if spectral and sample is None and not _is_small():
        st.session_state["sample"] = SPECTRAL_SAMPLE
    elif not spectral and sample == SPECTRAL_SAMPLE:
        st.session_state["sample"] = None


def _is_small() -> bool:
    info = own_tables.info(st.session_state.get("data", "bank"))
    return info.kind == "teaching" or own_tables.is_small(info.name, SPECTRAL_SAMPLE)
