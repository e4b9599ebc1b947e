"""Files into data sets: which format a file has, and who reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from vesica import _check as check
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.files import File, load
from vesica.io.options import Options

# Formats are imported where they are met: a file of COCO does not wait for XML and npz.

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
    root: str
    files: list[str]
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
        from pathlib import Path

        from vesica.io.text_fields import bytes_of

        if self.loaded is not None:
            yield self.name, self.loaded.data
        else:
            yield from ((path, bytes_of(Path(path), Path(self.root))) for path in self.files)


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
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "guess.csv").write_text("image,class,score,x1,y1,x2,y2\\n7,cat,0.5,10,20,40,60\\n")
    ...     guess = read(Path(folder, "guess.csv"))
    >>> guess
    Dataset(1 guess in 1 image, 1 category)
    """
    options = Options(masks, check, boxes, sizes, images, names, kind, columns, threads)
    return find(path, options, format=format).data


def find(
    path: str | os.PathLike[str],
    options: Options | Callable[[str], Options] | None = None,
    /,
    *,
    format: str | None = None,
) -> Found:
    """Read a data set, and tell what its file turned out to be. Options may depend on the format that is found."""
    if format is not None:
        check.one_of(format, FORMATS, "format")
    source, format = _resolved(os.fspath(path), format)
    given = options(format) if callable(options) else options
    options = (Options() if given is None else given).for_format(format, _USES[format])
    data, form = _READERS[format](source, options)
    return Found(data, source.name, format, form)


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
    from vesica.io import coco

    data = coco.dataset_of(source.file, masks=options.masks, check=options.check, threads=options.threads)
    return data, "xywh pixels"


def _voc(source: _Source, options: Options) -> tuple[Dataset, str]:
    from vesica.io import voc

    is_text = bool(source.files) and all(path.lower().endswith(".txt") for path in source.files)
    data = (voc.results_of if is_text else voc.dataset_of)(source.contents(), options)
    return data, "corners as written" if options.boxes == "as_written" else "pixels from 1"


def _yolo(source: _Source, options: Options) -> tuple[Dataset, str]:
    from pathlib import Path

    from vesica.io import yolo
    from vesica.io.yolo_folder import labels_of

    if not source.files:
        raise InputError(f"{source.name}: label files of YOLO are known by their names. Give the folder.")
    data = yolo.dataset_of(
        source.contents(), labels_of([Path(path) for path in source.files], Path(source.root), options), options
    )
    return data, "shares of the image" if options.boxes is None else f"{options.boxes} pixels"


def _csv(source: _Source, options: Options) -> tuple[Dataset, str]:
    from vesica.io import csv

    data, form = csv.csv_of(source.file.data, source.name, options)
    return data, f"{form} pixels"


def _npz(source: _Source, options: Options) -> tuple[Dataset, str]:
    from vesica.io import arrays, npz

    data, form = npz.archive_of(arrays.archive_of(source.file.data, source.name), source.name, options)
    return data, f"{form} pixels"


def _npy(source: _Source, options: Options) -> tuple[Dataset, str]:
    from vesica.io import arrays, npz

    table = arrays.array_of(source.file._replace(kind="npy"))
    return npz.array_of(table, source.name, options), f"{options.boxes or 'xywh'} pixels"


_READERS = {"coco": _coco, "voc": _voc, "yolo": _yolo, "csv": _csv, "npz": _npz, "npy": _npy}


# Which format a path has.


def _resolved(path: str, format: str | None) -> tuple[_Source, str]:
    """What the path stands for, and its format."""
    if path != "-" and os.path.isdir(path):
        return _of_folder(path, path, format)
    if path.lower().endswith((".yaml", ".yml")) and format in (None, "yolo"):
        return _of_folder(os.path.dirname(path), path, "yolo")
    if path != "-" and not os.path.exists(path) and any(letter in path for letter in "*?["):
        return _of_pattern(path, format)
    file = load(path)
    source = _Source(file.name, os.path.dirname(path), [] if path == "-" else [path], file)
    return source, format or _sniffed(file)


def _of_pattern(pattern: str, format: str | None) -> tuple[_Source, str]:
    from vesica.io import folders

    files = folders.files_of(pattern)
    files = [path for path in files if format != "yolo" or folders.is_label(path)]
    if not files:
        raise InputError(f"{pattern} cannot be read: no file has such a name.")
    known = {folders.format_of(path) or _sniffed(load(path)) for path in files} if format is None else {format}
    if len(known) != 1:
        raise InputError(f"{pattern} stands for files of several formats: {', '.join(sorted(known))}. Say `format=`.")
    found = known.pop()
    files = [path for path in files if found != "yolo" or folders.is_label(path)]
    return _Source(pattern, str(files[0].parent), [str(path) for path in files]), found


def _of_folder(folder: str, name: str, format: str | None) -> tuple[_Source, str]:
    """The files of a folder. Where two formats fit, the caller must say which."""
    from vesica.io import folders

    found = {key: value for key, value in folders.candidates(folder).items() if value[1] and format in (None, key)}
    if not found:
        kinds = (
            "XML files of VOC, label files of YOLO or a JSON file of COCO" if format is None else f"files of {format}"
        )
        raise InputError(f"{name} is a folder without {kinds}.")
    if len(found) > 1:
        listed = " and ".join(f"{len(files)} of {key}" for key, (_, files) in found.items())
        raise InputError(f"{name} has files of several formats: {listed}. Say which: format={next(iter(found))!r}.")
    chosen, (root, files) = next(iter(found.items()))
    return _Source(name, str(root), [str(path) for path in files]), chosen


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
    from vesica.io import csv, voc, yolo
    from vesica.io.text_fields import text_of

    if start == b"<" or voc.RESULTS.fullmatch(os.path.basename(name)):
        return "voc"
    text = text_of(head[: head.rfind(b"\n") + 1] or head, name)
    if not text.strip():
        if name.lower().endswith(".txt"):
            return "yolo"  # an image in which nothing was found
        raise InputError(f"{name} is empty.")
    fits = [format for format, fits in (("csv", csv.looks_like_csv), ("yolo", yolo.looks_like_labels)) if fits(text)]
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise InputError(f"{name} may be {' or '.join(fits)}. Say which: format={fits[0]!r}.")
    known = "COCO (.json), Pascal VOC (.xml), YOLO (.txt), CSV with a header, .npz and .npy"
    raise InputError(f"{name} is of no format that is known: {known}. If it is one of them, say `format=`.")
