"""The blocks of Learn: the guided story, the playground, the words.

The plane is a drawing that can be clicked, without a chart library in between: a chart would be
built anew at every click, this drawing takes a few milliseconds.
"""

from pathlib import Path
from typing import Any

import streamlit as st

import antidote_core as ac
from antidote_core.numerals import number
from antidote_core.reporting.figures.tables import cluster_table, group_cost_table
from antidote_core.reporting.text.glossary import explain, find_terms
from antidote_core.reporting.text.words import balance_scale
from antidote_core.teaching import playground as play
from antidote_core.teaching.lessons import LESSONS, Lesson, Shown
from antidote_core.teaching.planar import Position, mix_html, plane_scene
from pages._ui.shared.frame import behind, is_dark
from pages._ui.shared.link import escape
from pages._ui.shared.settings import URL, one_of

FOLDER = Path(__file__).parent
_HTML = (
    '<div class="plane"><svg class="field" role="img" aria-label="The plane"></svg><ul></ul></div>'
)

_component = st.components.v2.component(
    "antidote_plane",
    html=_HTML,
    css=(FOLDER / "learn_plane.css").read_text(encoding="utf-8"),
    js=(FOLDER / "learn_plane.js").read_text(encoding="utf-8"),
)
STEPS = [str(number) for number in range(1, len(LESSONS) + 1)]
POINTS = "points"  # in the address of the page
PLACED, PAST, NOTE, HEARD, RIVAL = "_placed", "_past", "_play_note", "_heard", "_rival"


def draw_plane(
    scene: dict[str, Any], alt: str, key: str, heard: int = 0, on_click: Any = None
) -> None:
    """The picture of a scene, on which points are placed where somebody listens (`on_click`).

    `heard` is the time of the last click.
    """
    hint = " Arrow keys move a cross, with Shift in large steps; Enter places points there."
    listens = {"on_placed_change": on_click} if on_click else {}
    alt += hint if on_click else ""
    data = {"scene": scene, "alt": alt, "playable": bool(on_click), "heard": heard}
    _component(key=key, data=data, **listens)


def story() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        # What the buttons do depends on the step, which is chosen to their right.
        buttons = st.container(horizontal=True, width="content")
        step = one_of("Step", STEPS, "lesson", label_visibility="collapsed", width="content")
    place = STEPS.index(step)
    last = place + 1 == len(STEPS)
    turn = st.session_state.update
    back = {"lesson": STEPS[max(place - 1, 0)]}
    onward = {"part": "playground"} if last else {"lesson": STEPS[place + 1]}
    label = "Now you: the playground →" if last else "Next →"
    buttons.button("← Back", on_click=turn, args=(back,), disabled=place == 0, key="back")
    buttons.button(label, on_click=turn, args=(onward,), type="primary", key="next")
    lesson = LESSONS[place]
    st.subheader(f"{step}. {lesson.title}", anchor=False)
    st.markdown(lesson.text)
    picture, words = st.columns([3, 2], gap="large")
    with picture:
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
    behind(shown.table, "The numbers behind this picture")


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


def _placed() -> play.Clumps:
    return st.session_state.get(PLACED, ())


def _become(clumps: play.Clumps) -> None:
    """Change the points so that Undo can take it back."""
    st.session_state.setdefault(PAST, []).append(_placed())
    st.session_state[PLACED] = clumps
    st.session_state[NOTE] = ""


def _game() -> play.Game:
    return play.get_game(st.session_state["scene"], st.session_state["goal"])


def _put(x: float, y: float) -> None:
    copies = st.session_state["copies"]
    try:
        _become(play.place(_placed(), x, y, copies, _game().frame))
    except ac.AntidoteError as error:
        st.session_state[NOTE] = str(error)


def _clicked() -> None:
    for click in st.session_state["plane"]["placed"] or ():
        if click["at"] > st.session_state.get(HEARD, 0):
            st.session_state[HEARD] = click["at"]
            _put(float(click["x"]), float(click["y"]))


def _typed() -> None:
    _put(st.session_state["at_x"], st.session_state["at_y"])


def _undo() -> None:
    st.session_state[PLACED] = st.session_state[PAST].pop()
    st.session_state[NOTE] = ""


def _reset() -> None:
    _become(())
    st.session_state[RIVAL] = False


def _new_situation() -> None:
    """Another plane: what was placed on the last one means nothing here."""
    st.session_state.update({PLACED: (), PAST: [], NOTE: "", RIVAL: False})


def _read_link() -> None:
    """The points of a freshly opened link, or a sentence."""
    st.session_state[PLACED] = ()
    try:
        st.session_state[PLACED] = play.from_link(st.query_params.get(POINTS, ""), _game().frame)
    except ac.AntidoteError as error:
        st.session_state[NOTE] = str(error)


def _tell_note() -> None:
    """What went wrong with the last click or with the link."""
    if st.session_state.get(NOTE):
        st.warning(escape(st.session_state[NOTE]))


