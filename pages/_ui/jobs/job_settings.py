"""Widgets <-> spec of a run or a sweep, both ways, in one place; all are bound to the URL."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

import antidote_core as ac
from antidote_core.algorithms.design.designer import can_design
from antidote_core.analysis.comparison import has_baseline
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import EQUAL_SHARES, PLACES, ROWS
from antidote_core.reporting.text.run_words import TARGETS as TARGET_WORDS
from antidote_core.reporting.text.run_words import idle
from antidote_core.runs.kinds import Spec
from antidote_core.runs.scenarios import usual_search
from antidote_core.runs.spec import GROWTH_POLICIES
from antidote_core.runs.sweep_spec import SweepSpec
from pages._ui.shared import own_tables
from pages._ui.shared.link import title_of
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
NO_LIMIT = "no limit"
SIZED = "_usual_sizes"
USUAL_SHARE, SHARES = 10, (0, 5, 10, 20, 30, 40, 50, 75, 100)  # percent of an equal share
USUAL_PRICE, PRICES = 10, (0, 1, 2, 5, 10, 15, 20, 30, 50, 100, NO_LIMIT)  # percent
TARGETS = ("vanilla", "sota", "four_fifths", "lowest", "value")
PAPER = {
    "optimizer": "racos", "restarts": 1, "growth": "restart", "start": 10, "step": 1,
    "dimension": 100, "full": False, "budget": 1000, "place": "minmax", "shrink": False,
    "spread": False, "min_share": 0, "max_price": NO_LIMIT, "lasting": 0.0,
    "fractional": False, "mixed": False,
}  # fmt: skip
SEARCHED = {
    **PAPER, "optimizer": "structured", "restarts": 10, "growth": "extend", "place": ROWS,
    "min_share": USUAL_SHARE, "max_price": USUAL_PRICE, "lasting": 1.0,
}  # fmt: skip
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
    "place": "place", "max_copies": "max_copies", "lasting": "lasting", "max_size": "max_size",
    "max_rounds": "max_rounds", "max_seconds": "max_seconds",
    "max_stalled": "max_stalled", "growth_factor": "factor",
    "seed": "run_seed", "shrink": "shrink", "spread": "spread",
    "holdout": "holdout",
}  # fmt: skip
SWITCHES = {
    "shrink": ("Shrink afterwards",
               "When the target is reached, take away points that are not needed."),
    "spread": ("Spread out clumps",
               "At the end, turn copies of a point into scattered points with the same mean, like "
               "the real points nearby; kept only where the cost survives it."),
    "holdout": ("Try it on people it has not seen",
                "Find V once more on a random half of the data, add it to the other half, and the "
                "other way round: how much of the gain is kept? Takes about as long as the run."),
    "full": ("Without the random space (SRE)",
             "Search all |V| times d numbers directly: n′ is not used."),
}  # fmt: skip
COMBINATIONS = {
    **PAIRS,
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
    "factor": Number("Growth factor", 1.05, 4.0, None,
                     "Each round has so many times the points of the last one, instead of ξ more: "
                     "from 10 to 10,000 points in 32 rounds of 1.25.", 0.05, "none: add ξ"),
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
    "max_rounds": Number("Most rounds", 1, None, 200, "The search gives up after so many rounds.",
                         1, "no limit"),
    "max_seconds": Number("Most seconds", 1.0, None, 600.0, "The search gives up after so long.",
                          10.0, "no limit"),
    "max_stalled": Number("Most rounds without a gain", 1, None, 10, "The search gives up after so "
                          "many rounds in a row that brought nothing better.", 1, "no limit"),
    "max_copies": Number("Most copies of one row", 1, 1000, 5,
                         "How often any one person may be copied."),
    "run_seed": Number("Seed", 0, 2**31 - 1, 0, "Draws the starts of the clustering and of the "
                       "search. Same seed, same result."),
    "first_seed": Number("First seed", 0, 2**31 - 1 - MOST_SEEDS, 0, "The others follow it."),
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """What the widgets ask for; `problem` says what is wrong with it, if anything is."""

    data: DataSettings
    spec: Spec | None
    problem: str


@dataclass(frozen=True)
class RunRequest(Request):
    """`beside_target` is the place on the page where the costs stand that give α its meaning."""

    clustering: ClusteringSettings
    fairness: str
    beside_target: Any


def values_of(spec: Spec) -> dict[str, Any]:
    """What every widget would have to show for this spec; empty for a table that is not here."""
    if not isinstance(spec, ac.RunSpec | SweepSpec) or spec.dataset not in own_tables.names():
        return {}
    own = _run_values(spec) if isinstance(spec, ac.RunSpec) else _sweep_values(spec)
    return {**_data_values(spec), **own}


def _data_values(spec: ac.RunSpec | SweepSpec) -> dict[str, Any]:
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


def _data_fields(data: DataSettings) -> dict[str, Any]:
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


def _target_values(target: str | float, kind: str, number: str) -> dict[str, Any]:
    """What the two widgets of a target would have to show, by the keys they have on a page."""
    return {kind: target} if isinstance(target, str) else {kind: "value", number: target}


def _run_values(spec: ac.RunSpec) -> dict[str, Any]:
    pair = (spec.clustering, spec.fairness)
    values = {
        "pair": next((name for name, known in PAIRS.items() if known == pair), OTHER),
        **{key: getattr(spec, field) for field, key in WIDGETS.items()},
        **_target_values(spec.target, "target", "alpha"),
        "full": spec.embed_dim is None,
        "percentiles": spec.percentiles,
        "fractional": not spec.whole,
        "mixed": spec.copy_groups == EQUAL_SHARES,
        **guard_values(spec),
    }
    return values if spec.embed_dim is None else {**values, "dimension": spec.embed_dim}


def guard_values(spec: ac.RunSpec | SweepSpec) -> dict[str, Any]:
    """What the two sliders of the guard would have to show for this spec."""
    k = spec.k if isinstance(spec, ac.RunSpec) else max(spec.ks)
    share = USUAL_SHARE if spec.min_share is None else round(100 * k * spec.min_share)
    price = NO_LIMIT if spec.max_price is None else round(100 * spec.max_price)
    return {"min_share": share, "max_price": price}


def ask_guard(k: int) -> dict[str, float | None]:
    """Draw the two sliders, and read them as fields of a spec."""
    keys = st.session_state
    share = st.select_slider(
        "Smallest cluster, % of an equal share", _with(SHARES, keys.get("min_share")),
        value=USUAL_SHARE, key="min_share", bind=URL,
        help="The guard: a fairer clustering does not count if a cluster is left with fewer people "
        f"than this. {USUAL_SHARE} % is usual; where plain clustering itself has a smaller one, "
        "that is the limit. 0: no guard, as in the paper.",
    )  # fmt: skip
    price = st.select_slider(
        "Price of fairness at most, %", _with(PRICES, keys.get("max_price")), value=USUAL_PRICE,
        key="max_price", bind=URL,
        help="The guard: by how much the inertia (how well the clusters fit the data) may become "
        "worse than in plain clustering.",
    )  # fmt: skip
    return {
        "min_share": None if share == USUAL_SHARE else share / 100 / k,
        "max_price": None if price == NO_LIMIT else price / 100,
    }


def _with(options: Sequence[Any], value: Any) -> list[Any]:
    """The options, with a value of a spec that is not among them in its place."""
    if value is None or value in options:
        return list(options)
    numbers = sorted([*(o for o in options if o != NO_LIMIT), value])
    return [*numbers, *(o for o in options if o == NO_LIMIT)]


def ask_data(upload: Callable[[], None]) -> DataSettings:
    """Draw the widgets of the data and read them; `upload` draws the form for a new table."""
    return data_settings(DATA_SEED_HELP, upload)


def ask_run(data: DataSettings, loaded: ac.Dataset | None) -> RunRequest:
    """Draw the other widgets and read them; `loaded` are the data, if they could be."""
    clustering, fairness = _pair()
    usual = _usual(0 if loaded is None else loaded.n, fairness)
    target, beside_target = _search(clustering, fairness, usual)
    with st.expander("Guard: what must be kept"):
        guard = ask_guard(st.session_state["k"])
    with st.expander("Advanced settings"):
        percentiles = _advanced(usual["budget"])
    shown = st.session_state
    values = {field: shown[key] for field, key in WIDGETS.items() if key in shown}
    values |= {"clustering": clustering, "fairness": fairness, "target": target}
    values["embed_dim"] = None if shown["full"] else shown["dimension"]
    values |= {"percentiles": percentiles, **guard}
    values["copy_groups"] = EQUAL_SHARES if shown["mixed"] and shown["place"] == ROWS else None
    values["whole"] = "whole" in _idle() or not shown["fractional"]
    choice = ClusteringSettings(clustering, values["k"], values["restarts"], values["seed"])
    spec, problem = None, ""
    try:
        spec = ac.RunSpec(**_data_fields(data), **values)
    except ac.SpecError as error:
        problem = str(error)
    return RunRequest(data, spec, problem, choice, fairness, beside_target)


def _pair() -> tuple[str, str]:
    pair = st.selectbox(
        "Combination: clustering + fairness cost",
        [*PAIRS, OTHER],
        key="pair",
        bind=URL,
        format_func=title_of("pair"),
        on_change=_take_sample,
        args=("pair",),
        help="The first three are the paper's combinations 1, 2 and 3.",
    )
    if pair == OTHER:
        left, right = st.columns(2)
        clustering = left.selectbox(
            "Clustering", list(CLUSTERINGS), key="method", bind=URL, format_func=title_of("method")
        )
        fairness = right.selectbox(
            "Fairness cost", list(FAIRNESS), key="cost", bind=URL, format_func=title_of("cost")
        )
        st.caption(f"{CLUSTERINGS[clustering].description} {FAIRNESS[fairness].sentence}")
        return clustering, fairness
    clustering, fairness = PAIRS[pair]
    sample = ""
    if clustering == "spectral":
        sample = f" On a sample of {SPECTRAL_SAMPLE:,} rows, as in the paper."
    title = f"{CLUSTERINGS[clustering].title} + {FAIRNESS[fairness].title.lower()}"
    st.caption(f"**{title}.** {FAIRNESS[fairness].sentence}{sample}")
    return clustering, fairness


def _take_sample(key: str) -> None:
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


def _usual(n: int, fairness: str) -> dict[str, Any]:
    """What the search begins with on `n` rows; it follows the data while nobody changes it."""
    fields = usual_search(n, fairness)
    usual = {WIDGETS.get(field, field): value for field, value in fields.items()}
    shown = st.session_state
    before = shown.get(SIZED, usual)
    for key, new in usual.items():
        if before[key] != new and shown.get(key) == before[key]:
            shown[key] = new
    shown[SIZED] = usual
    return usual


def _search(clustering: str, fairness: str, usual: dict[str, Any]) -> tuple[str | float, Any]:
    """Draw them; the target, and the place beside it."""
    paper, best = st.columns(2)
    paper.button(
        "As in paper", on_click=st.session_state.update, args=(PAPER,), width="stretch",
        help="RACOS, one start, every round anew, 1,000 evaluations, points anywhere between the "
        "smallest and the largest values, no guard.",
    )  # fmt: skip
    designed = can_design(clustering, fairness)
    best.button(
        "Our best", on_click=st.session_state.update, width="stretch",
        args=(DESIGNED if designed else SEARCHED,),
        help="Copies of real rows only, with the guard. k-means with balance or social cost: the "
        "fewest copies, by linear programs. Other pairs: structured search. The best of ten "
        "starts.",
    )  # fmt: skip
    st.slider(
        "Number of clusters (k)", 2, 10, 2, key="k", bind=URL, help="How many clusters C makes."
    )
    rests = _idle()
    left, right = st.columns(2)
    _number(left, "start", usual=usual["start"])
    _number(right, "step", rests.get("step"), usual=usual["step"])
    _number(st, "factor", rests.get("growth_factor"))
    target = _choose_target(
        "Target (α)", _targets((clustering, fairness)),
        FAIRNESS[fairness].usual_target, ("target", "alpha"), usual["target"],
        "α: the search ends when the cost is this low. vanilla: below plain clustering; sota: "
        "below the fair algorithm; four fifths: every group has at least 80 % of its fair share in "
        "every cluster (our analogue of the four-fifths rule); lowest: as low as it gets with the "
        "largest |V|; value: at most a number of yours.",
        "α: lower is fairer; compare it with the costs below.",
    )  # fmt: skip
    if isinstance(target, str):
        words = TARGET_WORDS[target].removeprefix("four fifths: ")
        st.caption(f"{title_of('target')(target)}: {words}.")
    beside_target = st.container()
    name = st.selectbox(
        "Optimizer", list(OPTIMIZERS), key="optimizer", bind=URL,
        help="How each round looks for the best V of its size.",
    )  # fmt: skip
    optimizer = OPTIMIZERS[name]
    st.caption(f"{optimizer.title}. {optimizer.sentence}")
    _number(st, "dimension", _idle().get("embed_dim"))
    return target, beside_target


def _idle() -> dict[str, str]:
    """The fields that are not used with what the widgets show, or a fresh link asks for."""
    asked = {**st.query_params.to_dict(), **st.session_state.to_dict()}
    optimizer = asked.get("optimizer")
    return idle(
        optimizer if optimizer in OPTIMIZERS else next(iter(OPTIMIZERS)),
        asked.get("growth", GROWTH_POLICIES[0]),
        asked.get("place", ROWS),
        asked.get("target", "vanilla"),
        asked.get("factor"),
        str(asked.get("full", False)).casefold() != "true",
    )


def _choose_target(
    label: str,
    options: list[str],
    usual: float,
    keys: tuple[str, str],
    first: str,
    says: str,
    number_says: str,
) -> str | float:
    """What a cost must come to, by name or as a number of the visitor's own."""
    kind = st.segmented_control(
        label, options, default=first, required=True, key=keys[0], bind=URL, width="stretch",
        help=says, format_func=title_of(keys[0]),
    )  # fmt: skip
    if kind != "value":
        return kind
    return float(
        st.number_input(
            "Target cost (α)", value=usual, step=0.01, format="%.4f", key=keys[1], bind=URL,
            help=number_says,
        )
    )  # fmt: skip


