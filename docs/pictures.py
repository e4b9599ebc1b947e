"""Draws the pictures of the pages: python docs/pictures.py. With a folder, every picture of `vesica.plot` there."""

from __future__ import annotations

import functools
import io
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import vesica
from vesica import Boxes, Dataset, plot
from vesica.dataset import Images
from vesica.plot.theme import alone

HERE = Path(__file__).parent
CLASSES = ["person", "car", "bicycle", "dog", "cat", "kite"]


class Example(NamedTuple):
    """A picture of the gallery: the part it belongs to, and the line that draws it."""

    part: str
    line: str


GALLERY = {
    "overlap_boxes": Example("Regions", "plot.overlap(actual, predicted, names=('actual', 'predicted'))"),
    "overlap_masks": Example("Regions", "plot.overlap(ring, ellipse)"),
    "overlap_rotated": Example("Regions", "plot.overlap(tilted, [2, 3, 11, 8])"),
    "regions": Example("Regions", "plot.regions(photograph, truth, guess, scores=scores, labels=labels)"),
    "nms": Example("Regions", "plot.nms(proposals, confidence, above=0.4)"),
    "anchors": Example("Regions", "plot.anchors(vesica.anchors.cluster(shapes, k=6), shapes)"),
    "precision_recall": Example("Detection", "plot.precision_recall(result)"),
    "by_score": Example("Detection", "plot.by_score(result)"),
    "per_class": Example("Detection", "plot.per_class(result)"),
    "intervals": Example("Detection", "plot.intervals(result.interval(replicates=200))"),
    "confusion": Example("Detection", "plot.confusion(result.confusion(min_score=0.3))"),
    "top_confusions": Example("Detection", "plot.top_confusions(result)"),
    "causes": Example("Detection", "plot.causes(result)"),
    "reliability": Example("Detection", "plot.reliability(result)"),
    "by_size": Example("Detection", "plot.by_size(result)"),
    "ious": Example("Detection", "plot.ious(result)"),
    "scores": Example("Detection", "plot.scores(result)"),
    "per_image": Example("Detection", "plot.per_image(result)"),
    "by_iou": Example("Detection", "plot.by_iou(result)"),
    "slices": Example("Detection", "plot.slices(result, metric='AP50')"),
    "iou_and_dice": Example("Segmentation", "plot.per_class(segmented, metric=['IoU', 'Dice'])"),
    "over_images": Example("Segmentation", "plot.over_images(segmented)"),
    "pixel_confusion": Example("Segmentation", "plot.confusion(segmented)"),
    "distances": Example("Segmentation", "plot.distances(outlines)"),
    "ranked": Example("Segmentation", "plot.ranked(segmented)"),
    "policies": Example("Segmentation", "plot.policies(segmented)"),
    "annotators": Example("Agreement", "plot.annotators(people)"),
    "coefficients": Example("Agreement", "plot.coefficients(people)"),
    "bias": Example("Agreement", "plot.bias(people)"),
    "ledger": Example("Agreement", "plot.ledger(people)"),
    "disputed": Example("Agreement", "plot.disputed(people, most=12)"),
    "trend": Example("Agreement", "plot.trend(people)"),
    "comparison": Example("Comparison", "plot.comparison(compared)"),
    "change_per_class": Example("Comparison", "plot.comparison(compared, metric='AP50')"),
    "fixed_and_broken": Example("Comparison", "plot.fixed_and_broken(compared)"),
    "change_per_slice": Example("Comparison", "plot.slices(compared, metric='AP50')"),
    "counts": Example("Data", "plot.counts(data)"),
    "sizes": Example("Data", "plot.sizes(data)"),
}


def draw(name: str, theme: str = "light", ax: Any = None) -> Any:
    """The Axes of a picture of the gallery, by the line that stands beside it there."""
    line = GALLERY[name].line
    with alone():
        return eval(f"{line[:-1]}, theme={theme!r}, ax=ax)", {"plot": plot, "vesica": vesica, "ax": ax, **world()})


@functools.cache
def world() -> dict[str, Any]:
    """What the lines of the gallery speak of."""
    return {**_regions(), **_detection(), **_segmentation(), "people": _people()}


def _regions() -> dict[str, Any]:
    row, column = np.indices((60, 80))
    disc = (column - 30) ** 2 + (row - 30) ** 2
    photograph = np.full((480, 640), 205, np.uint8)
    photograph[210:] = 160
    rng = np.random.default_rng(4)
    centres = np.array([[60, 70], [170, 90], [110, 190]])[rng.integers(0, 3, 24)] + rng.normal(0, 6, (24, 2))
    sides = rng.normal(60, 6, (24, 2))
    return {
        "actual": Boxes([[2.76772099, 3.82412258, 9.20284061, 10.90716819]], form="cxcywh").clip(12, 12),
        "predicted": Boxes([[6.27252577, 6.24175572, 11.23818034, 8.57538178]], form="cxcywh").clip(12, 12),
        "ring": (disc < 400) & (disc >= 60),
        "ellipse": (column - 42) ** 2 / 2 + (row - 28) ** 2 < 220,
        "tilted": vesica.RotatedBoxes([[5, 5, 9, 4, 30]], unit="deg", direction="cw"),
        "photograph": photograph,
        "truth": [[40, 60, 160, 300], [220, 80, 330, 200], [400, 250, 600, 420], [10, 350, 90, 470]],
        "guess": [[48, 66, 158, 290], [230, 90, 340, 215], [380, 100, 470, 160], [410, 240, 590, 430]],
        "scores": [0.93, 0.81, 0.42, 0.77],
        "labels": (["person", "car", "dog", "cat"], ["person", "car", "car", "dog"]),
        "proposals": np.hstack([centres - sides / 2, centres + sides / 2]),
        "confidence": rng.uniform(0.3, 0.98, 24).round(2),
    }


