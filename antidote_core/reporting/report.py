"""The report of a run: one HTML file to hand over, to print, to open without a network."""

from __future__ import annotations

from antidote_core.reporting.asked import combination
from antidote_core.reporting.page import Page, html_page
from antidote_core.reporting.run_sections import RunRecord, run_sections
from antidote_core.reporting.verdict import verdict
from antidote_core.reporting.versions import versions


def run_report(record: RunRecord, when: str = "") -> str:
    """The report as HTML; `when` says in words when the run was made.

    >>> from antidote_core import RunSpec, load_dataset, run
    >>> spec = RunSpec(dataset="blobs", start_size=3, budget=40, max_rounds=1)
    >>> text = run_report(RunRecord(load_dataset("blobs"), spec, run(spec)))
    >>> text.count("<h1>"), "What was not shown" in text
    (1, True)
    """
    found = verdict(record.view)
    data = record.data.title or record.data.name
    title = f"{record.name or data}: {combination(record.spec)}"
    made = f"Written by Antidote {versions()['antidote']}{f', run of {when}' if when else ''}."
    page = Page(title, found.headline, run_sections(record), found.tone, found.details, made)
    return html_page(page)
