"""What the system says about processes (Linux)."""

import os
from pathlib import Path


def megabytes(pid: int) -> float:
    """Memory of the process's own, not counting shared files."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return 0.0


def most_megabytes(pid: int) -> float:
    """The most memory the process ever had, shared files included; 0 when it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def children(pid: int) -> list[int]:
    """Processes that it started and that exist now, those included that it has not seen end."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid:
                found.append(int(entry.name))
    return found


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
            if "antidote_core.engine.process.worker" in command and str(home) in command:
                found.append(int(entry.name))
    return found
