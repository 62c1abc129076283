"""V as copies of rows: every point of it exists in U, and weights do the same as copies."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from antidote_core import (
    Problem,
    RunSpec,
    SpecError,
    balance_cost,
    dataset_from_frame,
    grow,
    load_dataset,
    run,
)
from antidote_core.clustering import CLUSTERINGS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.places import MixedRows, Rows, allowed_rows
from antidote_core.runs.events import Round


def is_made_of(points, antidote, most):
    """Whether every point of V is a row, none of them more often than its copies allow."""
    rows = [tuple(row) for row in points]
    return all(
        rows.count(tuple(point)) * most >= (antidote == point).all(axis=1).sum() > 0
        and tuple(point) in rows
        for point in np.unique(antidote, axis=0)
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 1000),
    size=st.integers(1, 30),
    most=st.integers(1, 4),
    d=st.sampled_from([1, 2, 20]),
    clumped=st.booleans(),
)
def test_snapping_gives_rows_within_their_copies(seed, size, most, d, clumped):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 4, (40, d)).astype(float)  # many equal rows
    place = Rows(points, np.ones(40, dtype=bool), most)
    antidote = rng.uniform(-1, 5, (1 if clumped else size, d)).repeat(
        size if clumped else 1, axis=0
    )
    snapped = place.snap(antidote)
    assert snapped.shape == antidote.shape
    assert is_made_of(points, snapped, most)
    rows = place.rows_of(snapped)
    assert np.array_equal(points[rows], snapped)
    assert np.bincount(rows).max() <= most


def test_a_single_point_goes_to_its_nearest_row():
    rng = np.random.default_rng(0)
    for d in (2, 20):
        points = rng.normal(size=(50, d))
        place = Rows(points, np.ones(50, dtype=bool), 5)
        wanted = rng.normal(size=(10, d))
        nearest = ((wanted[:, None] - points) ** 2).sum(axis=2).argmin(axis=1)
        for point, row in zip(wanted, nearest, strict=True):
            assert np.array_equal(place.snap(point[None])[0], points[row])


def test_more_copies_than_there_is_room_for_get_a_sentence():
    place = Rows(np.arange(3.0)[:, None], np.ones(3, dtype=bool), 2)
    with pytest.raises(SpecError, match="7 copies do not fit: 3 rows may be copied, at most 2"):
        place.snap(np.zeros((7, 1)))


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
def test_every_optimizer_copies_rows(optimizer):
    data = load_dataset("two-optima")
    spec = RunSpec(
        dataset="two-optima", optimizer=optimizer, start_size=12, step=12, max_rounds=2, budget=60,
        embed_dim=10, max_copies=3, target="four_fifths",
    )  # fmt: skip
    view = run(spec, data)
    allowed = data.points[allowed_rows(data.points)]
    for step in view.history:
        if step.size:
            assert is_made_of(allowed, step.antidote, 3)
            assert np.array_equal(data.points[step.rows], step.antidote)
    assert view.copies.sum() == view.size
    assert view.copies.max() <= 3


@pytest.mark.parametrize("clustering", list(CLUSTERINGS))
def test_every_clustering_copies_rows(clustering):
    data = load_dataset("blobs")
    spec = RunSpec(
        dataset="blobs", clustering=clustering, fairness="social", start_size=6, budget=25,
        max_rounds=1, restarts=2,
    )  # fmt: skip
    view = run(spec, data)
    assert is_made_of(data.points, view.history[0].antidote, 5)


def test_weights_do_what_the_copies_do():
    data = load_dataset("two-optima")
    view = run(RunSpec(dataset="two-optima", start_size=30, step=30, target=-0.8, budget=100))
    assert view.reached
    assert np.array_equal(view.sample_weight, 1 + view.copies)
    weighted = KMeans(2, n_init=10, random_state=3).fit(
        data.points, sample_weight=view.sample_weight
    )
    copied = KMeans(2, init=weighted.cluster_centers_, n_init=1).fit(
        np.vstack([data.points, view.antidote])
    )
    assert weighted.cluster_centers_ == pytest.approx(copied.cluster_centers_, abs=1e-10)
    assert balance_cost(weighted.cluster_centers_, data.points, data.groups) <= -0.8


def test_categories_and_whole_numbers_stay_valid():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "job": rng.choice(["baker", "judge", "nurse"], 300),
            "children": rng.integers(0, 5, 300),
            "income": rng.normal(50, 10, 300).round(1),
            "sex": rng.choice(["f", "m"], 300),
        }
    )
    data = dataset_from_frame(frame, features=["job", "children", "income"], protected="sex")
    view = run(RunSpec(dataset="mine", start_size=10, budget=80, max_rounds=2), data)
    antidote = data.to_original(view.history[-1].antidote)
    known = {tuple(row) for row in frame[["job", "children", "income"]].round(6).to_numpy()}
    for job, children, income in antidote.to_numpy():
        assert (job, round(children), round(income, 1)) in known


def test_copies_come_from_the_groups_that_are_named():
    data = load_dataset("blobs")
    spec = RunSpec(
        dataset="blobs", fairness="social", start_size=8, budget=40, max_rounds=1,
        copy_groups=("group B",),
    )  # fmt: skip
    rows = run(spec, data).history[0].rows
    assert {data.group_names[data.groups[row]] for row in rows} == {"group B"}
    with pytest.raises(SpecError, match="copy_groups names 'nobody'"):
        Problem.of(spec, data).place_for(RunSpec(dataset="blobs", copy_groups=("nobody",)))


def _mix(data, copies):
    """How far each group's copies are from its share of V."""
    gave = np.bincount(data.groups, copies, len(data.group_names))
    return np.abs(gave - gave.sum() * data.group_sizes / data.n)