def _detection() -> dict[str, Any]:
    """Two detectors that take dogs for cats, miss what is small, and have their boxes a little off."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(200), 4), rng.integers(0, len(CLASSES), 800)
    corner, sides = rng.uniform(0, 500, (800, 2)), rng.uniform(12, 120, (800, 2))
    boxes = np.hstack([corner, corner + sides])
    names = {"images": range(200), "categories": dict(enumerate(CLASSES))}
    truth = Dataset.from_arrays(boxes, image=image, category=category, **names)
    models = []
    for lost, swapped in ((60, 0.25), (48, 0.1)):
        kept = rng.random(800) < np.clip(sides.min(axis=1) / lost, 0.3, 0.95)
        taken_for = np.where((category == 3) & (rng.random(800) < swapped), 4, category)
        taken_for = np.where(rng.random(800) < swapped / 4, rng.integers(0, len(CLASSES), 800), taken_for)
        moved = boxes + rng.normal(0, 0.06, (800, 4)) * np.tile(sides, 2)
        made_up = np.hstack([corner[:120] + 300, corner[:120] + 340])
        models.append(
            Dataset.from_arrays(
                np.concatenate([moved[kept], made_up]),
                image=np.concatenate([image[kept], image[:120]]),
                category=np.concatenate([taken_for[kept], rng.integers(0, 6, 120)]),
                score=np.concatenate([rng.beta(4, 2, kept.sum()), rng.beta(2, 4, 120)]),
                **names,
            )
        )
    slices = {"light": ["day", "night", "day", "dusk"] * 50}
    compared = vesica.compare(truth, *models, names=["old", "new"], slices=slices, replicates=200)
    result = vesica.evaluate(truth, models[0], slices=slices)
    return {"result": result, "compared": compared, "data": truth, "shapes": sides}


def _segmentation() -> dict[str, Any]:
    """Streets: a road, some sky, cars and people, and a model that is a little off at every edge."""
    rng = np.random.default_rng(0)
    truth, guess = np.zeros((2, 24, 60, 80), np.int64)
    for number in range(24):
        for stack, off in ((truth, 0), (guess, int(rng.integers(1, 4)))):
            own = np.random.default_rng(number)
            stack[number, 32 + off :] = 1
            for label, count, high, wide in ((2, 3, 12, 18), (3, 4, 14, 5)):
                for _ in range(own.integers(1, count + 1)):
                    y, x = own.integers(20, 46), own.integers(0, 62)
                    stack[number, y + off : y + high, x + off : x + wide + off] = label
    guess[::5][guess[::5] == 3] = 2
    names = ["sky", "road", "car", "person"]
    return {
        "segmented": vesica.evaluate_segmentation(truth, guess, categories=names),
        "outlines": vesica.evaluate_surfaces(truth, guess, categories=dict(enumerate(names))),
    }


def _people() -> Any:
    """Three people, of whom one is hasty and learns, and one draws wide."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(40), 6), rng.choice(CLASSES[:4], 240)
    corner, sides = rng.uniform(0, 400, (240, 2)), rng.uniform(30, 90, (240, 2))
    boxes, rows = np.hstack([corner, corner + sides]), []
    batch = np.repeat(["week 1", "week 2", "week 3", "week 4"], 10).astype(object)
    for name, seen, spread, wide in (("ann", 0.97, 1.5, 0), ("ben", 0.93, 2, 4), ("cleo", 0.45, 5, -1)):
        kept = rng.random(240) < seen + (0.16 * (image // 10) if name == "cleo" else 0)
        drawn = boxes[kept] + rng.normal(0, spread, (kept.sum(), 4)) + wide * np.array([-1, -0.5, 1, 0.8])
        label = np.where(rng.random(kept.sum()) < 0.93, category[kept], "dog")
        rows.append((drawn, image[kept], label, [name] * int(kept.sum())))
    drawn, image, label, who = (np.concatenate(column) for column in zip(*rows, strict=True))
    table = Images(np.arange(40), batch=batch)
    given = {"image": image, "category": label, "annotator": who.tolist(), "images": table, "assignments": "all"}
    return vesica.evaluate_agreement(Dataset.from_arrays(drawn, **given))


PAGES = {
    "overlap_of_boxes": ("overlap_boxes", "light"),
    "overlap_of_masks": ("overlap_masks", "dark"),
    "picture_of_regions": ("regions", "light"),
    "picture_of_causes": ("causes", "light"),
    "picture_of_confusion": ("confusion", "light"),
    "picture_of_ledger": ("ledger", "light"),
    "picture_of_bias": ("bias", "light"),
}
"""What stands in pages of docs/, and in the README: the picture of the gallery and its theme."""


def small_png(ax: Any, dpi: float = 80) -> bytes:
    """A picture as PNG of few colours: a third of the bytes, and nobody sees the difference."""
    from PIL import Image

    from vesica.plot.files import bytes_of

    image = Image.open(io.BytesIO(bytes_of(ax, "png", dpi=dpi))).convert("RGB").quantize(64)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def main() -> None:
    if len(sys.argv) == 1:
        for name, (picture, theme) in PAGES.items():
            (HERE / f"{name}.png").write_bytes(small_png(draw(picture, theme)))
        return
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in GALLERY:
        for theme in ("light", "dark"):
            (folder / f"{name}-{theme}.png").write_bytes(small_png(draw(name, theme), dpi=110))


if __name__ == "__main__":
    main()
