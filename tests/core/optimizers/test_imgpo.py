"""IMGPO on the functions it was published with; its Gaussian process against scikit-learn's."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from antidote_core.optimizers.imgpo import GaussianProcess, confidence, imgpo
from antidote_core.optimizers.protocol import Box
from antidote_core.optimizers.sre import sre


def rng(seed=0):
    return np.random.default_rng(seed)


def sines(x):
    return -float(np.prod((np.sin(13 * x) * np.sin(27 * x) + 1) / 2))


def branin(x):
    a, b = x
    bend = b - 5.1 / (4 * np.pi**2) * a**2 + 5 / np.pi * a - 6
    return float(bend**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(a) + 10)


def rosenbrock(x):
    return float((100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum())


HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN = {
    3: (
        np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]]),
        np.array([[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]),
    ),
    6: (
        np.array(
            [
                [10, 3, 17, 3.5, 1.7, 8],
                [0.05, 10, 17, 0.1, 8, 14],
                [3, 3.5, 1.7, 10, 17, 8],
                [17, 8, 0.05, 10, 0.1, 14],
            ]
        ),
        np.array(
            [
                [1312, 1696, 5569, 124, 8283, 5886],
                [2329, 4135, 8307, 3736, 1004, 9991],
                [2348, 1451, 3522, 2883, 3047, 6650],
                [4047, 8828, 8732, 5743, 1091, 381],
            ]
        ),
    ),
}


def hartmann(x):
    steep, middle = HARTMANN[len(x)]
    return -float(HEIGHTS @ np.exp(-(steep * (x - middle / 1e4) ** 2).sum(axis=1)))


def shekel(x):
    middle = np.array([[4, 4, 4, 4], [1, 1, 1, 1], [8, 8, 8, 8], [6, 6, 6, 6], [3, 7, 3, 7]])
    width = np.array([0.1, 0.2, 0.2, 0.4, 0.4])
    return -float((1 / (((x - middle) ** 2).sum(axis=1) + width)).sum())


# f, lower, upper, dimension, lowest value (published), evaluations, how near it must come
FUNCTIONS = {
    "sin_1": (sines, 0, 1, 1, -0.975599, 60, 1e-5),
    "sin_2": (sines, 0, 1, 2, -(0.975599**2), 150, 1e-3),
    "branin": (branin, [-5, 0], [10, 15], 2, 0.397887, 100, 1e-3),
    "rosenbrock": (rosenbrock, -5, 10, 2, 0.0, 150, 1e-2),
    "hartmann_3": (hartmann, 0, 1, 3, -3.86278, 120, 5e-3),
    "hartmann_6": (hartmann, 0, 1, 6, -3.32237, 300, 2e-2),
    "shekel_5": (shekel, 0, 10, 4, -10.1532, 300, 1e-1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_comes_to_the_lowest_value_of_the_published_functions(name):
    f, lower, upper, dim, lowest, budget, near = FUNCTIONS[name]
    box = Box(np.full(dim, lower), np.full(dim, upper))
    found = imgpo(f, box, budget, rng())
    assert lowest - 1e-5 <= found.value <= lowest + near
    assert found.value == f(found.x)


def test_in_a_random_embedding_it_searches_a_thousand_coordinates():
    """As its authors did: two of many coordinates matter, and few directions are searched."""
    box = Box(np.full(1000, -1.0), np.full(1000, 1.0))

    def few_matter(x):
        return float((x[0] - 0.3) ** 2 + (x[1] + 0.5) ** 2)

    middle = few_matter(np.zeros(1000))
    assert sre(imgpo, embed_dim=4)(few_matter, box, 300, rng()).value < middle / 20


@pytest.mark.parametrize("dim", [1, 3])
def test_the_process_is_the_one_of_scikit_learn(dim):
    x, new = rng(1).random((12, dim)), rng(2).random((30, dim))
    y = 5.0 + 0.01 * np.cos(3 * x).sum(axis=1)
    process = GaussianProcess(length=0.4)
    for at, value in zip(x, y, strict=True):
        process.add(at, value)
    peer = GaussianProcessRegressor(
        Matern(0.4, nu=2.5), alpha=1e-13, optimizer=None, normalize_y=True
    ).fit(x, y)
    mean, deviation = process.predict(new)
    peer_mean, peer_deviation = peer.predict(new, return_std=True)
    assert np.allclose(mean, peer_mean, rtol=1e-9)
    assert np.allclose(deviation, peer_deviation, atol=1e-8)

    process.fit()
    kernel = ConstantKernel(1.0, (1e-6, 1e6)) * Matern(0.4, (0.01, 10.0), nu=2.5)
    best = GaussianProcessRegressor(
        kernel, alpha=1e-13, normalize_y=True, n_restarts_optimizer=5, random_state=0
    ).fit(x, y)
    ours = np.log([process.deviation**2, process.length])
    likelihood = best.log_marginal_likelihood
    assert likelihood(ours) >= best.log_marginal_likelihood_value_ - 1e-3


def test_a_sample_given_twice_changes_nothing():
    process = GaussianProcess()
    for _ in range(2):
        process.add(np.array([0.2]), 1.0)
        process.add(np.array([0.2 + 1e-12]), 1.0)
        process.add(np.array([0.9]), 2.0)
    mean, deviation = process.predict(np.array([[0.2], [0.9]]))
    assert np.allclose(mean, [1.0, 2.0], atol=1e-2)
    assert (deviation < 0.1).all()


def test_bounds_grow_wider_with_every_one_that_is_asked_for():
    """All of them hold together: chances of being wrong add up to at most 1/20 (Srinivas)."""
    from scipy.stats import norm

    wrong = norm.sf(confidence(np.arange(1, 100_000)))
    assert wrong.sum() < 0.05
    assert (np.diff(wrong) < 0).all()