def _targets(*pairs: Any) -> list[str]:
    """The named targets that every one of these pairs (clustering, fairness) has."""
    offered = list(TARGETS)
    if not pairs or not all(has_baseline(*pair) for pair in pairs):
        offered.remove("sota")
    if not all(FAIRNESS[fairness].is_share for _, fairness in pairs):
        offered.remove("four_fifths")
    return offered


def _advanced(budget: int) -> tuple[float, float]:
    """Draw them; the percentiles within which a row may be copied."""
    rests = _idle()
    left, right = st.columns(2)
    _number(left, "budget", rests.get("budget"), budget)
    _number(right, "restarts")
    growth = st.selectbox(
        "Growth", list(GROWTH_POLICIES), key="growth", bind=URL, disabled="growth" in rests
    )
    st.caption(f"How V grows: {rests.get('growth') or GROWTH.get(growth, '')}.")
    place = st.selectbox("Where V may lie", list(PLACES), key="place", bind=URL)
    st.caption(f"{place.capitalize()}: {PLACES[place]}.")
    rests = _idle()
    _number(st, "max_copies", rests.get("max_copies"))
    percentiles = st.slider(
        "Rows within percentiles", 0.0, 100.0, (1.0, 99.0), key="percentiles", bind=URL,
        disabled="percentiles" in rests,
        help="Only rows whose every feature lies within these percentiles may be copied.",
    )  # fmt: skip
    st.toggle(
        "Copies mixed like the data", key="mixed", bind=URL, disabled="max_copies" in rests,
        help="Every group gives copies in proportion to its size.",
    )  # fmt: skip
    st.slider(
        "Margin so that V lasts (standard errors)", 0.0, 3.0, 1.0, 0.5, key="lasting", bind=URL,
        disabled="lasting" in rests,
        help="A design keeps this distance from every rival clustering, so that it holds on "
        "other people too. 0: none, fewest copies.",
    )  # fmt: skip
    _say_idle(rests.get("lasting"))
    st.toggle(
        "Weights need not be whole", key="fractional", bind=URL, disabled="whole" in rests,
        help="A design leaves its copies as they come out of the program, as fractional weights of "
        "the rows, instead of rounding them to whole copies.",
    )  # fmt: skip
    _say_idle(rests.get("whole"))
    left, right = st.columns(2)
    _number(left, "max_size")
    _number(right, "max_rounds")
    _number(left, "max_seconds")
    _number(right, "max_stalled")
    _number(left, "run_seed")
    for key, (label, says) in SWITCHES.items():
        st.toggle(label, key=key, bind=URL, help=says, disabled=key in rests)
        _say_idle(rests.get(key))
    return percentiles


