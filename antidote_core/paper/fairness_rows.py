"""Cells of the fairness tables: costs before and after, sizes, checks, noise and quality.

The paper's question in a cell is whether V of the printed size makes the clustering fairer than
plain clustering (or than the fair algorithm) by the printed gain. Ours answers it at the printed
size, and where the answer is no, looks for the smallest size that does it.

k-means has several optima, and a gain over plain clustering is the paper's only where plain
clustering is the paper's. So a row against plain k-means is computed with the first of a few seeds
whose plain cost is the printed one, or nearly; where none is, with the seed asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec
import numpy as np

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.algorithms.algorithm2.sizes import MAX_SHARE
from antidote_core.baselines import NEAREST, OWN, BaselineResult, baseline_result
from antidote_core.geometry import nearest_center
from antidote_core.paper import paper_row, paper_tables
from antidote_core.paper.rows import OURS, Cell, Printed, Row, printed
from antidote_core.problem import Problem
from antidote_core.quality import quality
from antidote_core.runs.events import Alive, Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.target import meets
from antidote_core.runs.view import RunView, pack
from antidote_core.types import Dataset, Floats, jsonable

SETTINGS = paper_tables()["settings"]
PUBLISHED_ROUNDS = 3  # sizes V_s, V_s + ξ, ...: further steps of one point would take days
LARGE = 2000  # points of V from which RACOS gets fewer evaluations
BUDGET, LARGE_BUDGET, SPECTRAL_BUDGET = 1000, 200, 400
KEPT_NUMBERS = 1000  # of V in the results: enough for every design and for ten points
SEEDS = 5  # whose plain clusterings are compared with the printed one
NEARLY = 0.05  # relative difference up to which two plain costs belong to the same optimum
AGREE = 0.75  # share of the independent clusterings that makes a result hold


@dataclass(frozen=True, eq=False)
class PaperRun:
    """A run and what was asked for: did it get there, and do independent clusterings agree?"""

    spec: RunSpec
    view: RunView
    asked: RunSpec  # what was run: a V may be judged by another target afterwards
    happened: tuple[Event, ...]

    @property
    def share(self) -> float:
        """Share of the independent clusterings that meet the target."""
        return self.view.verification.share if self.view.verification else 0.0

    @property
    def reached(self) -> bool:
        """Whether the cost meets the target."""
        return self.view.size > 0 and meets(self.view.cost, self.view.target, self.view.strict)

    @property
    def holds(self) -> bool:
        """Reached, confirmed by the best of the independent clusterings and most of the others."""
        check = self.view.verification
        return self.reached and check is not None and check.confirmed and check.share >= AGREE

    def summary(self) -> Row:
        """What a table shows of it."""
        view, check = self.view, self.view.verification
        return {
            "method": self.spec.optimizer,
            "box": self.spec.place,
            "size": view.size,
            "share": view.size / view.points,
            "cost": view.cost,
            "gain": view.vanilla_cost - view.cost,
            "reached": self.reached,
            "holds": self.holds,
            "verified": self.share,
            "checks": len(check.costs) if check else 0,
            "verified_cost": check.best_cost if check else None,
            "evaluations": view.evaluations,
            "seconds": round(view.seconds, 2),
            "spec": self.spec.to_dict(),
            "antidote": self._kept(),
        }

    def _kept(self) -> Row | None:
        """V itself, for whoever wants to check; not of LFW, whose points may be faces."""
        packed = pack(self.view.antidote)
        few = len(packed.atoms) * packed.dimension <= KEPT_NUMBERS
        return msgspec.to_builtins(packed) if few and self.spec.dataset != "lfw" else None


def compute(cell: Cell, seed: int) -> tuple[Row, PaperRun]:
    """The row of one cell, and the run that answers it."""
    begun = time.perf_counter()
    data, paper = cell.load(), printed(cell)
    problem, passed = _printed_optimum(cell, data, paper, seed)
    fair = baseline_result(problem) if cell.k == 2 else None
    target = _target(cell, problem, fair, paper)
    spec = _spec(cell, problem.seed, target)
    work = _ours if cell.mode == OURS else _published
    answer, others = work(cell, spec, data, paper)
    low, high = answer.view.noise_band
    row = {
        **cell.head(data),
        "seed": problem.seed,
        "passed": passed,
        "paper": {**asdict(paper), "gain": paper.gain, "quality": _printed_quality(cell)},
        "vanilla": answer.view.vanilla_cost,
        "noise": [low, high],
        "noise_width": high - low,
        "target": answer.view.target,
        "sota": _sota_costs(fair, problem) if fair else None,
        "answer": answer.summary(),
        **{name: found.summary() if found else None for name, found in others.items()},
        "quality": _qualities(problem, answer, fair) if cell.k == 2 else None,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    return jsonable(row), answer


def _printed_optimum(
    cell: Cell, data: Dataset, paper: Printed, seed: int
) -> tuple[Problem, list[float]]:
    """The problem with the first seed whose plain cost is nearly the printed one.

    Beside it the plain costs of the seeds that were passed over.
    """
    restarts = 10 if cell.mode == OURS else 1
    tried = []
    for other in range(seed, seed + SEEDS):
        problem = Problem(data, cell.clustering, cell.fairness, cell.k, restarts, other)
        tried.append(problem)
        if cell.against_sota or cell.clustering != "kmeans":
            break  # no plain cost is printed there, or the seed hardly matters
        if abs(problem.vanilla.cost - paper.before) <= NEARLY * abs(paper.before):
            return problem, [passed.vanilla.cost for passed in tried[:-1]]
    return tried[0], []


def _target(
    cell: Cell, problem: Problem, fair: BaselineResult | None, paper: Printed
) -> str | float:
    """α: as published the cost to improve on; ours, for Table 1, the paper's gain as well.

    A fair algorithm is met to the digits that the paper prints: Fair-Lloyd ends in an optimum of
    the social cost, which no V can undercut.
    """
    if cell.against_sota and fair is not None:
        sota = fair.scores[_scoring(problem)][cell.fairness]
        return sota + paper.rounding if sota < problem.vanilla.cost else "vanilla"
    if cell.mode != OURS:
        return "vanilla"
    # From a better optimum than the paper's, its gain may be more than there is to be had.
    bound = problem.fairness.lower_bound(problem.points, problem.groups, problem.k)
    return max(problem.vanilla.cost - paper.gain, bound)


def _scoring(problem: Problem) -> str:
    return NEAREST if problem.clustering.by_nearest_center else OWN


def _spec(cell: Cell, seed: int, target: str | float) -> RunSpec:
    """The settings that all runs of this cell share."""
    if cell.mode == OURS:
        budget = SPECTRAL_BUDGET if cell.sample else BUDGET
        return cell.asks(seed, target=target, restarts=10, embed_dim=None, budget=budget)
    return cell.asks(
        seed,
        target=target,
        restarts=1,
        optimizer="racos",
        growth="restart",
        start_size=SETTINGS["V_s"],
        step=SETTINGS["xi"],
        embed_dim=SETTINGS["n_prime"],
        budget=BUDGET,
    )


def _published(
    cell: Cell, spec: RunSpec, data: Dataset, paper: Printed
) -> tuple[PaperRun, dict[str, PaperRun | None]]:
    """From V_s in steps of ξ; where that fails, one round at the size that the paper arrived at."""
    first = _attempt(replace(spec, max_rounds=PUBLISHED_ROUNDS), data)
    if first.reached or paper.points < spec.start_size + PUBLISHED_ROUNDS:
        return first, {}
    size = paper.points
    budget = LARGE_BUDGET if size > LARGE or cell.sample else BUDGET
    large = replace(spec, start_size=size, max_size=size, max_rounds=1, budget=budget)
    second = _attempt(large, data)
    return (second if second.view.cost < first.view.cost else first), {}


def _ours(
    cell: Cell, spec: RunSpec, data: Dataset, paper: Printed
) -> tuple[PaperRun, dict[str, PaperRun | None]]:
    """The best at the printed size; where that fails, the smallest size that does it.

    Beside it, at the printed size: a wider box, and C with one start, as the paper clusters.
    """
    limit = max(paper.points, int(MAX_SHARE * data.n))
    if cell.against_sota:
        smallest, easier = _smallest(spec, data, limit), None
        # The printed cost of the fair algorithm may be an easier target than that found here.
        weaker = smallest.view.target < paper.before < smallest.view.vanilla_cost
        if spec.clustering == "kmeans" and weaker:
            easier = _for_printed(replace(spec, target=paper.before), data, paper, limit)
            smallest = _best([smallest, _judged(easier, smallest.view.target)])
        within = [smallest] if smallest.view.size <= paper.points else []
        answer = smallest
        if not within or not smallest.holds:
            answer = _best([*within, *_attempts(_at(spec, paper.points), data)])
        return answer, {
            "smallest": smallest if smallest.reached else None,
            "for_printed": easier if easier and easier.reached else None,
        }
    answer = _best(_attempts(_at(spec, paper.points), data))
    if answer.holds or (answer.reached and cell.sample):
        return answer, {"smallest": None, "wide": None, "one_start": None}
    wide = one_start = None
    if not answer.reached and not cell.sample:
        wide = _best(_attempts(_at(replace(spec, place="wide"), paper.points), data))
        one_start = _one_start(_at(spec, paper.points), data, paper)
    smallest = _smallest(spec, data, limit, start=paper.points + 1)
    return answer, {
        "smallest": smallest if smallest.reached else None,
        "wide": wide,
        "one_start": one_start,
    }


def _one_start(spec: RunSpec, data: Dataset, paper: Printed) -> PaperRun:
    """The printed gain over the plain clustering of a single start, by structured search."""
    problem = Problem(data, spec.clustering, spec.fairness, spec.k, 1, spec.seed)
    target = problem.vanilla.cost - paper.gain
    return _attempt(replace(spec, restarts=1, target=target, optimizer="structured"), data)


def _for_printed(spec: RunSpec, data: Dataset, paper: Printed, limit: int) -> PaperRun:
    """The fewest points for the printed cost; half of the paper's get a try of their own."""
    smallest = _smallest(spec, data, limit)
    half = paper.points // 2
    if half < 1 or (smallest.holds and smallest.view.size <= half):
        return smallest
    return _best([smallest, *_attempts(_at(spec, half), data)])


