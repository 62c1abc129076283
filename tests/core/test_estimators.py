"""The estimators against scikit-learn: its own checks, its KMeans, its search and routing."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sklearn
from imblearn.pipeline import make_pipeline as make_resampling_pipeline
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import check_estimator

import antidote_core as ac

QUICK = {"start_size": 2, "max_rounds": 1, "budget": 5, "n_init": 1}
UNITS = np.array([1.0, 250.0]), np.array([40.0, -3_000.0])  # of the two features


@pytest.fixture(scope="module")
def people():
    """Two features in very different units, and two protected columns."""
    data = ac.load_dataset("two-optima")
    scale, shift = UNITS
    X = pd.DataFrame(data.points * scale + shift, columns=["age", "income"])
    X.index = np.arange(len(X)) * 7 + 3
    groups = pd.Series([data.group_names[code] for code in data.groups], name="sex", index=X.index)
    return X, groups


@pytest.fixture(scope="module")
def fitted(people):
    X, groups = people
    model = ac.AntidoteKMeans(2, target=-0.9, standardise=True, budget=200)
    return model.fit(X, sensitive_features=groups)


# -- scikit-learn's own checks ------------------------------------------------------------------

ONE_CLUSTER = "the check sets n_clusters=1; one cluster is as fair as can be, and is refused"
# May fail: the check repeats rows, and nobody repeats the groups that are made up for it here.
# The same is tested below with groups.
WITHOUT_THEIR_GROUPS = {"check_sample_weight_equivalence_on_dense_data"}
EXPECTED = {
    "check_dont_overwrite_parameters": ONE_CLUSTER,
    "check_methods_subset_invariance": ONE_CLUSTER,
    "check_fit2d_1feature": ONE_CLUSTER,
    "check_fit2d_predict1d": ONE_CLUSTER,
}


def every_other(X):
    return np.arange(np.shape(X)[0] if hasattr(X, "shape") else len(np.asarray(X))) % 2


class WithGroups(ac.AntidoteKMeans):
    """Gives every other row another group where scikit-learn's checks give none."""

    def fit(self, X, y=None, *, sensitive_features=None, sample_weight=None):
        groups = every_other(X) if sensitive_features is None else sensitive_features
        return super().fit(X, y, sensitive_features=groups, sample_weight=sample_weight)

    def score(self, X, y=None, *, sensitive_features=None, sample_weight=None):
        groups = every_other(X) if sensitive_features is None else sensitive_features
        return super().score(X, y, sensitive_features=groups, sample_weight=sample_weight)


class SamplerWithGroups(ac.AntidoteSampler):
    def fit(self, X, y=None, *, sensitive_features=None):
        groups = every_other(X) if sensitive_features is None else sensitive_features
        return super().fit(X, y, sensitive_features=groups)


