"""`python -m tests.house.notebooks` runs the tutorials and stores what their cells give.

The cells run one after the other in this process, as a notebook would run them: what a cell prints,
and the value of its last line. A test runs them again and compares.
"""

import ast
import json
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
CHART = "application/vnd.plotly.v1+json"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def outputs(notebook, name):
    """What every code cell gives, in the form of a notebook."""
    namespace = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        printed = StringIO()
        with redirect_stdout(printed):
            value = _run("".join(cell["source"]), f"{name}, cell {number}", namespace)
        found = []
        if printed.getvalue():
            text = printed.getvalue().splitlines(keepends=True)
            found.append({"output_type": "stream", "name": "stdout", "text": text})
        if value is not None:
            found.append(
                {
                    "output_type": "execute_result",
                    "execution_count": number,
                    "metadata": {},
                    "data": _shown(value),
                }
            )
        yield cell, number, found


def _run(source, name, namespace):
    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, name, "exec"), namespace)
    return eval(compile(last, name, "eval"), namespace) if last else None


def _shown(value):
    if hasattr(value, "to_plotly_json"):
        return {CHART: json.loads(value.to_json()), "text/plain": ["a Plotly figure"]}
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = value._repr_html_().splitlines(keepends=True)
    return data


def words(found):
    """The outputs as text, without the seconds that they took."""
    text = "".join(
        "".join(output["data"]["text/plain"] if "data" in output else output["text"])
        for output in found
    )
    return re.sub(r"\d+\.\d s\b", "some s", text)


def store(path):
    notebook = read(path)
    for cell, number, found in outputs(notebook, path.name):
        cell["execution_count"], cell["outputs"] = number, found
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    for page in sorted(TUTORIALS.glob("*.ipynb")):
        store(page)
        print(page.name)
