"""What a sweep asks, and the fold of its events."""

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import SpecError, load_dataset, run
from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.runs.cache import ProblemCache
from antidote_core.runs.events import Event, event_of
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import MAX_CELLS, SweepSpec
from antidote_core.runs.sweep_view import (
    DONE,
    FAILED,
    RUNNING,
    STOPPED,
    WAITING,
    Reference,
    SweepView,
)
from antidote_core.runs.view import fold
from tests.core.runs.made_sweeps import SPEC, events, made, price, reference, smallest_share

PAIRS = (("kmeans", "balance"), ("kmedian", "social"))


def test_cells_are_the_whole_grid_once_and_ordinary_runs():
    spec = SweepSpec(
        "blobs", combinations=PAIRS, optimizers=("random", "design"), boxes=("minmax", "wide"),
        ks=(2, 3), sizes=(5, 2), seeds=(3, 1), budget=7, restarts=2,
    )  # fmt: skip
    assert len(spec.cells) == 2 * 2 * 2 * 2 * 2 * 2
    asked = {(cell.setting, cell.size, cell.seed) for cell in spec.cells}
    assert asked == {(s, v, i) for s in spec.settings for v in (2, 5) for i in (1, 3)}
    for cell in spec.cells:
        run_spec = cell.spec
        assert (run_spec.start_size, run_spec.max_size, run_spec.seed) == (
            cell.size, cell.size, cell.seed,
        )  # fmt: skip
        assert (run_spec.target, run_spec.budget, run_spec.restarts) == ("lowest", 7, 2)
        assert RunSpec.from_json(run_spec.to_json()) == run_spec
    first = len(spec.cells) // 2
    assert {cell.seed for cell in spec.cells[:first]} == {1}  # whole curves of one seed come first


def test_the_target_does_not_change_the_cells():
    one, other = (SweepSpec("blobs", target=target) for target in ("vanilla", -0.7))
    assert one.id != other.id
    assert [cell.spec.id for cell in one.cells] == [cell.spec.id for cell in other.cells]


def test_equal_sweeps_have_equal_ids():
    one = SweepSpec("blobs", sizes=(10, 2, 10), seeds=[1, 0], target=0)
    other = SweepSpec("blobs", sizes=[2, 10], seeds=(0, 1, 1), target=-0.0)
    assert one == other
    assert one.id == other.id == SweepSpec.from_json(one.to_json()).id


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sizes": ()}, "sizes must be a list of numbers of antidote points, at least one"),
        ({"sizes": (0,)}, "start_size (V_s) must be a whole number of at least 1; got 0"),
        ({"sizes": (2.5,)}, "sizes must be whole numbers; got 2.5"),
        ({"seeds": (True,)}, "seeds must be whole numbers; got True"),
        ({"ks": (1,)}, "k must be a whole number of at least 2"),
        ({"optimizers": "random"}, "optimizers must be a list of optimizers"),
        ({"combinations": ("kmeans",)}, "pairs of a clustering and a cost; got 'kmeans'"),
        ({"combinations": ((["kmeans"], "social"),)}, "must be a list of names or numbers"),
        ({"target": "lowest"}, "which every cell looks for anyway"),
        ({"target": "best"}, "target (α) must be"),
        ({"budget": 0}, "budget must be a whole number of at least 1"),
        ({"version": float("inf")}, "version of the settings of a sweep must be 1 or 2; got inf"),
        ({"seeds": tuple(range(MAX_CELLS))}, f"{MAX_CELLS} cells at most"),
    ],
)
def test_bad_settings_get_a_sentence(change, sentence):
    with pytest.raises(SpecError) as error:
        SweepSpec("blobs", **change)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"optimizers": ("guess",)}, "optimizer must be one of"),
        ({"boxes": ("huge",)}, "must be one of 'rows', 'plausible', 'minmax', 'wide'; got 'huge'."),
        ({"combinations": (("kmeanz", "social"),)}, "clustering must be one of"),
        ({"combinations": PAIRS, "target": "sota"}, "No fair algorithm is known here for k-median"),
    ],
)
def test_names_that_nobody_knows_get_a_sentence(change, sentence):
    with pytest.raises(SpecError) as error:
        SweepSpec("blobs", **change).check()
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "not valid JSON"),
        ("[]", "of the kind 'sweep'"),
        (RunSpec("blobs").to_json(), "of the kind 'sweep'"),
        ('{"kind":"sweep"}', "names no dataset"),
        ('{"kind":"sweep","dataset":"blobs","colour":1}', "unknown settings: colour"),
    ],
)
def test_bad_json_gets_a_sentence(text, sentence):
    with pytest.raises(SpecError, match=sentence):
        SweepSpec.from_json(text)


def told() -> list[Event]:
    return list(events(failed=(3,)))


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_cells_and_references_does_not_matter(random):
    log = told()
    movable = [event for event in log if event.kind in ("cell", "reference")]
    start = [event for event in log if event.kind in ("queued", "started", "workers")]
    end = [event for event in log if event.kind in ("finished", "closed")]
    random.shuffle(movable)
    assert SweepView.fold([*start, *movable, *end]) == SweepView.fold(log)


def test_a_cell_that_is_tried_again_on_another_worker_counts_once():
    log = told()
    begins = event_of("cell", {"seconds": 2.0, "index": 0, "state": RUNNING})
    doubled = [e for event in log for e in (event, begins)]
    at = next(i for i, event in enumerate(doubled) if event.kind == "started")
    assert SweepView.fold(doubled[at:]).rows == SweepView.fold(log).rows


