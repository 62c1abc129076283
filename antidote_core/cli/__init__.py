"""The command line: what runs here at once, and the jobs that are kept."""

from collections.abc import Mapping

REACHED, BAD_INPUT, NOT_REACHED, INTERRUPTED = 0, 2, 3, 130
# Fields that are lists of what the command line names one by one.
ONE_BY_ONE: Mapping[str, tuple[str, ...]] = {
    "combinations": ("clustering", "fairness"), "optimizers": ("optimizer",), "boxes": ("box",),
    "ks": ("k",), "tables": ("table",), "datasets": ("dataset",), "modes": ("mode",),
}  # fmt: skip
