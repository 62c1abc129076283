"""What is done to the pages on their way into the site; mkdocs calls these functions by name.

Pages stay what they are in the repository, where they are read too: links lead from file to file,
notebooks open in Jupyter, formulas are TeX. Here notebooks become pages, files that lie outside
docs get a place in the site, and formulas become MathML, so that no page fetches anything.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import redirect_stdout
from html import escape, unescape
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

from griffe import Extension
from latex2mathml.converter import convert
from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
# Files outside docs that pages link to, and their place in the site.
OUTSIDE = {
    "README.md": "index.md",
    "antidote_core/datasets/bundled/ATTRIBUTION.md": "ATTRIBUTION.md",
    **{
        name: name
        for name in (
            "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "Containerfile", "LICENSE",
            "SECURITY.md", "THIRD-PARTY.md",
        )
    },
}  # fmt: skip
LINK = re.compile(r"(?<=\]\()([^)#\s:]+)(?=[#)])")
EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?! *$).*)*", re.M)
PLOTLY = "plotly.min.js"


class FencedExamples(Extension):
    """Fences the examples of docstrings, which Markdown would take for quotations."""

    def on_instance(self, *, obj: Any, **_: Any) -> None:
        """Called by griffe for every module, class, function and attribute."""
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", obj.docstring.value
            )


def on_files(files: Any, config: Any) -> Any:
    """Adds a page for every notebook, the files from outside, and the library that draws charts."""
    for place, target in OUTSIDE.items():
        text = (ROOT / place).read_text(encoding="utf-8")
        files.append(File.generated(config, target, content=text))
    for file in [file for file in files if file.src_path.endswith(".ipynb")]:
        cells = json.loads(Path(file.abs_src_path).read_text(encoding="utf-8"))["cells"]
        target = str(Path(file.src_uri).with_suffix(".md"))
        text = notebook_page(cells, Path(file.src_uri).name)
        files.append(File.generated(config, target, content=text))
    from plotly.offline import get_plotlyjs

    files.append(File.generated(config, PLOTLY, content=get_plotlyjs()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turns links between files of the repository into links between pages, and adds the help."""
    source = page.file.src_uri
    inside = {target: place for place, target in OUTSIDE.items()}
    folder = Path(inside.get(source, f"docs/{source}")).parent

    def in_site(found: re.Match[str]) -> str:
        place = os.path.normpath(folder / found[1])
        target = OUTSIDE.get(place, os.path.relpath(place, "docs"))
        if target.endswith(".ipynb") and not source.startswith("tutorials/"):
            target = target.removesuffix("ipynb") + "md"
        return os.path.relpath(target, Path(source).parent)

    markdown = re.sub(r"^<!-- antidote (.*)--help -->$", _help, markdown, flags=re.M)
    return LINK.sub(in_site, markdown)


def _help(found: re.Match[str]) -> str:
    """What the command prints about itself, in lines of the width of a page."""
    sys.path.insert(0, str(ROOT))  # the console script of mkdocs does not look here
    from antidote_core.cli.main import PROGRAM, main

    said = StringIO()
    with redirect_stdout(said), patch.dict(os.environ, {"COLUMNS": "96"}):
        main([*found[1].split(), "--help"])
    return f"```text\n{said.getvalue().replace(PROGRAM, 'antidote').strip()}\n```"


def on_page_content(html: str, **_: Any) -> str:
    """Turns formulas into MathML."""

    def formula(found: re.Match[str]) -> str:
        return convert(unescape(found[2]), display="block" if found[1] == "div" else "inline")

    return re.sub(
        r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', formula, html, flags=re.S
    )


# -- notebooks ----------------------------------------------------------------------------------


def notebook_page(cells: list[dict[str, Any]], name: str) -> str:
    """The cells of a notebook as a page: words, code, and below it what it gave."""
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
        else:
            parts.append(f"```python\n{text}\n```")
            parts += [_output(output) for output in cell["outputs"]]
    title, *rest = parts
    return "\n\n".join([title, f"*This page is a notebook: [{name}]({name}).*", *rest])


def _output(output: dict[str, Any]) -> str:
    """One output of a cell: a chart, a table or a picture as HTML, anything else as text."""
    found = output["data"] if "data" in output else {"text/plain": output["text"]}
    if chart := found.get("application/vnd.plotly.v1+json"):
        return _chart(chart)
    if "text/html" in found:
        # A line without a break: Markdown leaves a block of HTML alone up to its first empty line.
        html = " ".join("".join(found["text/html"]).split("\n"))
        return f'<div class="output">{html}</div>'
    return f"```text\n{''.join(found['text/plain']).rstrip()}\n```"


def _chart(figure: dict[str, Any]) -> str:
    """A Plotly figure, drawn by the copy of the library that is part of the site."""
    told = escape(json.dumps(figure, separators=(",", ":")))
    script = (
        "{const box=document.currentScript.previousElementSibling,"
        "figure=JSON.parse(box.dataset.figure);"
        "Plotly.newPlot(box,figure.data,figure.layout,{responsive:true})}"
    )
    return (
        f'<div class="output"><script src="../{PLOTLY}"></script>'
        f'<div data-figure="{told}"></div><script>{script}</script></div>'
    )
