"""The three ways a call can go wrong, each with a sentence meant for people."""


class AntidoteError(ValueError):
    """Base of all errors raised on purpose; `str(error)` is fit for a screen."""


class DataError(AntidoteError):
    """The data cannot be used: says which column, what came, what was wanted, what to do."""


class SpecError(AntidoteError):
    """A setting cannot be used as given: says which one, what came and what was wanted."""


class SolverError(AntidoteError):
    """A solver failed or ran out of time: says which one and what to do."""
