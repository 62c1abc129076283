"""The command line: the library for scripts and for people without a browser."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from inspect import Signature
from typing import Annotated, Any

from antidote_core.cli.jobs import frontier, paper
from antidote_core.cli.options import BAD_INPUT, HELP, INTERRUPTED, NOT_REACHED, REACHED, options
from antidote_core.cli.run import compare, parts, run
from antidote_core.errors import AntidoteError
from antidote_core.runs.paper_spec import PaperSpec
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec

__all__ = ["BAD_INPUT", "INTERRUPTED", "NOT_REACHED", "REACHED", "main"]

PROGRAM = "python -m antidote_core"
# Every function takes the settings of its specification that are given, and its own options.
COMMANDS: tuple[tuple[Callable[..., int], type | None], ...] = (
    (run, RunSpec), (compare, RunSpec), (paper, PaperSpec), (frontier, SweepSpec), (parts, None),
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    # Not above, as all heavy packages: who only imports the library does not wait for it.
    import cyclopts

    app = cyclopts.App(
        name=PROGRAM, help=__doc__, version_flags=(), help_format="plaintext",
        help_formatter="plain", exit_on_error=False, print_error=False,
        suppress_keyboard_interrupt=False, result_action="return_value",
    )  # fmt: skip
    for command, spec in COMMANDS:
        app.command(_call(command, spec), name=command.__name__, help=command.__doc__)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if not given:
            raise cyclopts.CycloptsError("the following arguments are required: command")
        return app(given) or REACHED  # None after --help
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


def _call(command: Callable[..., int], spec: type | None) -> Callable[..., int]:
    """The command as cyclopts reads it: every option a parameter."""
    from cyclopts import Parameter

    def call(**given: Any) -> int:
        # What is not given stays with the defaults of the specification and of the command.
        own = {name: given.pop(name) for name in list(given) if name in command.__annotations__}
        return command(given, **own) if spec else command(**own)

    found = []
    for option in options(command, spec):
        rule = Parameter(
            name="--" + option.name.replace("_", "-"),
            help=HELP.get(f"{command.__name__} {option.name}", HELP.get(option.name)),
            negative=(),
            allow_repeating=True,  # the last one holds
            converter=_number if option.annotation in (int, float) else None,
            show_default=option.annotation is not bool and option.default not in ("", None),
        )
        found.append(option.replace(annotation=Annotated[option.annotation, rule]))
    call.__signature__ = Signature(found)  # type: ignore[attr-defined]
    call.__annotations__ = {option.name: option.annotation for option in found}
    return call


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
