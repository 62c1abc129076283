"""What a run has not shown, however good it looks."""

from __future__ import annotations

from antidote_core.algorithms.record import RunView
from antidote_core.fairness import get_fairness
from antidote_core.reporting.design_words import extreme_sentence
from antidote_core.reporting.words import small_groups
from antidote_core.types import Dataset, RunSpec

OF_THE_IDEA = (
    "A fairer clustering is not a fair decision: what is done with the clusters is outside this "
    "report, and so is whether the groups were recorded rightly."
)


def limits(data: Dataset, spec: RunSpec, view: RunView) -> tuple[str, ...]:
    """Sentences, the most particular first; empty ones are left out."""
    found = [_ending(view), _checks(view), _noise(view), _scope(data, spec), _search(spec, view)]
    if view.size:
        found.append(extreme_sentence(data.points, view.antidote))
    found += [small_groups(data), _other_cost(spec), OF_THE_IDEA]
    return tuple(text for text in found if text)


def _ending(view: RunView) -> str:
    if view.state == "finished":
        return ""
    return f"The run did not go to its end ({view.reason or view.state}): this is what it had."


def _checks(view: RunView) -> str:
    if not view.size:
        return ""
    if view.verification is None:
        return "No independent clustering has checked the antidote points."
    checks, restarts = len(view.verification.costs), view.verification.restarts
    return (
        f"The checks are {checks} further clusterings with {restarts} starts each. They make it "
        "unlikely that another run of the clustering ends elsewhere; they do not prove it."
    )


def _noise(view: RunView) -> str:
    if not view.size or view.outside_noise or not view.noise:
        return ""
    return "The gain is inside the noise of plain clustering, so it may be chance."


def _scope(data: Dataset, spec: RunSpec) -> str:
    rows = f"these {data.n:,} rows"
    if spec.sample is not None:
        rows = f"a sample of {data.n:,} rows (seed {spec.sample_seed})"
    return (
        f"Shown for {rows}, {spec.k} clusters and one seed ({spec.seed}). Other rows, another "
        "number of clusters or another seed can give another result."
    )


def _search(spec: RunSpec, view: RunView) -> str:
    if view.state == "finished" and not view.reached:
        return "Not reached does not mean impossible: the search looks at some of all possible V."
    if not view.size:
        return ""
    return (
        f"{view.size:,} is the smallest number that this search found. Fewer may suffice: the "
        "search is not exhaustive."
    )


def _other_cost(spec: RunSpec) -> str:
    title = get_fairness(spec.fairness).title.lower()
    return (
        f"Only {title} was asked for. It looks at the worst case alone; everything else about the "
        "clusters may have become better or worse, see the comparison."
    )