@pytest.mark.parametrize("optimizer", ["structured", "racos", "cmaes", "design"])
def test_with_equal_shares_every_group_gives_its_part(optimizer):
    data = load_dataset("two-optima")
    spec = RunSpec(
        "two-optima", copy_groups="equal", optimizer=optimizer, start_size=9, step=7, budget=60,
        max_rounds=3, target=-0.99, percentiles=(0, 100),
    )  # fmt: skip
    sizes = set()
    for event in grow(spec, data):
        if isinstance(event, Round) and event.antidote.rows:
            copies = np.bincount(
                np.repeat(event.antidote.rows, event.antidote.counts), minlength=data.n
            )
            sizes.add(int(copies.sum()))
            assert copies.max() <= 5
            assert _mix(data, copies).max() <= 1.0 + 1e-6
    assert sizes


def test_a_design_with_equal_shares_reaches_its_target():
    data = load_dataset("two-optima")
    spec = RunSpec("two-optima", target=-0.8, optimizer="design", growth="bisect", max_size=200)
    free, mixed = run(spec, data), run(replace(spec, copy_groups="equal"), data)
    assert free.reached
    assert mixed.reached
    assert mixed.size >= free.size
    assert _mix(data, mixed.copies).max() <= 1.0 + 1e-6 < _mix(data, free.copies).max()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_mixed_rows_keep_quotas_limits_and_what_is_mixed_already(seed):
    rng = np.random.default_rng(seed)
    n, g = int(rng.integers(6, 30)), int(rng.integers(2, 5))
    points = rng.integers(0, 4, (n, 2)).astype(float)  # many equal rows, in several groups
    groups = np.concatenate([np.arange(g), rng.integers(0, g, n - g)])
    shares = np.bincount(groups) / n
    place = MixedRows(points, np.ones(n, dtype=bool), 2, groups, shares)
    size = int(rng.integers(1, place.most + 1))
    snapped = place.snap(rng.normal(size=(size, 2)) * 3)
    rows = place.rows_of(snapped)
    assert np.array_equal(points[rows], snapped)
    assert np.bincount(rows).max() <= 2
    gave = np.bincount(groups[rows], minlength=g)
    assert np.abs(gave - size * shares).max() < 1.0
    assert sorted(map(tuple, place.snap(snapped))) == sorted(map(tuple, snapped))


def test_equal_shares_say_what_they_cannot_do():
    with pytest.raises(SpecError, match="shrinking would take copies of some groups only"):
        RunSpec("bank", copy_groups="equal", shrink=True)
    data = load_dataset("blobs")
    spec = RunSpec("blobs", copy_groups="equal")
    assert RunSpec.from_json(spec.to_json()) == spec
    place = Problem.of(spec, data).place_for(spec)
    with pytest.raises(SpecError, match="every group giving its share, at most"):
        place.snap(np.zeros((place.most + 1, data.points.shape[1])))
    points = data.points.copy()
    first = np.flatnonzero(data.groups == 0)
    points[first], points[first[0]] = 100.0, -100.0
    far = replace(data, points=points)
    with pytest.raises(SpecError, match="may be copied, and every group is to give its share"):
        Problem.of(spec, far).place_for(replace(spec, percentiles=(2, 30)))
