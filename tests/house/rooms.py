"""`python -m tests.house.rooms` draws the rooms into docs/architecture.md, from the code itself.

The picture shows who imports whom between the rooms, without the arrows that follow from others;
the table takes its words from the first line of each room. A test fails when the page is not
current.
"""

import ast
import re
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
ROOMS = (
    "cli", "teaching", "reporting", "engine", "arena", "paper", "analysis", "algorithms",
    "runs", "baselines", "optimizers", "problem", "clustering", "fairness", "datasets",
    "projection",
)  # fmt: skip


def imports() -> dict[str, set[str]]:
    """The rooms that each room imports, pages among them."""
    graph = grimp.build_graph("antidote_core", exclude_type_checking_imports=True, cache_dir=None)
    found: dict[str, set[str]] = {room: set() for room in ROOMS}
    for module in graph.modules:
        for other in graph.find_modules_directly_imported_by(module):
            source, target = _room(module), _room(other)
            if source in found and target in found and source != target:
                found[source].add(target)
    found["pages"] = {
        room
        for path in (ROOT / "pages").rglob("*.py")
        for room in re.findall(r"from antidote_core\.(\w+)", path.read_text(encoding="utf-8"))
        if room in ROOMS
    }
    return found


def _room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def needed(arrows: dict[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows that do not follow from a longer way."""

    def reach(room: str) -> set[str]:
        return {room}.union(*(reach(below) for below in arrows.get(room, ())))

    return [
        (room, below)
        for room in ("pages", *ROOMS)
        for below in sorted(arrows[room])
        if not any(below in reach(other) for other in arrows[room] - {below})
    ]


def folders() -> list[tuple[str, int, str]]:
    """Every folder with Python files: its name, how many, and the first line of its door."""
    rows = []
    for top in ("antidote_core", "pages"):
        for folder in sorted({path.parent for path in (ROOT / top).rglob("*.py")}):
            door = folder / "__init__.py"
            words = ""
            if door.exists():
                tree = ast.parse(door.read_text(encoding="utf-8"))
                words = (ast.get_docstring(tree) or "").split("\n")[0]
            name = folder.relative_to(ROOT).as_posix()
            rows.append((name, len(list(folder.glob("*.py"))), words))
    return rows


def drawn() -> str:
    """The block of the page that is made from the code."""
    arrows = "\n".join(f"    {room} --> {below}" for room, below in needed(imports()))
    table = "\n".join(f"| `{name}` | {count} | {words} |" for name, count, words in folders())
    return (
        f"```mermaid\nflowchart TD\n{arrows}\n```\n\n"
        f"| room | files | what for |\n|---|---|---|\n{table}"
    )


def filled(page: str) -> str:
    """The page with its block renewed."""
    start, end = "<!-- rooms: begin -->\n", "\n<!-- rooms: end -->"
    head, rest = page.split(start)
    _, tail = rest.split(end)
    return f"{head}{start}{drawn()}{end}{tail}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
