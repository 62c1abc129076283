"""The arena: plain clustering, fair algorithms and antidote data on the same rows, by every notion.

>>> from antidote_core.runs.arena_spec import ArenaSpec
>>> asked = ArenaSpec(("two-optima",), ks=(2,), methods=("plain", "fair_lloyd"), seeds=(0,))
>>> for record in contest(asked):
...     print(record["method"], round(record["own"]["balance"], 3), round(record["price"], 3))
plain -0.3 0.0
fair_lloyd -0.302 0.008
"""

from antidote_core.arena.methods import Method, arena_methods
from antidote_core.arena.records import (
    CellFiles,
    Entry,
    compute_entry,
    contest,
    entries,
    installed_versions,
    read_records,
    shipped_records,
    write_records,
)
from antidote_core.arena.standings import Standing, beaten_by, frontier_names, standings, winner
