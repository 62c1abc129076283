"""The records: a RunSpec goes to JSON, to a hash and back; a Dataset tells its content apart."""

import dataclasses
import hashlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antidote_core import DataError, Dataset, RunSpec, SpecError
from antidote_core.places import PLACES
from antidote_core.runs.events import Event, Note
from antidote_core.runs.spec import GROWTH_POLICIES, PAPER_SYMBOLS
from antidote_core.types import Column

EXAMPLES = settings(max_examples=100, deadline=None)
names = st.text(min_size=1, max_size=8)
wholes = st.integers(1, 10**6)
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**9), 10**9)
specs = st.builds(
    RunSpec,
    dataset=names,
    clustering=names,
    fairness=names,
    k=st.integers(2, 50),
    restarts=wholes,
    start_size=st.integers(1, 50),
    step=wholes,
    target=st.sampled_from(["vanilla", "sota"]) | numbers,
    embed_dim=st.none() | wholes,
    optimizer=names,
    growth=st.sampled_from(GROWTH_POLICIES),
    budget=wholes,
    max_size=st.none() | st.integers(50, 10**6),
    max_rounds=st.none() | wholes,
    max_seconds=st.none() | st.floats(1e-3, 1e6) | wholes,
    place=st.sampled_from(list(PLACES)),
    shrink=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
    protected=st.none() | names,
    rows=st.none() | names,
    sample=st.none() | wholes,
    growth_factor=st.none() | st.floats(1.01, 10.0) | st.integers(2, 9),
)


@EXAMPLES
@given(specs)
def test_json_and_back(spec):
    again = RunSpec.from_json(spec.to_json())
    assert again == spec
    assert again.to_json() == spec.to_json()
    assert again.id == spec.id


@EXAMPLES
@given(specs)
def test_id_is_the_hash_of_the_sorted_json(spec):
    text = json.dumps(spec.to_dict(), sort_keys=True, separators=(",", ":"))
    assert spec.id == hashlib.sha256(text.encode()).hexdigest()


@EXAMPLES
@given(specs, st.data())
def test_any_other_setting_gives_another_id(spec, data):
    name = data.draw(st.sampled_from(["dataset", "k", "seed", "target", "shrink", "budget"]))
    value = getattr(spec, name)
    if name == "target":
        changed = "sota" if value == "vanilla" else "vanilla"
    elif isinstance(value, bool):
        changed = not value
    else:
        changed = value + (1 if isinstance(value, int) else "x")
    other = dataclasses.replace(spec, **{name: changed})
    assert other != spec
    assert other.id != spec.id


@pytest.mark.parametrize("name", ["target", "max_seconds"])
def test_equal_specs_have_equal_ids(name):
    whole, real = RunSpec("bank", **{name: 2}), RunSpec("bank", **{name: 2.0})
    assert whole == real
    assert whole.id == real.id
    assert RunSpec("bank", target=0).id == RunSpec("bank", target=-0.0).id


def test_ids_of_specs_without_a_factor_are_those_of_before():
    before = "d539f00fe883b76d2294fa6fd2689841b4e1bf5e0d96671e0ff86e5faa1fce80"
    spec = RunSpec("bank", fairness="social", seed=3)
    assert spec.id == before
    assert dataclasses.replace(spec, growth_factor=2).id != before


def test_order_of_keys_and_missing_defaults_do_not_matter():
    spec = RunSpec("bank", seed=3)
    assert RunSpec.from_json('{"seed": 3, "dataset": "bank"}').id == spec.id


def test_a_spec_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RunSpec("bank").k = 3


anything = st.none() | st.booleans() | numbers | names | st.just(10**400) | st.lists(wholes)
settings_of_a_run = [field.name for field in dataclasses.fields(RunSpec)]


