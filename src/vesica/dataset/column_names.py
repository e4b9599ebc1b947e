"""Names that columns have in tables of objects, and what each means."""

from __future__ import annotations

import re
from collections.abc import Set

# What a column may be called, without case, spaces and underscores. The first name that is there counts.
NAMES: dict[str, tuple[str, ...]] = {
    "image": ("imageid", "image", "imgid", "img", "filename", "file", "picture", "imagename", "path"),
    "image_name": ("filename", "file", "picture", "imagename", "path"),
    "category": ("categoryid", "classid", "labelid", "category", "class", "label", "labelname", "classname",
                 "categoryname"),
    "category_name": ("category", "class", "label", "labelname", "classname", "categoryname"),
    "score": ("score", "confidence", "conf", "probability", "prob"),
    "area": ("area",),
    "crowd": ("crowd", "iscrowd", "isgroupof"),
    "ignore": ("ignore", "difficult"),
    "id": ("id", "annotationid", "boxid", "objectid"),
    "annotator": ("annotator", "annotatorid", "worker", "workerid", "rater", "user"),
    "round": ("round",),
}  # fmt: skip
_BOXES: dict[str, tuple[tuple[str, ...], ...]] = {
    "xyxy": (("x1", "y1", "x2", "y2"), ("xmin", "ymin", "xmax", "ymax"), ("left", "top", "right", "bottom")),
    "cxcywh": (("cx", "cy", "w", "h"), ("cx", "cy", "width", "height"), ("xcenter", "ycenter", "width", "height"),
               ("xcentre", "ycentre", "width", "height")),
    "xywh": (("x", "y", "w", "h"), ("x", "y", "width", "height"), ("bboxx", "bboxy", "bboxw", "bboxh"),
             ("left", "top", "width", "height")),
}  # fmt: skip
SIZES = (("imageheight", "imagewidth"), ("imgheight", "imgwidth"), ("height", "width"))
"""Height and width of the image."""


def plain(word: str, /) -> str:
    """A name without case, spaces, underscores, dashes and points."""
    return re.sub(r"[\s_\-.]", "", word).lower()


def box_columns(present: Set[str], /) -> tuple[str, tuple[str, ...]] | None:
    """The form of the box and its four columns, of names that `plain` gave; None without."""
    return next(((form, sides) for form, known in _BOXES.items() for sides in known if set(sides) <= present), None)


def known_columns(present: Set[str], /) -> dict[str, str]:
    """Which of these names, as `plain` gave them, is the column of `image`, `category`, …; no name stands for two."""
    found: dict[str, str] = {}
    for key, names in NAMES.items():
        column = next((one for one in names if one in present and one not in found.values()), None)
        if column is not None:
            found[key] = column
    return found