@pytest.mark.filterwarnings("ignore")  # of scikit-learn's checks themselves
@pytest.mark.parametrize("kind", [WithGroups, SamplerWithGroups])
def test_checks_of_scikit_learn_pass(kind):
    done = check_estimator(kind(**QUICK), on_fail=None, on_skip=None)
    failed = {each["check_name"] for each in done if each["status"] == "failed"}
    assert failed - WITHOUT_THEIR_GROUPS == set(EXPECTED), [
        each for each in done if each["status"] == "failed"
    ]
    skipped = {each["check_name"] for each in done if each["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # NumPy only
    passed = {each["check_name"] for each in done if each["status"] == "passed"}
    assert len(passed) >= 35
    page = (Path(__file__).parents[2] / "docs" / "estimators.md").read_text(encoding="utf-8")
    told = page[page.index("## What scikit-learn's checks say") :]
    excepted = set(re.findall(r"^\| `(check_\w+)` \|", told, re.M))
    assert excepted == {*EXPECTED, *WITHOUT_THEIR_GROUPS}
    if f"scikit-learn {sklearn.__version__.rsplit('.', 1)[0]} " in told:  # others have other checks
        both, more = (set(x.split()) for x in re.findall(r"```text\n(.*?)```", told, re.S))
        told_passed = both | more if kind is WithGroups else both
        assert passed - WITHOUT_THEIR_GROUPS == told_passed


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", [ac.AntidoteKMeans, ac.AntidoteSampler])
def test_without_groups_every_failed_check_is_that_sentence(kind):
    done = check_estimator(kind(**QUICK), on_fail=None, on_skip=None)
    for each in done:
        if each["status"] == "failed":
            error, said = each["exception"], ""
            while error is not None:
                said += str(error)
                error = error.__cause__ or error.__context__
            assert "sensitive_features is missing" in said, each["check_name"]


# -- against KMeans -----------------------------------------------------------------------------


def test_weights_give_kmeans_the_same_clusters(people, fitted):
    X, _ = people
    scaled = StandardScaler().fit_transform(X)
    plain = KMeans(2, n_init=20, random_state=1)
    labels = plain.fit(scaled, sample_weight=fitted.sample_weight_).labels_
    assert adjusted_rand_score(labels, fitted.labels_) == 1.0
    assert adjusted_rand_score(plain.fit(scaled).labels_, fitted.labels_) < 1.0


def test_as_it_is_by_default_like_kmeans(people):
    X, groups = people
    raw = X / UNITS[0]  # comparable, not standardised
    model = ac.AntidoteKMeans(2, target=-0.9).fit(raw, sensitive_features=groups)
    assert model.cost_ <= -0.9 < model.vanilla_cost_
    assert (pairwise_distances_argmin(raw, model.cluster_centers_) == model.predict(raw)).all()
    weighted = KMeans(2, n_init=20, random_state=1).fit(raw, sample_weight=model.sample_weight_)
    assert adjusted_rand_score(weighted.labels_, model.labels_) == 1.0
    codes = pd.factorize(groups)[0]
    assert ac.balance_cost(model.cluster_centers_, raw.to_numpy(), codes) == pytest.approx(
        model.cost_
    )


def test_centres_and_v_are_in_the_units_of_x(people, fitted):
    X, _ = people
    low, high = X.min().to_numpy(), X.max().to_numpy()
    assert ((low <= fitted.cluster_centers_) & (fitted.cluster_centers_ <= high)).all()
    assert list(fitted.antidote_.columns) == ["age", "income"]
    rows = {tuple(row) for row in X.to_numpy()}
    assert {tuple(row) for row in fitted.antidote_.to_numpy()} <= rows
    assert len(fitted.antidote_) == fitted.sample_weight_.sum() - len(X) > 0
    # the mean of the rows of every cluster, weighted: standardising back and forth changes nothing
    for cluster, center in enumerate(fitted.cluster_centers_):
        mine = fitted.labels_ == cluster
        mean = np.average(X[mine], axis=0, weights=fitted.sample_weight_[mine])
        assert center == pytest.approx(mean, rel=1e-6)


def test_v_of_the_result_is_not_in_these_units_and_the_estimator_never_hands_it_out(people, fitted):
    X, _ = people
    standardised = fitted.result_.antidote
    assert not np.allclose(standardised, fitted.antidote_.to_numpy())
    original = fitted.result_.data.to_original(standardised)
    key = ["age", "income"]
    ours = fitted.antidote_.sort_values(key).to_numpy()
    assert original.sort_values(key).to_numpy() == pytest.approx(ours)
    union = StandardScaler().fit(X).transform(pd.concat([X, fitted.antidote_]))
    together = KMeans(2, n_init=20, random_state=0).fit(union)
    assert adjusted_rand_score(together.labels_[: len(X)], fitted.labels_) == 1.0


@pytest.mark.parametrize("standardise", [True, False])
def test_made_up_points_come_back_in_units_of_x(people, standardise):
    X, groups = people
    X = X if standardise else X / UNITS[0]
    model = ac.AntidoteKMeans(2, place="minmax", standardise=standardise, budget=60, target=-0.5)
    model.fit(X, sensitive_features=groups)
    assert model.result_.size > 0
    assert model.sample_weight_ is None
    margin = 1e-6 * (X.max() - X.min())
    assert (model.antidote_ >= X.min() - margin).all(axis=None)
    assert (model.antidote_ <= X.max() + margin).all(axis=None)


def test_weights_of_zero_leave_a_row_out_and_whole_ones_repeat_it(people):
    X, groups = people
    weights = np.ones(len(X))
    weights[:5], weights[5:8] = 0.0, 2.0
    model = ac.AntidoteKMeans(2, standardise=True, **QUICK)
    model.fit(X, sensitive_features=groups, sample_weight=weights)
    rows = np.repeat(np.arange(len(X)), weights.astype(int))
    again = clone(model).fit(X.iloc[rows], sensitive_features=groups.iloc[rows])
    assert model.vanilla_cost_ == pytest.approx(again.vanilla_cost_)
    assert model.labels_.shape == (len(X),)
    assert (model.sample_weight_[:5] == 0).all()
    assert (model.sample_weight_ >= weights).all()


# -- conventions --------------------------------------------------------------------------------


def test_numpy_scalars_and_several_sensitive_columns(people):
    X, groups = people
    both = pd.DataFrame({"sex": groups.to_numpy(), "old": np.arange(len(X)) % 2 == 0})
    model = ac.AntidoteKMeans(
        np.int64(2), target=np.float64(-0.5), random_state=np.int32(3), **QUICK
    )
    model.fit(X.to_numpy(), sensitive_features=both)
    assert len(model.result_.groups) == 4
    assert model.result_.asked.seed == 3
    assert isinstance(model.antidote_, np.ndarray)


def test_same_random_state_same_result(people):
    X, groups = people

    def once(state):
        return ac.AntidoteKMeans(2, random_state=state, **QUICK).fit(X, sensitive_features=groups)

    a, b = once(np.random.RandomState(5)), once(np.random.RandomState(5))
    assert (a.sample_weight_ == b.sample_weight_).all()
    assert a.result_.asked == b.result_.asked


def test_names_of_features_and_fit_predict(people, fitted):
    X, groups = people
    assert fitted.n_features_in_ == 2
    assert fitted.feature_names_in_.tolist() == ["age", "income"]
    assert (fitted.predict(X) == fitted.labels_).all()
    labels = clone(fitted).fit_predict(X, sensitive_features=groups)
    assert (labels == fitted.labels_).all()
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(X[["income", "age"]])
    assert fitted.verification_.confirmed


def test_html_has_the_verdict_and_a_picture(people, fitted):
    shown = fitted._repr_html_()
    assert fitted.result_.verdict.outcome.word in shown
    assert "<svg" in shown
    assert "<svg width" not in ac.AntidoteKMeans()._repr_html_()
    assert "AntidoteKMeans" in estimator_html_repr(fitted)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sensitive_features": None}, "sensitive_features is missing"),
        ({"sensitive_features": "sex"}, "wanted the group of every row"),
        ({"sensitive_features": ["f", "m"]}, "wanted one group for every row of X"),
        ({"sensitive_features": ["f"] * 120}, "one group only"),
    ],
)
def test_mistakes_get_a_sentence(people, arguments, words):
    X, _ = people
    with pytest.raises(ac.DataError, match=words):
        ac.AntidoteKMeans().fit(X.iloc[:120], **arguments)


