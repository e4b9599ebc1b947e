"""CVAT's XML 1.1 for images, written: one element for each image, with its shapes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from vesica.dataset import Dataset
from vesica.io.drawn_regions import Region, drawn
from vesica.io.exact_corners import words_of
from vesica.io.text_fields import lost_columns, names_of, rows_by_image
from vesica.io.xml_elements import xml_text


def content(data: Dataset, /) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of a file, and what it could not keep."""
    return content_of(data)


def content_of(
    data: Dataset, /, *, comments: Sequence[str] | None = None, annotators: bool = False
) -> tuple[bytes, tuple[str, ...]]:
    """The same, with a comment before each image, and with annotators as attributes of their shapes."""
    regions, notes = drawn(data)
    labels = [xml_text(name) for name in names_of(data)]
    ids, names, renamed = _named(data)
    sizes = data.images.sizes.tolist()
    lines = [f"<?xml {_attributes(version='1.0', encoding='utf-8')}?>", "<annotations>", "  <version>1.1</version>"]
    lines += _meta(data, labels)
    told = _told(data, annotators)
    for place, rows in enumerate(rows_by_image(data)):
        height, width = sizes[place]
        sides = {"width": width, "height": height} if height and width else {}
        lines.append(f"  <image {_attributes(id=ids[place], name=xml_text(names[place]), **sides)}>")
        if comments is not None:
            lines.insert(-1, f"  <!-- {escape(comments[place]).replace('--', '- -')} -->")
        lines += [_shape(regions[row], labels[data.category[row]], told[row]) for row in rows]
        lines.append("  </image>")
    return "\n".join([*lines, "</annotations>", ""]).encode(), (
        *lost_columns(data, "CVAT", kept=("attributes", "annotator") if annotators else ("attributes",)),
        *renamed,
        *notes,
    )


def _named(data: Dataset) -> tuple[list[int], list[str], list[str]]:
    """Ids that are numbers, and a name for each image."""
    own = data.images.ids.tolist()
    given = [None] * len(own) if data.images.names is None else data.images.names.tolist()
    names = [str(id) if name is None else str(name) for id, name in zip(own, given, strict=True)]
    if all(isinstance(id, int) and 0 <= id < 10**18 for id in own):
        return own, names, ["images without a name are called by their ids"] if None in given else []
    if data.images.names is not None and names != [str(id) for id in own]:
        return list(range(len(own))), names, ["image ids became numbers from 0; names are kept"]
    return list(range(len(own))), names, ["image ids became names, and are numbers from 0"]


def _meta(data: Dataset, labels: list[str]) -> list[str]:
    known = [f"        <label><name>{escape(label)}</name></label>" for label in labels]
    task = f"      <size>{len(data.images)}</size>", "      <mode>annotation</mode>"
    return ["  <meta>", "    <task>", *task, "      <labels>", *known, "      </labels>", "    </task>", "  </meta>"]


def _told(data: Dataset, annotators: bool) -> list[dict[str, Any]]:
    """The attributes of each row; its annotator among them, if that is asked for."""
    found = [{} if data.attributes is None else dict(data.attributes[row] or {}) for row in range(len(data))]
    if annotators and data.annotator is not None:
        for one, who in zip(found, data.annotators[data.annotator].tolist(), strict=True):
            one["annotator"] = who
    return found


def _shape(region: Region, label: str, told: dict[str, Any]) -> str:
    kind, fields = _fields(region)
    head = f"    <{kind} {_attributes(label=label, source='manual', occluded=0, **fields, z_order=0)}"
    if not told:
        return f"{head}/>"
    inner = "".join(f"<attribute {_attributes(name=name)}>{_value(value)}</attribute>" for name, value in told.items())
    return f"{head}>{inner}</{kind}>"


def _value(value: Any) -> str:
    """An attribute as text; what is no text as JSON."""
    return escape(xml_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)))


def _fields(region: Region) -> tuple[str, dict[str, Any]]:
    """What kind of shape it is, and what is to be told of it."""
    if region.mask is not None:
        (left, top), (height, width) = region.corner, region.mask.shape
        runs = ", ".join(map(str, _runs(region.mask)))
        return "mask", {"rle": runs, "left": left, "top": top, "width": width, "height": height}
    if region.rings is not None:
        return "polygon", {"points": ";".join(f"{x!r},{y!r}" for x, y in region.rings[0].tolist())}
    turn = region.turned
    box: Any = region.box if turn is None else turn[:4]
    sides = dict(zip(("xtl", "ytl", "xbr", "ybr"), words_of(*box), strict=True))
    return "box", sides if turn is None else {**sides, "rotation": repr(turn.degrees)}


def _attributes(**fields: Any) -> str:
    return " ".join(f"{name}={quoteattr(str(value))}" for name, value in fields.items())


def _runs(mask: np.ndarray) -> list[int]:
    """Lengths of runs, row by row, of the background first."""
    flat = mask.reshape(-1)
    edges = np.flatnonzero(np.diff(flat, prepend=False))
    return [int(length) for length in np.diff(np.concatenate([[0], edges, [len(flat)]]))]
