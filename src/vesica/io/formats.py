"""Formats: one record for each kind of file that data sets are read from and written to.

A format is its functions, which live in modules of their own, and the facts by which it is known. Nothing here needs
NumPy or dataclasses, and functions are imported when they are called: a file of COCO does not wait for XML and npz.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from vesica.dataset import Dataset
    from vesica.io.options import Options
    from vesica.io.source import Reading, Source

Notes = tuple[str, ...]
"""What a format could not keep."""
HEAD = 1 << 16
"""Bytes of a file that tell its format."""


class Format(NamedTuple):
    """Functions and facts of a format. Whatever is None or empty it does not have.

    Attributes
    ----------
    name : as `format=` takes it
    about : its line in `vesica convert --help`
    known_as : in the message that lists the formats
    read : a source and options in, a data set and the meaning of its boxes out
    content : a data set in, the bytes of its one file out
    write_into : writes the files of a data set into a folder
    stale : the files that an earlier data set left in a folder into which one is to be written
    options : the options of `read` that say something about it
    starts : what its files begin with; where they are text, after blanks and a byte order mark
    is_text : are they?
    endings : of its files in folders and patterns; the first is written
    names : what its files are called, where a name alone tells: a pattern
    looks_like : is this the beginning of such a text? Of formats that begin alike, those that have it come first.
    empty_ending : a file with this ending may be empty: an image in which nothing was found
    files_in : the place in a folder that has its files, and these; by default those with the first ending
    is_own : which files of a pattern are its own; by default all
    homes : folders, by their names, in which nothing but its files is
    in_folder : what a folder of it has, in words
    list_endings : of files that stand for the folder in which they are
    of_rotated : options by which its rotated boxes are read, where boxes may be either
    is_by_image : has it a file for each image, so that guesses are of the images of the truth?
    joins_archives : may several exports, an archive each, be read as one?
    """

    name: str
    about: str | None = None
    known_as: str | None = None
    read: Callable[[Source, Options], Reading] | None = None
    content: Callable[[Dataset], tuple[bytes, Notes]] | None = None
    write_into: Callable[[Path, Dataset], Notes] | None = None
    stale: Callable[[Path], list[Path]] | None = None
    options: tuple[str, ...] = ()
    starts: tuple[bytes, ...] = ()
    is_text: bool = True
    endings: tuple[str, ...] = ()
    names: str | None = None
    looks_like: Callable[[str], bool] | None = None
    empty_ending: str | None = None
    files_in: Callable[[Path], tuple[Path, list[Path]]] | None = None
    is_own: Callable[[Path], bool] | None = None
    homes: tuple[str, ...] = ()
    in_folder: str | None = None
    list_endings: tuple[str, ...] = ()
    of_rotated: tuple[tuple[str, str], ...] = ()
    is_by_image: bool = False
    joins_archives: bool = False


def _later(name: str) -> Callable[..., Any]:
    """A function of vesica.io, "module.function", that is imported when it is called."""
    module, function = name.split(".")

    def call(*arguments: Any) -> Any:
        return getattr(importlib.import_module(f"vesica.io.{module}"), function)(*arguments)

    return call


# Patterns are compiled when a name is held against them, which a file of COCO does not wait for either.
VOC_RESULTS = r"(?i)comp\d+_det_[^_]+_(.+)\.txt"
"""Names of VOC's own files of detections, one for each class: comp3_det_test_cat.txt"""
DOTA_RESULTS = r"(?i)Task1_(.+)\.txt"
"""Names of DOTA's own files of detections, one for each class: Task1_plane.txt"""

