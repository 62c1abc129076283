"""The plane of the Learn page: a drawing that can be clicked, without a chart library in between.

A chart would be built anew at every click; this drawing takes a few milliseconds.
"""

from pathlib import Path
from typing import Any

import streamlit as st

_CSS = """
.plane svg.field {display: block; border: 1px solid #7F7F7F; border-radius: 4px;
  font-family: var(--st-font); color: var(--st-text-color);}
.plane svg.field:focus-visible {outline: 3px solid var(--st-primary-color);}
.plane ul {list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .3rem 0 0;
  padding: 0; font: .85rem var(--st-font); color: var(--st-text-color);}
.plane li {display: flex; align-items: center; gap: .3rem;}
.plane li svg {width: 1rem; height: 1rem;}
"""
_HTML = '<div class="plane"><svg class="field" role="img"></svg><ul></ul></div>'

_plane = st.components.v2.component(
    "antidote_plane",
    html=_HTML,
    css=_CSS,
    js=Path(__file__).with_suffix(".js").read_text(encoding="utf-8"),
)


def draw_plane(scene: dict[str, Any], alt: str, key: str) -> None:
    """The picture of a scene."""
    _plane(key=key, data={"scene": scene, "alt": alt, "playable": False, "heard": 0})


def clicked_plane(scene: dict[str, Any], alt: str, key: str, heard: int, on_click: Any) -> None:
    """The picture of a scene on which points are placed; `heard` is the time of the last click."""
    hint = " Arrow keys move a cross, with Shift in large steps; Enter places points there."
    _plane(
        key=key,
        data={"scene": scene, "alt": alt + hint, "playable": True, "heard": heard},
        on_placed_change=on_click,
    )
