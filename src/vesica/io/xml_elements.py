"""XML of annotation files: without entities and DOCTYPE, not too deep, and element by element where files are large."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import ParseError, TreeBuilder

from vesica._check import brief
from vesica.errors import InputError, MissingExtra

DEEPEST = 64
"""Elements within elements."""


def root_of(name: str, data: bytes, what: str, each: Callable[[Any], None] | None = None, /) -> Any:
    """The root of an XML file; `what` names such files in the message that defusedxml is missing.

    `each` is called with every child of the root as soon as it is complete, and then the child is emptied: of a large
    file no more than one of them is held at a time.
    """
    try:
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser
    except ImportError as error:
        raise MissingExtra(f'{what} need defusedxml: pip install "vesica[all]".') from error
    parser = DefusedXMLParser(target=_Shallow(name, each), forbid_dtd=True)
    try:
        parser.feed(data)
        return parser.close()
    except DefusedXmlException as error:
        raise InputError(f"{name}: DOCTYPE and entities are not allowed in annotation files.") from error
    except (ParseError, LookupError, ValueError) as error:
        raise InputError(f"{name} is no XML: {error}.") from error


class _Shallow(TreeBuilder):
    """A tree that is not too deep."""

    def __init__(self, name: str, each: Callable[[Any], None] | None) -> None:
        super().__init__()
        self._name, self._each, self._depth = name, each, 0

    def start(self, tag: Any, attrs: Any, /) -> Any:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InputError(f"{self._name}: elements are nested deeper than {DEEPEST}.")
        return super().start(tag, attrs)

    def end(self, tag: Any, /) -> Any:
        self._depth -= 1
        element = super().end(tag)
        if self._depth == 1 and self._each is not None:
            self._each(element)
            element.clear()
        return element


def xml_text(text: str, /) -> str:
    """The text itself, if XML can hold it; to be escaped by whoever writes it."""
    bad = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", text)
    if bad or text != text.strip() or "\r" in text:
        raise InputError(f"XML cannot hold the name {brief(text)}: it has control characters, or spaces at an end.")
    return text
