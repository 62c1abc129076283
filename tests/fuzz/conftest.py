"""The last lines of a fuzz run: rows for docs/reliability.md."""

import os

from .inputs import TRIED

DOORS = {
    "test_uploads": "upload, from the bytes of a file to a data set",
    "test_links": "parameters in the address of a page",
    "test_specs": "`RunSpec.from_json` and `SweepSpec.from_json`",
    "test_logs": "event log and run folder",
}


def pytest_terminal_summary(terminalreporter):
    if "ANTIDOTE_FUZZ_INPUTS" not in os.environ or not TRIED:
        return
    failed = [report.nodeid for report in terminalreporter.stats.get("failed", [])]
    terminalreporter.write_line("| door | inputs | wrong answers |\n|---|---|---|")
    for file, door in DOORS.items():
        if file in TRIED:
            wrong = sum(file in test for test in failed)
            terminalreporter.write_line(f"| {door} | {TRIED[file]:,} | {wrong} |")
