"""Files into data sets: which format a path has, and the reader of that format."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from vesica import _check as check
from vesica._check.names import explained
from vesica.dataset import Dataset
from vesica.errors import InputError
from vesica.io.files import File, load
from vesica.io.formats import FORMATS, HEAD, Format, readable
from vesica.io.options import Options
from vesica.io.source import Source

if TYPE_CHECKING:
    from pathlib import Path

# Files that a note names.
_SHOWN = 20


class Found(NamedTuple):
    """A data set, and what its file turned out to be."""

    data: Dataset
    name: str
    format: str
    """One of `formats.FORMATS`."""
    form: str
    """What the numbers of a box mean there."""
    title: str
    """The same format in words, results apart from truths."""


@explained("read", "read")
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
    predictions: bool = False,
    annotator: str | bool | None = None,
    threads: int | None = None,
) -> Dataset:
    """Read a data set. Its format is found from the content.

    Parameters
    ----------
    path : a file, a folder, a pattern such as "labels/*.txt", or "-" for standard input. Files may be packed (.gz).
    format : {"coco", "voc", "yolo", "dota", "cvat", "labelstudio", "labelme", "csv", "npz", "npy",
        "parquet", "arrow"}, optional
        Only needed where two of them fit.
    masks : read masks, where there are any
    check : refuse numbers that are not finite, and negative sides
    boxes : what the four numbers of a box mean, where a format leaves it open. VOC: "one_based" (default) or
        "as_written". YOLO: a form such as "xywh" for pixels instead of shares. CSV: "xyxy_inclusive"; under the column
        names of Open Images "xyxy", to take shares as they stand. Arrays, and Parquet of other tools: any form.
    sizes : YOLO, Open Images: (height, width) of all images, or a dict by name
    images : YOLO, Open Images: the folder of the pictures, from whose headers sizes are taken; or a data set of the
        same images. Images without a label file count as images in which nothing was found.
    names : YOLO: names of the classes, or the file that has them. By default it is looked for.
    kind : YOLO: "polygon", "obb" (rotated boxes) or "pose", where the number of columns leaves it open
    columns : YOLO: "class box score" or "class score box", where the numbers leave it open
    predictions : Label Studio, Parquet: read the guesses of models instead of the truths
    annotator : COCO: the key of annotations that says who made each, such as "created_by"; True: one of the usual
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
    options = Options(masks, check, boxes, sizes, images, names, kind, columns, threads, predictions, annotator)
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
        check.one_of(format, readable(), "format")
    source, format = resolved(os.fspath(path), format)
    moments = _moments(source)
    given = options(format) if callable(options) else options
    chosen = FORMATS[format]
    assert chosen.read is not None
    try:
        found = chosen.read(source, (Options() if given is None else given).for_format(format, chosen.options))
    except RecursionError as error:  # a value that could just be read, and not be shown
        raise InputError(f"{source.name} is nested too deeply.") from error
    if _moments(source) != moments:
        _look_again(os.fspath(path), source, format)
    data = replace(found.data, notes=(*found.data.notes, _noted(source, chosen))) if source.left_out else found.data
    return Found(data, source.name, format, found.form, found.title)


def _moments(source: Source) -> list[int]:
    """When a file last came to the folders of the files, or went from there; nothing of a file that was loaded."""
    if source.loaded is not None:
        return []
    try:
        return [
            os.stat(folder).st_mtime_ns for folder in sorted({os.path.dirname(path) or "." for path in source.files})
        ]
    except OSError:
        return [-1]  # told by whoever reads


def _look_again(path: str, source: Source, format: str) -> None:
    """Raise where files came or went while those that were there before were read."""
    then, now = set(source.files), set(resolved(path, format)[0].files)
    if then != now:
        some, what = (now - then, "came") if now - then else (then - now, "went")
        raise InputError(
            f"{source.name} changed while it was read: {len(some)} files {what}, such as {min(some)}. Read it once it "
            "is complete; whoever writes it can write another folder and rename that at the end."
        )


def _noted(source: Source, format: Format) -> str:
    names = [os.path.relpath(path, source.root or os.curdir) for path in source.left_out]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"left out, as no {format.in_folder}: {', '.join(names[:_SHOWN])}{more}"


def describe(found: Found, /) -> str:
    """What was found, in one line."""
    data = found.data
    has_masks = data.segments is not None and bool(data.segments.form.any())
    what = "masks" if data.xywh is None else "boxes with masks" if has_masks else "boxes"
    if len(data) == 1:
        what = what.replace("boxes", "box", 1).replace("masks", "mask")
    images = f"{len(data.images)} image{'' if len(data.images) == 1 else 's'}"
    return f"Read {found.name} as {found.title}: {len(data)} {what}, {found.form}, {images}."


# Which format a path has.


def resolved(path: str, format: str | None) -> tuple[Source, str]:
    """What the path stands for, and its format."""
    if path != "-" and os.path.isdir(path):
        return _of_folder(path, path, format)
    for name, one in FORMATS.items():
        if one.list_endings and path.lower().endswith(one.list_endings) and format in (None, name):
            return _of_folder(os.path.dirname(path), path, name)
    if path != "-" and not os.path.exists(path) and any(letter in path for letter in "*?["):
        return _of_pattern(path, format)
    file = _unpacked(load(path, in_pieces=True))
    source = Source(file.name, os.path.dirname(path), [] if path == "-" else [path], file)
    return source, format or _sniffed(file)


