"""The files to try an upload with."""

import io

import pandas as pd

from antidote_core.datasets import uploads
from antidote_core.datasets.uploads import Choice, TextFormat


def test_every_sample_is_read_by_guessing() -> None:
    for sample in uploads.sample_files():
        table = uploads.read_table(sample.name, sample.content)
        assert not table.notes
        roles = uploads.guess_roles(uploads.column_facts(table.frame))
        assert len(roles.features) == 3
        encoded = uploads.encode(table, Choice(roles.features, (roles.protected,)), "a", "a")
        assert encoded.data.n > 250
    german = uploads.sample_files()[1]
    assert uploads.guess_format(german.name, german.content) == TextFormat(";", ",", ".", "cp1252")
    frame = uploads.read_table(german.name, german.content).frame
    with_pandas = pd.read_csv(
        io.BytesIO(german.content), sep=";", decimal=",", thousands=".", encoding="cp1252"
    )
    pd.testing.assert_frame_equal(frame, with_pandas, check_dtype=False)
