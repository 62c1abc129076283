"""The optimizers reach what they reached when optimizers.json was written: no silent drift."""

import json

import pytest

from tests.golden.record_optimizers import FILE, results


def test_every_optimizer_reaches_the_recorded_values():
    recorded = json.loads(FILE.read_text(encoding="utf-8"))
    found = results()
    assert found.keys() == recorded.keys()
    for name, functions in recorded.items():
        for function, values in functions.items():
            assert found[name][function] == pytest.approx(values, rel=1e-9), (name, function)