def _unpacked(file: File) -> File:
    """The file of annotations in a zip archive, as tools export it; an archive of arrays as it is."""
    if file.kind != "npz" or file.name.lower().endswith(".npz"):
        return file
    from vesica.io.archives import text_member

    found = text_member(file.data, file.name)
    return file if found is None else File(f"{file.name}:{found[0]}", found[1], "json")


def _of_pattern(pattern: str, format: str | None) -> tuple[Source, str]:
    from vesica.io import atomic, folders

    every = folders.files_of(pattern)
    if not every:
        raise InputError(f"{pattern} cannot be read: no file has such a name.")
    for folder in {path.parent for path in every}:
        atomic.check_finished(folder)
    if all(path.name.lower().endswith(".zip") for path in every):
        return _of_archives(pattern, every, format)
    known = (
        {folders.format_of(path) or _sniffed(load(path, in_pieces=True)) for path in every}
        if format is None
        else {format}
    )
    if len(known) != 1:
        raise InputError(f"{pattern} stands for files of several formats: {', '.join(sorted(known))}. Say `format=`.")
    found = known.pop()
    is_own = FORMATS[found].is_own
    files = every if is_own is None else [path for path in every if is_own(path)]
    if not files:
        raise InputError(f"{pattern} stands for no {FORMATS[found].in_folder}: {', '.join(map(str, every[:_SHOWN]))}.")
    left_out = sorted(set(map(str, every)) - set(map(str, files)))
    return Source(pattern, str(files[0].parent), [str(path) for path in files], left_out=tuple(left_out)), found


def _of_folder(folder: str, name: str, format: str | None) -> tuple[Source, str]:
    """The files of a folder. Where two formats fit, the caller must say which."""
    from pathlib import Path  # late: a path of one file needs none

    from vesica.io import atomic, folders

    if not os.path.isdir(folder or os.curdir):
        raise InputError(f"{name} cannot be read: there is no folder {folder}.")
    atomic.check_finished(Path(folder))
    found = {key: value for key, value in folders.candidates(folder, format).items() if value[1]}
    archives = [] if found else folders.with_ending(Path(folder), ".zip")
    if archives:
        return _of_archives(name, archives, format)
    if not found:
        kinds = _folders_in_words() if format is None else f"files of {format}"
        maps = folders.with_ending(Path(folder), ".png")
        hint = " PNG files that are label maps are scored by `evaluate_segmentation` (vesica seg)." if maps else ""
        raise InputError(f"{name} is a folder without {kinds}.{hint}")
    if len(found) > 1:
        listed = " and ".join(f"{len(files)} of {key}" for key, (_, files) in found.items())
        raise InputError(f"{name} has files of several formats: {listed}. Say which: format={next(iter(found))!r}.")
    chosen, (root, files) = next(iter(found.items()))
    others = folders.left_out(root, files, FORMATS[chosen])
    return Source(name, str(root), [str(path) for path in files], left_out=tuple(map(str, others))), chosen


def _of_archives(name: str, paths: list[Path], format: str | None) -> tuple[Source, str]:
    """Exports of a tool, each an archive with one file of annotations; of a format that joins its files."""
    held = tuple(_unpacked(load(path, in_pieces=True)) for path in paths)
    known = {_sniffed(file) for file in held} if format is None else {format}
    joins = sorted(one.name for one in FORMATS.values() if one.joins_archives)
    if len(known) != 1 or not known <= set(joins):
        raise InputError(
            f"{name} stands for {len(paths)} archives of {' and '.join(sorted(known))}. Several are joined if all are "
            f"of {' or of '.join(joins)}; read others one by one: {paths[0]}."
        )
    return Source(name, str(paths[0].parent), [str(path) for path in paths], packed=held), known.pop()


def _folders_in_words() -> str:
    """What folders can have: first of the formats that have a folder of their own."""
    known = sorted(FORMATS.values(), key=lambda format: format.files_in is None)
    return _listed([format.in_folder for format in known if format.in_folder], "or")


def _listed(words: list[str], last: str) -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def _sniffed(file: File) -> str:
    """The format of a file by its first bytes; of text by its name and first line too."""
    head = file.head(HEAD)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    known = list(FORMATS.values())
    by_start = [one for one in known if one.starts and (start if one.is_text else head).startswith(one.starts)]
    by_name = (one.name for one in known if one.names and re.fullmatch(one.names, os.path.basename(file.name)))
    if by_start:
        return _of_alike(by_start, start)
    return next(by_name, None) or _of_text(head, file.name, known)


def _of_alike(fits: list[Format], start: bytes) -> str:
    """The one of formats that begin alike: one that finds its own marks in the text, or else the one without any."""
    text = start.decode("utf-8", "replace") if len(fits) > 1 else ""
    told = (one.name for one in fits if text and one.looks_like and one.looks_like(text))
    plain = (one.name for one in fits if one.looks_like is None)
    return next(told, None) or next(plain, fits[0].name)


def _of_text(head: bytes, name: str, known: list[Format]) -> str:
    from vesica.io.text_fields import text_of

    text = text_of(head[: head.rfind(b"\n") + 1] or head, name)
    if not text.strip():
        for format in known:
            if format.empty_ending and name.lower().endswith(format.empty_ending):
                return format.name
        raise InputError(f"{name} is empty.")
    fits = sorted(format.name for format in known if format.looks_like and format.looks_like(text))
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise InputError(f"{name} may be {' or '.join(fits)}. Say which: format={fits[0]!r}.")
    listed = _listed([format.known_as for format in known if format.known_as], "and")
    raise InputError(f"{name} is of no format that is known: {listed}. If it is one of them, say `format=`.")
