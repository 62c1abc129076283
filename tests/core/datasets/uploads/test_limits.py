"""How large a file may be, here and on the server."""

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import text_files

from .files import sentence


def test_a_file_of_60_megabytes() -> None:
    content = b"x,g\n" + b"1,a\n" * 15_728_640
    assert len(content) > 60 * 1024**2
    said = sentence(uploads.read_table, "big.csv", content)
    assert said == (
        "big.csv has 60 MB; wanted at most 50 MB: take a random sample of its rows, or only the "
        "columns you need."
    )


def test_the_limit_of_the_server_is_the_one_of_the_library() -> None:
    import tomllib
    from pathlib import Path

    config = Path(__file__).parents[4] / ".streamlit" / "config.toml"
    stated = tomllib.loads(config.read_text(encoding="utf-8"))["server"]["maxUploadSize"]
    assert stated * 1024**2 == uploads.MAX_BYTES
    assert text_files.ODD_LINES < 0.05