def _number(place: Any, key: str, idle_for: str | None = None, usual: float | None = None) -> Any:
    """Draw the number of that name; grey, with the reason below, where it is not used."""
    one = NUMBERS[key]
    value = place.number_input(
        one.label, one.least, one.most, one.usual if usual is None else usual, step=one.step,
        placeholder=one.empty, key=key, bind=URL, disabled=idle_for is not None, help=one.says,
    )  # fmt: skip
    _say_idle(idle_for, place)
    return value


def _say_idle(reason: str | None, place: Any = st) -> None:
    if reason is not None:
        place.caption(f"Not used: {reason}.")


def _sweep_values(spec: SweepSpec) -> dict[str, Any]:
    names = {pair: name for name, pair in reversed(COMBINATIONS.items())}
    return {
        "pairs": [names[pair] for pair in spec.combinations if pair in names],
        **{key: list(getattr(spec, key)) for key in ("ks", "optimizers", "boxes")},
        "sizes": ", ".join(map(str, spec.sizes)),
        "seeds": len(spec.seeds),
        "first_seed": spec.seeds[0],
        **_target_values(spec.target, "reach", "reach_at"),
        "tries": spec.budget,
        "starts": spec.restarts,
        **guard_values(spec),
    }


def ask_sweep() -> Request:
    """Draw the widgets and read them."""
    data = data_settings(seed_help=DATA_SEED_HELP)
    pairs = st.multiselect(
        "Combinations: clustering + fairness cost", list(dict.fromkeys(COMBINATIONS)),
        default=["kmeans + balance"], key="pairs", bind=URL, format_func=title_of("pairs"),
        on_change=_take_sample, args=("pairs",),
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
    targets = [FAIRNESS[fairness].usual_target for _, fairness in combinations]
    target = _choose_target(
        "Target (α): better than", [t for t in _targets(*combinations) if t != "lowest"],
        max(targets, default=-0.5), ("reach", "reach_at"), "vanilla",
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
            **_data_fields(data), **chosen, sizes=numbers, target=target,
            seeds=tuple(range(first, first + seeds)),
        )  # fmt: skip
    except ac.AntidoteError as error:
        return Request(data, None, str(error))
    return Request(data, spec, "")


def _rest() -> tuple[int, dict[str, Any]]:
    """The first seed, and fields of the spec."""
    ks = st.pills(
        "Numbers of clusters (k)", list(range(2, 11)), selection_mode="multi", default=[2],
        key="ks", bind=URL, help="One picture for each.",
    )  # fmt: skip
    boxes = st.multiselect(
        "Where V may lie", list(PLACES), default=[ROWS], key="boxes", bind=URL,
        help="One curve for each. "
        + " ".join(f"{name}: {words}." for name, words in PLACES.items()),
    )  # fmt: skip
    left, right = st.columns(2)
    budget, restarts = _number(left, "tries"), _number(right, "starts")
    first = _number(st, "first_seed")
    return first, {
        "ks": tuple(ks), "boxes": tuple(boxes), "budget": budget, "restarts": restarts,
        **ask_guard(max(ks, default=2)),
    }  # fmt: skip


def _check_choices(
    combinations: Sequence[tuple[str, str]],
    optimizers: Sequence[str],
    ks: Sequence[int],
    boxes: Sequence[str],
    **others: Any,
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