def test_a_sweep_so_far():
    log = told()
    cells = [i for i, event in enumerate(log) if event.kind == "cell"]
    running = event_of("cell", {"seconds": 50.0, "index": 19, "state": RUNNING})
    view = SweepView.fold([*log[: cells[4] + 1], running])
    assert [view.count(state) for state in (DONE, FAILED, RUNNING, WAITING)] == [4, 1, 1, 14]
    assert view.settled == 5
    # 49 seconds since the workers were there for 5 cells, 15 are open
    assert view.left == pytest.approx(49.0 / 5 * 15)
    assert view.rows[3].reason
    stopped = SweepView.fold(
        [
            *log[: cells[4] + 1],
            running,
            event_of("stopped", {"seconds": 60.0, "reason": "stopped by you"}),
        ]
    )
    assert stopped.rows[19].state == STOPPED
    assert stopped.state == "stopped"
    assert stopped.count(DONE) == 4


def test_reused_cells_do_not_speed_up_the_estimate():
    log = list(events(settled=10))
    log = [event for event in log if event.kind not in ("finished", "closed")]
    reused = [
        event_of(e.kind, {"seconds": e.seconds, **e.data, "reused": True})
        if e.kind == "cell"
        else e
        for e in log
    ]
    assert SweepView.fold(log).left > 0
    assert SweepView.fold(reused).left != SweepView.fold(reused).left  # NaN: none was computed


def test_every_event_survives_its_line_in_a_log():
    log = told()
    assert SweepView.fold(Event.from_json(event.to_json()) for event in log) == SweepView.fold(log)


def test_a_reference_goes_to_json_and_back():
    problem = ("kmeans", "balance", 2)
    for given_reference in (reference(problem), reference(problem, sota=None, reason="no memory")):
        line = given_reference.to_event().to_json()
        assert "NaN" not in line
        assert Reference.of(Event.from_json(line)) == given_reference
    without = dataclasses.replace(reference(problem), silhouette=float("nan"))
    assert without.to_event().silhouette is None


def test_verdicts_follow_the_target_of_the_reference():
    strict = SweepView.fold(events(cost=lambda cell: -0.3))
    assert {row.passed for row in strict.rows} == {False}
    met = SweepView.fold(events(cost=lambda cell: -0.3, strict=False))
    assert {row.passed for row in met.rows} == {True}
    assert {row.verified for row in met.rows} == {1.0}


def test_a_cell_that_breaks_the_guard_never_passes():
    kept, broken = made(), made(kept=False)
    assert any(row.passed for row in kept.rows)
    assert {row.passed for row in broken.rows} == {False}


def test_cells_and_references_know_what_fairness_costs():
    view = made()
    assert [row.price for row in view.rows] == [price(cell) for cell in view.spec.cells]
    assert [row.smallest_share for row in view.rows] == [
        smallest_share(cell) for cell in view.spec.cells
    ]
    [found] = view.references
    assert (found.price, found.smallest_share, found.sota.own_price) == (0.0, 0.4, 0.19)


def test_logs_without_the_guard_read_as_not_known():
    earlier = [json.loads(event.to_json()) for event in events(priced=False)]
    for values in earlier:
        values.pop("kept", None)
        values.pop("smallest_share", None)
        if values.get("sota"):
            values["sota"] = {
                name: value
                for name, value in values["sota"].items()
                if not name.endswith(("_price", "_smallest_share"))
            }
    view = SweepView.fold(Event.from_json(json.dumps(values)) for values in earlier)
    assert all(math.isnan(row.price) and math.isnan(row.smallest_share) for row in view.rows)
    assert [row.passed for row in view.rows] == [row.passed for row in made().rows]
    [found] = view.references
    assert math.isnan(found.smallest_share)
    assert math.isnan(found.sota.own_price)


def test_the_guard_of_a_sweep_is_that_of_its_cells():
    spec = SweepSpec("blobs", min_share=0.2, max_price=0.05)
    assert {(cell.spec.min_share, cell.spec.max_price) for cell in spec.cells} == {(0.2, 0.05)}
    with pytest.raises(SpecError, match="min_share must be a share"):
        SweepSpec("blobs", min_share=0.6)


@pytest.mark.parametrize(
    ("clustering", "fairness", "optimizer"),
    [
        ("kmeans", "social", "structured"),
        ("kmeans", "balance", "design"),
        ("kmedian", "social", "random"),
    ],
)
def test_a_workshop_changes_nothing_to_the_last_bit(clustering, fairness, optimizer):
    data = load_dataset("blobs")
    cache = ProblemCache()
    spec = RunSpec(
        "blobs", clustering=clustering, fairness=fairness, optimizer=optimizer, budget=30,
        restarts=2, start_size=6, max_size=6, target="lowest",
    )  # fmt: skip
    other = dataclasses.replace(spec, start_size=9, max_size=9)
    for asked in (other, spec):
        alone = run(asked, data)
        shared = fold(grow(asked, data, None, cache))
        assert shared.antidote.tolist() == alone.antidote.tolist()
        assert (shared.cost, shared.noise) == (alone.cost, alone.noise)
        assert shared.verification == alone.verification


def test_made_sweep_is_the_spec_it_says():
    assert SweepView.fold(told()).spec == SPEC
