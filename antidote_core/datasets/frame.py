"""The door for tables of one's own: checks, encoding, standardisation, groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from antidote_core.checks import check_weights, did_you_mean
from antidote_core.datasets.columns import (
    Levels,
    Numbers,
    crossed,
    level_name,
    read_feature,
    read_levels,
)
from antidote_core.errors import DataError
from antidote_core.types import Column, Dataset, Floats, Ints, Origin, left_out_table

MAX_ROWS = 1_000_000
MAX_FEATURES = 500
MAX_CELLS = 100_000_000  # 0.8 GB of float64
MAX_LEVELS = 50
MAX_GROUPS = 20
MIN_GROUP = 2
MAX_PROTECTED = 5  # columns whose intersections are compared
SMALL_WEIGHT = 0.5  # of a row on average; a point of V weighs 1


def dataset_from_frame(
    df: pd.DataFrame,
    features: Sequence[str],
    protected: str | Sequence[str],
    *,
    name: str = "upload",
    missing: Literal["drop", "impute"] = "drop",
    categorical: Sequence[str] = (),
    weights: str | None = None,
    ids: str | Sequence[str] = (),
    join_below: int = 0,
) -> Dataset:
    """A Dataset from `df`: columns `features` to cluster by, groups from the column `protected`.

    Several protected columns give their intersections ("Black × Female"); groups of fewer rows than
    `join_below` become one, "other". Numeric and true/false
    columns are standardised (mean 0, population deviation 1). Text and pandas categoricals, and any
    column named in `categorical`, become one 0/1 feature per level, centred and divided by one
    number so that the column as a whole has variance 1, as a numeric column has. Texts that all
    spell numbers are read as numbers; spaces around texts are dropped; blank texts, "?" and "nan"
    count as missing.

    `missing="drop"` leaves out rows with a missing value in any used column; `"impute"` takes the
    median of a numeric column and a level of its own for a categorical one. A row whose protected
    value is missing is always left out. What was done is counted in the `notes` of the result.

    `weights` names a column that says how many people a row stands for, as in survey data. It is
    no feature; means, deviations and medians are weighted by it, so that whole weights do what
    repeating the rows would do. Rows of weight 0 are left out. A point of V weighs 1, so weights
    should count people and not be shares that add up to 1.

    `ids` names columns that are kept for joining only, such as a customer number: files about the
    rows carry them, and nothing is computed from them. `origin` of the result has them, the numbers
    of the rows in `df` from 1, and what was left out and why.

    >>> frame = pd.DataFrame({"age": [20, 30, 40, 50], "sex": ["f", "m", "m", "f"]})
    >>> data = dataset_from_frame(frame, features=["age"], protected="sex")
    >>> data.groups.tolist(), data.group_names
    ([0, 1, 1, 0], ('f', 'm'))
    >>> data.to_original(data.points[:1])["age"].tolist()
    [20.0]
    """
    if missing not in ("drop", "impute"):
        raise DataError(f"missing must be 'drop' or 'impute'; got {missing!r}.")
    df = _checked_frame(df)
    feature_names = _checked_features(df, features)
    protected_names = _checked_protected(df, protected, feature_names)
    categories = _listed(categorical)
    for label in categories:
        if label not in feature_names:
            raise DataError(
                f"Column {label!r} is named as categorical but is not among the features; add it "
                "there or drop it here."
            )

    used = [*feature_names, *protected_names, *([] if weights is None else [str(weights)])]
    id_names = _checked_ids(df, ids, used)
    not_chosen = [name for name in df.columns if name not in {*used, *id_names}]
    whole = df

    weighing: Floats | None = None
    weight_notes: list[str] = []
    if weights is not None:
        df, weighing, weight_notes = _weighed(df, weights, [*feature_names, *protected_names])

    columns = [read_feature(df[c], c, c in categories) for c in feature_names]
    protected_columns = [read_levels(df[c], c) for c in protected_names]
    for column in columns:
        _check_values(column, len(df))
    kept = _complete(columns, protected_columns, missing)
    gaps = _reasons(kept, [*([] if missing == "impute" else columns), *protected_columns])
    columns, protected_columns, weighing, missing_notes = _without_missing(
        columns, protected_columns, weighing, missing, kept
    )
    origin = _origin(whole, df.index[kept], id_names, weights, gaps, df.index[~kept], not_chosen)
    for column in columns:
        _check_levels(column)
    groups, group_names = _groups(protected_columns, join_below)

    width = sum(len(c.names) if isinstance(c, Levels) else 1 for c in columns)
    _check_width(width, len(groups))
    blocks = [_standardised(column, weighing) for column in columns]
    points = np.hstack([block[0] for block in blocks])
    return Dataset(
        name=name,
        points=points,
        groups=groups,
        group_names=group_names,
        feature_names=tuple(label for column in columns for label in _labels(column)),
        protected=" × ".join(protected_names),
        source=f"your own data ({name}), {len(points):,} rows",
        shift=np.concatenate([block[1] for block in blocks]),
        scale=np.concatenate([block[2] for block in blocks]),
        columns=tuple(Column(c.name, c.names if isinstance(c, Levels) else ()) for c in columns),
        title=name,
        notes=(*_encoding_notes(columns), *weight_notes, *missing_notes),
        weights=weighing,
        origin=origin,
    )


def dataset_from_arrays(
    X: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    standardise: bool = True,
    name: str = "own",
) -> Dataset:
    """A Dataset from X (n, d), an array or a DataFrame, and the group of each of its rows.

    `sensitive_features` are (n,) values of any kind, or a table of up to five columns, whose
    intersections are the groups; where X is a DataFrame, they may also be names of its columns,
    which are then no features. Texts and categoricals of a DataFrame are encoded as
    `dataset_from_frame` does. Every row stays, in its place, so nothing may be missing. With
    `standardise=False` the points are the numbers of X as they are.

    >>> data = dataset_from_arrays([[20.0], [30.0], [40.0], [50.0]], ["f", "m", "m", "f"])
    >>> data.group_names, data.points.ravel().round(2).tolist()
    (('f', 'm'), [-1.34, -0.45, 0.45, 1.34])
    """
    features, protected = _tables(X, sensitive_features)
    n = len(features)
    weights = None if sample_weight is None else check_weights(sample_weight, n)
    encoded = [c for c in features if not pd.api.types.is_numeric_dtype(features[c].dtype)]
    if encoded and not standardise:
        raise DataError(
            f"Column {encoded[0]!r} holds {features[encoded[0]].dtype} values, which have no unit "
            "of their own; wanted numbers where standardise=False: encode the column first, or let "
            "it be standardised."
        )
    for table in (features, protected):
        gaps = np.argwhere(table.isna().to_numpy())
        if len(gaps):
            row, column = gaps[0]
            raise DataError(
                f"Column {table.columns[column]!r} has no value (NaN) in row {row + 1:,}; wanted "
                "one in every row: fill it in, or leave such rows out."
            )
    if encoded:
        whole, weighing = pd.concat([features, protected], axis=1), None
        if weights is not None:
            weighing = " ".join(("weight of", *whole.columns))  # a name that no column has
            whole[weighing] = weights
        data = dataset_from_frame(
            whole, list(features), list(protected), name=name, weights=weighing
        )
        if data.n < n:
            raise DataError(
                f"{n - data.n:,} of {n:,} rows hold a text that stands for no value; wanted one in "
                "every row: fill it in, or leave such rows out."
            )
        return data
    values = np.ascontiguousarray(features.to_numpy(dtype=np.float64))
    infinite = np.argwhere(~np.isfinite(values))
    if len(infinite):
        row, column = infinite[0]
        raise DataError(
            f"Column {features.columns[column]!r} is infinite in row {row + 1:,}; wanted finite "
            "numbers: correct them or leave such rows out."
        )
    _check_width(values.shape[1], n)
    groups, group_names = _groups([read_levels(protected[c], c) for c in protected], 0)
    shift, scale = np.zeros(values.shape[1]), np.ones(values.shape[1])
    if standardise:
        shift = np.average(values, axis=0, weights=weights)
        scale = np.sqrt(np.average((values - shift) ** 2, axis=0, weights=weights))
        scale[scale <= 8 * np.finfo(np.float64).eps * np.abs(values).max(axis=0)] = 1.0
    return Dataset(
        name=name,
        points=(values - shift) / scale if standardise else values.copy(),
        groups=groups,
        group_names=group_names,
        feature_names=tuple(features),
        protected=" × ".join(protected),
        source=f"your own data ({name}), {n:,} rows",
        shift=shift,
        scale=scale,
        columns=tuple(Column(c) for c in features),
        title=name,
        notes=(
            "Standardised to mean 0 and population standard deviation 1."
            if standardise
            else "Clustered in the units it came in, not standardised.",
        ),
        weights=weights,
    )


def _tables(X: Any, sensitive_features: Any) -> tuple[Any, Any]:
    """Features and protected columns of the same rows, under texts as names."""
    if sensitive_features is None:
        raise DataError(
            "sensitive_features is missing; wanted the group of every row of X, such as "
            "sensitive_features=people['sex']."
        )
    if isinstance(X, pd.DataFrame):
        features = X.set_axis([str(c) for c in X.columns], axis=1).reset_index(drop=True)
    else:
        features = _table(X, "X")
        features.columns = [f"x{i}" for i in range(features.shape[1])]
    named = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    if (
        isinstance(X, pd.DataFrame)
        and isinstance(named, list | tuple)
        and named
        and all(isinstance(each, str) and each in features for each in named)
    ):
        features, protected = features.drop(columns=list(named)), features[list(named)]
    elif isinstance(sensitive_features, str):
        raise DataError(
            f"sensitive_features is the text {sensitive_features!r}; wanted the group of every "
            "row, or the name of a column where X is a DataFrame that has it."
        )
    else:
        protected = _protected_table(sensitive_features, set(features.columns))
    if len(features) != len(protected):
        raise DataError(
            f"X has {len(features):,} rows and sensitive_features has {len(protected):,}; wanted "
            "one group for every row of X."
        )
    repeated = features.columns[features.columns.duplicated()]
    if len(repeated):
        raise DataError(f"Column {repeated[0]!r} occurs more than once; wanted every name once.")
    if not features.size:
        raise DataError(
            f"X has {features.shape[0]:,} rows and {features.shape[1]:,} features; wanted at least "
            "two rows of each of two groups, and a feature."
        )
    check_protected([str(c) for c in protected])
    return features, protected


def _protected_table(given: Any, taken: set[str]) -> pd.DataFrame:
    """The protected columns as a table; a name that a feature has already is told apart."""
    if isinstance(given, pd.Series):
        table = given.to_frame()
    elif isinstance(given, pd.DataFrame):
        table = given
    else:
        table = _table(given, "sensitive_features")
        count = table.shape[1]
        table.columns = ["group"] if count == 1 else [f"group {i + 1}" for i in range(count)]
    names = ["group" if c is None or c == 0 else str(c) for c in table.columns]
    names = [f"{c} (sensitive)" if c in taken else c for c in names]
    return table.set_axis(names, axis=1).reset_index(drop=True)


def _table(given: Any, what: str) -> pd.DataFrame:
    """Anything like an array as a table; sparse matrices and other shapes get a sentence."""
    if hasattr(given, "tocsr"):
        raise DataError(f"{what} is a sparse matrix; wanted a dense one: call its toarray().")
    array = np.asarray(given)
    if array.ndim == 1 and what != "X":
        array = array[:, None]
    if array.ndim != 2:
        raise DataError(
            f"{what} has the shape {array.shape}; wanted a table with one row per person and one "
            "column per feature."
            if what == "X"
            else f"{what} has the shape {array.shape}; wanted one value, or one row, per person."
        )
    if what == "X" and array.dtype.kind == "c":
        raise DataError("X holds complex numbers; wanted real ones.")
    return pd.DataFrame(array).infer_objects()


def _origin(
    whole: pd.DataFrame,
    kept: pd.Index,
    ids: list[str],
    weights: str | None,
    gaps: list[str],
    dropped: pd.Index,
    columns: list[str],
) -> Origin:
    """Where the kept rows stand in the whole table, their IDs, and what of it is not here."""
    why = pd.Series(f"weight 0 in {weights}", index=whole.index, dtype="str")
    why.loc[dropped] = np.array(gaps, dtype=object)
    why = why.drop(kept)
    return Origin(
        kept.to_numpy(dtype=np.int64),
        pd.DataFrame({name: as_written(whole.loc[kept, name]) for name in ids}),
        tuple(ids),
        left_out_table(
            [
                *(("column", name, "not chosen") for name in columns),
                *(("row", str(row), reason) for row, reason in why.items()),
            ]
        ),
    )


def as_written(column: pd.Series) -> pd.Series:
    """Numbers as they are, whole ones without a point; everything else as text.

    >>> as_written(pd.Series([1.0, None, 3.0])).tolist()
    ['1', '', '3']
    """
    if column.dtype.kind in "iu":
        return column.reset_index(drop=True)
    texts = ["" if missing else level_name(value)
             for value, missing in zip(column, column.isna(), strict=True)]  # fmt: skip
    return pd.Series(texts, dtype="str")


def _checked_ids(df: pd.DataFrame, ids: str | Sequence[str], used: Sequence[str]) -> list[str]:
    names = list(dict.fromkeys(_listed(ids)))
    for column in names:
        _check_known(df, column, "ID")
        if column in used:
            raise DataError(
                f"Column {column!r} is to be kept for joining and is a feature, the protected "
                "attribute or the weights as well; wanted it in one place."
            )
    return names


def _checked_frame(df: pd.DataFrame) -> pd.DataFrame:
    if not isinstance(df, pd.DataFrame):
        raise DataError(f"The data must be a pandas DataFrame; got {type(df).__name__}.")
    if isinstance(df.columns, pd.MultiIndex):
        raise DataError(
            f"The table has {df.columns.nlevels} header lines; wanted one: join the names of each "
            "column into one."
        )
    names = [str(column) for column in df.columns]
    repeated = sorted({column for column in names if names.count(column) > 1})
    if repeated:
        raise DataError(
            f"Column {repeated[0]!r} occurs {names.count(repeated[0])} times; wanted every column "
            "name once: rename or remove the others."
        )
    if not len(df):
        raise DataError("The table has no rows; wanted at least two rows of each of two groups.")
    if len(df) > MAX_ROWS:
        raise DataError(
            f"The table has {len(df):,} rows; wanted at most {MAX_ROWS:,}: take a random sample of "
            "it first."
        )
    return df.set_axis(names, axis=1).set_axis(range(1, len(df) + 1))


def _listed(names: str | Iterable[object]) -> list[str]:
    """The names of one or several columns as texts; columns may be named by numbers."""
    several = isinstance(names, Iterable) and not isinstance(names, str)
    return [str(name) for name in (names if several else [names])]


def _checked_features(df: pd.DataFrame, features: Sequence[str]) -> list[str]:
    names = _listed(features)
    if not names:
        raise DataError("No feature is named; wanted at least one column to cluster by.")
    for column in names:
        _check_known(df, column, "feature")
        if names.count(column) > 1:
            raise DataError(
                f"Column {column!r} is named {names.count(column)} times as a feature; wanted it "
                "once: remove the repetition."
            )
    if len(names) > MAX_FEATURES:
        raise DataError(
            f"{len(names):,} features are named; wanted at most {MAX_FEATURES}: choose fewer "
            "columns."
        )
    return names


def _checked_protected(
    df: pd.DataFrame, protected: str | Sequence[str], features: Sequence[str]
) -> list[str]:
    names = _listed(protected)
    check_protected(names)
    for column in names:
        _check_known(df, column, "protected attribute")
        if column in features:
            raise two_roles(column)
    return names


def check_protected(names: Sequence[str]) -> None:
    """Refuse none, too many, and one that is named twice."""
    if not 1 <= len(names) <= MAX_PROTECTED or len(set(names)) < len(names):
        raise DataError(
            f"The protected attribute is given as {list(names)}; wanted the name of one column, or "
            f"of up to {MAX_PROTECTED} different ones for their intersections."
        )


def two_roles(column: str) -> DataError:
    """For a column that is to be both."""
    return DataError(
        f"Column {column!r} is both a feature and the protected attribute; wanted it in one place: "
        "take it out of the features, or choose another protected attribute."
    )


def _weighed(
    df: pd.DataFrame, column: str, used: Sequence[str]
) -> tuple[pd.DataFrame, Floats, list[str]]:
    """The rows that count, their weights (n,), and sentences about them."""
    column = str(column)
    _check_known(df, column, "weights")
    if column in used:
        raise DataError(
            f"Column {column!r} is to hold the weights and is a feature or the protected attribute "
            "as well; wanted it in one place."
        )
    read = read_feature(df[column], column, as_category=False)
    if isinstance(read, Levels):
        raise DataError(
            f"Column {column!r} is to hold the weights and has texts such as {read.names[0]!r}; "
            "wanted a number in every row."
        )
    empty = np.flatnonzero(read.missing)
    if len(empty):
        raise DataError(
            f"Column {column!r} is to hold the weights and has no value in {len(empty):,} of "
            f"{len(df):,} rows, the first in row {empty[0] + 1:,}; wanted a number in every row: "
            "fill it in or leave such rows out."
        )
    wrong = np.flatnonzero(~(np.isfinite(read.values) & (read.values >= 0.0)))
    if len(wrong):
        raise DataError(
            f"Column {column!r} is to hold the weights and has the value "
            f"{read.values[wrong[0]]:g} in row {wrong[0] + 1:,}; wanted finite numbers of at least "
            "0."
        )
    counted = read.values > 0.0
    if not counted.any():
        raise DataError(
            f"The weights in column {column!r} add up to 0; wanted rows that stand for somebody."
        )
    weights = check_weights(read.values[counted], int(counted.sum()), f"weights in {column!r}")
    notes = [
        f"Every row counts by its weight in {column!r}: {weights.sum():,.10g} in all; means and "
        "deviations are weighted."
    ]
    if weights.mean() < SMALL_WEIGHT:
        notes.append(
            f"A row weighs {weights.mean():.3g} on average and a point of V weighs 1, as much as "
            f"{1.0 / weights.mean():,.3g} rows: multiply the weights if that is not meant."
        )
    if not counted.all():
        notes.append(f"{int((~counted).sum()):,} rows of weight 0 left out.")
    return df[counted], weights, notes


def _check_known(df: pd.DataFrame, column: str, role: str) -> None:
    if column in df.columns:
        return
    hint = did_you_mean(column, df.columns)
    shown = ", ".join(df.columns[:10]) + (", …" if len(df.columns) > 10 else "")
    raise DataError(
        f"There is no column {column!r} to use as {role}{hint}; wanted one of the table's columns: "
        f"{shown or 'it has none'}."
    )


def _check_values(column: Numbers | Levels, rows: int) -> None:
    if column.missing.all():
        raise DataError(
            f"Column {column.name!r} has no value in any of the {rows:,} rows; leave it out of the "
            "features."
        )
    if isinstance(column, Numbers):
        infinite = np.flatnonzero(np.isinf(column.values))
        if len(infinite):
            raise DataError(
                f"Column {column.name!r} holds {len(infinite):,} values that are not finite, the "
                f"first in row {infinite[0] + 1:,}; wanted finite numbers: correct them or leave "
                "them empty."
            )


def _complete(
    columns: Sequence[Numbers | Levels], protected: Sequence[Levels], policy: str
) -> np.ndarray:
    """The rows that stay, (n,) bool: those with a group and, where gaps are not filled, no gap."""
    needed = [*protected, *([] if policy == "impute" else columns)]
    return ~np.logical_or.reduce([column.missing for column in needed])


def _reasons(kept: np.ndarray, needed: Sequence[Numbers | Levels]) -> list[str]:
    """Why each row that does not stay goes, in order."""
    gaps = np.column_stack([column.missing[~kept] for column in needed])
    kinds, which = np.unique(gaps, axis=0, return_inverse=True)
    names = np.array([column.name for column in needed], dtype=object)
    said = [f"no value in {', '.join(names[kind])}" for kind in kinds]
    return [said[place] for place in which.ravel()]


def _without_missing(
    columns: list[Numbers | Levels],
    protected: list[Levels],
    weights: Floats | None,
    policy: str,
    keep: np.ndarray,
) -> tuple[list[Numbers | Levels], list[Levels], Floats | None, list[str]]:
    """The columns without missing values, and sentences that count what was done about them."""
    notes, rows = [], len(keep)
    holes = [*([] if policy == "impute" else columns), *protected]
    if not keep.all():
        counted = ", ".join(
            f"{column.name} {int(column.missing.sum()):,}"
            for column in holes
            if column.missing.any()
        )
        if not keep.any():
            raise DataError(
                f"Every one of the {rows:,} rows lacks a value (missing per column: {counted}); "
                "leave out the emptiest columns, or fill in missing values with missing='impute'."
            )
        notes.append(
            f"{int((~keep).sum()):,} of {rows:,} rows left out because a value is missing "
            f"(missing per column: {counted})."
        )
    if weights is not None:
        weights = weights[keep]
    kept: list[Numbers | Levels] = []
    for column in columns:
        column = column.take(keep)
        if column.missing.all():
            raise DataError(
                f"Column {column.name!r} has no value in any row with a known protected attribute; "
                "leave it out of the features."
            )
        if column.missing.any():
            count = int(column.missing.sum())
            column, words = column.imputed(weights)
            notes.append(f"{count:,} missing values of {column.name!r} filled in by {words}.")
        kept.append(column)
    return kept, [column.take(keep) for column in protected], weights, notes


def _check_levels(column: Numbers | Levels) -> None:
    if isinstance(column, Levels):
        if len(column.names) > MAX_LEVELS:
            shown = ", ".join(repr(level) for level in column.names[:3])
            raise DataError(
                f"Column {column.name!r} has {len(column.names):,} different texts ({shown}, …); "
                f"wanted numbers, or at most {MAX_LEVELS} categories: group rare ones together, "
                "write numbers with a decimal point and nothing else, or leave it out."
            )
        if len(column.names) == 1:
            raise constant(column.name, repr(column.names[0]))
        return
    low, high = float(column.values.min()), float(column.values.max())
    # A spread within rounding error is no spread: standardising it would blow up noise.
    if high - low <= 8 * np.finfo(np.float64).eps * max(abs(low), abs(high)):
        raise constant(column.name, f"{low:g}")
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        spread = float(column.values.std())
    if not np.isfinite(spread) or spread < np.finfo(np.float64).tiny:
        raise DataError(
            f"Column {column.name!r} ranges from {low:g} to {high:g}, which cannot be "
            "standardised; wanted numbers of ordinary size: choose another unit."
        )


def constant(name: str, value: str) -> DataError:
    """For a column that cannot be standardised."""
    return DataError(
        f"Column {name!r} has the same value, {value}, in every row used; wanted one that varies: "
        "leave it out of the features."
    )


def _groups(columns: list[Levels], join_below: int) -> tuple[Ints, tuple[str, ...]]:
    """Group codes (n,) and names; for several columns the intersections that occur."""
    groups = crossed(columns).take(slice(None)).joined(join_below)
    what, names, codes = groups.name, groups.names, groups.codes
    several = len(columns) > 1
    fewer = "take fewer protected columns, or " if several else ""
    counts = np.bincount(codes)
    if len(names) == 1:
        raise DataError(
            f"Column {what!r} has one group only ({names[0]}, {counts[0]:,} rows); wanted at least "
            "two groups to compare: choose another protected attribute."
        )
    if len(names) > MAX_GROUPS:
        raise DataError(
            f"Column {what!r} has {len(names):,} different values; wanted at most {MAX_GROUPS} "
            f"groups: {fewer}join small ones with join_below or values into broader groups first."
        )
    small = [f"{names[i]} ({counts[i]})" for i in np.flatnonzero(counts < MIN_GROUP)]
    if small:
        raise DataError(
            f"Column {what!r} has groups of fewer than {MIN_GROUP} rows: {', '.join(small)}; "
            f"wanted more rows of each: {fewer}join them with join_below or with another group, or "
            "leave their rows out."
        )
    return codes.astype(np.int64), names


def _check_width(width: int, rows: int) -> None:
    if width > MAX_FEATURES:
        raise DataError(
            f"The columns give {width:,} features after encoding (one per category level); wanted "
            f"at most {MAX_FEATURES}: leave out columns or join rare levels."
        )
    if width * rows > MAX_CELLS:
        raise DataError(
            f"The table has {rows:,} rows by {width:,} features after encoding; wanted at most "
            f"{MAX_CELLS:,} numbers in all: take a sample of the rows or fewer columns."
        )


def _standardised(
    column: Numbers | Levels, weights: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Points (n, w), shift (w,) and scale (w,) of one column."""
    if isinstance(column, Numbers):
        values = column.values[:, None]
        shift = np.average(values, axis=0, weights=weights)
        if weights is None:
            scale = values.std(axis=0)
        else:
            scale = np.sqrt(np.average((values - shift) ** 2, axis=0, weights=weights))
    else:
        values = np.eye(len(column.names))[column.codes]
        shift = np.average(values, axis=0, weights=weights)
        scale = np.full(len(shift), np.sqrt((shift * (1.0 - shift)).sum()))
    return (values - shift) / scale, shift, scale


def _labels(column: Numbers | Levels) -> list[str]:
    if isinstance(column, Numbers):
        return [column.name]
    return [f"{column.name} = {level}" for level in column.names]


def _encoding_notes(columns: list[Numbers | Levels]) -> list[str]:
    notes = []
    plain = [c.name for c in columns if isinstance(c, Numbers)]
    coded = [f"{c.name} ({len(c.names)})" for c in columns if isinstance(c, Levels)]
    if plain:
        notes.append(
            f"Standardised to mean 0 and population standard deviation 1: {', '.join(plain)}."
        )
    if coded:
        notes.append(
            "One 0/1 feature per level (number of levels), centred and scaled so that each column "
            f"as a whole has variance 1: {', '.join(coded)}."
        )
    return [*notes, *(column.note for column in columns if column.note)]
