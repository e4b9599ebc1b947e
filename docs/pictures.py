"""Draws the pictures of docs/pictures.md: python docs/pictures.py."""

from pathlib import Path
from typing import Any

import numpy as np

import vesica
from vesica import Boxes, Dataset, plot

HERE = Path(__file__).parent
CLASSES = ["person", "car", "bicycle", "dog", "cat", "kite"]


def main() -> None:
    of_regions()
    of_scores()
    of_annotators()


def of_regions() -> None:
    actual = Boxes([[2.76772099, 3.82412258, 9.20284061, 10.90716819]], form="cxcywh").clip(12, 12)
    guess = Boxes([[6.27252577, 6.24175572, 11.23818034, 8.57538178]], form="cxcywh").clip(12, 12)
    ax = plot.overlap(actual, guess, names=("actual", "predicted"))
    ax.figure.savefig(HERE / "overlap_of_boxes.png", dpi=80)

    row, column = np.indices((60, 80))
    ring = ((column - 30) ** 2 + (row - 30) ** 2 < 400) & ((column - 30) ** 2 + (row - 30) ** 2 >= 60)
    ellipse = (column - 42) ** 2 / 2 + (row - 28) ** 2 < 220
    ax = plot.overlap(ring, ellipse, theme="dark")
    ax.figure.savefig(HERE / "overlap_of_masks.png", dpi=80)

    image = np.full((480, 640), 205, np.uint8)
    image[210:] = 160
    truth = [[40, 60, 160, 300], [220, 80, 330, 200], [400, 250, 600, 420], [10, 350, 90, 470]]
    guess = [[48, 66, 158, 290], [230, 90, 340, 215], [380, 100, 470, 160], [410, 240, 590, 430]]
    labels = ["person", "car", "dog", "cat"], ["person", "car", "car", "dog"]
    ax = plot.regions(image, truth, guess, scores=[0.93, 0.81, 0.42, 0.77], labels=labels)
    _save(ax, "regions")


def of_scores() -> None:
    """A detector that takes dogs for cats, misses what is small, and has its boxes a little off."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(200), 4), rng.integers(0, len(CLASSES), 800)
    corner, sides = rng.uniform(0, 500, (800, 2)), rng.uniform(12, 120, (800, 2))
    boxes = np.hstack([corner, corner + sides])
    kept = rng.random(800) < np.clip(sides.min(axis=1) / 60, 0.3, 0.95)
    taken_for = np.where((category == 3) & (rng.random(800) < 0.25), 4, category)
    moved = boxes + rng.normal(0, 0.06, (800, 4)) * np.tile(sides, 2)
    made_up = np.hstack([corner[:120] + 300, corner[:120] + 340])
    names = {"images": range(200), "categories": dict(enumerate(CLASSES))}
    guess = Dataset.from_arrays(
        np.concatenate([moved[kept], made_up]),
        image=np.concatenate([image[kept], image[:120]]),
        category=np.concatenate([taken_for[kept], rng.integers(0, 6, 120)]),
        score=np.concatenate([rng.beta(4, 2, kept.sum()), rng.beta(2, 4, 120)]),
        **names,
    )
    result = vesica.evaluate(Dataset.from_arrays(boxes, image=image, category=category, **names), guess)
    _save(plot.causes(result), "causes")
    _save(plot.confusion(result.confusion(min_score=0.3)), "confusion")


def of_annotators() -> None:
    """Three people, of whom one is hasty and one draws wide."""
    rng = np.random.default_rng(0)
    image, category = np.repeat(np.arange(40), 6), rng.choice(CLASSES[:4], 240)
    corner, sides = rng.uniform(0, 400, (240, 2)), rng.uniform(30, 90, (240, 2))
    boxes, people = np.hstack([corner, corner + sides]), {}
    for name, seen, spread, wide in (("ann", 0.97, 1.5, 0), ("ben", 0.93, 2, 4), ("cleo", 0.75, 5, -1)):
        kept = rng.random(240) < seen
        drawn = boxes[kept] + rng.normal(0, spread, (kept.sum(), 4)) + wide * np.array([-1, -0.5, 1, 0.8])
        label = np.where(rng.random(kept.sum()) < 0.93, category[kept], "dog")
        people[name] = Dataset.from_arrays(drawn, image=image[kept], category=label, images=range(40))
    result = vesica.evaluate_agreement(people)
    _save(plot.ledger(result), "ledger")
    _save(plot.bias(result), "bias")


def _save(ax: Any, name: str) -> None:
    plot.save(ax, HERE / f"picture_of_{name}.png", dpi=80)


if __name__ == "__main__":
    main()
