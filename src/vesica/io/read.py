"""Files into data sets: which format a file has, and who reads it."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vesica import _check as check
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io import archives, arrays, coco, tables, voc, yolo
from vesica.io.files import File, load
from vesica.io.options import Options
from vesica.io.rows import bytes_of, text_of
from vesica.io.yolo_folder import YAML_NAMES, is_label, labels_of

FORMATS = ("coco", "voc", "yolo", "csv", "npz", "npy")

# The options that say something about a format.
_USES: dict[str, tuple[str, ...]] = {
    "coco": (),
    "voc": ("boxes",),
    "yolo": ("boxes", "sizes", "images", "names", "kind", "columns"),
    "csv": ("boxes", "images"),
    "npz": ("boxes",),
    "npy": ("boxes",),
}
_HEAD = 1 << 16


class Found(NamedTuple):
    """A data set, and what its file turned out to be."""

    data: Dataset
    name: str
    format: str
    """One of FORMATS."""
    form: str
    """What the numbers of a box mean there."""


class _Source(NamedTuple):
    """What a path stands for: one file that was loaded, or many below a root."""

    name: str
    root: Path
    files: list[Path]
    loaded: File | None = None

    @property
    def file(self) -> File:
        """The one file, of formats that have one."""
        if self.loaded is not None:
            return self.loaded
        if len(self.files) != 1:
            raise InputError(f"{self.name} stands for {len(self.files)} files of this format; read them one by one.")
        return load(self.files[0])

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """Names and bytes of all files, of formats that have one for each image."""
        if self.loaded is not None:
            yield self.name, self.loaded.data
        else:
            yield from ((str(path), bytes_of(path, self.root)) for path in self.files)


def read(
    path: str | os.PathLike[str],
    /,
    *,
    format: str | None = None,
    masks: bool = True,
    check: bool = True,
    boxes: str | None = None,
    sizes: Any = None,
    images: Any = None,
    names: Any = None,
    kind: str | None = None,
    columns: str | None = None,
    threads: int | None = None,
) -> Dataset:
    """Read a data set. Its format is found from the content.

    Parameters
    ----------
    path : a file, a folder, a pattern such as "labels/*.txt", or "-" for standard input. Files may be packed (.gz).
    format : {"coco", "voc", "yolo", "csv", "npz", "npy"}, optional
        Only needed where two of them fit.
    masks : read masks, where there are any
    check : refuse numbers that are not finite, and negative sides
    boxes : what the four numbers of a box mean, where a format leaves it open. VOC: "one_based" (default) or
        "as_written". YOLO: a form such as "xywh" for pixels instead of shares. CSV: "xyxy_inclusive". Arrays: any form.
    sizes : YOLO: (height, width) of all images, or a dict by name
    images : YOLO: the folder of the pictures, from whose headers sizes are taken; or a data set of the same images.
        Images without a label file count as images in which nothing was found.
    names : YOLO: names of the classes, or the file that has them. By default it is looked for.
    kind : YOLO: "polygon" or "pose", where the number of columns leaves it open
    columns : YOLO: "class box score" or "class score box", where the numbers leave it open
    threads : at most this many

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "guess.csv").write_text("image,class,score,x1,y1,x2,y2\\n7,cat,0.5,10,20,40,60\\n")
    ...     guess = read(Path(folder, "guess.csv"))
    >>> guess
    Dataset(1 guess in 1 image, 1 category)
    """
    options = Options(masks, check, boxes, sizes, images, names, kind, columns, threads)
    return find(path, options, format=format).data


def find(path: str | os.PathLike[str], options: Options | None = None, /, *, format: str | None = None) -> Found:
    """Read a data set, and tell what its file turned out to be."""
    options = Options() if options is None else options
    if format is not None:
        check.one_of(format, FORMATS, "format")
    source, format = _resolved(os.fspath(path), format)
    options = options.for_format(format, _USES[format])
    data, form = _READERS[format](source, options)
    return Found(data, source.name, format, form)


def format_at(path: str, /) -> str | None:
    """The format of what is there; None for standard input, which can be read only once."""
    return None if path == "-" else _resolved(path, None)[1]


def describe(found: Found, /) -> str:
    """What was found, in one line."""
    data = found.data
    has_masks = data.segments is not None and bool(data.segments.form.any())
    what = "masks" if data.xywh is None else "boxes with masks" if has_masks else "boxes"
    if len(data) == 1:
        what = what.replace("boxes", "box", 1).replace("masks", "mask")
    images = f"{len(data.images)} image{'' if len(data.images) == 1 else 's'}"
    return f"Read {found.name} as {_label(found)}: {len(data)} {what}, {found.form}, {images}."


def _label(found: Found) -> str:
    if found.format == "coco":
        is_lvis = found.data.images.absent is not None or found.data.categories.frequency is not None
        return "COCO results" if found.data.score is not None else "LVIS" if is_lvis else "COCO truth"
    plain = {"voc": "Pascal VOC", "yolo": "YOLO", "csv": "CSV", "npz": "an archive of arrays", "npy": "COCO's array"}
    results = " results" if found.format == "voc" and found.data.score is not None else ""
    return plain[found.format] + results


# Readers: a source and options in, a data set and the meaning of its boxes out.


def _coco(source: _Source, options: Options) -> tuple[Dataset, str]:
    return coco.dataset_of(
        source.file, masks=options.masks, check=options.check, threads=options.threads
    ), "xywh pixels"


def _voc(source: _Source, options: Options) -> tuple[Dataset, str]:
    is_text = bool(source.files) and all(path.suffix.lower() == ".txt" for path in source.files)
    data = (voc.results_of if is_text else voc.dataset_of)(source.contents(), options)
    return data, "corners as written" if options.boxes == "as_written" else "pixels from 1"


def _yolo(source: _Source, options: Options) -> tuple[Dataset, str]:
    if not source.files:
        raise InputError(f"{source.name}: label files of YOLO are known by their names. Give the folder.")
    data = yolo.dataset_of(source.contents(), labels_of(source.files, source.root, options), options)
    return data, "shares of the image" if options.boxes is None else f"{options.boxes} pixels"


def _csv(source: _Source, options: Options) -> tuple[Dataset, str]:
    data, form = tables.csv_of(source.file.data, source.name, options)
    return data, f"{form} pixels"


def _npz(source: _Source, options: Options) -> tuple[Dataset, str]:
    data, form = archives.archive_of(arrays.archive_of(source.file.data, source.name), source.name, options)
    return data, f"{form} pixels"


def _npy(source: _Source, options: Options) -> tuple[Dataset, str]:
    table = arrays.array_of(source.file._replace(kind="npy"))
    return archives.array_of(table, source.name, options), f"{options.boxes or 'xywh'} pixels"


_READERS = {"coco": _coco, "voc": _voc, "yolo": _yolo, "csv": _csv, "npz": _npz, "npy": _npy}


# Which format a path has.


def _resolved(path: str, format: str | None) -> tuple[_Source, str]:
    """What the path stands for, and its format."""
    place = Path(path)
    if path != "-" and place.is_dir():
        return _of_folder(place, path, format)
    if place.suffix.lower() in (".yaml", ".yml") and format in (None, "yolo"):
        return _of_folder(place.parent, path, "yolo")
    if path != "-" and not place.exists() and glob.has_magic(path):
        return _of_pattern(path, format)
    file = load(path)
    source = _Source(file.name, place.parent, [] if path == "-" else [place], file)
    return source, format or _sniffed(file)


def _of_pattern(pattern: str, format: str | None) -> tuple[_Source, str]:
    files = [Path(found) for found in sorted(glob.glob(pattern, recursive=True)) if Path(found).is_file()]
    files = [path for path in files if format != "yolo" or is_label(path)]
    if not files:
        raise InputError(f"{pattern} cannot be read: no file has such a name.")
    formats = {_of_ending(path) for path in files} if format is None else {format}
    if len(formats) != 1:
        raise InputError(f"{pattern} stands for files of several formats: {', '.join(sorted(formats))}. Say `format=`.")
    found = formats.pop()
    files = [path for path in files if found != "yolo" or is_label(path)]
    return _Source(pattern, files[0].parent, files), found


def _of_ending(path: Path) -> str:
    known = {"xml": "voc", "txt": "yolo", "json": "coco", "csv": "csv", "tsv": "csv", "npz": "npz", "npy": "npy"}
    ending = _ending(path)
    return "voc" if voc.RESULTS.fullmatch(path.name) else known.get(ending) or _sniffed(load(path))


def _ending(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix[1:]


def _of_folder(folder: Path, name: str, format: str | None) -> tuple[_Source, str]:
    """The files of a folder. Where two formats fit, the caller must say which."""
    found = {key: value for key, value in _candidates(folder).items() if value[1] and format in (None, key)}
    if not found:
        kinds = (
            "XML files of VOC, label files of YOLO or a JSON file of COCO" if format is None else f"files of {format}"
        )
        raise InputError(f"{name} is a folder without {kinds}.")
    if len(found) > 1:
        listed = " and ".join(f"{len(files)} of {key}" for key, (_, files) in found.items())
        raise InputError(f"{name} has files of several formats: {listed}. Say which: format={next(iter(found))!r}.")
    chosen, (root, files) = next(iter(found.items()))
    return _Source(name, root, files), chosen


def _candidates(folder: Path) -> dict[str, tuple[Path, list[Path]]]:
    """For each format the folder that has its files, and these."""
    annotations = folder / "Annotations"
    pages = sorted(folder.glob("*.xml"))
    root = folder if pages or not annotations.is_dir() else annotations
    results = [path for path in sorted(folder.glob("*.txt")) if voc.RESULTS.fullmatch(path.name)]
    found: dict[str, tuple[Path, list[Path]]] = {"voc": (root, pages or sorted(root.glob("*.xml")) or results)}
    if not results:
        found["yolo"] = _label_files(folder)
    for format, ending in (("coco", "json"), ("csv", "csv"), ("npz", "npz"), ("npy", "npy")):
        found[format] = (folder, sorted(path for path in folder.glob(f"*.{ending}*") if _ending(path) == ending))
    return found


def _label_files(folder: Path) -> tuple[Path, list[Path]]:
    """YOLO's label files in the folder, or in the one folder below that has any."""
    homes: dict[Path, list[Path]] = {}
    for top, folders, names in os.walk(folder):
        place = Path(top)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        depth = len(place.relative_to(folder).parts)
        if depth >= 3:
            folders.clear()
        labels = sorted(place / name for name in names if is_label(place / name))
        is_home = depth == 0 or any(part in _HOMES for part in place.relative_to(folder).parts)
        if labels and is_home:
            homes[place] = labels
    if folder in homes and not any((folder / name).exists() for name in YAML_NAMES):
        return folder, homes[folder]
    below = {place: labels for place, labels in homes.items() if place != folder}
    if len(below) > 1:
        listed = ", ".join(str(place) for place in below)
        raise InputError(f"{folder} has label files in several folders: {listed}. Read one of them.")
    return next(iter(below.items()), (folder, homes.get(folder, [])))


_HOMES = ("labels", "obj_train_data", "obj_valid_data", "obj_test_data")


def _sniffed(file: File) -> str:
    """The format of a file by its first bytes."""
    head, name = file.content[:_HEAD], file.name
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "npz"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if start in (b"{", b"["):
        return "coco"
    if start == b"<" or voc.RESULTS.fullmatch(Path(name).name):
        return "voc"
    text = text_of(head[: head.rfind(b"\n") + 1] or head, name)
    if not text.strip():
        if name.lower().endswith(".txt"):
            return "yolo"  # an image in which nothing was found
        raise InputError(f"{name} is empty.")
    fits = [format for format, fits in (("csv", tables.looks_like_csv), ("yolo", yolo.looks_like_labels)) if fits(text)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise InputError(f"{name} may be {' or '.join(fits)}. Say which: format={fits[0]!r}.")
    known = "COCO (.json), Pascal VOC (.xml), YOLO (.txt), CSV with a header, .npz and .npy"
    raise InputError(f"{name} is of no format that is known: {known}. If it is one of them, say `format=`.")
