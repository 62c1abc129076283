"""The recorded runs that ship with the package: what they show, and that they are runs of today."""

import dataclasses
import json

import pytest

from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.engine import Runner
from antidote_core.engine.examples import EXAMPLES, open_example
from antidote_core.runs.events import Unreadable
from antidote_core.runs.scenarios import SCENARIOS
from antidote_core.runs.view import fold

OUTCOMES = {
    "four-fifths": "confirmed", "fewest-copies": "confirmed", "largest-gain": "confirmed",
    "better-than-fair": "confirmed", "as-in-the-paper": "not confirmed",
    "teaching-set": "confirmed", "social": "confirmed", "spectral": "confirmed",
    "hollow": "hollow",
}  # fmt: skip


def test_there_is_a_recording_of_everything_and_of_nothing_else() -> None:
    assert set(EXAMPLES) == set(OUTCOMES)
    assert set(SCENARIOS) <= set(EXAMPLES)
    for name, scenario in SCENARIOS.items():
        assert dataclasses.replace(EXAMPLES[name].spec, seed=scenario.spec.seed) == scenario.spec


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_recording_is_small_whole_and_of_its_spec(name: str) -> None:
    example = EXAMPLES[name]
    assert example.path.stat().st_size < 200_000
    assert not any(isinstance(event, Unreadable) for event in example.events)
    view = fold(example.events)
    assert view.closed
    assert view.verdict.outcome == OUTCOMES[name]
    assert view.spec == json.loads(example.spec.to_json())
    assert example.seconds > 0
    assert len(view.comparison) >= 2


@pytest.mark.parametrize("name", ["teaching-set", "hollow"])
def test_the_run_done_again_is_the_recorded_one(name: str) -> None:
    recorded = fold(EXAMPLES[name].events)
    again = fold(grow(EXAMPLES[name].spec))
    assert [step.size for step in again.steps] == [step.size for step in recorded.steps]
    assert [step.cost for step in again.steps] == pytest.approx(
        [step.cost for step in recorded.steps], abs=1e-12
    )


def test_the_first_run_has_five_rounds_and_more_and_is_better_than_the_fair_algorithm() -> None:
    assert fold(EXAMPLES["four-fifths"].events).rounds >= 5
    view = fold(EXAMPLES["better-than-fair"].events)
    fair = [row["balance"] for row in view.comparison if row["name"] == "bera"]
    assert view.cost < min(fair)


def test_an_example_in_the_store_is_a_finished_run_kept_once(tmp_path) -> None:
    with Runner(tmp_path) as runner:
        run_id = open_example(runner.store, "hollow", "somebody")
        assert open_example(runner.store, "hollow", "else") == run_id
        status = runner.status(run_id, "somebody")
        assert status.state == "finished"
        assert status.spec == EXAMPLES["hollow"].spec
        assert [job.run_id for job in runner.jobs("somebody")] == [run_id]
        assert runner.view(run_id).verdict.outcome == "hollow"
        assert runner.submit(EXAMPLES["hollow"].spec, owner="somebody") == run_id
