"""What tidecv says of a job, and jobs without equal scores that have every cause of error."""

from __future__ import annotations

from typing import Any

import numpy as np

NAMES = {
    "Cls": "classification",
    "Loc": "localisation",
    "Both": "both",
    "Dupe": "duplicate",
    "Bkg": "background",
    "Miss": "missed",
    "FalsePos": "wrong",
    "FalseNeg": "not found",
}


def answer(
    truth: dict[str, Any], results: list[dict[str, Any]], *, iou: float = 0.5, masks: bool = False
) -> dict[str, Any]:
    """AP, and count and cost of each cause, as shares of 1; counts of the first six alone."""
    from matplotlib import rc_context
    from tidecv import TIDE, Data, functions

    truths, guesses = Data("truth"), Data("guess")
    for image in sorted(truth["images"], key=lambda image: image["id"]):  # which orders equal scores
        truths.add_image(image["id"], str(image["id"]))
    for category in truth["categories"]:
        truths.add_class(category["id"], category["name"])
    sizes = {image["id"]: (image.get("width"), image.get("height")) for image in truth["images"]}
    for row in truth["annotations"]:
        add = truths.add_ignore_region if row.get("iscrowd") else truths.add_ground_truth
        mask = functions.toRLE(row["segmentation"], *sizes[row["image_id"]]) if masks else None
        add(row["image_id"], row["category_id"], row["bbox"], mask)
    for row in results:
        mask = row["segmentation"] if masks else None
        guesses.add_detection(row["image_id"], row["category_id"], row["score"], row.get("bbox"), mask)
    with rc_context():  # it gives all pictures of the process the style of its own
        tide = TIDE()
    run = tide.evaluate(truths, guesses, pos_threshold=iou, mode=TIDE.MASK if masks else TIDE.BOX)
    errors = tide.get_all_errors()
    cost = {**errors["main"]["guess"], **errors["special"]["guess"]}
    counts = {error.short_name: number for error, number in run.count_errors().items()}
    return {
        "AP": run.ap / 100,
        "cost": {NAMES[name]: value / 100 for name, value in cost.items()},
        "count": {NAMES[name]: number for name, number in counts.items()},
    }


def mixed(
    seed: int, *, images: int = 12, classes: int = 4, crowds: float = 0.0, guesses: int = 14, grid: float = 0
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Truths, and guesses that are right, loose, of another class, both, twice, and out of nowhere. No score is twice.

    Each class has a truth, and each image some, so that tidecv counts what we count. On a `grid` many overlaps are
    equal, or just a threshold.
    """
    rng = np.random.default_rng(seed)
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    for image in range(1, images + 1):
        own = []
        for _ in range(int(rng.integers(2, 7))):
            category = 1 + len(annotations) % classes if image <= classes else int(rng.integers(1, classes + 1))
            box = [*rng.uniform(0, 400, 2).tolist(), *rng.uniform(20, 120, 2).tolist()]
            row = {"id": len(annotations) + 1, "image_id": image, "category_id": category, "bbox": box, "iscrowd": 0}
            own.append(row)
            annotations.append(row)
        for row in own[1:]:
            row["iscrowd"] = int(rng.random() < crowds)
        for _ in range(guesses):
            row = own[int(rng.integers(len(own)))]
            x, y, w, h = row["bbox"]
            shift = float(rng.choice([0.02, 0.3, 0.6, 3.0]))
            dx, dy = rng.normal(0, shift, 2) * (w, h)
            category = row["category_id"] if rng.random() < 0.6 else int(rng.integers(1, classes + 1))
            box = [x + dx, y + dy, w * float(rng.uniform(0.8, 1.25)), h * float(rng.uniform(0.8, 1.25))]
            results.append({"image_id": image, "category_id": category, "bbox": box})
    scores = rng.permutation(len(results)) / len(results) + 0.5 / len(results)
    for row, score in zip(results, scores.tolist(), strict=True):
        row["score"] = score
    if grid:
        for row in (*annotations, *results):
            row["bbox"] = [grid * max(round(one / grid), int(k > 1)) for k, one in enumerate(row["bbox"])]
    for row in annotations:
        row["area"] = row["bbox"][2] * row["bbox"][3]
    truth = {
        "images": [{"id": image, "height": 600, "width": 600} for image in range(1, images + 1)],
        "annotations": annotations,
        "categories": [{"id": one, "name": f"c{one}"} for one in range(1, classes + 1)],
    }
    return truth, results
