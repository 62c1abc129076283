"""Make clustering fair before clustering: find few antidote points V so that C(U ∪ V) is fair."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

from antidote_core import baselines
from antidote_core.algorithms.algorithm1.solve import solve_convex
from antidote_core.algorithms.algorithm2.grow import grow
from antidote_core.algorithms.design.rounds import design_frontier
from antidote_core.clustering import ClusteringMethod, register_clustering
from antidote_core.clustering.son import son_clustering
from antidote_core.datasets import (
    available_forms,
    dataset_from_arrays,
    dataset_from_frame,
    list_datasets,
    load_dataset,
)
from antidote_core.datasets.parts.folder import Parts, open_parts, write_parts
from antidote_core.datasets.parts.from_files import parts_from_files
from antidote_core.errors import AntidoteError, DataError, SolverError, SpecError
from antidote_core.fairness import (
    FairnessCost,
    balance_cost,
    combined_fairness,
    register_fairness,
    social_cost,
)
from antidote_core.problem import Problem
from antidote_core.problem_in_parts import PartitionedProblem
from antidote_core.quality import quality
from antidote_core.runs.events import Event
from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import SweepSpec
from antidote_core.runs.view import RunView, fold
from antidote_core.types import Clustering, Dataset

if TYPE_CHECKING:
    from antidote_core.estimators import AntidoteKMeans, AntidoteSampler
    from antidote_core.public import (
        Result,
        compare,
        fairness_report,
        load_result,
        plot_clusters,
        plot_frontier,
        plot_map,
        plot_run,
        run,
        sweep,
    )

__all__ = [
    "AntidoteError",
    "AntidoteKMeans",
    "AntidoteSampler",
    "Clustering",
    "ClusteringMethod",
    "DataError",
    "Dataset",
    "Event",
    "FairnessCost",
    "PartitionedProblem",
    "Parts",
    "Problem",
    "Result",
    "RunSpec",
    "RunView",
    "SolverError",
    "SpecError",
    "SweepSpec",
    "available_forms",
    "balance_cost",
    "baselines",
    "combined_fairness",
    "compare",
    "dataset_from_arrays",
    "dataset_from_frame",
    "design_frontier",
    "fairness_report",
    "fold",
    "grow",
    "list_datasets",
    "load_dataset",
    "load_result",
    "open_parts",
    "parts_from_files",
    "plot_clusters",
    "plot_frontier",
    "plot_map",
    "plot_run",
    "quality",
    "register_clustering",
    "register_fairness",
    "run",
    "social_cost",
    "solve_convex",
    "son_clustering",
    "sweep",
    "write_parts",
]


# What stands above all rooms is imported when it is asked for: scikit-learn alone takes longer than
# all the rest, and a room that imports this package must not see the rooms above it.
_ABOVE = {
    "estimators": ("AntidoteKMeans", "AntidoteSampler"),
    "public": (
        "Result", "compare", "fairness_report", "load_result", "plot_clusters", "plot_frontier",
        "plot_map", "plot_run", "run", "sweep",
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _ABOVE.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
