"""The blocks of Learn: the guided story, the playground, the words.

The plane is a drawing that can be clicked, without a chart library in between: a chart would be
built anew at every click, this drawing takes a few milliseconds.
"""

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

import antidote_core as ac
from antidote_core.numerals import number
from antidote_core.reporting.figures.tables import cluster_table, group_cost_table
from antidote_core.reporting.text.glossary import explain, find_terms
from antidote_core.reporting.text.words import balance_scale
from antidote_core.teaching import playground as play
from antidote_core.teaching.lessons import LESSONS, Lesson, Shown
from antidote_core.teaching.planar import Position, Scene, mix_html, plane_scene
from antidote_core.types import Floats
from pages._ui.jobs.job_blocks import to_example
from pages._ui.shared import rooms
from pages._ui.shared.frame import behind, is_dark
from pages._ui.shared.link import escape
from pages._ui.shared.own_tables import own_tables
from pages._ui.shared.settings import OWN_TABLE, URL, one_of

FOLDER = Path(__file__).parent
_HTML = """<div class="plane"><svg class="field" role="img" aria-label="The plane"></svg>
<div class="film" hidden><p class="title"></p><p class="words"></p><div class="beside"></div>
<div class="bar"><button type="button"></button>
<input type="range" min="0" value="0" aria-label="Antidote points added"></div></div>
<ul></ul></div>"""

_component = st.components.v2.component(
    "antidote_plane",
    html=_HTML,
    css=(FOLDER / "learn_plane.css").read_text(encoding="utf-8"),
    js=(FOLDER / "learn_plane.js").read_text(encoding="utf-8"),
)
STEPS = [str(number) for number in range(1, len(LESSONS) + 1)]
POINTS, CENTRES = OWN = ("points", "centres")  # in the address of the page
RIVAL, SHOWN, HIDDEN = "answer", "shown", ""  # there too: whether the algorithm's answer is seen
PLACED, PAST, NOTE, HEARD = "_placed", "_past", "_play_note", "_heard"
START = "_start"  # the centres at which k-means begins, None for many starts
PLAYED, FRESH = "_played", "_fresh"  # the step that plays, and whether it has just been drawn
WORSE = "Where k-means can end when it begins only once, at an unlucky place."
BRING = "Upload it and press Use this data: two of its columns are a situation here then."
PEOPLE = "A recorded run on 45,211 people of a bank; it opens at once."
GAMES = 4  # on tables of a visitor, kept with them
BEAT = 1.0  # seconds between two values of a control that plays


def draw_plane(
    scene: Scene,
    alt: str,
    key: str,
    heard: int = 0,
    on_click: Any = None,
    film: list[Scene] | None = None,
) -> None:
    """The picture of a scene, on which points are placed where somebody listens (`on_click`).

    `heard` is the time of the last click; a `film` is what changes in the scene step by step.
    """
    hint = (
        " Arrow keys move a cross, with Shift in large steps; Enter places points there. Space "
        "takes up the point or centre under the cross, Enter puts it down."
    )
    listens = {"on_placed_change": on_click} if on_click else {}
    alt += hint if on_click else ""
    data = {"scene": scene, "alt": alt, "playable": bool(on_click), "heard": heard, "film": film}
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
    plays = st.session_state.get(PLAYED) == lesson.name
    buttons.button(
        "❚❚ Stop" if plays else "▶ Play", on_click=_play, args=(None if plays else lesson,),
        key="play", help="Moves the control below by itself.",
    )  # fmt: skip
    st.subheader(f"{step}. {lesson.title}", anchor=False)
    st.markdown(lesson.text)
    st.session_state[FRESH] = True
    st.fragment(_step, run_every=BEAT if plays else None)(place)


def _step(place: int) -> None:
    """What the control of a step shows; while it plays, for one value after the other."""
    lesson = LESSONS[place]
    fresh = st.session_state.pop(FRESH, False)
    if st.session_state.get(PLAYED) == lesson.name and not fresh:
        _onward(lesson)
    picture, words = st.columns(2, gap="medium")
    with picture:
        shown = lesson.show(_control(lesson), is_dark())
        _picture(lesson, shown)
    with words.container(gap="small"):
        st.markdown(shown.sentence)
        for side, figure in zip(st.columns(len(shown.figures)), shown.figures, strict=True):
            with side.container(gap=None):
                st.metric(figure.label, figure.value, help=explain(figure.word))
                st.caption(figure.note)
        if shown.mix:
            st.html(shown.mix)
        st.info(lesson.moral)
    behind(shown.table, "The numbers behind this picture")
    with st.container(horizontal=True):
        _for_my_class()
        st.page_link("pages/convex.py", label="Algorithm 1, convex clustering →")


def _play(lesson: Lesson | None) -> None:
    """Let the control of this step play, from its beginning if it stands at its end."""
    st.session_state[PLAYED] = None if lesson is None else lesson.name
    if lesson is not None and _value(lesson) == lesson.options()[-1]:
        st.session_state[_key(lesson)] = lesson.options()[0]


