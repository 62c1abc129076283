"""The ways a call can go wrong, each with a sentence meant for people."""


class AntidoteError(ValueError):
    """Base of all errors raised on purpose; `str(error)` is fit for a screen."""


class DataError(AntidoteError):
    """The data cannot be used: says which column, what came, what was wanted, what to do."""


class SpecError(AntidoteError):
    """A setting cannot be used as given: says which one, what came and what was wanted."""


class SolverError(AntidoteError):
    """A solver failed or ran out of time: says which one and what to do."""


class RunError(AntidoteError):
    """A run cannot be found, started, changed or written: says which and what to do."""


def sentence(error: Exception) -> str:
    """What went wrong, for the log of a run; the traceback is for the log of its worker."""
    if isinstance(error, AntidoteError):
        return str(error)
    if isinstance(error, MemoryError):
        return (
            "The memory a run may use here did not suffice; use fewer rows (a sample), or raise "
            "ANTIDOTE_WORKER_GB on the server."
        )
    return (
        f"Something unexpected went wrong ({type(error).__name__}); the log of the worker has the "
        "details."
    )
