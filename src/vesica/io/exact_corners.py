"""Corners as decimals: what stands in a text is subtracted exactly, so that what was written comes back."""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence

import numpy as np

from vesica.io.text_fields import number

_WHOLE = re.compile(r"[+-]?\d{1,15}(\.0*)?", re.ASCII)
# All digits of any two numbers of 1,000 characters, as far as a float can tell. An exponent beyond all bounds, such as
# that of 1e-9999999999999999999, makes 0, as it does of a float.
_EXACT = decimal.Context(prec=1200, traps=[])


def xywh_of_words(words: Sequence[str], place: str, /, *, first: int = 0) -> list[float]:
    """x, y, width, height of left, top, right, bottom as written; pixels are counted from `first`, 0 or 1.

    With 1 both end pixels belong. Decimals are subtracted as decimals: 1.1 − 1 is 0.1.
    """
    values = [number(word, place) for word in words]
    left, top, right, bottom = values
    if all(_WHOLE.fullmatch(word) for word in words) or not np.isfinite(values).all():
        return [left - first, top - first, right - left + first, bottom - top + first]
    x1, y1, x2, y2 = map(_EXACT.create_decimal, words)
    x1, y1 = _EXACT.subtract(x1, first), _EXACT.subtract(y1, first)
    return [float(side) for side in (x1, y1, _EXACT.subtract(x2, x1), _EXACT.subtract(y2, y1))]


def words_of(x: float, y: float, w: float, h: float, /, *, first: int = 0) -> tuple[str, ...]:
    """Left, top, right, bottom, which `xywh_of_words` reads: whole numbers as such, others with all their decimals."""
    if all(value.is_integer() and abs(value) < 2**51 for value in (x, y, w, h)):
        return tuple(str(int(value)) for value in (x + first, y + first, x + w, y + h))
    dx, dy, dw, dh = (decimal.Decimal(repr(value)) for value in (x, y, w, h))
    add = _EXACT.add
    return tuple(_plain(value) for value in (add(dx, first), add(dy, first), add(dx, dw), add(dy, dh)))


def _plain(value: decimal.Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
