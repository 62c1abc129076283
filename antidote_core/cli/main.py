"""The command line: the library for scripts and for people without a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from inspect import Parameter as Option
from inspect import Signature, signature
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, get_args, get_type_hints
from warnings import catch_warnings

from antidote_core import __version__
from antidote_core.cli import BAD_INPUT, CLOSED_PIPE, CODES, INTERRUPTED, ONE_BY_ONE, REACHED
from antidote_core.cli.arena import arena
from antidote_core.cli.jobs import frontier, paper
from antidote_core.cli.run import OR_NONE, compare, dashboard, data, parts, run
from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS
from antidote_core.errors import AntidoteError, optional_packages
from antidote_core.fairness import FAIRNESS
from antidote_core.optimizers import OPTIMIZERS
from antidote_core.paper.rows import TABLES
from antidote_core.plugins import PluginWarning, load_plugins
from antidote_core.runs.arena_spec import ArenaSpec
from antidote_core.runs.paper_spec import PaperSpec
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec

# By the console script, and as a module.
PROGRAM = "antidote" if Path(sys.argv[0]).stem == "antidote" else "python -m antidote_core"
# Fields that the command reads from text: a name or a number, a number or none, a count or a list.
AS_TEXT = ("target", "seeds", *OR_NONE)
# By option; where a command means something else by it, by command and option.
HELP: Mapping[str, str] = {
    "clustering": "", "fairness": "", "optimizer": "", "dataset": "",
    "protected": "another protected column; with --data the columns of the groups, A,B,...",
    "frontier protected": "another protected column",
    "rows": "which rows or form of the data set", "sample": "use a seeded sample of this many rows",
    "sample_seed": "which sample", "k": "number of clusters", "restarts": "1 is the paper's way",
    "max_size": "of V; 10% of the data by default", "seed": "same seed, same result",
    "start_size": "V_s, first size of V", "step": "ξ, points added per round",
    "target": "α: vanilla, sota, four_fifths, 80% (of the fair share), lowest (at --max-size) or a "
    "number",
    "place": "rows (copies of rows of the data), plausible, minmax (the paper) or wide",
    "max_copies": "of one row, at most",
    "percentiles": "within which a row may be copied: LOW,HIGH",
    "copy_groups": "copy rows of these groups only: A,B,... or equal: every group gives its share",
    "whole": "whole copies; with --no-whole a design on rows gives weights",
    "lasting": "margin of a design in standard errors",
    "min_share": "smallest cluster's share of the data, at least; 0.1/k by default, 0: no guard",
    "max_price": "by which part the inertia may rise, or none", "max_rounds": "at most, or none",
    "max_seconds": "at most, or none", "max_stalled": "rounds without a gain at most, or none",
    "embed_dim": "n′ of SRE, or none", "growth": "extend, restart (paper) or bisect",
    "growth_factor": "times the size per round, in place of --step",
    "budget": "evaluations per round", "box": "another name of --place",
    "holdout": "find V on half of the data, try it on the other half, and the other way round",
    "shrink": "drop points once reached", "spread": "scatter clumps of points at the end",
    "json": "one JSON event per line", "out": "folder for events, result and antidote points",
    "compare json": "one JSON row per line", "frontier clustering": "clusterings: A,B,...",
    "frontier fairness": "costs: A,B,...; every clustering goes with every cost",
    "frontier optimizer": "optimizers, design among them: A,B,...",
    "frontier box": "where V may lie: rows, plausible, minmax, wide",
    "frontier k": "numbers of clusters: A,B,...", "sizes": "numbers of antidote points: A,B,...",
    "seeds": "how many, or which: 0,1,7",
    "frontier target": "α: vanilla, sota, four_fifths, 80% (of the fair share) or a number",
    "frontier budget": "evaluations per cell", "scheduler": "tcp://host:port",
    "frontier out": "folder for events, cells and curves", "table": ", ".join(TABLES),
    "mode": "as-published or ours", "paper out": "the results; paper-results.json by default",
    "fresh": "forget what was computed before",
    "markdown": "compute nothing: print the results of --out, or those of the software",
    "into": "with --markdown: renew the blocks of results in this page",
    "data": "a table of your own in place of --dataset: CSV, TSV, Parquet or .xlsx",
    "features": "with --data: columns to cluster by, A,B,...",
    "ids": "with --data: columns to carry into the files of --out and never compute with",
    "weights": "with --data: the column that says how many people a row stands for",
    "arena dataset": "data sets: A,B,...; all real ones that are here by default",
    "arena k": "numbers of clusters: A,B,...",
    "methods": "plain, fair algorithms, antidote:NOTION, loop:NOTION: A,B,...; all by default",
    "notions": "costs that every clustering is measured by: A,B,...; all by default",
    "arena sample": "use a seeded sample of this many rows of larger sets",
    "arena fairness": "the notion that words, --export latex and tables are about",
    "scoring": "own (as a method assigns people) or nearest (to its centres)",
    "workers": "processes; one per core by default",
    "export": "print csv or latex in place of words",
    "arena out": "folder for records and tables", "arena json": "one JSON record per line",
    "arena protected": "with --data: the columns of the groups, A,B,...",
    "port": "of the server", "headless": "open no browser",
    "data json": "one JSON object per line",
    "parts data": "a Parquet or CSV file, or a folder of them",
    "parts features": "columns of numbers: age,balance,...",
    "parts protected": "the column of the groups", "parts out": "a new folder for the parts",
    "parts rows": "most rows of a part",
}  # fmt: skip
# What options choose from; plugins may have brought more.
CHOICES: Mapping[str, Mapping[str, Any]] = {
    "clustering": CLUSTERINGS, "fairness": FAIRNESS, "optimizer": OPTIMIZERS, "dataset": DATASETS,
}  # fmt: skip
EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "run": (
        "run --dataset bank --start-size 100 --step 100 --target four_fifths",
        "run --data people.csv --features age,income --protected sex,race --target 80% --out found",
    ),
    "compare": ("compare --dataset bank --fairness social",),
    "frontier": ("frontier --dataset bank --sizes 10,50,100 --seeds 5 --out found",),
    "paper": ("paper --table vanilla_k2 --dataset bank",),
    "parts": ("parts --data big.csv --features age,income --protected sex --out parts",),
    "data": ("data --json",),
    "arena": (
        "arena --dataset bank,adult --k 2,3 --seeds 3 --out found",
        "arena --data people.csv --features age,income --protected sex --export latex",
    ),
    "dashboard": ("dashboard --port 8600",),
}
# Every function takes the settings of its specification that are given, and its own options.
COMMANDS: tuple[tuple[Callable[..., int], type | None], ...] = (
    (run, RunSpec), (compare, RunSpec), (paper, PaperSpec), (frontier, SweepSpec),
    (arena, ArenaSpec), (parts, None), (data, None), (dashboard, None),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    # Not above, as all heavy packages: who only imports the library does not wait for it.
    import cyclopts

    with catch_warnings(action="ignore", category=PluginWarning):
        for problem in load_plugins():
            print(f"antidote: {problem}", file=sys.stderr)
    app = cyclopts.App(
        name=PROGRAM, help=f"{__doc__}\n\n{CODES}", version=f"antidote {__version__}",
        help_format="plaintext",
        help_formatter="plain", exit_on_error=False, print_error=False,
        suppress_keyboard_interrupt=False, result_action="return_value",
    )  # fmt: skip
    for command, spec in COMMANDS:
        name = command.__name__
        examples = "\n\n".join(f"  {PROGRAM} {line}" for line in EXAMPLES[name])
        words = f"{command.__doc__}\n\nFor example:\n\n{examples}"
        app.command(_call(command, spec), name=name, help=words)
    if PROGRAM == "antidote":
        app.register_install_completion_command(help="Let the shell complete commands and options.")
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not given:
            raise cyclopts.CycloptsError("the following arguments are required: command")
        with optional_packages():
            code = app(given) or REACHED  # None after --help
        sys.stdout.flush()
        return code
    except cyclopts.CycloptsError as error:
        place = " ".join((PROGRAM, *(error.command_chain or ())))
        print(f"{place}: {_complaint(error)}", file=sys.stderr)
        return BAD_INPUT
    except AntidoteError as error:
        print(f"antidote: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("antidote: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # as in `antidote data | head -1`; Python would flush once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE


def _call(command: Callable[..., int], spec: type | None) -> Callable[..., int]:
    """The command as cyclopts reads it: every option a parameter."""
    from cyclopts import Parameter

    def call(**given: Any) -> int:
        # What is not given stays with the defaults of the specification and of the command.
        own = {name: given.pop(name) for name in list(given) if name in command.__annotations__}
        return command(given, **own) if spec else command(**own)

    found = []
    for option in _options(command, spec):
        name = option.name.replace("_", "-")
        rule = Parameter(
            name=f"--{name}",
            help=_help(command.__name__, option.name),
            negative=f"--no-{name}" if option.default is True else (),
            allow_repeating=True,  # the last one holds
            converter=_number if option.annotation in (int, float) else None,
            show_default=option.annotation is not bool and option.default not in ("", None),
        )
        found.append(option.replace(annotation=Annotated[option.annotation, rule]))
    call.__signature__ = Signature(found)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in found}
    return call


def _help(command: str, option: str) -> str | None:
    """What an option means, and what it chooses from."""
    words = HELP.get(f"{command} {option}", HELP.get(option))
    if option not in CHOICES:
        return words
    return "; ".join(filter(None, (words, ", ".join(CHOICES[option]))))


def _options(command: Callable[..., int], spec: type | None) -> Iterator[Option]:
    """Name, type (list[str] where an option may be repeated) and default of every option."""
    found = list(_of_fields(spec)) if spec else []
    for own in signature(command, eval_str=True).parameters.values():
        if own.kind is Option.KEYWORD_ONLY:
            found.append((own.name, own.annotation, own.default))
    for name, hint, default in found:
        # Without None: who means it leaves the option out, and "none" is a name like others.
        kind = get_args(hint)[0] if NoneType in get_args(hint) else hint
        if name == "dataset" and "data" in command.__annotations__:  # one of the two
            default = ""
        yield Option(name, Option.KEYWORD_ONLY, default=default, annotation=kind)


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
            yield name, hints[name], Option.empty if default is MISSING else default


def _number(kind: type, tokens: Sequence[Any]) -> Any:
    """As Python reads it: cyclopts would make a whole number of 2.5."""
    return kind(tokens[0].value)


def _complaint(error: Any) -> str:
    """What is wrong with the arguments, in one line."""
    from cyclopts import CoercionError, MissingArgumentError, UnusedCliTokensError

    error.verbose = False
    if isinstance(error, CoercionError) and error.token and error.argument:
        kind = error.argument.hint.__name__
        return f"argument {error.token.keyword}: invalid {kind} value: {error.token.value!r}"
    if isinstance(error, MissingArgumentError) and error.argument:
        return f"{error.argument.name} needs a value."
    if isinstance(error, UnusedCliTokensError):
        return f"unrecognized arguments: {' '.join(error.unused_tokens or ())}"
    return " ".join(str(error).split())
