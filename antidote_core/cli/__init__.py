"""The command line: what runs here at once, and the jobs that are kept."""

from collections.abc import Mapping

JSON_VERSION = 1  # of what --json prints; see `schema`
REACHED, BAD_INPUT, NOT_REACHED, INTERRUPTED, CLOSED_PIPE = 0, 2, 3, 130, 141
CODES = """\
Exit codes: 0 done, and the target is reached where there is one; 2 something asked for cannot be \
used, a line says what; 3 the target is not reached; 130 stopped by Ctrl-C, with the best so far \
told and written; 141 nobody reads the output any more."""
# Fields that are lists of what the command line names one by one.
ONE_BY_ONE: Mapping[str, tuple[str, ...]] = {
    "combinations": ("clustering", "fairness"), "optimizers": ("optimizer",), "boxes": ("box",),
    "ks": ("k",), "tables": ("table",), "datasets": ("dataset",), "modes": ("mode",),
}  # fmt: skip
