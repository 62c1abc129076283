"""What people call: a run on anything they have, its result to keep and to look at, and tables.

The rooms below do the work; Plotly and what else is slow is imported when it is asked for.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from html import escape
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from antidote_core.algorithms.algorithm2.grow import Cancel, grow
from antidote_core.checks import did_you_mean
from antidote_core.clustering import CLUSTERINGS, as_clustering
from antidote_core.datasets import DATASETS, dataset_from_arrays, load_for
from antidote_core.errors import DataError, SpecError, optional_packages
from antidote_core.fairness import FAIRNESS, as_fairness
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.runs.events import (
    Alive,
    Event,
    Finished,
    Progress,
    Round,
    Started,
    SweepStarted,
)
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset, jsonable

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from antidote_core.reporting.documents.data_files import RunRecord

FORMAT = "antidote result"
VERSION = 1
OWN = "own"  # what data of one's own are called in a spec
# What other libraries call our settings.
ELSEWHERE = {
    "n_clusters": "k", "random_state": "seed", "n_init": "restarts", "alpha": "target",
    "groups": "sensitive_features", "protected_attribute": "sensitive_features",
}  # fmt: skip
SWEPT = {"clustering": "clustering", "fairness": "fairness", "k": "ks", "optimizer": "optimizers",
         "place": "boxes", "box": "boxes"}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Result(RunView):
    """What a run found: `antidote` (V), `cost`, `verdict`, and all else of a RunView.

    `log` are the events it is the fold of, `data` what it was found on; of a result that was
    loaded, the data are there only where the registry has them.

    >>> result = run("two-optima", target=-0.9, start_size=15, budget=60)
    >>> result.verdict.outcome.value, result.people, result.size
    ('confirmed', 3, 15)
    >>> bool(result.cost <= result.target < result.vanilla_cost)
    True
    >>> int(result.sample_weight.sum()) == result.data.n + result.size
    True
    """

    log: tuple[Event, ...] = ()
    data: Dataset | None = None

    @property
    def asked(self) -> RunSpec:
        """The specification of the run."""
        return RunSpec.from_json(json.dumps(self.spec))

    @property
    def data_hash(self) -> str:
        """What identifies the data: their `content_hash`."""
        return next((e.data_hash for e in self.log if isinstance(e, Started)), "")

    def __repr__(self) -> str:
        if self.vanilla is None:
            return f"<Result: {self.verdict.headline}>"
        what = f"{self.size:,} points"
        if self.copies is not None:
            what = f"{self.size:,} copies of {self.people:,} of {self.points:,} rows"
        return (
            f"<Result {self.verdict.outcome.value}: {self.spec['fairness']} cost "
            f"{self.vanilla_cost:.4g} -> {self.cost:.4g} (target {self.target:.4g}) with {what}; "
            f"{self.rounds} rounds, {self.seconds:.1f} s>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the verdict, and the clusters before and after."""
        found = self.verdict
        details = "".join(f"<li>{escape(text)}</li>" for text in found.details)
        return (
            f"<div><p><b>{escape(found.headline)}</b></p>{self._bars()}"
            f"<details><summary>Price, checks and caveats</summary><ul>{details}</ul></details>"
            "</div>"
        )

    def _bars(self) -> str:
        """One bar per cluster, as long as it is large, cut by groups; plain and with V."""
        if self.vanilla is None or self.answer is None:
            return ""
        lines, height = [], 0
        sides = [("plain", self.vanilla)]
        if self.size:
            sides.append(("with V", self.answer))
        for title, step in sides:
            for number, counts in enumerate(step.counts, 1):
                left = 110.0
                label = escape(f"{title}, cluster {number}")
                lines.append(f'<text x="0" y="{height + 12}" fill="currentColor">{label}</text>')
                for code, (name, count) in enumerate(zip(self.groups, counts, strict=True)):
                    width = 300.0 * count / step.counts.sum()
                    shade = 0.9 - 0.75 * code / max(len(self.groups) - 1, 1)
                    said = escape(f"{name}: {count:,.10g} of {counts.sum():,.10g}")
                    lines.append(
                        f'<rect x="{left:.2f}" y="{height}" width="{width:.2f}" height="14" '
                        f'fill="currentColor" fill-opacity="{shade:.2f}"><title>{said}</title>'
                        "</rect>"
                    )
                    left += width
                height += 18
        return (
            f'<svg width="420" height="{height}" role="img" font-size="11" '
            f'aria-label="Groups in every cluster">{"".join(lines)}</svg>'
        )

    def to_json(self) -> str:
        """Everything as JSON: figures, verdict and V, and below them the spec and the events.

        >>> json.loads(run("blobs", budget=40, max_rounds=1).to_json())["format"]
        'antidote result'
        """
        return json.dumps(
            {
                "format": FORMAT,
                "version": VERSION,
                "data": {
                    "name": self.spec.get("dataset"),
                    "rows": self.points,
                    "content_hash": self.data_hash,
                },
                **jsonable(self.to_dict()),
                "copies": jsonable(self.copies),
                "spec": jsonable(self.spec),
                "events": [json.loads(event.to_json()) for event in self.log],
            },
            allow_nan=False,
        )

    def save(self, path: str | Path) -> Path:
        """Write it to a file that `load_result` reads; the data are not in it, only their hash."""
        path = Path(path)
        try:
            path.write_text(self.to_json() + "\n", encoding="utf-8")
        except OSError as error:
            raise DataError(f"The result cannot be written to {path}: {error.strerror}.") from None
        return path

    def report_html(self, data: Any = None, sensitive_features: Any = None) -> str:
        """The report of the run as one HTML page, which opens without a network.

        A result that was loaded needs the data again: a Dataset, or X with `sensitive_features`.
        """
        with optional_packages():
            from antidote_core.reporting.documents.report import run_report

        return run_report(_record(self, data, sensitive_features))


