"""The blocks of Data: the data set, its groups and card, and what plain clustering does to it."""

import streamlit as st

import antidote_core as ac
from antidote_core import numerals
from antidote_core.analysis.snapshots import VanillaReport
from antidote_core.clustering import CLUSTERINGS
from antidote_core.fairness import FAIRNESS
from antidote_core.projection import MAP_LIMIT, cluster_cells, map_rows
from antidote_core.reporting.figures import bars, tables
from antidote_core.reporting.figures.maps import colored, map_figure, map_frame
from antidote_core.reporting.text import glossary, words
from antidote_core.reporting.text.glossary import explain
from pages._ui.jobs import store
from pages._ui.jobs.job_settings import OTHER, PAIRS
from pages._ui.shared import answers, own_tables
from pages._ui.shared.frame import behind, carry_to, chart, is_dark, marked, numbers_with_scales
from pages._ui.shared.link import escape, title_of
from pages._ui.shared.settings import URL, ClusteringSettings, DataSettings, one_of

SAMPLE = 2_000  # a sample every clustering can take


def offer_other_forms(settings: DataSettings) -> None:
    """A button for each other form of the set that can be shown here."""
    for form in own_tables.info(settings.name).forms():
        if form.available and form.name != settings.rows:
            label = f"Show this instead: {form.title}"
            st.button(label, on_click=st.session_state.update, args=({"rows": form.name},))


def offer_sample(data: ac.Dataset) -> None:
    """A button for those whose clustering cannot take so many points."""
    if data.n > SAMPLE:
        label = f"Take a sample of {SAMPLE:,} rows"
        st.button(label, on_click=st.session_state.update, args=({"sample": SAMPLE},))


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
    figure, alt = bars.group_size_figure(data, is_dark()), bars.group_size_words(data)
    chart(figure, tables.group_table(data), "sizes", alt)


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
    title = f"The {len(data.feature_names)} features in their original units"
    behind(tables.feature_table(data), title)


def verdict(data: ac.Dataset, choice: ClusteringSettings, report: VanillaReport) -> None:
    entry = CLUSTERINGS[choice.clustering]
    starts = ", one start" if choice.restarts == 1 else f", the best of {choice.restarts} starts"
    said = starts if entry.drawn else ""
    st.markdown(f"Plain {entry.title} with {choice.k} clusters{said}:")
    st.subheader(escape(words.balance_sentence(report.balance, data.group_names)), anchor=False)
    balance, social = report.balance, report.social
    numbers_with_scales(
        ("Balance cost, lower is fairer", numerals.number(balance.cost),
         f"−1 best, 0 worst; {words.balance_scale(balance)}", explain("balance cost")),
        ("Social cost, lower is fairer", numerals.number(social.cost),
         words.social_sentence(social, data.group_names), explain("social cost")),
    )  # fmt: skip


def repair(
    wanted: DataSettings,
    choice: ClusteringSettings,
    fairness: str = "balance",
    label: str = "Repair this clustering →",
) -> None:
    """A button that leads to Explore with the same data, groups and clusters."""
    if st.button(label, type="primary"):
        store.show(store.RUN, None)
        values = to_explore(wanted, choice, fairness)
        pair = str(values["pair"])
        chosen = {"cost": fairness} if pair == OTHER else {}
        carry_to("explore", values, {"pair": title_of("pair")(pair), **chosen})


def to_explore(
    wanted: DataSettings, choice: ClusteringSettings, fairness: str
) -> dict[str, str | int | None]:
    """What the widgets of Explore show for these data with this clustering and this cost."""
    both = (choice.clustering, fairness)
    return {
        "data": wanted.name, "protected": wanted.protected, "rows": wanted.rows,
        "sample": wanted.sample, "seed": wanted.seed, "k": choice.k, "restarts": choice.restarts,
        "pair": next((name for name, known in PAIRS.items() if known == both), OTHER),
        "method": choice.clustering, "cost": fairness,
    }  # fmt: skip


def which_notion(wanted: DataSettings, choice: ClusteringSettings) -> None:
    """A few questions that end in a cost, and in Explore."""
    st.subheader("Which notion of fairness fits?", anchor=False)
    place: glossary.Question | str = glossary.NOTIONS
    number = 0
    while isinstance(place, glossary.Question):
        options = list(place.answers)
        answer = st.radio(place.text, options, index=None, key=f"notion-{number}")
        if answer is None:
            return
        place, number = place.answers[answer], number + 1
    cost = FAIRNESS[place]
    st.markdown(f"**{cost.title}.** {cost.sentence}")
    repair(wanted, choice, place, f"Repair it by {place} →")


def who_is_where(data: ac.Dataset, report: VanillaReport) -> None:
    st.subheader("Who is in which cluster")
    names = data.group_names
    chart(
        bars.cluster_mix_figure(report.balance, names, is_dark()),
        tables.cluster_table(report.balance, names),
        "mix",
        words.balance_sentence(report.balance, names),
    )
    st.caption(
        "Points of the group in the cluster · part of its fair share it has there (100 % where the "
        "cluster has the group's share in the whole data). The marked cell decides the cost."
    )
    st.dataframe(marked(tables.ratio_table(report.balance, names)))


def group_costs(data: ac.Dataset, report: VanillaReport) -> None:
    st.subheader("What each group pays")
    names = data.group_names
    chart(
        bars.group_cost_figure(report.social, names),
        tables.group_cost_table(report.social, names),
        "costs",
        words.social_sentence(report.social, names),
    )
    st.caption("Cost of a group: the average squared distance of its points to their centre.")


def point_map(data: ac.Dataset, choice: ClusteringSettings, report: VanillaReport) -> None:
    st.subheader("Map")
    dark = is_dark()
    color = one_of("Colour by", ["group", "cluster"], "color")
    show_all = data.n > MAP_LIMIT and st.toggle("Show all points (slow)", key="all", bind=URL)
    rows = map_rows(data.n, choice.seed, None if show_all else MAP_LIMIT)
    plane = answers.plane(data)
    solution = report.solution
    codes, names, marks = colored(data, solution.labels, choice.k, color, dark)
    places = plane.place(data.points[rows])
    # Only there is a cluster a cell of the plane: two features, every point at its nearest centre.
    has_cells = plane.exact and CLUSTERINGS[choice.clustering].by_nearest_center
    cells = cluster_cells(solution.centers, *map_frame(places)) if has_cells else ()
    figure = map_figure(
        places,
        codes[rows],
        names,
        marks,
        plane.names,
        centers=plane.place(solution.centers),
        cells=cells,
        square=plane.exact,
        dark=dark,
    )
    caption = words.map_caption(plane.share, plane.exact, len(rows), data.n, choice.seed)
    counts = report.balance.counts.sum(axis=1)
    chart(figure, tables.center_table(data, solution.centers, counts), "map", caption, movable=True)
    st.caption(caption)


def quality(report: VanillaReport) -> None:
    st.subheader("How good is the clustering, fairness aside?")
    scores = report.quality
    numbers_with_scales(
        ("Silhouette", numerals.number(scores.silhouette),
         f"−1 to 1, higher is better; on {scores.silhouette_sample:,} points",
         "How much nearer points lie to their own cluster than to the next one."),
        ("Davies-Bouldin", numerals.number(scores.davies_bouldin), "0 is perfect, lower is better",
         "How wide clusters are compared with the distance between their centres."),
        ("Calinski-Harabasz", numerals.number(scores.calinski_harabasz, 1),
         "higher is better; compare only on the same data",
         "Spread between clusters divided by the spread inside them."),
    )  # fmt: skip
