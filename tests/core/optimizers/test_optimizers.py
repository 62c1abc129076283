"""Every optimizer keeps one protocol, with and without SRE; and ZOOpt's traps stay shut."""

import multiprocessing
import random
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import antidote_core as ac
from antidote_core.errors import SpecError
from antidote_core.optimizers import OPTIMIZERS, get_optimizer
from antidote_core.optimizers.protocol import Box, Evaluator
from antidote_core.optimizers.racos import racos, sracos
from antidote_core.optimizers.sre import sre

BLACK_BOXES = {name: entry.minimise for name, entry in OPTIMIZERS.items() if entry.minimise}
WITH_SRE = {f"sre-{name}": sre(minimise, embed_dim=2) for name, minimise in BLACK_BOXES.items()}
ALL = {**BLACK_BOXES, **WITH_SRE}

every = pytest.mark.parametrize("minimise", ALL.values(), ids=ALL)


def rng(seed=0):
    return np.random.default_rng(seed)


def cube(dim, half=1.0):
    return Box(np.full(dim, -half), np.full(dim, half))


def sphere(x):
    return float(((x - 0.3) ** 2).sum())


class Trace:
    """f with a memory."""

    def __init__(self, f=sphere):
        self.f = f
        self.points = []
        self.values = []

    def __call__(self, x):
        self.points.append(x.copy())
        self.values.append(self.f(x))
        return self.values[-1]


# The protocol


@st.composite
def boxes(draw):
    dim = draw(st.integers(1, 6))
    number = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, -1e307, 1e-300])
    lower = np.array(draw(st.lists(number, min_size=dim, max_size=dim)))
    width = st.sampled_from([0.0, 5e-324, 1e-12, 1.0, 1e9, 1e307]) | st.floats(0, 10)
    return Box(lower, lower + np.array(draw(st.lists(width, min_size=dim, max_size=dim))))


@every
@settings(max_examples=30, deadline=None)
@given(box=boxes(), budget=st.integers(1, 30), seed=st.integers(0, 3), starts=st.integers(0, 3))
def test_stays_in_the_box_and_the_budget(minimise, box, budget, seed, starts):
    def height(x):
        assert x.shape == (box.dim,)
        assert x.dtype == np.float64
        assert np.all(box.lower <= x)
        assert np.all(x <= box.upper)
        return float(np.tanh(x).sum())

    f = Trace(height)
    start = rng(seed).standard_normal((starts, box.dim)) * 1e8
    found = minimise(f, box, budget, rng(seed), start=start)
    assert found.evaluations == len(f.values) <= budget
    assert found.value == min(f.values) == height(found.x)
    if np.any(box.width > 0):
        assert found.evaluations == budget
    else:
        assert found.evaluations == max(1, min(starts, budget))


@pytest.mark.parametrize("budget", [1, 2, 3, 4, 5, 13, 50, 51, 101, 1003])
@every
def test_uses_the_budget_exactly(minimise, budget):
    f = Trace()
    found = minimise(f, cube(4), budget, rng())
    assert found.evaluations == len(f.values) == budget
    assert not found.cancelled


@every
def test_converged_long_ago_still_uses_its_budget(minimise):
    f = Trace(lambda x: abs(x[0]))
    assert minimise(f, cube(1), 1500, rng()).evaluations == len(f.values) == 1500
    assert min(f.values) < 1e-3


@pytest.mark.parametrize("after", [0, 1, 2, 7, 40])
@every
def test_cancel_ends_within_one_evaluation(minimise, after):
    f = Trace()
    found = minimise(f, cube(5), 100, rng(), cancel=lambda: len(f.values) >= after)
    assert found.evaluations == len(f.values) == after
    assert found.cancelled
    if after:
        assert found.value == min(f.values) == sphere(found.x)
    else:
        assert found.value == np.inf
        assert found.x.shape == (5,)


@every
def test_cancel_is_asked_once_before_every_evaluation(minimise):
    asked = []
    minimise(sphere, cube(5), 30, rng(), cancel=lambda: bool(asked.append(1)))
    assert len(asked) == 30


@every
@pytest.mark.parametrize("dim", [3, 30])
def test_same_seed_same_trace_and_other_seed_another(minimise, dim):
    def trace(seed):
        f = Trace()
        minimise(f, cube(dim), 120, rng(seed))
        return np.array(f.points)

    traces = [trace(seed) for seed in (0, 1, 2)]
    for seed, points in enumerate(traces):
        assert np.array_equal(points, trace(seed))
    if minimise is not OPTIMIZERS["imgpo"].minimise:  # it draws nothing
        assert not any(np.array_equal(traces[i], traces[i - 1]) for i in range(3))