def load_result(path: str | Path) -> Result:
    """Read what `result.save(path)` wrote.

    >>> import tempfile
    >>> result = run("blobs", budget=40, max_rounds=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_result(result.save(Path(folder) / "result.json"))
    >>> again.cost == result.cost, again.verdict == result.verdict
    (True, True)
    """
    path = Path(path)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"The result {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        stored = None
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        raise DataError(f"{path} holds no result; wanted a file that result.save(path) wrote.")
    if stored.get("version") != VERSION:
        raise DataError(
            f"{path} holds a result of version {stored.get('version')!r} and this is "
            f"{VERSION}; install a newer version of antidote-core."
        )
    return _folded(Event.from_json(json.dumps(event)) for event in stored["events"])


def _folded(happened: Iterable[Event], data: Dataset | None = None) -> Result:
    log, view = [], Result()
    for event in happened:
        log.append(event)
        view = view.apply_event(event)
    return replace(view, log=tuple(log), data=data)


# -- runs ---------------------------------------------------------------------------------------


def run(
    asked: Any,
    data: Dataset | PartitionedProblem | None = None,
    cancel: Cancel | None = None,
    *,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    standardise: bool = True,
    progress: bool | None = None,
    **settings: Any,
) -> Result:
    """Algorithm 2 to its end.

    `asked` is a RunSpec, the name of a data set, a Dataset, or a table X (n, d), array or
    DataFrame, with the group of every row in `sensitive_features` (see `dataset_from_arrays`).
    Every field of RunSpec may be given as a keyword; `clustering` and `fairness` may be your own,
    a clusterer of scikit-learn or a function. `data` overrides the data that a spec names.
    `progress` draws a bar on the standard error; None does so in a terminal and in a notebook.
    `result.antidote` is in the standardised space of the data; `result.data.to_original` leads
    back to the units of X.

    >>> result = run("blobs", fairness="social", start_size=3, budget=60)
    >>> bool(result.cost < result.vanilla_cost)
    True
    >>> data = result.data
    >>> again = run(data.points, sensitive_features=data.groups, standardise=False,
    ...             fairness="social", start_size=3, budget=60)
    >>> again.cost == result.cost
    True
    """
    spec, found = _asked(asked, data, sensitive_features, sample_weight, standardise, settings)
    happened = _watched(grow(spec, found, cancel), spec.budget, progress)
    return _folded(happened, found if isinstance(found, Dataset) else None)


def _watched(happened: Iterable[Event], budget: int, progress: bool | None) -> Iterator[Event]:
    """The events of a run, with a bar for the round it is in."""
    with _bar(progress, "plain clustering") as tell:
        for event in happened:
            if isinstance(event, Progress | Round):
                where = f"round {event.index + 1}: {event.size:,} points, cost {event.cost:.4g}"
                tell(where, event.evaluations / budget)
            elif isinstance(event, Alive):
                tell(event.doing, None)
            yield event


