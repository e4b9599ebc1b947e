"""What --json printed, as a result again: its numbers and tables, without the objects behind them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vesica.errors import InputError
from vesica.results.result import Note, Result


@dataclass(frozen=True, eq=False, repr=False)
class SavedFacts(Result):
    """The plain values of a result."""

    facts: Mapping[str, Any]
    name: str

    @property
    def summary(self) -> dict[str, float]:
        """The numbers by their names."""
        return {name: float("nan") if value is None else value for name, value in self.facts["summary"].items()}

    @property
    def headline(self) -> str:
        """What was scored, and where it was saved."""
        counted = (f"{self.facts[name]:,} {name}" for name in ("images", "truths", "guesses") if self._is_count(name))
        return f"{self.name}: {', '.join([str(self.facts['task']), *counted])}"

    def _is_count(self, name: str) -> bool:
        return isinstance(self.facts.get(name), int)

    @property
    def notes(self) -> tuple[Note, ...]:
        """As they were saved."""
        return tuple(Note(str(one["rule"]), int(one["count"]), str(one["text"])) for one in self.facts.get("notes", ()))

    def to_dict(self) -> dict[str, Any]:
        """As they were saved."""
        return dict(self.facts)


def saved_facts(path: str | os.PathLike[str], /) -> SavedFacts:
    """The result in a JSON file of --json or `to_json`."""
    from vesica.comparison.saved import scores_of
    from vesica.io.files import load

    facts = load(os.fspath(path)).json()
    try:
        scores_of(facts)  # raises for what is no result
        found = SavedFacts(facts, os.path.basename(os.fspath(path)))
        found.notes, found.headline  # noqa: B018
    except (InputError, KeyError, TypeError, ValueError, AttributeError) as error:
        text = str(error) if isinstance(error, InputError) else f"It is no sound result: {error!r}."
        raise InputError(f"{os.fspath(path)}: {text}") from error
    return found
