"""Optimizers behind one protocol (see `protocol`), by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from antidote_core.errors import SpecError
from antidote_core.optimizers.cma import cmaes
from antidote_core.optimizers.imgpo import imgpo
from antidote_core.optimizers.protocol import Box, Minimise, Minimum
from antidote_core.optimizers.racos import racos, sracos
from antidote_core.optimizers.random_search import random_search
from antidote_core.optimizers.sre import sre
from antidote_core.optimizers.structured import structured
from antidote_core.places import Place
from antidote_core.problem import Problem


@dataclass(frozen=True)
class Optimizer:
    """One way to minimise f(V).

    A black box has `minimise`, and works inside SRE; a white box, which looks into the problem, has
    `for_problem(problem, size, place)` instead, and n' does not apply to it. One that `designs` V
    takes whole runs (see `algorithms.design`); its `for_problem` is for callers who have one size
    and f.
    """

    name: str
    title: str
    sentence: str
    minimise: Minimise | None = None
    for_problem: Callable[[Problem, int, Place | None], Minimise] | None = None
    designs: bool = False

    def minimiser(
        self, problem: Problem, size: int, embed_dim: int | None, place: Place | None = None
    ) -> Minimise:
        """The `minimise` for `size` antidote points, inside SRE with n' = embed_dim if not None."""
        if self.for_problem is not None:
            return self.for_problem(problem, size, place)
        assert self.minimise is not None
        return self.minimise if embed_dim is None else sre(self.minimise, embed_dim)


OPTIMIZERS: dict[str, Optimizer] = {
    entry.name: entry
    for entry in (
        Optimizer(
            "structured",
            "Structured",
            "Works out which way the centres should move, then refines by CMA-ES; n′ not used.",
            for_problem=structured,
        ),
        Optimizer(
            "design",
            "Design",
            "Says which centres k-means should find, and places V by convex programs so that it "
            "must; for k-means with balance or social cost; n′ not used.",
            for_problem=structured,
            designs=True,
        ),
        Optimizer(
            "racos",
            "RACOS (the paper)",
            "Learns a box around good antidote sets, a batch of samples at a time.",
            minimise=racos,
        ),
        Optimizer(
            "sracos",
            "SRACOS",
            "Like RACOS, one sample at a time.",
            minimise=sracos,
        ),
        Optimizer(
            "cmaes",
            "CMA-ES",
            "Evolves a cloud of antidote sets and learns its shape.",
            minimise=cmaes,
        ),
        Optimizer(
            "imgpo",
            "IMGPO",
            "Cuts boxes where a Gaussian process sees room for better; for n′ of about 6 at most.",
            minimise=imgpo,
        ),
        Optimizer(
            "random",
            "Random search",
            "Draws antidote sets at random: the yardstick for all others.",
            minimise=random_search,
        ),
    )
}


def get_optimizer(name: str) -> Optimizer:
    """The optimizer of that name, or a sentence that lists the names."""
    if name not in OPTIMIZERS:
        known = ", ".join(repr(key) for key in OPTIMIZERS)
        raise SpecError(f"optimizer must be one of {known}; got {name!r}.")
    return OPTIMIZERS[name]


__all__ = ["OPTIMIZERS", "Box", "Minimise", "Minimum", "Optimizer", "get_optimizer"]