@every
def test_global_random_state_is_untouched_also_inside_f(minimise):
    np.random.standard_normal()  # noqa: NPY002 - leaves half a pair behind, part of the state

    def state():
        kind, keys, *rest = np.random.get_state()  # noqa: NPY002 - what must not change
        return kind, keys.tobytes(), rest, random.getstate()

    before = state()
    states = []
    minimise(Trace(lambda x: float(states.append(state()) or x[0])), cube(3), 60, rng())
    assert len(states) == 60
    assert all(then == before for then in [*states, state()])


@every
def test_f_may_use_and_reset_the_global_random_state(minimise):
    def f(x):
        np.random.seed(0)  # noqa: NPY002 - what a rude function might do
        random.seed(0)
        return sphere(x)

    kept, kept_too = np.random.get_state(), random.getstate()  # noqa: NPY002
    rude = minimise(f, cube(6), 80, rng(4))
    np.random.set_state(kept)  # noqa: NPY002
    random.setstate(kept_too)
    assert np.array_equal(rude.x, minimise(sphere, cube(6), 80, rng(4)).x)


@every
def test_says_nothing(minimise, capfd):
    minimise(sphere, cube(4), 60, rng(), start=[np.zeros(4), np.ones(4)])
    assert capfd.readouterr() == ("", "")


@every
def test_f_may_speak(minimise, capfd):
    minimise(lambda x: print("here") or 0.0, cube(4), 6, rng())
    assert capfd.readouterr().out == "here\n" * 6


@every
def test_on_eval_hears_of_every_evaluation(minimise):
    f = Trace()
    heard = []
    minimise(f, cube(5), 70, rng(), on_eval=lambda *words: heard.append(words))
    counts, values, points, best = zip(*heard, strict=True)
    assert counts == tuple(range(1, 71))
    assert list(values) == f.values
    assert np.array_equal(points, f.points)
    assert list(best) == list(np.minimum.accumulate(f.values))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@every
def test_values_that_are_not_finite_are_the_worst(minimise, bad):
    def f(x):
        return bad if x[0] > -0.2 else sphere(x)

    heard = []
    found = minimise(f, cube(3), 150, rng(1), on_eval=lambda n, value, *_: heard.append(value))
    assert np.isfinite(found.value)
    assert found.x[0] <= -0.2
    assert found.value == min(heard)
    assert not np.isnan(heard).any()
    assert -np.inf not in heard

    for dim in (2, 30):
        nothing = minimise(lambda x: bad, cube(dim), 300, rng(), start=np.ones(dim))
        assert (nothing.value, nothing.evaluations) == (np.inf, 300)
        assert np.array_equal(nothing.x, np.ones(dim))


@every
def test_an_error_of_f_comes_through_and_leaves_nothing_behind(minimise):
    def f(x):
        if len(before.values) == 20:
            raise ZeroDivisionError("mine")
        return before(x)

    expected = minimise(sphere, cube(4), 50, rng()).value
    before = Trace()
    with pytest.raises(ZeroDivisionError, match="mine"):
        minimise(f, cube(4), 50, rng())
    assert minimise(sphere, cube(4), 50, rng()).value == expected


@pytest.mark.parametrize("count", [1, 3, 40])
@every
def test_starts_come_first_and_are_never_lost(minimise, count):
    box = cube(6, half=2.0)
    starts = rng(9).uniform(-3, 3, (count, 6))
    f = Trace()
    found = minimise(f, box, 60, rng(), start=starts)
    assert np.array_equal(f.points[:count], box.clip(starts))
    assert found.value <= min(f.values[:count])
    few = Trace()
    minimise(few, box, 2, rng(), start=starts)
    assert np.array_equal(few.points[: min(count, 2)], box.clip(starts[:2]))


@pytest.mark.parametrize("name", [name for name in ALL if "random" not in name and name != "imgpo"])
def test_the_search_goes_on_around_the_best_start(name):
    """Random search and IMGPO have no neighbourhood: they draw from, or divide, the whole box."""
    best = rng().choice([-0.9, 0.9], 40)

    def share_nearby(start):
        f = Trace(lambda x: 1.0 - np.array_equal(x, best))  # nothing but the start leads there
        ALL[name](f, cube(40), 250, rng(), start=start)
        distances = np.linalg.norm(np.array(f.points[2:]) - best, axis=1)
        return np.mean(distances < np.linalg.norm(cube(40).width) / 3)

    assert share_nearby([np.zeros(40), best]) > 0.3
    assert share_nearby(None) == 0


