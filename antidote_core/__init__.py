"""Make clustering fair before clustering: find few antidote points V so that C(U ∪ V) is fair."""

from antidote_core import baselines
from antidote_core.algorithms.convex import solve_convex
from antidote_core.algorithms.design_frontier import design_frontier
from antidote_core.algorithms.grow import grow, run
from antidote_core.algorithms.record import RunView, fold
from antidote_core.clustering import ClusteringMethod, register_clustering
from antidote_core.clustering.son import son_clustering
from antidote_core.datasets import (
    available_forms,
    dataset_from_frame,
    list_datasets,
    load_dataset,
)
from antidote_core.datasets.parts import Parts, open_parts, write_parts
from antidote_core.datasets.parts_file import parts_from_files
from antidote_core.errors import AntidoteError, DataError, SolverError, SpecError
from antidote_core.fairness import FairnessCost, balance_cost, register_fairness, social_cost
from antidote_core.partitioned import PartitionedProblem
from antidote_core.problem import Problem
from antidote_core.quality import quality
from antidote_core.types import Clustering, Dataset, Event, RunSpec

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
