"""What can go wrong with a run as a whole, said in a sentence."""

from antidote_core.errors import AntidoteError

DISK_FULL = 3  # exit code of a worker that can no longer write its log


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
