"""What was asked of a run, setting by setting, in words with the paper's symbols beside them."""

from __future__ import annotations

from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS, available_forms
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.problem import BOXES
from antidote_core.reporting.text.words import number
from antidote_core.runs.spec import RunSpec

GROWTH = {
    "extend": "each round starts from the points found so far",
    "restart": "each round starts anew, as in the paper",
    "bisect": "doubles and halves the size, for the smallest V",
}
TARGETS = {
    "vanilla": "better than plain clustering",
    "sota": "better than the fair algorithm",
    "lowest": "as low as possible at this size",
}


def combination(spec: RunSpec) -> str:
    """Clustering, cost and k in a few words.

    >>> combination(RunSpec(dataset="bank", k=3))
    'k-means + balance, k = 3'
    """
    return f"{_clustering(spec)} + {_cost(spec).lower()}, k = {spec.k}"


def dataset_title(spec: RunSpec) -> str:
    """The data set as people call it; data of someone's own go by their name."""
    return DATASETS[spec.dataset].title if spec.dataset in DATASETS else spec.dataset


def settings(spec: RunSpec) -> dict[str, str]:
    """Every setting by its label, in the order in which people ask for them."""
    optimizer = OPTIMIZERS.get(spec.optimizer)
    embeds = optimizer is not None and optimizer.minimise is not None
    space = "not used by this optimizer"
    if embeds:
        space = "none: searched directly" if spec.embed_dim is None else f"{spec.embed_dim:,}"
    return {
        "data set": dataset_title(spec),
        "groups by": _protected(spec),
        "rows": _rows(spec),
        "sample": "all rows" if spec.sample is None else f"{spec.sample:,} rows",
        "seed of the data": str(spec.sample_seed),
        "clustering": _clustering(spec),
        "cost": _cost(spec),
        "clusters (k)": str(spec.k),
        "starts of the clustering": str(spec.restarts),
        "first size (V_s)": f"{spec.start_size:,}",
        "step (ξ)": f"{spec.step:,}",
        "target (α)": TARGETS[spec.target]
        if isinstance(spec.target, str)
        else f"at most {number(spec.target, 4)}",
        "dimensions of the random space (n′)": space,
        "optimizer": optimizer.title if optimizer else spec.optimizer,
        "how V grows": f"{spec.growth}: {GROWTH[spec.growth]}",
        "evaluations per round": f"{spec.budget:,}",
        "where points may lie": f"{spec.box}: {BOXES.get(spec.box, '')}".rstrip(": "),
        "largest |V|": "10 % of the data" if spec.max_size is None else f"{spec.max_size:,}",
        "most rounds": "no limit" if spec.max_rounds is None else f"{spec.max_rounds:,}",
        "most seconds": "no limit" if spec.max_seconds is None else f"{spec.max_seconds:g}",
        "shrink afterwards": "yes" if spec.shrink else "no",
        "spread afterwards": "yes" if spec.spread else "no",
        "seed": str(spec.seed),
    }


def _protected(spec: RunSpec) -> str:
    if spec.protected is None and spec.dataset in DATASETS:
        return DATASETS[spec.dataset].protected[0]
    return spec.protected or "as chosen for these data"


def _rows(spec: RunSpec) -> str:
    if spec.dataset not in DATASETS:
        return spec.rows or "as uploaded"
    forms = {form.name: form.title for form in available_forms(spec.dataset)}
    return forms.get(spec.rows or next(iter(forms)), str(spec.rows))


def _clustering(spec: RunSpec) -> str:
    entry = CLUSTERINGS.get(spec.clustering)
    return entry.title if entry else spec.clustering


def _cost(spec: RunSpec) -> str:
    entry = FAIRNESS.get(spec.fairness)
    return entry.title if entry else spec.fairness
