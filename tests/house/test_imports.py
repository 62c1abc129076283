"""What may import what: a light library, imports downwards only, heavy packages in one place."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_AT_IMPORT = ("streamlit", "altair", "plotly", "umap", "cvxpy", "zoopt", "dask", "distributed",
                 "numba", "llvmlite", "highspy", "cyclopts", "rich")  # fmt: skip
ONE_FILE_EACH = {"zoopt", "cvxpy", "umap", "dask", "highspy", "cyclopts"}


def run_python(code, folder=ROOT):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_import_of_the_library_is_light_and_compiles_nothing():
    # numba is the only compiler here, so without it nothing was compiled.
    done = run_python("import sys, antidote_core; print(*sorted(sys.modules))")
    assert done.returncode == 0, done.stderr
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert "antidote_core" in loaded
    assert loaded.isdisjoint(NOT_AT_IMPORT)


def test_import_of_the_library_says_nothing():
    done = run_python("import antidote_core")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def imports_of(path):
    """Every (top-level package, inside a function?) that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module]
        for name in names:
            yield name.partition(".")[0], id(node) in inside


def test_heavy_packages_are_imported_lazily_in_one_file_each():
    found = {}
    patterns = ("antidote_core/**/*.py", "pages/**/*.py", "*.py")
    for path in [path for pattern in patterns for path in ROOT.glob(pattern)]:
        for package, inside_function in imports_of(path):
            package = "dask" if package == "distributed" else package
            if package in ONE_FILE_EACH:
                assert inside_function, f"{path} imports {package} outside a function"
                found.setdefault(package, set()).add(str(path.relative_to(ROOT)))
    assert "zoopt" in found
    assert {package: files for package, files in found.items() if len(files) > 1} == {}


def test_every_benchmark_can_be_imported():
    paths = [path.relative_to(ROOT) for path in ROOT.glob("benchmarks/**/*.py")]
    modules = [".".join(path.with_suffix("").parts) for path in paths if path.stem != "__main__"]
    assert len(modules) > 10
    done = run_python(f"import importlib\nfor name in {modules}: importlib.import_module(name)")
    assert done.returncode == 0, done.stderr


def lint_imports(folder):
    """The exit code and the words of import-linter with the contracts of pyproject.toml."""
    done = run_python(
        "from importlinter.cli import lint_imports_command as lint; lint(['--no-cache'])", folder
    )
    return done.returncode, done.stdout + done.stderr


def test_import_layers_hold():
    code, words = lint_imports(ROOT)
    assert code == 0, words
    assert " 0 broken" in words


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("antidote_core/clustering/generic.py", "import antidote_core.problem", "downwards only"),
        ("antidote_core/types.py", "from antidote_core import fairness", "downwards only"),
        ("antidote_core/stray.py", "import json", "downwards only"),
        ("antidote_core/datasets/frame.py", "import streamlit", "nothing of the screen"),
        ("antidote_core/problem.py", "import plotly.express", "Plotly in"),
        ("pages/home.py", "import plotly.express", "Plotly in"),
        ("pages/_ui/shared/frame.py", "import pages.home", "knows no page"),
        ("pages/home.py", "import numpy", "No arithmetic"),
    ],
)
def test_a_forbidden_import_is_noticed(tmp_path, file, line, contract):
    for folder in ("antidote_core", "pages"):
        shutil.copytree(
            ROOT / folder,
            tmp_path / folder,
            ignore=shutil.ignore_patterns("__pycache__", "*.parquet"),
        )
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / file).open("a", encoding="utf-8") as stream:
        stream.write(f"\n{line}\n")
    code, words = lint_imports(tmp_path)
    assert code == 1
    broken = [row for row in words.splitlines() if row.endswith("BROKEN")]
    assert len(broken) == 1, words
    assert contract in broken[0]
