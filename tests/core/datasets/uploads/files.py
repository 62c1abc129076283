"""What the tests of uploads share: a table of people in every kind of file, and refusals."""

import io

import numpy as np
import pandas as pd
import pytest

from antidote_core import DataError


def sentence(function, *arguments, **settings) -> str:
    """The one sentence of the refusal."""
    with pytest.raises(DataError) as caught:
        function(*arguments, **settings)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


def people(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 70, rows).astype(float),
            "job": rng.choice(["clerk", "nurse", "smith"], rows),
            "sex": np.tile(["f", "m"], rows)[:rows],
            "origin": rng.choice(["here", "there"], rows),
        }
    )


def as_csv(frame: pd.DataFrame, separator: str = ",", encoding: str = "utf-8") -> bytes:
    return frame.to_csv(index=False, sep=separator).encode(encoding)


def as_excel(frame: pd.DataFrame, **sheets: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer, engine="openpyxl") as writer:
        frame.to_excel(writer, sheet_name="people", index=False)
        for name, other in sheets.items():
            other.to_excel(writer, sheet_name=name, index=False)
    return buffer.getvalue()


def as_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()
