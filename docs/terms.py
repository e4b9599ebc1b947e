"""Print docs/terms.md: what every word of the library means, from `vesica.glossary`.

    python docs/terms.py > docs/terms.md

A test compares the page with what this prints.
"""

from __future__ import annotations

from collections.abc import Iterator

from vesica.glossary import GROUPS, Term

_INTRO = """\
# Terms

What each number, finding, cause, note and exit code means, in plain words. `vesica explain TERM` prints the same, and
`vesica explain` alone lists the names; in Python it is `vesica.glossary.find("AP50")`. Names with a number of yours in
them are known too: `AP60`, `AR300`, `NSD(1.5)`.
"""


def page() -> str:
    """The whole page."""
    parts = [_INTRO, "\n".join(f"- [{group}](#{_anchor(group)})" for group in GROUPS)]
    for group, terms in GROUPS.items():
        parts += [f"## {group[0].upper()}{group[1:]}", *("\n".join(_told(term)) for term in terms)]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _anchor(group: str) -> str:
    return group.replace(" ", "-")


def _told(term: Term) -> Iterator[str]:
    """A term as a few lines; the links lead to the pages that tell more."""
    yield f"**`{term.name}`**: {_escaped(term.title)}. {_escaped(term.text)}"
    if term.formula:
        yield f"<br>Formula: {_escaped(term.formula)}."
    if term.example:
        yield f"<br>Example: {_escaped(term.example)}"
    more = [f"Also: {', '.join(map(_escaped, term.aliases))}."] if term.aliases else []
    more += [f"More: [{term.page.removesuffix('.md')}]({term.page})."] if term.page else []
    if more:
        yield f"<br>{' '.join(more)}"


def _escaped(text: str) -> str:
    """Text in which nothing but `code` is a mark of Markdown."""
    parts = text.split("`")
    plain = [part if number % 2 else _plain(part) for number, part in enumerate(parts)]
    return "`".join(plain)


def _plain(text: str) -> str:
    for letter in "\\*_[]<>|":
        text = text.replace(letter, f"\\{letter}")
    return text


if __name__ == "__main__":
    print(page(), end="")
