"""The blocks that describe a data set: its name and form, its groups, its card."""

import streamlit as st

import antidote_core as ac
from antidote_core.reporting.figures import bars, tables
from antidote_core.reporting.text import words
from pages._ui.data import own_tables
from pages._ui.shared.link import escape
from pages._ui.shared.settings import DataSettings
from pages._ui.shared.show import chart, is_dark

SAMPLE = 2_000  # a sample every clustering can take


def offer_other_forms(settings: DataSettings) -> None:
    """A button for each other form of the set that can be shown here."""
    for form in own_tables.info(settings.name).forms():
        if form.available and form.name != settings.rows:
            label = f"Show this instead: {form.title}"
            st.button(label, on_click=_choose, args=("rows", form.name))


def offer_sample(data: ac.Dataset) -> None:
    """A button for those whose clustering cannot take so many points."""
    if data.n > SAMPLE:
        label = f"Take a sample of {SAMPLE:,} rows"
        st.button(label, on_click=_choose, args=("sample", SAMPLE))


def _choose(key: str, value: object) -> None:
    st.session_state[key] = value


def header(data: ac.Dataset) -> None:
    st.title(escape(data.title))
    st.markdown(
        f"**Shown:** {escape(data.source)}. {data.n:,} points, {data.points.shape[1]} features, "
        f"{len(data.group_names)} groups by {escape(data.protected)}."
    )


def group_sizes(data: ac.Dataset) -> None:
    st.subheader("How large the groups are")
    warning = words.small_groups(data)
    if warning:
        st.warning(escape(warning), icon="⚠️")
    alt = "Points per group: " + ", ".join(
        f"{name} {size:,}"
        for name, size in zip(data.group_names, data.group_sizes.tolist(), strict=True)
    )
    chart(bars.group_size_figure(data, is_dark()), tables.group_table(data), "sizes", alt)


def card(data: ac.Dataset) -> None:
    st.subheader("Before you trust it: the data card")
    about, made = st.columns(2, gap="large")
    if data.card is not None:
        with about:
            st.markdown(f"**What.** {data.card.what}")
            st.markdown(f"**Who made it.** {data.card.who}")
            st.markdown(f"**Licence.** {data.card.licence}")
            st.markdown(f"**Rows.** {data.card.rows}")
            st.markdown(f"**Groups.** {data.card.groups}")
            if data.card.url:
                st.markdown(f"**Source.** {data.card.url}")
        with made:
            st.markdown(f"**Known harms.** {data.card.harms}")
    with made:
        st.markdown("**What was changed on the way here.** " + escape(" ".join(data.notes)))
    with st.expander(f"The {len(data.feature_names)} features in their original units"):
        st.dataframe(tables.feature_table(data), hide_index=True)
