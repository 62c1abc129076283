"""The structured search against what it is meant to beat, and its parts against brute force."""

import numpy as np
import pytest

from antidote_core import Problem, load_dataset
from antidote_core.fairness import FAIRNESS
from antidote_core.fairness.gradients import descent_directions
from antidote_core.optimizers import get_optimizer
from antidote_core.optimizers.protocol import Box, Evaluator
from antidote_core.optimizers.structured import _Search, switch_points


def reached(problem, optimizer, size, budget, seed=0, box="minmax"):
    d = problem.points.shape[1]
    lower, upper = problem.box(box)
    minimise = get_optimizer(optimizer).minimiser(problem, size, embed_dim=100)
    box = Box(np.tile(lower, size), np.tile(upper, size))
    rng = np.random.default_rng(seed)
    return minimise(lambda x: problem.evaluate(x.reshape(size, d)), box, budget, rng)


@pytest.mark.parametrize("fairness", ["balance", "social"])
@pytest.mark.parametrize("name", ["bank", "creditcard"])
def test_beats_random_search_within_few_evaluations(name, fairness):
    problem = Problem(load_dataset(name), fairness=fairness)
    ours = reached(problem, "structured", size=10, budget=80)
    assert ours.value < problem.vanilla.cost
    assert ours.value <= reached(problem, "random", size=10, budget=80).value


def test_in_a_wide_box_points_stay_near_enough_not_to_take_a_centre():
    problem = Problem(load_dataset("bank"), fairness="social")
    near = reached(problem, "structured", size=10, budget=300)
    far = reached(problem, "structured", size=10, budget=300, box="wide")
    assert problem.vanilla.cost - far.value > 4 * (problem.vanilla.cost - near.value)


def test_social_gradient_equals_finite_differences():
    data = load_dataset("bank", sample=2000)
    centers = Problem(data, k=3).vanilla.centers
    cost = FAIRNESS["social"]
    gradient = descent_directions(cost, centers, data.points, data.groups)[0]
    for index in np.ndindex(*centers.shape):
        step = np.zeros_like(centers)
        step[index] = 1e-6
        ahead = cost.of_centers(centers + step, data.points, data.groups)
        behind = cost.of_centers(centers - step, data.points, data.groups)
        assert gradient[index] == pytest.approx((ahead - behind) / 2e-6, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("fairness", ["balance", "social", "gap"])
def test_a_step_against_the_gradient_lowers_the_cost(fairness):
    data = load_dataset("bank")
    centers = Problem(data).vanilla.centers
    cost = FAIRNESS[fairness]
    gradient = descent_directions(cost, centers, data.points, data.groups)[0]
    moved = centers - 0.05 * gradient / np.linalg.norm(gradient)
    before = cost.of_centers(centers, data.points, data.groups)
    assert cost.of_centers(moved, data.points, data.groups) < before


def search_of(problem, size=1):
    d = problem.points.shape[1]
    lower, upper = problem.box("minmax")
    box = Box(np.tile(lower, size), np.tile(upper, size))
    evaluate = Evaluator(lambda x: problem.evaluate(x.reshape(size, d)), box, 10)
    return _Search(problem, size, evaluate, np.random.default_rng(0))


def test_cell_atoms_are_the_best_points_of_a_grid():
    problem = Problem(load_dataset("blobs"), fairness="social")
    search = search_of(problem)
    centers = problem.vanilla.centers
    gradient = np.array([[1.0, 0.3], [-0.2, 1.0]])
    atoms = search.cell_atoms(centers, gradient)
    axes = [np.linspace(a, b, 60) for a, b in zip(search.lower, search.upper, strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    owner = ((grid[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    for c, center in enumerate(centers):
        best = ((grid[owner == c] - center) @ gradient[c]).min()
        own = atoms[((atoms[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1) == c]
        value = ((own - center) @ gradient[c]).min()
        # The atom keeps a margin of 2% of the cell, so it may be a little behind the grid.
        assert value <= best + 0.1 * abs(best)


def test_switch_points_are_where_the_other_optimum_gains_most():
    problem = Problem(load_dataset("two-optima"))
    basins = problem.evaluator.basins
    assert len(basins) >= 2
    search = search_of(problem)
    point = switch_points(basins[0], basins[1], search.lower, search.upper)[0]

    def gain(v):
        home = ((v[:, None] - basins[0]) ** 2).sum(axis=2).min(axis=1)
        other = ((v[:, None] - basins[1]) ** 2).sum(axis=2).min(axis=1)
        return home - other

    axes = [np.linspace(a, b, 80) for a, b in zip(search.lower, search.upper, strict=True)]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    assert gain(point[None])[0] >= gain(grid).max() - 1e-9


def test_works_for_clusterings_it_cannot_look_into():
    problem = Problem(load_dataset("blobs"), clustering="kmedoids", fairness="social", restarts=2)
    found = reached(problem, "structured", size=5, budget=40)
    assert found.evaluations == 40
    assert np.isfinite(found.value)
