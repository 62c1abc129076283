"""Tables as read: too much is refused in a sentence, and a packed table comes back as it was."""

import io

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as some

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import Table, pack, text_files, unpack

from .files import sentence

CELLS = some.one_of(
    some.none(), some.booleans(), some.integers(), some.floats(allow_nan=False), some.text(),
    some.datetimes(), some.dates(), some.times(), some.timedeltas(),
)  # fmt: skip
COLUMNS = some.lists(CELLS, min_size=3, max_size=3).map(
    lambda cells: pd.Series(cells, dtype=object)
)


def there_and_back(table: Table) -> Table:
    sink = io.BytesIO()
    pack(table, sink)
    return unpack(sink.getvalue())


@given(some.dictionaries(some.text(), COLUMNS, min_size=1, max_size=4), some.lists(some.text()))
def test_cells_of_any_kind(columns, notes):
    frame = pd.DataFrame(columns)
    again = there_and_back(Table("a.xlsx", frame, tuple(notes)))
    assert again.notes == tuple(notes)
    assert list(again.frame.columns) == list(frame.columns)
    for name in frame.columns:
        before, after = frame[name].tolist(), again.frame[name].tolist()
        assert before == after
        assert [type(cell) for cell in before] == [type(cell) for cell in after]


def test_columns_of_one_kind():
    frame = pd.DataFrame(
        {
            "numbers": [0.1, np.nan, np.inf],
            "texts": pd.array(["a", None, "ü\n"], dtype="str"),
            "flags": [True, False, True],
            "when": pd.to_datetime(["2020-01-01", None, "2021-05-05"]).tz_localize("UTC"),
            "how long": pd.to_timedelta([1, 2, None], unit="s"),
        }
    )
    pd.testing.assert_frame_equal(there_and_back(Table("a.parquet", frame)).frame, frame)


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
