"""Results: a mapping of the numbers, which prints as a table and writes itself."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vesica import _check as check

if TYPE_CHECKING:
    import os

    from vesica.results.gates import Gate, Scores, Verdict
    from vesica.results.resampling import Resampling


@dataclass(frozen=True)
class Note:
    """Something that was corrected, left out or assumed, and how often."""

    rule: str
    count: int
    text: str


class UnknownNumber(KeyError, ValueError):
    """A number that the result does not have: KeyError as of every mapping, ValueError as of every argument."""

    __str__ = Exception.__str__  # KeyError would show the message in quotes


class Result(Mapping[str, float]):
    """What a score answers: a read-only mapping of the numbers that it is known for.

    Subclasses say what the numbers are (`summary`), what was scored (`headline`), and what
    else there is to write (`to_dict`). Equal only to itself: equal numbers may come of different data.
    """

    @property
    @abstractmethod
    def summary(self) -> Mapping[str, float]:
        """The numbers by their names; NaN for one that is not defined."""

    @property
    @abstractmethod
    def headline(self) -> str:
        """What was scored, in one line."""

    @property
    @abstractmethod
    def notes(self) -> tuple[Note, ...]:
        """What was corrected, left out or assumed, with its count."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""

    @functools.cached_property
    def numbers(self) -> dict[str, float | None]:
        """The summary with None for a number that is not defined, NaN."""
        return {name: None if value != value else value for name, value in self.summary.items()}

    def flat(self, *, prefix: str = "") -> dict[str, float]:
        """The numbers for a logger, as Python's floats, each name behind `prefix`; those not defined are left out."""
        return {f"{prefix}{name}": float(value) for name, value in self.summary.items() if value == value}

    def gates(self, *gates: str | Gate, base: Result | None = None, undecided: str = "pass") -> list[Verdict]:
        """A verdict for each gate, and for each of its categories: "AP>=0.5", "AP50[cat,dog]>=0.8".

        "AP>=0.5 @95%" lets the interval decide: a gate that it does not decide is `undecided`, which "pass" or "fail".
        "AP drop<=0.01" and "AP rise>=0" are of the change since `base`, a result of the same images.
        """
        from vesica.results.gates import UNDECIDED, judge, parse  # late: most results are not judged

        check.one_of(undecided, UNDECIDED, "undecided")
        wanted = [parse(one, compared=base is not None) if isinstance(one, str) else one for one in gates]
        earlier = None if base is None else base.gate_scores()
        return judge(
            wanted, self.gate_scores(), base=None if earlier is None else lambda _: earlier, undecided=undecided
        )

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """What gates can ask for, and comparisons; `resampling` says how images are drawn again for intervals."""
        from vesica.results.gates import Scores

        return Scores(self.numbers, {}, lambda _: "it is not defined")

    def __getitem__(self, name: str) -> float:
        """A number of the summary by its name: result["AP50"]."""
        summary = self.summary
        try:
            known = check.one_of(name, summary, "name")
        except ValueError as error:
            raise UnknownNumber(str(error)) from None
        return summary[known]

    def __iter__(self) -> Iterator[str]:
        return iter(self.summary)

    def __len__(self) -> int:
        return len(self.summary)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def to_json(self) -> str:
        """The same as one line of JSON, equal bytes for equal results."""
        import json

        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False)

    def report(self, path: str | os.PathLike[str], /, *, images: Any = None, **options: Any) -> Any:
        """Write a page to look at: one HTML file without network, in which each number leads to the objects behind it.

        `images` is the folder of the photographs, a dict of name → picture, or a function of a name. The other options
        are those of `vesica.report.write`, which also writes several results into one file. The answer says how large
        the file is, and what was left out of it. Charts need matplotlib, photographs Pillow.
        """
        import importlib  # late, and by name: reports know results, not the other way round

        return importlib.import_module("vesica.report").write(path, self, images=images, **options)

    def __str__(self) -> str:
        width = max(len(name) for name in self.summary)
        rows = [f"{name:<{width}}  {_shown(value, '-')}" for name, value in self.numbers.items()]
        return "\n".join([self.headline, *rows, *(f"note: {note.count} {note.text}" for note in self.notes)])

    def __repr__(self) -> str:
        name, value = next(iter(self.numbers.items()))
        return f"{type(self).__name__}({name} {_shown(value, '-')}, {self.headline})"

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        """What a notebook draws as bars: a title, and names with numbers from 0 to 1."""
        return "", [(name, value) for name, value in self.numbers.items() if value is not None and 0 <= value <= 1]

    def _repr_html_(self) -> str:
        from vesica import _html  # late: only notebooks ask for it

        notes = [_html.words(f"note: {note.count} {note.text}") for note in self.notes[:5]]
        numbers = _html.table(list(self.numbers), [list(self.numbers.values())])
        return _html.page(_html.words(self.headline), numbers, _html.bars(*self._shares()), *notes)


def _shown(value: float | None, nothing: str) -> str:
    return nothing if value is None else f"{value:.3f}"
