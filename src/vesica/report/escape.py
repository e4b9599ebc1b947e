"""Strings from data on their way into a page: one function for each place that they can stand in."""

from __future__ import annotations

import html
import json
import urllib.parse
from collections.abc import Mapping
from typing import Any

LONGEST = 300
"""Letters of a string that are shown."""


def text(value: Any, /) -> str:
    """As text of HTML, or between the quotes of an attribute; letters that cannot be seen are shown as one that can.

    >>> text('</script><img src=x onerror="f()">')
    '&lt;/script&gt;&lt;img src=x onerror=&quot;f()&quot;&gt;'
    """
    return html.escape(visible(value))


def address(value: str, /) -> str:
    """An address of a picture, however long, between the quotes of an attribute.

    >>> address('data:image/png;base64,AA"')
    'data:image/png;base64,AA&quot;'
    """
    return html.escape(value)


def visible(value: Any, /) -> str:
    """Without letters that cannot be seen or that turn the direction of others, and not too many.

    >>> visible("a\\x00b\\u202ec")
    'a\\ufffdb\\ufffdc'
    """
    shown = "".join(one if one.isprintable() else "\ufffd" for one in str(value))
    return shown if len(shown) <= LONGEST else f"{shown[: LONGEST - 1]}…"


def block(value: Any, /) -> str:
    """As JSON between the tags of a script that is not run: nothing in it can end the block.

    >>> block({"name": "</script>"})
    '{"name":"\\\\u003c/script\\\\u003e"}'
    """
    shown = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for letter in "<>&\u2028\u2029":
        shown = shown.replace(letter, f"\\u{ord(letter):04x}")
    # Half of a pair of UTF-16 has no bytes in UTF-8.
    return shown.encode("utf-8", "backslashreplace").decode("utf-8")


def svg(value: Any, /) -> str:
    """As text of a drawing, or between the quotes of one of its attributes.

    >>> svg('"><svg onload=f()>')
    '&quot;&gt;&lt;svg onload=f()&gt;'
    """
    return text(value)


def fragment(page: str, facts: Mapping[str, str], /) -> str:
    """The part of an address that asks for objects of a page.

    >>> fragment("detection", {"category": "a&b", "cause": "missed"})
    '#show/detection/category=a%26b&cause=missed'
    """
    pairs = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in facts.items())
    return f"#show/{page}/{pairs}"


def _quoted(value: str) -> str:
    return urllib.parse.quote(value, safe="", errors="surrogatepass")