def _judged(attempt: PaperRun, target: float) -> PaperRun:
    """The same V and checks against another target: an easier one may have asked too little."""
    check = attempt.view.verification
    assert check is not None
    met = [meets(cost, target, strict=False) for cost in check.costs]
    confirmed = meets(check.best_cost, target, strict=False)
    check = replace(check, share=sum(met) / len(met), confirmed=confirmed)
    view = replace(attempt.view, target=target, verification=check)
    return replace(attempt, spec=replace(attempt.spec, target=target), view=view)


def _at(spec: RunSpec, size: int) -> RunSpec:
    return replace(spec, start_size=size, max_size=size, max_rounds=1)


def _attempts(spec: RunSpec, data: Dataset) -> Iterator[PaperRun]:
    """The structured search and, where it did not settle the matter, the design."""
    searched = _attempt(replace(spec, optimizer="structured"), data)
    yield searched
    if spec.clustering == "kmeans" and not searched.holds:
        yield _attempt(replace(spec, optimizer="design"), data)


def _smallest(spec: RunSpec, data: Dataset, limit: int, start: int = 1) -> PaperRun:
    """The fewest points that reach the target, by doubling and bisection."""
    start = min(start, limit)
    spec = replace(spec, growth="bisect", start_size=start, max_size=limit)
    searched = _attempt(replace(spec, optimizer="structured", budget=spec.budget // 2), data)
    if spec.clustering != "kmeans" or (searched.holds and searched.view.size <= start):
        return searched
    most = searched.view.size if searched.holds else limit
    designed = _attempt(replace(spec, optimizer="design", max_size=max(most, start)), data)
    return _best([searched, designed])


def _best(attempts: Any) -> PaperRun:
    """What holds before what does not, then what reaches; then the fewest points, then the cost."""

    def rank(attempt: PaperRun) -> tuple[bool, bool, int, float]:
        done = attempt.reached
        return not attempt.holds, not done, attempt.view.size if done else 0, attempt.view.cost

    return min(attempts, key=rank)


def _attempt(spec: RunSpec, data: Dataset) -> PaperRun:
    happened = tuple(event for event in grow(spec, data) if not isinstance(event, Alive))
    return PaperRun(spec, RunView.fold(happened), spec, happened)


def _sota_costs(fair: BaselineResult, problem: Problem) -> Row:
    name = problem.fairness.name
    return {
        "name": fair.name,
        "cost": fair.scores[_scoring(problem)][name],
        "scoring": _scoring(problem),
        "own": fair.scores[OWN][name],
        "nearest": fair.scores[NEAREST][name],
        "seconds": fair.seconds,
        "notes": list(fair.notes),
    }


def _printed_quality(cell: Cell) -> Row | None:
    """The paper's scores for k = 2: of the fair algorithm and of Algorithm 2."""
    if cell.k != 2:
        return None
    return {
        name: paper_row(f"{name}_k2", cell.dataset, cell.fairness, cell.clustering)
        for name in ("davies_bouldin", "calinski_harabasz")
    }


def _qualities(problem: Problem, answer: PaperRun, fair: BaselineResult | None) -> Row:
    """Scores of plain clustering, of C(U ∪ V) on U and with V counted, and of the fair algorithm.

    The paper does not say which points its scores count; so both are here.
    """
    points, antidote = problem.points, answer.view.antidote
    plain_labels = problem.vanilla.labels
    labels = problem.cluster(antidote).labels if len(antidote) else plain_labels
    found = {"vanilla": quality(points, plain_labels), "antidote": quality(points, labels)}
    if len(antidote) and problem.clustering.by_nearest_center:
        centers = problem.cluster(antidote).centers
        union: Floats = np.vstack([points, antidote])
        found["with_antidote"] = quality(union, nearest_center(union, centers)[0])
    if fair is not None:
        found["sota_own"] = fair.quality
        found["sota_nearest"] = quality(points, nearest_center(points, fair.centers)[0])
    return {name: asdict(scores) for name, scores in found.items()}
