"""COCO's JSON: truths, results, and the run lengths of masks."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from typing import Any

import numpy as np

from vesica._array import objects
from vesica._kernels.native import coco_file as native
from vesica._kernels.native.coco_file import Annotations, Columns
from vesica.dataset import Categories, CocoMasks, Dataset, Images, Ragged, SourceFile
from vesica.errors import InputError
from vesica.io import coco_errors
from vesica.io.files import File, load
from vesica.io.options import Options
from vesica.io.source import Reading, Source


def read(source: Source, options: Options, /) -> Reading:
    """Truths of COCO or LVIS, or results."""
    data = dataset_of(
        source.file, masks=options.masks, check=options.check, literal=options.literal, threads=options.threads
    )
    if options.annotator:
        from vesica.io.coco_annotators import annotated  # late: most files have one author

        if data.score is not None:
            raise InputError(f"{source.name} is a list of results, which nobody annotated: leave `annotator` out.")
        data = annotated(data, source.file, options.annotator)
    is_lvis = data.images.absent is not None or data.categories.frequency is not None
    title = "COCO results" if data.score is not None else "LVIS" if is_lvis else "COCO truth"
    return Reading(data, "xywh pixels", title)


def dataset_of(
    file: File | str | os.PathLike[str],
    /,
    *,
    masks: bool = True,
    check: bool = True,
    literal: str | None = None,
    threads: int | None = None,
) -> Dataset:
    """The data set of a COCO file: truths (also of LVIS), or the results of a model.

    A truth file is one object with "images", "annotations" and "categories". Rows point into those lists, and notes
    say how many areas and crowd flags were missing. A file of results is a list of rows; its images and categories are
    those that occur, in ascending order.

    Parameters
    ----------
    file : path, or a File that was loaded
    masks : keep the masks. Without, nothing but their syntax is looked at, unless some row has a mask and no box.
    check : refuse numbers that are not finite, negative sides, rows without a score or a region, ids that are not in
        their list or that come twice. Without, all values pass, and rows of unknown images or categories are left out.
    literal : {"box", "mask", "boundary"}, optional
        The regions that are to be scored as pycocotools scores them: refuse the file where that tool does, and of
        images and categories with one id take the last, as it does.
    threads : at most so many

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "results.json"
    >>> row = {"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40], "score": 0.5}
    >>> _ = path.write_text(json.dumps([row]))
    >>> guess = dataset_of(path)
    >>> guess
    Dataset(1 guess in 1 image, 1 category)
    >>> guess.xywh
    array([[10., 20., 30., 40.]])
    """
    if not isinstance(file, File):
        file = load(file, in_pieces=True)
    found = columns_of(file, masks, threads)
    if isinstance(found, native.Problem):
        if literal is not None and found.fault == "repeated":
            single = _literal().without_repeated(file)
            return dataset_of(single, masks=masks, check=check, literal=literal, threads=threads)
        raise coco_errors.error(file, found)
    if not found.annotations.is_there:
        raise InputError(f'{file.name} has no "annotations": truths are an object with that list, results are a list.')
    if check:
        _check(file, found)
    if literal is not None:
        _literal().check(file, found, literal)
    if not masks and found.annotations.lacks_boxes:
        return dataset_of(file, masks=True, check=check, literal=literal, threads=threads)
    data = dataset_of_columns(file, found, masks)
    # As masks they have the area of the mask, whatever boxes some of them have.
    is_area_of_mask = literal in ("mask", "boundary") and _literal().are_masks(found)
    return replace(data, xywh=None) if is_area_of_mask else data


def columns_of(file: File, masks: bool, threads: int | None, /) -> Columns | native.Problem:
    """The columns of a file, or what is wrong with it."""
    if isinstance(file.content, bytes):
        return native.read(file.view, masks=masks, threads=threads)
    with file.content.reading() as number:
        return native.read_open(number, file.content.size, masks=masks, threads=threads)


def _literal() -> Any:
    """Late: most files are not read so."""
    from vesica.io import coco_literal

    return coco_literal


# --- checks -----------------------------------------------------------------------------------------------------------


def _check(file: File, found: Columns) -> None:
    """Raise for the first row that cannot be scored."""
    rows = found.annotations
    if not rows.rows:
        return
    coco_errors.check_given(file, found, ("image_id", "category_id", *(("score",) if found.is_results else ())))
    if not (rows.is_in_all("bbox") or rows.is_in_all("segmentation")):
        has_region = rows.has("bbox") | rows.has("segmentation")
        if not has_region.all():
            row = int(np.argmin(has_region))
            raise coco_errors.error_of_row(file, found, row, 'has neither a "bbox" nor a "segmentation".')
    if rows.odd >= 0:
        raise coco_errors.error_of_row(file, found, rows.odd, _odd(rows, rows.odd))
    for field, row, ids in (
        ("image_id", found.unknown_image, found.image_ids),
        ("category_id", found.unknown_category, found.category_ids),
    ):
        if row >= 0:
            noun = "images" if field == "image_id" else "categories"
            written = json.dumps(json.loads(file.data[coco_errors.span(file, row)])[field])
            words = f'has the "{field}" {written}, which is not among the {len(ids)} {noun}.'
            raise coco_errors.error_of_row(file, found, row, words)
    if not found.is_results and rows.is_in_all("id"):
        _check_own_ids(file, found)


def _odd(rows: Annotations, row: int) -> str:
    """What is odd about the numbers of a row."""
    if rows.xywh is not None and rows.row_has(row, "bbox"):
        box = rows.xywh[row].tolist()
        if not all(map(math.isfinite, box)):
            return f'has a "bbox" that is not finite: {coco_errors.listed(box)}.'
        if box[2] < 0 or box[3] < 0:
            return (
                f'has a "bbox" of negative width or height: {coco_errors.listed(box)}. '
                "It is read as x, y, width, height; corners x1, y1, x2, y2 look like this."
            )
        if math.isinf(box[2] * box[3]):
            return f'has a "bbox" whose area overflows: {coco_errors.listed(box)}.'
    field = (
        "score" if rows.score is not None and not np.isfinite(rows.score[row]) and rows.has("score")[row] else "area"
    )
    value = (rows.score if field == "score" else rows.area)[row]  # type: ignore[index]  # something is odd
    return f'has {"a" if field == "score" else "an"} "{field}" that is not finite: {value}.'


def _check_own_ids(file: File, found: Columns) -> None:
    ids = _own_ids(found.annotations)
    if ids.dtype != object and (len(ids) < 2 or bool((ids[1:] > ids[:-1]).all())):
        return  # ascending, as most files are
    seen: dict[Any, int] = {}
    for row, own in enumerate(ids.tolist()) if ids.dtype == object or len(np.unique(ids)) < len(ids) else ():
        if own in seen:
            words = f'has the "id" {json.dumps(own)} of annotation {seen[own]}.'
            raise coco_errors.error_of_row(file, found, row, words)
        seen[own] = row


# --- shape ------------------------------------------------------------------------------------------------------------


def dataset_of_columns(file: File, found: Columns, masks: bool, /) -> Dataset:
    """The data set of columns, whatever they hold. Rows of unknown images or categories are left out."""
    rows, is_truth = found.annotations, not found.is_results
    images, categories = _images(found), _categories(found)
    image, category = (
        np.full(rows.rows, -1, np.int32) if column is None else column for column in (rows.image, rows.category)
    )
    columns: dict[str, Any] = {
        "image": image,
        "category": category,
        "xywh": rows.xywh if rows.rows else np.empty((0, 4)),
        "segments": _segments(rows, images, image) if masks else None,
        "score": rows.score if rows.rows or is_truth else np.empty(0),
        "area": rows.area if is_truth else None,
        "crowd": _flags(rows.crowd),
        "ignore": _flags(rows.ignore),
        "id": _own_ids(rows) if is_truth and rows.id is not None else None,
    }
    notes, record = _notes(found) if is_truth else (), None
    is_known = rows.is_in_all("image_id") and rows.is_in_all("category_id")
    if rows.rows and not (is_known and found.unknown_image < 0 and found.unknown_category < 0):
        known = (image >= 0) & (category >= 0)
        columns = {name: None if column is None else column[known] for name, column in columns.items()}
        record = np.flatnonzero(known)
        notes += (f"{np.count_nonzero(~known)} rows of unknown images or categories were left out",)
    source = SourceFile.of(file.name, images.ids, categories.ids)
    return Dataset(images, categories, **columns, notes=notes, source=source, record=record)


def _images(found: Columns) -> Images:
    images = found.images
    return Images(
        found.image_ids,
        images.height,
        images.width,
        None if images.names is None else objects(json.loads(b"[" + images.names.tobytes() + b"]")),
        _ragged(images.absent),
        _ragged(images.partial),
    )


def _ragged(lists: tuple[np.ndarray | None, np.ndarray] | None) -> Ragged | None:
    if lists is None:
        return None
    values, offsets = lists
    return Ragged(np.empty(0, np.int64) if values is None else values, offsets)


def _categories(found: Columns) -> Categories:
    if found.categories is None:
        return Categories(found.category_ids)
    records = json.loads(found.categories)
    names, parents, frequency = (
        objects([record.get(key) for record in records]) if any(key in record for record in records) else None
        for key in ("name", "supercategory", "frequency")
    )
    return Categories(found.category_ids, names, parents, frequency)


def _segments(rows: Annotations, images: Images, image: np.ndarray) -> CocoMasks | None:
    if rows.segment_begin is None or rows.segment_end is None:
        return None
    size = np.broadcast_to(np.zeros(2, np.int64), (rows.rows, 2))
    if images.height is not None and images.width is not None:
        size = np.stack([images.height, images.width], 1).take(image, 0)
    form = (rows.segment_end > rows.segment_begin).view(np.uint8) * np.uint8(CocoMasks.JSON)
    text = np.empty(0, np.uint8) if rows.text is None else rows.text
    return CocoMasks(text, rows.segment_begin, rows.segment_end, form, size)


def _flags(column: np.ndarray | None) -> np.ndarray | None:
    return column.view(np.bool_) if column is not None and column.any() else None


def _own_ids(rows: Annotations) -> np.ndarray:
    """Annotation ids, None for a row without one."""
    assert rows.id is not None
    ids = native.ids_of(rows.id, rows.id_texts)
    if not rows.is_in_all("id"):
        ids = ids.astype(object)
        ids[~rows.has("id")] = None
    return ids


def _notes(found: Columns) -> tuple[str, ...]:
    """What was missing, and what is taken instead."""
    rows, lists = found.annotations, {"images": found.images.is_there, "categories": found.categories is not None}
    absent = tuple(f'there is no list of "{name}": those that occur are taken' for name in lists if not lists[name])
    missing = {field: np.count_nonzero(~rows.has(field)) for field in ("area", "iscrowd") if not rows.is_in_all(field)}
    taken = {"area": "the area of the region is taken", "iscrowd": "0 is taken"}
    return absent + tuple(
        f'"{field}" is missing in {count} of {rows.rows} annotations: {taken[field]}'
        for field, count in missing.items()
        if count
    )


# --- run lengths ------------------------------------------------------------------------------------------------------


def is_coco(value: Any, /) -> bool:
    """Is this JSON value what COCO writes, and not a table of numbers?"""
    if isinstance(value, dict):
        return "annotations" in value or {"size", "counts"} <= value.keys()
    return isinstance(value, list) and any(isinstance(row, dict) for row in value)


def run_lengths(value: Any, name: str, /) -> list[dict[str, Any]]:
    """The run lengths of a JSON value, in the order of the file: dicts of "size" and "counts".

    A value is a list of such dicts; a list of results or annotations, each with such a dict as its "segmentation"; or
    an object with a list of "annotations". Whatever else an annotation has is not looked at.
    """
    if isinstance(value, dict):
        if "annotations" not in value:
            raise InputError(f'{name} has one mask by itself; write a list of one: [{{"size": …, "counts": …}}].')
        value = value["annotations"]
    if not isinstance(value, list):
        raise InputError(f'{name}: "annotations" must be a list; got {type(value).__name__}.')
    return [_run_lengths_of(row, number, name) for number, row in enumerate(value)]


def _run_lengths_of(row: Any, number: int, name: str) -> dict[str, Any]:
    place = f"{name}, annotation {number}"
    if not isinstance(row, dict):
        raise InputError(f"{place} must be an object; got {type(row).__name__}.")
    found = row if "counts" in row else row.get("segmentation")
    if isinstance(found, dict) and {"size", "counts"} <= found.keys():
        return found
    if isinstance(found, dict):
        missing = next(key for key in ("size", "counts") if key not in found)
        raise InputError(f'{place}: run lengths have "size" and "counts"; "{missing}" is missing.')
    if isinstance(found, list):
        raise InputError(f"{place} is a polygon. Only run lengths are read so far: draw the polygons as masks first.")
    if found is None and "bbox" in row:
        raise InputError(
            f'{place} has a "bbox" and no "segmentation". Boxes are read as a list of lists: '
            '{"boxes": [[x, y, w, h], …]} with --form xywh.'
        )
    raise InputError(f'{place} has no "segmentation" of run lengths: {{"size": [height, width], "counts": …}}.')
