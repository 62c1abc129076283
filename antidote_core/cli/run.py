"""Commands that work here and store nothing: `run`, `compare`, `parts`, `data`, `dashboard`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from json import dumps
from pathlib import Path
from typing import Any

import antidote_core
from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.analysis.comparison import compare as comparison
from antidote_core.checks import did_you_mean
from antidote_core.cli import INTERRUPTED, JSON_VERSION, NOT_REACHED, REACHED
from antidote_core.datasets import list_datasets, load_for
from antidote_core.datasets.parts.from_files import ROWS, parts_from_files
from antidote_core.datasets.registry import subsample
from antidote_core.errors import DataError, SpecError, optional_packages
from antidote_core.fairness import get_fairness
from antidote_core.reporting.documents.data_files import (
    RunRecord,
    assignments_csv,
    left_out_files,
    weight_files,
)
from antidote_core.reporting.text.design_words import (
    cut_sentence,
    design_sentences,
    extreme_sentence,
)
from antidote_core.reporting.text.run_words import guard_sentence
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.view import RunView
from antidote_core.types import Dataset, jsonable

# Settings that may be a number or none at all.
OR_NONE = ("embed_dim", "max_price", "max_rounds", "max_seconds", "max_stalled")


def read_settings(given: dict[str, Any]) -> dict[str, Any]:
    """With `target` as a number or a name, and numbers or None where these are meant."""
    if str(given.get("target", "")).endswith("%"):
        given["target"] = _share(given["target"], given.get("fairness", RunSpec.fairness))
    for name in {"target", *OR_NONE} & given.keys():
        with suppress(ValueError):
            given[name] = float(given[name])
    for name in {*OR_NONE} & given.keys():
        value = given[name]
        if isinstance(value, float) and value.is_integer():
            given[name] = int(value)
        elif value == "none":
            given[name] = None
    for name in {"percentiles", "copy_groups"} & given.keys():
        given[name] = tuple(part for text in given[name] for part in str(text).split(","))
    if "percentiles" in given:
        with suppress(ValueError):
            given["percentiles"] = tuple(float(value) for value in given["percentiles"])
    return given


def _share(text: str, fairness: str) -> float:
    """The balance at which the worst-served group has that part of its fair share.

    >>> _share("80%", "balance")
    -0.8
    """
    try:
        share = float(text.removesuffix("%")) / 100.0
    except ValueError:
        share = -1.0
    if not 0.0 < share <= 1.0:
        raise SpecError(f"--target {text} is no share; wanted more than 0% and at most 100%.")
    if not get_fairness(fairness).is_share:
        raise SpecError(
            f"--target {text} is a share of the fair share, which only balance has; wanted "
            f"vanilla, sota or a number for {get_fairness(fairness).title.lower()}."
        )
    return -share


def run(
    settings: dict[str, Any],
    *,
    data: Path | None = None,
    features: str = "",
    ids: str = "",
    weights: str = "",
    json: bool = False,
    out: Path | None = None,
) -> int:
    """Find antidote points by Algorithm 2, for a data set or a table of your own."""
    if out is not None:
        check_out(out)
    spec, table = _asked("run", settings, data, features, ids, weights)
    return _grown(spec, table, json, out)


def _asked(
    command: str, settings: dict[str, Any], path: Path | None, features: str, ids: str, weights: str
) -> tuple[RunSpec, Dataset]:
    """The run that is asked for, on a data set or on a table of one's own."""
    own = None if path is None else own_table(settings, path, features, ids, weights)
    if own is None and (features or ids or weights):
        raise SpecError("--features, --ids and --weights go with --data FILE, a table of your own.")
    if not settings.get("dataset"):
        raise SpecError(
            f"{command} needs --dataset NAME (the command data lists them) or --data FILE, a table "
            "of your own; got neither."
        )
    spec = RunSpec(**read_settings(settings))
    if own is None:
        return spec, load_for(spec)
    return spec, own if spec.sample is None else subsample(own, spec.sample, spec.sample_seed)