@contextmanager
def _bar(progress: bool | None, text: str) -> Iterator[Callable[[str, float | None], None]]:
    """What tells how far something is: words, and the part that is done where that is known."""
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not progress:
        yield lambda text, part: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(file=sys.stderr)
    with Bar(*columns, console=console, transient=console.is_terminal) as bar:
        task = bar.add_task(text, total=None)

        def tell(text: str, part: float | None) -> None:
            total = None if part is None else 1.0
            bar.update(task, description=text, total=total, completed=min(part or 0.0, 1.0))

        yield tell


def compare(
    asked: Any,
    data: Dataset | None = None,
    *,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    standardise: bool = True,
    **settings: Any,
) -> pd.DataFrame:
    """Plain clustering, the fair algorithms in both scorings, and antidote data: one row each.

    Takes what `run` takes. Costs are lower when fairer; `price` is the part by which the inertia
    rises over plain clustering.

    >>> compare("blobs", budget=40, max_rounds=1)["name"].tolist()[0]
    'vanilla'
    """
    from antidote_core.analysis.comparison import compare as rows

    spec, found = _asked(asked, data, sensitive_features, sample_weight, standardise, settings)
    if isinstance(found, PartitionedProblem):
        raise SpecError("The fair algorithms look at every point; data in parts have no compare.")
    return pd.DataFrame([row.to_dict() for row in rows(spec, found)])


def _asked(
    asked: Any,
    data: Dataset | PartitionedProblem | None,
    sensitive_features: Any,
    sample_weight: Any,
    standardise: bool,
    settings: Mapping[str, Any],
) -> tuple[RunSpec, Dataset | PartitionedProblem]:
    """The specification and the data of whatever people ask for."""
    given = _checked_settings(settings, {f.name for f in fields(RunSpec)} - {"dataset", "version"})
    named = isinstance(asked, RunSpec | str | Dataset)
    if data is not None and not isinstance(data, Dataset | PartitionedProblem):
        if named or sensitive_features is not None:
            raise SpecError(
                f"data must be a Dataset, in place of the one that is named; got "
                f"{type(data).__name__}."
            )
        sensitive_features, data = data, None  # as in run(X, groups)
    if named and (sensitive_features is not None or sample_weight is not None):
        raise SpecError(
            f"{_what(asked)} has its groups and weights already; wanted sensitive_features and "
            "sample_weight with an array or a DataFrame only."
        )
    if isinstance(asked, RunSpec):
        spec = replace(asked, **given)
        return spec, load_for(spec) if data is None else data
    if isinstance(asked, str):
        spec = RunSpec(dataset=asked, **given)
        return spec, load_for(spec) if data is None else data
    if data is not None:
        raise SpecError("The data are given twice; wanted them once, as the first argument.")
    if not isinstance(asked, Dataset):
        if sensitive_features is None and not hasattr(asked, "__array__") and np.ndim(asked) != 2:
            raise SpecError(
                f"run was asked for {asked!r}; wanted a RunSpec, the name of a data set, a "
                "Dataset, or X with sensitive_features."
            )
        asked = dataset_from_arrays(
            asked, sensitive_features, sample_weight=sample_weight, standardise=standardise,
            name=OWN,
        )  # fmt: skip
    return RunSpec(dataset=asked.name, **given), asked


def _what(asked: object) -> str:
    return repr(asked) if isinstance(asked, str) else f"A {type(asked).__name__}"


def _checked_settings(settings: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    """The settings as plain values; a name that nobody knows gets a hint."""
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, known)
            if name in ELSEWHERE:
                hint = f" (it is called {ELSEWHERE[name]!r} here)"
            raise SpecError(
                f"There is no setting {name!r}{hint}; the settings are {', '.join(sorted(known))}."
            )
    return {name: _named(name, plain(value)) for name, value in settings.items()}


def _named(setting: str, value: Any) -> Any:
    """The name of a clustering or cost, where it is given itself; anything else as it is."""
    if setting not in ("clustering", "fairness") or isinstance(value, str | None):
        return value
    if isinstance(value, list | tuple):
        return tuple(_named(setting, one) for one in value)
    if setting == "clustering":
        return CLUSTERINGS.admit(as_clustering(value))
    return FAIRNESS.admit(as_fairness(value))


