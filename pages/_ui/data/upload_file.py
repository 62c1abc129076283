"""Bringing a file: the limits, samples to try, how it is written, what was read of it."""

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.datasets import uploads
from antidote_core.engine.process.isolated_read import (
    Full,
    read_isolated,
    sheet_names_isolated,
)
from pages._ui.shared import rooms
from pages._ui.shared.link import escape
from pages._ui.shared.show import or_show_error

LIMIT = uploads.size_words(uploads.MAX_BYTES)
MEGABYTES = uploads.MAX_BYTES // 1024**2


@dataclass(frozen=True)
class Brought:
    """A table, and a key that changes with the file and with how it is read."""

    table: uploads.Table
    key: tuple

    @property
    def mark(self) -> str:
        """For the keys of widgets: what is guessed anew when the file is read in another way."""
        name, digest, form, sheet, _ = self.key
        return hashlib.sha256(repr((name, digest, form, sheet)).encode()).hexdigest()[:12]


def bring() -> Brought | None:
    """The file that was chosen, read as the settings below it say; None without a usable one."""
    file = st.file_uploader(
        f"CSV, TSV, Parquet or Excel (.xlsx), at most {LIMIT}",
        type=[ending.removeprefix(".") for ending in uploads.KINDS],
        key="upload",
        max_upload_size=MEGABYTES,
    )
    st.caption(
        f"One line of column names, then one line per person. Larger than {LIMIT}: take a random "
        "sample of the rows, or only the columns you need. **Private:** the table stays in the "
        "memory of this server for this browser only, is never shown to anyone else, and is gone a "
        "few minutes after you close the page, together with the runs on it."
    )
    if file is None:
        samples()
        return None
    content = file.getvalue()
    kind = or_show_error(uploads.file_kind, file.name, content)
    if kind is None:
        return None
    digest = hashlib.sha256(content).hexdigest()
    form, sheet, blanks = _how(kind, file.name, content, digest[:8])
    if blanks is None:
        return None
    key = (file.name, digest, form, sheet, blanks)
    table = or_show_error(
        _answer, "table", key, lambda: read_isolated(file.name, content, form, sheet, blanks)
    )
    return None if table is None else Brought(table, key)


def samples() -> None:
    """Files to try it with."""
    st.markdown("**No file at hand?** Download one of these and upload it (made-up people):")
    with st.container(horizontal=True):
        for sample in _samples():
            st.download_button(
                f"{sample.name}", sample.content, sample.name, "text/csv", on_click="ignore",
                help=sample.sentence,
            )  # fmt: skip
    st.caption("  \n".join(f"{escape(sample.name)}: {sample.sentence}" for sample in _samples()))


@cache
def _samples() -> tuple[uploads.Sample, ...]:
    return uploads.sample_files()


def _answer(kind: str, key: Hashable, read: Callable[[], Any]) -> Any:
    """What was read, or why it is refused, as an error: also a slow refusal is met once only."""
    found = rooms.mine().kept(kind, key, lambda: _or_refusal(read), 2, "Reading the table…")
    if isinstance(found, str):
        raise ac.DataError(found)
    return found


def _or_refusal(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except Full:
        raise
    except ac.DataError as error:
        return str(error)


def _how(kind: str, name: str, content: bytes, mark: str) -> tuple:
    """Format, sheet and texts for gaps: guessed first, and then as the widgets say."""
    form = sheet = None
    if kind == "text":
        guess = or_show_error(uploads.guess_format, name, content)
        if guess is None:
            return None, None, None
        said = (
            f"separated by {_words(uploads.SEPARATORS, guess.separator)}, "
            f"decimal {_words(uploads.DECIMALS, guess.decimal)}, "
            f"thousands {_words(uploads.THOUSANDS, guess.thousands)}, "
            f"{uploads.ENCODINGS[guess.encoding]}"
        )
    elif kind == "excel":
        names = or_show_error(
            _answer, "sheets", (name, mark), lambda: sheet_names_isolated(name, content)
        )
        if names is None:
            return None, None, None
        said = f"sheet {names[0]}, of {len(names)}"
    else:
        said = "nothing to guess: a Parquet file says it itself"
    with st.expander(f"Guessed: {escape(said)}. Change it if the table below looks wrong."):
        if kind == "text":
            form = or_show_error(_form, guess, mark)
            if form is None:
                return None, None, None
        elif kind == "excel":
            sheet = st.selectbox("Sheet", names, key=f"up-sheet-{mark}")
        texts = st.text_input(
            "Cells that mean “no value”, besides empty ones",
            ", ".join(uploads.USUAL_BLANKS),
            key=f"up-blanks-{mark}",
            help="Separated by commas. Empty cells, ? and nan always count as gaps.",
        )
    return form, sheet, tuple(text.strip() for text in texts.split(",") if text.strip())


def _form(guess: uploads.TextFormat, mark: str) -> uploads.TextFormat:
    columns = st.columns(4)
    chosen = []
    for column, label, options, value in zip(
        columns,
        ("Separator", "Decimal sign", "Thousands sign", "Encoding"),
        (uploads.SEPARATORS, uploads.DECIMALS, uploads.THOUSANDS, uploads.ENCODINGS),
        (guess.separator, guess.decimal, guess.thousands, guess.encoding),
        strict=True,
    ):
        signs = list(options)
        chosen.append(
            column.selectbox(
                label, signs, index=signs.index(value), format_func=options.__getitem__,
                key=f"up-{label}-{mark}",
            )
        )  # fmt: skip
    return uploads.TextFormat(*chosen)


def _words(options: dict[str, str], sign: str) -> str:
    return options[sign]


def show(brought: Brought) -> tuple[uploads.ColumnFacts, ...]:
    """The first rows and what every column holds."""
    frame = brought.table.frame
    st.markdown(
        f"**{escape(brought.table.name)}:** {len(frame):,} rows, {len(frame.columns):,} columns. "
        "The first rows:"
    )
    st.dataframe(uploads.preview(frame), hide_index=True, key="preview")
    for note in brought.table.notes:
        st.warning(escape(note), icon="⚠️")
    facts = rooms.mine().kept("facts", brought.key, lambda: uploads.column_facts(frame), most=2)
    with st.expander("What every column holds"):
        st.dataframe(uploads.facts_table(facts), hide_index=True)
    return facts