def _write_link() -> None:
    text = play.to_link(_placed())
    if text != st.query_params.get(POINTS, ""):
        if text:
            st.query_params[POINTS] = text
        else:
            del st.query_params[POINTS]


def playground() -> None:
    _settings()
    game = _game()
    if PLACED not in st.session_state:
        _read_link()
    score = play.score_to_beat(game.situation.name, game.goal)
    _board(game, score)
    _typing(game)


@st.fragment
def _board(game: play.Game, score: float) -> None:
    """What changes with a click; all the rest of the page stays as it is."""
    _write_link()
    position = game.position(_placed())
    rival = None
    if st.session_state.get(RIVAL):
        with st.spinner("The algorithm is trying…"):
            rival = play.let_the_algorithm_try(game.situation.name, game.goal)
    plane, figures = st.columns([3, 2], gap="large")
    with plane:
        _plane(game, position, rival)
        _buttons()
    with figures:
        _costs(game, position)
        st.markdown(play.score_sentence(game, position, score))
        if rival is not None:
            cost = position.cost(game.goal)
            st.info(play.contest_sentence(cost, len(position.antidote), rival))
            st.caption(play.checks_sentence(rival))
        st.html(mix_html(position.balance, game.planar.data.group_names, is_dark()))
    _behind(game, position)


def _settings() -> None:
    scene = one_of("Situation", list(play.SITUATIONS), "scene", on_change=_new_situation)
    situation = play.SITUATIONS[scene]
    st.markdown(f"**{situation.title}.** {situation.sentence}")
    with st.container(horizontal=True, gap="large"):
        one_of(
            "Play for the lowest cost of", play.GOALS, "goal", on_change=st.session_state.update,
            args=({RIVAL: False},), width="content",
        )  # fmt: skip
        st.slider(
            "Copies per click", 1, play.BUDGET, 1, key="copies", bind=URL, width=340,
            help="How many antidote points one click puts at the same place.",
        )  # fmt: skip


def _plane(game: play.Game, position: Position, rival: play.AlgorithmTry | None) -> None:
    plain = game.planar.vanilla
    scene = plane_scene(
        game.planar.data,
        game.frame,
        position.centers,
        before=plain.centers,
        antidote=position.antidote,
        rival=None if rival is None else rival.antidote,
        moved=position.moved,
        dark=is_dark(),
    )
    _tell_note()
    alt = play.alt_text(position, game.goal, plain.cost(game.goal))
    draw_plane(scene, alt, "plane", st.session_state.get(HEARD, 0), _clicked)


def _buttons() -> None:
    left = play.BUDGET - play.spent(_placed())
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{left} of {play.BUDGET} points left.** Click on the plane.")
        st.button("Undo", on_click=_undo, disabled=not st.session_state.get(PAST))
        st.button("Reset", on_click=_reset, disabled=not _placed())
        rival = {RIVAL: True}
        label = "Let the algorithm try"
        st.button(label, on_click=st.session_state.update, args=(rival,), type="primary")


def _typing(game: play.Game) -> None:
    """The way for those who cannot or will not click."""
    (left, bottom), (right, top) = game.frame
    with st.expander("Place by numbers or keyboard"), st.container(
        horizontal=True, vertical_alignment="bottom"
    ):  # fmt: skip
        st.number_input("x", float(left), float(right), 0.0, 0.5, "%.1f", key="at_x", width=130)
        st.number_input("y", float(bottom), float(top), 0.0, 0.5, "%.1f", key="at_y", width=130)
        st.button("Place", on_click=_typed)
        st.caption(
            "Or move to the plane with Tab: arrow keys move a cross, with Shift in large steps, "
            "Enter places."
        )
    st.caption("The address of this page holds your points: copy it to share them.")


def _costs(game: play.Game, position: Position) -> None:
    plain, names = game.planar.vanilla, game.planar.data.group_names
    now, before = position.balance.cost, plain.balance.cost
    paid, paid_before = position.social.cost, plain.social.cost
    with st.container(horizontal=True):
        _cost("balance cost", now, before, balance_scale(position.balance))
        _cost("social cost", paid, paid_before, f"paid by {names[position.social.group]}")


def _cost(word: str, now: float, before: float, scale: str) -> None:
    with st.container(width=220):
        st.metric(
            f"{word.capitalize()}, lower is fairer", number(now), f"{now - before:.3f}",
            delta_color="inverse", help=explain(word),
        )  # fmt: skip
        st.caption(f"before {number(before)}; {scale}")


def _behind(game: play.Game, position: Position) -> None:
    names = game.planar.data.group_names
    # Drawn only when somebody looks: three tables would make every click slower.
    behind = st.expander("The numbers behind this picture", key="behind", on_change="rerun")
    if behind.open:
        with behind:
            who, pay, placed = st.columns([3, 2, 2])
            who.dataframe(cluster_table(position.balance, names), hide_index=True)
            pay.dataframe(group_cost_table(position.social, names), hide_index=True)
            placed.dataframe(play.clump_table(_placed()), hide_index=True)
