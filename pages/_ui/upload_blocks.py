"""Your own table: bring a file, say what its columns are, use it on every page."""

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cache
from pathlib import PurePath
from typing import Any, Literal

import streamlit as st

import antidote_core as ac
from antidote_core.datasets import uploads
from antidote_core.datasets.frame import MAX_PROTECTED
from antidote_core.engine.process.isolated_read import Full, read_isolated, sheet_names_isolated
from antidote_core.reporting.figures import bars
from pages._ui.jobs import store
from pages._ui.shared import own_tables, rooms
from pages._ui.shared.frame import behind, carry_to, chart, is_dark, listed, or_show_error
from pages._ui.shared.link import escape

LIMIT = uploads.size_words(uploads.MAX_BYTES)
_samples = cache(uploads.sample_files)
MEGABYTES = uploads.MAX_BYTES // 1024**2
MOST_LISTED = 1_000  # lines of a table on the page
RANGES = 3  # to begin with, for a protected column of numbers
NONE = "(none)"
UNUSABLE = ("empty", "always the same", "dates", "texts")
SAID = "_upload_said"


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
    room = rooms.mine()
    file = st.file_uploader(
        f"CSV, TSV, Parquet or Excel (.xlsx), at most {LIMIT}",
        type=[ending.removeprefix(".") for ending in uploads.KINDS],
        key="upload",
        max_upload_size=MEGABYTES,
        on_change=_let_go,
    )
    st.caption(
        f"One line of column names, then one line per person. Larger than {LIMIT}: take a random "
        "sample of the rows, or only the columns you need. **Private:** the table stays in the "
        "memory of this server for this browser only, is never shown to anyone else, and is gone a "
        "few minutes after you close the page, together with the runs on it."
    )
    if file is not None:
        room.brought = or_show_error(_read, file.name, file.getvalue())
    elif room.brought is None:
        samples()
    else:
        name = escape(room.brought.table.name)
        st.info(
            f"**{name}** is still here, with what you chose below. To read it with another "
            "separator or sheet, or to take another file, upload it above."
        )
    found: Brought | None = room.brought
    return found


def _let_go() -> None:
    """Another file was chosen, or the one that was here was taken away."""
    rooms.mine().brought = None


def _read(name: str, content: bytes) -> Brought:
    kind = uploads.file_kind(name, content)
    digest = hashlib.sha256(content).hexdigest()
    form, sheet, blanks = _how(kind, name, content, digest[:8])
    key = (name, digest, form, sheet, blanks)
    table = _answer("table", key, lambda: read_isolated(name, content, form, sheet, blanks))
    return Brought(table, key)


def samples() -> None:
    """Files to try it with."""
    st.markdown("**No file at hand?** Download one of these and upload it (made-up people):")
    with st.container(horizontal=True):
        for sample in _samples():
            rooms.ROOMS.everyone.files.hold("samples", sample.name, "text/csv", sample.content)
            st.download_button(
                f"{sample.name}", sample.content, sample.name, "text/csv", on_click="ignore",
                help=sample.sentence,
            )  # fmt: skip
    st.caption("  \n".join(f"{escape(sample.name)}: {sample.sentence}" for sample in _samples()))


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
        guess = uploads.guess_format(name, content)
        said = (
            f"separated by {uploads.SEPARATORS[guess.separator]}, "
            f"decimal {uploads.DECIMALS[guess.decimal]}, "
            f"thousands {uploads.THOUSANDS[guess.thousands]}, "
            f"{uploads.ENCODINGS[guess.encoding]}"
        )
    elif kind == "excel":
        names = _answer("sheets", (name, mark), lambda: sheet_names_isolated(name, content))
        said = f"sheet {names[0]}, of {len(names)}"
    else:
        said = "nothing to guess: a Parquet file says it itself"
    with st.expander(f"Guessed: {escape(said)}. Change it if the table below looks wrong."):
        if kind == "text":
            form = _form(guess, mark)
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
    behind(uploads.facts_table(facts), "What every column holds")
    return facts


