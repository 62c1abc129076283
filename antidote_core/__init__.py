"""Make clustering fair before clustering: find few antidote points V so that C(U ∪ V) is fair."""

from antidote_core.datasets import load_dataset
from antidote_core.errors import AntidoteError, DataError, SolverError, SpecError
from antidote_core.fairness import balance_cost, social_cost
from antidote_core.problem import Problem
from antidote_core.quality import quality
from antidote_core.types import Dataset, Event, RunSpec

__all__ = [
    "AntidoteError",
    "DataError",
    "Dataset",
    "Event",
    "Problem",
    "RunSpec",
    "SolverError",
    "SpecError",
    "balance_cost",
    "load_dataset",
    "quality",
    "social_cost",
]
