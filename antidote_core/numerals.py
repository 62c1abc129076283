"""Numbers as people read them."""

from __future__ import annotations

import math


def number(value: float, digits: int = 3) -> str:
    """A figure with a real minus sign, and without one for zero.

    >>> number(-0.30494), number(-0.0), number(1406.3042)
    ('−0.305', '0.000', '1,406.304')
    """
    text = f"{value:,.{digits}f}"
    if float(text.replace(",", "")) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def percent(share: float) -> str:
    """A share in percent; one decimal below ten percent.

    >>> percent(0.305), percent(0.0357), percent(0.0)
    ('30\\xa0%', '3.6\\xa0%', '0\\xa0%')
    """
    digits = 1 if 0.0 < share < 0.0995 else 0
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def share_of_data(size: int, points: int) -> str:
    """A share in percent with two significant digits, however small.

    >>> share_of_data(11, 45211).replace("\\xa0", " ")
    '0.024 %'
    """
    if size == 0 or points == 0:
        return "0\N{NO-BREAK SPACE}%"
    value = 100 * size / points
    digits = digits_showing(value, least=0, most=99)
    return f"{value:.{digits}f}\N{NO-BREAK SPACE}%"


def digits_showing(difference: float, none: int = 3, least: int = 3, most: int = 6) -> int:
    """Decimals that show two digits of a difference; `none` where there is no difference.

    >>> digits_showing(0.00234), digits_showing(12.0), digits_showing(0.0)
    (4, 3, 3)
    """
    if not math.isfinite(difference) or difference == 0:
        return none
    return min(most, max(least, 1 - math.floor(math.log10(abs(difference)))))


def points_text(count: int) -> str:
    """A number of points.

    >>> points_text(1), points_text(1200)
    ('1 point', '1,200 points')
    """
    return "1 point" if count == 1 else f"{count:,} points"


def change(part: float) -> str:
    """A rise or a fall in percent, with its sign.

    >>> change(0.0421), change(-0.013), change(0.0)
    ('+4.2\\xa0%', '−1.3\\xa0%', '±0\\xa0%')
    """
    if round(abs(part), 4) == 0.0:
        return "±0\N{NO-BREAK SPACE}%"
    return ("+" if part > 0 else "−") + percent(abs(part))