def choose(brought: Brought, facts: tuple[uploads.ColumnFacts, ...]) -> uploads.Choice | None:
    """The choice of the visitor, guesses first; None while it cannot be used."""
    guess = uploads.guess_roles(facts)
    mark = brought.mark
    names = [f.name for f in facts]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Who is compared", anchor=False)
        groups, protected, join, ranges = _groups(brought, guess, names, mark)
        weights = _weights(facts, protected, mark)
    with right:
        st.subheader("By what they are clustered", anchor=False)
        taken = protected if weights is None else (*protected, weights)
        features, categorical, categories = _features(facts, guess, taken, mark)
        others = [name for name in names if name not in (*features, *taken)]
        ids = st.multiselect(
            "ID columns: kept for joining, never computed with", others,
            default=[name for name in guess.ids if name in others],
            key=f"up-ids-{mark}-{_key(others)}", placeholder="none",
            help="Such as a customer number. They stand in assignments.csv, copies.csv and "
            "weights.csv beside the row number.",
        )  # fmt: skip
        st.subheader("What becomes of gaps", anchor=False)
        missing = _missing(brought, features, protected, mark)
    if groups is None or not features:
        return None
    return uploads.Choice(
        tuple(features), protected, missing, categories, categorical, join, ranges, weights,
        ids=tuple(ids),
    )  # fmt: skip


def _key(names: list[str]) -> str:
    """For the key of a widget whose options these are."""
    return hashlib.sha256(repr(names).encode()).hexdigest()[:8]


def _weights(
    facts: tuple[uploads.ColumnFacts, ...], protected: tuple[str, ...], mark: str
) -> str | None:
    """The column that says how many people a row stands for, if the visitor names one."""
    numbers = [f.name for f in facts if f.kind == "numbers" and f.name not in protected]
    chosen = st.selectbox(
        "Weights: how many people a row stands for", [NONE, *numbers], key=f"up-weights-{mark}",
        help="For survey data. The column is no feature then; clusters, groups and costs count "
        "every row by its weight, and a copy of a row weighs 1.",
    )  # fmt: skip
    return None if chosen == NONE else str(chosen)


def _groups(brought: Brought, guess: uploads.Roles, names: list[str], mark: str) -> tuple:
    frame = brought.table.frame
    first = st.selectbox(
        "Protected attribute: the column with the groups", names,
        index=names.index(guess.protected) if guess.protected else None,
        placeholder="choose a column", key=f"up-protected-{mark}",
        help="A fair clustering treats these groups alike, such as sex or origin.",
    )  # fmt: skip
    if first is None:
        st.info("No column looks like groups; choose one.")
        return None, (), 0, 0
    more = st.multiselect(
        "And others, for the groups of all together", [name for name in names if name != first],
        key=f"up-more-{mark}-{_key([first])}", placeholder="none",
        max_selections=MAX_PROTECTED - 1,
        help="For instance sex and origin: every combination that occurs is a group.",
    )  # fmt: skip
    protected = (first, *more)
    ranges = 0
    if any(uploads.can_be_cut(frame[name]) for name in protected):
        ranges = st.slider(
            "Numbers become so many ranges", 2, 6, RANGES, key=f"up-ranges-{mark}",
            help="Each range holds about as many rows.",
        )  # fmt: skip
    place = st.container()
    keys = (f"up-least-{mark}", f"up-join-{mark}")
    least = st.number_input(
        "A group should have at least so many rows", 2, 1_000_000, uploads.SMALL_GROUP, key=keys[0],
        help="You are warned of smaller ones: their shares and averages are mostly chance.",
    )  # fmt: skip
    joined = st.toggle("Join smaller groups into one, “other”", key=keys[1])
    join = least if joined else 0
    groups = or_show_error(uploads.find_groups, frame, protected, join, ranges)
    if groups is None:
        return None, protected, join, ranges
    with place:
        _show_groups(groups, least, keys)
    return groups, protected, join, ranges