def _onward(lesson: Lesson) -> None:
    """The next value of a control that plays; after the last the page stops playing."""
    options = lesson.options()
    place = options.index(_value(lesson)) + 1
    if place == len(options):
        st.session_state[PLAYED] = None
        st.rerun()
    st.session_state[_key(lesson)] = options[place]


def _key(lesson: Lesson) -> str:
    return f"control-{lesson.name}"


def _value(lesson: Lesson) -> int | str:
    return st.session_state.get(_key(lesson), lesson.default)


def _for_my_class(own: bool = False) -> None:
    """The address of exactly what is shown."""
    with st.popover("Link for my class"):
        says = "Whoever opens this address sees what you see now."
        if own:
            says = (
                "Your table stays in this browser: here, this address shows what you see now; "
                "elsewhere it needs the same table, uploaded under the same name."
            )
        st.markdown(says)
        asked = urlencode(st.query_params.to_dict())
        st.code(f"{st.context.url or 'learn'}?{asked}", language=None, wrap_lines=True)


def _control(lesson: Lesson) -> int | str:
    options = lesson.options()
    look: dict[str, Any] = {"key": _key(lesson), "bind": URL}
    if len(options) > 5:
        return st.select_slider(lesson.label, options, value=lesson.default, **look)
    return st.segmented_control(
        lesson.label, options, default=lesson.default, required=True, **look
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


def _start() -> Floats | None:
    return st.session_state.get(START)


def _become(clumps: play.Clumps, start: Floats | None = None) -> None:
    """Change the points, and where k-means begins, so that Undo can take it back."""
    st.session_state.setdefault(PAST, []).append((_placed(), _start()))
    st.session_state.update({PLACED: clumps, START: start, NOTE: ""})


def _tables() -> dict[str, ac.Dataset]:
    """The tables of this browser that have two columns for a plane."""
    return {name: d for name, d in own_tables().items() if len(play.numeric_columns(d)) > 1}


def _game() -> play.Game:
    scene, goal = st.session_state["scene"], st.session_state["goal"]
    if scene in play.SITUATIONS:
        return play.get_game(scene, goal)
    data, across, up = _tables()[scene], st.session_state["across"], st.session_state["up"]
    key = (data.content_hash, across, up, goal)
    return rooms.mine().kept(
        "game", key, lambda: play.table_game(data, across, up, goal), most=GAMES
    )


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
            x, y = float(click["x"]), float(click["y"])
            if "centre" in click:
                _drag_centre(int(click["centre"]), x, y)
            elif "from" in click:
                origin = (float(click["from"][0]), float(click["from"][1]))
                _become(play.move(_placed(), origin, x, y, _game().frame))
            else:
                _put(x, y)


def _drag_centre(which: int, x: float, y: float) -> None:
    """Let k-means begin with one centre somewhere else."""
    game = _game()
    start = game.position(_placed(), _start()).centers.copy()
    start[which] = play.on_grid(x, y, game.frame)
    _become(_placed(), start)


def _worse() -> None:
    found = _game().worse_optimum(_placed())
    if found is None:
        st.session_state[NOTE] = (
            f"k-means began at {play.STARTS} places and always ended in the same clusters: there "
            "is no worse optimum to show here. The situation “two-optima” has one."
        )
    else:
        _become(_placed(), found)


def _best() -> None:
    _become(_placed())


def _take_over() -> None:
    _become(play.clumps_of(_game().algorithm_try.antidote))


def _typed() -> None:
    _put(st.session_state["at_x"], st.session_state["at_y"])


def _undo() -> None:
    placed, start = st.session_state[PAST].pop()
    st.session_state.update({PLACED: placed, START: start, NOTE: ""})


def _reset() -> None:
    _become(())
    st.session_state[RIVAL] = HIDDEN


def _new_situation() -> None:
    """Another plane: what was placed on the last one means nothing here."""
    table = _tables().get(st.session_state["scene"])
    if table is not None:
        across, up, *_ = play.numeric_columns(table)
        st.session_state.update({"across": across, "up": up})
    _new_plane()


def _new_plane() -> None:
    st.session_state.update({PLACED: (), START: None, PAST: [], NOTE: "", RIVAL: HIDDEN})


def _read_link() -> None:
    """The points, centres and answer of a freshly opened link, or a sentence."""
    link, frame = st.query_params, _game().frame
    st.session_state.update({PLACED: (), RIVAL: SHOWN if link.get(RIVAL) == SHOWN else HIDDEN})
    try:
        st.session_state[PLACED] = play.from_link(link.get(POINTS, ""), frame)
        if CENTRES in link:
            st.session_state[START] = play.centers_from_link(link[CENTRES], frame)
    except ac.AntidoteError as error:
        st.session_state[NOTE] = str(error)


def _tell_note() -> None:
    """What went wrong with the last click or with the link."""
    if st.session_state.get(NOTE):
        st.warning(escape(st.session_state[NOTE]))


def _write_link() -> None:
    start = _start()
    texts = {
        POINTS: play.to_link(_placed()),
        CENTRES: "" if start is None else play.centers_to_link(start),
        RIVAL: st.session_state[RIVAL],
    }
    for key, text in texts.items():
        if text and text != st.query_params.get(key):
            st.query_params[key] = text
        elif not text and key in st.query_params:
            del st.query_params[key]


def playground() -> None:
    _settings()
    game = _game()
    if PLACED not in st.session_state:
        _read_link()
    _board()
    _typing(game)


@st.fragment
def _board() -> None:
    """What changes with a click; all the rest of the page stays as it is."""
    game = _game()
    _write_link()
    position = game.position(_placed(), _start())
    rival = None
    if st.session_state[RIVAL]:
        with st.spinner("The algorithm is trying…"):
            rival = game.algorithm_try
    plane, figures = st.columns([4, 3], gap="medium")
    with plane:
        _plane(game, position, rival)
        _buttons(rival)
    with figures.container(gap="small"):
        _costs(game, position)
        if _start() is not None:
            st.warning(play.optimum_sentence(game, position, _placed()))
            st.button("Back to the best of many starts", on_click=_best)
        else:
            st.markdown(play.score_sentence(game, position, game.score_to_beat))
            if rival is not None:
                cost = position.cost(game.goal)
                st.info(play.contest_sentence(cost, len(position.antidote), rival))
        st.html(mix_html(position.balance, game.planar.data.group_names, is_dark()))
        with st.container(horizontal=True):
            if st.button("Now with real people →", key="people", help=PEOPLE):
                to_example("four-fifths")
            if not _tables() and st.button("With your own table →", help=BRING):
                st.switch_page("pages/data.py", query_params={"show": OWN_TABLE})
            _for_my_class(game.situation.name not in play.SITUATIONS)
        if rival is not None:
            st.caption(play.checks_sentence(rival))
    _behind(game, position)


def _settings() -> None:
    tables = _tables()
    scenes = [*play.SITUATIONS, *tables]
    if st.session_state.get("scene", scenes[0]) not in scenes:
        del st.session_state["scene"]  # a table that was forgotten elsewhere
        _new_plane()
    with st.container(horizontal=True, gap="medium"):
        scene = one_of(
            "Situation", scenes, "scene", on_change=_new_situation, width="content",
            format_func=lambda name: name.replace("_", r"\_"),
        )  # fmt: skip
        one_of(
            "Play for the lowest cost of", play.GOALS, "goal", on_change=st.session_state.update,
            args=({RIVAL: HIDDEN},), width="content",
        )  # fmt: skip
        st.slider(
            "Copies per click", 1, play.BUDGET, 1, key="copies", bind=URL, width=340,
            help="How many antidote points one click puts at the same place.",
        )  # fmt: skip
        st.markdown("*Click to place points; drag points and centres.*", width=190)
    if scene in tables:
        _columns(tables[scene])
    situation = _game().situation
    st.markdown(f"**{escape(situation.title)}.** {escape(situation.sentence)}")


def _columns(table: ac.Dataset) -> None:
    """Which two columns of a table span the plane."""
    names = play.numeric_columns(table)
    with st.container(horizontal=True, gap="medium"):
        look: dict[str, Any] = {"bind": URL, "on_change": _new_plane, "width": 220}
        across = st.selectbox("Across", names, key="across", **look)
        st.selectbox("Up", [name for name in names if name != across], key="up", **look)


def _plane(game: play.Game, position: Position, rival: play.AlgorithmTry | None) -> None:
    plain = game.planar.vanilla
    scene = plane_scene(
        game.planar.data,
        game.frame,
        position.centers,
        before=plain.centers,
        antidote=position.antidote,
        rival=None if rival is None else game.planar.position(rival.antidote),
        moved=position.moved,
        dark=is_dark(),
    )
    _tell_note()
    alt = play.alt_text(position, game.goal, plain.cost(game.goal))
    draw_plane(scene, alt, "plane", st.session_state.get(HEARD, 0), _clicked)


def _buttons(rival: play.AlgorithmTry | None) -> None:
    left = play.BUDGET - play.spent(_placed())
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{left} of {play.BUDGET} points left.**", width="content")
        if rival is None:
            shown = {RIVAL: SHOWN}
            label = "Let the algorithm try"
            st.button(label, on_click=st.session_state.update, args=(shown,), type="primary")
        else:
            st.button("Take its points over", on_click=_take_over, type="primary")
        st.button("Undo", on_click=_undo, disabled=not st.session_state.get(PAST))
        st.button("Reset", on_click=_reset, disabled=not _placed() and _start() is None)
        st.button("A worse optimum", on_click=_worse, help=WORSE)


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
    left, right = st.columns(2)
    with left.container(gap=None):
        _cost("balance cost", now, before, balance_scale(position.balance))
    with right.container(gap=None):
        _cost("social cost", paid, paid_before, f"paid by {names[position.social.group]}")


def _cost(word: str, now: float, before: float, scale: str) -> None:
    same = abs(now - before) < play.SAME
    st.metric(
        f"{word.capitalize()}, lower is fairer", number(now), f"{now - before:.3f}",
        delta_color="off" if same else "inverse", delta_arrow="off" if same else "auto",
        help=explain(word),
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
