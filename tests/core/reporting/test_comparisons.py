"""The table of a run beside the others: every clustering with its price and smallest cluster."""

import pandas as pd
import pytest

from antidote_core.baselines import NEAREST, OWN
from antidote_core.reporting.figures.comparisons import (
    comparison_table,
    measure_figure,
    measures,
)
from antidote_core.reporting.figures.tables import PRICE, SILHOUETTE, SMALLEST
from antidote_core.runs.view import RunView

QUALITY = {"silhouette": 0.5, "davies_bouldin": 1.0, "calinski_harabasz": 200.0, "seconds": 1.0}
COSTS = {"balance": -0.4, "social": 1.5, "size": 0, **QUALITY}
ROWS = (
    {"name": "antidote", "scoring": NEAREST, **COSTS, "price": 0.021, "smallest_share": 0.25},
    {"name": "vanilla", "scoring": NEAREST, **COSTS, "price": 0.0, "smallest_share": 0.3},
    {"name": "bera", "scoring": NEAREST, **COSTS, "price": 0.0, "smallest_share": 0.3},
    {"name": "bera", "scoring": OWN, **COSTS, "price": 0.19, "smallest_share": 0.44},
)


def labels(table: pd.DataFrame, measure) -> list[str]:
    [bars] = measure_figure(table, measure).data
    return [label.replace("\N{NO-BREAK SPACE}", " ") for label in bars.text]


def test_every_row_has_its_price_and_its_smallest_cluster() -> None:
    table = comparison_table(RunView(comparison=ROWS), "balance")
    assert table["price"].tolist() == [0.0, 0.19, 0.0, 0.021]
    assert table["smallest_share"].tolist() == [0.3, 0.44, 0.3, 0.25]
    assert {PRICE, SMALLEST, SILHOUETTE} <= set(measures("balance"))
    assert labels(table, PRICE) == ["±0 %", "+19 %", "±0 %", "+2.1 %"]
    assert labels(table, SMALLEST) == ["30 %", "44 %", "30 %", "25 %"]


@pytest.mark.parametrize("measure", [PRICE, SMALLEST])
def test_rows_of_an_earlier_version_are_not_known(measure) -> None:
    rows = tuple({k: v for k, v in row.items() if k != measure.column} for row in ROWS)
    table = comparison_table(RunView(comparison=rows), "social")
    assert table[measure.column].isna().all()
    assert labels(table, measure) == ["not known"] * 4
