"""The ways a call can go wrong, each with a sentence meant for people."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

# Packages that the library does without, and the extra that brings each.
EXTRAS: Mapping[str, str] = {
    "altair": "app", "clarabel": "convex", "cvxpy": "convex", "dask": "cluster",
    "distributed": "cluster", "highspy": "convex", "jinja2": "plot", "plotly": "plot",
    "streamlit": "app", "umap": "app", "zoopt": "paper",
}  # fmt: skip


class AntidoteError(ValueError):
    """Base of all errors raised on purpose; `str(error)` is fit for a screen.

    >>> import antidote_core as ac
    >>> try:
    ...     ac.run("blobs", k=1)
    ... except ac.AntidoteError as error:
    ...     print(error)
    k must be a whole number of at least 2; got 1.
    """


class DataError(AntidoteError):
    """The data cannot be used: says which column, what came, what was wanted, what to do.

    >>> import antidote_core as ac
    >>> ac.run([[0.0], [1.0]], sensitive_features=["f", "m", "m"])
    Traceback (most recent call last):
    antidote_core.errors.DataError: X has 2 rows and sensitive_features has 3; wanted one group \
for every row of X.
    """


class SpecError(AntidoteError):
    """A setting cannot be used as given: says which one, what came and what was wanted.

    >>> import antidote_core as ac
    >>> ac.run("blobs", place="moon")
    Traceback (most recent call last):
    antidote_core.errors.SpecError: place must be one of 'rows', 'plausible', 'minmax', 'wide'; \
got 'moon'.
    """


class SolverError(AntidoteError):
    """A solver failed or ran out of time: says which one and what to do.

    >>> import antidote_core as ac
    >>> issubclass(ac.SolverError, ac.AntidoteError)  # one except clause is enough
    True
    """


class RunError(AntidoteError):
    """A run cannot be found, started, changed or written: says which and what to do."""


class PackageError(AntidoteError):
    """A package that only an extra brings is not installed: says which and by which command."""


@contextmanager
def optional_packages() -> Iterator[None]:
    """Around an import that only an extra makes possible: a missing package gets a sentence.

    >>> with optional_packages():
    ...     raise ModuleNotFoundError(name="plotly.graph_objects")
    Traceback (most recent call last):
    antidote_core.errors.PackageError: This needs the package plotly, which is not installed; \
pip install 'antidote-core[plot]' brings it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").split(".")[0]
        if name not in EXTRAS:
            raise
        raise PackageError(
            f"This needs the package {name}, which is not installed; "
            f"pip install 'antidote-core[{EXTRAS[name]}]' brings it."
        ) from None


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
