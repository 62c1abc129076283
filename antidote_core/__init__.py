"""Make clustering fair before clustering: find few antidote points V so that C(U ∪ V) is fair."""

__version__ = "0.2.0.dev0"

from antidote_core import baselines
from antidote_core.algorithms.algorithm1.solve import solve_convex
from antidote_core.algorithms.algorithm2.grow import grow, run
from antidote_core.algorithms.design.rounds import design_frontier
from antidote_core.clustering import ClusteringMethod, register_clustering
from antidote_core.clustering.son import son_clustering
from antidote_core.datasets import (
    available_forms,
    dataset_from_frame,
    list_datasets,
    load_dataset,
)
from antidote_core.datasets.parts.folder import Parts, open_parts, write_parts
from antidote_core.datasets.parts.from_files import parts_from_files
from antidote_core.errors import AntidoteError, DataError, SolverError, SpecError
from antidote_core.fairness import FairnessCost, balance_cost, register_fairness, social_cost
from antidote_core.problem import Problem
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.quality import quality
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.view import RunView, fold
from antidote_core.types import Clustering, Dataset

__all__ = [
    "AntidoteError",
    "Clustering",
    "ClusteringMethod",
    "DataError",
    "Dataset",
    "Event",
    "FairnessCost",
    "PartitionedProblem",
    "Parts",
    "Problem",
    "RunSpec",
    "RunView",
    "SolverError",
    "SpecError",
    "SweepSpec",
    "available_forms",
    "balance_cost",
    "baselines",
    "dataset_from_frame",
    "design_frontier",
    "fold",
    "grow",
    "list_datasets",
    "load_dataset",
    "open_parts",
    "parts_from_files",
    "quality",
    "register_clustering",
    "register_fairness",
    "run",
    "social_cost",
    "solve_convex",
    "son_clustering",
    "write_parts",
]
