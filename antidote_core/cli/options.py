"""The options of a command, from the fields of its specification and its own parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields
from inspect import Parameter, signature
from types import NoneType
from typing import Any, get_args, get_type_hints

from antidote_core.paper.rows import TABLES

REACHED, BAD_INPUT, NOT_REACHED, INTERRUPTED = 0, 2, 3, 130
# Fields that the command reads from text: a name or a number, a number or none, a count or a list.
AS_TEXT = ("target", "embed_dim", "seeds")
# Fields that are lists of what the command line names one by one.
ONE_BY_ONE: Mapping[str, tuple[str, ...]] = {
    "combinations": ("clustering", "fairness"), "optimizers": ("optimizer",), "boxes": ("box",),
    "ks": ("k",), "tables": ("table",), "datasets": ("dataset",), "modes": ("mode",),
}  # fmt: skip
# By option; where a command means something else by it, by command and option.
HELP: Mapping[str, str] = {
    "dataset": "adult, bank, creditcard, lfw, ...", "protected": "another protected column",
    "rows": "which rows or form of the data set", "sample": "use a seeded sample of this many rows",
    "sample_seed": "which sample", "k": "number of clusters", "restarts": "1 is the paper's way",
    "start_size": "V_s, first size of V", "step": "ξ, points added per round",
    "target": "α: vanilla, sota, lowest (at --max-size) or a number",
    "embed_dim": "n′ of SRE, or none", "growth": "extend, restart (paper) or bisect",
    "budget": "evaluations per round", "box": "plausible, minmax or wide",
    "shrink": "drop points once reached", "spread": "scatter clumps of points at the end",
    "json": "one JSON event per line", "out": "folder for events, result and antidote points",
    "compare json": "one JSON row per line", "frontier clustering": "clusterings: A,B,...",
    "frontier fairness": "costs: A,B,...; every clustering goes with every cost",
    "frontier optimizer": "optimizers, design among them: A,B,...",
    "frontier box": "where V may lie: plausible, minmax, wide",
    "frontier k": "numbers of clusters: A,B,...", "sizes": "numbers of antidote points: A,B,...",
    "seeds": "how many, or which: 0,1,7", "frontier target": "α: vanilla, sota or a number",
    "frontier budget": "evaluations per cell", "scheduler": "tcp://host:port",
    "frontier out": "folder for events, cells and curves", "table": ", ".join(TABLES),
    "mode": "as-published or ours", "paper out": "the results; paper-results.json by default",
    "fresh": "forget what was computed before",
    "markdown": "compute nothing: print the results of --out, or those of the software",
    "into": "with --markdown: renew the blocks of results in this page",
    "data": "a Parquet or CSV file, or a folder of them",
    "features": "columns of numbers: age,balance,...",
    "parts protected": "the column of the groups", "parts out": "a new folder for the parts",
    "parts rows": "most rows of a part",
}  # fmt: skip


def options(command: Callable[..., int], spec: type | None) -> Iterator[Parameter]:
    """Name, type (list[str] where an option may be repeated) and default of every option."""
    found = list(_of_fields(spec)) if spec else []
    for own in signature(command, eval_str=True).parameters.values():
        if own.kind is Parameter.KEYWORD_ONLY:
            found.append((own.name, own.annotation, own.default))
    for name, hint, default in found:
        # Without None: who means it leaves the option out, and "none" is a name like others.
        kind = get_args(hint)[0] if NoneType in get_args(hint) else hint
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _of_fields(spec: type) -> Iterator[tuple[str, Any, Any]]:
    hints = get_type_hints(spec)
    for field in fields(spec):
        name, default = field.name, field.default
        if name in AS_TEXT:
            yield name, str, str(len(default) if isinstance(default, tuple) else default)
        elif isinstance(default, tuple):
            names = ONE_BY_ONE.get(name, (name,))
            columns = zip(*default, strict=True) if len(names) > 1 else [default]
            for one, column in zip(names, columns, strict=True):
                yield one, list[str], ",".join(map(str, column))
        elif name != "version":  # of the record, not a wish
            yield name, hints[name], Parameter.empty if default is MISSING else default
