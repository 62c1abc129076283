"""Views of runs and sweeps, and what is said of them, as JSON with keys that do not change.

Every attribute is read here by its name, one by one: when one is renamed, only the right-hand side
changes, and the golden files stay.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from antidote_core.analysis.frontier_curves import curves, quality_points
from antidote_core.analysis.progress import progress
from antidote_core.engine.job_folder import JobStatus, follow
from antidote_core.errors import AntidoteError
from antidote_core.reporting.documents.frontier_report import limits as frontier_limits
from antidote_core.reporting.documents.frontier_report import python_lines as sweep_lines
from antidote_core.reporting.documents.report import figures, python_lines
from antidote_core.reporting.figures.comparisons import (
    Side,
    baseline_costs,
    comparison_table,
    curves_table,
    difference_sentence,
    results_table,
    settings_table,
    side_note,
    warning,
)
from antidote_core.reporting.figures.curve import curve_table, curve_words, step_table
from antidote_core.reporting.figures.frontier_table import (
    cell_table,
    cost_table,
    level_table,
    off_quality_chart,
    quality_table,
    setting_title,
)
from antidote_core.reporting.figures.tables import antidote_table
from antidote_core.reporting.text.design_words import (
    binding_sentence,
    bound_sentence,
    clump_sentence,
    cut_sentence,
    cut_table,
    design_sentences,
    doing_sentence,
    extreme_sentence,
    share_sentence,
)
from antidote_core.reporting.text.frontier_words import (
    before_sentence,
    cells_sentence,
    chart_words,
    curve_sentence,
    failures_sentence,
    failures_table,
    frontier_verdict,
    progress_sentence,
    sure_sentences,
    sureness_table,
)
from antidote_core.reporting.text.run_words import (
    combination,
    dataset_title,
    departures,
    limits,
    list_table,
    problem_title,
    run_rows,
    settings,
)
from antidote_core.runs.state import JobState
from antidote_core.runs.sweep_view import SweepView
from antidote_core.runs.verdict import cost_digits
from antidote_core.runs.view import RunView

# -- views --------------------------------------------------------------------------------------


def run_view_dict(view):
    """A RunView as JSON."""
    checks = view.verification
    return plain(
        {
            "spec": view.spec,
            "state": view.state,
            "reason": view.reason,
            "points": view.points,
            "antidote": view.antidote,
            "cost": view.cost,
            "vanilla_cost": view.vanilla_cost,
            "vanilla": _vanilla(view.vanilla),
            "noise": view.noise,
            "sota": view.sota,
            "target": view.target,
            "strict": view.strict,
            "reached": view.reached,
            "history": [_round(done) for done in view.history],
            "current": view.current,
            "cuts": view.cuts,
            "evaluations": view.evaluations,
            "seconds": view.seconds,
            "search_began": view.search_began,
            "verification": checks
            and {
                "costs": checks.costs,
                "best_cost": checks.best_cost,
                "share": checks.share,
                "confirmed": checks.confirmed,
                "antidote_only": checks.antidote_only,
                "restarts": checks.restarts,
            },
            "comparison": view.comparison,
            "notes": view.notes,
            "stage": view.activity,
            "closed": view.closed,
            "unreadable": view.unreadable,
            "rounds": view.rounds,
            "size": view.size,
            "outside_noise": view.outside_noise,
        }
    )


def _vanilla(step):
    names = ("cost", "centers", "counts", "group_costs", "balance", "social")
    return {name: getattr(step, name) for name in names} if step else {}


def _round(done):
    return {
        "index": done.index,
        "size": done.size,
        "antidote": done.antidote,
        "cost": done.cost,
        "reached": done.reached,
        "evaluations": done.evaluations,
        "seconds": done.seconds,
        "centers": done.centers,
        "counts": done.counts,
        "group_costs": done.group_costs,
        "design": done.design,
    }


def sweep_view_dict(view):
    """A SweepView as JSON."""
    return plain(
        {
            "spec": json.loads(view.spec.to_json()) if view.spec else None,
            "state": view.state,
            "reason": view.reason,
            "stage": view.activity,
            "closed": view.closed,
            "points": view.points,
            "seconds": view.seconds,
            "rows": [_row(row) for row in view.rows],
            "references": [_reference(reference) for reference in view.references],
            "workers": view.workers,
            "scheduler": view.scheduler,
            "began": view.began,
            "notes": view.notes,
            "unreadable": view.unreadable,
            "settled": view.settled,
            "left": view.left,
        }
    )


def _row(row):
    return {
        "index": row.index,
        "setting": _setting(row.setting),
        "size": row.size,
        "seed": row.seed,
        "share": row.share,
        "state": row.state,
        "reason": row.reason,
        "run": row.run,
        "cost": row.cost,
        "vanilla": row.vanilla,
        "checked": row.checked,
        "checks": row.checks,
        "silhouette": row.silhouette,
        "price": row.price,
        "smallest_share": row.smallest_share,
        "kept": row.kept,
        "seconds": row.seconds,
        "reused": row.reused,
        "verified": row.verified,
        "passed": row.passed,
        "done": row.done,
    }


def _setting(setting):
    return {
        "clustering": setting.clustering,
        "fairness": setting.fairness,
        "k": setting.k,
        "optimizer": setting.optimizer,
        "box": setting.box,
    }


def _reference(reference):
    sota = reference.sota
    return {
        "problem": reference.problem,
        "vanilla": reference.vanilla,
        "noise": reference.noise,
        "silhouette": reference.silhouette,
        "smallest_share": reference.smallest_share,
        "target": reference.target,
        "strict": reference.strict,
        "sota": sota
        and {
            "name": sota.name,
            "own": sota.own,
            "nearest": sota.nearest,
            "judged": sota.judged,
            "own_silhouette": sota.own_silhouette,
            "nearest_silhouette": sota.nearest_silhouette,
            "own_price": sota.own_price,
            "nearest_price": sota.nearest_price,
            "own_smallest_share": sota.own_smallest_share,
            "nearest_smallest_share": sota.nearest_smallest_share,
            "seconds": sota.seconds,
        },
        "reason": reference.reason,
        "rows": reference.rows,
    }


def curves_list(view):
    """The curves of a sweep as JSON."""
    return plain([_curve(curve) for curve in curves(view)])


def _curve(curve):
    smallest, sure, noise = curve.smallest, curve.sureness, curve.noise
    return {
        "setting": _setting(curve.setting),
        "levels": [_level(level) for level in curve.levels],
        "reference": curve.reference and curve.reference.problem,
        "noise": noise and _noise(noise),
        "smallest": smallest
        and {
            "size": smallest.size,
            "share_of_points": smallest.share_of_points,
            "above": smallest.above,
            "passed": smallest.passed,
            "judged": smallest.judged,
            "share": smallest.share,
            "at_least": smallest.at_least,
            "later": smallest.later,
        },
        "sureness": sure
        and {
            "size": sure.size,
            "reaches": sure.reaches,
            "passed": sure.passed,
            "judged": sure.judged,
            "verified": sure.verified,
            "at_least": sure.at_least,
            "gain": sure.gain,
            "noise": _noise(sure.noise),
            "outside_noise": sure.outside_noise,
            "band_outside": sure.band_outside,
        },
        "complete": curve.complete,
    }


def _level(level):
    return {
        "size": level.size,
        "share": level.share,
        "rows": [row.index for row in level.rows],
        "median": level.median,
        "low": level.low,
        "high": level.high,
        "coverage": level.coverage,
        "passed": level.passed,
        "judged": level.judged,
        "verified": level.verified,
        "silhouette": level.silhouette,
        "price": level.price,
        "smallest_share": level.smallest_share,
        "failed": level.failed,
        "reaches": level.reaches,
        "fails": level.fails,
    }


def _noise(noise):
    return {"low": noise.low, "middle": noise.middle, "high": noise.high, "runs": noise.runs}


def view_file(events, sweep):
    """All that view.json holds: the last view, its figures in a list, a digest of every step."""
    view, steps = (SweepView() if sweep else RunView()), hashlib.sha256()
    to_dict = sweep_view_dict if sweep else run_view_dict
    for event in events:
        view = follow(view, [event])
        steps.update(json.dumps(to_dict(view), sort_keys=True).encode())
    found = {"view": to_dict(view), "summary": plain(view.summary()), "events": len(events)}
    found["digest of the view after every event"] = steps.hexdigest()
    if sweep:
        found["curves"] = curves_list(view)
        found["quality"] = plain(
            [
                [_setting(p.setting), p.size, p.seed, p.cost, p.silhouette, p.run]
                for p in quality_points(view)
            ]
        )
    return view, found


# -- words --------------------------------------------------------------------------------------


def run_words(record, private=False):
    """What the pages, the report and the slides say of a run, where that needs no picture."""
    data, spec, view = record.data, record.spec, record.view
    fair = baseline_costs(view, spec.fairness)
    found = view.verdict
    return plain(
        {
            "verdict": _verdict(found),
            "combination": combination(spec),
            "dataset": dataset_title(spec),
            "settings": settings(spec),
            "departures": departures(spec),
            "limits": limits(data, spec, view),
            "design": {
                "sentences": design_sentences(view),
                "share": share_sentence(view),
                "binding": binding_sentence(view),
                "bound": bound_sentence(view),
                "doing": doing_sentence(view),
                "cuts": [cut_sentence(cut) for cut in view.cuts],
                "table": cut_table(view),
            },
            "clumps": clump_sentence(view.antidote),
            "extreme": extreme_sentence(data.points, view.antidote),
            "digits": cost_digits(view),
            "figures": figures(record),
            "progress": _progress(view, spec),
            "curve": {
                "fair": fair,
                "words": curve_words(view, fair),
                "table": curve_table(view, fair),
                "steps": step_table(view),
                "answer": view.answer_index,
            },
            "comparison": comparison_table(view, spec.fairness),
            "side note": side_note(view, spec.fairness),
            "antidote": antidote_table(data, view.antidote) if view.size else None,
            "python": python_lines(spec),
            "list": _listed(view, spec, private),
        }
    )


def _verdict(found):
    return {
        "tone": found.tone,
        "headline": found.headline,
        "details": found.details,
    }


def _progress(view, spec):
    try:
        found = progress(view, spec, elapsed=1.0)
    except AntidoteError as error:
        return str(error)
    return {
        "round": found.round,
        "size": found.size,
        "evaluations": found.evaluations,
        "in_round": found.in_round,
        "rate": found.rate,
        "round_seconds": found.round_seconds,
    }


def _listed(view, spec, private):
    status = JobStatus(
        run_id="golden",
        state=JobState(view.state),
        spec=spec,
        private=private,
        submitted=0.0,
        reason=view.reason,
        summary=view.summary(),
    )
    return {
        "live": status.live,
        "can_restart": status.can_restart,
        "message": status.message,
        "row": list_table(run_rows([status])),
        "title": run_rows([status])[0].title,
    }


def sweep_words(record, private=False):
    """What the pages, the report and the slides say of a sweep, where that needs no picture."""
    spec, view = record.spec, record.view
    known = {reference.problem for reference in view.references}
    return plain(
        {
            "verdict": _verdict(frontier_verdict(view)),
            "progress": progress_sentence(view),
            "cells": cells_sentence(view),
            "failures": failures_sentence(view),
            "failures table": failures_table(view),
            "limits": frontier_limits(record),
            "problems": [
                {
                    "title": problem_title(problem),
                    "before": before_sentence(view, problem) if problem in known else None,
                    "chart": chart_words(view, problem),
                    "off the chart": off_quality_chart(view, problem),
                    "cost": cost_table(view, problem),
                    "quality": quality_table(view, problem),
                }
                for problem in spec.problems
                if view.spec
            ],
            "curves": [
                {
                    "title": setting_title(curve.setting, spec),
                    "sentence": curve_sentence(view, curve),
                    "sure": sure_sentences(view, curve),
                }
                for curve in curves(view)
            ],
            "cell table": cell_table(view),
            "level table": level_table(view),
            "sureness table": sureness_table(view),
            "python": without_modules(sweep_lines(spec)),
            "list": _listed(view, spec, private),
        }
    )


def side_by_side_words(named):
    """Runs beside each other; `named` are (name, spec, view)."""
    sides = [Side(name, spec, view) for name, spec, view in named]
    return plain(
        {
            "settings": settings_table(sides),
            "difference": difference_sentence(sides),
            "warning": warning(sides),
            "results": results_table(sides),
            "curves": curves_table(sides),
        }
    )


# -- values -------------------------------------------------------------------------------------


def without_modules(text):
    """Lines of Python that do not tell in which module of the library a name lives."""
    return re.sub(
        r"^from antidote_core[\w.]* import", "from antidote_core import", text, flags=re.M
    )


def plain(value):
    """Anything as JSON: arrays and tuples are lists, tables are columns and rows, NaN is null."""
    if isinstance(value, pd.DataFrame):
        rows = [list(row) for row in value.itertuples(index=False, name=None)]
        return plain({"columns": [str(name) for name in value.columns], "rows": rows})
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if isinstance(value, str):
        return str(value)
    return value


def differences(found, kept, rel, place=""):
    """Where two JSON values differ, as lines; numbers may differ by `rel` of themselves."""
    if isinstance(found, dict) and isinstance(kept, dict):
        lines = [f"{place}: keys {sorted(found.keys() ^ kept.keys())}"] * (
            found.keys() != kept.keys()
        )
        for key in found.keys() & kept.keys():
            lines += differences(found[key], kept[key], rel, f"{place}/{key}")
        return lines
    if isinstance(found, list) and isinstance(kept, list):
        if len(found) != len(kept):
            return [f"{place}: {len(found)} instead of {len(kept)}: {found!r} {kept!r}"[:600]]
        lines = []
        for index, (one, other) in enumerate(zip(found, kept, strict=True)):
            lines += differences(one, other, rel, f"{place}/{index}")
        return lines
    numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (found, kept))
    if numbers and math.isclose(found, kept, rel_tol=rel, abs_tol=1e-12):
        return []
    if type(found) is type(kept) and found == kept:
        return []
    return [f"{place}: {found!r} instead of {kept!r}"[:600]]
