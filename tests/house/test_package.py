"""What is installed: its metadata, its files, its licences, and the words for what is missing."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import antidote_core
from antidote_core.cli import BAD_INPUT, REACHED
from antidote_core.errors import EXTRAS, PackageError, optional_packages
from tests.house.test_lock import ROOT, locked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FAMILIES = ("MIT", "BSD", "Apache", "ISC", "Zlib", "0BSD", "CC0", "PSF", "MPL")


def whole_app():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return {wanted.name: wanted for wanted in map(Requirement, filter(None, lines))}


def bounds(requirement):
    return {(one.operator, one.version) for one in requirement.specifier}


def in_metadata():
    """Every package of the metadata, with the extras that bring it; "" where it always comes."""
    groups = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    found = {}
    for extra, lines in groups.items():
        for wanted in map(Requirement, lines):
            found.setdefault(wanted.name, []).append((extra, wanted))
    return found


def test_metadata_and_requirements_ask_for_the_same():
    """The same packages from the same version on; the app alone has upper bounds."""
    app, asked = whole_app(), in_metadata()
    itself = asked.pop(PROJECT["name"])
    assert set(asked) == set(app)
    for name, places in asked.items():
        for _, wanted in places:
            assert bounds(wanted) == {(o, v) for o, v in bounds(app[name]) if o == ">="}, name
    everything = next(wanted for extra, wanted in itself if extra == "all")
    assert everything.extras == set(PROJECT["optional-dependencies"]) - {"all"}


def test_every_package_of_an_extra_gets_a_sentence_that_names_the_extra():
    modules = {"umap-learn": "umap"}
    brought = {
        modules.get(name, name): extra
        for name, places in in_metadata().items()
        for extra, _ in places
        if extra and name != PROJECT["name"]
    }
    assert brought == dict(EXTRAS)


def without(modules, *arguments):
    """A command where these modules are not there; None is Python's own way to say so."""
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({list(modules)}))\n"
        "from antidote_core.cli.main import main; sys.exit(main())"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_default_run_needs_no_extra():
    own = "--dataset two-optima --budget 40 --start-size 4 --step 4 --restarts 3 --target 90%"
    called = without(EXTRAS, "run", *own.split())
    assert called.returncode == REACHED, called.stderr
    assert "Confirmed" in called.stdout


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("highspy", ["run", "--dataset", "blobs", "--target", "sota"]),
        ("zoopt", ["run", "--dataset", "blobs", "--optimizer", "racos"]),
    ],
)
def test_a_missing_package_is_one_line_with_the_command(module, arguments):
    called = without([module], *arguments, "--max-rounds", "1", "--budget", "5")
    assert called.returncode == BAD_INPUT
    assert f"package {module}" in called.stderr
    assert f"pip install 'antidote-core[{EXTRAS[module]}]'" in called.stderr
    assert called.stderr.count("\n") == 1


def test_the_files_of_a_run_need_no_extra(tmp_path):
    asked = f"run --dataset blobs --max-rounds 1 --budget 5 --out {tmp_path}"
    called = without(EXTRAS, *asked.split())
    assert called.stderr == ""
    written = {path.name for path in tmp_path.iterdir()}
    assert {"antidote.csv", "assignments.csv", "events.jsonl", "result.json"} <= written


def test_a_module_of_no_extra_stays_an_error_of_its_own():
    with pytest.raises(ModuleNotFoundError, match="no_such_module"), optional_packages():
        import no_such_module  # noqa: F401
    assert issubclass(PackageError, antidote_core.AntidoteError)


# -- licences -------------------------------------------------------------------------------------


def licence(name):
    """What the installed package says: the expression, else the classifier, else the first line."""
    told = metadata(name)
    classifiers = [x for x in told.get_all("Classifier") or () if x.startswith("License ::")]
    classifiers = [
        x.split(" :: ")[-1] for x in classifiers if x.split(" :: ")[-1] != "OSI Approved"
    ]
    first = (told.get("License") or "").strip().split("\n")[0]
    return told.get("License-Expression") or " AND ".join(classifiers) or first


def family(text):
    """The first kind of licence that the text names."""
    found = re.search(rf"\b({'|'.join(FAMILIES)})\b", text)
    return found[1] if found else "unknown"