def own_table(
    settings: dict[str, Any], path: Path, features: str, ids: str, weights: str
) -> Dataset:
    """The data set in a file; what says how to read it is taken out of the settings."""
    from antidote_core.datasets.uploads import Choice, encode, read_table

    if settings.get("dataset"):
        raise SpecError(f"--dataset {settings['dataset']} and --data {path}: wanted one of them.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"--data {path} cannot be read: {error.strerror}.") from None
    table = read_table(path.name, content)
    columns = [str(name) for name in table.frame.columns]
    protected = settings.pop("protected", "") or ""
    named = {"features": features, "protected": protected, "ids": ids, "weights": weights}
    chosen = {option: _columns(option, text, columns, path) for option, text in named.items()}
    for option in ("features", "protected"):
        if not chosen[option]:
            raise SpecError(
                f"--data needs --{option} A,B,...; the columns of {path.name} are "
                f"{', '.join(columns)}."
            )
    if len(chosen["weights"]) > 1:
        raise SpecError(f"--weights must be one column; got {weights}.")
    choice = Choice(
        chosen["features"], chosen["protected"], ids=chosen["ids"],
        weights=next(iter(chosen["weights"]), None),
    )  # fmt: skip
    settings["dataset"] = path.stem
    return encode(table, choice, path.stem, path.name).data


def _columns(option: str, text: str, columns: Sequence[str], path: Path) -> tuple[str, ...]:
    """The columns that an option names; a name may hold a comma if it is the only one."""
    names = [text] if text in columns else [x.strip() for x in text.split(",") if x.strip()]
    for name in names:
        if name not in columns:
            raise DataError(
                f"--{option}: {path.name} has no column {name!r}{did_you_mean(name, columns)}; "
                f"wanted some of {', '.join(columns)}."
            )
    return tuple(names)


def _grown(spec: RunSpec, data: Dataset, json: bool, out: Path | None) -> int:
    view = RunView()
    log = []
    with _interruptible() as interrupted:
        for event in grow(spec, data, cancel=interrupted):
            view = view.apply_event(event)
            log.append(event.to_json())
            if json:
                print(log[-1], flush=True)
            else:
                _tell(event, view)
    result = {"version": JSON_VERSION, **jsonable(view.to_dict())}
    if json:
        print(dumps({"kind": "result", **result}, separators=(",", ":")))
    else:
        extreme = extreme_sentence(data.points, view.antidote)
        said = (*view.notes[len(data.notes) :], *design_sentences(view), extreme)
        for sentence in (view.verdict.text, guard_sentence(spec), *said):
            if sentence:
                print(sentence.replace("\N{NO-BREAK SPACE}", " "))
    if out is not None:
        texts = {"spec.json": spec.to_json(), "result.json": dumps(result, indent=1)}
        write_texts(out, {"events.jsonl": "\n".join(log), **texts})
        if view.antidote_weights is None:  # part of a point is no point
            data.to_original(view.antidote).to_csv(out / "antidote.csv", index=False)
        _write_tables(out, data, spec, view)
    if interrupted():
        return INTERRUPTED
    return REACHED if view.reached else NOT_REACHED


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed: the first ends a run with its best, the second at once."""
    pressed = threading.Event()

    def on_interrupt(*_: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        print("antidote: stopping with the best so far; again to leave at once", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():  # where no signal arrives
        yield pressed.is_set
        return
    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def _write_tables(out: Path, data: Dataset, spec: RunSpec, view: RunView) -> None:
    """Who is in which cluster; and the same as weights, where V consists of copies of rows."""
    record = RunRecord(data, spec, view)
    files = weight_files(record) | left_out_files(data)
    if record.shot is not None:
        files["assignments.csv"] = assignments_csv(record, record.shot)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")


def compare(
    settings: dict[str, Any],
    *,
    data: Path | None = None,
    features: str = "",
    ids: str = "",
    weights: str = "",
    json: bool = False,
) -> int:
    """Plain clustering, fair algorithms in both scorings, antidote data."""
    spec, table = _asked("compare", settings, data, features, ids, weights)
    heads = (
        "balance", "social", "price", "min. share", "silhouette", "Davies-B.", "Calinski-H.",
        "seconds", "|V|",
    )  # fmt: skip
    if not json:
        print(f"{spec.dataset}, {spec.clustering}, k = {spec.k}; costs: lower is fairer")
        print(
            "price: part by which inertia rises over plain; min. share: U in the smallest cluster"
        )
        print(f"{'':24}{'scoring':16}" + "".join(f"{head:>12}" for head in heads))
    for row in comparison(spec, table):
        if json:
            print(dumps(row.to_dict(), separators=(",", ":")), flush=True)
            continue
        scores = row.quality
        values = (
            row.balance, row.social, row.price, row.smallest_share, scores.silhouette,
            scores.davies_bouldin, scores.calinski_harabasz, row.seconds, row.size,
        )  # fmt: skip
        print(
            f"{row.name:24}{row.scoring:16}" + "".join(f"{value:12.5g}" for value in values),
            flush=True,
        )
        for note in row.notes:
            print(f"    {note}")
    return REACHED


def _tell(event: Event, view: RunView) -> None:
    """One line a person can read, for the events that matter."""
    data = event.data
    lines = {
        "vanilla": lambda: f"plain clustering: cost {data['cost']:.6g}",
        "target": lambda: (
            f"target: {'below' if data['strict'] else 'at most'} {data['target']:.6g}"
            + (f" ({data['sota']['name']}, {data['sota']['scoring']})" if data["sota"] else "")
        ),
        "noise": lambda: (
            f"plain clustering over other seeds: {min(data['costs']):.6g} "
            f"to {max(data['costs']):.6g}"
        ),
        "round": lambda: (
            f"round {data['index'] + 1}: |V| = {data['size']} "
            f"({100 * data['size'] / view.points:.3g}% of U), cost {data['cost']:.6g}, "
            f"{data['evaluations']} evaluations, {event.seconds:.1f} s"
        ),
        "cut": lambda: f"  {cut_sentence(data)}",
        "spread": lambda: f"spread out: cost {data['cost']:.6g}",
        "shrunk": lambda: f"shrunk to |V| = {view.size}, cost {data['cost']:.6g}",
        "verified": lambda: (
            f"independent clusterings that meet the target: {data['share']:.0%} "
            f"(best one: cost {data['best_cost']:.6g})"
        ),
        "finished": lambda: f"finished: {data['reason']}; {view.seconds:.1f} s",
        "stopped": lambda: f"stopped: {data['reason']}",
    }
    if event.type in lines:
        print(lines[event.type](), flush=True)


def check_out(folder: Path) -> None:
    """Make the folder and try to write there, before there is anything to lose."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(
            f"--out {folder} cannot be written to: {error.strerror}; name another place."
        ) from None


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the texts under their names into a folder, which is made where it is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def parts(*, data: Path, features: str, protected: str, out: Path, rows: int = ROWS) -> int:
    """Write a large table as Parquet parts."""
    names = [name.strip() for name in features.split(",") if name.strip()]
    written = parts_from_files(data, names, protected, out, rows)
    print(f"{out}: {written.n:,} rows in {len(written.files)} parts")
    for name, size in zip(written.group_names, written.group_sizes, strict=True):
        print(f"  {name}: {size:,}")
    for note in written.notes:
        print(note)
    return 0


