"""What is asked, as JSON from outside: a spec that survives the way back, or a sentence."""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antidote_core.errors import SpecError
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec

from .inputs import JSON, damaged, tries

KINDS = [RunSpec(dataset="bank", target=-0.5, max_size=40), SweepSpec(dataset="bank")]


def read(kind, text):
    try:
        spec = kind.from_json(text)
    except SpecError as error:
        said = str(error)
        assert said.endswith(".")
        return
    assert kind.from_json(spec.to_json()) == spec
    assert len(spec.id) == 64


@pytest.mark.parametrize("whole", KINDS, ids=lambda spec: type(spec).__name__)
@tries()
@given(data=st.data())
def test_a_setting_of_any_kind(whole, data):
    kind = type(whole)
    names = st.sampled_from([field.name for field in fields(kind)]) | st.text(max_size=8)
    values = data.draw(st.dictionaries(names, JSON, max_size=4))
    read(kind, json.dumps({**json.loads(whole.to_json()), **values}))


@pytest.mark.parametrize("whole", KINDS, ids=lambda spec: type(spec).__name__)
@tries()
@given(data=st.data())
def test_text_that_was_damaged(whole, data):
    read(type(whole), data.draw(damaged(whole.to_json().encode())).decode(errors="replace"))