@pytest.mark.parametrize("corner", [-1.0, 1.0])
@every
def test_equal_starts_at_a_corner_do_no_harm(minimise, corner):
    starts = np.full((5, 3), corner)
    assert minimise(sphere, cube(3), 60, rng(), start=starts).evaluations == 60


@every
def test_a_box_of_one_point_is_evaluated_once(minimise):
    found = minimise(sphere, Box([1.0, 2.0], [1.0, 2.0]), 50, rng())
    assert found.evaluations == 1
    assert np.array_equal(found.x, [1.0, 2.0])


@pytest.mark.parametrize(
    ("dim", "budget"), [pytest.param(10, 300, id="10-dim"), pytest.param(230, 500, id="230-dim")]
)
@pytest.mark.parametrize("name", [name for name in BLACK_BOXES if name != "random"])
@pytest.mark.parametrize("embed", [None, 20], ids=["plain", "sre"])
def test_beats_random_search(name, embed, dim, budget):
    center = rng(7).uniform(-2, 1, dim)
    box = Box(np.full(dim, -5.0), np.full(dim, 3.0))

    def typical(minimise):
        return np.median(
            [
                minimise(lambda x: float(((x - center) ** 2).sum()), box, budget, rng(seed)).value
                for seed in range(3)
            ]
        )

    minimise = BLACK_BOXES[name]
    ours = typical(minimise if embed is None else sre(minimise, embed))
    assert ours < 0.75 * typical(BLACK_BOXES["random"])


@every
def test_scale_of_the_box_does_not_matter(minimise):
    small, large = cube(5), cube(5, half=2.0**40)
    values = Trace(), Trace(lambda x: sphere(x / 2.0**40))
    minimise(values[0], small, 100, rng())
    minimise(values[1], large, 100, rng())
    assert values[0].values == values[1].values


@every
def test_the_widest_box_does_not_overflow(minimise):
    box = cube(3, half=8e307)
    for sign in (-1, 1):
        found = minimise(lambda x, sign=sign: float((sign * x / 8e307).sum()), box, 200, rng())
        assert np.isfinite(found.x).all()
        assert found.value < -1


# White boxes: the same protocol around a problem


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name not in BLACK_BOXES])
def test_white_boxes_keep_the_protocol(name, capfd):
    problem = ac.Problem(ac.load_dataset("blobs"), fairness="social", k=2, restarts=2)
    lower, upper = problem.points.min(axis=0), problem.points.max(axis=0)
    box = Box(np.tile(lower, 3), np.tile(upper, 3))
    minimise = OPTIMIZERS[name].minimiser(problem, 3, 100)

    def run(budget, seed=0, **options):
        f = Trace(lambda x: problem.evaluate(x.reshape(3, -1)))
        found = minimise(f, box, budget, rng(seed), **options)
        assert found.evaluations == len(f.values)
        assert np.array_equal(box.clip(np.array(f.points)), f.points)
        return found, f

    for budget in (1, 2, 3, 60):
        assert run(budget)[0].evaluations == budget
    found, f = run(90)
    assert np.array_equal(f.points, run(90)[1].points)
    assert found.value == min(f.values) < problem.vanilla.cost
    start = np.tile(upper, 3)
    assert np.array_equal(run(5, start=start)[1].points[0], start)
    calls = []
    stopped = run(90, cancel=lambda: bool(calls.append(1)) or len(calls) > 10)[0]
    assert (stopped.evaluations, stopped.cancelled) == (10, True)
    assert capfd.readouterr() == ("", "")


# CMA-ES


def test_cmaes_restarts_elsewhere_when_it_has_converged():
    def two_funnels(x):
        return min(0.5 + float(x @ x), 6 * float(((x - 0.75) ** 2).sum()))

    heard = []
    BLACK_BOXES["cmaes"](
        two_funnels, cube(2), 4000, rng(), on_eval=lambda count, value, x, best: heard.append(best)
    )
    assert heard[400] == pytest.approx(0.5)  # the wide funnel in the middle
    assert heard[-1] < 1e-6


# SRE