def data(*, json: bool = False) -> int:
    """List the data sets."""
    for info in list_datasets():
        forms = [form.name for form in info.forms()]
        if json:
            row = {"name": info.name, "title": info.title, "kind": info.kind}
            row |= {"description": info.description}
            print(dumps({**row, "protected": info.protected, "rows": forms}, ensure_ascii=False))
            continue
        print(f"{info.name:16}{info.title} ({info.kind})")
        print(f"{'':16}--protected {', '.join(info.protected)}; --rows {', '.join(forms)}")
    return REACHED


def dashboard(*, port: int = 8501, headless: bool = False) -> int:
    """Serve the dashboard on this machine until Ctrl-C."""
    package = Path(antidote_core.__file__).parent
    installed = package / "dashboard" / "app.py"
    app = installed if installed.exists() else package.parent / "app.py"
    with optional_packages():
        if find_spec("streamlit") is None:
            raise ModuleNotFoundError(name="streamlit")
    options = ["--server.port", str(port), "--server.headless", str(headless).lower()]
    command = [sys.executable, "-m", "streamlit", "run", str(app), *options]
    os.chdir(app.parent)  # where its settings are, in .streamlit
    sys.stdout.flush()
    if sys.platform == "win32":  # where execv returns to the shell at once
        return subprocess.call(command)
    os.execv(sys.executable, command)
