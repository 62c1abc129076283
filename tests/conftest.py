"""What several test files share."""

from typing import Any

import pytest

from antidote_core import DataError, Dataset, load_dataset


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file of tests stays in one process, and all browser tests do: two servers with their runs
    would wait for each other."""
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return (
                "browser" if nodeid.startswith("tests/browser/") else super()._split_scope(nodeid)
            )

    return OneBrowser(config, log)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Every rerun says why it was needed; here, since workers of xdist print no summary."""
    for report in terminalreporter.stats.get("rerun", []):
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message.splitlines()[0] if crash else "no reason was given"
        terminalreporter.write_line(f"RERUN {report.nodeid}: {reason}")


def real_dataset(name: str) -> Dataset:
    """The bundled set, or the local LFW file; the test is skipped where that file is absent."""
    try:
        return load_dataset(name)
    except DataError:
        if name != "lfw":
            raise
        pytest.skip("lfw.npz is not in the folder named by ANTIDOTE_DATA_DIR")