def test_sre_without_need_runs_the_optimizer_itself():
    box = Box(np.zeros(5), [1, 1, 0, 1, 0])  # three coordinates can move
    for name, minimise in BLACK_BOXES.items():
        plain, whole, embedded = Trace(), Trace(), Trace()
        minimise(plain, box, 40, rng())
        sre(minimise, embed_dim=3)(whole, box, 40, rng())
        sre(minimise, embed_dim=2)(embedded, box, 40, rng())
        assert np.array_equal(plain.points, whole.points), name
        assert not np.array_equal(plain.points, embedded.points), name


def test_sre_moves_in_few_directions_and_carries_the_best():
    f = Trace()
    sre(BLACK_BOXES["random"], embed_dim=3, rounds=4)(f, cube(40, half=100.0), 40, rng())
    points = np.array(f.points)
    # 100 half widths wide, some coordinates of a point are clipped; those between are not.
    first = points[:10][:, np.all(np.abs(points[:10]) < 100, axis=0)]
    assert np.linalg.matrix_rank(first) == 3
    for begin in (10, 20, 30):
        best = points[np.argmin(f.values[:begin])]
        np.testing.assert_allclose(points[begin], best, rtol=0, atol=1e-10)


def test_sre_reaches_where_few_coordinates_matter():
    def f(x):
        return float((x[3] - 30) ** 2 + (x[700] + 50) ** 2)

    box = cube(1000, half=100.0)
    for name in ("racos", "sracos"):
        plain = np.median([BLACK_BOXES[name](f, box, 300, rng(s)).value for s in range(3)])
        embedded = sre(BLACK_BOXES[name], embed_dim=5)
        assert np.median([embedded(f, box, 300, rng(s)).value for s in range(3)]) < plain / 10


@pytest.mark.parametrize("bad", [0, -1, 2.5, None, True])
def test_sre_names_a_bad_setting(bad):
    with pytest.raises(SpecError, match=r"embed_dim .n′. must be a whole number of at least 1"):
        sre(racos, embed_dim=bad)
    with pytest.raises(SpecError, match="rounds must be a whole number"):
        sre(racos, embed_dim=2, rounds=bad)


# Bad input


@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        ([], [], "box is empty: it needs at least one coordinate"),
        ([0, 2], [1, 1], "box is empty: .* coordinate 1 goes from 2 to 1"),
        ([0], [np.inf], "box must be finite; coordinate 0 goes from 0 to inf"),
        ([np.nan], [0], "box must be finite; coordinate 0 goes from nan to 0"),
        ([-1.5e308], [1.5e308], "box must be finite"),
        ([0, 0], [1], "same length; got 2 and 1"),
        (0, 1, "lower must have one number per coordinate"),
        (["a"], [1], "lower must be a list of numbers"),
    ],
)
def test_bad_boxes_get_a_sentence(lower, upper, sentence):
    with pytest.raises(SpecError, match=sentence):
        Box(lower, upper)


def test_a_box_keeps_its_own_bounds():
    lower = np.zeros(2)
    box = Box(lower, [1, 1])
    lower[0] = 5
    assert box.lower[0] == 0
    with pytest.raises(ValueError, match="read-only"):
        box.lower[0] = 5


@every
def test_bad_budgets_and_starts_get_a_sentence(minimise):
    for budget in (0, -3, 2.5, True, None):
        with pytest.raises(SpecError, match="budget must be a whole number of at least 1"):
            minimise(sphere, cube(3), budget, rng())
    for start, sentence in [
        (np.zeros(2), "points of 3 coordinates"),
        (np.zeros((1, 1, 3)), "points of 3 coordinates"),
        ([[np.nan, 0, 0]], "missing values"),
        ([[0, 0, 0], [0]], "all of the same length"),
    ]:
        with pytest.raises(SpecError, match=sentence):
            minimise(sphere, cube(3), 5, rng(), start=start)
    assert minimise(sphere, cube(3), np.int64(5), rng(), start=[]).evaluations == 5


def test_registry_names_and_sentences():
    assert {"racos", "sracos", "cmaes", "random"} <= set(BLACK_BOXES)
    for entry in OPTIMIZERS.values():
        assert entry.title
        assert entry.sentence.endswith(".")
    with pytest.raises(SpecError, match=r"optimizer must be one of .*'racos'.*; got 'rakos'"):
        get_optimizer("rakos")