def plain(value: Any) -> Any:
    """A number of NumPy as one of Python; anything else as it is.

    >>> plain(np.int64(2)), plain("vanilla")
    (2, 'vanilla')
    """
    return value.item() if isinstance(value, np.generic) else value


# -- what a result is about ---------------------------------------------------------------------


def _record(result: Result, data: Any, sensitive_features: Any) -> RunRecord:
    with optional_packages():
        from antidote_core.reporting.documents.data_files import RunRecord

    _check_result(result)
    return RunRecord(_data_of(result, data, sensitive_features), result.asked, result)


def _check_result(result: object) -> None:
    if not isinstance(result, Result):
        raise SpecError(f"Wanted the Result of a run; got {type(result).__name__}.")


def _data_of(result: Result, data: Any, sensitive_features: Any) -> Dataset:
    """The data of a result: its own, those given, or those of the registry."""
    candidates: list[Dataset] = []
    if data is None and result.data is not None:
        return result.data
    if isinstance(data, Dataset):
        candidates = [data]
    elif data is not None:
        candidates = [
            dataset_from_arrays(data, sensitive_features, standardise=each, name=OWN)
            for each in (True, False)
            if each or _all_numbers(data, sensitive_features)
        ]
    elif result.spec.get("dataset") in DATASETS:
        candidates = [load_for(result.asked)]
    else:
        raise DataError(
            "This result was loaded and its data are not in the file; wanted them as data=, a "
            "Dataset, or X together with sensitive_features=."
        )
    for found in candidates:
        if found.content_hash == result.data_hash:
            return found
    raise DataError(
        "These are not the data of this result: their content is another one; wanted the very "
        "rows, groups, weights and names that the run had."
    )


def _all_numbers(data: Any, sensitive_features: Any) -> bool:
    if not isinstance(data, pd.DataFrame):
        return True
    named = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    out = [name for name in named if name in data] if isinstance(named, list | tuple) else []
    return bool(data.drop(columns=out).dtypes.map(pd.api.types.is_numeric_dtype).all())


# -- pictures -----------------------------------------------------------------------------------


def plot_run(result: Result) -> go.Figure:
    """Cost against the number of antidote points, round by round.

    >>> plot_run(run("blobs", budget=40, max_rounds=1)).layout.xaxis.title.text is not None
    True
    """
    with optional_packages():
        from antidote_core.reporting.figures.comparisons import baseline_costs
        from antidote_core.reporting.figures.curve import run_curve_figure

    _check_result(result)
    return run_curve_figure(result, baseline_costs(result, result.spec["fairness"]))


def plot_map(
    result: Result, data: Any = None, sensitive_features: Any = None, *, color: str = "group"
) -> go.Figure:
    """The data, V and the centres on a plane; coloured by "group", "cluster" or "changed".

    >>> figure = plot_map(run("blobs", budget=40, max_rounds=1), color="cluster")
    >>> [trace.name for trace in figure.data][2:]
    ['cluster 1', 'cluster 2', 'centre before', 'centre', 'antidote (10)']
    """
    with optional_packages():
        from antidote_core.reporting.figures.maps import run_map_figure

    if color not in ("group", "cluster", "changed"):
        raise SpecError(f"color must be 'group', 'cluster' or 'changed'; got {color!r}.")
    record = _record(result, data, sensitive_features)
    assert record.shot is not None
    return run_map_figure(record.data, record.shot, record.picture, color)


def plot_clusters(result: Result, *, plain: bool = False) -> go.Figure:
    """Which part of every cluster each group is, with V, or of plain clustering.

    >>> len(plot_clusters(run("blobs", budget=40, max_rounds=1)).data) > 0
    True
    """
    from antidote_core.fairness import balance_from_counts

    with optional_packages():
        from antidote_core.reporting.figures.bars import cluster_mix_figure

    _check_result(result)
    step = result.vanilla if plain else result.answer
    assert step is not None
    return cluster_mix_figure(balance_from_counts(step.counts), result.groups)


# -- sweeps -------------------------------------------------------------------------------------