FORMATS = {
    format.name: format
    for format in (
        Format(
            "coco",
            about=".json: truths, or results where there are scores (coco_results)",
            known_as="COCO (.json)",
            read=_later("coco.read"),
            content=_later("coco_write.content"),
            options=("annotator",),
            starts=(b"{", b"["),
            endings=(".json",),
            in_folder="a JSON file of COCO",
        ),
        Format("coco_results", content=_later("coco_write.results_content")),
        Format(
            "voc",
            about="a folder of .xml, one for each image; of guesses, a .txt for each class",
            known_as="Pascal VOC (.xml)",
            read=_later("voc.read"),
            write_into=_later("voc_write.write"),
            stale=_later("voc_write.stale"),
            options=("boxes",),
            starts=(b"<",),
            endings=(".xml",),
            names=VOC_RESULTS,
            files_in=_later("voc.files_in"),
            homes=("Annotations",),
            in_folder="XML files of VOC",
        ),
        Format(
            "yolo",
            about="a folder of labels/*.txt and data.yaml",
            known_as="YOLO (.txt)",
            read=_later("yolo_folder.read"),
            write_into=_later("yolo_write.write"),
            stale=_later("yolo_write.stale"),
            options=("boxes", "sizes", "images", "names", "kind", "columns"),
            endings=(".txt",),
            looks_like=_later("yolo.looks_like_labels"),
            empty_ending=".txt",
            files_in=_later("yolo_folder.files_in"),
            is_own=_later("yolo_folder.is_label"),
            homes=("labels", "obj_train_data", "obj_valid_data", "obj_test_data"),
            in_folder="label files of YOLO",
            list_endings=(".yaml", ".yml"),
            of_rotated=(("kind", "obb"),),
            is_by_image=True,
        ),
        Format(
            "dota",
            about="a folder of .txt, rotated boxes by their corners; of guesses, a Task1_CLASS.txt for each class",
            known_as="DOTA (.txt)",
            read=_later("dota.read"),
            write_into=_later("dota_write.write"),
            stale=_later("dota_write.stale"),
            names=DOTA_RESULTS,
            looks_like=_later("dota.looks_like_labels"),
            files_in=_later("dota.files_in"),
            homes=("labelTxt",),
            in_folder="label files of DOTA",
        ),
        Format(
            "cvat",
            about=".xml: images, or tracks of a video, of CVAT 1.1",
            known_as="CVAT (.xml)",
            read=_later("cvat.read"),
            content=_later("cvat_write.content"),
            starts=(b"<",),
            looks_like=_later("cvat.looks_like_cvat"),
            joins_archives=True,
            in_folder="XML files of CVAT",
        ),
        Format(
            "labelstudio",
            about=".json: tasks of Label Studio with the annotations of one or several people",
            known_as="Label Studio (.json)",
            read=_later("labelstudio.read"),
            content=_later("labelstudio_write.content"),
            options=("predictions",),
            starts=(b"[",),
            looks_like=_later("json_beginnings.looks_like_tasks"),
            joins_archives=True,
            in_folder="JSON files of Label Studio",
        ),
        Format(
            "labelme",
            about="a folder of .json, one for each image",
            known_as="LabelMe (.json)",
            read=_later("labelme.read"),
            write_into=_later("labelme_write.write"),
            stale=_later("labelme_write.stale"),
            starts=(b"{",),
            looks_like=_later("json_beginnings.looks_like_labelme"),
            files_in=_later("labelme.files_in"),
            in_folder="JSON files of LabelMe",
        ),
        Format(
            "csv",
            about="a table with a header: image,category,x1,y1,x2,y2,score; or that of Open Images",
            known_as="CSV with a header",
            read=_later("csv.read"),
            content=_later("csv_write.content"),
            options=("boxes", "sizes", "images"),
            endings=(".csv", ".tsv"),
            looks_like=_later("csv.looks_like_csv"),
        ),
        Format(
            "npz",
            about="columns under their names: everything a data set has",
            known_as=".npz",
            read=_later("npz.read_archive"),
            content=_later("npz_write.archive_content"),
            options=("boxes",),
            starts=(b"PK\x03\x04", b"PK\x05\x06"),
            is_text=False,
            endings=(".npz",),
        ),
        Format(
            "npy",
            about="COCO's array of seven columns: image, x, y, w, h, score, category",
            known_as=".npy",
            read=_later("npz.read_array"),
            content=_later("npz_write.table_content"),
            options=("boxes",),
            starts=(b"\x93NUMPY",),
            is_text=False,
            endings=(".npy",),
        ),
        Format(
            "parquet",
            about="a row for each image with its objects in a list, all that a data set has; or a row for each object",
            known_as="Parquet",
            read=_later("parquet.read"),
            content=_later("parquet_write.parquet_content"),
            options=("boxes", "predictions"),
            starts=(b"PAR1",),
            is_text=False,
            endings=(".parquet", ".pq"),
            in_folder="parts of Parquet",
        ),
        Format(
            "arrow",
            about="the same as a file of Arrow (Feather)",
            known_as="Arrow",
            read=_later("parquet.read"),
            content=_later("parquet_write.arrow_content"),
            options=("boxes", "predictions"),
            starts=(b"ARROW1", b"\xff\xff\xff\xff"),
            is_text=False,
            endings=(".arrow", ".feather"),
            in_folder="files of Arrow",
        ),
    )
}
"""By their names, in the order in which they are listed."""


def readable() -> tuple[str, ...]:
    """Names of the formats that can be read."""
    return tuple(name for name, format in FORMATS.items() if format.read is not None)


def writable() -> tuple[str, ...]:
    """Names of the formats that can be written."""
    return tuple(name for name, format in FORMATS.items() if format.content or format.write_into)
