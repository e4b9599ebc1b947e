"""Regions that `vesica plot` draws: a row of two files, or what is in one image of them."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from vesica.dataset import Dataset, Images
    from vesica.io.detections import Detections

Given = tuple[tuple[Any, ...], dict[str, Any]]
"""Arrays and options of a picture."""


def of_pair(arguments: argparse.Namespace) -> Given:
    """The same row of both files."""
    from vesica.errors import InputError
    from vesica.io.arrays import array_of
    from vesica.io.files import load
    from vesica.regions import Boxes, as_region

    row = arguments.row or 0
    found = []
    for path in arguments.files:
        file = load(path)
        table = array_of(file)
        if not 0 <= row < len(table):
            raise InputError(f"{file.name} has {len(table)} rows; there is no row {row}, counted from 0.")
        try:
            one = table[row : row + 1]
            found.append(as_region(one, "regions") if arguments.form is None else Boxes(one, arguments.form))
        except (ValueError, TypeError) as error:
            raise InputError(f"{file.name}: {error}") from error
    return tuple(found), {}


def of_image(arguments: argparse.Namespace) -> Given:
    """The truths and guesses of one image, and what they are called."""
    import numpy as np

    from vesica.cli import eval as evaluation
    from vesica.cli import image_options
    from vesica.cli.category_options import categories_of
    from vesica.cli.photograph_file import photograph_of
    from vesica.dataset.meeting import meet
    from vesica.detection.protocol import protocol_of

    kind = arguments.regions or "box"
    if kind not in _SHAPES:
        arguments.usage_error(f"--regions of this picture is {', '.join(_SHAPES)}; got {kind}")
    protocol = protocol_of(arguments.protocol or "coco", regions=kind)
    said = image_options.given(arguments)
    truth = evaluation.read(arguments.files[0], arguments.truth_format, arguments, protocol, said)
    known = truth.data.images if said["images"] is None else said["images"]
    guess = evaluation.read(
        arguments.files[1], arguments.guess_format, arguments, protocol, {**said, "images": known, "predictions": True}
    )
    evaluation.check_said({**said, "images": None}, truth, guess)  # pictures stand behind what is drawn
    categories = None if arguments.categories is None else categories_of(arguments.categories)
    meeting = meet(truth.data, guess.data, categories=categories)
    place = _place(truth.data.images, truth.data.image, arguments, truth.name)
    own = np.flatnonzero(truth.data.image == place)
    kept = meeting.guess_image[guess.data.image] == meeting.truth_image[place]
    kept &= meeting.guess_category[guess.data.category] >= 0
    if arguments.min_score is not None and guess.data.score is not None:
        kept &= guess.data.score >= arguments.min_score
    other = np.flatnonzero(kept)
    names = _names(truth.data)
    of_truth = [names[meeting.truth_category[k]] for k in truth.data.category[own].tolist()]
    of_guess = [names[meeting.guess_category[k]] for k in guess.data.category[other].tolist()]
    size = _size(truth.data.images, place)
    regions = [_SHAPES[kind](side.data, rows, size, side.name) for side, rows in ((truth, own), (guess, other))]
    image = photograph_of(arguments, truth.data.images, place)
    options: dict[str, Any] = {"labels": (of_truth, of_guess), **_said(arguments, {"iou": "iou"})}
    if guess.data.score is not None:
        options["scores"] = guess.data.score[other]
    return (image, *regions), options


def of_detections(arguments: argparse.Namespace) -> Given:
    """The detections of one image of a file, as `vesica nms` reads it."""
    import numpy as np

    from vesica.cli.photograph_file import photograph_of
    from vesica.errors import InputError
    from vesica.io.detections import detections_of
    from vesica.io.files import load
    from vesica.regions import Boxes, RleMasks

    if arguments.regions not in (None, "box", "mask"):
        arguments.usage_error(f"--regions of this picture is box or mask; got {arguments.regions}")
    file = load(arguments.files[0])
    found = detections_of(file, masks=arguments.regions == "mask")
    kept = _rows_of_image(found, arguments.image, file.name)
    if arguments.min_score is not None:
        kept &= found.scores >= arguments.min_score
    rows = np.flatnonzero(kept)
    try:
        if found.boxes is None:
            assert found.masks is not None
            regions: Any = RleMasks.from_coco([found.masks[row] for row in rows.tolist()])
        else:
            form: Any = (arguments.form or "xyxy") if isinstance(found.rows, np.ndarray) else "xywh"
            regions = Boxes(found.boxes[rows], form)
    except (ValueError, TypeError) as error:
        raise InputError(f"{file.name}: {error}") from error
    if arguments.per_class and found.classes is None and len(rows):
        raise InputError(f"{file.name} has no classes, which --per-class needs.")
    options = _said(arguments, {"iou": "above"}) | {"image": photograph_of(arguments, None, 0)}
    if arguments.per_class and found.classes is not None:
        options["keys"] = found.classes[rows]
    return (regions, found.scores[rows]), options


def _rows_of_image(found: Detections, image: str | None, name: str) -> np.ndarray:
    """Which detections are of the image that was asked for; or of the first."""
    import numpy as np

    from vesica.errors import InputError
    from vesica.io.detections import rows_of

    if found.images is None or not len(found):
        return np.ones(len(found), bool)
    codes, first = np.unique(found.images, return_index=True)
    if image is None:
        rows: np.ndarray = found.images == found.images[0]
        return rows
    if isinstance(found.rows, np.ndarray):
        known = [f"{code:g}" for code in codes.tolist()]
    else:
        known = [str(row["image_id"]) for row in rows_of(found, first, found.scores[first])]
    if image not in known:
        raise InputError(f"{name} has no detection of image {image}; it has {_listed(known)}.")
    own: np.ndarray = found.images == codes[known.index(image)]
    return own


def _said(arguments: argparse.Namespace, names: dict[str, str]) -> dict[str, Any]:
    """Options that were given, by what the picture calls them."""
    return {name: value for own, name in names.items() if (value := getattr(arguments, own)) is not None}


def _place(images: Images, image: np.ndarray, arguments: argparse.Namespace, name: str) -> int:
    """The image that was asked for, by id, name, file name or stem; or the first that has objects."""
    from vesica.dataset.picture_names import file_of, stem_of
    from vesica.errors import InputError

    ids = images.ids.tolist()
    if not ids:
        raise InputError(f"{name} has no images.")
    if arguments.image is None:
        return int(image.min()) if len(image) else 0
    names = [None] * len(ids) if images.names is None else images.names.tolist()
    for way in (str, file_of, stem_of):
        found = [
            place
            for place, both in enumerate(zip(ids, names, strict=True))
            if any(one is not None and _same(way(str(one)), way(arguments.image)) for one in both)
        ]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"--image {arguments.image}: {len(found)} images of {name} are called so. Give the id.")
    raise InputError(f"{name} has no image {arguments.image}; it has {_listed(ids)}.")


def _same(one: Any, word: str) -> bool:
    """An id that is a number is written in digits."""
    return str(one) == word


def _listed(ids: list[Any]) -> str:
    return ", ".join(str(one) for one in ids[:5]) + (f" and {len(ids) - 5:,} more" if len(ids) > 5 else "")


def _names(data: Dataset) -> dict[int, Any]:
    """What categories of the truth are called, by their place among rising ids."""
    from vesica.dataset.ids import rising

    names = data.categories.ids.tolist() if data.categories.names is None else data.categories.names.tolist()
    _, rank = rising(data.categories.ids)
    return {int(place): name for place, name in zip(rank.tolist(), names, strict=True)}


def _size(images: Images, place: int) -> tuple[int, int] | None:
    if images.height is None or images.width is None:
        return None
    return int(images.height[place]), int(images.width[place])


def _boxes(data: Dataset, rows: np.ndarray, size: Any, name: str) -> Any:
    return data.boxes[rows]


def _rotated(data: Dataset, rows: np.ndarray, size: Any, name: str) -> Any:
    """As polygons of four corners: what they are drawn as."""
    from vesica.errors import InputError
    from vesica.regions import Polygons

    if data.corners is None:
        raise InputError(f"{name} has no rotated boxes.")
    return Polygons([corners.reshape(-1).tolist() for corners in data.corners[rows]])


def _masks(data: Dataset, rows: np.ndarray, size: tuple[int, int] | None, name: str) -> Any:
    import numpy as np

    from vesica.errors import InputError
    from vesica.regions import RleMasks

    if data.segments is None:
        raise InputError(f"{name} has no masks.")
    segments = data.segments if size is None else data.segments.sized(np.tile(size, (len(data), 1)))
    if not len(rows):
        return RleMasks([], size=size or (1, 1))
    return segments.to_rle(rows)


_SHAPES = {"box": _boxes, "mask": _masks, "rotated": _rotated}
"""How regions of each kind are taken from a data set."""