def test_import_loads_no_optimizer_package():
    code = "import sys, antidote_core.optimizers; print({'zoopt', 'cmaes'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_an_inner_evaluator_lets_the_stop_of_the_outer_pass():
    with Evaluator(sphere, cube(2), budget=3) as outer:
        with Evaluator(outer, cube(2), budget=10) as inner:
            while True:
                inner(np.zeros(2))
        raise AssertionError("the outer stop was swallowed")
    assert (outer.count, inner.count) == (3, 3)


# ZOOpt's traps: what each of them would break


def plain_zoopt(seed, sequential, budget=300, dim=10):
    """ZOOpt as it comes: the value it reaches on the sphere, from NumPy's global state."""
    from zoopt import Dimension, Objective, Opt, Parameter

    space = Dimension(dim, [[-1.0, 1.0]] * dim, [True] * dim)
    parameter = Parameter(budget=budget, sequential=sequential, seed=seed)
    kept = np.random.get_state()  # noqa: NPY002
    found = Opt.min(Objective(lambda s: sphere(np.array(s.get_x())), space), parameter)
    np.random.set_state(kept)  # noqa: NPY002
    return found.get_value()


@pytest.mark.parametrize(
    ("ours", "sequential"), [(racos, False), (sracos, True)], ids=["racos", "sracos"]
)
def test_search_is_as_good_as_plain_zoopt(ours, sequential, capfd):
    theirs = [plain_zoopt(seed, sequential) for seed in range(1, 16)]
    values = [ours(sphere, cube(10), 300, rng(seed)).value for seed in range(15)]
    assert 0.5 < np.median(values) / np.median(theirs) < 2
    assert "[zoopt] value" in capfd.readouterr().out  # outside our searches it speaks as before


def test_racos_works_in_batches_and_sracos_one_by_one():
    # With a budget of 300 ZOOpt begins with 12 points and keeps 2 good ones; RACOS then takes 10
    # samples around those, whatever their values; SRACOS moves on at once.
    def parents(minimise):
        f = Trace()
        minimise(f, cube(10), 300, rng(5))
        points = np.array(f.points)[:22]
        changed = [(points[i] != points[:i]).sum(axis=1) for i in range(12, 22)]
        return [int(np.flatnonzero(row == 1)[0]) for row in changed if (row == 1).any()]

    assert all(parent < 12 for parent in parents(racos))
    assert any(parent >= 12 for parent in parents(sracos))


def test_plain_zoopt_is_the_same_before_and_after():
    before = plain_zoopt(3, sequential=False)
    racos(sphere, cube(7), 50, rng())
    sracos(sphere, cube(7), 50, rng(), cancel=lambda: True)
    assert plain_zoopt(3, sequential=False) == before


@pytest.mark.parametrize("minimise", [racos, sracos])
def test_other_uses_of_zoopt_do_not_disturb(minimise):
    from zoopt import Dimension2, ValueType
    from zoopt.utils.zoo_global import gl

    expected = minimise(sphere, cube(4), 80, rng()).value
    kept = gl.precision, gl.float_precisions
    Dimension2([(ValueType.CONTINUOUS, [0, 1], 0.5)])
    gl.precision = 10.0
    try:
        assert minimise(sphere, cube(4), 80, rng()).value == expected
    finally:
        gl.precision, gl.float_precisions = kept


class Uncopyable(Trace):
    def value(self, x):
        return self(x)

    def __deepcopy__(self, memo):
        raise AssertionError("copied")


@every
def test_bound_methods_are_not_copied(minimise):
    f = Uncopyable()
    minimise(f.value, cube(4), 60, rng())
    assert len(f.values) == 60


@every
def test_searches_in_threads_do_not_mix(minimise):
    expected = [minimise(sphere, cube(12), 150, rng(seed)).value for seed in range(4)]
    found = [None] * 4

    def work(seed):
        found[seed] = minimise(sphere, cube(12), 150, rng(seed)).value

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


@every
def test_a_search_may_run_inside_another(minimise):
    def f(x):
        return sphere(x) + racos(sphere, cube(2), 15, rng(1)).value

    constant = racos(sphere, cube(2), 15, rng(1)).value
    nested = minimise(f, cube(3), 20, rng())
    alone = minimise(lambda x: sphere(x) + constant, cube(3), 20, rng())
    assert np.array_equal(nested.x, alone.x)


@every
def test_starts_no_processes(minimise):
    minimise(sphere, cube(3), 40, rng())
    assert multiprocessing.active_children() == []
