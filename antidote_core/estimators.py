"""Antidote data as estimators of scikit-learn and samplers of imbalanced-learn.

Everything that comes back is in the units of X: centres, V, weights. By default the clustering
is that of X as it is, as KMeans has it, so that nothing standardised can meet raw numbers.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state, estimator_html_repr
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    validate_data,
)

from antidote_core.checks import check_whole
from antidote_core.datasets import dataset_from_arrays
from antidote_core.errors import DataError
from antidote_core.fairness import get_fairness
from antidote_core.geometry import nearest_center
from antidote_core.places import ROWS
from antidote_core.public import Result, plain, run
from antidote_core.types import Floats, Ints


class _Antidote(BaseEstimator):
    """The settings that both have, and the search for V."""

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        fairness: str = "balance",
        target: float | str = -0.8,
        place: str = ROWS,
        optimizer: str = "structured",
        start_size: int = 10,
        step: int = 1,
        growth: str = "extend",
        growth_factor: float | None = 1.5,
        budget: int = 1000,
        max_size: int | None = None,
        max_rounds: int | None = 200,
        max_seconds: float | None = 600.0,
        max_copies: int = 5,
        percentiles: tuple[float, float] = (1.0, 99.0),
        min_share: float | None = None,
        max_price: float | None = 0.10,
        n_init: int = 10,
        standardise: bool = False,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.fairness = fairness
        self.target = target
        self.place = place
        self.optimizer = optimizer
        self.start_size = start_size
        self.step = step
        self.growth = growth
        self.growth_factor = growth_factor
        self.budget = budget
        self.max_size = max_size
        self.max_rounds = max_rounds
        self.max_seconds = max_seconds
        self.max_copies = max_copies
        self.percentiles = percentiles
        self.min_share = min_share
        self.max_price = max_price
        self.n_init = n_init
        self.standardise = standardise
        self.random_state = random_state

    def _settings(self) -> dict[str, Any]:
        """The settings as fields of a RunSpec."""
        given = {name: plain(value) for name, value in self.get_params(deep=False).items()}
        del given["standardise"]
        seed = given.pop("random_state")
        if isinstance(seed, bool) or not isinstance(seed, int):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        given["percentiles"] = tuple(map(plain, given["percentiles"]))
        k, restarts = given.pop("n_clusters"), given.pop("n_init")
        check_whole("n_clusters", k, 2)
        check_whole("n_init", restarts, 1)
        return {**given, "k": k, "restarts": restarts, "seed": seed}

    def _search(self, X: Any, sensitive_features: Any, sample_weight: Any) -> Floats:
        """Find V for X, keep what was found, and return X as numbers."""
        if isinstance(sensitive_features, str):
            raise DataError(
                f"sensitive_features is the text {sensitive_features!r}; wanted the group of every "
                f"row, such as sensitive_features=people[{sensitive_features!r}]: a column of X "
                "would be clustered by."
            )
        columns = _columns(X)
        numbers: Floats = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, accept_sparse=False
        )
        n = len(numbers)
        weights = None
        counted = np.arange(n)
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, numbers, dtype=np.float64, ensure_non_negative=True
            )
            counted = np.flatnonzero(weights > 0)
        groups = sensitive_features
        if len(counted) < n and groups is not None:
            groups = _rows_of(groups, counted, n)
        data = dataset_from_arrays(
            pd.DataFrame(numbers[counted], columns=self._names(columns)),
            groups,
            sample_weight=None if weights is None else weights[counted],
            standardise=self.standardise,
            name="own",
        )
        result = run(data, progress=False, **self._settings())
        assert result.answer is not None
        self.result_: Result = result
        self.cost_, self.vanilla_cost_ = result.cost, result.vanilla_cost
        self.verification_ = result.verification
        self._shift, self._scale = data.shift, data.scale
        self._centers = result.answer.centers
        rows = result.answer.rows
        if not result.size:
            rows = np.empty(0, dtype=np.int64)
        self._rows: Ints | None = None if rows is None else counted[rows]
        if self._rows is None:
            made = result.antidote * data.scale + data.shift
        else:
            made = numbers[self._rows]
        self.antidote_ = self._as_came(X, made)
        self.sample_weight_ = None
        if self._rows is not None:
            own = np.ones(n) if weights is None else weights
            self.sample_weight_ = own + np.bincount(self._rows, minlength=n)
        return numbers

    def _names(self, columns: list[str] | None) -> list[str]:
        return columns or [f"x{i}" for i in range(self.n_features_in_)]

    def _as_came(self, X: Any, made: Floats) -> Any:
        """V as a table of the kind that X is: rows of X itself where they are copies."""
        if not isinstance(X, pd.DataFrame):
            return made
        if self._rows is not None:
            return X.iloc[self._rows].reset_index(drop=True)
        return pd.DataFrame(made, columns=X.columns)

    def _html_repr(self) -> str:
        """As scikit-learn shows it, and the verdict once it is fitted."""
        shown: str = estimator_html_repr(self)
        return shown + (self.result_._repr_html_() if hasattr(self, "result_") else "")


class AntidoteKMeans(ClusterMixin, _Antidote):
    """k-means that is fair to the groups of X, because some rows weigh more.

    Copies of few rows of X (or, with another `place`, made-up points) are added until k-means of
    all of them reaches the `target` cost on X alone; see RunSpec for the settings, `n_init` are
    its restarts. `standardise=True` clusters in standard deviations of every feature, as
    KMeans after StandardScaler would; centres, V and X stay in the units of X. Whether the
    target was reached and confirmed stands in `result_.verdict`.

    Fitted: `labels_` (n,), `cluster_centers_` (k, d), `antidote_` (m, d), `sample_weight_` (n,)
    with which KMeans of X does the same (None where V is made up), `cost_`, `vanilla_cost_`,
    `verification_`, `result_`, `n_features_in_`, `feature_names_in_`.

    >>> from antidote_core import load_dataset
    >>> data = load_dataset("two-optima")
    >>> model = AntidoteKMeans(2, target=-0.9).fit(data.points, sensitive_features=data.groups)
    >>> model.cost_ <= -0.9 < model.vanilla_cost_, model.cluster_centers_.shape
    (True, (2, 2))
    """

    # scikit-learn reads these: what GridSearchCV hands on, once routing is enabled.
    __metadata_request__fit: ClassVar = {"sensitive_features": True, "sample_weight": True}
    __metadata_request__score: ClassVar = {"sensitive_features": True, "sample_weight": True}

    def fit(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> Self:
        """Find V and cluster X with it.

        `sensitive_features` (n,) is the group of every row, or a table whose columns' intersections
        are the groups; `y` is not used.
        """
        numbers = self._search(X, sensitive_features, sample_weight)
        self.cluster_centers_ = self._centers * self._scale + self._shift
        self.labels_ = self._nearest(numbers)
        return self

    def predict(self, X: Any) -> Ints:
        """The cluster of every row of X: that of the nearest centre, as in `fit`."""
        check_is_fitted(self)
        return self._nearest(validate_data(self, X, reset=False, dtype=np.float64))

    def score(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None
    ) -> float:
        """Minus the fairness cost of the clusters of X: larger is fairer."""
        check_is_fitted(self)
        numbers = validate_data(self, X, reset=False, dtype=np.float64)
        data = dataset_from_arrays(
            numbers, sensitive_features, sample_weight=sample_weight, standardise=False
        )
        points = (numbers - self._shift) / self._scale
        cost = get_fairness(self.fairness)
        return -cost.of_centers(self._centers, points, data.groups, data.weights)

    def _nearest(self, numbers: Floats) -> Ints:
        labels, _ = nearest_center((numbers - self._shift) / self._scale, self._centers)
        return labels


class AntidoteSampler(_Antidote):
    """Adds V to X, in the conventions of imbalanced-learn: X first, V last.

    Settings as of AntidoteKMeans. A k-means of the resampled X is fair to the groups of the real
    rows, which are those before V. Fitted: `antidote_mask_` (n + m,) is true for V,
    `sample_indices_` (n + m,) says which row of X each row is (None where V is made up), and
    `antidote_`, `sample_weight_`, `cost_`, `vanilla_cost_`, `verification_`, `result_` as there.

    >>> from antidote_core import load_dataset
    >>> data = load_dataset("two-optima")
    >>> sampler = AntidoteSampler(2, target=-0.9)
    >>> X, y = sampler.fit_resample(data.points, sensitive_features=data.groups)
    >>> len(X) == len(data.points) + int(sampler.antidote_mask_.sum()), y is None
    (True, True)
    """

    __metadata_request__fit: ClassVar = {"sensitive_features": True}
    __metadata_request__fit_resample: ClassVar = {"sensitive_features": True}
    _estimator_type = "sampler"

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None) -> Self:
        """Find V."""
        self._search(X, sensitive_features, None)
        n, m = _num_samples(X), self.result_.size
        self.antidote_mask_ = np.arange(n + m) >= n
        self.sample_indices_ = None
        if self._rows is not None:
            self.sample_indices_ = np.concatenate([np.arange(n), self._rows])
        return self

    def fit_resample(
        self, X: Any, y: Any = None, *, sensitive_features: Any = None
    ) -> tuple[Any, Any]:
        """X with V last, and y with the values of the rows that were copied; None stays None."""
        self.fit(X, y, sensitive_features=sensitive_features)
        rows = self.sample_indices_
        if y is not None and rows is None:
            raise DataError(
                f"place={self.place!r} makes points up, and nobody knows their y; wanted "
                "place='rows', or no y."
            )
        if y is not None:
            y = y.iloc[rows] if hasattr(y, "iloc") else np.asarray(y)[rows]
            y = y.reset_index(drop=True) if hasattr(y, "reset_index") else y
        if isinstance(X, pd.DataFrame):
            if rows is not None:
                return X.iloc[rows].reset_index(drop=True), y
            return pd.concat([X, self.antidote_], ignore_index=True), y
        real = np.asarray(X)
        return (np.vstack([real, self.antidote_]) if rows is None else real[rows]), y


def _columns(X: Any) -> list[str] | None:
    return [str(c) for c in X.columns] if isinstance(X, pd.DataFrame) else None


def _rows_of(given: Any, rows: Ints, n: int) -> Any:
    """Those rows of a Series, a table or anything like an array."""
    if _num_samples(given) != n:
        return given  # the sentence about the lengths comes where groups are read
    return given.iloc[rows] if hasattr(given, "iloc") else np.asarray(given)[rows]