@EXAMPLES
@given(
    st.text()
    | anything.map(json.dumps)
    | st.dictionaries(st.sampled_from(settings_of_a_run), anything).map(
        lambda values: json.dumps({"dataset": "bank", **values})
    )
)
def test_any_text_is_a_spec_or_a_sentence(text):
    try:
        spec = RunSpec.from_json(text)
    except SpecError:
        return
    assert RunSpec.from_json(spec.to_json()) == spec


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "not valid JSON"),
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[]", "must be a JSON object"),
        ("{}", "names no dataset"),
        ('{"dataset": "bank", "xi": 1, "alpha": 0}', "unknown settings: alpha, xi"),
        ('{"dataset": "bank", "target": NaN}', r"target \(α\) must be a finite number; got nan"),
        ('{"dataset": "bank", "target": 1e999}', r"target \(α\) must be a finite number; got inf"),
        ('{"dataset": "bank", "growth_factor": 1}', "growth_factor must be a number above 1"),
        ('{"dataset": "bank", "k": "2"}', "k must be a whole number of at least 2; got '2'"),
    ],
)
def test_bad_json_gets_a_sentence(text, sentence):
    with pytest.raises(SpecError, match=sentence):
        RunSpec.from_json(text)


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"dataset": ""}, "dataset must be a name; got ''"),
        ({"dataset": None}, "dataset must be a name; got None"),
        ({"clustering": 3}, "clustering must be a name; got 3"),
        ({"k": 1}, "k must be a whole number of at least 2; got 1"),
        ({"k": 2.5}, "k must be a whole number of at least 2; got 2.5"),
        ({"k": True}, "k must be a whole number of at least 2; got True"),
        ({"restarts": 0}, "restarts must be a whole number of at least 1; got 0"),
        ({"start_size": 0}, r"start_size \(V_s\) must be a whole number of at least 1; got 0"),
        ({"step": 0}, r"step \(ξ\) must be a whole number of at least 1; got 0"),
        ({"embed_dim": 0}, r"embed_dim \(n′\) must be a whole number of at least 1; got 0"),
        ({"budget": -5}, "budget must be a whole number of at least 1; got -5"),
        ({"seed": -1}, "seed must be a whole number of at least 0; got -1"),
        (
            {"target": "best"},
            r"must be 'vanilla' or 'sota' or 'four_fifths' or 'lowest' or a number; got 'best'",
        ),
        ({"target": float("nan")}, r"target \(α\) must be a finite number; got nan"),
        ({"target": True}, r"target \(α\) must be a finite number; got True"),
        ({"target": None}, r"target \(α\) must be a finite number; got None"),
        ({"target": 10**400}, r"target \(α\) must be a finite number; got 1000"),
        ({"growth": "shrink"}, "growth must be one of 'extend' or 'restart' or 'bisect'; got"),
        ({"max_size": 9}, r"max_size must be at least start_size \(V_s = 10\); got 9"),
        ({"max_rounds": 0}, "max_rounds must be a whole number of at least 1; got 0"),
        ({"max_seconds": 0}, "max_seconds must be a positive number or None; got 0"),
        ({"max_seconds": float("inf")}, "max_seconds must be a positive number or None; got inf"),
        ({"sample": 0}, "sample must be a whole number of at least 1; got 0"),
        ({"protected": 1}, "protected must be a name or None; got 1"),
        ({"shrink": 1}, "shrink must be true or false; got 1"),
    ],
)
def test_bad_setting_gets_a_sentence(setting, sentence):
    with pytest.raises(SpecError, match=sentence):
        RunSpec(**{"dataset": "bank", **setting})


def test_symbols_of_the_paper_name_settings():
    assert set(PAPER_SYMBOLS) <= set(settings_of_a_run)
    assert PAPER_SYMBOLS == {"start_size": "V_s", "step": "ξ", "target": "α", "embed_dim": "n′"}


def test_an_event_is_one_line_of_json():
    line = Note(seconds=1.23456, text="two\nlines").to_json()
    assert "\n" not in line
    assert json.loads(line) == {"kind": "note", "seconds": 1.2346, "text": "two\nlines"}


def test_an_event_that_nobody_knows_is_an_error_with_a_sentence():
    with pytest.raises(DataError, match="no event of the kind 'guess' in this version"):
        Event.from_json('{"kind":"guess","seconds":1.0}')
    with pytest.raises(DataError, match=r"'round' cannot be read: .*missing required field"):
        Event.from_json('{"kind":"round","seconds":1.0,"index":0}')


def small_dataset(**changes):
    values = {
        "name": "small",
        "points": np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]),
        "groups": np.array([0, 1]),
        "group_names": ("a", "b"),
        "feature_names": ("age", "job=cook", "job=smith"),
        "protected": "sex",
        "source": "a test",
        "shift": np.array([40.0, 0.5, 0.5]),
        "scale": np.array([10.0, 0.5, 0.5]),
        "columns": (Column("age"), Column("job", ("cook", "smith"))),
    }
    return Dataset(**{**values, **changes})


def test_to_original_undoes_the_standardisation():
    frame = small_dataset().to_original(np.array([[-1.0, 1.0, -1.0], [0.25, -0.2, 0.1]]))
    assert frame.columns.tolist() == ["age", "job"]
    assert frame["age"].tolist() == [30.0, 42.5]
    assert frame["job"].tolist() == ["cook", "smith"]
    assert len(small_dataset().to_original(np.empty((0, 3)))) == 0


def test_arrays_of_a_dataset_cannot_be_changed():
    data = small_dataset()
    for array in (data.points, data.groups, data.shift, data.scale):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


@pytest.mark.parametrize(
    "change",
    [
        {"points": np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0 + 1e-15]])},
        {"groups": np.array([1, 0])},
        {"group_names": ("a", "c")},
        {"source": "another test"},
        {"scale": np.array([10.0, 0.5, 0.25])},
    ],
)
def test_content_hash_changes_with_the_content(change):
    assert small_dataset().content_hash == small_dataset().content_hash
    assert small_dataset(**change).content_hash != small_dataset().content_hash
