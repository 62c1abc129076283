"""Two notions in one cost: by its definition, by name, in a run and on the command line."""

import json

import numpy as np
import pytest

import antidote_core as ac
from antidote_core.cli.main import main
from antidote_core.fairness import FAIRNESS, get_fairness
from antidote_core.testing import check_fairness


@pytest.fixture(autouse=True)
def register_as_before():
    before = dict(FAIRNESS)
    yield
    for name in set(FAIRNESS) - set(before):
        del FAIRNESS[name]


def clusterings(count=40):
    rng = np.random.default_rng(1)
    points, groups = rng.normal(size=(60, 2)), rng.integers(2, size=60)
    return [(rng.normal(size=(3, 2)), points, groups) for _ in range(count)]


def test_the_sum_is_the_sum_of_both_from_0_to_1():
    cost = ac.combined_fairness("balance", "gap", weights=(3, 1))
    for given in clusterings(10):
        balance, gap = (get_fairness(name).of_centers(*given) for name in ("balance", "gap"))
        expected = 0.75 * (1.0 + balance) + 0.25 * gap / (1.0 + gap)
        assert cost.of_centers(*given) == pytest.approx(expected)


def test_first_one_notion_and_the_other_among_equals():
    """Every pair of clusterings is ordered as two numbers would be: the step, then the second."""
    cost = ac.combined_fairness("balance", "social", tolerance=0.2)
    keys, values = [], []
    for given in clusterings():
        balance, social = (get_fairness(name).of_centers(*given) for name in ("balance", "social"))
        keys.append((int((1.0 + balance) / 0.2 + 1e-9), social))
        values.append(cost.of_centers(*given))
    assert len({step for step, _ in keys}) > 2
    assert sorted(range(40), key=keys.__getitem__) == sorted(range(40), key=values.__getitem__)


NAMES = [
    "balance+gap", "0.7*balance+0.3*gap", "balance-then-gap", "social-ratio-then-balance@0.1",
    "balance+individual",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_costs_like_any_other(name):
    cost = get_fairness(name)
    assert cost.name == name
    del FAIRNESS[name]
    assert get_fairness(name) == cost  # another process makes the same of the name
    check_fairness(name)


def test_weights_of_people_and_own_labels_where_both_notions_take_them():
    data = ac.load_dataset("blobs")
    assert 0.0 <= ac.Problem(data, "gaussian-mixture", "balance+gap").vanilla.cost <= 1.0
    with pytest.raises(ac.SpecError, match="defined by centres alone"):
        ac.Problem(data, "gaussian-mixture", "balance+individual")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("balance+balance", "two different notions; got 'balance' twice"),
        ("balance+gaps", "must be one of .*; got 'gaps'"),
        ("0.7*balance+gap", "a weight for one notion only"),
        ("0*balance+1*gap", "weights must be two positive numbers"),
        ("balance-then-gap@1.5", "tolerance must be a number between 0 and 1; got 1.5"),
        ("balance+gap+social", r"must be one of .*; got 'balance\+gap\+social'"),
    ],
)
def test_what_cannot_be_combined_gets_a_sentence(name, sentence):
    with pytest.raises(ac.SpecError, match=sentence):
        ac.RunSpec(dataset="blobs", fairness=name).check()


def test_a_run_lowers_both_by_name_and_as_an_object():
    few = {"budget": 60, "max_rounds": 1, "start_size": 20, "restarts": 2, "target": "lowest",
           "max_size": 20}  # fmt: skip
    named = ac.run("two-optima", fairness="balance+variation", **few)
    given = ac.run("two-optima", fairness=ac.combined_fairness("balance", "variation"), **few)
    assert named.cost == given.cost < named.vanilla_cost
    assert named.spec["fairness"] == given.spec["fairness"] == "balance+variation"


def test_the_command_line_takes_the_name(capsys):
    asked = "run --dataset blobs --fairness balance-then-gap --budget 10 --max-rounds 1 --json"
    assert main(asked.split()) in (0, 3)
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["kind"] == "result"
