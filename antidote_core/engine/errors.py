"""What can go wrong with a run as a whole, said in a sentence."""

from antidote_core.errors import AntidoteError


class RunError(AntidoteError):
    """A run cannot be found, started, changed or written: says which and what to do."""
