"""Small made-up tables to try an upload with, written the way people's files are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

SEED = 7


@dataclass(frozen=True)
class Sample:
    """A file and one sentence about it."""

    name: str
    sentence: str
    content: bytes


def sample_files() -> tuple[Sample, ...]:
    """The files, the same ones every time.

    >>> [sample.name for sample in sample_files()]
    ['applicants.csv', 'messwerte.csv', 'towns.csv']
    """
    return (
        Sample("applicants.csv", "commas, decimal points, no gaps", _applicants()),
        Sample(
            "messwerte.csv", "semicolons, decimal commas, umlauts and gaps", _with_decimal_commas()
        ),
        Sample("towns.csv", "thirty groups, more than can be compared", _many_groups()),
    )


def _people(rows: int) -> pd.DataFrame:
    """Two bunches of people; men are more often in the better-off one."""
    rng = np.random.default_rng(SEED)
    well = rng.random(rows) < 0.45
    woman = rng.random(rows) < np.where(well, 0.3, 0.6)
    return pd.DataFrame(
        {
            "age": np.clip(rng.normal(np.where(well, 46, 33), 7), 18, 80).round().astype(int),
            "income": np.clip(rng.normal(np.where(well, 4200, 2300), 420), 800, None).round(2),
            "height": rng.normal(np.where(woman, 1.66, 1.79), 0.07).round(2),
            "housing": np.where(rng.random(rows) < np.where(well, 0.7, 0.2), "owner", "tenant"),
            "sex": np.where(woman, "female", "male"),
            "region": rng.choice(["north", "south", "west"], rows, p=[0.5, 0.35, 0.15]),
        }
    )


def _applicants() -> bytes:
    return _people(300).to_csv(index=False, lineterminator="\n").encode()


def _with_decimal_commas() -> bytes:
    people = _people(320)
    rng = np.random.default_rng(SEED + 1)
    table = pd.DataFrame(
        {
            "Nr": [str(number) for number in range(1, len(people) + 1)],
            "Alter": [str(value) for value in people["age"]],
            "Größe (m)": [f"{value:.2f}".replace(".", ",") for value in people["height"]],
            "Einkommen": [_german(value) for value in people["income"]],
            "Wohnung": people["housing"].map({"owner": "Eigentümer", "tenant": "Mieter"}),
            "Geschlecht": people["sex"].map({"female": "weiblich", "male": "männlich"}),
        }
    )
    for column, share, blank in (
        ("Alter", 0.04, ""), ("Einkommen", 0.06, "NA"), ("Wohnung", 0.03, ""),
        ("Geschlecht", 0.01, ""),
    ):  # fmt: skip
        table.loc[rng.random(len(table)) < share, column] = blank
    return table.to_csv(index=False, sep=";", lineterminator="\r\n").encode("cp1252")


def _german(value: float) -> str:
    return f"{value:,.2f}".translate(str.maketrans(",.", ".,"))


def _many_groups() -> bytes:
    people = _people(600)
    rng = np.random.default_rng(SEED + 2)
    weights = 1.0 / np.arange(1, 31)
    towns = rng.choice(30, len(people), p=weights / weights.sum())
    towns[:30] = np.arange(30)
    people.insert(0, "town", [f"town {number + 1:02d}" for number in towns])
    return people.drop(columns=["sex", "region"]).to_csv(index=False, lineterminator="\n").encode()
