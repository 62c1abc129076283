"""The two kinds of jobs, and what differs between them: the spec and the fold."""

from __future__ import annotations

import json
from enum import StrEnum

from antidote_core.runs.spec import RunSpec
from antidote_core.runs.sweep_spec import KIND, SweepSpec
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.view import RunView

Spec = RunSpec | SweepSpec
View = RunView | SweepView


class Kind(StrEnum):
    """One run of Algorithm 2, or a sweep of many."""

    RUN = "run"
    SWEEP = KIND


def kind_of(text: str) -> Kind:
    """The kind of job whose spec this JSON is; what cannot be read counts as a run."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return Kind.RUN
    return Kind.SWEEP if isinstance(values, dict) and values.get("kind") == KIND else Kind.RUN


def read_spec(text: str) -> Spec:
    """The spec in this JSON, or a sentence about what is wrong with it."""
    return SweepSpec.from_json(text) if kind_of(text) is Kind.SWEEP else RunSpec.from_json(text)