def _show_groups(groups: uploads.Groups, least: int, keys: tuple[str, str]) -> None:
    for warning in uploads.group_warnings(groups, least):
        st.warning(escape(warning), icon="⚠️")
    helpful = uploads.helpful_minimum(groups.sizes)
    if helpful:
        st.button(
            f"Join groups of fewer than {helpful:,} rows", on_click=st.session_state.update,
            args=(dict(zip(keys, (helpful, True), strict=True)),),
        )  # fmt: skip
    sizes = groups.sizes
    if len(sizes) > uploads.MOST_SHOWN:
        sizes = dict(sorted(sizes.items(), key=lambda item: -item[1])[: uploads.MOST_SHOWN])
        st.caption(f"The largest {len(sizes)} of {len(groups.names):,} groups:")
    if sizes:
        alt = "Rows per group: " + ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        figure = bars.size_figure(sizes, "rows", is_dark(), sum(groups.sizes.values()))
        chart(figure, uploads.sizes_table(groups.sizes), "upload-sizes", alt)
    if groups.unknown:
        st.caption(f"{groups.unknown:,} rows have no group and are left out.")


def _features(
    facts: tuple[uploads.ColumnFacts, ...], guess: uploads.Roles, taken: tuple, mark: str
) -> tuple:
    kinds = {f.name: f.kind for f in facts}
    offered = [f.name for f in facts if f.name not in taken]
    features = st.multiselect(
        "Features: the columns to cluster by", offered,
        default=[name for name in guess.features if name in offered],
        key=f"up-features-{mark}-{'-'.join(taken)}",
        help="Guessed: all columns of numbers that are no row numbers.",
    )  # fmt: skip
    if not features:
        st.info("Choose at least one column to cluster by.")
    for name in features:
        if kinds[name] in UNUSABLE:
            st.warning(escape(_odd(name, kinds[name])), icon="⚠️")
    numbers = [name for name in features if kinds[name] == "numbers"]
    categorical = st.multiselect(
        "Numbers that are really categories", numbers, key=f"up-codes-{mark}",
        placeholder="none", help="Codes such as 1 = clerk, 2 = nurse.",
    )  # fmt: skip
    words = [n for n in features if kinds[n] not in ("numbers", "row number")]
    categories = "levels"
    if words or categorical:
        categories = st.radio(
            f"Categories ({escape(', '.join([*words, *categorical]))}) become",
            list(uploads.CATEGORIES), format_func=uploads.CATEGORIES.__getitem__,
            key=f"up-categories-{mark}",
        )  # fmt: skip
    return features, tuple(categorical), categories


def _odd(name: str, kind: str) -> str:
    remedy = {
        "texts": "so many different texts say little about who is alike; "
        "“how common the category is” can still take it",
        "dates": "turn it into a number first, such as a year",
    }.get(kind, "it says nothing about who is alike")
    return f"{name}: {kind}. Leave it out: {remedy}."


def _missing(
    brought: Brought, features: list[str], protected: tuple[str, ...], mark: str
) -> Literal["drop", "impute"]:
    if not features or not protected:
        return "drop"
    gaps = uploads.count_gaps(brought.table.frame, features, protected)
    if not gaps.dropped:
        st.caption("No gaps in these columns: all rows are used.")
        return "drop"
    cells = ", ".join(f"{name} {count:,}" for name, count in gaps.cells.items())
    if cells:
        st.caption(escape(f"Gaps per column: {cells}."))
    ungrouped = f"; {gaps.without_group:,} rows without a group go" if gaps.without_group else ""
    ways: dict[Literal["drop", "impute"], str] = {
        "drop": "leave the row out",
        "impute": "fill the gap in",
    }
    return st.radio(
        "Rows with a gap",
        list(ways),
        format_func=ways.__getitem__,
        captions=[
            f"{gaps.dropped:,} of {gaps.rows:,} rows go",
            f"{gaps.filled:,} cells filled (median, or a category of its own){ungrouped}",
        ],
        key=f"up-missing-{mark}",
    )


