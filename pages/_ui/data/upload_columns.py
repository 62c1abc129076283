"""What to make of a table: who is compared, by what, what becomes of gaps and categories."""

from typing import Literal

import streamlit as st

from antidote_core.datasets import uploads
from antidote_core.reporting.figures import bars
from pages._ui.data.upload_file import Brought
from pages._ui.shared.link import escape
from pages._ui.shared.show import chart, is_dark, or_show_error

NONE = "(none)"
RANGES = 3  # to begin with, for a protected column of numbers
UNUSABLE = ("empty", "always the same", "dates", "texts")


def choose(brought: Brought, facts: tuple[uploads.ColumnFacts, ...]) -> uploads.Choice | None:
    """The choice of the visitor, guesses first; None while it cannot be used."""
    guess = uploads.guess_roles(facts)
    mark = brought.mark
    names = [f.name for f in facts]
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Who is compared", anchor=False)
        groups, protected, join, ranges = _groups(brought, guess, names, mark)
    with right:
        st.subheader("By what they are clustered", anchor=False)
        features, categorical, categories = _features(facts, guess, protected, mark)
        st.subheader("What becomes of gaps", anchor=False)
        missing = _missing(brought, features, protected, mark)
    if groups is None or not features:
        return None
    return uploads.Choice(
        tuple(features), protected, missing, categories, categorical, join, ranges
    )


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
    others = [NONE, *(name for name in names if name != first)]
    second = st.selectbox(
        "And a second one, for the groups of both together", others, key=f"up-second-{mark}",
        help="For instance sex and origin: every pair that occurs is a group.",
    )  # fmt: skip
    protected = (first,) if second == NONE else (first, second)
    ranges = 0
    if any(uploads.can_be_cut(frame[name]) for name in protected):
        ranges = st.slider(
            "Numbers become so many ranges", 2, 6, RANGES, key=f"up-ranges-{mark}",
            help="Each range holds about as many rows.",
        )  # fmt: skip
    place = st.container()
    join_key = f"up-join-{mark}"
    join = st.number_input(
        "Join groups of fewer rows than this", 0, 1_000_000, 0, key=join_key,
        help="They become one group, (others). 0 joins nothing.",
    )  # fmt: skip
    groups = or_show_error(uploads.find_groups, frame, protected, join, ranges)
    if groups is None:
        return None, protected, join, ranges
    with place:
        _show_groups(groups, join_key)
    return groups, protected, join, ranges


def _show_groups(groups: uploads.Groups, join_key: str) -> None:
    for warning in uploads.group_warnings(groups):
        st.warning(escape(warning), icon="⚠️")
    helpful = uploads.helpful_minimum(groups.sizes)
    if helpful:
        st.button(
            f"Join groups of fewer than {helpful:,} rows", on_click=_set, args=(join_key, helpful)
        )
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


def _set(key: str, value: int) -> None:
    st.session_state[key] = value


def _features(
    facts: tuple[uploads.ColumnFacts, ...], guess: uploads.Roles, protected: tuple, mark: str
) -> tuple:
    kinds = {f.name: f.kind for f in facts}
    offered = [f.name for f in facts if f.name not in protected]
    features = st.multiselect(
        "Features: the columns to cluster by", offered,
        default=[name for name in guess.features if name in offered],
        key=f"up-features-{mark}-{'-'.join(protected)}",
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
