"""What a moving picture of a run is made of, against slow definitions."""

import dataclasses
from collections import Counter

import numpy as np
import pytest

import antidote_core as ac
from antidote_core.analysis.snapshots import (
    Moves,
    moves,
    nearest_rows,
    number_atoms,
    shown_steps,
    snapshot,
    tug_of_war,
)
from antidote_core.runs.view import RunView, Step

BOX = ac.RunSpec(
    dataset="two-optima", start_size=3, step=2, target=-1.0, budget=60, max_rounds=3, seed=2,
    place="minmax", max_price=None,
)  # fmt: skip
ROWS = ac.RunSpec(
    dataset="two-optima",
    start_size=10,
    step=10,
    target=-0.9,
    max_rounds=4,
    place="rows",
    optimizer="design",
    growth="extend",
)


@pytest.fixture(scope="module", params=[BOX, ROWS], ids=["box", "rows"])
def played(request):
    data = ac.load_dataset("two-optima")
    view = ac.run(request.param)
    steps = range(len(view.steps))
    return data, view, [moves(snapshot(data, request.param, view, i)) for i in steps]


def nearest(points: np.ndarray, centers: np.ndarray) -> list[int]:
    return [
        min(range(len(centers)), key=lambda c: float(((x - centers[c]) ** 2).sum())) for x in points
    ]


def test_who_moved_is_whoever_has_another_nearest_centre(played) -> None:
    data, _, found = played
    before = nearest(data.points, found[0].centers)
    assert any(len(step.moved) for step in found)
    for step in found:
        now = nearest(data.points, step.centers)
        assert step.moved.tolist() == [i for i in range(data.n) if before[i] != now[i]]
        assert step.clusters.tolist() == [now[i] for i in step.moved]
        assert len(step.moved) <= data.n / 2  # clusters keep their numbers


def test_copies_are_counted_per_atom(played) -> None:
    data, view, found = played
    for step, recorded in zip(found, view.steps, strict=True):
        counted = Counter(map(tuple, recorded.antidote.tolist()))
        assert len(step.atoms) == len(step.copies) == len(step.rows)
        drawn: Counter = Counter()
        for atom, copies, row in zip(step.atoms, step.copies, step.rows, strict=True):
            drawn[tuple(atom.tolist())] += int(copies)
            if recorded.rows is not None:
                np.testing.assert_array_equal(data.points[row], atom)
                assert (recorded.rows == row).sum() == copies
            else:
                assert row == -1
        assert drawn == counted


def test_an_atom_keeps_its_number_from_step_to_step(played) -> None:
    _, _, found = played
    numbers = number_atoms(found)
    place: dict[int, tuple] = {}
    for names, step in zip(numbers, found, strict=True):
        assert len(set(names)) == len(names)
        for name, atom, row in zip(names, step.atoms, step.rows, strict=True):
            assert place.setdefault(name, (int(row), *atom)) == (int(row), *atom)
    assert sorted(place) == list(range(len(place)))
    assert len(set(place.values())) == len(place)


def test_rows_that_are_alike_stay_two_atoms() -> None:
    none, alike = np.empty(0, dtype=np.int64), np.zeros((2, 1))
    step = Moves(alike, alike, np.array([1, 2]), np.array([3, 8]), none, none)
    assert number_atoms([step]) == [[0, 1]]


def test_nearest_rows_are_those_of_a_sorted_list() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(150, 3))
    own = np.array([0, 149, 70, -1])
    places = np.vstack([points[[0, 149, 70]], rng.normal(size=(1, 3))])
    rows, distances = nearest_rows(points, places, own, 4)
    for i, (place, mine) in enumerate(zip(places, own, strict=True)):
        others = [j for j in range(150) if j != mine]
        wanted = sorted(others, key=lambda j: float(np.linalg.norm(points[j] - place)))[:4]
        assert rows[i].tolist() == wanted
        np.testing.assert_allclose(distances[i], np.linalg.norm(points[wanted] - place, axis=1))


def test_few_points_have_fewer_neighbours() -> None:
    rows, distances = nearest_rows(np.zeros((2, 1)), np.zeros((1, 1)), np.array([0]), 3)
    assert rows.tolist() == [[1]]
    assert distances.tolist() == [[0.0]]


@pytest.mark.parametrize("count", [1, 2, 240, 241, 999, 5000])
def test_long_runs_are_thinned_and_keep_what_matters(count: int) -> None:
    answer = count // 3
    shown = shown_steps(count, answer)
    assert shown == sorted(set(shown))
    assert {0, answer, count - 1} <= set(shown)
    assert len(shown) <= 242
    assert (len(shown) == count) == (count <= 240)
    assert set(shown_steps(count, answer)) - set(shown_steps(count + 1, answer)) <= {count - 1} or (
        len(shown_steps(count + 1, answer)) < len(shown)
    )


def step(kind: str, reached: bool = False, **design: float) -> Step:
    none = np.zeros((0, 1))
    return Step(kind, none, 0.0, none, none, none, 0.0, 0.0, reached=reached, design=design)


def test_the_tug_of_war_is_told_only_where_the_run_tells_it() -> None:
    unknown = (step("vanilla"), step("round", lead=-4.0, lead_before=None))
    assert tug_of_war(RunView(steps=unknown)) == [None, None]
    told = (
        step("vanilla"),
        step("round", lead=30.0, lead_before=41.0),
        step("round", lead=-44.0, lead_before=None),  # works for another clustering
        step("round", reached=True, lead=-3.0, lead_before=None),
    )
    leads = tug_of_war(dataclasses.replace(RunView(), steps=told))
    assert [(lead.now, lead.before) if lead else None for lead in leads] == [
        (41.0, 41.0), (30.0, 41.0), None, (-3.0, 41.0),
    ]  # fmt: skip
