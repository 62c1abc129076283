"""The register of fair algorithms: names, refusals in one sentence, and what every one keeps."""

import dataclasses

import numpy as np
import pytest

from antidote_core.baselines import (
    RIVALS,
    SOTA,
    algorithm_name,
    get_fair_algorithm,
    register_fair_algorithm,
)
from antidote_core.errors import AntidoteError, DataError, SpecError
from antidote_core.fairness import FAIRNESS

BERA = RIVALS["bera"]


def draw(seed=0, n=60, g=2):
    rng = np.random.default_rng(seed)
    groups = np.r_[np.arange(g), rng.integers(0, g, n - g)]
    return rng.normal(size=(n, 2)) + 1.5 * groups[:, None] / g, groups


def test_the_table_of_the_paper_names_registered_ones():
    assert set(SOTA.values()) == {"bera", "fair_lloyd", "fair_spectral"} <= set(RIVALS)
    assert algorithm_name("fair_lloyd") == "Fair-Lloyd"
    assert algorithm_name("of a run of long ago") == "of a run of long ago"


@pytest.mark.parametrize("entry", RIVALS.values(), ids=RIVALS)
def test_what_an_entry_says_of_itself(entry):
    assert set(entry.serves) <= set(FAIRNESS)
    assert entry.changes in ("data", "algorithm", "labels")
    assert entry.paper.authors
    assert 2017 <= entry.paper.year <= 2026
    points, groups = draw(g=entry.most_groups or 3)
    defaults = {option.name: option.default for option in entry.options}
    told = entry.solved(points, groups, 2, seed=3, **defaults)
    plain = entry.solved(points, groups, 2, seed=3)
    assert np.array_equal(told.labels, plain.labels)  # the defaults are those of the function
    assert all(option.sentence.endswith(".") for option in entry.options)


@pytest.mark.parametrize("entry", RIVALS.values(), ids=RIVALS)
def test_weights_are_taken_or_refused(entry):
    points, groups = draw()
    weights = np.random.default_rng(1).integers(1, 4, len(points))
    if not entry.weighted:
        with pytest.raises(SpecError, match="takes no weights"):
            entry.solved(points, groups, 2, sample_weight=weights)
        return
    copies = np.repeat(np.arange(len(points)), weights)
    weighted = entry.solved(points, groups, 2, sample_weight=weights)
    repeated = entry.solved(points[copies], groups[copies], 2)
    assert weighted.cost == pytest.approx(repeated.cost, rel=1e-3)
    assert weighted.balance_own == pytest.approx(repeated.balance_own, abs=0.02)


def test_refusals_are_one_sentence():
    small = dataclasses.replace(BERA, most_groups=2, most_rows=50)
    points, groups = draw(n=60)
    with pytest.raises(SpecError, match="takes at most 50 rows, and there are 60; take a sample"):
        small.solved(points, groups, 2)
    points, groups = draw(n=40, g=3)
    with pytest.raises(SpecError, match="takes at most 2 groups, and these rows have 3; join"):
        small.solved(points, groups, 2)
    assert small.refusal(50, 2) is None
    with pytest.raises(DataError, match="Group 1 is absent"):
        BERA.solved(points, 2 * (groups // 2), 2)
    with pytest.raises(SpecError, match="k must be at most the number of points"):
        BERA.solved(points, groups, 99)
    with pytest.raises(SpecError, match="Fair-Lloyd has no option 'speed'; it has 'restarts'"):
        RIVALS["fair_lloyd"].solved(points, groups, 2, speed=2)
    with pytest.raises(SpecError, match=r"fair algorithm must be one of 'bera'.*did you mean"):
        get_fair_algorithm("berra")


def test_ours_stay_and_others_come():
    with pytest.raises(SpecError, match="comes with the software"):
        register_fair_algorithm(BERA, replace=True)
    with pytest.raises(SpecError, match="register_fair_algorithm takes a FairAlgorithm"):
        register_fair_algorithm("bera")
    with pytest.raises(AntidoteError, match="needs a name"):
        register_fair_algorithm(dataclasses.replace(BERA, name=" "))
    mine = dataclasses.replace(BERA, name="mine", title="Mine")
    try:
        assert register_fair_algorithm(mine) is get_fair_algorithm("mine")
        with pytest.raises(SpecError, match="exists already"):
            register_fair_algorithm(mine)
    finally:
        del RIVALS["mine"]