def is_gpl(text):
    """Whether every licence to choose from is the GPL or its sister for servers."""
    pattern = r"(?<!L)\bA?GPL|Affero|(?<!Lesser )General Public"
    return all(re.search(pattern, one) for one in re.split(r"\bOR\b", text))


def notices():
    text = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| ([\w-]+) \| ([\w.-]+) \|", text, re.M)[1:])


def test_the_notice_names_every_direct_dependency():
    assert set(notices()) == set(whole_app())


@pytest.mark.parametrize("name", sorted(whole_app()))
def test_every_direct_dependency_has_a_licence_that_goes_with_ours(name):
    told = licence(name)
    assert not is_gpl(told), f"{name}: {told}"
    assert family(told) != "unknown", f"{name} does not say its licence: {told!r}"
    assert family(notices()[name]) == family(told)


def test_nothing_that_is_locked_is_under_the_gpl():
    bound = {}
    for name in locked():
        try:
            told = licence(name)
        except PackageNotFoundError:  # of another system
            continue
        if is_gpl(told):
            bound[name] = told
    assert bound == {}


@pytest.mark.parametrize(
    ("line", "bound"),
    [
        ("License-Expression: GPL-3.0-or-later", True),
        ("License-Expression: AGPL-3.0-only", True),
        ("Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)", True),
        ("License: GNU General Public License\n        Version 3", True),
        ("License-Expression: MIT OR GPL-2.0-only", False),
        ("License-Expression: LGPL-2.1-only", False),
        ("License: BSD-3-Clause", False),
    ],
)
def test_a_package_under_the_gpl_would_be_seen(line, bound, tmp_path, monkeypatch):
    """As pip leaves it behind: by the metadata of an installed package."""
    info = tmp_path / "some_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: some-package\nVersion: 1.0\n{line}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert is_gpl(licence("some-package")) is bound
    assert family("") == "unknown"


# -- the wheel ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    build = pytest.importorskip("hatchling.build", reason="hatchling builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        name = build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as archive:
        yield {path: archive.read(path) for path in archive.namelist()}


def served():
    """The scripts beside app.py that it names: Streamlit looks for them in its folder."""
    tree = ast.parse((ROOT / "app.py").read_text(encoding="utf-8"))
    texts = [x.value for x in ast.walk(tree) if isinstance(x, ast.Constant)]
    named = [x for x in texts if isinstance(x, str) and re.fullmatch(r"\w+\.py", x)]
    assert named, "app.py names no script any more; look at what it serves instead"
    return [ROOT / name for name in named]


def test_the_wheel_holds_every_file_of_the_package_and_of_the_dashboard(wheel):
    def files(folder):
        paths = (x for x in (ROOT / folder).rglob("*") if x.is_file())
        return {x for x in paths if "__pycache__" not in x.parts and x.suffix != ".pyc"}

    core = {path.relative_to(ROOT).as_posix() for path in files("antidote_core")}
    assert core <= set(wheel)
    screen = [ROOT / "app.py", *served(), *files("pages"), *files(".streamlit")]
    for path in screen:
        inside = f"antidote_core/dashboard/{path.relative_to(ROOT).as_posix()}"
        assert wheel[inside] == path.read_bytes()
    assert {path.split("/")[0].split("-")[0] for path in wheel} == {"antidote_core"}


def test_the_wheel_has_a_script_the_version_and_the_notices(wheel):
    inside = {path.split("/", 1)[1]: text for path, text in wheel.items() if "dist-info" in path}
    assert b"antidote = antidote_core.cli.main:main" in inside["entry_points.txt"]
    assert f"\nVersion: {antidote_core.__version__}\n" in inside["METADATA"].decode()
    assert {"licenses/LICENSE", "licenses/THIRD-PARTY.md"} <= set(inside)
    assert "antidote_core/py.typed" in wheel


def test_the_citation_has_the_version():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {antidote_core.__version__}\n" in text


def test_files_that_pages_read_are_in_the_wheel(wheel):
    """Beside pages, the dashboard reads one page of the docs."""
    from pages._ui.convex_blocks import NOTE

    assert f"antidote_core/dashboard/{Path(NOTE).relative_to(ROOT).as_posix()}" in wheel
