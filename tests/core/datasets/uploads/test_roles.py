"""What columns seem to hold, and which to cluster by."""

import numpy as np
import pandas as pd

from antidote_core.datasets import uploads

from .files import people


def test_roles_are_guessed() -> None:
    frame = people().assign(id=range(100, 160), flat=1.0, salary=np.arange(60) * 1.5)
    facts = uploads.column_facts(frame)
    assert {f.name: f.kind for f in facts} == {
        "age": "numbers", "job": "categories", "sex": "categories", "origin": "categories",
        "id": "row number", "flat": "always the same", "salary": "numbers",
    }  # fmt: skip
    assert uploads.guess_roles(facts) == uploads.Roles(("age", "salary"), "sex", ("id",))
    facts = uploads.column_facts(frame[["job", "origin", "age"]])
    assert uploads.guess_roles(facts).protected == "origin"
    assert uploads.guess_roles(uploads.column_facts(frame[["age"]])).protected == ""


def test_dates_and_free_texts_are_known() -> None:
    frame = people(80).assign(
        born=pd.date_range("1990-01-01", periods=80), words=[f"person {i}" for i in range(80)]
    )
    kinds = {f.name: f.kind for f in uploads.column_facts(frame)}
    assert (kinds["born"], kinds["words"]) == ("dates", "texts")
