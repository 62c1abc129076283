"""Data sets: a registry of bundled, local and generated ones, and the door for uploaded frames."""

from antidote_core.datasets.frame import dataset_from_arrays, dataset_from_frame
from antidote_core.datasets.registry import (
    DATASETS,
    available_forms,
    dataset_info,
    list_datasets,
    load_dataset,
    load_for,
)
from antidote_core.datasets.sets import DatasetInfo, Form, Progress
