"""What a run has not shown, however good it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.fairness import get_fairness
from antidote_core.reporting.text.design_words import extreme_sentence
from antidote_core.reporting.text.words import small_groups
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset

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


@dataclass(frozen=True)
class Departure:
    """One difference, and the runs it concerns."""

    topic: str
    text: str
    concerns: Callable[[RunSpec], bool]

    @property
    def sentence(self) -> str:
        """Topic and text as one paragraph."""
        return f"{self.topic} {self.text}"


DEPARTURES = (
    Departure(
        "Which optimum.",
        "k-means has several. C(U ∪ V) is the lowest-inertia fixpoint of Lloyd's algorithm over a "
        "fixed set of starts: the optima found on U and, where V could take a centre for itself, "
        "one start there. restarts=1 is the paper's way: one start, warm-started. Adult at k = 2 "
        "shows why it matters: the paper's figure belongs to the worse of two optima, and whether "
        "ten starts find the better one depends on the seed.",
        lambda spec: spec.clustering == "kmeans",
    ),
    Departure(
        "A cluster without a point of U",
        "scores balance 0, the worst, instead of being left out.",
        lambda spec: spec.fairness == "balance",
    ),
    Departure(
        "The spectral graph",
        "is not named in the paper: here two points are joined when either is among the 10 nearest "
        "of the other.",
        lambda spec: spec.clustering == "spectral",
    ),
    Departure(
        "Which rows.",
        "Of adult the first 10,000; the paper does not say which 10,000 it took.",
        lambda spec: spec.dataset == "adult",
    ),
)


def departures(spec: RunSpec) -> tuple[str, ...]:
    """The differences that concern this run.

    >>> [text.split(".")[0] for text in departures(RunSpec(dataset="adult", fairness="social"))]
    ['Which optimum', 'Which rows']
    """
    return tuple(entry.sentence for entry in DEPARTURES if entry.concerns(spec))
