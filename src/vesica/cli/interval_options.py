"""What the command line says of intervals, and of slices: how sure, and where."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from vesica.cli import gate_options

if TYPE_CHECKING:
    from vesica.detection import DetectionResult
    from vesica.results.resampling import Resampling

_IMAGE = ("image", "image_id", "id", "file_name", "filename", "file", "name")
"""What the column of images may be called; else it is the first."""
_OF_INTERVALS = ("level", "by", "replicates", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--interval", action="store_true", help="intervals of all numbers too, by drawing images again")
    parser.add_argument("--level", type=float, metavar="L", help="with --interval: the share inside (default: 0.95)")
    parser.add_argument(
        "--by",
        metavar="COLUMN",
        help="with --interval: what is drawn again, a column of --slices, or group or batch of TRUTH (default: image)",
    )
    parser.add_argument("--replicates", type=int, metavar="N", help="with --interval: how many (default: 2000)")
    parser.add_argument("--seed", type=int, metavar="N", help="with --interval (default: 0)")
    add_slices(parser)


def add_slices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--slices",
        metavar="FILE",
        help="scores by camera, daylight, site: a CSV table with a column of images (ids, file names or stems) and one "
        "for each way to slice them; an empty cell is in no slice",
    )


def check_usage(arguments: argparse.Namespace) -> None:
    """Raise for options that no file could make right."""
    from vesica._check import statistics as check

    said = [name for name in _OF_INTERVALS if getattr(arguments, name) is not None]
    if said and not arguments.interval and not (gate_options.has_level(arguments) and arguments.level is None):
        raise ValueError(f"--{said[0]} goes with --interval")
    for name, look in (("level", check.level), ("replicates", check.replicates), ("seed", check.seed)):
        if getattr(arguments, name) is not None:
            look(getattr(arguments, name))


def sliced(result: DetectionResult, arguments: argparse.Namespace) -> DetectionResult:
    """The result with the slices that were asked for."""
    if arguments.slices is None:
        return result
    from vesica.errors import InputError

    try:
        return result.sliced(columns_of(arguments.slices))
    except (ValueError, TypeError) as error:
        raise InputError(f"{arguments.slices}: {error}") from error


def columns_of(path: str) -> dict[str, dict[str, str | None]]:
    """From a CSV table: for each column but that of images a dict of image → value."""
    import csv
    import io

    from vesica.errors import InputError
    from vesica.io.files import load

    text = load(path).data.decode("utf-8-sig", "replace")
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text)) if any(row)]
    if len(rows) < 2 or len(rows[0]) < 2 or not all(rows[0]) or len(set(rows[0])) < len(rows[0]):
        raise InputError(
            f'{path} must be a CSV table with a header of different names, such as "image,camera,daylight", and rows.'
        )
    header = rows[0]
    wrong = next((number for number, row in enumerate(rows[1:], 2) if len(row) != len(header)), None)
    if wrong is not None:
        raise InputError(f"{path}: row {wrong} has {len(rows[wrong - 1])} cells, and the header {len(header)}.")
    at = next((place for place, name in enumerate(header) if name.lower() in _IMAGE), 0)
    columns: dict[str, dict[str, str | None]] = {name: {} for name in header if name != header[at]}
    for row in rows[1:]:
        for name, cell in zip(header, row, strict=True):
            if name != header[at] and columns[name].setdefault(row[at], cell or None) != (cell or None):
                raise InputError(f"{path} has the image {row[at]!r} twice, with different values of {name!r}.")
    return columns


def resampling_of(result: DetectionResult, arguments: argparse.Namespace) -> Resampling:
    """How images are drawn again for gates with a level."""
    from vesica.results.resampling import Resampling

    try:
        groups = None if arguments.by is None else result.groups_by(arguments.by)
    except ValueError as error:  # a column that is not there
        arguments.usage_error(str(error))
    asked = {name: getattr(arguments, name) for name in ("replicates", "seed")}
    return Resampling(groups=groups, **{name: value for name, value in asked.items() if value is not None})


def facts_of(result: DetectionResult, arguments: argparse.Namespace) -> dict[str, Any]:
    """Intervals and slices as plain values, where they were asked for."""
    facts: dict[str, Any] = {}
    if arguments.interval:
        facts["intervals"] = _intervals(result, arguments)
    if arguments.slices is not None:
        facts["slices"] = [
            _slice(name, value, one, arguments) for name, found in result.slices.items() for value, one in found.items()
        ]
    return facts


def _intervals(result: DetectionResult, arguments: argparse.Namespace) -> dict[str, Any]:
    options = {name: getattr(arguments, name) for name in (*_OF_INTERVALS, "min_score")}
    try:
        found = result.interval(**{name: value for name, value in options.items() if value is not None})
    except ValueError as error:  # a column that is not there
        arguments.usage_error(str(error))
    return found.to_dict()


def _slice(column: str, value: Any, result: DetectionResult, arguments: argparse.Namespace) -> dict[str, Any]:
    counted = {"images": len(result.records.images), "truths": result.truths, "guesses": len(result.records)}
    facts = {"column": column, "slice": value, **counted, "summary": result.numbers}
    return facts | ({"intervals": _intervals(result, arguments)["numbers"]} if arguments.interval else {})
