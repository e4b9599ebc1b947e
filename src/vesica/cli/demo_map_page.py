"""The part of the demo's page about label maps: both means, the classes, and pictures of what is wrong."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from vesica.cli import demo_maps
from vesica.cli.demo_maps import KINDS, VOID
from vesica.io.png_write import png_of
from vesica.segmentation.result import SegmentationResult

_RIGHT, _WRONG, _LEFT_OUT = 0, 1, 2
_ERRORS = ((226, 231, 236), (194, 65, 12), demo_maps.VOID_COLOUR)
_SHOWN = {
    "mIoU": "intersection over union, mean of the classes",
    "mDice": "2 · intersection over both areas, mean of the classes",
    "mPA_recall": "share of each class that is found, mean of the classes",
    "mPA_precision": "share of each class's guesses that is right, mean of the classes",
    "pixel_accuracy": "share of all pixels that is right",
}


def parts_of(result: SegmentationResult, truth: np.ndarray, guess: np.ndarray, /) -> dict[str, str]:
    """What the template of the page asks for."""
    count = len(truth)
    words = f"{count:,} label maps" if count > 1 else "1 label map"
    return {
        "maps_summary": f"{words} of {truth.shape[2]} × {truth.shape[1]} pixels, {len(KINDS)} classes.",
        "map_scores": "".join(_score(result, name) for name in _SHOWN),
        "map_classes": "".join(map(_class, sorted(result.per_class(), key=lambda row: -(row["IoU"] or 0)))),
        "map_legend": "".join(_key(kind.colour, kind.name) for kind in KINDS)
        + _key(_ERRORS[_WRONG], "wrong")
        + _key(_ERRORS[_LEFT_OUT], "void: counts nowhere"),
        "map_pictures": "".join(_pictures(result, truth, guess)),
    }


def _score(result: SegmentationResult, name: str) -> str:
    """One row: the same score over all pixels and as a mean over images, side by side."""
    values = [result.average(name, average=order).value for order in ("totals", "images")]
    cells = "".join(f"<td>{_number(value)}</td>" for value in values)
    return f'<tr><th>{name}</th><td class="what">{escape(_SHOWN[name])}</td>{cells}</tr>'


def _class(row: dict[str, Any]) -> str:
    values = "".join(f"<td>{_number(row[name])}</td>" for name in ("IoU", "Dice", "precision", "recall"))
    widths = (100 * (row[name] or 0) for name in ("Dice", "IoU"))
    bar = '<i style="width:{:.1f}%"></i><b style="width:{:.1f}%"></b>'.format(*widths)
    name, images = escape(str(row["category"])), f"<td>{row['images']:,}</td>"
    return f'<tr><th>{name}</th><td class="bar">{bar}</td>{values}{images}</tr>'


def _pictures(result: SegmentationResult, truth: np.ndarray, guess: np.ndarray) -> list[str]:
    """The worst image, the one in the middle and the best: truth, guess and errors."""
    means = [row["mIoU"] for row in result.per_image()]
    order = sorted(range(len(means)), key=lambda k: means[k])
    chosen = {order[0]: "the worst", order[-1]: "the best", order[len(order) // 2]: "in the middle"}
    if len(order) == 1:
        chosen = {order[0]: "the only one"}
    return [_picture(k, chosen[k], means[k], truth[k], guess[k]) for k in sorted(chosen, key=order.index)]


def _picture(place: int, rank: str, mean: float, truth: np.ndarray, guess: np.ndarray) -> str:
    errors = np.where(truth == VOID, _LEFT_OUT, np.where(truth == guess, _RIGHT, _WRONG)).astype(np.uint8)
    colours = demo_maps.palette()
    shown = (("truth", truth, colours), ("guess", guess, colours), ("errors", errors, _ERRORS))
    images = "".join(_image(name, labels, own) for name, labels, own in shown)
    share = (errors == _WRONG).sum() / (errors != _LEFT_OUT).sum()
    caption = f"map {place:03}, {rank}: mIoU {mean:.3f}, {share:.1%} of pixels wrong; truth, guess, errors"
    return f'<figure class="maps"><div>{images}</div><figcaption>{caption}</figcaption></figure>'


def _image(name: str, labels: np.ndarray, colours: Sequence[tuple[int, int, int]]) -> str:
    height, width = labels.shape
    data = base64.b64encode(png_of(labels, palette=colours)).decode()
    return f'<img alt="{name}" width="{width}" height="{height}" src="data:image/png;base64,{data}">'


def _key(colour: tuple[int, int, int], name: str) -> str:
    return f'<span><i class="key" style="background:rgb{colour}"></i>{escape(name)}</span>'


def _number(value: float | None) -> str:
    return "–" if value is None or value != value else f"{value:.3f}"
