"""Widgets <-> RunSpec, both ways, in one place; every widget is bound to the URL."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.design.designer import can_design
from antidote_core.analysis.references import has_baseline
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.problem import BOXES
from antidote_core.runs.spec import GROWTH_POLICIES
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.shared import own_tables
from pages._ui.shared.settings import URL, ClusteringSettings, DataSettings, data_settings

PAIRS = {
    "kmeans + balance": ("kmeans", "balance"),
    "kmeans + social": ("kmeans", "social"),
    "spectral + balance": ("spectral", "balance"),
}
OTHER = "other"
MOST_SEEDS = 30  # of a sweep
DATA_SEED_HELP = "Draws the sample and the points of the teaching sets. Same seed, same data."
SPECTRAL_SAMPLE = 1000  # the paper's sample for spectral clustering
PAPER = {
    "optimizer": "racos", "restarts": 1, "growth": "restart", "start": 10, "step": 1,
    "dimension": 100, "full": False, "budget": 1000, "box": "minmax", "shrink": False,
    "spread": False,
}  # fmt: skip
SEARCHED = {**PAPER, "optimizer": "structured", "restarts": 10, "growth": "extend"}
# Up to about 40 points a design tries the structured search too and keeps the better one.
DESIGNED = {**SEARCHED, "optimizer": "design", "growth": "bisect"}
GROWTH = {
    "extend": "each round starts from the points found so far",
    "restart": "each round starts anew (the paper)",
    "bisect": "doubles and halves the size: the smallest V",
}
# The widget that shows each field of a spec; fields that take more than one widget are not here.
WIDGETS = {
    "clustering": "method", "fairness": "cost", "k": "k", "start_size": "start", "step": "step",
    "optimizer": "optimizer", "budget": "budget", "restarts": "restarts", "growth": "growth",
    "box": "box", "max_size": "max_size", "max_rounds": "max_rounds", "max_seconds": "max_seconds",
    "seed": "run_seed", "shrink": "shrink", "spread": "spread",
}  # fmt: skip


class Number(NamedTuple):
    """A number to be set: smallest, largest and usual value; `empty` stands where there is none."""

    label: str
    least: float
    most: float | None
    usual: float | None
    says: str
    step: float = 1
    empty: str | None = None


NUMBERS = {
    "start": Number("Start size (V_s)", 1, 100_000, 10,
                    "V_s: how many antidote points the first round may place."),
    "step": Number("Step (ξ)", 1, 10_000, 1,
                   "ξ: how many points are added when a round misses the target."),
    "dimension": Number("Search dimension (n′)", 1, 10_000, 100,
                        "n′: the search runs in a random space of so many dimensions (SRE) "
                        "instead of |V| times the number of features. White-box optimizers do not "
                        "need it."),
    "budget": Number("Evaluations per round", 1, 1_000_000, 1000,
                     "How many V each round may try.", 100),
    "tries": Number("Evaluations per cell", 1, 1_000_000, 1000,
                    "How many V each cell may try.", 100),
    "restarts": Number("Restarts", 1, 100, 10,
                       "C is the best clustering of so many starts; 1 is the paper's single start, "
                       "where another seed may end in another clustering."),
    "starts": Number("Restarts", 1, 100, 10, "C is the best clustering of so many starts; 1 is the "
                     "paper's single start."),
    "max_size": Number("Largest |V|", 1, None, None, "The search gives up beyond this size.",
                       10, "10 % of U"),
    "max_rounds": Number("Most rounds", 1, None, None, "The search gives up after so many rounds.",
                         1, "no limit"),
    "max_seconds": Number("Most seconds", 1.0, None, None, "The search gives up after so long.",
                          10.0, "no limit"),
    "run_seed": Number("Seed", 0, 2**31 - 1, 0, "Draws the starts of the clustering and of the "
                       "search. Same seed, same result."),
    "first_seed": Number("First seed", 0, 2**31 - 1 - MOST_SEEDS, 0, "The others follow it."),
}  # fmt: skip
SWITCHES = {
    "shrink": ("Shrink afterwards",
               "When the target is reached, take away points that are not needed."),
    "spread": ("Spread out clumps",
               "At the end, turn copies of a point into scattered points with the same mean, like "
               "the real points nearby; kept only where the cost survives it."),
    "full": ("Without the random space (SRE)",
             "Search all |V| times d numbers directly: n′ is not used."),
}  # fmt: skip


@dataclass(frozen=True)
class RunRequest:
    """What the widgets ask for; `problem` says what is wrong with it, if anything is.

    `beside_target` is the place on the page where the costs stand that give α its meaning.
    """

    data: DataSettings
    clustering: ClusteringSettings
    fairness: str
    beside_target: Any
    spec: ac.RunSpec | None
    problem: str = ""


def data_values(spec: ac.RunSpec | SweepSpec) -> dict[str, Any]:
    """What the widgets of the data would have to show for this spec."""
    info = own_tables.info(spec.dataset)
    own = own_tables.is_own(spec.dataset)
    return {
        "data": spec.dataset,
        "protected": spec.protected or info.protected[0],
        "rows": own_tables.TABLE if own else spec.rows or info.forms()[0].name,
        "sample": spec.sample,
        "seed": spec.sample_seed,
    }


def data_fields(data: DataSettings) -> dict[str, Any]:
    """The fields of a spec that say which data; what is usual is left to the data set."""
    info = own_tables.info(data.name)
    rows = None if data.rows == info.forms()[0].name else data.rows
    if own_tables.is_own(data.name):
        rows = own_tables.fingerprint(data.name)
    return {
        "dataset": data.name,
        "protected": None if data.protected == info.protected[0] else data.protected,
        "rows": rows,
        "sample": data.sample,
        "sample_seed": data.seed,
    }


def target_values(target: str | float, kind: str, number: str) -> dict[str, Any]:
    """What the two widgets of a target would have to show, by the keys they have on a page."""
    return {kind: target} if isinstance(target, str) else {kind: "value", number: target}


def values_of(spec: ac.RunSpec) -> dict[str, Any]:
    """What every widget would have to show for this spec; empty for a table that is not here."""
    if spec.dataset not in own_tables.names():
        return {}
    pair = (spec.clustering, spec.fairness)
    values = {
        **data_values(spec),
        "pair": next((name for name, known in PAIRS.items() if known == pair), OTHER),
        **{key: getattr(spec, field) for field, key in WIDGETS.items()},
        **target_values(spec.target, "target", "alpha"),
        "full": spec.embed_dim is None,
    }
    return values if spec.embed_dim is None else {**values, "dimension": spec.embed_dim}


def ask() -> RunRequest:
    """Draw the widgets and read them."""
    data = data_settings(seed_help=DATA_SEED_HELP)
    clustering, fairness = _pair()
    with st.expander("Settings of the search", expanded=not _on_a_phone()):
        target, beside_target = _search(clustering, fairness)
    with st.expander("Advanced settings"):
        _advanced()
    shown = st.session_state
    values = {field: shown[key] for field, key in WIDGETS.items() if key in shown}
    values |= {"clustering": clustering, "fairness": fairness, "target": target}
    values["embed_dim"] = None if shown["full"] else shown["dimension"]
    choice = ClusteringSettings(clustering, values["k"], values["restarts"], values["seed"])
    try:
        spec = ac.RunSpec(**data_fields(data), **values)
    except ac.SpecError as error:
        return RunRequest(data, choice, fairness, beside_target, None, str(error))
    return RunRequest(data, choice, fairness, beside_target, spec)


def _pair() -> tuple[str, str]:
    pair = st.selectbox(
        "Combination: clustering + fairness cost",
        [*PAIRS, OTHER],
        key="pair",
        bind=URL,
        on_change=take_sample,
        args=("pair",),
        help="The first three are the paper's combinations 1, 2 and 3.",
    )
    if pair == OTHER:
        left, right = st.columns(2)
        clustering = left.selectbox("Clustering", list(CLUSTERINGS), key="method", bind=URL)
        fairness = right.selectbox("Fairness cost", list(FAIRNESS), key="cost", bind=URL)
        st.caption(f"{CLUSTERINGS[clustering].sentence} {FAIRNESS[fairness].sentence}")
        return clustering, fairness
    clustering, fairness = PAIRS[pair]
    sample = ""
    if clustering == "spectral":
        sample = f" On a sample of {SPECTRAL_SAMPLE:,} rows, as in the paper."
    st.caption(FAIRNESS[fairness].sentence + sample)
    return clustering, fairness


def take_sample(key: str) -> None:
    """Spectral clustering works on a sample, as in the paper; the others on all rows.

    `key` is that of the widget with the pair, or with several of them.
    """
    chosen = st.session_state[key]
    pairs = [chosen] if isinstance(chosen, str) else chosen
    spectral = any(pair.startswith("spectral") for pair in pairs)
    sample = st.session_state.get("sample")
    if spectral and sample is None and not _is_small():
        st.session_state["sample"] = SPECTRAL_SAMPLE
    elif not spectral and sample == SPECTRAL_SAMPLE:
        st.session_state["sample"] = None


def _is_small() -> bool:
    info = own_tables.info(st.session_state.get("data", "bank"))
    return info.kind == "teaching" or own_tables.is_small(info.name, SPECTRAL_SAMPLE)


def _search(clustering: str, fairness: str) -> tuple[str | float, Any]:
    """Draw them; the target, and the place beside it."""
    paper, best = st.columns(2)
    paper.button(
        "As in paper", on_click=st.session_state.update, args=(PAPER,), width="stretch",
        help="RACOS, one start, every round anew, 1,000 evaluations.",
    )  # fmt: skip
    designed = can_design(clustering, fairness)
    best.button(
        "Our best", on_click=st.session_state.update, width="stretch",
        args=(DESIGNED if designed else SEARCHED,),
        help="k-means with balance or social cost: V designed by convex programs (below about 40 "
        "points structured search too), smallest size by doubling and halving. Other pairs: "
        "structured search. The best of ten starts.",
    )  # fmt: skip
    st.slider(
        "Number of clusters (k)", 2, 10, 2, key="k", bind=URL, help="How many clusters C makes."
    )
    left, right = st.columns(2)
    number(left, "start")
    number(right, "step")
    target = choose_target(
        "Target (α)", ["vanilla", "sota", "lowest", "value"], has_baseline(clustering, fairness),
        FAIRNESS[fairness].usual_target, ("target", "alpha"),
        "α: the search ends when the cost is this low. vanilla: below plain clustering; sota: "
        "below the fair algorithm; lowest: as low as it gets with the largest |V|; value: at most "
        "a number of yours.",
        "α: lower is fairer; compare it with the costs below.",
    )  # fmt: skip
    beside_target = st.container()
    name = st.selectbox(
        "Optimizer", list(OPTIMIZERS), key="optimizer", bind=URL,
        help="How each round looks for the best V of its size.",
    )  # fmt: skip
    optimizer = OPTIMIZERS[name]
    st.caption(f"{optimizer.title}. {optimizer.sentence}")
    used = optimizer.for_problem is None and not st.session_state.get("full", False)
    number(st, "dimension", disabled=not used)
    return target, beside_target


def choose_target(
    label: str,
    options: list[str],
    has_sota: bool,
    usual: float,
    keys: tuple[str, str],
    says: str,
    number_says: str,
) -> str | float:
    """What a cost must come to, by name or as a number of the visitor's own."""
    offered = [option for option in options if has_sota or option != "sota"]
    kind = st.segmented_control(
        label, offered, default="vanilla", required=True, key=keys[0], bind=URL, width="stretch",
        help=says,
    )  # fmt: skip
    if kind != "value":
        return kind
    return float(
        st.number_input(
            "Target cost (α)", value=usual, step=0.01, format="%.4f", key=keys[1], bind=URL,
            help=number_says,
        )
    )  # fmt: skip


def _advanced() -> None:
    left, right = st.columns(2)
    number(left, "budget")
    number(right, "restarts")
    growth = st.selectbox("Growth", list(GROWTH_POLICIES), key="growth", bind=URL)
    st.caption(f"How V grows: {GROWTH.get(growth, '')}.")
    box = st.selectbox("Box", list(BOXES), index=list(BOXES).index("minmax"), key="box", bind=URL)
    st.caption(f"Where antidote points may lie: {BOXES[box]}.")
    left, right = st.columns(2)
    number(left, "max_size")
    number(right, "max_rounds")
    number(left, "max_seconds")
    number(right, "run_seed")
    for key, (label, says) in SWITCHES.items():
        st.toggle(label, key=key, bind=URL, help=says)


def number(place: Any, key: str, disabled: bool = False) -> Any:
    """Draw the number of that name."""
    one = NUMBERS[key]
    return place.number_input(
        one.label, one.least, one.most, one.usual, step=one.step, placeholder=one.empty, key=key,
        bind=URL, disabled=disabled, help=one.says,
    )  # fmt: skip


def _on_a_phone() -> bool:
    return "Mobi" in (st.context.headers.get("User-Agent") or "")