def draw() -> None:
    with st.container(horizontal=True):  # where the title keeps its distance
        st.title("Your own table", anchor=False)
    if SAID in st.session_state:
        st.success(escape(st.session_state.pop(SAID)))
    yours()
    brought = bring()
    if brought is None:
        return
    facts = show(brought)
    choice = choose(brought, facts)
    if choice is not None:
        _use(brought, choice)


def draw_in(place: Any) -> None:
    """The same in a part of another page."""
    with place:
        draw()


def yours() -> None:
    """The tables of this browser, each with what can be done with it."""
    for name, data in own_tables.own_tables().items():
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escape(name)}**: {escape(data.source)}, groups by "
                        f"{escape(data.protected)}")  # fmt: skip
            if st.button("Use this data", key=f"use-{name}"):
                lead_on(name)
            forget_button(name)


def forget_button(name: str) -> None:
    st.button(
        "Forget this data now", key=f"forget-{name}", on_click=forget, args=(name,),
        help="The table and all runs on it are deleted at once.",
    )  # fmt: skip


def forget(name: str) -> None:
    runs = own_tables.forget(name)
    if st.session_state.get("data") == name:
        st.session_state.pop("data")
    if runs:
        for kind in (store.RUN, store.SWEEP):
            store.show(kind, None)
    word = "run" if runs == 1 else "runs"
    st.session_state[SAID] = f"Forgotten: {name} and {runs} {word} on it."


def _use(brought: Brought, choice: uploads.Choice) -> None:
    st.subheader("Use it", anchor=False)
    title = st.text_input(
        "Name of the data set", PurePath(brought.table.name).stem[:40], max_chars=40,
        key=f"up-name-{brought.mark}",
    )  # fmt: skip
    title = uploads.clean_text(title) or "table"
    name = own_tables.choosable_name(title)
    encoded = or_show_error(
        rooms.mine().kept, "encoded", (brought.key, choice, name, title),
        lambda: uploads.encode(brought.table, choice, name, title), 2, "Preparing the data…",
    )  # fmt: skip
    if encoded is None:
        return
    data = encoded.data
    filled = f", {encoded.filled:,} cells filled in" if encoded.filled else ""
    st.markdown(
        f"**{data.n:,} rows** by **{data.points.shape[1]} features**, {len(data.group_names)} "
        f"groups; {encoded.dropped:,} of {encoded.rows:,} rows left out{filled}. It will stand as "
        f"**{escape(name)}** among the data sets on every page."
    )
    with st.expander("What is done to the table"):
        listed(data.notes)
    left_out(data)
    pressed = st.button("Use this data", type="primary", key="use-new")
    if pressed and or_show_error(own_tables.keep, data):
        lead_on(name)


def left_out(data: ac.Dataset) -> None:
    """Rows and columns of the table that are not used, each with the reason."""
    if data.origin is None or data.origin.left_out.empty:
        return
    table = data.origin.left_out
    counts = table["what"].value_counts()
    said = " and ".join(
        f"{count:,} {what}{'' if count == 1 else 's'}" for what, count in counts.items()
    )
    behind(table.head(MOST_LISTED), f"Left out, with the reason: {said}")
    if len(table) > MOST_LISTED:
        st.caption(f"The first {MOST_LISTED:,}; left_out.csv in the ZIP of a run has all of them.")


def lead_on(name: str) -> None:
    """To Explore, with this data chosen and no older run in the way."""
    store.show(store.RUN, None)
    info = own_tables.info(name)
    usual = {"protected": info.protected[0], "rows": info.forms()[0].name, "sample": None}
    carry_to("explore", {"data": name, **usual})
