"""Whose runs these are: the browser's, or those of the person the proxy names."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages._ui.shared.rooms import unmasked


def _page():
    import streamlit as st

    from pages._ui.shared.rooms import visitor

    st.write(visitor())


class _Context:
    def __init__(self, headers=None, cookies=None):
        self.headers, self.cookies = headers or {}, cookies or {}


@pytest.fixture
def seen(monkeypatch):
    def visitor(**what):
        monkeypatch.setattr(st, "context", _Context(**what))
        app = AppTest.from_function(_page).run(timeout=30)
        assert not app.exception
        return app.markdown[0].value

    return visitor


def cookie(mask, token):
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(token))
    return f"2|{mask.hex()}|{masked.hex()}|1700000000"


def test_the_same_browser_is_known_under_every_mask(seen):
    token = bytes(range(16))
    ann = seen(cookies={"_streamlit_xsrf": cookie(b"abcd", token)})
    assert seen(cookies={"_streamlit_xsrf": cookie(b"wxyz", token)}) == ann
    assert seen(cookies={"_streamlit_xsrf": cookie(b"abcd", token[::-1])}) != ann
    assert token.hex() not in ann


@pytest.mark.parametrize("text", ["", "2|zz|zz|1", "1|00|00|1", "2|00000000|00|1", "a|b", "2|||"])
def test_a_cookie_of_another_form_is_nobody(text):
    assert unmasked(text) is None


def test_without_a_cookie_every_session_is_its_own(seen):
    assert seen() != seen()


def test_a_login_counts_only_when_the_server_was_told_to_trust_the_header(seen, monkeypatch):
    ann, bob = {"X-User": "ann"}, {"X-User": "bob"}
    assert seen(headers=ann) != seen(headers=ann)
    monkeypatch.setenv("ANTIDOTE_USER_HEADER", "X-User")
    assert seen(headers=ann) == seen(headers=ann) != seen(headers=bob)
    assert seen(headers={}) != seen(headers={})
