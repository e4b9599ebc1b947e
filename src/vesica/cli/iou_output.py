"""Answers: what was asked of two operands, ready for any writer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.regions import Region


def options_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of the measure that were given."""
    given = {name: getattr(arguments, name) for name in ("of", "alpha", "beta", "empty")}
    return {name: value for name, value in given.items() if value is not None}


class Answer:
    """What was asked, ready for any writer."""

    def __init__(self, arguments: argparse.Namespace, a: Region, b: Region | None) -> None:
        from vesica.overlaps.measures import MEASURES

        self.arguments, self.a, self.b = arguments, a, b
        self.measure = MEASURES[arguments.measure]
        self.options = {**options_of(arguments), "threads": arguments.threads}

    @property
    def is_list(self) -> bool:
        return self.arguments.at_least is not None or self.arguments.best is not None

    @property
    def header(self) -> tuple[str, ...]:
        return ("i", "j", "value") if self.is_list else ()

    def columns(self) -> tuple[Any, Any, Any]:
        """i, j, value of a join, or of the best partners."""
        import numpy as np

        from vesica.overlaps.best import best
        from vesica.overlaps.join import join

        if self.arguments.at_least is not None:
            limit = {"at_least": self.arguments.at_least, "strict": self.arguments.strict}
            i, j, value = join(self.a, self.b, measure=self.measure, **limit, **self.options)
            return i, j, value
        found = best(self.a, self.b, k=self.arguments.best, measure=self.measure, **self.options)
        i = np.repeat(np.arange(len(found)), found.index.shape[1])
        there = found.index.ravel() >= 0
        return i[there], found.index.ravel()[there], found.value.ravel()[there]

    def table(self) -> np.ndarray:
        import numpy as np

        if not self.is_list:
            table: np.ndarray = self.measure(self.a, self.b, aligned=self.arguments.aligned, **self.options)
            return table
        i, j, value = self.columns()
        rows = np.empty((len(i), 3), object)
        rows[:, 0], rows[:, 1], rows[:, 2] = i.tolist(), j.tolist(), value.tolist()
        return rows if not self.arguments.output.endswith(".npy") else rows.astype(np.float64)

    def labels(self) -> dict[str, list[int]]:
        """The labels that rows and columns stand for, of label maps."""
        found = {"ids_a": getattr(self.a, "ids", None), "ids_b": getattr(self.b, "ids", None)}
        return {name: ids.tolist() for name, ids in found.items() if ids is not None}

    def as_object(self) -> dict[str, Any]:
        """For JSON, which has no NaN: null."""
        from vesica.io.arrays import listed

        answer: dict[str, Any] = {"measure": self.measure.name, **self.labels()}
        if self.is_list:
            i, j, value = self.columns()
            if self.arguments.at_least is not None:
                answer |= {"at_least": self.arguments.at_least, "strict": self.arguments.strict}
            return answer | {"count": len(i), "i": i.tolist(), "j": j.tolist(), "value": listed(value)}
        table = self.table()
        return answer | {"shape": list(table.shape), "values": listed(table)}

    def show(self) -> None:
        """CSV on stdout. A matrix goes out by blocks of rows, so that any size can be piped."""
        from vesica.io.arrays import csv_lines

        if self.is_list:
            print(*self.header, sep=",")
            for row in zip(*(column.tolist() for column in self.columns()), strict=True):
                print(*map(repr, row), sep=",")
        elif self.is_whole:
            table = self.table()
            sys.stdout.writelines(csv_lines(table.reshape(-1, table.shape[-1]) if table.ndim > 2 else table))
        else:
            for block in self.blocks():
                sys.stdout.writelines(csv_lines(block))

    @property
    def is_whole(self) -> bool:
        """Is the answer made at once? A batch has no rows to cut, and label maps are counted only once."""
        sides = [side for side in (self.a, self.b) if side is not None]
        return self.arguments.aligned or bool(self.labels()) or any(len(side.shape) > 1 for side in sides)

    def blocks(self) -> Iterator[np.ndarray]:
        from vesica.cli.progress import track

        assert self.b is not None
        a: Any = self.a  # of a kind that has rows: see `is_whole`
        step = max(1, (1 << 18) // max(1, len(self.b)))
        for top in track(range(0, len(a), step), "rows"):
            yield self.measure(a[top : top + step], self.b, **self.options)
