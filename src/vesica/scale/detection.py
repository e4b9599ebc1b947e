"""Detection scores of many files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from vesica._check import names, score_counts
from vesica._check import scale as check
from vesica.dataset.arrow import dataset_of, sides_of_table
from vesica.detection.protocol import Protocol, protocol_of
from vesica.detection.records import Records
from vesica.detection.result import DetectionResult, summarise
from vesica.detection.run_merging import tally_of
from vesica.detection.score_counts import Bounds, ScoreCounts, counts_by_score
from vesica.detection.sorted_runs import SortedRun, merge_runs, sorted_run_of
from vesica.detection.tallies import Tally
from vesica.scale import category_tables
from vesica.scale import kept as kept_parts
from vesica.scale.engines import workers_of
from vesica.scale.images import with_images
from vesica.scale.kept import Kept, body_of
from vesica.scale.parts import Part, parts_of_pairs, parts_of_tables
from vesica.scale.run import Progress, lasting_run, run
from vesica.scoring import evaluate as evaluate_one
from vesica.scoring import how_to_read

if TYPE_CHECKING:
    from vesica.comparison import Comparison
    from vesica.io.options import Options


def evaluate(
    truth: Any,
    guess: Any = None,
    /,
    *,
    engine: str = "threads",
    workers: int | None = None,
    details: bool = False,
    duplicates: str = "error",
    expected: Any = None,
    partial: bool = False,
    memory: int | str | None = None,
    scratch: str | os.PathLike[str] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **options: Any,
) -> DetectionResult:
    """Score guesses that are in many files, the same to the byte as `vesica.evaluate` of all of them at once.

    Parameters
    ----------
    truth : path, pattern, folder, or list of such
        Without `guess`, Parquet files with both sides: a row for each image, with lists under `truth` and `guess`.
    guess : the same, optional
        Then files of truths and of guesses, in any format; the nth are of the same images. Parquet needs pyarrow.
    engine : {"threads", "processes", "ray"}
        "ray" works on the cluster that is reached, or on one of this machine.
    workers : int, optional
        How many parts are worked on at once; by default as many as there are cores.
    details : bool, default False
        Keep what causes, confusion and tables of objects need.
    duplicates : {"error", "same"}
        An image in two parts is an error, or counts once if both have the same of it.
    expected : ids of images, optional
        One that is in no part is an error.
    partial : bool, default False
        Score without expected images that are in no part; a note says how many they are.
    memory : int or str, optional
        Bytes, or a text such as "2GB": guesses go to disk, sorted, and are scored from there, category by category. The
        result has the numbers of the summary and of each category; what else needs every guess is an error.
    scratch : path, optional
        A folder for them; by default the system's for temporary files. What is put there goes at the end.
    checkpoint : path, optional
        A folder that keeps finished parts: a run that was stopped goes on where it was. It must be empty, not there
        yet, or of the same files, options and version.
    progress : function, optional
        Is told parts done, all parts, and guesses so far.
    threads : int, optional
        Of each worker; by default 1.
    **options : as of `vesica.evaluate`

    Examples
    --------
    >>> import tempfile, vesica
    >>> from vesica import scale
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(3):
    ...         truth = vesica.Dataset.from_arrays([[0, 0, 10, 10]], image=[k], category=["cat"])
    ...         guess = vesica.Dataset.from_arrays([[0, 0, 10, 8 - k]], image=[k], category=["cat"], score=[0.5])
    ...         _ = vesica.write(f"{folder}/truth-{k}.parquet", truth)
    ...         _ = vesica.write(f"{folder}/guess-{k}.parquet", guess)
    ...     result = scale.evaluate(f"{folder}/truth-*.parquet", f"{folder}/guess-*.parquet")
    >>> round(result["AP"], 3), len(result.records.images)
    (0.5, 3)
    """
    _check_options(options)
    budget = check.memory(memory)
    check.no_scratch(scratch, memory, checkpoint)
    if budget is not None:
        check.under_budget(details=details, duplicates=duplicates)
    kind = "detection" if budget is None else "sorted runs"
    parts = parts_of_tables(truth) if guess is None else parts_of_pairs(truth, guess)
    slices = options.pop("slices", None)  # of all images, not of each part
    given = {**options, **category_tables.option_of(parts), "details": details, "threads": threads or 1}
    count = workers_of(engine, workers)
    how: dict[str, Any] = {
        "engine": engine,
        "workers": workers,
        "merging": {"duplicates": duplicates} if budget is None else {},
        "expected": expected,
        "partial": partial,
        "progress": progress,
    }
    with _folder(kind, parts, {**given, "duplicates": duplicates}, checkpoint, scratch, budget) as kept:
        if budget is None:
            total = run(kind, parts, given, kept=kept, **how)
            records: Records | Tally = total.records
        else:
            assert kept is not None
            given["work_bytes"] = budget // (count + 1)
            total = run(kind, parts, given, kept=kept, few_at_once=True, joined=False, **how)
            runs = [SortedRun.opened(body_of(path), str(path)) for path in kept.files]
            records = tally_of(runs, memory=budget, workers=min(count, os.cpu_count() or 1))
    result = summarise(replace(records, notes=(*records.notes, *total.notes)))
    return result if slices is None else with_images(result, parts).sliced(slices)


def _folder(
    kind: str, parts: list[Part], options: dict[str, Any], checkpoint: Any, scratch: Any, budget: int | None
) -> contextlib.AbstractContextManager[Kept | None]:
    """Where finished parts are kept."""
    if checkpoint is None and budget is not None:
        return kept_parts.scratch(scratch)
    return kept_parts.lasting(checkpoint, kind, parts, options)


def bounds(
    truth: Any,
    guess: Any = None,
    /,
    *,
    bins: int = 4096,
    engine: str = "threads",
    workers: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
    **options: Any,
) -> Bounds:
    """AP in bounds that hold the exact value, from counts by bins of the score instead of guesses.

    Parameters
    ----------
    truth, guess, engine, workers, checkpoint, progress, threads : as of `evaluate`
    bins : int, default 4096
        Between the scores 0 and 1.
    **options : as of `vesica.evaluate`
    """
    _check_options(options)
    score_counts.bins(bins)
    parts = parts_of_tables(truth) if guess is None else parts_of_pairs(truth, guess)
    given = {**options, **category_tables.option_of(parts), "bins": bins, "threads": threads or 1}
    how: dict[str, Any] = {"engine": engine, "workers": workers, "progress": progress}
    total = lasting_run("bounds", parts, given, checkpoint=checkpoint, **how)
    counts: ScoreCounts = total.records
    return counts.bounds()


def counts_of_part(part: Part, options: dict[str, Any], /) -> ScoreCounts:
    """The counts of one part: what a worker does."""
    given = dict(options)
    bins = given.pop("bins")
    return counts_by_score(records_of_part(part, given), bins=bins)


def records_of_part(part: Part, options: dict[str, Any], /) -> Records:
    """The records of one part: what a worker does."""
    if "table" in part:
        from vesica.io.parquet import group_of

        how = _how_to_read(options)
        table = group_of(part["table"], part["group"], masks=how.masks)
        check.two_sides(part["table"], sides_of_table(table))
        return _records_of_table(table, how, options)
    return evaluate_one(part["truth"], part["guess"], check=False, **options).records


def run_of_part(part: Part, options: dict[str, Any], /) -> SortedRun:
    """The guesses of one part by score: what a worker does. Large tables are gone through some images at a time."""
    given = dict(options)
    room = given.pop("work_bytes")
    threads = given["threads"]
    if "table" not in part:
        return sorted_run_of(records_of_part(part, given), threads=threads)
    how = _how_to_read(given)
    found = []
    for table in _tables_of(part, how.masks, room):
        found.append(sorted_run_of(_records_of_table(table, how, given), threads=threads))
        del table  # before the next is read
    return found[0] if len(found) == 1 else merge_runs(*found)


_OF_A_BYTE, _OF_A_VALUE = 6, 60
"""What reading and matching take for each byte of a table, and for each number of a box, about."""


def _tables_of(part: Part, masks: bool, room: int) -> Iterator[Any]:
    """The table of a part, as much at a time as there is room for."""
    from vesica.io.parquet import size_of_group, tables_of_group

    told = size_of_group(part["table"], part["group"], masks=masks)
    need = _OF_A_BYTE * told.size + _OF_A_VALUE * told.values
    rows = max(1, told.rows * room // max(need, room))
    for table in tables_of_group(part["table"], part["group"], rows, masks=masks):
        check.two_sides(part["table"], sides_of_table(table))
        yield table


def _records_of_table(table: Any, how: Options, options: dict[str, Any]) -> Records:
    given = dict(options)
    tables = given.pop(category_tables.OPTION, None)
    truth, guess = (
        category_tables.with_table(dataset_of(table, side=side, masks=how.masks, look=how.check)[0], tables, side)
        for side in ("truth", "guess")
    )
    return evaluate_one(truth, guess, **given).records


def _check_options(options: dict[str, Any]) -> None:
    """Raise for options that no part could make right: no file is at fault."""
    names.check_options(evaluate_one, options, group="evaluate")
    _protocol_of(options)


def _protocol_of(options: dict[str, Any]) -> Protocol:
    return protocol_of(
        options.get("protocol", "coco"), **{name: options[name] for name in _OF_PROTOCOL & options.keys()}
    )


def _how_to_read(options: dict[str, Any]) -> Options:
    """As one run over all files reads them: masks only where they are compared."""
    return how_to_read(_protocol_of(options), None)("parquet")


_OF_PROTOCOL = {"regions", "iou", "areas", "max_dets", "by_class", "strict", "quirks"}


def compare(truth: Any, *models: Any, **options: Any) -> Comparison:
    """Compare models whose guesses are in many files, as `vesica.compare` does; options are those of `evaluate`.

    `models` are files of guesses, as many for each model as there are files of truths.
    """
    from vesica.comparison import compare as compare_results

    given = {"details": True, **options}  # for objects that are fixed and broken, and causes
    return compare_results(*(evaluate(truth, model, **given) for model in models))
