"""Where the software departs from the paper, in the words of the README; a test compares them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.types import RunSpec


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
