"""Say so when a link asks for something that cannot be shown."""

import math
import re
from collections.abc import Callable

import streamlit as st

from antidote_core.clustering import CLUSTERINGS
from antidote_core.datasets import DATASETS
from antidote_core.fairness import FAIRNESS

TOLD, BREAKING = "_links_told", "_breaking"
TEXTS = ("filter", "sizes")  # names in a link that take any text
LISTS = ("pairs", "ks", "optimizers", "boxes")  # from which nothing may be chosen
MOST_SAID = 8
RENAMED = {"box": "place"}
_FOUR_FIFTHS = {"four_fifths": "four fifths"}
_PAIRS = {
    f"{clustering} + {fairness}": f"{entry.title} + {fairness}"
    for clustering, entry in CLUSTERINGS.items()
    for fairness in FAIRNESS
}
# What widgets show instead of the library's names. The link carries what is shown; one that carries
# names, as earlier versions wrote it, means the same.
TITLES: dict[str, dict[str, str]] = {
    "data": {name: info.title for name, info in DATASETS.items()},
    "method": {name: entry.title for name, entry in CLUSTERINGS.items()},
    "cost": {name: entry.title for name, entry in FAIRNESS.items()},
    "pair": _PAIRS,
    "pairs": _PAIRS,
    "target": _FOUR_FIFTHS,
    "reach": _FOUR_FIFTHS,
}
JOINER = "\u2060"  # has no width
# What Streamlit looks for when Markdown is read and backslashes are gone: signs that become arrows,
# icons, links to pages and to mailboxes. Matches the places where a joiner keeps it from them.
_READ_LATE = re.compile(
    r"(?<!\S)(?=(?:<->|->|<-|--|>=|<=|~=)(?!\S))|(?<=:)(?=material[/_]|streamlit:)"
    r"|(?<=http)(?=s?://)|(?<=www)(?=\.)|(?<=[\w.+-])(?=@)",
    re.IGNORECASE,
)


def asked_by_link() -> dict[str, list[str]]:
    """What the URL asks for, lists and all; read it before the first widget takes its value.

    A widget of whole numbers breaks when the URL gives it infinity, and one that must have a value
    takes none at all from an empty text: the page begins again without such values.
    """
    for old, new in RENAMED.items():  # links of earlier versions
        if old in st.query_params and new not in st.query_params:
            st.query_params[new] = st.query_params.pop(old)
    old_names = {}
    for key, titles in TITLES.items():
        names = st.query_params.get_all(key)
        if any(titles.get(name, name) != name for name in names):
            old_names[key] = [titles.get(name, name) for name in names]
    if old_names:  # widgets look at the link as it was when the page began
        st.query_params.update(old_names)
        st.rerun()
    asked = {key: texts for key in st.query_params if (texts := st.query_params.get_all(key))}
    for key, titles in TITLES.items():
        meant = {title: name for name, title in titles.items()}
        if key in asked:
            asked[key] = [meant.get(text, text) for text in asked[key]]
    breaking = {
        key: texts
        for key, texts in asked.items()
        if key not in TEXTS
        and any(is_endless(text) or (not text and key not in LISTS) for text in texts)
    }
    if breaking:
        st.session_state[BREAKING] = breaking
        for key in breaking:
            st.query_params.pop(key, None)
        st.rerun()
    return {**asked, **st.session_state.pop(BREAKING, {})}


def title_of(key: str) -> Callable[[str], str]:
    """How the widget of that key writes a name."""
    titles = TITLES[key]
    return lambda name: titles.get(name, name)


def is_endless(text: str) -> bool:
    """Whether a number is meant that has no end.

    >>> is_endless("-Infinity"), is_endless("1e999"), is_endless("12"), is_endless("information")
    (True, True, False, False)
    """
    try:
        return math.isinf(float(text))
    except ValueError:
        return False


def tell_ignored(page: str, asked: dict[str, list[str]]) -> None:
    """One sentence for all values of a freshly opened link that the widgets could not take.

    It stands until somebody changes a setting, however often the page draws itself meanwhile.
    """
    told = st.session_state.setdefault(TOLD, {})
    # Asking the session itself for a strange name is an error.
    settings = st.session_state.to_dict()
    if page not in told:
        told[page] = (_ignored_sentence(asked, settings), _chosen(settings))
    sentence, chosen = told[page]
    if any(settings.get(key) != value for key, value in chosen.items()):
        told[page] = ("", {})
    elif sentence:
        st.warning(sentence)


def _ignored_sentence(asked: dict[str, list[str]], settings: dict[str, object]) -> str:
    ignored = [
        f"{key[:40]} = {texts[-1][:40]}"
        for key, texts in asked.items()
        if key not in settings or not shows(settings[key], texts)
    ]
    if not ignored:
        return ""
    more = f" and {len(ignored) - MOST_SAID} more" if len(ignored) > MOST_SAID else ""
    return (
        f"This link asks for {', '.join(map(escape, ignored[:MOST_SAID]))}{more}, which this "
        "page does not offer; the usual setting is shown instead."
    )


def _chosen(settings: dict[str, object]) -> dict[str, object]:
    """What widgets show: neither what pages remember by themselves nor what no link can carry."""
    plain = (str, int, float, list, tuple)
    return {
        key: value
        for key, value in settings.items()
        if not str(key).startswith("_") and isinstance(value, plain)
    }


def shows(shown: object, asked: list[str]) -> bool:
    """Whether a widget, also one with a list of choices, shows what a link asks for."""
    if isinstance(shown, list | tuple):
        return len(shown) == len(asked) and all(
            any(same(one, text) for one in shown) for text in asked
        )
    return same(shown, asked[-1])


def agrees(asked: dict[str, list[str]], values: dict[str, object]) -> bool:
    """Whether no setting in a link is another than these values: then they fill the rest."""
    return all(shows(values[key], texts) for key, texts in asked.items() if key in values)


def same(shown: object, asked: str) -> bool:
    """Whether a widget shows what a link asks for.

    A widget whose options are escaped writes them so into the link.

    >>> same("marital_status", "marital\\\\_status"), same(2, "2.0"), same("a", "b")
    (True, True, False)
    """
    if asked.strip().casefold() in (str(shown).casefold(), escape(str(shown)).casefold()):
        return True
    try:
        return float(str(shown)) == float(asked)
    except ValueError:
        return False


def escape(text: str) -> str:
    """Text as it is, for everything that reads Markdown, Streamlit's own additions included.

    That is every label, caption, title, alert, help, tooltip, option of a radio and cell of
    `st.table`; not the options of a selectbox, a dataframe, a placeholder or an alt text.

    >>> print(escape("*a* &amp; $x$"), escape("2. b"))
    \\*a\\* \\&amp; \\$x\\$ 2\\. b
    >>> escape("a -> b").replace(JOINER, "|")
    'a |\\\\-\\\\> b'
    """
    parted = _READ_LATE.sub(JOINER, text)
    signs = "".join(f"\\{sign}" if sign in r"\`*_{}[]()#+-!|<>~$:&" else sign for sign in parted)
    return re.sub(r"^\d+(?=\.)", r"\g<0>\\", signs)  # no beginning of a list
