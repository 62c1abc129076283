"""The figures printed in the paper, to set ours beside them.

Chhabra, Singla and Mohapatra, "Fair Clustering Using Antidote Data", 2021, arXiv:2106.00600.
`source` in each table names the table of the paper; costs are lower when fairer, as everywhere.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from antidote_core.errors import SpecError

TABLES = Path(__file__).parent / "tables.json"


@cache
def paper_tables() -> dict[str, Any]:
    """All tables by name, with the settings and data sets of the experiments.

    >>> paper_tables()["vanilla_k2"]["source"]
    'Table 1'
    """
    tables: dict[str, Any] = json.loads(TABLES.read_text(encoding="utf-8"))
    return tables


def paper_row(
    table: str, dataset: str, fairness: str, clustering: str = "kmeans"
) -> dict[str, float]:
    """The figures of one row of a table, by column.

    >>> paper_row("vanilla_k2", "bank", "balance")["vanilla"]
    -0.3054
    """
    wanted = {"clustering": clustering, "fairness": fairness, "dataset": dataset}
    for row in paper_tables().get(table, {}).get("rows", []):
        if wanted.items() <= row.items():
            return {name: value for name, value in row.items() if name not in wanted}
    raise SpecError(
        f"The paper has no row for {clustering}, {fairness} and {dataset} in a table {table!r}."
    )
