"""Comparisons: what models differ by, how sure that is, and where it comes from."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._check import comparison as check
from vesica._check import statistics as check_statistics
from vesica.comparison.differences import DISCOVERED, Differences, differences_of, ordered, table_of
from vesica.detection.result import DetectionResult
from vesica.results.gates import Gate, Scores, Verdict, judge, parse
from vesica.results.resampling import Resampling
from vesica.results.result import Note, Result
from vesica.results.tables import Table


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """What `compare` answers: how far models are from the first of them, in the same images.

    A mapping of the differences: `comparison["AP"]` is the second's AP less the first's; of several models the names
    are "AP of c". Positive: it is higher than the first's.

    Attributes
    ----------
    results : the result of each model
    names : what the models are called
    level : of the intervals
    resampling : how images are drawn again; all models draw the same
    """

    results: tuple[Result, ...]
    names: tuple[str, ...]
    level: float = 0.95
    resampling: Resampling = Resampling()  # noqa: RUF009  # frozen

    @functools.cached_property
    def _scores(self) -> tuple[Scores, ...]:
        return tuple(result.gate_scores(self.resampling) for result in self.results)

    @functools.cached_property
    def _overall(self) -> tuple[Differences, ...]:
        """Of each model but the first."""
        asked = [(name, None) for name in self.results[0].summary]
        base, *others = self._scores
        return tuple(differences_of(base, other, asked, level=self.level) for other in others)

    @functools.cached_property
    def _tables(self) -> dict[Any, Table]:
        return {}

    def _known(self, *key_and_make: Any) -> Table:
        """A table that takes a while, made once."""
        *key, make = key_and_make
        if tuple(key) not in self._tables:
            self._tables[tuple(key)] = make()
        return self._tables[tuple(key)]

    @property
    def categories(self) -> list[str]:
        """Of all results, in their order."""
        return list(self._scores[0].by_category)

    # ---- numbers

    @functools.cached_property
    def summary(self) -> Mapping[str, float]:
        """The differences by the names of the numbers; NaN for one that is not defined."""
        found: dict[str, float] = {}
        for model, differences in zip(self.names[1:], self._overall, strict=True):
            more = "" if len(self.names) == 2 else f" of {model}"
            values = differences.difference.tolist()
            found |= {f"{name}{more}": value for name, value in zip(self.results[0].summary, values, strict=True)}
        return found

    @property
    def notes(self) -> tuple[Note, ...]:
        """What was corrected, left out or assumed: of all models, or with the name of the one."""
        found: dict[Note, None] = {}
        for name, result in zip(self.names, self.results, strict=True):
            for note in result.notes:
                shared = all(note in other.notes for other in self.results)
                found[note if shared else Note(note.rule, note.count, f"{note.text} ({name})")] = None
        return tuple(found)

    @property
    def images(self) -> int:
        """How many images all of them were scored in."""
        identity = self._scores[0].identity
        return 0 if identity is None else identity.images

    @property
    def headline(self) -> str:
        """Who is compared with whom, and how."""
        others = ", ".join(self.names[1:])
        drawn = f"{self.resampling.replicates:,} replicates" if self._scores[0].replicates else "no replicates"
        return f"{others} against {self.names[0]}: {self.images:,} images, {drawn}, level {100 * self.level:g} %"

    def _shares(self) -> tuple[str, list[tuple[Any, float | None]]]:
        return "", []  # differences are no shares

    # ---- tables

    def table(self) -> Table:
        """One row for a number: that of the first model, `base`, and of the second, `value`; the difference, the ends
        of its interval, `lo` and `hi`, and its p-value. Of several models, a row for a number and a model.
        """
        numbers = objects(list(self.results[0].summary))
        if len(self.names) == 2:
            return table_of(self._overall[0], {"number": numbers})
        tables = [
            table_of(found, {"number": numbers, "model": objects([name] * len(numbers))})
            for name, found in zip(self.names[1:], self._overall, strict=True)
        ]
        place = np.tile(np.arange(len(numbers)), len(tables))  # all models of a number one below the other
        return ordered(_joined(tables), lambda _: (place,))

    def classes(self, number: str | None = None, /) -> Table:
        """One row for a category, those first whose change is surest: both models, the difference with its interval,
        its p-value, and `q`, the p-value adjusted for the number of categories (Benjamini and Hochberg).

        `number` is that of the results' own tables of classes, by default the first of them. Categories for which
        neither model has it are left out.
        """
        name = check.number_of(number, self.class_numbers, "numbers of categories")
        return self._known("classes", name, lambda: self._classes(name))

    def _classes(self, name: str) -> Table:
        first = self._scores[0]
        asked = [(name, category) for category in self.categories if name in first.by_category[category]]
        tables = []
        for model, other in zip(self.names[1:], self._scores[1:], strict=True):
            found = differences_of(first, other, asked, level=self.level)
            columns: dict[str, Any] = {"category": objects([category for _, category in asked])}
            if len(self.names) > 2:
                columns["model"] = objects([model] * len(asked))
            table = table_of(found, columns, adjusted=True)
            there = ~(np.isnan(found.before) & np.isnan(found.after))
            tables.append(Table({key: column[there] for key, column in table.columns.items()}))
        return ordered(_joined(tables), _surest_first)

    @property
    def class_numbers(self) -> list[str]:
        """The numbers that categories have; the first is that of `classes()`."""
        return list(dict.fromkeys(name for row in self._scores[0].by_category.values() for name in row))

    def sizes(self) -> Table:
        """The numbers of single ranges of areas, small, medium and large, of detectors."""
        from vesica.detection.summary import lines_of

        protocol = check.of_detection(self.results[0], DetectionResult, "Sizes").protocol
        whole = None if protocol.whole is None else protocol.areas[protocol.whole][0]
        areas = {line.name: line.area for line in lines_of(protocol) if line.area != whole}
        table = self.table()
        rows = np.array([name in areas for name in table["number"].tolist()], bool)
        kept = {name: column[rows] for name, column in table.columns.items()}
        return Table({"area": objects([areas[name] for name in kept["number"].tolist()]), **kept})

    def changed(self, number: str | None = None, /) -> Table:
        """The rows of `classes` whose q is at most 0.05: of so many categories one in twenty is expected to be there by
        chance."""
        table = self.classes(number)
        rows = table["q"] <= DISCOVERED
        return Table({name: column[rows] for name, column in table.columns.items()})

    def slices(self, number: str | None = None, /) -> Table:
        """One row for a slice of images, as `compare(…, slices=)` was told: the number of both models, by default the
        first, the difference with its interval, its p-value, and `q` of all slices."""
        name = check.number_of(number, list(self.results[0].summary), "numbers")
        return self._known("slices", name, lambda: self._slices(name))

    def _slices(self, name: str) -> Table:
        sliced = [check.of_detection(one, DetectionResult, "Slices").slices for one in self.results]
        check.some_slices(sliced[0])
        places = [(column, value) for column, found in sliced[0].items() for value in found]
        tables = []
        for place, model in enumerate(self.names[1:], start=1):
            rows = [
                self._slice(sliced[0][column][value], sliced[place][column][value], name) for column, value in places
            ]
            columns = {
                "column": objects(column for column, _ in places),
                "slice": objects(value for _, value in places),
                **({} if len(self.names) == 2 else {"model": objects([model] * len(places))}),
                "images": np.array([len(sliced[0][column][value].records.images) for column, value in places]),
            }
            tables.append(table_of(Differences(*map(np.concatenate, zip(*rows, strict=True))), columns, adjusted=True))
        return _joined(tables)

    def _slice(self, base: DetectionResult, other: DetectionResult, name: str) -> Differences:
        before, after = (one.gate_scores(self.resampling) for one in (base, other))
        return differences_of(before, after, [(name, None)], level=self.level)

    @property
    def has_slices(self) -> bool:
        """Was it told what slices go by?"""
        return all(isinstance(one, DetectionResult) and bool(one.slices) for one in self.results)

    # ---- objects

    @property
    def has_objects(self) -> bool:
        """Is enough at hand to tell which objects were found? Records that were saved need their details."""
        from vesica.comparison.changed_objects import has_details

        return all(isinstance(one, DetectionResult) and has_details(one) for one in self.results)

    def objects(
        self, model: str | None = None, /, *, iou: float | None = None, min_score: float | str | None = "best_f1"
    ) -> Table:
        """One row for an object that the first model misses and another finds, "fixed", or the reverse, "broken".

        Columns: change, image, category, truth (its id), its box, the cause why it was missed, and the score of the
        guess that found it.

        Parameters
        ----------
        model : name of one, by default the last
        iou : float, optional
            The overlap at which an object is found; by default the first threshold of the protocol.
        min_score : float, None or "best_f1"
            Guesses from this score on count. By default each model's are cut where its own F1 is highest, for scores of
            different models are not the same.
        """
        from vesica.comparison.changed_objects import best_score, changed_objects

        first, other = (check.of_detection(one, DetectionResult, "Objects") for one in self._pair(model))
        given = check.score(min_score)
        cuts = [best_score(one, iou) if min_score == "best_f1" else given for one in (first, other)]
        key = check.model_of(model, self.names), iou, *cuts
        return self._known("objects", key, lambda: changed_objects(first, other, iou=iou, scores=(cuts[0], cuts[1])))

    def causes(self, model: str | None = None, /, *, iou: float | None = None) -> Table:
        """What each cause of error costs in AP, in the first model and in another: its change says what got better."""
        first, other = (check.of_detection(one, DetectionResult, "Causes").causes(iou=iou) for one in self._pair(model))
        before, after = (one.table["cost"] for one in (first, other))
        return Table(
            {
                "cause": first.table["cause"],
                "count_base": first.table["count"],
                "count_value": other.table["count"],
                "base": before,
                "value": after,
                "difference": after - before,
            }
        )

    def _pair(self, model: str | None) -> tuple[Result, Result]:
        return self.results[0], self.results[check.model_of(model, self.names)]

    # ---- words

    def gates(self, *gates: str | Gate, base: Result | None = None, undecided: str = "pass") -> list[Verdict]:
        """A verdict for each gate on each model but the first, since which "AP drop<=0.01 @95%" is a change.

        "AP>=0.5" is of the model itself. With several models the verdicts say of whom they are.
        """
        check.no_base(base)
        wanted = [parse(one, compared=True) if isinstance(one, str) else one for one in gates]
        for gate in wanted:
            check.no_base(gate.base)
        first = self._scores[0]
        found = []
        for name, scores in zip(self.names[1:], self._scores[1:], strict=True):
            own = judge(wanted, scores, base=lambda _: first, undecided=undecided)
            more = "" if len(self.names) == 2 else f"{name}: "
            found += [verdict._replace(gate=f"{more}{verdict.gate}") for verdict in own]
        return found

    def gate_scores(self, resampling: Resampling | None = None, /) -> Scores:
        """The differences themselves."""
        return Scores(self.numbers, {}, lambda _: "one of the models does not have it")

    def to_dict(self) -> dict[str, Any]:
        """The differences, the classes and how they were made, as plain values."""
        identity = self._scores[0].identity
        return {
            "task": "comparison",
            "of": None if identity is None else identity.task,
            "models": list(self.names),
            "images": self.images,
            "image_set": None if identity is None else identity.image_set,
            "level": self.level,
            "replicates": self.resampling.replicates,
            "seed": self.resampling.seed,
            "summary": self.numbers,
            "numbers": list(self.table()),
            "classes": list(self.classes()) if self.class_numbers else [],
            **self._details,
            "notes": [vars(note) for note in self.notes],
        }

    @property
    def _details(self) -> dict[str, Any]:
        """Slices, and the objects that changed, model by model, where they are at hand."""
        found: dict[str, Any] = {}
        if self.has_slices:
            found["slices"] = list(self.slices())
        if self.has_objects:
            found["objects"] = {name: list(self.objects(name)) for name in self.names[1:]}
            found["causes"] = {name: list(self.causes(name)) for name in self.names[1:]}
        return found

    def __str__(self) -> str:
        from vesica.comparison.words import text_of  # late: most comparisons are not printed

        return text_of(self)

    def markdown(self) -> str:
        """The same for a pull request: a line, the numbers, and details that open when they are clicked."""
        return "\n\n".join(self.markdown_parts()) + "\n"

    def markdown_parts(self) -> list[str]:
        """Its parts, the headline first."""
        from vesica.comparison.words import markdown_parts

        return markdown_parts(self)


def _surest_first(table: Table) -> tuple[np.ndarray, ...]:
    return -np.abs(table["difference"]), table["p"], table["q"]


def _joined(tables: Sequence[Table]) -> Table:
    return Table({name: np.concatenate([one[name] for one in tables]) for name in tables[0].columns})


def compare_results(
    results: Sequence[Result],
    /,
    *,
    names: Sequence[str],
    level: float = 0.95,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare results of the same images, under the same conventions, with the first of them."""
    check.some_models(results)
    own = check.names(names, len(results))
    check.one_kind(results, own)
    found = Comparison(tuple(results), own, check_statistics.level(level), resampling or Resampling())
    first, *others = (one.gate_scores().identity for one in results)
    for name, other in zip(own[1:], others, strict=True):
        check.same_identity(first, other, (own[0], name))
    return found
