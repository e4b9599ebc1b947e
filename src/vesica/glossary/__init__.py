"""What every word of this library means: numbers, findings, causes, notes and exit codes, in plain words.

One file a noun. `vesica explain`, reports and docs/terms.md take their texts from here; nothing here needs NumPy.
"""

from __future__ import annotations

import difflib
import re

from vesica.glossary import (
    advice,
    agreement,
    causes,
    detection,
    exit_codes,
    findings,
    gates,
    measures,
    notes,
    panoptic,
    segmentation,
    surfaces,
)
from vesica.glossary.term import Term

__all__ = ["GROUPS", "Term", "find", "near", "words"]

_NOUNS = {
    "detection": detection,
    "segmentation": segmentation,
    "outlines": surfaces,
    "panoptic": panoptic,
    "agreement": agreement,
    "measures": measures,
    "gates and intervals": gates,
    "causes": causes,
    "findings of check": findings,
    "advice": advice,
    "notes": notes,
    "exit codes": exit_codes,
}
GROUPS: dict[str, tuple[Term, ...]] = {
    group: tuple(term._replace(group=group) for term in noun.TERMS) for group, noun in _NOUNS.items()
}
"""All terms, by what they belong to."""


def find(name: str, /) -> tuple[Term, ...]:
    """The terms of this name, whatever its case: one, several where a word has two meanings, or none.

    >>> [term.title for term in find("ap75")]
    ['average precision at an IoU of 0.75']
    >>> [term.group for term in find("duplicate")]
    ['agreement', 'causes']
    >>> find("NSD(1.5)")[0].name, find("nonsense")
    ('NSD(1.5)', ())
    """
    wanted = _plain(name)
    every = [term for terms in GROUPS.values() for term in terms]
    by_name = tuple(term for term in every if _plain(term.name) == wanted)
    by_alias = tuple(term for term in every if wanted in map(_plain, term.aliases))
    return by_name or by_alias or _with_number(name.strip())


def words(name: str, /) -> str:
    """The text of a term, one sentence after the other; "" for a name that is not known.

    >>> words("HD95").partition(",")[0]
    'The 95th percentile of the distances in each direction'
    """
    return " ".join(term.text for term in find(name))


def near(name: str, /) -> list[str]:
    """Names that somebody may have meant who wrote this one, the nearest first.

    >>> near("mIuO"), near("boxes-layuot")
    (['mIoU'], ['boxes-layout'])
    """
    names: dict[str, str] = {}
    for terms in GROUPS.values():
        for term in terms:
            for one in (*term.aliases, term.name):
                names[_plain(one)] = term.name
    found = difflib.get_close_matches(_plain(name), names, n=4, cutoff=0.7)
    return list(dict.fromkeys(names[one] for one in found))[:3]


def _plain(name: str) -> str:
    """Case, blanks, and how words are joined do not matter."""
    return re.sub(r"[\s_-]+", " ", name.strip()).casefold()


_OF_LIMIT = re.compile(r"AR(\d{1,9})", re.IGNORECASE)
_OF_THRESHOLD = re.compile(r"(m?)AP(?:(\d{2})|@?0?\.(\d{1,2}))", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"(NSD|boundary_F|boundary_IoU)\((.+)\)", re.IGNORECASE)


def _with_number(name: str) -> tuple[Term, ...]:
    """Names that have a number of the user in them: AP60, AR300, NSD(1.5)."""
    if found := _OF_LIMIT.fullmatch(name):
        return (detection.at_limit(found[1])._replace(group="detection"),)
    if found := _OF_THRESHOLD.fullmatch(name):
        term = detection.at_threshold(found[2] or f"{found[3]:0<2}")
        return (term._replace(name=f"{found[1]}{term.name}", group="detection"),)
    if found := _IN_BRACKETS.fullmatch(name):
        (term,) = find(found[1])
        return (term._replace(name=f"{term.name}({found[2]})"),)
    return ()
