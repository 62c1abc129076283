"""The guided story: one step at a time, one picture and one control each."""

import streamlit as st

from antidote_core.reporting.text.glossary import explain, find_terms
from antidote_core.teaching.lessons import LESSONS, Lesson, Shown
from pages._ui.learn.plane import draw_plane
from pages._ui.shared.background import patience
from pages._ui.shared.settings import URL
from pages._ui.shared.show import is_dark

STEPS = [str(number) for number in range(1, len(LESSONS) + 1)]


def _go(step: str) -> None:
    st.session_state["lesson"] = step


def _play() -> None:
    st.session_state["part"] = "playground"


def story() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        # What the buttons do depends on the step, which is chosen to their right.
        buttons = st.container(horizontal=True, width="content")
        step = st.segmented_control(
            "Step", STEPS, key="lesson", bind=URL, default="1", required=True,
            label_visibility="collapsed", width="content",
        )  # fmt: skip
    place = STEPS.index(step)
    last = place + 1 == len(STEPS)
    buttons.button(
        "← Back", on_click=_go, args=(STEPS[max(place - 1, 0)],), disabled=place == 0, key="back"
    )
    buttons.button(
        "Now you: the playground →" if last else "Next →",
        on_click=_play if last else _go,
        args=() if last else (STEPS[place + 1],),
        type="primary",
        key="next",
    )
    lesson = LESSONS[place]
    st.subheader(f"{step}. {lesson.title}", anchor=False)
    st.markdown(lesson.text)
    picture, words = st.columns([3, 2], gap="large")
    with picture, patience():
        shown = lesson.show(_control(lesson), is_dark())
        _picture(lesson, shown)
    with words:
        st.markdown(shown.sentence)
        with st.container(horizontal=True):
            for figure in shown.figures:
                with st.container(width=230):
                    st.metric(figure.label, figure.value, help=explain(figure.word))
                    st.caption(figure.note)
        if shown.mix:
            st.html(shown.mix)
        st.info(lesson.moral)
    with st.expander("The numbers behind this picture"):
        st.dataframe(shown.table, hide_index=True)


def _control(lesson: Lesson) -> int | str:
    options, key = lesson.options(), f"control-{lesson.name}"
    if len(options) > 5:
        return st.select_slider(lesson.label, options, value=lesson.default, key=key)
    return st.segmented_control(
        lesson.label, options, default=lesson.default, required=True, key=key
    )


def _picture(lesson: Lesson, shown: Shown) -> None:
    if shown.scene is not None:
        draw_plane(shown.scene, shown.alt, f"plane-{lesson.name}")
    else:
        st.plotly_chart(
            shown.chart, key=f"chart-{lesson.name}", config={"displayModeBar": False},
            alt=shown.alt,
        )  # fmt: skip


def glossary() -> None:
    wanted = st.text_input("Find a word or a symbol", placeholder="for example α or balance")
    found = find_terms(wanted)
    if not found:
        st.markdown("Nothing here has that word; try a shorter one.")
    for term in found:
        symbol = f" ({term.symbol})" if term.symbol else ""
        st.markdown(f"**{term.word}{symbol.replace('|', chr(92) + '|')}**: {term.sentence}")
