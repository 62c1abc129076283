"""Widgets <-> SweepSpec, both ways; every widget is bound to the URL."""

import re
from collections.abc import Sequence
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
from pages._ui.jobs import run_settings
from pages._ui.shared import own_tables
from pages._ui.shared.settings import URL, DataSettings, data_settings

COMBINATIONS = {
    **run_settings.PAIRS,
    **{
        f"{clustering} + {fairness}": (clustering, fairness)
        for clustering in CLUSTERINGS
        for fairness in FAIRNESS
    },
}
SIZES = "10, 20, 50, 100"
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
    names = {pair: name for name, pair in reversed(COMBINATIONS.items())}
    return {
        **run_settings.data_values(spec),
        "pairs": [names[pair] for pair in spec.combinations if pair in names],
        **{key: list(getattr(spec, key)) for key in ("ks", "optimizers", "boxes")},
        "sizes": ", ".join(map(str, spec.sizes)),
        "seeds": len(spec.seeds),
        "first_seed": spec.seeds[0],
        **run_settings.target_values(spec.target, "reach", "reach_at"),
        "tries": spec.budget,
        "starts": spec.restarts,
    }


def ask() -> SweepRequest:
    """Draw the widgets and read them."""
    data = data_settings(seed_help=run_settings.DATA_SEED_HELP)
    pairs = st.multiselect(
        "Combinations: clustering + fairness cost", list(dict.fromkeys(COMBINATIONS)),
        default=["kmeans + balance"], key="pairs", bind=URL,
        on_change=run_settings.take_sample, args=("pairs",),
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
        "Seeds per size", 1, run_settings.MOST_SEEDS, 5, key="seeds", bind=URL,
        help="Every cell is computed with so many seeds: the more, the surer.",
    )  # fmt: skip
    targets = [FAIRNESS[fairness].usual_target for _, fairness in combinations]
    target = run_settings.choose_target(
        "Target (α): better than", ["vanilla", "sota", "value"],
        bool(combinations) and all(has_baseline(*pair) for pair in combinations),
        max(targets, default=-0.5), ("reach", "reach_at"),
        "α: what a cell must reach to count. vanilla: below plain clustering; sota: below the "
        "fair algorithm; value: at most a number of yours. Cells do not depend on it: with "
        "another target, they are judged again and not computed again.",
        "α: lower is fairer.",
    )  # fmt: skip
    with st.expander("Clusters, boxes and budget"):
        first, rest = _rest()
    try:
        numbers = _numbers(sizes)
        chosen = {"combinations": combinations, "optimizers": tuple(optimizers), **rest}
        _check_choices(**chosen)
        spec = SweepSpec(
            **run_settings.data_fields(data), **chosen, sizes=numbers, target=target,
            seeds=tuple(range(first, first + seeds)),
        )  # fmt: skip
    except ac.AntidoteError as error:
        return SweepRequest(data, None, str(error))
    return SweepRequest(data, spec)


def _rest() -> tuple[int, dict[str, Any]]:
    """The first seed, and fields of the spec."""
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
    budget, restarts = run_settings.number(left, "tries"), run_settings.number(right, "starts")
    first = run_settings.number(st, "first_seed")
    return first, {
        "ks": tuple(ks), "boxes": tuple(boxes), "budget": budget, "restarts": restarts,
    }  # fmt: skip


def _check_choices(
    combinations: Sequence[tuple[str, str]],
    optimizers: Sequence[str],
    ks: Sequence[int],
    boxes: Sequence[str],
    **others: int,
) -> None:
    """A sentence where nothing is chosen, or a pair that an optimizer does not know."""
    for what, chosen in (
        ("combination", combinations), ("optimizer", optimizers), ("k", ks), ("box", boxes),
    ):  # fmt: skip
        if not chosen:
            raise ac.SpecError(f"No {what} is chosen; choose at least one.")
    unknown = [pair for pair in combinations if not can_design(*pair)]
    if "design" in optimizers and unknown:
        raise ac.SpecError(
            f"The optimizer design knows no {' + '.join(unknown[0])}; it is for k-means with "
            "balance or social cost. Leave out one of the two."
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