SWEEP = "antidote sweep"  # the attribute of a frame that holds the events it comes from


def sweep(
    asked: Any,
    data: Dataset | None = None,
    *,
    sensitive_features: Any = None,
    sample_weight: Any = None,
    standardise: bool = True,
    progress: bool | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """The lowest cost for every number of antidote points and seed: one row each.

    `asked` is a SweepSpec, or any data that `run` takes; `sizes`, `seeds`, `clustering`,
    `fairness`, `k`, `optimizer` and `place` may be one value or several, and all other fields of
    SweepSpec are settings too. `passed` says whether the checked cost meets `target`. The cells
    are computed here, one after the other; `antidote frontier` spreads them over processes.
    `progress` as in `run`.

    >>> frame = sweep("blobs", sizes=(2, 4), seeds=(0, 1), budget=40)
    >>> frame[["size", "seed"]].values.tolist()
    [[2, 0], [4, 0], [2, 1], [4, 1]]
    """
    from antidote_core.engine.sweep import tasks

    if isinstance(asked, SweepSpec):
        spec, found = asked, load_for(asked.data_spec) if data is None else data
    else:
        spec, found = _asked_sweep(
            asked, data, sensitive_features, sample_weight, standardise, settings
        )
    spec.check()
    log: list[Event] = [SweepStarted(sweep=spec.to_json(), id=spec.id, points=found.n)]
    first = {cell.setting.problem: cell.spec for cell in reversed(spec.cells)}
    with _bar(progress, "plain clustering") as tell:
        for problem in spec.problems:
            outcome = tasks.compute_reference(first[problem].to_json(), found, spec.target)
            if outcome["state"] != tasks.DONE:
                raise SpecError(outcome["reason"])
            log.append(outcome["event"])
        for cell in spec.cells:
            where = f"cell {cell.index + 1} of {len(spec.cells)}: {cell.spec.start_size:,} points"
            tell(where, cell.index / len(spec.cells))
            outcome = tasks.compute_cell(cell.spec.to_json(), found, "")
            if outcome["state"] == tasks.DONE:
                log.append(tasks.cell_done(cell.index, "", RunView.fold(outcome["events"]), False))
            else:
                failed = tasks.CellChanged(
                    index=cell.index, state=tasks.FAILED, reason=outcome["reason"]
                )
                log.append(failed)
    log.append(Finished(reason=""))
    view = SweepView.fold(log)
    frame = pd.DataFrame(
        {
            "clustering": row.setting.clustering,
            "fairness": row.setting.fairness,
            "k": row.setting.k,
            "optimizer": row.setting.optimizer,
            "place": row.setting.box,
            "size": row.size,
            "share": row.share,
            "seed": row.seed,
            "cost": row.cost,
            "vanilla_cost": row.vanilla,
            "checked_cost": row.checked,
            "passed": row.passed,
            "price": row.price,
            "smallest_share": row.smallest_share,
            "silhouette": row.silhouette,
            "seconds": row.seconds,
            "state": row.state,
            "reason": row.reason,
        }
        for row in view.rows
    )
    frame.attrs[SWEEP] = [event.to_json() for event in log]
    return frame


def _asked_sweep(
    asked: Any,
    data: Dataset | None,
    sensitive_features: Any,
    sample_weight: Any,
    standardise: bool,
    settings: Mapping[str, Any],
) -> tuple[SweepSpec, Dataset]:
    known = {f.name for f in fields(SweepSpec)} - {"dataset", "version", "combinations"}
    given = _checked_settings(settings, {*known, *SWEPT})
    given = {SWEPT.get(name, name): value for name, value in given.items()}
    for name in ("clustering", "fairness", "ks", "optimizers", "boxes", "sizes", "seeds"):
        if name in given:
            several = isinstance(given[name], Iterable) and not isinstance(given[name], str)
            given[name] = tuple(map(plain, given[name] if several else (given[name],)))
    clusterings, costs = given.pop("clustering", ("kmeans",)), given.pop("fairness", ("balance",))
    pairs = tuple(product(clusterings, costs))
    ours = {name: given[name] for name in ("protected", "rows", "sample", "sample_seed")
            if name in given}  # fmt: skip
    one, found = _asked(asked, data, sensitive_features, sample_weight, standardise, ours)
    if isinstance(found, PartitionedProblem):
        raise SpecError("A sweep takes data in one place; got data in parts.")
    return SweepSpec(dataset=one.dataset, combinations=pairs, **given), found


def plot_frontier(swept: pd.DataFrame | Result) -> go.Figure:
    """Cost against the number of antidote points over the seeds of `sweep`; or of one run.

    Where a sweep has several clusterings, costs or k, the picture is of the first.

    >>> frame = sweep("blobs", sizes=(2, 4), seeds=(0, 1), budget=40)
    >>> plot_frontier(frame).layout.yaxis.title.text
    'cost, lower is fairer'
    """
    if isinstance(swept, Result):
        return plot_run(swept)
    lines = swept.attrs.get(SWEEP) if isinstance(swept, pd.DataFrame) else None
    if lines is None:
        raise SpecError(
            "plot_frontier takes the frame that sweep(...) returned, or a Result; this one does "
            "not know its sweep: pass it before joining it with others."
        )
    with optional_packages():
        from antidote_core.reporting.figures.frontier_charts import cost_figure

    view = SweepView.fold(map(Event.from_json, lines))
    assert view.spec is not None
    return cost_figure(view, view.spec.problems[0])


# -- notions of fairness ------------------------------------------------------------------------


def fairness_report(
    X: Any,
    labels: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    seed: int = 0,
    by_attribute: bool = False,
) -> pd.DataFrame:
    """How fair the clusters `labels` (n,) of X (n, d) are, by many notions: one row each.

    `value` stands beside `ideal`, the value that could not be fairer, and between `low` and `high`
    lie 95 % of resampled populations, the clusters held fixed, and the value. `cluster` and `group`
    (or pair of groups) decide. Distances are to the cluster means, in the units of X. No value is
    below `least` or above `most`. `sample_weight` counts a row so many times.

    Several columns of groups are compared by their intersections; `by_attribute` also takes every
    column alone, and of every notion the "worst" of all these, which `attribute` names.

    balance: the smallest part of a fair share (share in the cluster over share in the data, or its
    inverse), minus our cost; mean balance: its mean over clusters; pairwise balance: smallest over
    largest group in a cluster; minimum ratio: n_a / n_b of two groups, not symmetric; four fifths:
    1 where balance is at least 0.8; bounded representation: people beyond 0.8 to 1.25 of the fair
    number; KL error: sum over clusters; total variation: how differently two groups spread over
    clusters; entropy: of how a group spreads, averaged; minimum representation: what a group
    lacks to one half where it is strongest; social, gap and social ratio: largest average squared
    distance of a group, less and over the smallest; relative social: that of a group over its own
    k-means; silhouette by group: largest less smallest mean silhouette.

    >>> found = fairness_report([[0.0], [2.0], [8.0], [9.0]], [0, 0, 1, 1],
    ...                         sensitive_features=["f", "f", "m", "m"])
    >>> found.loc["balance", ["value", "ideal"]].tolist(), found.loc["balance", "group"]
    ([0.0, 1.0], 'm')
    """
    from antidote_core.analysis.fairness_report import fairness_table, worst_rows

    if by_attribute:
        columns = pd.DataFrame(sensitive_features)
        together = " × ".join(map(str, columns.columns))
        asked: dict[str, Any] = {together: columns} if columns.shape[1] > 1 else {}
        asked |= {str(name): columns[name] for name in columns.columns}
        tables = {
            name: fairness_report(
                X, labels, sensitive_features=of, sample_weight=sample_weight, seed=seed
            )
            for name, of in asked.items()
        }
        named = {name: table.assign(attribute=name) for name, table in tables.items()}
        return pd.concat({**named, "worst": worst_rows(tables)}, names=["of", "notion"])
    data = dataset_from_arrays(
        X, sensitive_features, sample_weight=sample_weight, standardise=False
    )
    given = np.asarray(labels)
    if given.shape != (data.n,):
        raise DataError(
            f"labels have the shape {given.shape}; wanted one for every row of X ({data.n:,})."
        )
    if pd.isna(given).any():
        raise DataError("A label is missing (NaN); wanted the cluster of every row.")
    names, codes = np.unique(given, return_inverse=True)
    return fairness_table(
        data.points, codes.ravel(), data.groups, names.tolist(), data.group_names, data.weights,
        seed,
    )  # fmt: skip