def test_one_cluster_is_refused_by_the_name_of_the_setting(people):
    X, groups = people
    with pytest.raises(ac.SpecError, match="n_clusters must be a whole number of at least 2"):
        ac.AntidoteKMeans(1).fit(X, sensitive_features=groups)


# -- search and pipelines -----------------------------------------------------------------------


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.usefixtures("routing")
def test_grid_search_over_target_and_place(people):
    X, groups = people
    grid = {"target": [-0.5, -0.9], "place": ["rows", "minmax"]}
    model = ac.AntidoteKMeans(2, budget=60, max_rounds=6, standardise=True)
    search = GridSearchCV(model, grid, cv=2, error_score="raise")
    search.fit(X, sensitive_features=groups)
    assert len(search.cv_results_["mean_test_score"]) == 4
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert best.score(X, sensitive_features=groups) == pytest.approx(-best.cost_)


@pytest.mark.usefixtures("routing")
def test_pipeline_after_a_scaler(people, fitted):
    X, groups = people
    pipeline = make_pipeline(StandardScaler(), ac.AntidoteKMeans(2, target=-0.9, budget=200))
    pipeline.fit(X, sensitive_features=groups)
    assert adjusted_rand_score(pipeline.predict(X), fitted.labels_) == 1.0


# -- the sampler --------------------------------------------------------------------------------


def test_sampler_keeps_x_and_puts_v_last(people):
    X, groups = people
    X = X.assign(children=np.int8(2), member=True)  # they change nothing but the types
    sampler = ac.AntidoteSampler(2, target=-0.5, standardise=True, budget=100)
    y = pd.Series(np.arange(len(X)), name="id")
    more, ids = sampler.fit_resample(X, y, sensitive_features=groups)
    n = len(X)
    assert sampler.antidote_mask_.sum() == len(more) - n == sampler.result_.size > 0
    assert not sampler.antidote_mask_[:n].any()
    pd.testing.assert_frame_equal(more.iloc[:n], X.reset_index(drop=True))
    assert (more.dtypes == X.dtypes).all()
    copied = sampler.sample_indices_[n:]
    pd.testing.assert_frame_equal(
        more.iloc[n:].reset_index(drop=True), X.iloc[copied].reset_index(drop=True)
    )
    assert ids.tolist() == sampler.sample_indices_.tolist()


def test_sampler_with_arrays_and_made_up_points(people):
    X, groups = people
    sampler = ac.AntidoteSampler(2, place="minmax", target=-0.5, budget=100, standardise=True)
    more, y = sampler.fit_resample(X.to_numpy(), sensitive_features=groups)
    assert y is None
    assert sampler.sample_indices_ is None
    assert (more[~sampler.antidote_mask_] == X.to_numpy()).all()
    assert (more[sampler.antidote_mask_] == sampler.antidote_).all()
    with pytest.raises(ac.DataError, match="nobody knows their y"):
        sampler.fit_resample(X, groups, sensitive_features=groups)


@pytest.mark.usefixtures("routing")
def test_pipeline_of_imbalanced_learn(people):
    X, groups = people
    scaled = StandardScaler().fit_transform(X)
    sampler = ac.AntidoteSampler(2, target=-0.9, budget=200)
    pipeline = make_resampling_pipeline(sampler, KMeans(2, n_init=20, random_state=0))
    pipeline.fit(scaled, sensitive_features=groups)
    model = ac.AntidoteKMeans(2, target=-0.9, budget=200).fit(scaled, sensitive_features=groups)
    assert adjusted_rand_score(pipeline.predict(scaled), model.labels_) == 1.0
