"""What a user takes along: antidote points as tables, and the lines that reproduce a run."""

from __future__ import annotations

import numpy as np
import pandas as pd

from antidote_core.algorithms.plausible import nearest_real_distance, neighbour_distances
from antidote_core.types import Dataset, Floats, RunSpec

DISTANCE = "distance to nearest real point"
TIMES_USUAL = "times the usual distance"
COPIES = "copies"
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def antidote_table(data: Dataset, antidote: Floats) -> pd.DataFrame:
    """Distinct antidote points in original units, how often each occurs, and how far from reality.

    The distance is in standard deviations of the features, over all features together, and in
    multiples of the usual distance (median) between real neighbours.
    """
    atoms, counts = np.unique(
        antidote.reshape(-1, data.points.shape[1]), axis=0, return_counts=True
    )
    table = data.to_original(atoms)
    table.insert(0, COPIES, counts)
    table[DISTANCE] = nearest_real_distance(data.points, atoms)
    table[TIMES_USUAL] = table[DISTANCE] / neighbour_distances(data.points)[0]
    return table.sort_values(COPIES, ascending=False, ignore_index=True)


def antidote_csv(data: Dataset, antidote: Floats) -> str:
    """V in original units, one row per point."""
    return safe_csv(data.to_original(antidote))


def union_csv(data: Dataset, antidote: Floats) -> str:
    """U ∪ V in original units, with the group of every real point; antidote points have none."""
    real = data.to_original(data.points)
    real[data.protected] = [data.group_names[code] for code in data.groups]
    real["antidote"] = 0
    added = data.to_original(antidote)
    added[data.protected] = ""
    added["antidote"] = 1
    return safe_csv(pd.concat([real, added], ignore_index=True))


def safe_csv(frame: pd.DataFrame) -> str:
    """CSV in which no text can be taken for a formula by a spreadsheet.

    >>> print(safe_csv(pd.DataFrame({"a": ["=1+1", "b"]})).strip())
    a
    '=1+1
    b
    """
    frame = frame.rename(columns=_harmless)
    texts = frame.select_dtypes(exclude="number").columns
    return str(
        frame.assign(**{name: frame[name].map(_harmless) for name in texts}).to_csv(index=False)
    )


def _harmless(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value


def python_lines(spec: RunSpec) -> str:
    """The lines that give the same run in Python.

    >>> print(python_lines(RunSpec(dataset="bank", k=3)))
    import antidote_core as ac
    <BLANKLINE>
    spec = ac.RunSpec(dataset="bank", k=3)
    result = ac.run(spec)
    print(result.cost, len(result.antidote), result.verification.share)
    """
    usual = RunSpec(dataset=spec.dataset)
    names = [
        name for name in spec.__dataclass_fields__ if getattr(spec, name) != getattr(usual, name)
    ]
    settings = ["dataset=" + _quoted(spec.dataset)]
    settings += [f"{name}={_quoted(getattr(spec, name))}" for name in names]
    return (
        "import antidote_core as ac\n\n"
        f"spec = ac.RunSpec({', '.join(settings)})\n"
        "result = ac.run(spec)\n"
        "print(result.cost, len(result.antidote), result.verification.share)"
    )


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
