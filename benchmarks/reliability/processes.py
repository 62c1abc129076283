"""What the system says about processes (Linux)."""

import os
from pathlib import Path


def megabytes(pid: int) -> float:
    """Memory of the process's own, not counting shared files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0.0


def handles(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/task"))


def workers(home: str | Path) -> list[int]:
    """Worker processes of that home folder that exist now."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().decode()
            except OSError:
                continue
            if "antidote_core.engine.worker" in command and str(home) in command:
                found.append(int(entry.name))
    return found
