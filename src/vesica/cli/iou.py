"""`vesica iou A B`: the small kernels on files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.regions import Boxes, RotatedBoxes

MEASURES = ("iou", "distance", "dice", "coverage", "overlap", "tversky", "giou", "diou", "ciou", "eiou")
FORMS = ("xyxy", "xywh", "cxcywh", "yxyx", "xyxy_inclusive")

_EPILOG = """\
files: .npy, .csv or .json with one region a row; `-` is standard input. Rows of five numbers are rotated boxes.

examples:
  vesica iou truth.npy guess.npy                          the matrix, as CSV
  vesica iou truth.csv guess.csv --form xywh --aligned    row with row
  vesica iou truth.csv guess.csv --at-least 0.5 --json    the pairs that reach one half
  vesica iou all.npy --at-least 0.9 --strict              near-duplicates within one file
  vesica iou a.csv b.csv --rotated deg,ccw                rows of cx, cy, w, h, angle
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("a", metavar="A", help="the first file")
    parser.add_argument(
        "b", metavar="B", nargs="?", help="the second file; without it, pairs within A (needs --at-least)"
    )
    parser.add_argument("--form", choices=FORMS, default="xyxy", help="what the four columns mean (default: xyxy)")
    parser.add_argument("--normalised", metavar="W,H", help="the columns are fractions of an image of this size")
    parser.add_argument("--rotated", metavar="UNIT,DIRECTION", help="rows of five: deg or rad, cw or ccw; e.g. deg,ccw")
    parser.add_argument("--measure", choices=MEASURES, default="iou", help="default: iou")
    parser.add_argument("--of", choices=("a", "b"), help="coverage: share of which side (default: a)")
    parser.add_argument("--alpha", type=float, help="tversky: weight of what only A has")
    parser.add_argument("--beta", type=float, help="tversky: weight of what only B has")
    parser.add_argument("--empty", type=float, help="the answer to nothing with nothing (default: 0)")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--aligned", action="store_true", help="row i of A with row i of B")
    how.add_argument("--at-least", type=float, metavar="T", help="only the pairs that reach T: i,j,value")
    how.add_argument("--best", type=int, metavar="K", help="the K best partners of each row of A: i,j,value")
    parser.add_argument("--strict", action="store_true", help="with --at-least: only pairs above T")
    parser.add_argument("-o", "--output", metavar="FILE", help="write .npy, .csv or .json instead of printing")
    parser.add_argument("--threads", type=int, metavar="N", help="at most this many")


def run(arguments: argparse.Namespace) -> int:
    _check_usage(arguments)
    from vesica.io.arrays import read, write

    a = _region(read(arguments.a), arguments, arguments.a)
    b = None if arguments.b is None else _region(read(arguments.b), arguments, arguments.b)
    answer = _Answer(arguments, a, b)
    if arguments.output:
        write(arguments.output, answer.table(), header=answer.header)
    elif arguments.json:
        print(json.dumps(answer.as_object(), sort_keys=True))
    else:
        answer.show()
    return 0


def _check_usage(arguments: argparse.Namespace) -> None:
    """Leave with exit code 2 for options that no file could make right."""
    from vesica import _check as check
    from vesica.overlaps.measures import MEASURES as KNOWN
    from vesica.overlaps.measures import as_similarity

    wrong = arguments.usage_error
    if arguments.b is None and arguments.at_least is None:
        wrong("one file is given: pairs within it need --at-least T, or name a second file")
    if arguments.a == arguments.b == "-":
        wrong("standard input can be read only once: give a file for A or for B")
    if arguments.strict and arguments.at_least is None:
        wrong("--strict goes with --at-least T")
    try:
        if arguments.at_least is not None:
            check.threshold(arguments.at_least, "--at-least", strict=arguments.strict)
        if arguments.at_least is not None or arguments.best is not None:
            as_similarity(arguments.measure)
        for name in ("threads", "best"):
            if getattr(arguments, name) is not None:
                check.positive(getattr(arguments, name), f"--{name}")
        if arguments.normalised:
            check.image_size(arguments.normalised.split(","), "--normalised")
        if arguments.rotated:
            unit, _, direction = arguments.rotated.partition(",")
            check.one_of(unit, check.UNITS, "--rotated UNIT")
            check.one_of(direction, check.DIRECTIONS, "--rotated DIRECTION")
        KNOWN[arguments.measure].options(_options(arguments))
    except (ValueError, TypeError) as error:
        wrong(str(error))


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of the measure that were given."""
    given = {name: getattr(arguments, name) for name in ("of", "alpha", "beta", "empty")}
    return {name: value for name, value in given.items() if value is not None}


def _region(table: np.ndarray, arguments: argparse.Namespace, path: str) -> Boxes | RotatedBoxes:
    from vesica.errors import InputError
    from vesica.regions import Boxes, RotatedBoxes

    try:
        if arguments.rotated:
            unit, _, direction = arguments.rotated.partition(",")
            return RotatedBoxes(table, unit=unit, direction=direction)
        size = arguments.normalised.split(",") if arguments.normalised else None
        return Boxes(table, arguments.form, normalised=size)
    except (ValueError, TypeError) as error:
        hint = " On the command line: --rotated deg,ccw." if table.shape[-1:] == (5,) and not arguments.rotated else ""
        raise InputError(f"{'standard input' if path == '-' else path}: {error}{hint}") from error


class _Answer:
    """What was asked, ready for any writer."""

    def __init__(self, arguments: argparse.Namespace, a: Boxes | RotatedBoxes, b: Boxes | RotatedBoxes | None) -> None:
        from vesica.overlaps.measures import MEASURES as KNOWN

        self.arguments, self.a, self.b = arguments, a, b
        self.measure = KNOWN[arguments.measure]
        self.options = {**_options(arguments), "threads": arguments.threads}

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

    def as_object(self) -> dict[str, Any]:
        answer: dict[str, Any] = {"measure": self.measure.name}
        if self.is_list:
            i, j, value = self.columns()
            if self.arguments.at_least is not None:
                answer |= {"at_least": self.arguments.at_least, "strict": self.arguments.strict}
            return answer | {"count": len(i), "i": i.tolist(), "j": j.tolist(), "value": value.tolist()}
        table = self.table()
        return answer | {"shape": list(table.shape), "values": table.tolist()}

    def show(self) -> None:
        """CSV on stdout. A matrix goes out by blocks of rows, so that any size can be piped."""
        from vesica.io.arrays import csv_lines

        if self.is_list:
            print(*self.header, sep=",")
            for row in zip(*(column.tolist() for column in self.columns()), strict=True):
                print(*map(repr, row), sep=",")
        elif self.arguments.aligned or self.a.array.ndim > 2:
            table = self.table()
            sys.stdout.writelines(csv_lines(table.reshape(-1, table.shape[-1]) if table.ndim > 2 else table))
        else:
            for block in self.blocks():
                sys.stdout.writelines(csv_lines(block))

    def blocks(self) -> Iterator[np.ndarray]:
        from vesica.cli.progress import track

        assert self.b is not None
        step = max(1, (1 << 18) // max(1, len(self.b)))
        for top in track(range(0, len(self.a), step), "rows"):
            yield self.measure(self.a[top : top + step], self.b, **self.options)
