"""How many inputs are tried, and how valid text is damaged.

A few hundred of always the same inputs by default; `ANTIDOTE_FUZZ_INPUTS=10000 python -m pytest
tests/fuzz` tries as many fresh ones at each door.
"""

import os
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

_ASKED = os.environ.get("ANTIDOTE_FUZZ_INPUTS")

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["vanilla", "sota", "kmeans", "../..", "=1+1", "<b>", "\x00", 10**400]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=8,
)


TRIED: Counter[str] = Counter()  # inputs by the file of their test, for the last lines


def tries(usual: int = 200) -> Callable[[Any], Any]:
    """The settings of a fuzz test, whose inputs are counted."""
    chosen = settings(
        max_examples=int(_ASKED) if _ASKED else usual,
        derandomize=_ASKED is None,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )

    def with_settings(test: Any) -> Any:
        inner = test.hypothesis.inner_test

        @wraps(inner)
        def counted(*arguments: Any, **named: Any) -> Any:
            TRIED[inner.__module__.rpartition(".")[2]] += 1
            return inner(*arguments, **named)

        test.hypothesis.inner_test = counted
        return chosen(test)

    return with_settings


@st.composite
def damaged(draw: st.DrawFn, whole: bytes, most: int = 4) -> bytes:
    """The bytes with up to `most` pieces cut out, doubled, or overwritten by others."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, most))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.sampled_from([0, 1, 2, 8, 64, 1000]))
        piece = draw(
            st.binary(max_size=8)
            | st.sampled_from(
                [b"", b"\n", b"{}", b"[", b'"', b"null", b"-1", b"1e999", b"\xff\xfe"]
            )
            | st.just(bytes(data[at : at + length]) * 2)
        )
        data[at : at + length] = piece
    return bytes(data)
