"""What a user takes along: antidote points as tables, and the lines that reproduce a run."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np
import pandas as pd

from antidote_core.algorithms.algorithm2.realism import nearest_real_distance, neighbour_distances
from antidote_core.datasets import DATASETS
from antidote_core.runs.spec import RunSpec
from antidote_core.types import Dataset, Floats

DISTANCE = "distance to nearest real point"
TIMES_USUAL = "times the usual distance"
COPIES = "copies"
MARK = "antidote"


def antidote_table(data: Dataset, antidote: Floats) -> pd.DataFrame:
    """Distinct antidote points in original units, how often each occurs, and how far from reality.

    The distance is in standard deviations of the features, over all features together, and in
    multiples of the usual distance (median) between real neighbours.
    """
    atoms, counts = np.unique(
        antidote.reshape(-1, data.points.shape[1]), axis=0, return_counts=True
    )
    table = set_apart(data.to_original(atoms), (COPIES, DISTANCE, TIMES_USUAL))
    table.insert(0, COPIES, counts)
    table[DISTANCE] = nearest_real_distance(data.points, atoms)
    table[TIMES_USUAL] = table[DISTANCE] / neighbour_distances(data.points)[0]
    return table.sort_values(COPIES, ascending=False, ignore_index=True)


def antidote_csv(data: Dataset, antidote: Floats) -> str:
    """V in original units, one row per point."""
    return safe_csv(data.to_original(antidote))


def union_csv(data: Dataset, antidote: Floats) -> str:
    """U ∪ V in original units, with the group of every real point; antidote points have none."""
    real, added = data.to_original(data.points), data.to_original(antidote)
    real[data.protected] = [data.group_names[code] for code in data.groups]
    added[data.protected] = ""
    both = [
        set_apart(rows, [MARK]).assign(**{MARK: mark}) for mark, rows in enumerate((real, added))
    ]
    return safe_csv(pd.concat(both, ignore_index=True))


def python_lines(spec: RunSpec) -> str:
    """The lines that give the same run in Python.

    >>> print(python_lines(RunSpec(dataset="bank", k=3)))
    import antidote_core as ac
    <BLANKLINE>
    spec = ac.RunSpec(dataset="bank", k=3)
    result = ac.run(spec)
    print(result.cost, len(result.antidote), result.verification.share)
    """
    own = spec.dataset not in DATASETS
    usual = RunSpec(dataset=spec.dataset)
    names = [
        name for name in spec.__dataclass_fields__ if getattr(spec, name) != getattr(usual, name)
    ]
    settings = ["dataset=" + _quoted(spec.dataset)]
    settings += [f"{name}={_quoted(getattr(spec, name))}" for name in names]
    table = "data = ac.dataset_from_frame(frame, features=[...], protected=...)  # your table\n"
    return (
        "import antidote_core as ac\n\n"
        f"spec = ac.RunSpec({', '.join(settings)})\n"
        f"{table if own else ''}"
        f"result = ac.run(spec{', data' if own else ''})\n"
        "print(result.cost, len(result.antidote), result.verification.share)"
    )


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


# Signs with which a spreadsheet begins a formula, also in the wide forms of East Asian keyboards.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def safe_csv(frame: pd.DataFrame) -> str:
    """CSV in which no text can be taken for a formula by a spreadsheet; numbers stay numbers.

    >>> print(safe_csv(pd.DataFrame({"a": ["=1+1", " @b", "c"], "-d": [-1, 2, 3]})).strip())
    a,'-d
    '=1+1,-1
    ' @b,2
    c,3
    """
    safe = frame.copy()
    for name in frame.select_dtypes(exclude="number").columns:
        safe[name] = frame[name].map(_harmless)
    return str(safe.rename(columns=_harmless).to_csv(index=False))


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA_STARTS):
        return "'" + value
    return value


def set_apart(frame: pd.DataFrame, ours: Iterable[str]) -> pd.DataFrame:
    """The table with other names for columns that are named like one of ours.

    >>> set_apart(pd.DataFrame({"copies": [1], "age": [2]}), ["copies"]).columns.tolist()
    ['copies (table)', 'age']
    """
    names = {}
    for name in ours:
        names[name] = f"{name} (table)"
        while names[name] in frame.columns:
            names[name] += " (table)"
    return frame.rename(columns=names)
