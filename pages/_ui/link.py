"""Say so when a link asks for something that cannot be shown."""

import streamlit as st

CHECKED = "_links_checked"


def asked_by_link() -> dict[str, str]:
    """What the URL asks for; read it before the first widget takes its value."""
    return st.query_params.to_dict()


def tell_ignored(page: str, asked: dict[str, str]) -> None:
    """One sentence for all values of a freshly opened link that the widgets could not take."""
    checked = st.session_state.setdefault(CHECKED, set())
    if page in checked:
        return
    checked.add(page)
    ignored = [
        f"{key} = {value[:40]}"
        for key, value in asked.items()
        if key not in st.session_state or not same(st.session_state[key], value)
    ]
    if ignored:
        st.warning(
            f"This link asks for {', '.join(map(escape, ignored))}, which this page does not "
            "offer; the usual setting is shown instead."
        )


def same(shown: object, asked: str) -> bool:
    """Whether a widget shows what a link asks for."""
    if str(shown).casefold() == asked.strip().casefold():
        return True
    try:
        return float(str(shown)) == float(asked)
    except ValueError:
        return False


def escape(text: str) -> str:
    """Text as it is, also where it holds Markdown's signs."""
    return "".join(f"\\{sign}" if sign in r"\`*_{}[]()#+-!|<>~$:" else sign for sign in text)
