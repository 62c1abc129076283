"""requirements.lock has one version with hashes for everything that requirements.txt asks for."""

import re
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PINNED = re.compile(r"^(?P<name>[\w.-]+)==(?P<version>\S+?)(?: ;.*?)? \\$", re.M)


def locked():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\w)", text.split("\n", 2)[2])
    found = {}
    for entry in entries:
        match = PINNED.match(entry)
        assert match, entry[:80]
        assert "--hash=sha256:" in entry, match["name"]
        found.setdefault(match["name"], []).append(match["version"])
    return found


def test_every_requirement_is_pinned_within_its_range():
    pinned = locked()
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    for line in filter(None, lines):
        wanted = Requirement(line)
        assert wanted.name in pinned, f"{wanted.name} is missing: run .ci/lock"
        for version in pinned[wanted.name]:
            assert wanted.specifier.contains(version), f"{wanted} but {version} is pinned"


def test_no_index_and_no_path_is_named():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text
