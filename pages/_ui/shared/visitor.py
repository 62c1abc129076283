"""Who is there: a token of this browser, the same after a reload and in every tab.

Streamlit gives every browser a random token in its cookie against forged requests, written under a
new mask each time. Without the mask it stays the same until the browser forgets its cookies.
Cookies may be switched off: then a visitor is one session, and a reload makes a new one.

Behind a proxy with a login, ANTIDOTE_USER_HEADER names the header in which the proxy says who it
is; then a visitor is that person, in whatever browser.
"""

import hashlib
import os
import secrets

import streamlit as st

COOKIE = "_streamlit_xsrf"
_KEPT = "_owner"


def visitor() -> str:
    """The token, as a digest that says nothing about the cookie."""
    if _KEPT not in st.session_state:
        secret = _login() or _cookie() or secrets.token_bytes(32)
        st.session_state[_KEPT] = hashlib.sha256(b"visitor:" + secret).hexdigest()
    return st.session_state[_KEPT]


def _login() -> bytes | None:
    header = os.environ.get("ANTIDOTE_USER_HEADER")
    name = st.context.headers.get(header) if header else None
    return b"login:" + name.encode() if isinstance(name, str) and name else None


def _cookie() -> bytes | None:
    cookie = st.context.cookies.get(COOKIE)
    return unmasked(cookie) if isinstance(cookie, str) else None


def unmasked(cookie: str) -> bytes | None:
    """The token in a cookie of the form 2|mask|masked token|time; None in any other."""
    parts = cookie.strip("\"'").split("|")
    if len(parts) != 4 or parts[0] != "2":
        return None
    try:
        mask, masked = bytes.fromhex(parts[1]), bytes.fromhex(parts[2])
    except ValueError:
        return None
    if len(mask) != 4 or len(masked) < 16:
        return None
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(masked))
