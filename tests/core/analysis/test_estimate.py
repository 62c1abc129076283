"""What is said before a run, beside what the run then does."""

import dataclasses
import math

import pytest

from antidote_core import Problem, RunSpec, load_dataset, run
from antidote_core.algorithms.algorithm2.verification import noise
from antidote_core.analysis.progress import estimate_run
from antidote_core.reporting.text.run_words import advice, idle
from antidote_core.runs.scenarios import SCENARIOS, usual_search

TEACHING = SCENARIOS["teaching-set"].spec


def labels(spec: RunSpec, designable: bool = True) -> list[str]:
    found = estimate_run(spec, load_dataset(spec.dataset))
    return [one.label for one in advice(found, spec, designable)]


def test_the_estimate_knows_plain_clustering_and_its_noise() -> None:
    found = estimate_run(TEACHING, load_dataset(TEACHING.dataset))
    problem = Problem(load_dataset(TEACHING.dataset))
    costs = (*noise(problem), problem.vanilla.cost)
    assert (found.vanilla, found.target) == (problem.vanilla.cost, -0.9)
    assert found.noise == (min(costs), max(costs))
    assert not found.met
    assert not found.missing
    assert 0 < found.seconds < math.inf


def test_the_run_takes_about_the_rounds_that_were_expected() -> None:
    found = estimate_run(TEACHING, load_dataset(TEACHING.dataset))
    done = run(TEACHING)
    assert done.reached
    assert found.tips_at is not None
    assert found.tips_at <= done.size <= 1.5 * found.tips_at
    assert found.rounds <= done.rounds <= found.rounds + 2


def test_without_a_known_clustering_the_limits_count() -> None:
    spec = RunSpec("blobs", start_size=2, step=3, target=-1.0, max_size=20, max_rounds=5)
    found = estimate_run(spec, load_dataset("blobs"))
    assert found.tips_at is None
    assert found.rounds == 5
    wider = dataclasses.replace(spec, max_rounds=None)
    assert estimate_run(wider, load_dataset("blobs")).rounds == len(range(2, 21, 3))


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        (dataclasses.replace(TEACHING, target=-0.1), "Ask for the lowest cost"),
        (dataclasses.replace(TEACHING, target="vanilla"), "Ask for four fifths"),
        (dataclasses.replace(TEACHING, start_size=30), "Begin with 2, to watch"),
        (RunSpec("outliers", target=-0.9), "Design the points"),
        (RunSpec("blobs", target=-1.0, start_size=1, max_size=90), "Grow by 1.25"),
    ],
)
def test_advice_comes_with_the_change_that_it_speaks_of(spec: RunSpec, label: str) -> None:
    assert label in labels(spec)


def test_a_change_of_the_advice_is_a_spec_that_no_longer_needs_it() -> None:
    spec = RunSpec("blobs", target=-1.0, start_size=1, max_size=90)
    data = load_dataset("blobs")
    [one] = [a for a in advice(estimate_run(spec, data), spec, True) if a.label == "Grow by 1.25"]
    changed = dataclasses.replace(spec, **one.changes)
    assert "Grow by 1.25" not in labels(changed)
    assert estimate_run(changed, data).rounds < estimate_run(spec, data).rounds / 3


def test_usual_sizes_grow_with_the_rows() -> None:
    sizes = [usual_search(n, "balance")["start_size"] for n in (5_000, 30_000, 45_211, 10**6)]
    assert sizes == [10, 60, 90, 2000]
    assert usual_search(45_211, "social")["target"] == "vanilla"
    assert [usual_search(n, "balance")["step"] for n in (20, 400, 1_000, 4_999)] == [1, 4, 10, 10]


def test_idle_settings_do_not_change_a_run() -> None:
    """Whatever is said to be idle may be set to anything: the points found are the same."""
    other = {"step": 7, "growth_factor": 3.0, "budget": 7, "embed_dim": 3, "lasting": 3.0}
    spec = RunSpec(
        "two-optima", start_size=4, growth="bisect", target=-0.5, budget=60, max_size=60, seed=1
    )
    rests = idle(spec.optimizer, spec.growth, spec.place, spec.target)
    assert {"step", "growth_factor", "embed_dim", "lasting"} <= set(rests)
    changed = dataclasses.replace(spec, **{k: v for k, v in other.items() if k in rests})
    assert run(changed).antidote.tolist() == run(spec).antidote.tolist()
